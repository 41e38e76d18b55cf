//! Legality: what a kernel's author can still get wrong once types and levels hold, and what a device cannot do.
//!
//! - [`check`] finds what is wrong for every target. Findings that need the tree (types, levels, pointers) were made by
//!   [`crate::lower`]; here are those that need the whole kernel.
//! - [`opencl`] and [`wgsl`] are the only places where a kernel is refused for a device.
//!
//! Not here: whether we kept the IR's own rules ([`crate::ir::verify`]).

mod kernel;
pub(crate) mod opencl;
pub(crate) mod wgsl;

use crate::{Diagnostic, ir, ir::Module};

/// Checks what holds for every target.
pub(crate) fn check(module: &Module, found: &mut Vec<Diagnostic>) {
    for kernel in &module.kernels {
        kernel::check(module, kernel, found);
    }
    debug_assert_eq!(ir::verify(module), Ok(()), "lowering broke a rule of the IR");
}

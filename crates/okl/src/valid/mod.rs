//! Legality: what a kernel's author can still get wrong once types and levels hold, what a device cannot do, and
//! whether lowering kept the IR's rules.
//!
//! - [`check`] finds what is wrong for every target. Findings that need the tree (types, levels, pointers) were made by
//!   [`crate::lower`]; here are those that need the whole kernel.
//! - [`opencl`] and [`wgsl`] are the only places where a kernel is refused for a device.
//! - [`verify`] is for us, not for authors: tests and debug builds run it on everything that is lowered.

mod kernel;
pub(crate) mod opencl;
mod scope;
mod typing;
pub(crate) mod wgsl;

pub use scope::verify;

use crate::{Diagnostic, ir::Module};

/// Checks what holds for every target.
pub fn check(module: &Module, found: &mut Vec<Diagnostic>) {
    for kernel in &module.kernels {
        kernel::check(module, kernel, found);
    }
    debug_assert_eq!(verify(module), Ok(()), "lowering broke a rule of the IR");
}

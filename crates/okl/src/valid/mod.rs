//! Legality: what a kernel's author can still get wrong once types and levels hold, what a device cannot do, and
//! whether lowering kept the IR's rules.
//!
//! - [`check`] finds what is wrong for every target. Findings that need the tree (types, levels, pointers) were made by
//!   [`crate::lower`]; here are those that need the whole kernel.
//! - [`check_capabilities`] is the only place where a kernel is refused for a device.
//! - [`verify`] is for us, not for authors: tests and debug builds run it on everything that is lowered.

mod kernel;
mod opencl;
mod scope;
mod typing;
mod wgsl;

pub use scope::verify;

use crate::{Diagnostic, back::Target, ir::Module};

/// Checks what holds for every target.
pub fn check(module: &Module, found: &mut Vec<Diagnostic>) {
    for kernel in &module.kernels {
        kernel::check(module, kernel, found);
    }
    debug_assert_eq!(verify(module), Ok(()), "lowering broke a rule of the IR");
}

/// Checks what the target can do.
pub fn check_capabilities(module: &Module, target: &Target, found: &mut Vec<Diagnostic>) {
    match target {
        // A host's compiler, and CUDA's on any device that its toolkit still knows, can do all that the language has.
        Target::Cpu | Target::Cuda => {}
        Target::OpenCl(features) => opencl::check(module, features, found),
        Target::Wgsl(features) => wgsl::check(module, features, found),
    }
}

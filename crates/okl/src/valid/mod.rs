//! Legality: what a kernel's author can still get wrong once types and levels hold, and what a device cannot do.
//!
//! - [`check`] finds what is wrong for every target. Findings that need the tree (types, levels, pointers) were made by
//!   [`crate::lower`]; here are those that need the whole kernel.
//! - [`opencl`] and [`wgsl`] are the only places where a kernel is refused for a device.
//!
//! Not here: whether we kept the IR's own rules ([`crate::ir::verify`]).

mod expansion;
mod kernel;
pub(crate) mod opencl;
pub(crate) mod wgsl;

use crate::Diagnostic;
use crate::ir::{self, Module, Type};

/// Checks what holds for every target.
pub(crate) fn check(module: &Module, found: &mut Vec<Diagnostic>) {
    let stack = ir::StackBytes::new(module);
    for kernel in &module.kernels {
        kernel::check(module, &stack, kernel, found);
    }
    check_struct_parameters(module, found);
    debug_assert_eq!(ir::verify(module), Ok(()), "lowering broke a rule of the IR");
}

/// Most bytes of the structs that the parameters of all kernels of a file have or point to: a signature lists each of
/// their scalars.
const MAX_STRUCT_PARAMETER_BYTES: u64 = 1 << 23;

fn check_struct_parameters(module: &Module, found: &mut Vec<Diagnostic>) {
    let mut total: u64 = 0;
    let params = module.kernels.iter().flat_map(|kernel| kernel.params.iter().map(|&param| kernel.body.var(param)));
    for param in params {
        let element = match &param.ty {
            Type::Pointer(pointer) => &pointer.element,
            ty => ty,
        };
        let Type::Struct(_) = element else { continue };
        total = total.saturating_add(ir::bytes_of(module, element));
        if total > MAX_STRUCT_PARAMETER_BYTES {
            let message = format!(
                "the structs that parameters of kernels have, or point to, take {MAX_STRUCT_PARAMETER_BYTES} bytes in \
                 total at most; those up to here take {total}"
            );
            return found.push(Diagnostic::error(param.span, message).hint("pass large arrays by pointer"));
        }
    }
}

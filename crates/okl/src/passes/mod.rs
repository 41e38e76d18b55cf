//! What a target needs before its text can be printed: IR to IR, and questions about IR.
//!
//! [`prepare`] changes a module into IR that the target's emitter takes. What is not IR any more (the loops that a
//! CPU runs over groups and items) is made by [`loops`] when the text is printed.
//! Invariant: the meaning of a kernel stays, item for item; only the order of items within a region may change.

pub(crate) mod address_spaces;
pub(crate) mod affine;
pub(crate) mod coarsen;
pub(crate) mod collapse;
pub(crate) mod dependence;
pub(crate) mod emit_loop;
pub(crate) mod exit_flags;
pub(crate) mod fold;
pub(crate) mod hoist_loads;
pub(crate) mod index_set_split;
pub(crate) mod loop_bounds;
pub(crate) mod loops;
pub(crate) mod mod_ref;
pub(crate) mod peel;
pub(crate) mod privatize;
pub(crate) mod simt;
pub(crate) mod specialise_pointers;
pub(crate) mod structure_exits;

use crate::ir::{self, Module};

/// Prepares a checked module for an emitter: the end of an item is structured, and an exclusive variable that no later
/// region reads becomes a local one.
pub fn prepare(module: &mut Module) {
    for kernel in &mut module.kernels {
        structure_exits::run(kernel);
        privatize::run(kernel);
    }
    debug_assert_eq!(ir::verify(module), Ok(()), "a pass broke a rule of the IR");
}

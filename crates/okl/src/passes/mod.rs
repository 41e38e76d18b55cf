//! What a target needs before its text can be printed: IR to IR, and questions about IR.
//!
//! [`prepare`] changes a module into IR that the target's emitter takes. What is not IR any more (the loops that a
//! CPU runs over groups and items) is made by [`loops`] when the text is printed.
//! Invariant: the meaning of a kernel stays, item for item; only the order of items within a region may change.

pub(crate) mod apart;
pub(crate) mod branches;
pub(crate) mod build;
pub(crate) mod effects;
pub(crate) mod ends;
pub(crate) mod exclusive;
pub(crate) mod flat;
pub(crate) mod fold;
pub(crate) mod independent;
pub(crate) mod leave;
pub(crate) mod linear;
pub(crate) mod loops;
pub(crate) mod pairs;
pub(crate) mod piece;
pub(crate) mod range;
pub(crate) mod rewrite;
pub(crate) mod roots;
pub(crate) mod spaces;
pub(crate) mod split;
pub(crate) mod threads;
pub mod uniform;

use crate::{back::Target, ir::Module};

/// Prepares a validated module for a target's emitter.
pub fn prepare(module: &mut Module, target: &Target) {
    match target {
        Target::Cpu | Target::Cuda | Target::OpenCl(_) | Target::Wgsl(_) => {
            for kernel in &mut module.kernels {
                leave::run(kernel);
                exclusive::contract(kernel);
            }
        }
    }
}

//! IR to text. One module per target; C-like targets share [`c_family`].
//! Invariant: emitting never fails on validated, prepared IR, and the same IR gives the same text.

use crate::diagnostic::Diagnostic;
use crate::ir::Module;
use crate::source::SourceMap;
use crate::target::{Emitted, Target};
use crate::valid;

pub(crate) mod c_family;
pub mod cpu;
pub mod cuda;
pub mod opencl;
pub(crate) mod signature;
pub mod wgsl;
pub(crate) mod writer;

/// Emits the text of a module for a target.
pub fn emit(module: &Module, target: &Target, map: &SourceMap) -> Emitted {
    match target {
        Target::Cpu => cpu::emit(module, map),
        Target::Cuda => cuda::emit(module, map),
        Target::OpenCl(features) => opencl::emit(module, features, map),
        Target::Wgsl(features) => wgsl::emit(module, features, map),
    }
}

/// Refuses what the target or its device cannot do.
pub fn check(module: &Module, target: &Target, found: &mut Vec<Diagnostic>) {
    match target {
        // A host's compiler, and CUDA's on any device that its toolkit still knows, can do all that the language has.
        Target::Cpu | Target::Cuda => {}
        Target::OpenCl(features) => valid::opencl::check(module, features, found),
        Target::Wgsl(features) => valid::wgsl::check(module, features, wgsl::library::needs_long, found),
    }
}

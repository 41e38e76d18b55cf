//! IR to text. One module per target; C-like targets share [`c_family`].
//! Invariant: emitting never fails on validated, prepared IR, and the same IR gives the same text.

use crate::ir::Module;
use crate::signature::Signature;
use crate::source::SourceMap;

pub(crate) mod c_family;
pub mod cpu;
pub mod cuda;
pub mod opencl;
pub(crate) mod signature;
pub mod wgsl;
pub(crate) mod writer;

/// What text is emitted for, and what that device can do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Target {
    /// C11 for the host's compiler ([`cpu`]).
    Cpu,
    /// CUDA C++ for NVRTC ([`cuda`]).
    Cuda,
    /// OpenCL C ([`opencl`]) for a device that can do this.
    OpenCl(opencl::Features),
    /// WGSL for a WebGPU device with these features ([`wgsl`]).
    Wgsl(wgsl::Features),
}

/// The result of [`emit`].
#[derive(Clone, Debug)]
pub struct Emitted {
    /// The text.
    pub text: String,
    /// For each line of the text, the file and 1-based line of the source.
    pub lines: Vec<Option<(u32, u32)>>,
    /// One per kernel.
    pub signatures: Vec<Signature>,
}

/// Emits the text of a module for a target.
pub fn emit(module: &Module, target: &Target, map: &SourceMap) -> Emitted {
    match target {
        Target::Cpu => cpu::emit(module, map),
        Target::Cuda => cuda::emit(module, map),
        Target::OpenCl(features) => opencl::emit(module, features, map),
        Target::Wgsl(features) => wgsl::emit(module, features, map),
    }
}

//! What kernels are compiled for, and what its devices can do.

pub mod opencl;
pub mod wgsl;

use crate::signature::Signature;

/// What text is emitted for, and what that device can do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Target {
    /// C11 for the host's compiler ([`crate::back::cpu`]).
    Cpu,
    /// CUDA C++ for NVRTC ([`crate::back::cuda`]).
    Cuda,
    /// OpenCL C ([`crate::back::opencl`]) for a device that can do this.
    OpenCl(opencl::Features),
    /// WGSL for a WebGPU device with these features ([`crate::back::wgsl`]).
    Wgsl(wgsl::Features),
}

/// The text of a module, and what launches of its kernels need.
#[derive(Clone, Debug)]
pub struct Emitted {
    /// The text.
    pub text: String,
    /// For each line of the text, the file and 1-based line of the source.
    pub lines: Vec<Option<(u32, u32)>>,
    /// One per kernel.
    pub signatures: Vec<Signature>,
}

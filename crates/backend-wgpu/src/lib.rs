//! Ferrocca's modes `WebGPU`, `Vulkan`, `Metal` and `DX12`: kernels as WGSL, through wgpu.
//!
//! A kernel's text ([`okl::back::wgsl`]) is validated and made into pipelines when it is built ([`compile`]), so that a
//! launch never finds a shader that does not compile. A device has one queue. What streams are given is recorded in one
//! encoder ([`queue`]), which is submitted when somebody waits, or when it holds many dispatches.
//!
//! Invariants: errors that wgpu reports outside of a call are kept and returned by the next call ([`failure`]); copies
//! touch the bytes that they are given and no neighbour, whatever their alignment ([`transfer`]); bounds checks are on.
//! Not here: argument checks, the cache and accounting, which `ferrocca-core` does once for all backends.

mod adapter;
mod compile;
mod context;
mod device;
mod error;
mod failure;
mod graph;
mod grid;
mod instance;
mod kernel;
mod mapped;
mod memory;
mod precise;
mod queue;
mod spirv;
mod stream;
mod subgroups;
mod tag;
mod timeline;
mod transfer;
mod vulkan;

#[cfg(all(test, any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
mod fault_injection;

pub use device::{WGPU, WgpuBackend};

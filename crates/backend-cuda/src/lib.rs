//! Ferrocca's mode `CUDA`: NVIDIA GPUs, through the CUDA driver and NVRTC.
//!
//! Both libraries are loaded at run time: a build needs no CUDA toolkit, and a program starts on a machine without a
//! driver, where the mode is listed as missing with the reason. The driver's functions are a table ([`driver`]), so that
//! tests stand on a table of their own; data types are cudarc's.
//!
//! Invariants: every driver call is made with the device's primary context current on the calling thread ([`context`]);
//! nothing waits for the whole device but `finish` and the release of memory; a launch allocates nothing on the heap and
//! holds no lock; foreign pointers and streams are never freed; a context is never reset, because other libraries of the
//! process stand on the same one.
//! Not here: argument checks, the cache and accounting (`ferrocca-core`), the text of kernels (`okl::back::cuda`).

mod access;
mod artifact;
mod backend;
mod compile;
mod context;
mod device;
mod driver;
mod error;
#[cfg(unix)]
mod executable;
mod external;
mod find;
mod graph;
mod internal_kernels;
mod kernel;
mod mailbox;
mod memory;
mod native;
mod nvrtc;
mod overlap;
mod persistent;
mod queue;
mod range;
mod stream;
mod tiling;

#[cfg(test)]
mod emulator;
#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod texts;

pub use backend::{CUDA, CudaBackend};

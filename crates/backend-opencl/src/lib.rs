//! Ferrocca's mode `OpenCL`: any device of any OpenCL 1.2 (or later) driver, loaded at run time.
//!
//! The driver is reached through `cl3`'s run-time table ([`driver`]); which devices there are, and why others cannot be
//! used, says [`select`]. A kernel's text is compiled by the driver ([`compile`]), its binary is the cached artifact, and
//! a launch sets the arguments of a `cl_kernel` behind a lock, because the driver's own object is not thread-safe
//! ([`kernel`]). Every pointer travels as a buffer and an element offset, since sub-buffers begin only at aligned
//! addresses.
//!
//! Invariants: nothing is linked against libOpenCL (but by the feature `ocl`, whose crate does so); memory that says
//! that it is mapped is the very memory that kernels use; nothing falls back to another device than the one asked for.
//! Not here: argument checks, the cache and accounting, which `ferrocca-core` does once for all backends.

mod compile;
mod device;
mod driver;
mod error;
mod graph;
mod hazard;
mod kernel;
mod memory;
mod native;
#[cfg(feature = "ocl")]
pub mod ocl;
mod select;
mod stream;
mod tag;
mod wrap;

pub use device::{OPENCL, OpenClBackend};
pub use wrap::{InContext, handles};

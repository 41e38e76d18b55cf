//! The portable front of Ferrocca: [`Device`], [`Memory`], [`Kernel`], [`Stream`], [`Tag`], [`Graph`] over any
//! [`backend`].
//!
//! Invariant: a backend receives requests that are already checked; what is the same everywhere
//! (props, slices, bounds, dtype, arity, const and mutable, sizes, cache, accounting) lives here, once.

pub mod backend;
pub mod cache;
pub mod dtype;
pub mod graph;
pub mod kernel;
pub mod pool;
pub mod profile;
pub mod props;
pub mod registry;

mod arguments;
mod build;
mod device;
mod error;
mod interrupt;
mod json;
mod launch;
mod log;
mod memory;
mod number;
mod peer;
mod stream;
mod suggest;
mod tuning;

pub use arguments::{Arg, IntoArg};
pub use backend::{Api, Capabilities, DeviceInfo, MemoryInfo, Mode, NativeHandle, Placement};
pub use build::{
    Bundle, EmbeddedSource, KERNEL_PROPS, NativeKernel, compile_without_device, text_depends_on_device, translate,
    translate_embedded,
};
pub use device::{DEVICE_PROPS, Device};
pub use dtype::{DType, Element, KernelStruct, Real};
pub use error::{Error, ErrorKind, Result};
pub use graph::{Graph, Recorder};
pub use interrupt::interruptible;
pub use kernel::{BuildOrigin, Kernel};
pub use memory::{AnyMemory, Memory, Staging};
pub use pool::{MemoryPool, PoolStats};
pub use profile::{KernelProfile, Profile};
pub use props::{IntoProps, Props, Value};
pub use registry::{BackendEntry, backends, modes, probe, register_backend};
pub use stream::{Stream, StreamRange, Tag};
pub use tuning::{TunedSize, Tuning};

/// What kernels call `half`.
pub use half::{bf16, f16};
/// What kernels call `complex64`, a `Complex<f32>`, and `complex128`, a `Complex<f64>`.
pub use num_complex::Complex;

/// What [`kernel_struct!`] expands to needs it.
#[doc(hidden)]
pub use bytemuck;
/// What a backend crate submits its [`BackendEntry`] with.
pub use inventory;

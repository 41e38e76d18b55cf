//! Ferrocca: a kernel is written once in OKL, a solver once against [`Device`], [`Memory`] and [`Kernel`], and both
//! run on every backend that is linked in.
//!
//! ```no_run
//! use ferrocca::{Device, args};
//!
//! # fn main() -> ferrocca::Result<()> {
//! let device = Device::open("mode=CPU")?;
//! let source = "
//!     @kernel void scale(const int n, const double a, const double *x, double *y) {
//!       for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) y[i] = a * x[i];
//!     }";
//! let scale = device.build_kernel_from_string(source, "scale", ())?;
//! let x = device.malloc_from(&[1.0, 2.0, 3.0])?;
//! let mut y = device.malloc::<f64>(x.len())?;
//! scale.launch(args![x.len(), 2.0, &x, &mut y])?;
//! assert_eq!(y.to_vec()?, [2.0, 4.0, 6.0]);
//! # Ok(())
//! # }
//! ```
//!
//! This crate only re-exports: the front is [`ferrocca_core`], the language [`okl`](mod@okl); each backend is a cargo feature.
//!
//! | feature | modes |
//! | --- | --- |
//! | `cpu` (on) | `Serial`, `CPU`; also `Reference`, whose crate they need for `checked=true` |
//! | `cuda` (on) | `CUDA` |
//! | `opencl` (on) | `OpenCL` |
//! | `reference` (on) | `Reference` |
//! | `wgpu` (on) | `WebGPU`, `Vulkan`, `Metal`, `DX12` |
//! | `ndarray` (off) | – : arrays of the crate `ndarray` become memory, and memory becomes arrays: module `ndarray` |
//! | `comm` (on) | – : ranks, distributed grids, halo exchange: module `comm` |
//! | `mpi` (off) | – : ranks of `comm` that are processes, over the MPI that the build finds |
//! | `catalyst` (off) | – : ParaView Catalyst and Ascent as hooks: module `catalyst` |
//! | `ocl` (off) | as `opencl`, and objects of the crate `ocl` become Ferrocca's without a copy: module `opencl::ocl` |

pub use ::okl;
#[cfg(feature = "comm")]
pub use ferrocca_comm as comm;
pub use ferrocca_core::*;
pub use ferrocca_insitu as insitu;
#[cfg(feature = "catalyst")]
pub use ferrocca_insitu_catalyst as catalyst;
/// ```
/// mod kernels {
///     ferrocca::okl!("kernels/burgers.okl");
/// }
///
/// # fn main() -> ferrocca::Result<()> {
/// let device = ferrocca::Device::open("mode=Reference")?;
/// let kernels = kernels::Kernels::build(&device, ())?;
/// let before = device.malloc_filled(10, 1.0)?;
/// let mut after = device.malloc_filled(10, 0.0)?;
/// kernels.burgers_step(8, 0.5, 0.25, &before, &mut after)?;
/// assert_eq!(after.to_vec()?, [1.0; 10]);
/// # Ok(())
/// # }
/// ```
///
/// A wrong argument does not compile; here `c1` is a number of another type:
///
/// ```compile_fail,E0308
/// ferrocca::okl!("kernels/burgers.okl");
///
/// fn step(kernels: &Kernels, u: &ferrocca::Memory<f64>, v: &mut ferrocca::Memory<f64>) -> ferrocca::Result<()> {
///     kernels.burgers_step(8, 1, 0.25, u, v)
/// }
/// ```
///
/// and here the kernel writes what is only lent for reading:
///
/// ```compile_fail,E0308
/// ferrocca::okl!("kernels/burgers.okl");
///
/// fn step(kernels: &Kernels, u: &ferrocca::Memory<f64>, v: &ferrocca::Memory<f64>) -> ferrocca::Result<()> {
///     kernels.burgers_step(8, 0.5, 0.25, u, v)
/// }
/// ```
///
/// A kernel that is wrong does not compile either; the message is the kernel compiler's, with the line in the `.okl` file:
///
/// ```compile_fail
/// ferrocca::okl!("kernels/burgers.okl", dfloat = "no_type");
/// ```
pub use ferrocca_macros::okl;
#[cfg(feature = "ndarray")]
pub use ferrocca_ndarray as ndarray;
pub use ferrocca_primitives as primitives;

/// The backends that this build links, each a static that registers itself.
pub mod linked {
    #[cfg(feature = "cpu")]
    pub use ferrocca_backend_cpu::CPU;
    #[cfg(feature = "cuda")]
    pub use ferrocca_backend_cuda::CUDA;
    #[cfg(feature = "opencl")]
    pub use ferrocca_backend_opencl::OPENCL;
    #[cfg(feature = "reference")]
    pub use ferrocca_backend_reference::REFERENCE;
    #[cfg(feature = "wgpu")]
    pub use ferrocca_backend_wgpu::WGPU;
}

/// What is particular to the mode `CPU`: devices on the threads of an application's Rayon pool.
///
/// ```
/// use ferrocca::cpu::CpuDevice;
/// use std::sync::Arc;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build()?);
/// let device = CpuDevice::in_pool(Arc::clone(&pool))?;
/// assert_eq!(device.info().cores, 2);
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "cpu")]
pub mod cpu {
    pub use ferrocca_backend_cpu::*;
}

/// What is particular to the mode `OpenCL`: contexts, buffers and queues of other libraries.
#[cfg(feature = "opencl")]
pub mod opencl {
    pub use ferrocca_backend_opencl::*;
}

/// The README's Rust example, as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

/// The guide's, too.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide.md")]
pub struct Guide;

/// And the tasks'.
#[cfg(doctest)]
#[doc = include_str!("../docs/tasks.md")]
pub struct Tasks;

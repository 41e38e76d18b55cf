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
//! This crate only re-exports: the front is [`ferrocca_core`], the language [`okl`]; each backend is a cargo feature.
//!
//! | feature | modes |
//! | --- | --- |
//! | `cpu` (on) | `Serial`, `CPU` |
//! | `cuda` (on) | `CUDA` |
//! | `opencl` (on) | `OpenCL` |
//! | `reference` (on) | `Reference` |
//! | `wgpu` (on) | `WebGPU`, `Vulkan`, `Metal`, `DX12` |
//! | `ocl` (off) | as `opencl`, and objects of the crate `ocl` become Ferrocca's without a copy: module `opencl::ocl` |

pub use ferrocca_core::*;
pub use ferrocca_insitu as insitu;
pub use ferrocca_primitives as primitives;
pub use okl;

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

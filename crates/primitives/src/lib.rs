//! Primitives of parallel programs on any Ferrocca device: formulas for every element, reductions, scans and
//! histograms of them; elements moved to other places; random numbers; linear algebra of many small matrices.
//!
//! ```no_run
//! use ferrocca_core::Device;
//! use ferrocca_primitives::{Primitives, formula};
//!
//! # fn main() -> ferrocca_core::Result<()> {
//! let device = Device::open("mode=CPU")?;
//! let (a, b) = (device.malloc_from(&[1.0f32, 2.0])?, device.malloc_from(&[3.0f32, 4.0])?);
//! let p = Primitives::new(&device);
//! let total: f64 = p.sum(formula!("cos(a * b)", a = &a, b = &b)).get()?;   // one kernel, accumulated in f64
//! let mut norm = device.malloc::<f32>(1)?;
//! p.norm_2(&a).store(&mut norm)?;                                          // queued; the host does not wait
//! # Ok(())
//! # }
//! ```
//!
//! **The same bits on every device.** Each primitive defines its tree: the size of a tile and the order in which values are
//! combined are part of the definition, not of the device, its threads or its compiler. The page of each module states it.
//! Results agree bit for bit wherever the operations in the formula do (+ − × ÷ sqrt, comparisons and integers; functions
//! like `cos` differ in the last bits from device to device). Which bits a NaN has is not defined.
//!
//! Kernels are OKL, shipped in this crate, specialised by macros and kept in the library's kernel cache.
//!
//! Not here: any backend. Nothing waits for the host unless it says so (`get`).

#![forbid(unsafe_code)]

mod along;
pub mod arrange;
pub mod eigen;
pub mod elementwise;
mod formula;
pub mod histogram;
pub mod linear;
pub mod map;
mod operator;
mod primitives;
mod program;
pub mod random;
pub mod reduce;
mod samplesort;
pub mod scan;
mod scratch;
pub mod segments;
mod shape;
pub mod sort;
pub mod top;
mod value_type;

pub use arrange::Selection;
pub use elementwise::{Elementwise, Prepared};
pub use formula::{Formula, Operand};
pub use histogram::{Histogram, Histogram2d};
pub use linear::{Factor, Matrices, Units, Update};
pub use map::Map;
pub use operator::Operator;
pub use primitives::Primitives;
pub use random::{Random, Xoroshiro128p};
pub use reduce::Reduction;
pub use scan::Scan;
pub use segments::Segments;
pub use value_type::ValueType;

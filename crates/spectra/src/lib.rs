//! Spectra of fibres from an image of their traces: spectroperfectionism (Bolton and Schlegel 2010, arXiv:0911.2689), on any
//! Ferrocca device, in `f64` or `f32`.
//!
//! ```no_run
//! use ferrocca_core::Device;
//! use ferrocca_spectra::{Extractor, Grid, Image, Options, Precision};
//!
//! # fn main() -> ferrocca_core::Result<()> {
//! # let (psf, pixels, ivar): (ferrocca_spectra::Psf, Vec<f64>, Vec<f64>) = todo!();
//! let device = Device::open("mode=CPU")?;
//! let mut extractor = Extractor::new(&device, Precision::F64)?;
//! let image = Image { pixels: &pixels, ivar: &ivar, columns: 4114, origin: [0, 0] };
//! let grid = Grid { first: 5760.0, last: 7620.0, step: 0.8 };
//! let frame = extractor.extract(&psf, &image, grid, 0, 500, &Options::default())?;
//! println!("{:?}", &frame.flux[..10]);
//! # Ok(())
//! # }
//! ```
//!
//! A *bundle* is fibres whose light meets that of no other. It is cut into *patches*: some fibres and wavelength bins, with a
//! margin of both, whose normal equations are solved at once. Light of one wavelength of one fibre is a *spot* ([`Psf`]).
//!
//! No projection matrix is made, and no eigen-decomposition: spots' overlaps give the normal equations as a band, which has a
//! Cholesky factor of its own width; each fibre's covariance is whitened by an orthogonal polar factor. The kernels state the
//! formulas. Where traces lie is computed on the host in `f64`, because a spot must not move by a rounding error.
//!
//! While kernels work on a bundle, the next one's inputs go to the device and the results of the one before come back
//! ([`Extractor::timeline`] shows it). Bundles can be dealt over devices ([`Extractor::on`]).
//!
//! Results are the same bits on a device, whatever the number of threads or of bundles.
//!
//! Not here: files. Arrays come in, arrays go out.

#![forbid(unsafe_code)]

mod engine;
mod extract;
mod frame;
mod image;
mod kernels;
mod pipeline;
mod plan;
mod psf;
mod slot;
mod stages;
mod timeline;

pub use extract::{Extractor, Precision};
pub use frame::{Frame, mask};
pub use image::Image;
pub use plan::{Grid, Options};
pub use psf::{Psf, Series};
pub use stages::{Decorrelate, Spots, Stages};
pub use timeline::{Span, Stage, Timeline};

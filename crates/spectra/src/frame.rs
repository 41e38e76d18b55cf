//! Frames: what extraction gives, and how a device's results become a part of one.

use crate::engine::Settings;
use ferrocca_core::Real;
use rayon::prelude::*;

/// Bits of [`Frame::mask`], those of DESI's spectra.
pub mod mask {
    /// More than half of the bin's light falls on masked pixels.
    pub const SOME_BAD_PIXELS: u32 = 1;
    /// All of it does; flux and inverse variance are 0.
    pub const ALL_BAD_PIXELS: u32 = 2;
    /// χ² per pixel is above 100.
    pub const BAD_FIT: u32 = 128;
    /// The bin's patch has no solution; flux and inverse variance are 0.
    pub const NO_SOLUTION: u32 = 256;
}

/// Extracted spectra, fibre by fibre.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Wavelengths, in Å.
    pub wave: Vec<f64>,
    /// `[fibres, wavelengths]`: electrons per Å.
    pub flux: Vec<f64>,
    /// Inverse variances of these.
    pub ivar: Vec<f64>,
    /// Bits of [`mask`].
    pub mask: Vec<u32>,
    /// `[fibres, 2 d + 1, wavelengths]`: diagonals `d … -d` of the resolution, as `scipy.sparse.dia_matrix` stores them.
    pub rdiags: Vec<f64>,
    /// The share of each bin's light that falls on masked pixels.
    pub pixmask_fraction: Vec<f64>,
    /// χ² per pixel of each bin's light.
    pub chi2pix: Vec<f64>,
    /// The extracted light on the image's pixels; empty unless asked for.
    pub model: Vec<f64>,
    /// Diagonals of the resolution, `2 d + 1`.
    pub diagonals: usize,
    /// What the caller should know: pixels that were taken for masked.
    pub warnings: Vec<String>,
}

/// The rows of a frame that a bundle fills.
pub(crate) struct Part<'a> {
    flux: &'a mut [f64],
    ivar: &'a mut [f64],
    mask: &'a mut [u32],
    rdiags: &'a mut [f64],
    fraction: &'a mut [f64],
    chi2pix: &'a mut [f64],
    diagonals: usize,
}

/// What a bundle gives, fibre by fibre; bins up to the end of the last patch.
pub(crate) struct Results<'a, T> {
    pub(crate) flux: &'a [T],
    pub(crate) ivar: &'a [T],
    pub(crate) rdiags: &'a [T],
    pub(crate) fraction: &'a [T],
    pub(crate) chi2pix: &'a [T],
    /// First fibre, fibres, first bin of patches that have no solution.
    pub(crate) failed: &'a [[usize; 3]],
}

impl Frame {
    /// A frame of zeros.
    pub(crate) fn new(wave: Vec<f64>, fibres: usize, diagonals: usize, pixels: usize) -> Self {
        let len = fibres * wave.len();
        Self {
            wave,
            flux: vec![0.0; len],
            ivar: vec![0.0; len],
            mask: vec![0; len],
            rdiags: vec![0.0; len * diagonals],
            pixmask_fraction: vec![0.0; len],
            chi2pix: vec![0.0; len],
            model: vec![0.0; pixels],
            diagonals,
            warnings: Vec::new(),
        }
    }

    /// The rows of each bundle in turn, and the model.
    pub(crate) fn parts(&mut self, bundle_size: usize) -> (Vec<Part<'_>>, &mut [f64]) {
        let (len, diagonals) = (bundle_size * self.wave.len(), self.diagonals);
        let parts = self
            .flux
            .chunks_mut(len)
            .zip(self.ivar.chunks_mut(len))
            .zip(self.mask.chunks_mut(len))
            .zip(self.rdiags.chunks_mut(len * diagonals))
            .zip(self.pixmask_fraction.chunks_mut(len))
            .zip(self.chi2pix.chunks_mut(len))
            .map(|(((((flux, ivar), mask), rdiags), fraction), chi2pix)| Part {
                flux,
                ivar,
                mask,
                rdiags,
                fraction,
                chi2pix,
                diagonals,
            })
            .collect();
        (parts, &mut self.model)
    }
}

impl Part<'_> {
    /// Fills the rows. `step` is that of the wavelengths, in Å.
    pub(crate) fn fill<T: Real>(&mut self, results: &Results<'_, T>, settings: &Settings, step: f64) {
        let Settings { outputs, step: patch, wavelengths: nwave, .. } = *settings;
        let diagonals = self.diagonals;
        let wide = |to: &mut [f64], from: &[T], row: usize| {
            to.iter_mut().zip(&from[row * outputs..]).for_each(|(to, from)| *to = (*from).into());
        };
        let rows = (self.flux.par_chunks_mut(nwave), self.ivar.par_chunks_mut(nwave), self.mask.par_chunks_mut(nwave));
        let rows = rows.into_par_iter().zip((
            self.rdiags.par_chunks_mut(nwave * diagonals),
            self.fraction.par_chunks_mut(nwave),
            self.chi2pix.par_chunks_mut(nwave),
        ));
        rows.enumerate().for_each(|(fibre, ((flux, ivar, bits), (rdiags, fraction, chi2pix)))| {
            wide(flux, results.flux, fibre);
            wide(ivar, results.ivar, fibre);
            wide(fraction, results.fraction, fibre);
            wide(chi2pix, results.chi2pix, fibre);
            for (diagonal, rdiags) in rdiags.chunks_mut(nwave).enumerate() {
                wide(rdiags, results.rdiags, fibre * diagonals + diagonal);
            }
            bits.fill(0);
            for [first, fibres, begin] in results.failed {
                if (*first..first + fibres).contains(&fibre) {
                    bits[*begin..(begin + patch).min(nwave)].fill(mask::NO_SOLUTION);
                }
            }
            for bin in 0..nwave {
                let mut own = bits[bin];
                own |= if fraction[bin] > 0.5 { mask::SOME_BAD_PIXELS } else { 0 };
                own |= if fraction[bin] >= 1.0 - 1e-6 { mask::ALL_BAD_PIXELS } else { 0 };
                own |= if chi2pix[bin] > 100.0 { mask::BAD_FIT } else { 0 };
                bits[bin] = own;
                // From electrons of a bin to electrons per Å.
                let is_empty = own & (mask::ALL_BAD_PIXELS | mask::NO_SOLUTION) != 0;
                (flux[bin], ivar[bin]) =
                    if is_empty { (0.0, 0.0) } else { (flux[bin] / step, ivar[bin] * step * step) };
            }
        });
    }
}

//! Images as they come in: what counts as masked, and the parts that bundles see.

use ferrocca_core::{Error, Real, Result};
use rayon::prelude::*;
use std::ops::Range;

/// Rows that a thread takes at a time, at least.
const ROWS: usize = 64;

/// A CCD image, or a part of one.
#[derive(Clone, Copy, Debug)]
pub struct Image<'a> {
    /// Electrons, row by row.
    pub pixels: &'a [f64],
    /// Their inverse variances; 0 where a pixel is masked.
    pub ivar: &'a [f64],
    /// Pixels of a row.
    pub columns: usize,
    /// Row and column of the first pixel on the CCD, as the PSF counts them.
    pub origin: [i64; 2],
}

impl Image<'_> {
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for lengths that do not fit.
    pub(crate) fn check(&self) -> Result<()> {
        let Self { pixels, ivar, columns, .. } = *self;
        if columns == 0 || pixels.len() != ivar.len() || !pixels.len().is_multiple_of(columns) {
            return Err(Error::invalid(format!(
                "an image of {} pixels and {} inverse variances in rows of {columns}",
                pixels.len(),
                ivar.len()
            )));
        }
        Ok(())
    }

    /// Warnings about pixels that will be taken for masked.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let Self { pixels, ivar, columns, .. } = *self;
        let is_bad = |at: &usize| ivar[*at] != 0.0 && !is_good(pixels[*at], ivar[*at]);
        let rows = (0..pixels.len() / columns).into_par_iter().with_min_len(ROWS);
        let count_of = |row: usize| (row * columns..(row + 1) * columns).filter(is_bad).count();
        let count: usize = rows.map(count_of).sum();
        let Some(first) = (count > 0).then(|| (0..pixels.len()).find(is_bad)).flatten() else {
            return Vec::new();
        };
        let (row, column) = (first / columns, first % columns);
        vec![format!(
            "{count} pixels are no finite numbers or have a negative inverse variance, and count as masked; the first one is in \
             row {row}, column {column}"
        )]
    }

    /// Writes a part of it; pixels that it has not are masked, and masked ones are 0.
    pub(crate) fn part<T: Real>(&self, origin: [i64; 2], columns: usize, pixels: &mut [T], weights: &mut [T]) {
        let width = columns.max(1);
        let lines = pixels.par_chunks_mut(width).zip(weights.par_chunks_mut(width)).with_min_len(ROWS).enumerate();
        lines.for_each(|(row, (pixels, weights))| {
            pixels.fill(T::zeroed());
            weights.fill(T::zeroed());
            if let Some((own, other)) = self.shared(origin, columns, row) {
                let own = self.pixels[own.clone()].iter().zip(&self.ivar[own]);
                for ((pixel, weight), (value, ivar)) in
                    pixels[other.clone()].iter_mut().zip(&mut weights[other]).zip(own)
                {
                    if is_good(*value, *ivar) {
                        (*pixel, *weight) = (T::from_f64(*value), T::from_f64(*ivar));
                    }
                }
            }
        });
    }

    /// Adds a part to values of its own pixels.
    pub(crate) fn add<T: Real>(&self, origin: [i64; 2], columns: usize, part: &[T], to: &mut [f64]) {
        to.par_chunks_mut(self.columns).with_min_len(ROWS).enumerate().for_each(|(row, to)| {
            let line = row as i64 + self.origin[0] - origin[0];
            let Some(line) = usize::try_from(line).ok().filter(|line| (line + 1) * columns <= part.len()) else {
                return;
            };
            if let Some((own, other)) = self.shared(origin, columns, line) {
                let begin = row * self.columns;
                let from = &part[line * columns..][other];
                for (to, from) in to[own.start - begin..own.end - begin].iter_mut().zip(from) {
                    *to += Into::<f64>::into(*from);
                }
            }
        });
    }

    /// Of a row of a part the pixels that both have: where they are in the image, and in that row.
    fn shared(&self, origin: [i64; 2], columns: usize, row: usize) -> Option<(Range<usize>, Range<usize>)> {
        let own_row = usize::try_from(row as i64 + origin[0] - self.origin[0]).ok()?;
        let left = origin[1].max(self.origin[1]);
        let right = (origin[1] + columns as i64).min(self.origin[1] + self.columns as i64);
        if own_row >= self.pixels.len() / self.columns || left >= right {
            return None;
        }
        let width = (right - left) as usize;
        let own = own_row * self.columns + (left - self.origin[1]) as usize;
        let other = (left - origin[1]) as usize;
        Some((own..own + width, other..other + width))
    }
}

/// Whether a pixel counts.
fn is_good(pixel: f64, ivar: f64) -> bool {
    ivar > 0.0 && ivar.is_finite() && pixel.is_finite()
}

//! The point-spread function of a camera: where the light of a fibre and wavelength falls, and what it looks like there.

use ferrocca_core::{Error, Result};
use rayon::prelude::*;

/// A Legendre series of the wavelength for each fibre.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// `[fibres, terms]`, row by row.
    pub coefficients: Vec<f64>,
    /// Coefficients of each fibre.
    pub terms: usize,
    /// Wavelengths, in Å, that become -1 and 1.
    pub range: [f64; 2],
}

/// Above zero; NaN is not.
pub(crate) fn is_positive(value: f64) -> bool {
    value > 0.0
}

impl Series {
    /// Its value for a fibre at a wavelength.
    fn at(&self, fibre: usize, polynomials: &[f64]) -> f64 {
        let own = &self.coefficients[fibre * self.terms..(fibre + 1) * self.terms];
        own.iter().zip(polynomials).map(|(c, p)| c * p).sum()
    }

    /// Appends the Legendre polynomials of a wavelength, as many as there are terms.
    pub(crate) fn push_polynomials(&self, wavelength: f64, values: &mut Vec<f64>) {
        let t = 2.0 * (wavelength - self.range[0]) / (self.range[1] - self.range[0]) - 1.0;
        let begin = values.len();
        values.extend([1.0, t]);
        for k in 1..self.terms.max(2) - 1 {
            let k_f = k as f64;
            values.push(((2.0 * k_f + 1.0) * t * values[begin + k] - k_f * values[begin + k - 1]) / (k_f + 1.0));
        }
        values.truncate(begin + self.terms);
    }

    /// Those of many wavelengths, one after another.
    pub(crate) fn polynomials(&self, wavelengths: &[f64]) -> Vec<f64> {
        let mut values = Vec::with_capacity(wavelengths.len() * self.terms + 2);
        wavelengths.iter().for_each(|wavelength| self.push_polynomials(*wavelength, &mut values));
        values
    }
}

/// The point-spread function of a camera, as sums of Gauss–Hermite functions integrated over pixels.
///
/// Each of its parts has a range of wavelengths of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Psf {
    /// Columns of the traces, in pixels.
    pub x: Series,
    /// Rows of the traces, in pixels.
    pub y: Series,
    /// Widths along the columns, in pixels.
    pub sigma_x: Series,
    /// Widths along the rows, in pixels.
    pub sigma_y: Series,
    /// Coefficients of the Gauss–Hermite functions: a series for each fibre, and in it for each degree along x, then along y,
    /// so that `coefficients` is `[fibres, (degrees[0] + 1) * (degrees[1] + 1), terms]`.
    pub hermite: Series,
    /// Highest degrees along x and y.
    pub degrees: [usize; 2],
    /// Half sizes of a spot along x and y: it has `2 * half + 1` pixels.
    pub half_sizes: [usize; 2],
    /// Relative error of the model, which χ² allows for.
    pub error: f64,
}

/// Where the light of one wavelength of one fibre falls.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Place {
    /// Row and column of the spot's first pixel.
    pub(crate) corner: [i64; 2],
    /// Offsets from the central pixel, along x and y, and the widths.
    pub(crate) shape: [f64; 4],
}

impl Psf {
    /// How many fibres it describes.
    pub fn fibres(&self) -> usize {
        self.x.coefficients.len() / self.x.terms.max(1)
    }

    /// Pixels of a spot: columns and rows.
    pub(crate) fn size(&self) -> [usize; 2] {
        self.half_sizes.map(|half| 2 * half + 1)
    }

    /// Gauss–Hermite coefficients of a fibre.
    pub(crate) fn functions(&self) -> usize {
        (self.degrees[0] + 1) * (self.degrees[1] + 1)
    }

    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] that names the part whose size does not fit.
    pub(crate) fn check(&self) -> Result<()> {
        let fibres = self.fibres();
        let parts = [
            ("x", &self.x, 1),
            ("y", &self.y, 1),
            ("sigma_x", &self.sigma_x, 1),
            ("sigma_y", &self.sigma_y, 1),
            ("hermite", &self.hermite, self.functions()),
        ];
        for (name, series, each) in parts {
            let expected = fibres * each * series.terms;
            if series.terms == 0 || series.coefficients.len() != expected {
                return Err(Error::invalid(format!(
                    "psf: `{name}` has {} coefficients, and {fibres} fibres need {expected}",
                    series.coefficients.len()
                )));
            }
            if !is_positive(series.range[1] - series.range[0]) || series.coefficients.iter().any(|c| !c.is_finite()) {
                return Err(Error::invalid(format!(
                    "psf: `{name}` has an empty range or a coefficient that is no number"
                )));
            }
        }
        Ok(())
    }

    /// The wavelengths of a frame, with the polynomials of what places spots there: the same ones for all fibres.
    pub(crate) fn wavelengths(&self, wavelengths: Vec<f64>) -> Wavelengths {
        let polynomials = self.placing().map(|part| part.polynomials(&wavelengths));
        Wavelengths { wavelengths, polynomials }
    }

    fn placing(&self) -> [&Series; 4] {
        [&self.x, &self.y, &self.sigma_x, &self.sigma_y]
    }

    /// Places of the spots of some fibres, fibre by fibre.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for a width that is not above zero, or a place that is no number.
    pub(crate) fn places(&self, first: usize, fibres: usize, at: &Wavelengths) -> Result<Vec<Place>> {
        let (parts, bins) = (self.placing(), at.wavelengths.len());
        let mut places = vec![Place::default(); fibres * bins];
        let corner = |at: f64, half: usize| (at - half as f64 + 0.5).floor() as i64;
        let offset = |at: f64| (at + 0.5).rem_euclid(1.0) - 0.5;
        let of_fibre = |(fibre, places): (usize, &mut [Place])| {
            for (bin, place) in places.iter_mut().enumerate() {
                let [x, y, sigma_x, sigma_y] = std::array::from_fn(|i| {
                    parts[i].at(first + fibre, &at.polynomials[i][bin * parts[i].terms..(bin + 1) * parts[i].terms])
                });
                if !(is_positive(sigma_x) && is_positive(sigma_y) && x.is_finite() && y.is_finite()) {
                    return Err(Error::invalid(format!(
                        "psf: fibre {} at {} Å has the place ({x}, {y}) and the widths ({sigma_x}, {sigma_y})",
                        first + fibre,
                        at.wavelengths[bin]
                    )));
                }
                *place = Place {
                    corner: [corner(y, self.half_sizes[1]), corner(x, self.half_sizes[0])],
                    shape: [offset(x), offset(y), sigma_x, sigma_y],
                };
            }
            Ok(())
        };
        // Of several faults the first one is told, whatever the threads.
        let results: Vec<Result<()>> = places.par_chunks_mut(bins.max(1)).enumerate().map(of_fibre).collect();
        results.into_iter().collect::<Result<()>>()?;
        Ok(places)
    }
}

/// Wavelengths, and the polynomials of the four series that place spots.
#[derive(Debug)]
pub(crate) struct Wavelengths {
    pub(crate) wavelengths: Vec<f64>,
    polynomials: [Vec<f64>; 4],
}

//! What is extracted together: wavelength bins, patches, the pixels that they see.

use crate::psf::{Place, Psf, Wavelengths, is_positive};
use crate::slot::begins;
use ferrocca_core::{Error, Result};
use rayon::prelude::*;

/// Wavelengths of the spectra, in Å: `first`, `first + step` … up to `last`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The first one.
    pub first: f64,
    /// The last one; half a step beyond it is the end.
    pub last: f64,
    /// From one to the next.
    pub step: f64,
}

impl Grid {
    /// The grid of wavelengths that are evenly spaced.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for less than two, or an uneven grid.
    pub fn of(wavelengths: &[f64]) -> Result<Self> {
        let [first, second, ..] = wavelengths else {
            return Err(Error::invalid("a grid needs two wavelengths or more"));
        };
        let last = wavelengths[wavelengths.len() - 1];
        let step = (last - first) / (wavelengths.len() - 1) as f64;
        let is_even = |(i, w): (usize, &f64)| (w - (first + i as f64 * step)).abs() <= 1e-6 * step.abs();
        if !is_positive(step) || !wavelengths.iter().enumerate().all(is_even) {
            return Err(Error::invalid(format!("the wavelengths are not evenly spaced: {first}, {second} … {last} Å")));
        }
        Ok(Self { first: *first, last, step })
    }

    /// How many wavelengths it has.
    pub fn len(&self) -> usize {
        let bins = ((self.last + self.step / 2.0 - self.first) / self.step).ceil();
        if bins.is_finite() && bins > 0.0 { bins as usize } else { 0 }
    }

    /// Whether it has no wavelength.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for less than two bins, or a range that the PSF does not describe.
    pub(crate) fn check(&self, psf: &Psf) -> Result<()> {
        if !is_positive(self.step) || self.len() < 2 {
            return Err(Error::invalid(format!(
                "a grid from {} to {} Å by {} has no two bins",
                self.first, self.last, self.step
            )));
        }
        for (name, series) in [("traces", &psf.y), ("table", &psf.hermite)] {
            let [low, high] = series.range;
            if self.first < low - 5.0 || self.last > high + 5.0 {
                return Err(Error::invalid(format!(
                    "the grid, {} to {} Å, is more than 5 Å beyond the range of the PSF's {name}, {low} to {high} Å",
                    self.first, self.last
                )));
            }
        }
        Ok(())
    }

    /// The wavelength of a bin; bins before the first one are negative.
    pub(crate) fn at(&self, bin: i64) -> f64 {
        self.first + bin as f64 * self.step
    }
}

/// How spectra are extracted. The defaults are DESI's.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Fibres of a bundle.
    pub bundle_size: usize,
    /// Parts that a bundle is cut into.
    pub sub_bundles: usize,
    /// Wavelength bins of a patch, without its margins.
    pub wave_step: usize,
    /// Bins of a margin: this many, and `wave_pad_fraction` of it more.
    pub wave_pad: usize,
    /// See `wave_pad`.
    pub wave_pad_fraction: f64,
    /// How much of the rows that only the margins see is taken.
    pub pixel_pad_fraction: f64,
    /// α of the term α² on the diagonal of the normal equations.
    pub regularize: f64,
    /// Relative error of the PSF for χ², in place of the PSF's own.
    pub psf_error: Option<f64>,
    /// Whether the image of the extracted light is made.
    pub model: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            bundle_size: 25,
            sub_bundles: 5,
            wave_step: 50,
            wave_pad: 10,
            wave_pad_fraction: 0.2,
            pixel_pad_fraction: 0.8,
            regularize: 0.0,
            psf_error: None,
            model: true,
        }
    }
}

impl Options {
    /// Bins of a margin.
    pub(crate) fn pad(&self) -> usize {
        self.wave_pad + (self.wave_pad as f64 * self.wave_pad_fraction) as usize
    }

    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] that names the option.
    pub(crate) fn check(&self, psf: &Psf, grid: &Grid, first: usize, fibres: usize) -> Result<()> {
        let refuse = |message: String| Err(Error::invalid(message));
        let Self { bundle_size, sub_bundles, .. } = *self;
        if bundle_size == 0 || sub_bundles == 0 || !bundle_size.is_multiple_of(sub_bundles) {
            return refuse(format!("a bundle of {bundle_size} fibres cannot be cut into {sub_bundles} equal parts"));
        }
        if !first.is_multiple_of(bundle_size) || !fibres.is_multiple_of(bundle_size) {
            return refuse(format!("fibres {first} to {} are no whole bundles of {bundle_size}", first + fibres));
        }
        if first + fibres > psf.fibres() {
            return refuse(format!("fibres {first} to {} of a PSF of {}", first + fibres, psf.fibres()));
        }
        if self.wave_step == 0 || self.pad() < psf.half_sizes[1] {
            return refuse(format!(
                "patches of {} bins with margins of {}; a margin has {} or more, as many as a spot's half size",
                self.wave_step,
                self.pad(),
                psf.half_sizes[1]
            ));
        }
        grid.check(psf)
    }
}

/// Elements of a row of the table of patches.
pub(crate) const FIELDS: usize = 6;

/// One patch of a bundle. Fibres count from the bundle's first, bins from the first margin's first; rows and columns are
/// the image's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Patch {
    pub(crate) fibre: usize,
    pub(crate) bin: usize,
    /// The first row, the one behind the last, the first column, the one behind the last.
    pub(crate) window: [i64; 4],
}

/// Patches of one shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape {
    /// Fibres, with the margin.
    pub(crate) fibres: usize,
    /// Core fibres, and the number of the first one in the patch.
    pub(crate) cores: usize,
    pub(crate) first_core: usize,
}

/// The patches of one bundle, and the pixels that its spots may touch.
#[derive(Clone, Debug)]
pub(crate) struct Bundle {
    /// Bins of each fibre.
    pub(crate) bins: usize,
    pub(crate) places: Vec<Place>,
    pub(crate) groups: Vec<(Shape, Vec<Patch>)>,
    /// The first row and column of the strip, and how many it has.
    pub(crate) origin: [i64; 2],
    pub(crate) size: [usize; 2],
    /// For each row of the strip the first bin with a spot on it, and the one behind the last.
    pub(crate) reach: Vec<i32>,
}

/// All bundles of a frame, and what kernels for all of them are specialised for.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The wavelength of each bin, margins included.
    pub(crate) wavelengths: Vec<f64>,
    /// The first fibre of each bundle.
    pub(crate) firsts: Vec<usize>,
    pub(crate) bundles: Vec<Bundle>,
    /// Of each group of patches the widest band.
    pub(crate) half_widths: Vec<usize>,
    /// Of each group rows and columns of the largest window.
    pub(crate) windows: Vec<[usize; 2]>,
    /// Legendre polynomials of the Gauss–Hermite coefficients' series, bin by bin.
    pub(crate) legendre: Vec<f64>,
}

impl Plan {
    pub(crate) fn new(psf: &Psf, grid: &Grid, options: &Options, firsts: &[usize]) -> Result<Self> {
        let at = wavelengths(psf, grid, options);
        let bundles: Vec<Result<Bundle>> =
            firsts.par_iter().map(|first| Bundle::new(psf, grid, options, &at, *first)).collect();
        let bundles = bundles.into_iter().collect::<Result<Vec<_>>>()?;
        let groups = bundles.first().map_or(0, |bundle| bundle.groups.len());
        let widths = |bundle: &Bundle| -> Vec<usize> {
            bundle.groups.par_iter().map(|(shape, patches)| bundle.half_width(shape, patches, psf)).collect()
        };
        let widths: Vec<Vec<usize>> = bundles.par_iter().map(widths).collect();
        let highest = |of: &dyn Fn(&Bundle) -> usize| bundles.iter().map(of).max().unwrap_or(0);
        let span = |bundle: &Bundle, group: usize, axis: usize| {
            let patches = bundle.groups[group].1.iter();
            patches.map(|patch| (patch.window[2 * axis + 1] - patch.window[2 * axis]) as usize).max().unwrap_or(0)
        };
        Ok(Self {
            half_widths: (0..groups).map(|g| widths.iter().map(|own| own[g]).max().unwrap_or(0)).collect(),
            windows: (0..groups).map(|g| [0, 1].map(|axis| highest(&|b| span(b, g, axis)))).collect(),
            legendre: psf.hermite.polynomials(&at.wavelengths),
            wavelengths: at.wavelengths,
            firsts: firsts.to_vec(),
            bundles,
        })
    }

    /// One patch of all bins and fibres, without margins.
    pub(crate) fn patch(psf: &Psf, grid: &Grid, first: usize, fibres: usize) -> Result<Self> {
        let bundle = Bundle::patch(psf, grid, first, fibres)?;
        let (shape, patches) = &bundle.groups[0];
        let [top, bottom, left, right] = patches[0].window;
        let wavelengths: Vec<f64> = (0..bundle.bins as i64).map(|bin| grid.at(bin)).collect();
        Ok(Self {
            half_widths: vec![bundle.half_width(shape, patches, psf)],
            windows: vec![[(bottom - top) as usize, (right - left) as usize]],
            legendre: psf.hermite.polynomials(&wavelengths),
            wavelengths,
            firsts: vec![first],
            bundles: vec![bundle],
        })
    }
}

/// All bins of a frame: margin, spectrum, surplus of the last patch, margin.
pub(crate) fn bins(grid: &Grid, options: &Options) -> usize {
    grid.len() + 2 * options.pad() + options.wave_step
}

/// All wavelengths of a frame, margins included.
pub(crate) fn wavelengths(psf: &Psf, grid: &Grid, options: &Options) -> Wavelengths {
    psf.wavelengths((0..bins(grid, options) as i64).map(|bin| grid.at(bin - options.pad() as i64)).collect())
}

impl Bundle {
    pub(crate) fn new(psf: &Psf, grid: &Grid, options: &Options, at: &Wavelengths, first: usize) -> Result<Self> {
        let (pad, all_bins, [sx, sy]) = (options.pad(), at.wavelengths.len(), psf.size().map(|n| n as i64));
        let places = psf.places(first, options.bundle_size, at)?;
        let each = options.bundle_size / options.sub_bundles;
        let mut groups: Vec<(Shape, Vec<Patch>)> = Vec::new();
        for sub in 0..options.sub_bundles {
            let begin = (sub * each).saturating_sub(1);
            let end = ((sub + 1) * each + 1).min(options.bundle_size);
            let shape = Shape { fibres: end - begin, cores: each, first_core: sub * each - begin };
            let patches = (0..grid.len()).step_by(options.wave_step).map(|bin| {
                let corners = |bins: std::ops::Range<usize>| {
                    let places = &places;
                    (begin..end)
                        .flat_map(move |fibre| bins.clone().map(move |bin| places[fibre * all_bins + bin].corner))
                };
                let all = bin..bin + options.wave_step + 2 * pad;
                let core = bin + pad..bin + pad + options.wave_step;
                Patch {
                    fibre: begin,
                    bin,
                    window: window(corners(all), corners(core), [sx, sy], options.pixel_pad_fraction),
                }
            });
            match groups.iter_mut().find(|(known, _)| *known == shape) {
                Some((_, known)) => known.extend(patches),
                None => groups.push((shape, patches.collect())),
            }
        }
        Self::with(psf, all_bins, places, groups)
    }

    /// One patch of all bins and fibres, without margins.
    pub(crate) fn patch(psf: &Psf, grid: &Grid, first: usize, fibres: usize) -> Result<Self> {
        let at = psf.wavelengths((0..grid.len() as i64).map(|bin| grid.at(bin)).collect());
        let places = psf.places(first, fibres, &at)?;
        let corners = || places.iter().map(|place| place.corner);
        let window = window(corners(), corners(), psf.size().map(|n| n as i64), 0.0);
        let groups = vec![(Shape { fibres, cores: fibres, first_core: 0 }, vec![Patch { fibre: 0, bin: 0, window }])];
        Self::with(psf, grid.len(), places, groups)
    }

    fn with(psf: &Psf, bins: usize, places: Vec<Place>, groups: Vec<(Shape, Vec<Patch>)>) -> Result<Self> {
        let [sx, sy] = psf.size().map(|n| n as i64);
        let (mut low, mut high) = ([i64::MAX; 2], [i64::MIN; 2]);
        for place in &places {
            for axis in 0..2 {
                low[axis] = low[axis].min(place.corner[axis]);
                high[axis] = high[axis].max(place.corner[axis] + [sy, sx][axis]);
            }
        }
        let size = [high[0] - low[0], high[1] - low[1]];
        if size.iter().any(|n| *n > 1 << 20) {
            return Err(Error::invalid(format!("psf: the spots of a bundle span {size:?} pixels")));
        }
        let size = size.map(|n| n as usize);
        let mut reach = [i32::MAX, 0].repeat(size[0]);
        for (at, place) in places.iter().enumerate() {
            let (bin, row) = ((at % bins) as i32, (place.corner[0] - low[0]) as usize);
            for row in row..row + sy as usize {
                reach[2 * row] = reach[2 * row].min(bin);
                reach[2 * row + 1] = reach[2 * row + 1].max(bin + 1);
            }
        }
        Ok(Self { bins, places, groups, origin: low, size, reach })
    }

    /// How many numbers tell whether its patches have a solution, and which spots are empty.
    pub(crate) fn numbers(&self) -> usize {
        begins(self, self.groups.len())[0] + self.places.len()
    }

    /// Refuses spots without light, by the numbers of them.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] that names the first one. `first` is the bundle's first fibre.
    pub(crate) fn check_spots(&self, empty: &[i32], first: usize, wavelength: impl Fn(usize) -> f64) -> Result<()> {
        match empty.iter().position(|is_empty| *is_empty != 0) {
            None => Ok(()),
            Some(at) => Err(Error::invalid(format!(
                "psf: fibre {} at {} Å has an empty spot: no pixel of it is above zero",
                first + at / self.bins,
                wavelength(at % self.bins)
            ))),
        }
    }

    /// Fibres of the bundle.
    pub(crate) fn fibres(&self) -> usize {
        self.places.len() / self.bins
    }

    /// How far left of the diagonal the normal equations of a shape's patches reach: of two spots that share a pixel, bins
    /// later and fibres further.
    pub(crate) fn half_width(&self, shape: &Shape, patches: &[Patch], psf: &Psf) -> usize {
        let mut firsts: Vec<usize> = patches.iter().map(|patch| patch.fibre).collect();
        firsts.dedup();
        firsts.par_iter().map(|first| self.reach_of(*first, shape.fibres, psf)).max().unwrap_or(0)
    }

    /// As [`half_width`](Self::half_width), of `fibres` fibres from `first` on.
    fn reach_of(&self, first: usize, fibres: usize, psf: &Psf) -> usize {
        let [sx, sy] = psf.size().map(|n| n as i64);
        let bins = self.bins;
        let corner = |fibre: usize, bin: usize| self.places[(first + fibre) * bins + bin].corner;
        let mut width = 0;
        for bin in 0..bins {
            // Bins that cannot reach further than what was found are not looked at.
            for later in width / fibres..bins - bin {
                let mut is_near = later == 0;
                for f in 0..fibres {
                    let own = corner(f, bin);
                    for g in 0..fibres {
                        let other = corner(g, bin + later);
                        if (own[0] - other[0]).abs() < sy && (own[1] - other[1]).abs() < sx {
                            is_near = true;
                            width = width.max((later * fibres + g).saturating_sub(f));
                        }
                    }
                }
                if !is_near {
                    break;
                }
            }
        }
        width
    }
}

/// Rows and columns that a patch sees: all columns of its spots; between the rows that all of them and those that its core bins
/// cover.
fn window(
    all: impl Iterator<Item = [i64; 2]>,
    core: impl Iterator<Item = [i64; 2]>,
    [sx, sy]: [i64; 2],
    fraction: f64,
) -> [i64; 4] {
    let span = |corners: &mut dyn Iterator<Item = [i64; 2]>| {
        corners.fold([i64::MAX, i64::MIN, i64::MAX, i64::MIN], |[top, bottom, left, right], [y, x]| {
            [top.min(y), bottom.max(y + sy), left.min(x), right.max(x + sx)]
        })
    };
    let mut all = all;
    let mut core = core;
    let [p0, p1, left, right] = span(&mut all);
    let [y0, y1, ..] = span(&mut core);
    // As written: 1 - 0.8 is not 0.2.
    let top = p0 + ((y0 - p0) as f64 * (1.0 - fraction)) as i64;
    let bottom = p0 + ((y1 - p0) as f64 + (p1 - y1) as f64 * fraction) as i64;
    [top, bottom, left, right]
}

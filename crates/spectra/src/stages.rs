//! One patch whose fibres and bins are all core, with everything between its pixels and its spectra: for those who look at
//! the method itself.

use crate::engine::Group;
use crate::pipeline::{Pipeline, Request};
use crate::slot::Inputs;
use ferrocca_core::{Memory, Real, Result};
use ferrocca_primitives::{Factor, Matrices, Units, Update};

/// What is made diagonal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decorrelate {
    /// The covariance of each fibre's spectrum, one by one.
    #[default]
    Signal,
    /// The covariance of all.
    Noise,
}

/// Each stage of one patch.
///
/// Spots are counted fibre by fibre. Matrices are dense, row by row.
#[derive(Clone, Debug)]
pub struct Stages {
    /// `[fibres, bins, rows, columns]`.
    pub spots: Vec<f64>,
    /// Row and column of each spot's first pixel, in the image.
    pub corners: Vec<[i64; 2]>,
    /// `[spots, spots]`: the normal equations with what regularises them.
    pub icov: Vec<f64>,
    /// The right-hand side.
    pub y: Vec<f64>,
    /// Sums of each spot and the inverse variance.
    pub fluxweight: Vec<f64>,
    /// The solution.
    pub x: Vec<f64>,
    /// Spectra.
    pub flux: Vec<f64>,
    /// Their inverse variances.
    pub ivar: Vec<f64>,
    /// `[spots, spots]`: the resolution; zero between fibres where these are decorrelated one by one.
    pub resolution: Vec<f64>,
}

/// Spots, fibre by fibre.
#[derive(Clone, Debug)]
pub struct Spots {
    /// `[fibres, bins, rows, columns]`; the sum of each is 1.
    pub values: Vec<f64>,
    /// Row and column of each one's first pixel, in the image.
    pub corners: Vec<[i64; 2]>,
}

fn corners(request: &Request<'_>) -> Vec<[i64; 2]> {
    request.plan.bundles[0].places.iter().map(|place| place.corner).collect()
}

fn wide<T: Real>(values: &[T]) -> Vec<f64> {
    values.iter().map(|value| (*value).into()).collect()
}

impl<T: Real> Pipeline<T> {
    /// The spots alone, of a plan of one patch.
    pub(crate) fn spots(&mut self, request: &Request<'_>) -> Result<Spots> {
        self.reserve(request)?;
        let (inputs, uploading) = self.upload(request, 0, 0)?;
        self.engine.stream().wait(&uploading[1])?;
        let memory = self.checked_spots(request, &inputs)?;
        Ok(Spots { values: self.unpadded(request, &memory)?, corners: corners(request) })
    }

    /// Makes the spots, waits for them, and refuses empty ones.
    fn checked_spots(&mut self, request: &Request<'_>, inputs: &Inputs<T>) -> Result<Memory<T>> {
        let (plan, engine) = (request.plan, &mut self.engine);
        let mut empty = engine.device.malloc::<i32>(inputs.fibres * inputs.bins)?;
        let spots = engine.spots(request.psf, inputs, &mut empty)?;
        engine.stream().finish()?;
        plan.bundles[0].check_spots(&empty.to_vec()?, plan.firsts[0], |bin| plan.wavelengths[bin])?;
        Ok(spots)
    }

    /// Spots without what fills up their rows.
    fn unpadded(&self, request: &Request<'_>, spots: &Memory<T>) -> Result<Vec<f64>> {
        let columns = request.psf.size()[0];
        let stored = spots.to_vec()?;
        Ok(stored.chunks(self.engine.row(request.psf)).flat_map(|row| wide(&row[..columns])).collect())
    }

    /// The plan of `request` is one patch without margins.
    pub(crate) fn stages(&mut self, request: &Request<'_>, decorrelate: Decorrelate) -> Result<Stages> {
        // Copies to the host use the current stream: for now, that of the kernels.
        let device = self.engine.device.clone();
        let before = device.stream();
        device.set_stream(self.engine.stream())?;
        let stages = self.stages_in_order(request, decorrelate);
        device.set_stream(&before)?;
        stages
    }

    fn stages_in_order(&mut self, request: &Request<'_>, decorrelate: Decorrelate) -> Result<Stages> {
        let Request { psf, plan, settings, .. } = request;
        let bundle = &plan.bundles[0];
        let shape = bundle.groups[0].0;
        let (wave, half_width) = (bundle.bins, plan.half_widths[0]);
        let n = shape.fibres * wave;
        let group = Group { shape, n, half_width, window: plan.windows[0] };
        self.reserve(request)?;
        let (inputs, uploading) = self.upload(request, 0, 0)?;
        self.engine.stream().wait(&uploading[1])?;
        let spots = self.checked_spots(request, &inputs)?;
        let engine = &mut self.engine;
        let (mut band, mut solution) =
            engine.equations(psf, &inputs, &spots, group, &inputs.table, settings.regularize)?;
        // From wavelength by wavelength to fibre by fibre.
        let turned = |at: usize| at % wave * shape.fibres + at / wave;
        let by_fibre = |values: &[T]| (0..n).map(|at| values[turned(at)].into()).collect::<Vec<f64>>();
        let fluxweight = by_fibre(&engine.buffers.fluxweight.take(&engine.device, n)?.to_vec()?);
        let right_hand = by_fibre(&solution.to_vec()?);
        let rows = band.to_vec()?;
        let element = |a: usize, b: usize| match a.abs_diff(b) {
            off if off <= half_width => rows[a.max(b) * (half_width + 1) + half_width - off],
            _ => T::default(),
        };
        let icov: Vec<T> = (0..n * n).map(|at| element(turned(at / n), turned(at % n))).collect();
        let mut info = engine.device.malloc::<i32>(1)?;
        engine.primitives.band_cholesky(&mut band, n, half_width, &mut info)?;
        engine.primitives.cholesky_solve(Factor::band(&band, n, half_width), 1, &mut solution)?;
        let x: Vec<f64> = by_fibre(&solution.to_vec()?);
        let mut root = vec![0.0; n * n];
        match decorrelate {
            Decorrelate::Signal => {
                let (cores, size) = (shape.fibres, wave * wave);
                let units = Units { first: 0, count: cores, step: shape.fibres, columns: wave };
                let mut columns = engine.device.malloc::<T>(cores * n * wave)?;
                engine.primitives.solve_units(Factor::band(&band, n, half_width), units, &mut columns)?;
                let mut covariance = engine.device.malloc::<T>(cores * size)?;
                let mut inverse = engine.device.malloc::<T>(cores * size)?;
                let columns = Matrices::new(&columns, [n, wave]).with_skyline(shape.fibres);
                engine.primitives.syrk(columns.t(), Update::Set, &mut covariance)?;
                let mut info = engine.device.malloc::<i32>(cores)?;
                engine.primitives.cholesky(&mut covariance, wave, &mut info)?;
                engine.primitives.invert_lower(Factor::dense(&covariance, wave), &mut inverse)?;
                let mut polar = engine.device.malloc::<T>(cores * size)?;
                let square = Matrices::new(&inverse, [wave, wave]);
                engine.primitives.polar(square.t(), &mut polar, &mut info)?;
                engine.primitives.gemm(Matrices::new(&polar, [wave, wave]), square, Update::Set, &mut covariance)?;
                for (fibre, block) in covariance.to_vec()?.chunks(size).enumerate() {
                    for (at, value) in block.iter().enumerate() {
                        root[(fibre * wave + at / wave) * n + fibre * wave + at % wave] = (*value).into();
                    }
                }
            }
            Decorrelate::Noise => {
                let mut factor = engine.device.malloc_from(&icov)?;
                engine.primitives.cholesky(&mut factor, n, &mut info)?;
                let mut polar = engine.device.malloc::<T>(n * n)?;
                let factor = Matrices::new(&factor, [n, n]);
                engine.primitives.polar(factor, &mut polar, &mut info)?;
                let mut product = engine.device.malloc::<T>(n * n)?;
                engine.primitives.gemm(factor, Matrices::new(&polar, [n, n]).t(), Update::Set, &mut product)?;
                root = wide(&product.to_vec()?);
            }
        }
        let sums: Vec<f64> = root.chunks(n).map(|row| row.iter().sum()).collect();
        let resolution: Vec<f64> = root.iter().enumerate().map(|(at, value)| value / sums[at / n]).collect();
        let flux = resolution.chunks(n).map(|row| row.iter().zip(&x).map(|(r, x)| r * x).sum()).collect();
        Ok(Stages {
            spots: self.unpadded(request, &spots)?,
            corners: corners(request),
            icov: wide(&icov),
            y: right_hand,
            fluxweight,
            x,
            flux,
            ivar: sums.iter().map(|s| s * s).collect(),
            resolution,
        })
    }
}

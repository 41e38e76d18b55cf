//! What the device does of a bundle: spots, normal equations, their solution, whitening, results. Everything is queued; the
//! host waits for nothing here.

use crate::kernels::{CHI, DAMP, FINISH, GATHER, Kernels, MEAN, MODEL, SPOTS, Store};
use crate::plan::{FIELDS, Shape};
use crate::psf::Psf;
use crate::slot::{Inputs, Outputs};
use ferrocca_core::{Device, Memory, Real, Result, Stream, args};
use ferrocca_primitives::{Factor, Matrices, Primitives, Units, Update};

/// Whether each access of a kernel is watched whatever its properties.
pub(crate) fn is_watched(device: &Device) -> bool {
    device.mode() == "Reference" || device.props().to_string().contains("checked")
}

/// What does not depend on the patch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) pad: usize,
    /// Core bins of a patch, and bins of a patch.
    pub(crate) step: usize,
    pub(crate) wave: usize,
    /// Bins of the spectra, and core bins of all patches.
    pub(crate) wavelengths: usize,
    pub(crate) outputs: usize,
    pub(crate) regularize: f64,
    pub(crate) psf_error: f64,
    pub(crate) model: bool,
}

/// Memory between kernels, kept from bundle to bundle.
#[derive(Default)]
pub(crate) struct Buffers<T: Real> {
    spots: Store<T>,
    band: Store<T>,
    x: Store<T>,
    pub(crate) fluxweight: Store<T>,
    masked: Store<T>,
    columns: Store<T>,
    covariance: Store<T>,
    inverse: Store<T>,
    polar: Store<T>,
    moments: Store<T>,
}

/// A device with the kernels and the memory of extractions in one precision.
pub(crate) struct Engine<T: Real> {
    pub(crate) device: Device,
    pub(crate) primitives: Primitives,
    kernels: Kernels,
    pub(crate) buffers: Buffers<T>,
}

/// The sizes of a group of patches.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    pub(crate) shape: Shape,
    /// Spots of a patch.
    pub(crate) n: usize,
    pub(crate) half_width: usize,
    /// Rows and columns of the largest window.
    pub(crate) window: [usize; 2],
}

impl Group {
    /// How many numbers tell whether patches have a solution: of each patch one, of each of its core fibres two.
    pub(crate) fn numbers(shape: &Shape, patches: usize) -> usize {
        patches * (1 + 2 * shape.cores)
    }

    /// Which of `info.len() / numbers` patches have none.
    pub(crate) fn failed(shape: &Shape, info: &[i32]) -> Vec<usize> {
        let cores = shape.cores;
        let count = info.len() / Self::numbers(shape, 1);
        let bad = |at: &usize| {
            let own = |which: usize| &info[count + (which * count + at) * cores..][..cores];
            info[*at] != 0 || own(0).iter().any(|info| *info != 0) || own(1).iter().any(|steps| *steps < 0)
        };
        (0..count).filter(bad).collect()
    }
}

impl<T: Real> Engine<T> {
    pub(crate) fn new(device: &Device) -> Self {
        Self {
            device: device.clone(),
            primitives: Primitives::new(device),
            kernels: Kernels::default(),
            buffers: Buffers::default(),
        }
    }

    /// The stream of all kernels.
    pub(crate) fn stream(&self) -> &Stream {
        self.primitives.stream()
    }

    /// Elements of a stored row of a spot: on processors whole registers.
    pub(crate) fn row(&self, psf: &Psf) -> usize {
        let columns = psf.size()[0];
        if self.is_processor() { columns.next_multiple_of(32 / size_of::<T>()) } else { columns }
    }

    fn is_processor(&self) -> bool {
        ["Serial", "CPU", "Reference"].contains(&self.device.mode())
    }

    /// Queues the spots of a bundle. `empty` becomes 1 for those without light.
    pub(crate) fn spots(&mut self, psf: &Psf, inputs: &Inputs<T>, empty: &mut Memory<i32>) -> Result<Memory<T>> {
        let _range = self.stream().range("cache_spots");
        let (row, [sx, sy]) = (self.row(psf), psf.size());
        let Self { device, kernels, buffers, primitives } = self;
        let mut spots = buffers.spots.take(device, inputs.fibres * inputs.bins * sy * row)?;
        let sizes = [
            ("SX", sx),
            ("SY", sy),
            ("ROW", row),
            ("DX", psf.degrees[0]),
            ("DY", psf.degrees[1]),
            ("TERMS", psf.hermite.terms),
        ];
        let Inputs { fibres, bins, shapes, legendre, hermite, .. } = inputs;
        kernels.get(device, SPOTS, T::OKL_NAME, &sizes)?.launch_on(
            primitives.stream(),
            args![*fibres, *bins, shapes, legendre, hermite, &mut spots, &mut *empty],
        )?;
        Ok(spots)
    }

    /// Queues the normal equations of some patches: the band, the right-hand sides in `x`.
    pub(crate) fn equations(
        &mut self,
        psf: &Psf,
        inputs: &Inputs<T>,
        spots: &Memory<T>,
        group: Group,
        table: &Memory<i32>,
        regularize: f64,
    ) -> Result<(Memory<T>, Memory<T>)> {
        let _range = self.stream().range("projection_matrix");
        let (row, [sx, sy]) = (self.row(psf), psf.size());
        let Self { device, kernels, buffers, primitives } = self;
        let Group { shape, n, half_width, .. } = group;
        let count = table.len() / FIELDS;
        let mut band = buffers.band.take(device, count * n * (half_width + 1))?;
        let mut x = buffers.x.take(device, count * n)?;
        let mut fluxweight = buffers.fluxweight.take(device, count * n)?;
        let mut masked = buffers.masked.take(device, count * n)?;
        let sizes = [
            ("SX", sx),
            ("SY", sy),
            ("ROW", row),
            ("NS", shape.fibres),
            ("N", n),
            ("WIDTH", half_width),
            ("FIELDS", FIELDS),
        ];
        let Inputs { bins, columns, corners, pixels, weights, .. } = inputs;
        kernels.get(device, GATHER, T::OKL_NAME, &sizes)?.launch_on(
            primitives.stream(),
            args![
                count,
                *bins,
                *columns,
                table,
                corners,
                spots,
                pixels,
                weights,
                &mut band,
                &mut x,
                &mut fluxweight,
                &mut masked
            ],
        )?;
        kernels
            .get(device, DAMP, T::OKL_NAME, &sizes)?
            .launch_on(primitives.stream(), args![count, T::from_f64(regularize), &fluxweight, &mut band])?;
        Ok((band, x))
    }

    /// Queues the extraction of the patches of `table`, which have one shape. `info` gets what tells which of them have no
    /// solution.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn patches(
        &mut self,
        psf: &Psf,
        inputs: &Inputs<T>,
        spots: &Memory<T>,
        group: Group,
        table: &Memory<i32>,
        settings: &Settings,
        regularize: f64,
        outputs: &mut Outputs<T>,
        info: &Memory<i32>,
    ) -> Result<()> {
        let _range = self.stream().range("ex2d_patch");
        let Group { shape, n, half_width, .. } = group;
        let (wave, cores, count) = (settings.wave, shape.cores, table.len() / FIELDS);
        let (mut band, mut x) = self.equations(psf, inputs, spots, group, table, regularize)?;
        {
            let _range = self.stream().range("deconvolve");
            self.primitives.band_cholesky(&mut band, n, half_width, &mut info.slice(..count)?)?;
            self.primitives.cholesky_solve(Factor::band(&band, n, half_width), 1, &mut x)?;
        }
        let each = cores * n * wave;
        // What a processor's caches hold, or what a GPU's memory has room for.
        let bytes = if self.is_processor() { self.device.info().cores.max(1) as usize * (4 << 20) } else { 1 << 30 };
        let chunk = (bytes / (each * size_of::<T>())).clamp(1, count.max(1));
        let size = wave * wave;
        for begin in (0..count).step_by(chunk) {
            let _range = self.stream().range("decorrelate");
            let end = (begin + chunk).min(count);
            let Self { device, buffers, primitives, kernels } = self;
            let matrices = (end - begin) * cores;
            let mut columns = buffers.columns.take(device, (end - begin) * each)?;
            let mut covariance = buffers.covariance.take(device, matrices * size)?;
            let mut inverse = buffers.inverse.take(device, matrices * size)?;
            let mut polar = buffers.polar.take(device, matrices * size)?;
            let units = Units { first: shape.first_core, count: cores, step: shape.fibres, columns: wave };
            let width = half_width + 1;
            let factor = band.slice(begin * n * width..end * n * width)?;
            primitives.solve_units(Factor::band(&factor, n, half_width), units, &mut columns)?;
            let columns = Matrices::new(&columns, [n, wave]).with_skyline(shape.fibres);
            primitives.syrk(columns.t(), Update::Set, &mut covariance)?;
            let own = |which: usize| {
                let first = count + which * count * cores;
                info.slice(first + begin * cores..first + end * cores)
            };
            primitives.cholesky(&mut covariance, wave, &mut own(0)?)?;
            primitives.invert_lower(Factor::dense(&covariance, wave), &mut inverse)?;
            primitives.polar(Matrices::new(&inverse, [wave, wave]).t(), &mut polar, &mut own(1)?)?;
            let sizes = [
                ("NS", shape.fibres),
                ("N", n),
                ("FIELDS", FIELDS),
                ("NW", wave),
                ("PAD", settings.pad),
                ("STEP", settings.step),
                ("CORES", cores),
                ("D", psf.half_sizes[1]),
            ];
            kernels.get(device, FINISH, T::OKL_NAME, &sizes)?.launch_on(
                primitives.stream(),
                args![
                    end - begin,
                    shape.first_core,
                    settings.outputs,
                    &table.slice(begin * FIELDS..end * FIELDS)?,
                    &inverse,
                    &polar,
                    &x.slice(begin * n..end * n)?,
                    &mut outputs.flux,
                    &mut outputs.ivar,
                    &mut outputs.rdiags
                ],
            )?;
        }
        self.moments(psf, inputs, spots, group, settings, table, &x, outputs)
    }

    /// Queues χ² and the share of masked light.
    #[allow(clippy::too_many_arguments)]
    fn moments(
        &mut self,
        psf: &Psf,
        inputs: &Inputs<T>,
        spots: &Memory<T>,
        group: Group,
        settings: &Settings,
        table: &Memory<i32>,
        x: &Memory<T>,
        outputs: &mut Outputs<T>,
    ) -> Result<()> {
        let _range = self.stream().range("finalize");
        let Group { shape, n, window: [height, width], .. } = group;
        let sizes = self.sizes(psf, settings, Some((shape, n)));
        let Self { device, kernels, buffers, primitives } = self;
        let count = table.len() / FIELDS;
        let mut moments = buffers.moments.take(device, 2 * count * height * width)?;
        let masked = buffers.masked.take(device, count * n)?;
        let Inputs { bins, columns, corners, reach, pixels, weights, .. } = inputs;
        kernels.get(device, MEAN, T::OKL_NAME, &sizes)?.launch_on(
            primitives.stream(),
            args![
                count,
                height,
                width,
                *bins,
                *columns,
                T::from_f64(settings.psf_error),
                table,
                reach,
                corners,
                spots,
                x,
                pixels,
                weights,
                &mut moments
            ],
        )?;
        kernels.get(device, CHI, T::OKL_NAME, &sizes)?.launch_on(
            primitives.stream(),
            args![
                count,
                height,
                width,
                *bins,
                shape.first_core,
                settings.outputs,
                table,
                corners,
                spots,
                &moments,
                &masked,
                &mut outputs.chi2pix,
                &mut outputs.fraction
            ],
        )
    }

    fn sizes(&self, psf: &Psf, settings: &Settings, group: Option<(Shape, usize)>) -> [(&'static str, usize); 10] {
        let [sx, sy] = psf.size();
        let (shape, n) = group.unwrap_or((Shape { fibres: 1, cores: 1, first_core: 0 }, 1));
        [
            ("SX", sx),
            ("SY", sy),
            ("ROW", self.row(psf)),
            ("NS", shape.fibres),
            ("N", n),
            ("FIELDS", FIELDS),
            ("NW", settings.wave),
            ("PAD", settings.pad),
            ("STEP", settings.step),
            ("CORES", shape.cores),
        ]
    }

    /// Queues the light of all spectra on the strip.
    pub(crate) fn model(
        &mut self,
        psf: &Psf,
        inputs: &Inputs<T>,
        spots: &Memory<T>,
        settings: &Settings,
        outputs: &mut Outputs<T>,
    ) -> Result<()> {
        let _range = self.stream().range("finalize");
        let sizes = self.sizes(psf, settings, None);
        let Self { device, kernels, primitives, .. } = self;
        let Inputs { bins, columns, rows, fibres, corners, reach, .. } = inputs;
        let Outputs { flux, model, .. } = outputs;
        kernels.get(device, MODEL, T::OKL_NAME, &sizes)?.launch_on(
            primitives.stream(),
            args![*rows, *columns, *fibres, *bins, settings.outputs, reach, corners, spots, &*flux, &mut *model],
        )
    }
}

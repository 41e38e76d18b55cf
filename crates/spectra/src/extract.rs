//! Extraction from arrays to arrays: what is asked for is checked, planned, and dealt over devices.

use crate::engine::Settings;
use crate::frame::{Frame, Part};
use crate::image::Image;
use crate::pipeline::{Model, Pipeline, Request};
use crate::plan::{Grid, Options, Plan};
use crate::psf::Psf;
use crate::stages::{Decorrelate, Spots, Stages};
use crate::timeline::Timeline;
use ferrocca_core::{Device, Error, Real, Result};
use std::fmt;

/// The numbers that a device computes with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// `f64`.
    #[default]
    F64,
    /// `f32`; where traces lie is `f64` all the same.
    F32,
}

/// Extracts spectra on one device, or on several. It keeps kernels and memory from frame to frame: once it has extracted a
/// bundle, others of its size allocate nothing on the device.
pub struct Extractor {
    pipelines: Pipelines,
    is_timed: bool,
    timeline: Timeline,
}

enum Pipelines {
    F64(Vec<Pipeline<f64>>),
    F32(Vec<Pipeline<f32>>),
}

impl fmt::Debug for Extractor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pipelines {
            Pipelines::F64(devices) => write!(f, "Extractor(f64, devices: {})", devices.len()),
            Pipelines::F32(devices) => write!(f, "Extractor(f32, devices: {})", devices.len()),
        }
    }
}

impl Extractor {
    /// An extractor whose kernels run on the calling thread's current stream of `device`; it makes streams of its own for
    /// copies.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Unsupported`] for `f64` on a device without it.
    pub fn new(device: &Device, precision: Precision) -> Result<Self> {
        Self::on(std::slice::from_ref(device), precision)
    }

    /// An extractor that deals bundles over devices: of `d` devices, number `i` takes bundles `i`, `i + d`, …, on a thread of its
    /// own. A device may be named twice. Results are the same bits as those of one device where the devices compute the same
    /// bits.
    /// # Errors
    /// As [`new`](Self::new); [`ferrocca_core::ErrorKind::Invalid`] for no device.
    pub fn on(devices: &[Device], precision: Precision) -> Result<Self> {
        if devices.is_empty() {
            return Err(Error::invalid("an extractor needs a device"));
        }
        let pipelines = match precision {
            Precision::F32 => Pipelines::F32(devices.iter().map(Pipeline::new).collect::<Result<_>>()?),
            Precision::F64 => {
                if let Some(device) = devices.iter().find(|device| !device.capabilities().f64) {
                    return Err(Error::unsupported(
                        format!("extraction in f64 in mode `{}`", device.mode()),
                        "the device has no f64; ask for the precision f32",
                    ));
                }
                Pipelines::F64(devices.iter().map(Pipeline::new).collect::<Result<_>>()?)
            }
        };
        Ok(Self { pipelines, is_timed: false, timeline: Timeline::default() })
    }

    /// Turns the time line of frames on or off.
    pub fn set_timing(&mut self, on: bool) {
        self.is_timed = on;
    }

    /// The time line of the last frame; empty where timing was off.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Extracts the spectra of `fibres` fibres from `first` on: whole bundles.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for a PSF, an image, a grid or options that do not fit, by name; as
    /// [`ferrocca_core::Kernel::launch`].
    pub fn extract(
        &mut self,
        psf: &Psf,
        image: &Image<'_>,
        grid: Grid,
        first: usize,
        fibres: usize,
        options: &Options,
    ) -> Result<Frame> {
        options.check(psf, &grid, first, fibres)?;
        let firsts: Vec<usize> = (first..first + fibres).step_by(options.bundle_size).collect();
        self.extract_bundles(psf, image, grid, &firsts, options)
    }

    /// Extracts the bundles that begin with the fibres `firsts`, in this order.
    /// # Errors
    /// As [`extract`](Self::extract).
    pub fn extract_bundles(
        &mut self,
        psf: &Psf,
        image: &Image<'_>,
        grid: Grid,
        firsts: &[usize],
        options: &Options,
    ) -> Result<Frame> {
        psf.check()?;
        options.check(psf, &grid, 0, 0)?;
        for first in firsts {
            options.check(psf, &grid, *first, options.bundle_size)?;
        }
        image.check()?;
        let nwave = grid.len();
        // What of an image counts depends on nothing else.
        let (warnings, plan) = rayon::join(|| image.warnings(), || Plan::new(psf, &grid, options, firsts));
        let plan = plan?;
        let settings = Settings {
            pad: options.pad(),
            step: options.wave_step,
            wave: options.wave_step + 2 * options.pad(),
            wavelengths: nwave,
            outputs: nwave.next_multiple_of(options.wave_step),
            regularize: options.regularize,
            psf_error: options.psf_error.unwrap_or(psf.error),
            model: options.model,
        };
        let wave = (0..nwave as i64).map(|bin| grid.at(bin)).collect();
        let pixels = if options.model { image.pixels.len() } else { 0 };
        let fibres = firsts.len() * options.bundle_size;
        let mut frame = Frame::new(wave, fibres, 2 * psf.half_sizes[1] + 1, pixels);
        frame.warnings = warnings;
        let request = Request { psf, image: *image, plan: &plan, settings, step: grid.step };
        let (parts, model) = frame.parts(options.bundle_size);
        self.timeline = Timeline::default();
        let timeline = self.is_timed.then_some(&mut self.timeline);
        match &mut self.pipelines {
            Pipelines::F64(devices) => deal(devices, &request, parts, model, timeline),
            Pipelines::F32(devices) => deal(devices, &request, parts, model, timeline),
        }?;
        Ok(frame)
    }

    /// All stages of one patch without margins: `fibres` fibres from `first` on, all bins of `grid`, all pixels of their spots.
    /// Of several devices the first one does it.
    /// # Errors
    /// As [`extract`](Self::extract).
    pub fn stages(
        &mut self,
        psf: &Psf,
        image: &Image<'_>,
        grid: Grid,
        [first, fibres]: [usize; 2],
        regularize: f64,
        decorrelate: Decorrelate,
    ) -> Result<Stages> {
        image.check()?;
        let plan = patch(psf, &grid, [first, fibres])?;
        let request = Request::of_patch(psf, *image, &plan, &grid, regularize);
        match &mut self.pipelines {
            Pipelines::F64(devices) => devices[0].stages(&request, decorrelate),
            Pipelines::F32(devices) => devices[0].stages(&request, decorrelate),
        }
    }

    /// The spots of `fibres` fibres from `first` on at the wavelengths of `grid`. Of several devices the first one makes them.
    /// # Errors
    /// As [`extract`](Self::extract).
    pub fn spots(&mut self, psf: &Psf, grid: Grid, [first, fibres]: [usize; 2]) -> Result<Spots> {
        let plan = patch(psf, &grid, [first, fibres])?;
        let nothing = Image { pixels: &[], ivar: &[], columns: 1, origin: [0, 0] };
        let request = Request::of_patch(psf, nothing, &plan, &grid, 0.0);
        match &mut self.pipelines {
            Pipelines::F64(devices) => devices[0].spots(&request),
            Pipelines::F32(devices) => devices[0].spots(&request),
        }
    }
}

/// A plan of one patch.
fn patch(psf: &Psf, grid: &Grid, [first, fibres]: [usize; 2]) -> Result<Plan> {
    psf.check()?;
    grid.check(psf)?;
    if first + fibres > psf.fibres() || fibres == 0 {
        return Err(Error::invalid(format!("fibres {first} to {} of a PSF of {}", first + fibres, psf.fibres())));
    }
    Plan::patch(psf, grid, first, fibres)
}

impl<'a> Request<'a> {
    fn of_patch(psf: &'a Psf, image: Image<'a>, plan: &'a Plan, grid: &Grid, regularize: f64) -> Self {
        let settings = Settings {
            pad: 0,
            step: grid.len(),
            wave: grid.len(),
            wavelengths: grid.len(),
            outputs: grid.len(),
            regularize,
            psf_error: psf.error,
            model: false,
        };
        Self { psf, image, plan, settings, step: grid.step }
    }
}

/// Deals bundles over devices.
fn deal<T: Real>(
    devices: &mut [Pipeline<T>],
    request: &Request<'_>,
    parts: Vec<Part<'_>>,
    model: &mut [f64],
    timeline: Option<&mut Timeline>,
) -> Result<()> {
    let count = devices.len();
    let model = Model::new(model);
    let mut hands: Vec<Vec<(usize, Part<'_>)>> = (0..count).map(|_| Vec::new()).collect();
    for (number, part) in parts.into_iter().enumerate() {
        hands[number % count].push((number, part));
    }
    if let [device] = devices {
        return device.run(request, hands.pop().unwrap_or_default(), &model, 0, timeline);
    }
    let mut timelines: Vec<Option<Timeline>> = vec![timeline.as_ref().map(|_| Timeline::default()); count];
    let results: Vec<Result<()>> = std::thread::scope(|scope| {
        let work = devices.iter_mut().zip(hands).zip(&mut timelines).enumerate();
        let threads: Vec<_> = work
            .map(|(number, ((device, hand), timeline))| {
                let model = &model;
                scope.spawn(move || device.run(request, hand, model, number, timeline.as_mut()))
            })
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    if let Some(timeline) = timeline {
        timeline.spans = timelines.into_iter().flatten().flat_map(|own| own.spans).collect();
    }
    results.into_iter().collect()
}

//! What belongs to one bundle on its way through a device: inputs, results, and pinned memory of the host for both.
//!
//! A device has two slots that bundles take in turn, so that the host fills and empties one while the device works on the
//! other. Invariant: a slot's memory is written again only after the tag of its last reader.

use crate::engine::{Group, Settings};
use crate::frame::Results;
use crate::image::Image;
use crate::kernels::Store;
use crate::plan::{Bundle, FIELDS, Patch, Plan};
use crate::psf::Psf;
use ferrocca_core::{Device, Memory, Real, Result, Staging, Stream, Tag};
use rayon::prelude::*;
use std::ops::Range;

/// Where arrays lie in staging memory, one after another.
struct Places {
    end: usize,
}

impl Places {
    fn next(&mut self, len: usize) -> Range<usize> {
        self.end += len;
        self.end - len..self.end
    }
}

/// Inputs of real numbers.
struct Reals {
    shapes: Range<usize>,
    legendre: Range<usize>,
    hermite: Range<usize>,
    pixels: Range<usize>,
    weights: Range<usize>,
    end: usize,
}

/// Inputs that are indices.
struct Indices {
    corners: Range<usize>,
    reach: Range<usize>,
    table: Range<usize>,
    end: usize,
}

/// Results.
#[derive(Clone)]
struct Outcome {
    flux: Range<usize>,
    ivar: Range<usize>,
    rdiags: Range<usize>,
    fraction: Range<usize>,
    chi2pix: Range<usize>,
    model: Range<usize>,
    end: usize,
}

impl Reals {
    fn of(bundle: &Bundle, psf: &Psf) -> Self {
        let mut places = Places { end: 0 };
        let pixels = bundle.size[0] * bundle.size[1];
        let [shapes, legendre, hermite, pixels, weights] = [
            4 * bundle.places.len(),
            psf.hermite.terms * bundle.bins,
            bundle.fibres() * psf.functions() * psf.hermite.terms,
            pixels,
            pixels,
        ]
        .map(|len| places.next(len));
        Self { shapes, legendre, hermite, pixels, weights, end: places.end }
    }
}

impl Indices {
    fn of(bundle: &Bundle) -> Self {
        let mut places = Places { end: 0 };
        let patches: usize = bundle.groups.iter().map(|(_, patches)| patches.len()).sum();
        let [corners, reach, table] =
            [2 * bundle.places.len(), bundle.reach.len(), FIELDS * patches].map(|len| places.next(len));
        Self { corners, reach, table, end: places.end }
    }
}

impl Outcome {
    fn of(bundle: &Bundle, psf: &Psf, settings: &Settings) -> Self {
        let mut places = Places { end: 0 };
        let len = bundle.fibres() * settings.outputs;
        let model = if settings.model { bundle.size[0] * bundle.size[1] } else { 0 };
        let [flux, ivar, rdiags, fraction, chi2pix, model] =
            [len, len, len * (2 * psf.half_sizes[1] + 1), len, len, model].map(|len| places.next(len));
        Self { flux, ivar, rdiags, fraction, chi2pix, model, end: places.end }
    }
}

/// Staging memory that grows.
struct Ring<T: Real>(Option<Staging<T>>, Option<Staging<i32>>);

impl<T: Real> Ring<T> {
    /// Room for so many reals and indices.
    fn reserve(&mut self, device: &Device, reals: usize, indices: usize) -> Result<()> {
        if self.0.as_ref().is_none_or(|staging| staging.len() < reals) {
            self.0 = Some(Staging::new(device, reals)?);
        }
        if self.1.as_ref().is_none_or(|staging| staging.len() < indices) {
            self.1 = Some(Staging::new(device, indices)?);
        }
        Ok(())
    }

    fn both(&mut self) -> (&mut Staging<T>, &mut Staging<i32>) {
        (self.0.as_mut().expect("reserved"), self.1.as_mut().expect("reserved"))
    }
}

/// Memory on the device that kernels read.
#[derive(Default)]
struct Given<T: Real> {
    shapes: Store<T>,
    legendre: Store<T>,
    hermite: Store<T>,
    corners: Store<i32>,
    reach: Store<i32>,
    table: Store<i32>,
    pixels: Store<T>,
    weights: Store<T>,
}

/// Memory on the device that kernels write.
#[derive(Default)]
struct Made<T: Real> {
    flux: Store<T>,
    ivar: Store<T>,
    rdiags: Store<T>,
    fraction: Store<T>,
    chi2pix: Store<T>,
    model: Store<T>,
    info: Store<i32>,
}

/// See the module.
pub(crate) struct Slot<T: Real> {
    up: Ring<T>,
    down: Ring<T>,
    given: Given<T>,
    made: Made<T>,
    /// When kernels have read the inputs, and when results have been copied.
    computed: Option<Tag>,
    downloaded: Option<Tag>,
}

/// What a bundle's kernels read.
pub(crate) struct Inputs<T: Real> {
    pub(crate) bins: usize,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) fibres: usize,
    pub(crate) shapes: Memory<T>,
    pub(crate) legendre: Memory<T>,
    pub(crate) hermite: Memory<T>,
    pub(crate) corners: Memory<i32>,
    pub(crate) reach: Memory<i32>,
    /// Rows of all patches, group by group.
    pub(crate) table: Memory<i32>,
    pub(crate) pixels: Memory<T>,
    pub(crate) weights: Memory<T>,
}

/// Where a bundle's results are.
pub(crate) struct Outputs<T: Real> {
    pub(crate) flux: Memory<T>,
    pub(crate) ivar: Memory<T>,
    pub(crate) rdiags: Memory<T>,
    pub(crate) fraction: Memory<T>,
    pub(crate) chi2pix: Memory<T>,
    pub(crate) model: Memory<T>,
    /// Of each group a number for each patch, and two for each of its core fibres.
    pub(crate) info: Memory<i32>,
}

impl<T: Real> Default for Slot<T> {
    fn default() -> Self {
        Self {
            up: Ring(None, None),
            down: Ring(None, None),
            given: Given::default(),
            made: Made::default(),
            computed: None,
            downloaded: None,
        }
    }
}

/// Rows of a table of patches.
pub(crate) fn rows<'a>(
    bundle: &'a Bundle,
    patches: impl Iterator<Item = &'a Patch> + 'a,
) -> impl Iterator<Item = i32> + 'a {
    let [y, x] = bundle.origin;
    patches.flat_map(move |patch| {
        let [top, bottom, left, right] = patch.window;
        [patch.fibre as i64, patch.bin as i64, top - y, bottom - y, left - x, right - left].map(|n| n as i32)
    })
}

impl<T: Real> Slot<T> {
    /// Allocates what the largest bundle of a frame needs.
    pub(crate) fn reserve(&mut self, device: &Device, plan: &Plan, psf: &Psf, settings: &Settings) -> Result<()> {
        let max = |of: &dyn Fn(&Bundle) -> usize| plan.bundles.iter().map(of).max().unwrap_or(0);
        self.up.reserve(device, max(&|b| Reals::of(b, psf).end), max(&|b| Indices::of(b).end))?;
        self.down.reserve(device, max(&|b| Outcome::of(b, psf, settings).end), max(&|b| b.numbers()))?;
        for (store, len) in [
            (&mut self.given.pixels, max(&|b| Reals::of(b, psf).pixels.len())),
            (&mut self.given.weights, max(&|b| Reals::of(b, psf).weights.len())),
            (&mut self.made.model, max(&|b| Outcome::of(b, psf, settings).model.len())),
        ] {
            store.take(device, len)?;
        }
        self.given.reach.take(device, max(&|b| b.reach.len()))?;
        Ok(())
    }

    /// Fills the staging memory with a bundle, once the device has read what was there.
    pub(crate) fn fill(
        &mut self,
        psf: &Psf,
        first: usize,
        legendre: &[f64],
        bundle: &Bundle,
        image: &Image<'_>,
    ) -> Result<()> {
        let (reals, indices) = self.up.both();
        let (reals, indices) = (reals.host()?, indices.host()?);
        let (own, bins) = (Reals::of(bundle, psf), bundle.bins);
        let (shapes, rest) = reals[..own.end].split_at_mut(own.shapes.end);
        let of_fibres = shapes.par_chunks_mut(4 * bins).zip(bundle.places.par_chunks(bins));
        of_fibres.for_each(|(to, places)| {
            for (to, place) in to.chunks_mut(4).zip(places) {
                to.iter_mut().zip(place.shape).for_each(|(to, value)| *to = T::from_f64(value));
            }
        });
        let (to, rest) = rest.split_at_mut(own.legendre.len());
        to.iter_mut().zip(legendre).for_each(|(to, value)| *to = T::from_f64(*value));
        let (to, rest) = rest.split_at_mut(own.hermite.len());
        let each = psf.functions() * psf.hermite.terms;
        to.iter_mut().zip(&psf.hermite.coefficients[first * each..]).for_each(|(to, value)| *to = T::from_f64(*value));
        let (pixels, weights) = rest.split_at_mut(own.pixels.len());
        image.part(bundle.origin, bundle.size[1], pixels, weights);
        let own = Indices::of(bundle);
        for (to, place) in indices[own.corners].chunks_mut(2).zip(&bundle.places) {
            to.iter_mut().zip([0, 1]).for_each(|(to, axis)| *to = (place.corner[axis] - bundle.origin[axis]) as i32);
        }
        indices[own.reach].copy_from_slice(&bundle.reach);
        let patches = bundle.groups.iter().flat_map(|(_, patches)| patches);
        indices[own.table].iter_mut().zip(rows(bundle, patches)).for_each(|(to, number)| *to = number);
        Ok(())
    }

    /// Queues the copies of what was filled.
    pub(crate) fn upload(&mut self, device: &Device, stream: &Stream, psf: &Psf, bundle: &Bundle) -> Result<Inputs<T>> {
        if let Some(tag) = self.computed.take() {
            stream.wait(&tag)?;
        }
        let (reals, indices) = self.up.both();
        let (at, at_indices, given) = (Reals::of(bundle, psf), Indices::of(bundle), &mut self.given);
        let mut put = |store: &mut Store<T>, range: Range<usize>| -> Result<Memory<T>> {
            let mut memory = store.take(device, range.len())?;
            reals.upload(stream, range, &mut memory)?;
            Ok(memory)
        };
        let mut put_indices = |store: &mut Store<i32>, range: Range<usize>| -> Result<Memory<i32>> {
            let mut memory = store.take(device, range.len())?;
            indices.upload(stream, range, &mut memory)?;
            Ok(memory)
        };
        Ok(Inputs {
            bins: bundle.bins,
            rows: bundle.size[0],
            columns: bundle.size[1],
            fibres: bundle.fibres(),
            shapes: put(&mut given.shapes, at.shapes)?,
            legendre: put(&mut given.legendre, at.legendre)?,
            hermite: put(&mut given.hermite, at.hermite)?,
            corners: put_indices(&mut given.corners, at_indices.corners)?,
            reach: put_indices(&mut given.reach, at_indices.reach)?,
            table: put_indices(&mut given.table, at_indices.table)?,
            pixels: put(&mut given.pixels, at.pixels)?,
            weights: put(&mut given.weights, at.weights)?,
        })
    }

    /// Memory for results, which kernels on `stream` may write.
    pub(crate) fn outputs(
        &mut self,
        device: &Device,
        stream: &Stream,
        psf: &Psf,
        bundle: &Bundle,
        settings: &Settings,
    ) -> Result<Outputs<T>> {
        if let Some(tag) = self.downloaded.take() {
            stream.wait(&tag)?;
        }
        let (at, made) = (Outcome::of(bundle, psf, settings), &mut self.made);
        Ok(Outputs {
            flux: made.flux.take(device, at.flux.len())?,
            ivar: made.ivar.take(device, at.ivar.len())?,
            rdiags: made.rdiags.take(device, at.rdiags.len())?,
            fraction: made.fraction.take(device, at.fraction.len())?,
            chi2pix: made.chi2pix.take(device, at.chi2pix.len())?,
            model: made.model.take(device, at.model.len())?,
            info: made.info.take(device, bundle.numbers())?,
        })
    }

    /// The kernels of the bundle were queued up to `tag`.
    pub(crate) fn was_computed(&mut self, tag: Tag) {
        self.computed = Some(tag);
    }

    /// Kernels and copies of the bundle were queued again, up to `tag`.
    pub(crate) fn was_repaired(&mut self, tag: Tag) {
        (self.computed, self.downloaded) = (Some(tag.clone()), Some(tag));
    }

    /// Queues the copies of the results.
    pub(crate) fn download(
        &mut self,
        stream: &Stream,
        psf: &Psf,
        bundle: &Bundle,
        settings: &Settings,
        outputs: &Outputs<T>,
    ) -> Result<Tag> {
        let (reals, indices) = self.down.both();
        let at = Outcome::of(bundle, psf, settings);
        for (memory, range) in [
            (&outputs.flux, at.flux),
            (&outputs.ivar, at.ivar),
            (&outputs.rdiags, at.rdiags),
            (&outputs.fraction, at.fraction),
            (&outputs.chi2pix, at.chi2pix),
            (&outputs.model, at.model),
        ] {
            reals.download(stream, memory, range)?;
        }
        indices.download(stream, &outputs.info, 0..outputs.info.len())?;
        let tag = stream.tag()?;
        self.downloaded = Some(tag.clone());
        Ok(tag)
    }

    /// The numbers that tell which patches have no solution, once they have been copied.
    pub(crate) fn info(&mut self) -> Result<&[i32]> {
        Ok(self.down.both().1.host()?)
    }

    /// Gives flux and its inverse variance of a bundle's failed patches the value 0, here and in the device's memory of flux.
    pub(crate) fn clear(
        &mut self,
        stream: &Stream,
        psf: &Psf,
        bundle: &Bundle,
        settings: &Settings,
        failed: &[[usize; 3]],
        flux: &mut Memory<T>,
    ) -> Result<()> {
        let at = Outcome::of(bundle, psf, settings);
        let reals = self.down.both().0;
        let host = reals.host()?;
        for [fibre, fibres, bin] in failed {
            for row in *fibre..fibre + fibres {
                let here = row * settings.outputs + bin..row * settings.outputs + bin + settings.step;
                host[at.flux.clone()][here.clone()].fill(T::zeroed());
                host[at.ivar.clone()][here].fill(T::zeroed());
            }
        }
        reals.upload(stream, at.flux, flux)
    }

    /// Copies the model again.
    pub(crate) fn download_model(
        &mut self,
        stream: &Stream,
        psf: &Psf,
        bundle: &Bundle,
        settings: &Settings,
        model: &Memory<T>,
    ) -> Result<()> {
        let at = Outcome::of(bundle, psf, settings);
        self.down.both().0.download(stream, model, at.model)
    }

    /// The results, once they have been copied, and the model.
    pub(crate) fn results<'a>(
        &'a mut self,
        psf: &Psf,
        bundle: &Bundle,
        settings: &Settings,
        failed: &'a [[usize; 3]],
    ) -> Result<(Results<'a, T>, &'a [T])> {
        let at = Outcome::of(bundle, psf, settings);
        let host: &[T] = self.down.both().0.host()?;
        let results = Results {
            flux: &host[at.flux],
            ivar: &host[at.ivar],
            rdiags: &host[at.rdiags],
            fraction: &host[at.fraction],
            chi2pix: &host[at.chi2pix],
            failed,
        };
        Ok((results, &host[at.model]))
    }
}

/// Where each group's numbers begin in `info`, and its patches in the table.
pub(crate) fn begins(bundle: &Bundle, number: usize) -> [usize; 2] {
    let before = &bundle.groups[..number];
    [
        before.iter().map(|(shape, patches)| Group::numbers(shape, patches.len())).sum(),
        before.iter().map(|(_, patches)| patches.len()).sum(),
    ]
}

//! Bundles one after another on a device: while kernels work on one, the results of the one before are taken, and the one
//! behind is made ready.
//!
//! Three streams: uploads, kernels, downloads, tied by tags. The host waits for a bundle only when it takes its results, and
//! by then the next one is queued. On devices with one queue (WebGPU) the same work is done in turn.

use crate::engine::{Engine, Group, Settings};
use crate::frame::Part;
use crate::image::Image;
use crate::kernels::Store;
use crate::plan::{Bundle, FIELDS, Patch, Plan};
use crate::psf::Psf;
use crate::slot::{Inputs, Outputs, Slot, begins, rows};
use crate::timeline::{Marks, Stage, Timeline};
use ferrocca_core::{Device, Memory, Real, Result, Stream, Tag};
use std::sync::{Condvar, Mutex, PoisonError};

/// What is done again where a factor failed.
const SECOND_REGULARIZE: f64 = 1e-4;

/// What all devices share of a frame.
pub(crate) struct Request<'a> {
    pub(crate) psf: &'a Psf,
    pub(crate) image: Image<'a>,
    pub(crate) plan: &'a Plan,
    pub(crate) settings: Settings,
    /// From wavelength to wavelength, in Å.
    pub(crate) step: f64,
}

/// The model of a frame. Bundles add theirs in the order of their numbers, so that sums are the same on any devices.
pub(crate) struct Model<'a> {
    state: Mutex<(usize, &'a mut [f64])>,
    changed: Condvar,
}

impl<'a> Model<'a> {
    pub(crate) fn new(values: &'a mut [f64]) -> Self {
        Self { state: Mutex::new((0, values)), changed: Condvar::new() }
    }

    /// Calls `add` when it is the turn of bundle `number`, or not at all where an earlier one failed.
    fn in_turn(&self, number: usize, add: impl FnOnce(&mut [f64])) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_early = |state: &mut (usize, &'a mut [f64])| state.0 < number;
        let mut state = self.changed.wait_while(state, is_early).unwrap_or_else(PoisonError::into_inner);
        if state.0 == number {
            add(state.1);
            state.0 += 1;
            self.changed.notify_all();
        }
    }

    /// Lets everybody go: a bundle failed.
    fn give_up(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).0 = usize::MAX;
        self.changed.notify_all();
    }
}

/// A device, its streams and its slots.
pub(crate) struct Pipeline<T: Real> {
    pub(crate) engine: Engine<T>,
    uploads: Stream,
    downloads: Stream,
    slots: [Slot<T>; 2],
    /// Rows of patches that are done again, and what tells whether these have a solution.
    again: Store<i32>,
}

/// A bundle whose work is queued.
struct Queued<T: Real> {
    number: usize,
    inputs: Inputs<T>,
    outputs: Outputs<T>,
}

impl<T: Real> Pipeline<T> {
    pub(crate) fn new(device: &Device) -> Result<Self> {
        Ok(Self {
            engine: Engine::new(device),
            uploads: device.create_stream()?,
            downloads: device.create_stream()?,
            slots: Default::default(),
            again: Store::default(),
        })
    }

    /// Extracts some bundles of a frame into its parts. `timeline` is filled where there is one.
    pub(crate) fn run(
        &mut self,
        request: &Request<'_>,
        bundles: Vec<(usize, Part<'_>)>,
        model: &Model<'_>,
        number: usize,
        timeline: Option<&mut Timeline>,
    ) -> Result<()> {
        // Whatever ends this early, nobody waits for its bundles.
        struct Guard<'a, 'b>(&'a Model<'b>, bool);
        impl Drop for Guard<'_, '_> {
            fn drop(&mut self) {
                if !self.1 {
                    self.0.give_up();
                }
            }
        }
        let mut guard = Guard(model, false);
        for slot in &mut self.slots {
            slot.reserve(&self.engine.device, request.plan, request.psf, &request.settings)?;
        }
        let mut marks = match &timeline {
            Some(_) => Some(Marks::new(number, self.engine.stream().tag()?)),
            None => None,
        };
        let mut before: Option<(usize, Queued<T>, Part<'_>)> = None;
        for (turn, (bundle, part)) in bundles.into_iter().enumerate() {
            let slot = turn % 2;
            let queued = self.queue(request, bundle, slot, marks.as_mut())?;
            if let Some((slot, queued, part)) = before.replace((slot, queued, part)) {
                self.take(request, slot, queued, part, model)?;
            }
        }
        if let Some((slot, queued, part)) = before {
            self.take(request, slot, queued, part, model)?;
        }
        guard.1 = true;
        match (timeline, marks) {
            (Some(timeline), Some(marks)) => marks.read(timeline),
            _ => Ok(()),
        }
    }

    /// Queues all of a bundle.
    fn queue(
        &mut self,
        request: &Request<'_>,
        number: usize,
        slot: usize,
        marks: Option<&mut Marks>,
    ) -> Result<Queued<T>> {
        let Request { psf, plan, settings, .. } = request;
        let (bundle, first) = (&plan.bundles[number], plan.firsts[number]);
        let (inputs, uploading) = self.upload(request, number, slot)?;
        let Self { engine, downloads, slots, .. } = self;
        let stream = engine.stream().clone();
        stream.wait(&uploading[1])?;
        let mut outputs = slots[slot].outputs(&engine.device, &stream, psf, bundle, settings)?;
        let computing = stream.tag()?;
        let mut empty = outputs.info.slice(begins(bundle, bundle.groups.len())[0]..)?;
        let spots = engine.spots(psf, &inputs, &mut empty)?;
        for number in 0..bundle.groups.len() {
            let (group, table, info) = Self::group(plan, bundle, number, settings, &inputs.table, &outputs.info)?;
            engine.patches(psf, &inputs, &spots, group, &table, settings, settings.regularize, &mut outputs, &info)?;
        }
        if settings.model {
            engine.model(psf, &inputs, &spots, settings, &mut outputs)?;
        }
        let computed = stream.tag()?;
        slots[slot].was_computed(computed.clone());
        downloads.wait(&computed)?;
        let _range = downloads.range("copy");
        let downloading = downloads.tag()?;
        let downloaded = slots[slot].download(downloads, psf, bundle, settings, &outputs)?;
        if let Some(marks) = marks {
            marks.push(first, Stage::Upload, uploading);
            marks.push(first, Stage::Compute, [computing, computed]);
            marks.push(first, Stage::Download, [downloading, downloaded]);
        }
        Ok(Queued { number, inputs, outputs })
    }

    /// Makes a bundle ready and queues its upload; answers the tags around that.
    pub(crate) fn upload(
        &mut self,
        request: &Request<'_>,
        number: usize,
        slot: usize,
    ) -> Result<(Inputs<T>, [Tag; 2])> {
        let Request { psf, plan, image, .. } = request;
        let (bundle, first) = (&plan.bundles[number], plan.firsts[number]);
        let (uploads, slot) = (&self.uploads, &mut self.slots[slot]);
        slot.fill(psf, first, &plan.legendre, bundle, image)?;
        let _range = uploads.range("copy");
        let begin = uploads.tag()?;
        let inputs = slot.upload(&self.engine.device, uploads, psf, bundle)?;
        Ok((inputs, [begin, uploads.tag()?]))
    }

    /// Makes room in the first slot for a plan, for [`upload`](Self::upload).
    pub(crate) fn reserve(&mut self, request: &Request<'_>) -> Result<()> {
        self.slots[0].reserve(&self.engine.device, request.plan, request.psf, &request.settings)
    }

    /// A group of patches, its rows of the table, and its numbers.
    fn group(
        plan: &Plan,
        bundle: &Bundle,
        number: usize,
        settings: &Settings,
        table: &Memory<i32>,
        info: &Memory<i32>,
    ) -> Result<(Group, Memory<i32>, Memory<i32>)> {
        let (shape, patches) = &bundle.groups[number];
        let [begin, row] = begins(bundle, number);
        Ok((
            Group {
                shape: *shape,
                n: shape.fibres * settings.wave,
                half_width: plan.half_widths[number],
                window: plan.windows[number],
            },
            table.slice(row * FIELDS..(row + patches.len()) * FIELDS)?,
            info.slice(begin..begin + Group::numbers(shape, patches.len()))?,
        ))
    }

    /// Waits for a bundle and puts its results into the frame.
    fn take(
        &mut self,
        request: &Request<'_>,
        slot: usize,
        queued: Queued<T>,
        mut part: Part<'_>,
        model: &Model<'_>,
    ) -> Result<()> {
        let Request { psf, plan, settings, image, step } = request;
        let bundle = &plan.bundles[queued.number];
        let info = self.slots[slot].info()?;
        let empty = &info[begins(bundle, bundle.groups.len())[0]..bundle.numbers()];
        bundle.check_spots(empty, plan.firsts[queued.number], |bin| plan.wavelengths[bin])?;
        let bad: Vec<(usize, Vec<usize>)> = bundle
            .groups
            .iter()
            .enumerate()
            .map(|(number, (shape, patches))| {
                let begin = begins(bundle, number)[0];
                (number, Group::failed(shape, &info[begin..begin + Group::numbers(shape, patches.len())]))
            })
            .filter(|(_, bad)| !bad.is_empty())
            .collect();
        let number = queued.number;
        let failed = if bad.is_empty() { Vec::new() } else { self.repair(request, slot, queued, &bad)? };
        let (results, light) = self.slots[slot].results(psf, bundle, settings, &failed)?;
        part.fill(&results, settings, *step);
        if settings.model {
            model.in_turn(number, |to| image.add(bundle.origin, bundle.size[1], light, to));
        }
        Ok(())
    }

    /// Extracts patches without a solution again, regularised; answers those that have none even so. The results are copied
    /// anew.
    fn repair(
        &mut self,
        request: &Request<'_>,
        slot: usize,
        queued: Queued<T>,
        bad: &[(usize, Vec<usize>)],
    ) -> Result<Vec<[usize; 3]>> {
        let Request { psf, plan, settings, .. } = request;
        let bundle = &plan.bundles[queued.number];
        let Queued { inputs, mut outputs, .. } = queued;
        let Self { engine, slots, again, .. } = self;
        let (device, stream) = (engine.device.clone(), engine.stream().clone());
        let mut empty = outputs.info.slice(begins(bundle, bundle.groups.len())[0]..)?;
        let spots = engine.spots(psf, &inputs, &mut empty)?;
        let mut failed = Vec::new();
        for (number, bad) in bad {
            let (shape, patches) = &bundle.groups[*number];
            let chosen: Vec<Patch> = bad.iter().map(|at| patches[*at]).collect();
            let table: Vec<i32> = rows(bundle, chosen.iter()).collect();
            let memory = again.take(&device, table.len() + Group::numbers(shape, chosen.len()))?;
            let (mut own, info) = (memory.slice(..table.len())?, memory.slice(table.len()..)?);
            own.copy_from(&table)?;
            stream.wait(&device.tag_stream()?)?;
            let (group, _, _) = Self::group(plan, bundle, *number, settings, &inputs.table, &outputs.info)?;
            engine.patches(psf, &inputs, &spots, group, &own, settings, SECOND_REGULARIZE, &mut outputs, &info)?;
            stream.finish()?;
            let second = Group::failed(shape, &info.to_vec()?);
            failed.extend(second.iter().map(|at| [chosen[*at].fibre + shape.first_core, shape.cores, chosen[*at].bin]));
        }
        slots[slot].download(&stream, psf, bundle, settings, &outputs)?;
        slots[slot].clear(&stream, psf, bundle, settings, &failed, &mut outputs.flux)?;
        if settings.model {
            engine.model(psf, &inputs, &spots, settings, &mut outputs)?;
            slots[slot].download_model(&stream, psf, bundle, settings, &outputs.model)?;
        }
        let done = stream.tag()?;
        slots[slot].was_repaired(done);
        Ok(failed)
    }
}

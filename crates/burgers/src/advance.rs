//! Many steps at a time: replays of a recorded step, and what a hook that observes gets of them.
//!
//! A run's steps fall into segments between which the host has something to do. A segment of several steps is one
//! replay, which costs less per step than a launch; a segment of one is a launch. The bits are the same.

use crate::Solver;
use ferrocca_core::{AnyMemory, Graph, Result};
use ferrocca_insitu::{Batch, Field, Hook};
use std::num::NonZeroUsize;

/// Memory of the snapshots of a batch, unless one snapshot alone is larger.
const RING_BYTES: usize = 64 << 20;
/// Most steps of a batch: from here on the cost of handing it over is nothing beside that of its steps.
const MOST_STEPS: usize = 512;

impl Solver {
    /// `count` time steps, of which several are one replay of a recorded step: less host time than as many calls of
    /// [`step`](Self::step), and the same bits. Asynchronous where the device is.
    /// # Errors
    /// As [`step`](Self::step); after one it is not known how many steps were done.
    pub fn steps(&mut self, count: u64) -> Result<()> {
        self.buffers.steps(&self.device, &self.scheme, count)?;
        self.count_steps(count, |_, _| ());
        Ok(())
    }
}

/// Collects the steps of a batch: the fields on the device, in slots of a ring.
pub(crate) struct Collector {
    ring: AnyMemory,
    slots: usize,
    graph: Graph,
    steps: Vec<u64>,
    times: Vec<f64>,
}

impl Collector {
    /// A ring of at most `most_steps` slots, or of as many as a fixed amount of memory holds.
    pub(crate) fn new(solver: &Solver, most_steps: Option<NonZeroUsize>) -> Result<Self> {
        let len = solver.grid.centred().len();
        let slots = most_steps.map_or_else(
            || (RING_BYTES / (len * solver.config.precision.bytes())).clamp(1, MOST_STEPS),
            NonZeroUsize::get,
        );
        let slots = slots.min(usize::try_from(solver.steps_left()).unwrap_or(usize::MAX).max(1));
        let room = || format!("making room for batches of {slots} steps");
        let ring = solver.buffers.allocate(&solver.device, slots.saturating_mul(len));
        let ring = ring.map_err(|error| error.while_doing(room()))?;
        let graph = solver.buffers.record(&solver.device, &solver.scheme, Some(&ring))?;
        Ok(Self { ring, slots, graph, steps: Vec::with_capacity(slots), times: Vec::with_capacity(slots) })
    }

    /// How many steps more the batch takes; never 0 between segments.
    pub(crate) fn free(&self) -> u64 {
        (self.slots - self.steps.len()) as u64
    }

    /// Does `count` steps, at most [`free`](Self::free), and keeps the field after each of them.
    pub(crate) fn steps(&mut self, solver: &mut Solver, count: u64) -> Result<()> {
        self.graph.set_first_slot(self.steps.len() as u64);
        solver.buffers.replay(&mut self.graph, count)?;
        solver.count_steps(count, |step, time| {
            self.steps.push(step);
            self.times.push(time);
        });
        Ok(())
    }

    /// Hands over what there is.
    pub(crate) fn deliver(&mut self, hook: &mut dyn Hook, read_only: bool) -> Result<()> {
        let count = self.steps.len();
        if count == 0 {
            return Ok(());
        }
        let field = Field::untyped("u", &self.ring).shape(&[count, self.ring.len() / self.slots]);
        let fields = [if read_only { field.read_only() } else { field }];
        let batch = Batch { steps: &self.steps, times: &self.times, fields: &fields };
        batch.settle()?;
        hook.observe(&batch)?;
        self.steps.clear();
        self.times.clear();
        Ok(())
    }
}

//! Passes whose ends run as they were recorded: a graph in which windows run beside them.
//!
//! Messages between devices, copies and whatever else is short stays what it is, and of a launch the first and the last groups run:
//! so many that after all repetitions of the pass the ends are right up to where windows are. What they compute further in
//! grows wrong meanwhile, as a window does from its edges. They run in the memory of the loop itself, so that nothing has to be
//! told where else it is.
//!
//! Windows beside them read what the pass began with and write what it ends with, neither where the ends write. Those that do touch
//! that, the first and last few, come when the ends are done, and read a copy of what the pass began with.

use super::plan::Parts;
use super::run::Tiles;
use crate::context::Context;
use crate::executable::Executable;
use crate::graph::{enqueue, enqueue_groups};
use crate::memory::CudaMemory;
use crate::queue::{self, Chain, Ends, Queue};
use crate::stream::CudaStream;
use ferrocca_core::Result;
use ferrocca_core::backend::rows::Buffer;
use ferrocca_core::backend::{GraphCommand, Placement};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// What a copy begins at a multiple of.
const ALIGNMENT: u64 = 256;

/// A pass of so many repetitions from a phase on, as a graph.
pub(super) struct Pass {
    first_phase: usize,
    steps: u64,
    executable: Executable,
    /// What the outermost windows read.
    copies: CudaMemory,
    /// It has the values of now.
    is_current: bool,
}

impl Pass {
    pub(super) fn is_of(&self, first_phase: usize, steps: u64) -> bool {
        (self.first_phase, self.steps) == (first_phase, steps)
    }

    /// A value is another one.
    pub(super) fn outdate(&mut self) {
        self.is_current = false;
    }

    /// The pass with the values of now: a known one, updated where it has to be, or a new one. The context is current.
    pub(super) fn of(pieces: &Pieces<'_>, context: &Arc<Context>, known: Option<Self>) -> Result<Self> {
        let Pieces { first_phase, steps, .. } = *pieces;
        let Some(mut known) = known else {
            let copies = pieces.memory(context)?;
            let executable = Executable::of(pieces.chain(context, &copies)?)?;
            return Ok(Self { first_phase, steps, executable, copies, is_current: true });
        };
        if !known.is_current && !known.executable.update(pieces.chain(context, &known.copies)?)? {
            known.executable = Executable::of(pieces.chain(context, &known.copies)?)?;
        }
        known.is_current = true;
        Ok(known)
    }

    pub(super) fn launch(&mut self, stream: &CudaStream) -> Result<()> {
        self.executable.launch(stream)
    }
}

/// What a pass consists of.
pub(super) struct Pieces<'a> {
    tiles: &'a Tiles,
    phases: &'a [Vec<GraphCommand>],
    first_phase: usize,
    steps: u64,
    parts: Parts,
    /// What the ends write and windows read, for the windows on each side.
    saved: [Vec<Saved>; 2],
    /// Bytes of all copies.
    bytes: usize,
}

/// A piece of a buffer that is copied.
struct Saved {
    buffer: usize,
    from: u64,
    bytes: u64,
    /// Where the copy lies in the memory of all of them.
    at: u64,
    /// How far the piece is from the beginning of the buffer.
    skipped: u64,
}

impl<'a> Pieces<'a> {
    /// `None` where there are too few windows for so many repetitions.
    pub(super) fn of(
        tiles: &'a Tiles,
        phases: &'a [Vec<GraphCommand>],
        first_phase: usize,
        steps: u64,
    ) -> Option<Self> {
        let (plan, mut bytes) = (tiles.plan(), 0);
        let parts = plan.parts(steps)?;
        let saved = parts.saved.clone().map(|positions| {
            let buffers =
                plan.row.buffers.iter().enumerate().filter(|(_, of)| of.is_live && of.in_windows && of.is_written);
            let save = |(buffer, of): (usize, &Buffer)| {
                let skipped = (positions.start * of.element_bytes) as u64;
                let length = ((positions.end - positions.start) * of.element_bytes) as u64;
                let at = bytes;
                bytes += length.next_multiple_of(ALIGNMENT);
                Saved { buffer, from: tiles.address(buffer, first_phase) + skipped, bytes: length, at, skipped }
            };
            buffers.map(save).collect()
        });
        Some(Self { tiles, phases, first_phase, steps, parts, saved, bytes: bytes as usize })
    }

    /// Memory for the copies.
    pub(super) fn memory(&self, context: &Arc<Context>) -> Result<CudaMemory> {
        CudaMemory::allocate(context, &OnceLock::new(), self.bytes.max(1), Placement::Device)
    }

    /// All of it as a graph.
    fn chain(&self, context: &Arc<Context>, copies: &CudaMemory) -> Result<Chain> {
        let chain = Chain::new(context)?;
        self.beside(&chain)?;
        let beside = chain.replace_ends(Ends::default());
        chain.set_urgent(true);
        self.save(copies, &chain)?;
        self.ends(&chain)?;
        self.outermost(copies, &chain)?;
        chain.set_urgent(false);
        chain.join(beside);
        Ok(chain)
    }

    /// The windows that touch nothing that the ends do.
    pub(super) fn beside(&self, queue: &impl Queue) -> Result<()> {
        self.windows(self.parts.beside.clone(), &|buffer| self.tiles.address(buffer, self.first_phase), queue)
    }

    /// Copies of what the ends will overwrite.
    pub(super) fn save(&self, copies: &CudaMemory, queue: &impl Queue) -> Result<()> {
        let all = self.saved.iter().flatten();
        all.into_iter().try_for_each(|of| queue::copy(queue, copies.pointer() + of.at, of.from, of.bytes as usize))
    }

    /// All repetitions of the ends.
    pub(super) fn ends(&self, queue: &impl Queue) -> Result<()> {
        for repetition in 0..self.steps as usize {
            let phase = &self.phases[(self.first_phase + repetition) % self.phases.len()];
            for (command, groups) in phase.iter().zip(&self.parts.groups) {
                match groups {
                    Some(sides) => {
                        let sides = sides.iter().filter(|groups| !groups.is_empty());
                        sides.into_iter().try_for_each(|groups| enqueue_groups(command, 0, groups.clone(), queue))?;
                    }
                    None => enqueue(command, 0, queue)?,
                }
            }
        }
        Ok(())
    }

    /// The windows that touch what the ends do, when these are done.
    pub(super) fn outermost(&self, copies: &CudaMemory, queue: &impl Queue) -> Result<()> {
        let Parts { beside, windows, .. } = &self.parts;
        for (windows, saved) in [0..beside.start, beside.end..*windows].into_iter().zip(&self.saved) {
            // As if all of the buffer were there.
            let copy = |of: &Saved| (copies.pointer() + of.at).wrapping_sub(of.skipped);
            let address = |buffer: usize| {
                let saved = saved.iter().find(|of| of.buffer == buffer);
                saved.map_or_else(|| self.tiles.address(buffer, self.first_phase), copy)
            };
            self.windows(windows, &address, queue)?;
        }
        Ok(())
    }

    fn windows(&self, windows: Range<i64>, address: &dyn Fn(usize) -> u64, queue: &impl Queue) -> Result<()> {
        if windows.is_empty() { Ok(()) } else { self.tiles.windows(self.steps, windows, address, queue) }
    }
}

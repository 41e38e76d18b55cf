//! A loop in windows, as its text and its passes need it. [`super::planner`] makes it.
//!
//! Buffers are the pieces of memory that launches name, found by their addresses; a plan holds no address, so that one text serves
//! the same loop on other memory. Repetition `r` of a pass calls what phase 0 calls, on buffers that have moved on by `r` steps of
//! the rotation, whatever phase the pass begins in.
//!
//! Invariant: what a pass leaves wrong, the last repetitions write again, before anything reads it ([`Plan::last`]).

use super::row::Row;
use crate::kernel::Module;
use std::ops::Range;
use std::sync::Arc;

/// Lanes of a warp.
pub(super) const WARP: i64 = 32;

/// Warps of a block.
pub(super) const WARPS: i64 = 4;

/// A loop in windows.
pub(super) struct Plan {
    pub(super) programs: Vec<Arc<Module>>,
    pub(super) options: Vec<String>,
    pub(super) buffers: Vec<Buffer>,
    /// The buffer that plays a buffer's part one repetition later.
    pub(super) rotation: Vec<usize>,
    /// Repetitions until each buffer plays its own part again.
    pub(super) period: usize,
    /// Those of the first repetition.
    pub(super) calls: Vec<Call>,
    /// Where windows begin and end: the positions that only main accesses touch.
    pub(super) middle: Range<i64>,
    /// Positions by which a repetition makes a window wrong at its beginning and its end.
    pub(super) shrink: [i64; 2],
    pub(super) per_thread: i64,
    pub(super) steps: u64,
    /// Repetitions of a replay, at its end, that run as they were recorded.
    pub(super) last: u64,
    pub(super) value_bytes: usize,
}

/// A piece of memory.
#[derive(Debug)]
pub(super) struct Buffer {
    pub(super) element_bytes: i64,
    /// Elements up to the last one that is touched.
    pub(super) elements: i64,
    /// Main accesses touch it, so that windows have it in registers.
    pub(super) in_windows: bool,
    /// It is never written, and read in another order than the items': it stays where it is.
    pub(super) in_place: bool,
    pub(super) is_written: bool,
    /// It carries the state from one repetition to the next.
    pub(super) is_live: bool,
}

/// A launch.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) program: usize,
    pub(super) entry: String,
    pub(super) arguments: Vec<CallArgument>,
    /// Items of a group.
    pub(super) group: u64,
    pub(super) row: Row,
}

#[derive(Clone, Debug)]
pub(super) enum CallArgument {
    /// Where its bytes begin among the values, and what they are now.
    Value(usize, Vec<u8>),
    /// A buffer, as the first repetition calls it, and where the argument begins in it, in elements.
    Memory(usize, i64),
    Null,
}

impl Call {
    /// The buffer of an argument that is no argument in place.
    pub(super) fn buffer(&self, argument: usize) -> Option<usize> {
        match self.arguments.get(argument)? {
            CallArgument::Memory(buffer, _) => Some(*buffer),
            _ => None,
        }
    }
}

impl Plan {
    /// The buffer that plays a buffer's part some repetitions later.
    pub(super) fn moved(&self, buffer: usize, steps: usize) -> usize {
        (0..steps % self.period).fold(buffer, |buffer, _| self.rotation[buffer])
    }

    /// Repetitions of the next pass, if there are `left` of them.
    pub(super) fn pass(&self, left: u64) -> Option<u64> {
        let most = self.steps.min(left.checked_sub(self.last)?);
        // A text stores one set of buffers.
        let rest = self.steps % self.period as u64;
        (2..=most).rev().find(|steps| steps % self.period as u64 == rest)
    }

    /// The buffers that a pass writes: those that carry the state then.
    pub(super) fn stored(&self) -> Vec<usize> {
        let live = (0..self.buffers.len()).filter(|&buffer| self.buffers[buffer].is_live);
        let mut stored: Vec<usize> = live.map(|buffer| self.moved(buffer, self.steps as usize)).collect();
        stored.retain(|&buffer| self.buffers[buffer].is_written);
        stored.sort_unstable();
        stored
    }

    /// Elements of a window.
    pub(super) fn window(&self) -> i64 {
        WARP * self.per_thread
    }

    /// Windows of a pass.
    pub(super) fn windows(&self, steps: u64) -> i64 {
        let overlap = steps as i64 * (self.shrink[0] + self.shrink[1]);
        let own = self.window() - overlap;
        (self.middle.end - self.middle.start - overlap + own - 1) / own
    }
}

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
    /// Those of the first repetition, one for each command.
    pub(super) calls: Vec<Call>,
    pub(super) ends: Ends,
    /// Where windows begin and end: the positions that only main accesses touch.
    pub(super) middle: Range<i64>,
    /// Positions by which a repetition makes a window wrong at its beginning and its end.
    pub(super) shrink: [i64; 2],
    pub(super) per_thread: i64,
    pub(super) steps: u64,
    /// Repetitions of a replay, at its end, that run as they were recorded.
    pub(super) last: u64,
    pub(super) value_bytes: usize,
    /// Messages of a repetition that the block of the ends exchanges.
    pub(super) messages: usize,
}

/// How the ends of the row are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    /// By a block that has them in shared memory.
    Shared,
    /// By the commands themselves, one after the other, of which large launches have the first and last groups.
    Recorded,
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

/// A command.
#[derive(Debug)]
pub(super) struct Call {
    /// `None` for what is no launch, or a short one that runs as it was recorded.
    pub(super) items: Option<Items>,
    /// What the block of the ends does instead.
    pub(super) inline: Option<Inline>,
    pub(super) arguments: Vec<CallArgument>,
    pub(super) row: Row,
}

/// What the block does that has the ends in shared memory.
#[derive(Debug)]
pub(super) enum Inline {
    /// Messages, and the number of the first one among all that a repetition has.
    Messages(Vec<Message>, usize),
    /// From one place to another of as many elements.
    Copy([Place; 2]),
}

/// A message of elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) is_sent: bool,
    pub(super) place: Place,
}

/// Some elements of a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) buffer: usize,
    pub(super) first: i64,
    pub(super) count: i64,
}

/// Whose items windows run.
#[derive(Debug)]
pub(super) struct Items {
    pub(super) program: usize,
    pub(super) entry: String,
    /// Items of a group.
    pub(super) group: u64,
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
        let is_possible = |steps: &u64| {
            steps % self.period as u64 == rest && (self.ends == Ends::Shared || self.parts(*steps).is_some())
        };
        (2..=most).rev().find(is_possible)
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

    /// Bytes of an element of all buffers that windows have.
    pub(super) fn window_bytes(&self) -> i64 {
        self.buffers.iter().filter(|of| of.in_windows).map(|of| of.element_bytes).sum()
    }

    /// What the ends take of shared memory.
    pub(super) fn ends_bytes(&self) -> i64 {
        let wrong = 2 * self.steps as i64 * (self.shrink[0] + self.shrink[1]);
        let of_buffer =
            |of: &Buffer| (self.middle.start + (of.elements - self.middle.end).max(0) + wrong) * of.element_bytes + 16;
        self.buffers.iter().filter(|buffer| !buffer.in_place).map(of_buffer).sum()
    }

    /// Where a window of a pass begins.
    fn start(&self, window: i64, own: i64) -> i64 {
        (self.middle.start + window * own).min(self.middle.end - self.window())
    }

    /// The parts of a pass whose ends run as they were recorded; `None` where there are too few windows.
    pub(super) fn parts(&self, steps: u64) -> Option<Parts> {
        let Range { start: begin, end } = self.middle;
        let wrong = steps as i64 * (self.shrink[0] + self.shrink[1]);
        let (own, windows) = (self.window() - wrong, self.windows(steps));
        // What the ends write lies before `low`, and from `high` on.
        let (mut low, mut high) = (begin, end);
        let mut groups = Vec::new();
        for Call { items, row, .. } in &self.calls {
            groups.push(match (items, row.written) {
                (Some(Items { group, .. }), Some(written)) => {
                    let group = *group as i64;
                    let first = (begin + wrong - written).max(0).div_euclid(group) + 1;
                    let last = (end - wrong - written).div_euclid(group);
                    if first >= last {
                        return None;
                    }
                    low = low.max(first * group + written);
                    high = high.min(last * group + written);
                    Some([0..first as u64, last as u64..(row.items / group) as u64])
                }
                _ => None,
            });
        }
        let first = (low - begin).div_euclid(own) + 1;
        let last = (high - self.window() - begin).div_euclid(own);
        if first > last {
            return None;
        }
        let saved = [begin..self.start(first - 1, own) + self.window(), self.start(last, own)..end];
        Some(Parts { groups, beside: first..last, windows, saved })
    }
}

/// What a pass has whose ends run as they were recorded.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parts {
    /// For each command the first and the last groups; `None`: all of it.
    pub(super) groups: Vec<Option<[Range<u64>; 2]>>,
    /// The windows that touch nothing of the ends.
    pub(super) beside: Range<i64>,
    /// Windows of the pass.
    pub(super) windows: i64,
    /// The positions of the windows before and behind those.
    pub(super) saved: [Range<i64>; 2],
}

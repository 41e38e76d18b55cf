//! A loop over one row in terms of buffers. [`super::Planner`] makes it.
//!
//! Buffers are the pieces of memory that launches name, found by their addresses; a plan holds no address, so that one text serves
//! the same loop on other memory. Repetition `r` of a pass calls what phase 0 calls, on buffers that have moved on by `r` steps of
//! the rotation, whatever phase the pass begins in.
//!
//! Invariant: what a pass leaves wrong, the last repetitions write again, before anything reads it ([`RowLoop::last`]).

use super::row::Row;
use std::collections::BTreeMap;
use std::ops::Range;

/// A loop over one row.
#[derive(Debug)]
pub struct RowLoop {
    /// The pieces of memory.
    pub buffers: Vec<Buffer>,
    /// The buffer that plays a buffer's part one repetition later.
    pub rotation: Vec<usize>,
    /// Repetitions until each buffer plays its own part again.
    pub period: usize,
    /// Those of the first repetition, one for each command.
    pub calls: Vec<Call>,
    /// Where windows begin and end: the positions that only main accesses touch.
    pub middle: Range<i64>,
    /// Positions by which a repetition makes a window wrong at its beginning and its end.
    pub shrink: [i64; 2],
    /// Repetitions of a replay, at its end, that run as they were recorded.
    pub last: u64,
}

/// A piece of memory.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Bytes of an element: 4 or 8.
    pub element_bytes: i64,
    /// Elements up to the last one that is touched.
    pub elements: i64,
    /// Main accesses touch it, so that windows have a piece of it.
    pub in_windows: bool,
    /// It is never written, and read in another order than the items': it stays where it is.
    pub in_place: bool,
    /// Something writes it.
    pub is_written: bool,
    /// It carries the state from one repetition to the next.
    pub is_live: bool,
}

/// A command.
#[derive(Debug)]
pub struct Call {
    /// `None` for what is no launch, or a short one that runs as it was recorded.
    pub items: Option<Items>,
    /// What the group of the ends does instead.
    pub inline: Option<InlineCall>,
    /// Of the launch; of a short command the buffers of its accesses.
    pub arguments: Vec<CallArgument>,
    /// What it touches.
    pub row: Row,
}

/// What the group does that has the ends in shared memory.
#[derive(Debug)]
pub enum InlineCall {
    /// Messages, and the number of the first one among all that a repetition has.
    Messages(Vec<Message>, usize),
    /// From one place to another of as many elements.
    Copy([Place; 2]),
}

/// A message of elements.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// It is sent.
    pub is_sent: bool,
    /// What is sent, or where it comes to.
    pub place: Place,
}

/// Some elements of a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The buffer.
    pub buffer: usize,
    /// The first element.
    pub first: i64,
    /// How many elements.
    pub count: i64,
}

/// Whose items windows run.
#[derive(Debug)]
pub struct Items {
    /// Name of the device kernel.
    pub entry: String,
    /// Items of a group.
    pub group: u64,
}

/// An argument of a launch.
#[derive(Clone, Debug)]
pub enum CallArgument {
    /// Where its bytes begin among the values, and what they are now.
    Value(usize, Vec<u8>),
    /// A buffer, as the first repetition calls it, and where the argument begins in it, in elements.
    Memory(usize, i64),
    /// No memory.
    Null,
}

impl Call {
    /// The buffer of an argument that names memory.
    pub fn buffer(&self, argument: usize) -> Option<usize> {
        match self.arguments.get(argument)? {
            CallArgument::Memory(buffer, _) => Some(*buffer),
            _ => None,
        }
    }
}

impl RowLoop {
    /// The buffer that plays a buffer's part some repetitions later.
    pub fn moved(&self, buffer: usize, steps: usize) -> usize {
        (0..steps % self.period).fold(buffer, |buffer, _| self.rotation[buffer])
    }

    /// How far main accesses of a call reach beside what an item writes, to its left and to its right, for each buffer in a
    /// repetition.
    pub fn beside(&self, call: &Call, repetition: usize) -> BTreeMap<usize, [i64; 2]> {
        let mut beside: BTreeMap<usize, [i64; 2]> = BTreeMap::new();
        let Some(written) = call.row.written else { return beside };
        for main in &call.row.mains {
            let Some(own) = call.buffer(main.argument) else { continue };
            let sides = beside.entry(self.moved(own, repetition)).or_default();
            *sides = [sides[0].max(written - main.offsets[0]), sides[1].max(main.offsets[1] - written)];
        }
        beside
    }

    /// Positions by which a repetition makes a window wrong at both sides together.
    pub fn wrong(&self) -> i64 {
        self.shrink[0] + self.shrink[1]
    }

    /// Whether what carries the state after so many repetitions lies in other buffers than before, as far as it is written.
    pub fn can_write_after(&self, steps: u64) -> bool {
        let rest = (steps % self.period as u64) as usize;
        (0..self.buffers.len()).all(|buffer| {
            let of = &self.buffers[buffer];
            let is_still_read = self.buffers[self.moved(buffer, rest)].is_live;
            !(of.is_live && of.in_windows && of.is_written && is_still_read)
        })
    }

    /// Refuses a loop that leaves no number of repetitions anything to write to.
    /// # Errors
    /// That there is none.
    pub fn check_writable(&self) -> super::Result<()> {
        match (2..2 + self.period as u64).any(|steps| self.can_write_after(steps)) {
            true => Ok(()),
            false => super::refuse("a pass would have to write buffers that its windows still read"),
        }
    }

    /// The buffers that a pass of so many repetitions writes: those that carry the state then.
    pub fn stored(&self, steps: u64) -> Vec<usize> {
        let live = (0..self.buffers.len()).filter(|&buffer| self.buffers[buffer].is_live);
        let mut stored: Vec<usize> = live.map(|buffer| self.moved(buffer, steps as usize)).collect();
        stored.retain(|&buffer| self.buffers[buffer].is_written);
        stored.sort_unstable();
        stored
    }

    /// The buffers that windows have pieces of.
    pub fn in_windows(&self) -> impl Iterator<Item = usize> {
        (0..self.buffers.len()).filter(|&buffer| self.buffers[buffer].in_windows)
    }

    /// Bytes of an element of all buffers that windows have.
    pub fn window_bytes(&self) -> i64 {
        self.in_windows().map(|buffer| self.buffers[buffer].element_bytes).sum()
    }

    /// Elements of a buffer near the two ends of the row that so many repetitions depend on.
    pub fn end_elements(&self, of: &Buffer, steps: u64) -> i64 {
        self.middle.start + (of.elements - self.middle.end).max(0) + 2 * steps as i64 * self.wrong()
    }
}

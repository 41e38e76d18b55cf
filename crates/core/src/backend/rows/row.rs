//! What the items of a launch touch: one element after the other in the middle of the row, and anything at its ends.
//!
//! *Positions* are elements of a buffer, counted from its beginning. A *main* access is one of nearly all items, of which each
//! touches one element further than the one before: item `i` touches position `i + offset`.

use super::binding::{Result, refuse};
use crate::backend::{AccessKind, Span};
use std::ops::Range;

/// Elements and items that are an end at most.
pub const MOST_END: i64 = 256;

/// A main access of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Main {
    /// Position of the argument.
    pub argument: usize,
    /// Least and greatest offset.
    pub offsets: [i64; 2],
    /// The items that do it.
    pub items: Range<i64>,
    /// What is done.
    pub kind: AccessKind,
}

/// What else items touch, which are few.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Position of the argument.
    pub argument: usize,
    /// Least and greatest position.
    pub positions: [i64; 2],
    /// The items that do it.
    pub items: Range<i64>,
    /// What is done.
    pub kind: AccessKind,
    /// All positions between them are touched.
    pub is_whole: bool,
}

/// The accesses of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Items of all groups.
    pub items: i64,
    /// What nearly all items do.
    pub mains: Vec<Main>,
    /// What few items do.
    pub ends: Vec<End>,
    /// What all main writes add to the item's number; `None` where there are none.
    pub written: Option<i64>,
}

/// Positions: ranges in order that do not touch each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Positions(Vec<Range<i64>>);

impl Positions {
    /// Adds a range.
    pub fn add(&mut self, mut range: Range<i64>) {
        let first = self.0.partition_point(|known| known.end < range.start);
        let last = self.0.partition_point(|known| known.start <= range.end);
        if first < last {
            range = range.start.min(self.0[first].start)..range.end.max(self.0[last - 1].end);
        }
        self.0.splice(first..last, [range]);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all of a range that is in `of` is here too.
    pub fn has_all(&self, range: &Range<i64>, of: &Self) -> bool {
        of.0.iter().all(|part| {
            let (begin, end) = (part.start.max(range.start), part.end.min(range.end));
            begin >= end || self.0.iter().any(|own| own.start <= begin && own.end >= end)
        })
    }
}

impl Row {
    /// Sorts the accesses of a launch of `entry`. `offset` answers where an argument begins in its buffer, in elements; `None` for
    /// arguments that do not count.
    /// # Errors
    /// What is in the way of a plan.
    pub fn of(entry: &str, items: i64, spans: &[Span], offset: &dyn Fn(usize) -> Option<i64>) -> Result<Self> {
        let mut row = Self { items, ..Self::default() };
        for span in spans {
            let argument = span.param as usize;
            let Some(offset) = offset(argument) else { continue };
            if span.kind.writes() && !span.certain {
                return refuse(format!("whether an item of `{entry}` writes an element may depend on data"));
            }
            let (first, end) = (span.units.start as i64, span.units.end as i64);
            let is_main = items > MOST_END && 2 * (end - first) > items;
            if is_main && span.slope == 1 {
                let offsets = span.reach.map(|element| element + offset);
                row.mains.push(Main { argument, offsets, items: first..end, kind: span.kind });
                continue;
            }
            let Some(elements) = span.of(&span.units) else { continue };
            if is_main || end - first > MOST_END {
                return refuse(format!("neighbours among the items of `{entry}` do not touch neighbouring elements"));
            }
            let positions = elements.map(|element| element + offset);
            let is_whole = end - first == 1 || span.slope.abs() <= 1 + span.reach[1] - span.reach[0];
            row.ends.push(End { argument, positions, items: first..end, kind: span.kind, is_whole });
        }
        row.find_written(entry)?;
        Ok(row)
    }

    fn find_written(&mut self, entry: &str) -> Result<()> {
        for main in self.mains.iter().filter(|main| main.kind.writes()) {
            let [least, most] = main.offsets;
            if least != most || self.written.is_some_and(|other| other != least) {
                return refuse(format!("an item of `{entry}` writes several places"));
            }
            self.written = Some(least);
        }
        if self.written.is_none() && !self.mains.is_empty() {
            return refuse(format!("`{entry}` reads all that it is given and writes a part"));
        }
        Ok(())
    }

    /// The positions that are touched, access by access: the argument, the first position and the one behind the last, what is
    /// done, and whether that is done to all of them.
    pub fn touched(&self) -> impl Iterator<Item = (usize, Range<i64>, AccessKind, bool)> {
        let mains = self.mains.iter().map(|main| {
            let [least, most] = main.offsets;
            (main.argument, main.items.start + least..main.items.end + most, main.kind, true)
        });
        let ends = self.ends.iter().map(|end| {
            let [least, most] = end.positions;
            (end.argument, least..most + 1, end.kind, end.is_whole)
        });
        mains.chain(ends)
    }

    /// How far main reads lie behind and before what the item writes.
    pub fn reach(&self) -> [i64; 2] {
        let written = self.written.unwrap_or(0);
        let least = self.mains.iter().map(|main| main.offsets[0]).min().unwrap_or(written);
        let most = self.mains.iter().map(|main| main.offsets[1]).max().unwrap_or(written);
        [written - least, most - written]
    }
}

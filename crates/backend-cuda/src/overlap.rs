//! Which parts of launches can run beside the messages of another library that follow them: all groups but those that touch
//! what is sent or received.
//!
//! A loop of a distributed program computes a step, fills its ghosts, and exchanges what its neighbours need of that. The
//! footprints of the launches say which groups that is. From the messages backwards each launch is parted: its groups that
//! touch what the messages, or what leads to these, touch are *urgent*; the others, its *interior*, run beside all that. What
//! cannot be parted is urgent as a whole, or interior as a whole, or the stretch begins behind it.
//!
//! Invariant: nothing urgent touches an element that something interior writes, nor the other way around; both keep their
//! order. Groups of a launch do not depend on each other. So the bits are those of the commands in order.

use crate::access::accesses_of;
use crate::graph::pointer_to;
use ferrocca_core::Result;
use ferrocca_core::backend::rows::Access;
use ferrocca_core::backend::{AccessKind, Footprint, GraphArgument, GraphCommand, Span};
use std::ops::Range;

/// Bytes that a launch's arguments have at least. What moves less is done before the messages would be.
pub(crate) const FEWEST_BYTES: u64 = 64 << 20;

/// Most commands between a launch and the messages, and after these.
const MOST_BESIDE: usize = 32;

/// Commands of which parts run beside each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Overlap {
    /// Position of the first one, and the one behind the last.
    pub(crate) commands: Range<usize>,
    /// The launches among them that have an interior, in order.
    pub(crate) parted: Vec<Parted>,
}

/// A launch that has an interior.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parted {
    /// Its position.
    pub(crate) launch: usize,
    /// The axis along which the groups are parted, and how many they are.
    pub(crate) axis: usize,
    pub(crate) groups: u64,
    /// Those that are not urgent.
    pub(crate) interior: Range<u64>,
}

impl Parted {
    /// The urgent groups, in no, one or two ranges.
    pub(crate) fn edges(&self) -> impl Iterator<Item = Range<u64>> + use<> {
        edges(&self.interior, self.groups)
    }
}

fn edges(interior: &Range<u64>, all: u64) -> impl Iterator<Item = Range<u64>> + use<> {
    [0..interior.start, interior.end..all].into_iter().filter(|range| !range.is_empty())
}

/// How often the edges of launches grow before nothing is parted.
const MOST_ATTEMPTS: usize = 4;

/// What a launch's units touch.
struct Units<'a> {
    footprint: &'a Footprint,
    /// Of each span where the memory begins, and the size of an element.
    memory: Vec<(u64, i64)>,
}

/// The overlaps of a phase, in order; none has a command of another one. `fewest` is [`FEWEST_BYTES`], but for tests.
pub(crate) fn find(commands: &[GraphCommand], fewest: u64) -> Result<Vec<Overlap>> {
    let mut found: Vec<Overlap> = Vec::new();
    for (at, command) in commands.iter().enumerate() {
        let first = found.last().map_or(0, |before| before.commands.end);
        if at >= first && matches!(command, GraphCommand::Native { .. }) {
            found.extend(around(commands, first, at, fewest)?);
        }
    }
    Ok(found)
}

/// The overlap around the messages at `at`, which begins at `first` or later.
fn around(commands: &[GraphCommand], first: usize, at: usize, fewest: u64) -> Result<Option<Overlap>> {
    let mut urgent = accesses(&commands[at])?;
    for _ in 0..MOST_ATTEMPTS {
        match attempt(commands, first, at, fewest, urgent.clone())? {
            Attempt::Found(overlap) => return Ok(overlap),
            // What later launches left for their interior touches the edges of an earlier one: these count from the start.
            Attempt::Again(edges) => urgent.extend(edges),
        }
    }
    Ok(None)
}

enum Attempt {
    Found(Option<Overlap>),
    Again(Vec<Access>),
}

/// Goes backwards from the messages, which touch what is urgent at first.
fn attempt(
    commands: &[GraphCommand],
    first: usize,
    at: usize,
    fewest: u64,
    mut urgent: Vec<Access>,
) -> Result<Attempt> {
    let mut interior: Vec<Access> = Vec::new();
    let mut parted: Vec<Parted> = Vec::new();
    let mut begin = at;
    for launch in (first.max(at.saturating_sub(MOST_BESIDE))..at).rev() {
        let units = Units::of(&commands[launch])?;
        if let Some((units, own)) = units.as_ref().and_then(|units| Some((units, units.interior(&urgent)?))) {
            let ends: Vec<Access> = edges(&own, units.footprint.units).flat_map(|ends| units.accesses(&ends)).collect();
            if conflict(&ends, &interior) {
                return Ok(Attempt::Again(ends));
            }
            interior.extend(units.accesses(&own));
            urgent.extend(ends);
            parted.extend(part(&commands[launch], launch, own));
            if moves(&commands[launch]) >= fewest {
                begin = launch;
            }
            continue;
        }
        let whole = accesses(&commands[launch])?;
        if conflict(&whole, &interior) {
            break;
        }
        urgent.extend(whole);
    }
    parted.retain(|part| part.launch >= begin);
    parted.reverse();
    if parted.is_empty() {
        return Ok(Attempt::Found(None));
    }
    // What follows the messages and touches nothing of the interior runs beside it, too.
    let is_free = |command: &&GraphCommand| accesses(command).is_ok_and(|own| !conflict(&own, &interior));
    let after = commands[at + 1..].iter().take(MOST_BESIDE).take_while(is_free).count();
    Ok(Attempt::Found(Some(Overlap { commands: begin..at + 1 + after, parted })))
}

/// A launch with its interior.
fn part(command: &GraphCommand, launch: usize, interior: Range<u64>) -> Option<Parted> {
    let GraphCommand::Launch { dims, .. } = command else { return None };
    let axis = (0..3).rev().find(|&axis| dims.outer[axis] > 1)?;
    Some(Parted { launch, axis, groups: dims.outer[axis], interior })
}

/// Bytes of the memory that a launch names.
fn moves(command: &GraphCommand) -> u64 {
    let GraphCommand::Launch { arguments, .. } = command else { return 0 };
    let bytes = |argument: &GraphArgument| match argument {
        GraphArgument::Memory { memory: Some(_), bytes, .. } => *bytes,
        _ => 0,
    };
    arguments.iter().map(bytes).sum()
}

fn conflict(some: &[Access], others: &[Access]) -> bool {
    some.iter().any(|one| others.iter().any(|other| one.conflicts(other)))
}

impl<'a> Units<'a> {
    /// `None` where it is not known what they touch.
    fn of(command: &'a GraphCommand) -> Result<Option<Self>> {
        let GraphCommand::Launch { arguments, footprint: Ok(footprint), .. } = command else { return Ok(None) };
        let mut memory = Vec::new();
        for span in &footprint.spans {
            match place(&arguments[span.param as usize])? {
                Some(place) => memory.push(place),
                None => return Ok(None),
            }
        }
        Ok(Some(Self { footprint, memory }))
    }

    fn spans(&self) -> impl Iterator<Item = (&Span, u64, i64)> {
        self.footprint.spans.iter().zip(&self.memory).map(|(span, (begin, size))| (span, *begin, *size))
    }

    /// What some units touch.
    fn accesses(&self, units: &Range<u64>) -> Vec<Access> {
        let of_span = |(span, begin, size): (&Span, u64, i64)| access(span, units, begin, size);
        self.spans().filter_map(of_span).collect()
    }

    /// The units that conflict with nothing urgent, where these are most of them.
    fn interior(&self, urgent: &[Access]) -> Option<Range<u64>> {
        let all = self.footprint.units;
        let mut interior = 0..all;
        for conflict in urgent.iter().flat_map(|access| self.conflicts(access)) {
            // At which end the units are that have to run first.
            if conflict.start < all - conflict.end {
                interior.start = interior.start.max(conflict.end);
            } else {
                interior.end = interior.end.min(conflict.start);
            }
        }
        (!interior.is_empty() && (interior.end - interior.start) * 2 > all && all > 1).then_some(interior)
    }

    /// The units that conflict with an access, a range for each span.
    fn conflicts(&self, other: &Access) -> Vec<Range<u64>> {
        let of_span = |(span, begin, size): (&Span, u64, i64)| -> Option<Range<u64>> {
            let conflicts =
                |units: &Range<u64>| access(span, units, begin, size).is_some_and(|own| own.conflicts(other));
            let (mut first, mut end) = (span.units.start, span.units.end);
            if !conflicts(&(first..end)) {
                return None;
            }
            // Elements rise or fall with the units, so that the conflicts are one range: its ends are found by halves.
            let (mut low, mut high) = (first, end - 1);
            while low < high {
                let middle = low + (high - low) / 2;
                if conflicts(&(first..middle + 1)) { high = middle } else { low = middle + 1 }
            }
            first = low;
            let (mut low, mut high) = (first, end - 1);
            while low < high {
                let middle = low + (high - low).div_ceil(2);
                if conflicts(&(middle..end)) { low = middle } else { high = middle - 1 }
            }
            end = low + 1;
            Some(first..end)
        };
        self.spans().filter_map(of_span).collect()
    }
}

/// What some units touch by a span of memory that begins at an address and has elements of so many bytes.
fn access(span: &Span, units: &Range<u64>, begin: u64, size: i64) -> Option<Access> {
    let [least, most] = span.of(units)?;
    let range = begin.saturating_add_signed(least * size)..begin.saturating_add_signed((most + 1) * size);
    Some(Access { range, writes: span.kind != AccessKind::Read })
}

/// Where an argument's memory begins, and the size of an element.
fn place(argument: &GraphArgument) -> Result<Option<(u64, i64)>> {
    Ok(match argument {
        GraphArgument::Memory { memory: Some(memory), offset_bytes, element_bytes, .. } => {
            Some((pointer_to(&**memory, *offset_bytes as usize)?, i64::from(*element_bytes)))
        }
        _ => None,
    })
}

/// What a command touches; of a launch no more than its footprint says.
pub(crate) fn accesses(command: &GraphCommand) -> Result<Vec<Access>> {
    match Units::of(command)? {
        Some(units) => Ok(units.accesses(&(0..units.footprint.units))),
        None => accesses_of(command),
    }
}

#[cfg(test)]
mod tests;

//! Which part of a launch can run beside the messages of another library that follow it: all groups but those that touch what is
//! sent or received.
//!
//! A loop of a distributed program computes a step and exchanges what its neighbours need of that. The step's footprint says
//! which of its groups that is. These run first; then the others run beside what packs, sends, receives and unpacks. Groups of
//! a launch do not depend on each other, and what runs at the same time touches no element that the other writes, so that the
//! bits are those of the commands in order.

use crate::graph::pointer_to;
use ferrocca_core::Result;
use ferrocca_core::backend::{AccessKind, Footprint, GraphArgument, GraphCommand, Span};
use std::ops::Range;

/// Bytes that a launch's arguments have at least. What moves less is done before the messages would be.
pub(crate) const FEWEST_BYTES: u64 = 16 << 20;

/// Most commands between a launch and the messages, and after these.
const MOST_BESIDE: usize = 32;

/// A launch of which a part runs beside the commands that follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Overlap {
    /// Position of the launch.
    pub(crate) launch: usize,
    /// Position behind the last command that runs beside it.
    pub(crate) end: usize,
    /// The axis along which the groups are parted, and how many they are.
    pub(crate) axis: usize,
    pub(crate) groups: u64,
    /// Those that run beside the other commands.
    pub(crate) interior: Range<u64>,
}

impl Overlap {
    /// The groups that run first, in one or two ranges.
    pub(crate) fn edges(&self) -> impl Iterator<Item = Range<u64>> {
        [0..self.interior.start, self.interior.end..self.groups].into_iter().filter(|range| !range.is_empty())
    }
}

/// Elements of memory as addresses.
#[derive(Clone, Debug, PartialEq)]
struct Access {
    bytes: Range<u64>,
    writes: bool,
}

impl Access {
    fn conflicts(&self, bytes: &Range<u64>, writes: bool) -> bool {
        (self.writes || writes) && self.bytes.start < bytes.end && bytes.start < self.bytes.end
    }
}

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
        let first = found.last().map_or(0, |before| before.end);
        if at >= first && matches!(command, GraphCommand::Native { .. }) {
            found.extend(around(commands, first, at, fewest)?);
        }
    }
    Ok(found)
}

/// The overlap of the messages at `at` with a launch from `first` on.
fn around(commands: &[GraphCommand], first: usize, at: usize, fewest: u64) -> Result<Option<Overlap>> {
    let mut beside = accesses(&commands[at])?;
    for launch in (first.max(at.saturating_sub(MOST_BESIDE))..at).rev() {
        if let Some(interior) = interior_of(&commands[launch], &beside, fewest)? {
            let GraphCommand::Launch { dims, .. } = &commands[launch] else { continue };
            let axis = (0..3).rev().find(|&axis| dims.outer[axis] > 1).unwrap_or(0);
            let groups = dims.outer[axis];
            let mut overlap = Overlap { launch, end: at + 1, axis, groups, interior };
            overlap.end += following(commands, &overlap)?;
            return Ok(Some(overlap));
        }
        beside.extend(accesses(&commands[launch])?);
    }
    Ok(None)
}

/// How many commands behind the messages can run beside the interior, too.
fn following(commands: &[GraphCommand], overlap: &Overlap) -> Result<usize> {
    let Some(units) = Units::of(&commands[overlap.launch])? else { return Ok(0) };
    let mut count = 0;
    for command in commands[overlap.end..].iter().take(MOST_BESIDE) {
        if accesses(command)?.iter().any(|access| units.touch(&overlap.interior, access)) {
            break;
        }
        count += 1;
    }
    Ok(count)
}

/// The units of a launch that conflict with nothing of `beside`, where these are nearly all and what they do is long.
fn interior_of(command: &GraphCommand, beside: &[Access], fewest: u64) -> Result<Option<Range<u64>>> {
    let GraphCommand::Launch { arguments, .. } = command else { return Ok(None) };
    let bytes: u64 = arguments.iter().map(|argument| memory(argument).map_or(0, |(_, bytes, _)| bytes)).sum();
    let Some(units) = Units::of(command)?.filter(|_| bytes >= fewest) else { return Ok(None) };
    let all = units.footprint.units;
    let mut interior = 0..all;
    for conflict in beside.iter().flat_map(|access| units.conflicts(access)) {
        // At which end the units are that have to run first.
        if conflict.start < all - conflict.end {
            interior.start = interior.start.max(conflict.end);
        } else {
            interior.end = interior.end.min(conflict.start);
        }
    }
    let is_most = !interior.is_empty() && (interior.end - interior.start) * 2 > all && interior != (0..all);
    // Without a conflict the launch has nothing to do with the messages: it is in its place.
    Ok(is_most.then_some(interior))
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

    /// Whether units touch what an access touches, and one of them writes.
    fn touch(&self, units: &Range<u64>, access: &Access) -> bool {
        self.spans().any(|(span, begin, size)| {
            let writes = span.kind != AccessKind::Read;
            span.of(units).is_some_and(|elements| access.conflicts(&bytes(elements, begin, size), writes))
        })
    }

    /// The units that conflict with an access, a range for each span.
    fn conflicts(&self, access: &Access) -> Vec<Range<u64>> {
        let of_span = |(span, begin, size): (&Span, u64, i64)| -> Option<Range<u64>> {
            let writes = span.kind != AccessKind::Read;
            let conflicts = |units: &Range<u64>| {
                span.of(units).is_some_and(|elements| access.conflicts(&bytes(elements, begin, size), writes))
            };
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

/// Elements as addresses.
fn bytes([least, most]: [i64; 2], begin: u64, size: i64) -> Range<u64> {
    begin.saturating_add_signed(least * size)..begin.saturating_add_signed((most + 1) * size)
}

/// Where an argument's memory is: the memory, its bytes, and the size of an element.
fn memory(argument: &GraphArgument) -> Option<(u64, u64, i64)> {
    match argument {
        GraphArgument::Memory { memory: Some(_), offset_bytes, bytes, element_bytes, .. } => {
            Some((*offset_bytes, *bytes, i64::from(*element_bytes)))
        }
        _ => None,
    }
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

/// Everything that a command touches.
fn accesses(command: &GraphCommand) -> Result<Vec<Access>> {
    let access = |begin: u64, bytes: usize, writes| Access { bytes: begin..begin + bytes as u64, writes };
    Ok(match command {
        GraphCommand::Launch { arguments, footprint, .. } => {
            if let Some(units) = Units::of(command)? {
                let whole = 0..units.footprint.units;
                let of_span = |(span, begin, size): (&Span, u64, i64)| {
                    let writes = span.kind != AccessKind::Read;
                    span.of(&whole).map(|elements| Access { bytes: bytes(elements, begin, size), writes })
                };
                return Ok(units.spans().filter_map(of_span).collect());
            }
            debug_assert!(footprint.is_err() || arguments.iter().any(|argument| memory(argument).is_none()));
            let mut all = Vec::new();
            for argument in arguments {
                if let GraphArgument::Memory { memory: Some(memory), offset_bytes, bytes, mutable, .. } = argument {
                    all.push(access(pointer_to(&**memory, *offset_bytes as usize)?, *bytes as usize, *mutable));
                }
            }
            all
        }
        GraphCommand::Copy { destination, destination_offset, destination_stride, source, source_offset, bytes } => {
            // A slot of a ring may be any.
            let (offset, written) = match destination_stride {
                0 => (*destination_offset, *bytes),
                _ => (0, destination.bytes()),
            };
            vec![
                access(pointer_to(&**source, *source_offset)?, *bytes, false),
                access(pointer_to(&**destination, offset)?, written, true),
            ]
        }
        GraphCommand::Fill { destination, offset, bytes, .. } => {
            vec![access(pointer_to(&**destination, *offset)?, *bytes, true)]
        }
        GraphCommand::Native { memory, .. } => {
            let of = |part: &ferrocca_core::backend::NativeMemory| {
                Ok(access(pointer_to(&*part.memory, part.offset)?, part.bytes, part.mutable))
            };
            memory.iter().map(of).collect::<Result<Vec<_>>>()?
        }
    })
}

#[cfg(test)]
mod tests;

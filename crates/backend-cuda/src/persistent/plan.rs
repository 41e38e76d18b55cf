//! Whether a recorded loop can stay on one multiprocessor, and how it would be laid out there.
//!
//! The state of a loop is every range of memory that its launches, copies and fills name; destinations of snapshots are
//! not in it, because they are only written. Ranges that overlap become one segment, which lies in shared memory while
//! the loop runs. A plan holds no address, so that the text that is made of it serves the same loop on other memory.

use crate::graph::pointer_to;
use crate::kernel::{Module, downcast_kernel};
use ferrocca_core::Result;
use ferrocca_core::backend::{GraphArgument, GraphCommand};
use okl::signature::NestSignature;
use std::ops::Range;
use std::sync::Arc;

/// Operations of one command (items × [`NestSignature::cost`]) up to which one block is not slower than a grid: the
/// device takes about one microsecond for a node of a graph, and one multiprocessor issues some 10⁵ operations of a
/// warp's lanes in that time. Measured on an H200, microseconds a step of Burgers as a graph and by one block: 1.04 and
/// 0.79 at 4,096 points (51 operations each), 1.05 and 1.10 at 6,000.
pub(super) const MOST_OPERATIONS: u64 = 3 << 16;

/// Items of a launch, which the text counts in 32 bits.
const MOST_ITEMS: u64 = 1 << 30;

/// Bytes that one block copies or fills in the time of a node of a graph.
const MOST_COPIED_BYTES: u64 = 128 << 10;

/// Calls in the text of one cycle of phases; it stands there up to three times, and each call is compiled in place.
const MOST_CALLS: usize = 32;

/// Bytes of values of all launches: they travel as a parameter of the kernel, of which there are at most 4 KiB.
const MOST_VALUE_BYTES: usize = 2048;

/// Addresses of segments and rings, which travel with them.
const MOST_ADDRESSES: usize = 64;

/// Shared memory that a text may declare; beyond, a launch gives it.
pub(super) const STATIC_SHARED_BYTES: u64 = 48 << 10;

/// Threads of a block.
const MOST_THREADS: u64 = 1024;
const WARP: u64 = 32;

/// A loop laid out for one block.
pub(super) struct Plan {
    /// The texts that its kernels come from, each once.
    pub(super) programs: Vec<Arc<Module>>,
    /// What they were compiled with.
    pub(super) options: Vec<String>,
    /// Steps of each phase.
    pub(super) phases: Vec<Vec<Step>>,
    pub(super) segments: Vec<Segment>,
    /// Rings of snapshots; their addresses come after those of the segments.
    pub(super) rings: Vec<Ring>,
    /// Ranges that are written, which are brought back at the end: segment, bytes in it.
    pub(super) written: Vec<(usize, Range<u64>)>,
    /// Bytes of the values of all launches.
    pub(super) value_bytes: usize,
    /// Threads of the block.
    pub(super) threads: u64,
    /// Where segments are declared by the text, each by itself; else they lie in one piece that the launch gives.
    pub(super) is_static: bool,
    /// Bytes of that piece.
    pub(super) dynamic_bytes: u64,
}

/// A piece of the state.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) bytes: u64,
    /// Of its address, modulo 16; it lies in shared memory alike, so that every access is as aligned as it was.
    pub(super) shift: u64,
    /// Where it begins in the piece that the launch gives.
    pub(super) offset: u64,
}

/// Where the snapshots of one command go.
#[derive(Debug)]
pub(super) struct Ring {
    command: usize,
    /// From one slot to the next.
    pub(super) stride: u64,
    /// Of a snapshot.
    pub(super) bytes: u64,
}

/// One command.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) work: Work,
    /// The block meets behind it: what comes next touches what it wrote, or writes what it read.
    pub(super) meets_after: bool,
}

#[derive(Debug)]
pub(super) enum Work {
    Call(Call),
    /// `alignment` is of both addresses, here and below.
    Copy {
        from: Place,
        to: Place,
        bytes: u64,
        alignment: u64,
    },
    Fill {
        to: Place,
        bytes: u64,
        pattern: Vec<u8>,
        alignment: u64,
    },
    /// To slot after slot of a ring.
    Snapshot {
        from: Place,
        ring: usize,
        alignment: u64,
    },
}

/// A launch.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) program: usize,
    pub(super) entry: String,
    pub(super) arguments: Vec<CallArgument>,
    pub(super) groups: [u64; 3],
    pub(super) items: [u64; 3],
    /// The threads of a group wait for each other.
    pub(super) items_meet: bool,
}

#[derive(Debug)]
pub(super) enum CallArgument {
    /// Where its bytes begin among the values.
    Value(usize),
    Memory(Place),
    Null,
}

/// A place in the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) segment: usize,
    pub(super) offset: u64,
}

/// What changes with the memory and values of a loop while its plan stays.
#[derive(Clone, Debug, Default)]
pub(super) struct Binding {
    /// Of the segments, then of the rings.
    pub(super) addresses: Vec<u64>,
    pub(super) values: Vec<u8>,
    /// For each command, where its arguments' bytes are in `values`.
    pub(super) positions: Vec<Vec<Option<Range<usize>>>>,
}

/// A range of addresses that a command touches.
#[derive(Clone, Debug)]
struct Access {
    range: Range<u64>,
    writes: bool,
}

/// Why a loop cannot stay on the chip, or not to its advantage.
pub(super) type Refusal = String;

/// Lays a loop out. `max_shared_bytes` is the most that a block can have; `even_slower`: also where a graph may be faster.
/// # Errors
/// The outer one for faults of this program; the inner one says why the loop cannot stay on the chip.
pub(super) fn plan(
    phases: &[Vec<GraphCommand>],
    max_shared_bytes: u64,
    even_slower: bool,
) -> Result<Result<(Plan, Binding), Refusal>> {
    let mut planner = Planner { even_slower, ..Planner::default() };
    Ok(match planner.check(phases)? {
        Some(refusal) => Err(refusal),
        None => planner.lay_out(phases, max_shared_bytes)?,
    })
}

#[derive(Default)]
struct Planner {
    even_slower: bool,
    programs: Vec<Arc<Module>>,
    /// Addresses of the segments.
    segments: Vec<Range<u64>>,
    rings: Vec<Ring>,
    ring_addresses: Vec<u64>,
    /// Positions of the values of the first phase's commands; the other phases have the same.
    binding: Binding,
}

impl Planner {
    /// What does not depend on the layout.
    fn check(&mut self, phases: &[Vec<GraphCommand>]) -> Result<Option<Refusal>> {
        let calls: usize = phases.iter().map(Vec::len).sum();
        if calls > MOST_CALLS {
            return Ok(Some(format!("a cycle has {calls} commands, {MOST_CALLS} are allowed")));
        }
        if !phases.iter().flatten().any(|command| matches!(command, GraphCommand::Launch { .. })) {
            return Ok(Some("it launches no kernel".into()));
        }
        for command in phases.iter().flatten() {
            let refusal = match command {
                GraphCommand::Launch { kernel, nest, dims, .. } => {
                    let module = downcast_kernel(&**kernel)?.module();
                    self.check_launch(module, nest, product(&[dims.outer, dims.inner].concat()))
                }
                GraphCommand::Copy { bytes, .. } | GraphCommand::Fill { bytes, .. } => {
                    let is_much = *bytes as u64 > MOST_COPIED_BYTES && !self.even_slower;
                    is_much.then(|| format!("a copy or fill moves {bytes} bytes, {MOST_COPIED_BYTES} are allowed"))
                }
            };
            if refusal.is_some() {
                return Ok(refusal);
            }
        }
        Ok(None)
    }

    fn check_launch(&mut self, module: &Arc<Module>, nest: &NestSignature, items: u64) -> Option<Refusal> {
        let (entry, operations) = (&nest.entry, items.saturating_mul(u64::from(nest.cost)));
        if items > MOST_ITEMS {
            return Some(format!("`{entry}` has {items} items, {MOST_ITEMS} are allowed"));
        }
        if nest.dynamic_shared_bytes > 0 {
            return Some(format!("`{entry}` shares more than {STATIC_SHARED_BYTES} bytes a group"));
        }
        if operations > MOST_OPERATIONS && !self.even_slower {
            return Some(format!("`{entry}` makes some {operations} operations, {MOST_OPERATIONS} are allowed"));
        }
        if module.text().is_empty() || !module.has_exact_options() {
            return Some(format!(
                "`{entry}` was compiled with options with which the bits depend on the text around it: {}",
                module.options().join(" ")
            ));
        }
        if let Some(first) = self.programs.first()
            && first.options() != module.options()
        {
            return Some(format!("`{entry}` was compiled with other options than the kernels before it"));
        }
        if !self.programs.iter().any(|known| known.text() == module.text()) {
            self.programs.push(module.clone());
        }
        None
    }

    fn lay_out(
        mut self,
        phases: &[Vec<GraphCommand>],
        max_shared_bytes: u64,
    ) -> Result<Result<(Plan, Binding), Refusal>> {
        let accesses = phases
            .iter()
            .map(|phase| phase.iter().map(accesses_of).collect::<Result<Vec<_>>>())
            .collect::<Result<Vec<_>>>()?;
        let all = || accesses.iter().flatten().flatten();
        self.segments = union(all().map(|access| access.range.clone()));
        // In the order in which the commands name them: where memory lies is not to be seen in the text.
        let named = |segment: &Range<u64>| all().position(|access| segment.contains(&access.range.start));
        self.segments.sort_by_cached_key(named);
        let threads = match threads(phases) {
            Ok(threads) => threads,
            Err(refusal) => return Ok(Err(refusal)),
        };
        self.bind_values(&phases[0]);
        let works = phases
            .iter()
            .map(|phase| {
                phase.iter().enumerate().map(|(index, command)| self.work(index, command)).collect::<Result<Vec<_>>>()
            })
            .collect::<Result<Vec<_>>>()?;
        let addresses = self.segments.len() + self.rings.len();
        if addresses > MOST_ADDRESSES || self.binding.values.len() > MOST_VALUE_BYTES {
            let bytes = self.binding.values.len();
            return Ok(Err(format!("it has {addresses} pieces of memory and {bytes} bytes of values")));
        }
        let overlaps = |work: &Work| matches!(work, Work::Copy { from, to, bytes, .. } if from.segment == to.segment && from.offset.abs_diff(to.offset) < *bytes);
        if works.iter().flatten().any(overlaps) {
            return Ok(Err("it copies between ranges that overlap".into()));
        }
        let written = union(all().filter(|access| access.writes).map(|access| access.range.clone()));
        let mut written: Vec<_> = written.into_iter().map(|range| self.within(range)).collect();
        written.sort_by_key(|(segment, range)| (*segment, range.start));
        let declared = declared_shared_bytes(phases);
        let (segments, end) = self.segments_in_shared_memory();
        if end + declared > max_shared_bytes || declared > STATIC_SHARED_BYTES {
            let need = end + declared;
            return Ok(Err(format!("it needs {need} bytes of shared memory, a block has {max_shared_bytes}")));
        }
        let is_static = end + declared <= STATIC_SHARED_BYTES;
        self.binding.addresses = self.segments.iter().map(|segment| segment.start).chain(self.ring_addresses).collect();
        let plan = Plan {
            options: self.programs.first().map_or_else(Vec::new, |program| program.options().to_vec()),
            programs: self.programs,
            phases: with_meetings(works, &accesses),
            segments,
            rings: self.rings,
            written,
            value_bytes: self.binding.values.len(),
            threads,
            is_static,
            dynamic_bytes: if is_static { 0 } else { end },
        };
        Ok(Ok((plan, self.binding)))
    }

    /// Gives every value a place. Updates replace it there.
    fn bind_values(&mut self, commands: &[GraphCommand]) {
        for command in commands {
            let mut positions = Vec::new();
            if let GraphCommand::Launch { arguments, .. } = command {
                for argument in arguments {
                    positions.push(match argument {
                        GraphArgument::Value(bytes) => {
                            // No type of a kernel's parameter is aligned to more.
                            let begin = self.binding.values.len().next_multiple_of(16);
                            self.binding.values.resize(begin, 0);
                            self.binding.values.extend(bytes);
                            Some(begin..begin + bytes.len())
                        }
                        GraphArgument::Memory { .. } => None,
                    });
                }
            }
            self.binding.positions.push(positions);
        }
        let end = self.binding.values.len().next_multiple_of(16);
        self.binding.values.resize(end, 0);
    }

    fn work(&mut self, index: usize, command: &GraphCommand) -> Result<Work> {
        Ok(match command {
            GraphCommand::Launch { kernel, nest, dims, arguments } => {
                let text = downcast_kernel(&**kernel)?.module().text();
                let program = self.programs.iter().position(|program| program.text() == text).unwrap_or_default();
                let mut bound = Vec::new();
                for (argument, position) in arguments.iter().zip(&self.binding.positions[index]) {
                    bound.push(match (argument, position) {
                        // A slice of no elements has no place in the state.
                        (GraphArgument::Memory { memory: Some(memory), offset_bytes, bytes: 1.., .. }, _) => {
                            CallArgument::Memory(self.place(pointer_to(&**memory, *offset_bytes as usize)?))
                        }
                        (GraphArgument::Value(_), Some(position)) => CallArgument::Value(position.start),
                        _ => CallArgument::Null,
                    });
                }
                Work::Call(Call {
                    program,
                    entry: nest.entry.clone(),
                    arguments: bound,
                    groups: dims.outer,
                    items: dims.inner,
                    items_meet: nest.items_meet,
                })
            }
            GraphCommand::Copy {
                destination,
                destination_offset,
                destination_stride,
                source,
                source_offset,
                bytes,
            } => {
                let from = pointer_to(&**source, *source_offset)?;
                let to = pointer_to(&**destination, *destination_offset)?;
                let (stride, bytes) = (*destination_stride as u64, *bytes as u64);
                let alignment = alignment_of(from | to | stride);
                match stride {
                    0 => Work::Copy { from: self.place(from), to: self.place(to), bytes, alignment },
                    _ => Work::Snapshot {
                        from: self.place(from),
                        ring: self.ring(Ring { command: index, stride, bytes }, to),
                        alignment,
                    },
                }
            }
            GraphCommand::Fill { destination, offset, bytes, pattern } => {
                let to = pointer_to(&**destination, *offset)?;
                let (bytes, pattern, alignment) = (*bytes as u64, pattern.clone(), alignment_of(to));
                Work::Fill { to: self.place(to), bytes, pattern, alignment }
            }
        })
    }

    /// The ring of a command, which is the same in every phase: rings do not rotate.
    fn ring(&mut self, ring: Ring, address: u64) -> usize {
        self.rings.iter().position(|known| known.command == ring.command).unwrap_or_else(|| {
            self.rings.push(ring);
            self.ring_addresses.push(address);
            self.rings.len() - 1
        })
    }

    fn place(&self, address: u64) -> Place {
        let segment = self.segments.iter().position(|segment| segment.contains(&address)).unwrap_or_default();
        Place { segment, offset: address - self.segments[segment].start }
    }

    fn within(&self, range: Range<u64>) -> (usize, Range<u64>) {
        let Place { segment, offset } = self.place(range.start);
        (segment, offset..offset + (range.end - range.start))
    }

    /// Segments one behind the other, and where they end.
    fn segments_in_shared_memory(&self) -> (Vec<Segment>, u64) {
        let mut end = 0_u64;
        let mut segments = Vec::new();
        for Range { start, end: until } in &self.segments {
            let (bytes, shift) = (until - start, start % 16);
            segments.push(Segment { bytes, shift, offset: end });
            end = (end + shift + bytes).next_multiple_of(16);
        }
        (segments, end)
    }
}

fn accesses_of(command: &GraphCommand) -> Result<Vec<Access>> {
    let access = |pointer: u64, bytes: u64, writes| Access { range: pointer..pointer + bytes, writes };
    Ok(match command {
        GraphCommand::Launch { arguments, .. } => {
            let mut accesses = Vec::new();
            for argument in arguments {
                if let GraphArgument::Memory { memory: Some(memory), offset_bytes, bytes, mutable, .. } = argument {
                    accesses.push(access(pointer_to(&**memory, *offset_bytes as usize)?, *bytes, *mutable));
                }
            }
            accesses
        }
        GraphCommand::Copy { destination, destination_offset, destination_stride, source, source_offset, bytes } => {
            let mut accesses = vec![access(pointer_to(&**source, *source_offset)?, *bytes as u64, false)];
            if *destination_stride == 0 {
                accesses.push(access(pointer_to(&**destination, *destination_offset)?, *bytes as u64, true));
            }
            accesses
        }
        GraphCommand::Fill { destination, offset, bytes, .. } => {
            vec![access(pointer_to(&**destination, *offset)?, *bytes as u64, true)]
        }
    })
}

/// Ranges that overlap become one; what only touches stays apart. Empty ranges vanish.
fn union(ranges: impl Iterator<Item = Range<u64>>) -> Vec<Range<u64>> {
    let mut ranges: Vec<_> = ranges.filter(|range| !range.is_empty()).collect();
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Threads of the block: those of a group where items meet, which must be the same in every such launch; else enough for
/// every item of the largest launch.
fn threads(phases: &[Vec<GraphCommand>]) -> Result<u64, Refusal> {
    let mut meeting = None;
    let mut most = 1;
    for command in phases.iter().flatten() {
        match command {
            GraphCommand::Launch { nest, dims, .. } if nest.items_meet => {
                let items = product(&dims.inner);
                if meeting.is_some_and(|other| other != items) {
                    return Err("groups whose items meet are of different sizes".into());
                }
                meeting = Some(items);
            }
            GraphCommand::Launch { dims, .. } => most = most.max(product(&[dims.outer, dims.inner].concat())),
            GraphCommand::Copy { bytes, .. } | GraphCommand::Fill { bytes, .. } => most = most.max(*bytes as u64 / 16),
        }
    }
    Ok(meeting.unwrap_or_else(|| most.next_multiple_of(WARP).min(MOST_THREADS)))
}

/// Bytes that the kernels of a loop declare, each kernel once.
fn declared_shared_bytes(phases: &[Vec<GraphCommand>]) -> u64 {
    let mut kernels = Vec::new();
    let mut bytes = 0;
    for command in phases.iter().flatten() {
        if let GraphCommand::Launch { kernel, nest, .. } = command
            && !kernels.iter().any(|known| Arc::ptr_eq(known, kernel))
        {
            kernels.push(kernel.clone());
            // Arrays of one kernel lie one behind the other, each aligned.
            bytes += nest.shared_bytes.next_multiple_of(16);
        }
    }
    bytes
}

/// Adds where the block has to meet. The cycle is run again and again, so that its end is followed by its beginning.
fn with_meetings(works: Vec<Vec<Work>>, accesses: &[Vec<Vec<Access>>]) -> Vec<Vec<Step>> {
    let cycle: Vec<&[Access]> = accesses.iter().flatten().map(Vec::as_slice).collect();
    let mut meets = vec![false; cycle.len()];
    // A meeting is needed where a command is in conflict with one since the last meeting. Each pass adds those that it
    // finds; what it adds makes no other one necessary, so that this ends.
    while let Some(before) = first_conflict(&cycle, &meets) {
        meets[before] = true;
    }
    let mut meets = meets.into_iter();
    let mut step = |work| Step { work, meets_after: meets.next().unwrap_or(true) };
    works.into_iter().map(|phase| phase.into_iter().map(&mut step).collect()).collect()
}

/// The command behind which a meeting lacks, looking at two cycles one behind the other.
fn first_conflict(cycle: &[&[Access]], meets: &[bool]) -> Option<usize> {
    let mut since: Vec<&Access> = Vec::new();
    let mut before = None;
    for index in (0..cycle.len()).chain(0..cycle.len()) {
        if before.is_some() && conflicts(&since, cycle[index]) {
            return before;
        }
        since.extend(cycle[index]);
        if meets[index] {
            since.clear();
        }
        before = Some(index);
    }
    None
}

fn conflicts(before: &[&Access], after: &[Access]) -> bool {
    before.iter().any(|a| {
        after.iter().any(|b| (a.writes || b.writes) && a.range.start < b.range.end && b.range.start < a.range.end)
    })
}

/// The largest power of two up to 16 that divides a number.
pub(super) fn alignment_of(number: u64) -> u64 {
    1 << number.trailing_zeros().min(4)
}

pub(super) fn product(sizes: &[u64]) -> u64 {
    sizes.iter().fold(1, |product, &size| product.saturating_mul(size))
}

//! Whether a recorded loop can run in one block, and how it is laid out there.
//!
//! The state of a loop is every range of memory that its launches, copies and fills name; destinations of snapshots are
//! not in it, because they are only written. Ranges that overlap become one segment, which lies in shared memory while
//! the loop runs. A plan holds no address, so that the text that is made of it serves the same loop on other memory.

use super::barriers::with_barriers;
use super::limits::*;
use crate::access;
use crate::error;
use crate::graph::pointer_to;
use crate::kernel::{Module, downcast_kernel};
use ferrocca_core::backend::rows::Access;
use ferrocca_core::backend::rows::{Binding, NoPlan, Result, refuse};
use ferrocca_core::backend::{GraphArgument, GraphCommand};
use okl::back::cuda::LaunchHints;
use okl::signature::NestSignature;
use std::ops::Range;
use std::sync::Arc;

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
    /// A barrier stands behind it: what comes next touches what it wrote, or writes what it read.
    pub(super) barrier_after: bool,
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
    /// It has barriers, so that its items are the threads of the block.
    pub(super) has_barriers: bool,
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

fn hints(nest: &NestSignature) -> Result<LaunchHints> {
    nest.hints.read().map_err(|reason| NoPlan::Fault(error::internal(reason)))
}

/// Lays a loop out. `max_shared_bytes` is the most that a block can have; `even_slower`: also where a graph may be faster.
pub(super) fn plan(phases: &[Vec<GraphCommand>], max_shared_bytes: u64, even_slower: bool) -> Result<(Plan, Binding)> {
    let mut planner = Planner { even_slower, ..Planner::default() };
    planner.check(phases)?;
    planner.lay_out(phases, max_shared_bytes)
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
    fn check(&mut self, phases: &[Vec<GraphCommand>]) -> Result<()> {
        let calls: usize = phases.iter().map(Vec::len).sum();
        if calls > MOST_CALLS {
            return refuse(format!("a cycle has {calls} commands, {MOST_CALLS} are allowed"));
        }
        if !phases.iter().flatten().any(|command| matches!(command, GraphCommand::Launch { .. })) {
            return refuse("it launches no kernel");
        }
        for command in phases.iter().flatten() {
            match command {
                GraphCommand::Launch { kernel, nest, dims, .. } => {
                    let module = downcast_kernel(&**kernel)?.module();
                    self.check_launch(module, nest, product(&[dims.outer, dims.inner].concat()))?;
                }
                GraphCommand::Copy { bytes, .. } | GraphCommand::Fill { bytes, .. } => {
                    if *bytes as u64 > MOST_COPIED_BYTES && !self.even_slower {
                        return refuse(format!("a copy or fill moves {bytes} bytes, {MOST_COPIED_BYTES} are allowed"));
                    }
                }
                GraphCommand::Native { .. } => return refuse("another library works in each repetition"),
                GraphCommand::Host { .. } => return refuse("the host works in each repetition"),
            }
        }
        Ok(())
    }

    fn check_launch(&mut self, module: &Arc<Module>, nest: &NestSignature, items: u64) -> Result<()> {
        let (entry, operations) = (&nest.entry, items.saturating_mul(u64::from(nest.cost)));
        if items > MOST_ITEMS {
            return refuse(format!("`{entry}` has {items} items, {MOST_ITEMS} are allowed"));
        }
        if hints(nest)?.dynamic_shared_bytes > 0 {
            return refuse(format!("`{entry}` shares more than {STATIC_SHARED_BYTES} bytes a group"));
        }
        if operations > MOST_OPERATIONS && !self.even_slower {
            return refuse(format!("`{entry}` makes some {operations} operations, {MOST_OPERATIONS} are allowed"));
        }
        if module.text().is_empty() || !module.has_exact_options() {
            return refuse(format!(
                "`{entry}` was compiled with options with which the bits depend on the text around it: {}",
                module.options().join(" ")
            ));
        }
        if let Some(first) = self.programs.first()
            && first.options() != module.options()
        {
            return refuse(format!("`{entry}` was compiled with other options than the kernels before it"));
        }
        if !self.programs.iter().any(|known| known.text() == module.text()) {
            self.programs.push(module.clone());
        }
        Ok(())
    }

    fn lay_out(mut self, phases: &[Vec<GraphCommand>], max_shared_bytes: u64) -> Result<(Plan, Binding)> {
        let accesses = phases
            .iter()
            .map(|phase| phase.iter().map(accesses_of).collect::<Result<Vec<_>>>())
            .collect::<Result<Vec<_>>>()?;
        let all = || accesses.iter().flatten().flatten();
        self.segments = union(all().map(|access| access.range.clone()));
        // In the order in which the commands name them: where memory lies is not to be seen in the text.
        let named = |segment: &Range<u64>| all().position(|access| segment.contains(&access.range.start));
        self.segments.sort_by_cached_key(named);
        let threads = threads(phases)?;
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
            return refuse(format!("it has {addresses} pieces of memory and {bytes} bytes of values"));
        }
        let overlaps = |work: &Work| matches!(work, Work::Copy { from, to, bytes, .. } if from.segment == to.segment && from.offset.abs_diff(to.offset) < *bytes);
        if works.iter().flatten().any(overlaps) {
            return refuse("it copies between ranges that overlap");
        }
        let written = union(all().filter(|access| access.writes).map(|access| access.range.clone()));
        let mut written: Vec<_> = written.into_iter().map(|range| self.within(range)).collect();
        written.sort_by_key(|(segment, range)| (*segment, range.start));
        let declared = declared_shared_bytes(phases);
        let (segments, end) = self.segments_in_shared_memory();
        if end + declared > max_shared_bytes || declared > STATIC_SHARED_BYTES {
            let need = end + declared;
            return refuse(format!("it needs {need} bytes of shared memory, a block has {max_shared_bytes}"));
        }
        let is_static = end + declared <= STATIC_SHARED_BYTES;
        self.binding.addresses = self.segments.iter().map(|segment| segment.start).chain(self.ring_addresses).collect();
        let plan = Plan {
            options: self.programs.first().map_or_else(Vec::new, |program| program.options().to_vec()),
            programs: self.programs,
            phases: with_barriers(works, &accesses),
            segments,
            rings: self.rings,
            written,
            value_bytes: self.binding.values.len(),
            threads,
            is_static,
            dynamic_bytes: if is_static { 0 } else { end },
        };
        Ok((plan, self.binding))
    }

    /// Gives every value a place.
    fn bind_values(&mut self, commands: &[GraphCommand]) {
        self.binding.bind_values(commands.iter().map(|command| match command {
            GraphCommand::Launch { arguments, .. } => &arguments[..],
            _ => &[],
        }));
    }

    fn work(&mut self, index: usize, command: &GraphCommand) -> Result<Work> {
        Ok(match command {
            GraphCommand::Launch { kernel, nest, dims, arguments, .. } => {
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
                    has_barriers: hints(nest)?.needs_group,
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
            GraphCommand::Native { .. } => return refuse("another library works in each repetition"),
            GraphCommand::Host { .. } => return refuse("the host works in each repetition"),
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

/// What a command touches of the loop's own memory: the rings of snapshots stay where they are.
fn accesses_of(command: &GraphCommand) -> Result<Vec<Access>> {
    let mut accesses = access::accesses_of(command)?;
    if matches!(command, GraphCommand::Copy { destination_stride: 1.., .. }) {
        accesses.truncate(1);
    }
    Ok(accesses)
}

/// Ranges that overlap become one; what only touches stays two ranges. Empty ranges vanish.
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

/// Threads of the block: the items of a group that has barriers, which must be as many in every such launch; else enough
/// for every item of the largest launch.
fn threads(phases: &[Vec<GraphCommand>]) -> Result<u64> {
    let mut with_barriers = None;
    let mut most = 1;
    for command in phases.iter().flatten() {
        match command {
            GraphCommand::Launch { nest, dims, .. } if hints(nest)?.needs_group => {
                let items = product(&dims.inner);
                if with_barriers.is_some_and(|other| other != items) {
                    return refuse("groups with barriers have different sizes");
                }
                with_barriers = Some(items);
            }
            GraphCommand::Launch { dims, .. } => most = most.max(product(&[dims.outer, dims.inner].concat())),
            GraphCommand::Copy { bytes, .. } | GraphCommand::Fill { bytes, .. } => most = most.max(*bytes as u64 / 16),
            GraphCommand::Native { .. } | GraphCommand::Host { .. } => {}
        }
    }
    Ok(with_barriers.unwrap_or_else(|| most.next_multiple_of(WARP).min(MOST_THREADS)))
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

/// The largest power of two up to 16 that divides a number.
pub(crate) fn alignment_of(number: u64) -> u64 {
    1 << number.trailing_zeros().min(4)
}

pub(super) fn product(sizes: &[u64]) -> u64 {
    sizes.iter().fold(1, |product, &size| product.saturating_mul(size))
}

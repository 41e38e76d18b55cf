//! Recorded loops as CUDA graphs.
//!
//! Repetitions are put into executable graphs of up to some thousand nodes, each a chain of the very pieces that the
//! commands are singly ([`crate::queue`]), so that the results have the same bits. An executable holds
//! a number of repetitions from one phase on; long replays launch the same one again and again. What differs between its
//! launches is the slot of the first snapshot, which lies in device memory and is set by the graph's first node.
//! Loops that are small enough are no graphs but one kernel ([`crate::persistent`]), and of larger ones a kernel may do several
//! repetitions in one pass through memory ([`crate::tiling`]); what that leaves is replayed as a graph.

use crate::error;
use crate::executable::Executable;
use crate::internal_kernels::InternalKernels;
use crate::kernel::{CudaKernel, downcast_kernel};
use crate::memory::{CudaMemory, downcast};
use crate::overlap::{self, Overlap, Parted};
use crate::persistent::{Choice, MOST_REPETITIONS, PersistentLoop};
use crate::queue::{self, Chain, Queue, Set, Word};
use crate::range;
use crate::stream::{CudaStream, downcast_stream};
use crate::tiling::Tiling;
use cudarc::driver::sys::CUgraphNode;
use ferrocca_core::Result;
use ferrocca_core::backend::{
    BackendGraph, BackendMemory, BackendStream, GraphArgument, GraphCommand, GraphPlan, GraphReplay, GridPart,
    LaunchFootprint, PackedArgument, Placement, TilingSetting,
};
use smallvec::SmallVec;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Commands of an executable graph. A launch of a graph costs the host some ten microseconds, and a node takes the
/// device one: with this many the former is lost in the latter, and making the graph takes few milliseconds.
const MOST_COMMANDS: u64 = 1024;

/// Replays of fewer commands are queued one by one: a graph of them would not be faster.
const FEWEST_COMMANDS: u64 = 4;

/// Executable graphs that are kept, the ones that were used last: replays of different lengths alternate.
const MOST_EXECUTABLES: usize = 8;

/// A recorded loop.
pub(crate) struct CudaGraph {
    phases: Vec<Vec<GraphCommand>>,
    executables: Vec<Repetitions>,
    /// Raised by every new value.
    version: u64,
    /// Numbers of the kernels, for the logs of launches.
    kernels: Vec<u32>,
    /// The loop as one kernel, where that is possible.
    persistent: Option<PersistentLoop>,
    tiling: Tiling,
    internal: Arc<InternalKernels>,
}

/// An instantiated graph of `repetitions` from `first_phase` on.
struct Repetitions {
    first_phase: usize,
    repetitions: u64,
    executable: Executable,
    /// Where the slot of the first repetition lies, the node that sets it, and to which value.
    slot: Option<(CudaMemory, CUgraphNode, u32)>,
    /// Of the values that it was made with.
    version: u64,
}

// SAFETY: used by one thread at a time, which `&mut` says; the driver binds nodes to no thread.
unsafe impl Send for Repetitions {}
// SAFETY: as above.
unsafe impl Sync for Repetitions {}

impl CudaGraph {
    /// Makes phases ready; executables are made when it is known how long replays are.
    pub(crate) fn new(internal: &Arc<InternalKernels>, phases: &[Vec<GraphCommand>]) -> Result<Self> {
        let mut kernels = Vec::new();
        for command in phases.iter().flatten() {
            if let GraphCommand::Launch { kernel, .. } = command {
                let number = downcast_kernel(&**kernel)?.number();
                if !kernels.contains(&number) {
                    kernels.push(number);
                }
            }
        }
        // Whoever says how many repetitions a pass does wants passes.
        let is_asked = matches!(internal.tiling, TilingSetting::Steps(_)) && internal.loops == Choice::Auto;
        let loops = if is_asked { Choice::Off } else { internal.loops };
        Ok(Self {
            phases: phases.to_vec(),
            executables: Vec::new(),
            version: 0,
            kernels,
            persistent: PersistentLoop::new(internal, phases, loops)?,
            tiling: Tiling::new(internal.tiling),
            internal: internal.clone(),
        })
    }

    /// Repetitions of each executable of a replay: as few executables as can be, all but the last one equally long and
    /// a whole number of cycles, so that each begins at the same phase.
    fn chunk_length(&self, times: u64) -> u64 {
        let commands = self.phases[0].len() as u64;
        let period = self.phases.len() as u64;
        let most = (MOST_COMMANDS / commands).max(1);
        let chunks = times.div_ceil(most);
        if chunks <= 1 { times } else { times.div_ceil(chunks).next_multiple_of(period) }
    }

    /// Position of the executable for repetitions from a phase on, made or updated where it has to be.
    fn executable(&mut self, first_phase: usize, repetitions: u64) -> Result<usize> {
        let found = self.executables.iter().position(|e| e.first_phase == first_phase && e.repetitions == repetitions);
        let mut own = match found {
            Some(position) => self.executables.remove(position),
            None => self.instantiate(first_phase, repetitions)?,
        };
        if own.version != self.version && !self.update(&mut own)? {
            own = self.instantiate(first_phase, repetitions)?;
        }
        if self.executables.len() == MOST_EXECUTABLES {
            self.executables.remove(0);
        }
        self.executables.push(own);
        Ok(self.executables.len() - 1)
    }

    fn instantiate(&self, first_phase: usize, repetitions: u64) -> Result<Repetitions> {
        let context = &self.internal.context;
        let counter = match self.phases.iter().flatten().any(has_slots) {
            true => Some(CudaMemory::allocate(context, &OnceLock::new(), 4, Placement::Device)?),
            false => None,
        };
        let chain = self.chain(first_phase, repetitions, counter.as_ref())?;
        let slot = counter.map(|counter| (counter, chain.first(), 0));
        let executable = Executable::of(chain)?;
        Ok(Repetitions { first_phase, repetitions, executable, slot, version: self.version })
    }

    /// Gives an executable the values of now; false: it cannot be updated.
    fn update(&self, own: &mut Repetitions) -> Result<bool> {
        let counter = own.slot.as_ref().map(|(memory, ..)| memory);
        let is_updated = own.executable.update(self.chain(own.first_phase, own.repetitions, counter)?)?;
        own.version = self.version;
        if let Some((_, _, value)) = &mut own.slot {
            *value = 0;
        }
        Ok(is_updated)
    }

    /// Repetitions as a graph, whose first node sets the counter of slots, where there is one.
    fn chain(&self, first_phase: usize, repetitions: u64, counter: Option<&CudaMemory>) -> Result<Chain> {
        let context = &self.internal.context;
        let _current = context.make_current()?;
        let chain = Chain::new(context)?;
        let copy_to_slot = counter.map(|_| self.internal.copy_to_slot()).transpose()?;
        let slots = counter.zip(copy_to_slot.as_deref());
        if let Some((counter, _)) = slots {
            chain.set(Set { to: counter.pointer(), word: Word::Four(0), width: 1, height: 1, pitch: 0 })?;
        }
        let overlaps =
            self.phases.iter().map(|phase| overlap::find(phase, overlap::FEWEST_BYTES)).collect::<Result<Vec<_>>>()?;
        for repetition in 0..repetitions {
            let phase = ((first_phase as u64 + repetition) % self.phases.len() as u64) as usize;
            let add = |command: &GraphCommand| match (slot_copy(command)?, slots) {
                (Some(copy), Some((counter, kernel))) => copy.run(kernel, repetition, counter, &chain),
                _ => enqueue(command, 0, &chain),
            };
            let commands = &self.phases[phase];
            let mut done = 0;
            for Overlap { commands: stretch, parted } in &overlaps[phase] {
                commands[done..stretch.start].iter().try_for_each(add)?;
                let groups_of =
                    |part: &Parted, groups| enqueue_groups(&commands[part.launch], part.axis, groups, &chain);
                let fork = chain.ends();
                parted.iter().try_for_each(|part| groups_of(part, part.interior.clone()))?;
                let interior = chain.replace_ends(fork);
                chain.set_urgent(true);
                for at in stretch.clone() {
                    match parted.iter().find(|part| part.launch == at) {
                        Some(part) => part.edges().try_for_each(|groups| groups_of(part, groups))?,
                        None => add(&commands[at])?,
                    }
                }
                chain.set_urgent(false);
                chain.join(interior);
                done = stretch.end;
            }
            commands[done..].iter().try_for_each(add)?;
        }
        Ok(chain)
    }

    fn queue_singly(&self, replay: GraphReplay, stream: &CudaStream) -> Result<()> {
        let _current = self.internal.context.make_current()?;
        for repetition in 0..replay.times {
            let phase = (replay.first_phase as u64 + repetition) % self.phases.len() as u64;
            let slot = replay.first_slot + repetition;
            self.phases[phase as usize].iter().try_for_each(|command| enqueue(command, slot, stream))?;
        }
        Ok(())
    }
}

impl BackendGraph for CudaGraph {
    fn replay(&mut self, replay: GraphReplay, stream: &dyn BackendStream) -> Result<()> {
        let _range = range::open(c"graph");
        let stream = downcast_stream(stream)?;
        // The counter of slots is a 32-bit number.
        let is_short = replay.times.saturating_mul(self.phases[0].len() as u64) <= FEWEST_COMMANDS;
        if is_short || replay.first_slot + replay.times > u64::from(u32::MAX) {
            return self.queue_singly(replay, stream);
        }
        let _current = self.internal.context.make_current()?;
        if let Some(persistent) = &mut self.persistent
            && persistent.can_run(replay)
        {
            self.kernels.iter().for_each(|&number| stream.log().note(number));
            return persistent.launch(replay, self.phases.len(), stream);
        }
        let asked = replay.times;
        let replay = self.tiling.run(&self.internal, &self.phases, replay, stream)?;
        if replay.times < asked {
            self.kernels.iter().for_each(|&number| stream.log().note(number));
        }
        if replay.times.saturating_mul(self.phases[0].len() as u64) <= FEWEST_COMMANDS {
            return self.queue_singly(replay, stream);
        }
        let length = self.chunk_length(replay.times);
        let (mut done, mut phase) = (0, replay.first_phase);
        while done < replay.times {
            let repetitions = length.min(replay.times - done);
            let position = self.executable(phase, repetitions)?;
            self.kernels.iter().for_each(|&number| stream.log().note(number));
            self.executables[position].launch((replay.first_slot + done) as u32, stream)?;
            done += repetitions;
            phase = (phase + repetitions as usize) % self.phases.len();
        }
        Ok(())
    }

    fn update_value(&mut self, command: usize, argument: usize, value: &[u8]) -> Result<()> {
        set_value(&mut self.phases, command, argument, value)?;
        if let Some(persistent) = &mut self.persistent {
            persistent.set_value(command, argument, value);
        }
        self.tiling.set_value(command, argument, value);
        self.version += 1;
        Ok(())
    }

    fn update_footprint(&mut self, command: usize, new: LaunchFootprint) {
        for phase in &mut self.phases {
            if let Some(GraphCommand::Launch { footprint, .. }) = phase.get_mut(command)
                && *footprint != new
            {
                footprint.clone_from(&new);
                self.tiling.reset();
            }
        }
    }

    fn plan(&self) -> GraphPlan {
        match self.persistent {
            Some(_) => GraphPlan {
                steps_per_pass: MOST_REPETITIONS,
                reason: "the loop stays in the shared memory of one multiprocessor".to_owned(),
            },
            None => {
                let mut plan = self.tiling.plan();
                // A fault is told when it is replayed.
                let overlaps = overlap::find(&self.phases[0], overlap::FEWEST_BYTES).unwrap_or_default();
                for Parted { launch, interior, groups, .. } in overlaps.into_iter().flat_map(|overlap| overlap.parted) {
                    if let GraphCommand::Launch { nest, .. } = &self.phases[0][launch] {
                        let (entry, beside) = (&nest.entry, interior.end - interior.start);
                        plan.reason += &format!("; {beside} of {groups} groups of `{entry}` run beside the messages");
                    }
                }
                plan
            }
        }
    }
}

impl Repetitions {
    fn launch(&mut self, first_slot: u32, stream: &CudaStream) -> Result<()> {
        if let Some((counter, node, value)) = &mut self.slot
            && *value != first_slot
        {
            self.executable.set_word(*node, counter.pointer(), first_slot)?;
            *value = first_slot;
        }
        self.executable.launch(stream)
    }
}

/// Where a byte of memory lies for the device.
pub(crate) fn pointer_to(memory: &dyn BackendMemory, offset: usize) -> Result<u64> {
    Ok(downcast(memory)?.pointer() + offset as u64)
}

/// Replaces a value of a command in every phase.
pub(crate) fn set_value(phases: &mut [Vec<GraphCommand>], command: usize, argument: usize, value: &[u8]) -> Result<()> {
    for phase in phases {
        match phase.get_mut(command) {
            Some(GraphCommand::Launch { arguments, .. }) => match arguments.get_mut(argument) {
                Some(GraphArgument::Value(old)) => value.clone_into(old),
                _ => return Err(error::internal(format!("argument {argument} of a recorded launch is not a value"))),
            },
            _ => return Err(error::internal(format!("command {command} of a graph is not a launch"))),
        }
    }
    Ok(())
}

/// Queues a command by itself, a copy to the slot of its repetition. The context is current.
pub(crate) fn enqueue(command: &GraphCommand, slot: u64, queue: &impl Queue) -> Result<()> {
    match command {
        GraphCommand::Launch { kernel, dims, arguments, .. } => {
            let packed: SmallVec<[PackedArgument<'_>; 32]> = arguments.iter().map(GraphArgument::pack).collect();
            // SAFETY: core compared the arguments with the signature, and keeps the memory that they name alive.
            unsafe { downcast_kernel(&**kernel)?.enqueue(dims, &packed, queue) }
        }
        GraphCommand::Copy { destination, destination_offset, destination_stride, source, source_offset, bytes } => {
            // Inside the ring: core has compared the last slot with it.
            let to = pointer_to(&**destination, destination_offset + slot as usize * destination_stride)?;
            queue::copy(queue, to, pointer_to(&**source, *source_offset)?, *bytes)
        }
        GraphCommand::Fill { destination, offset, bytes, pattern } => {
            queue::fill(queue, pointer_to(&**destination, *offset)?, *bytes, pattern)
        }
        GraphCommand::Native { work, .. } => queue.native(work),
        GraphCommand::Host { .. } => Err(error::internal("work of the host reached a CUDA graph")),
    }
}

/// Queues some groups of a launch, those of a range along an axis. The context is current.
pub(crate) fn enqueue_groups(
    command: &GraphCommand,
    axis: usize,
    groups: Range<u64>,
    queue: &impl Queue,
) -> Result<()> {
    let GraphCommand::Launch { kernel, dims, arguments, .. } = command else {
        return Err(error::internal("groups of a command that is no launch"));
    };
    let packed: SmallVec<[PackedArgument<'_>; 32]> = arguments.iter().map(GraphArgument::pack).collect();
    let mut part = GridPart::whole(dims.outer);
    (part.first[axis], part.groups[axis]) = (groups.start, groups.end - groups.start);
    // SAFETY: core compared the arguments with the signature, and keeps the memory that they name alive.
    unsafe { downcast_kernel(&**kernel)?.enqueue_part(part, dims.inner, &packed, queue) }
}

fn has_slots(command: &GraphCommand) -> bool {
    matches!(command, GraphCommand::Copy { destination_stride, .. } if *destination_stride != 0)
}

/// A copy into a slot, as the kernel takes it.
struct SlotCopy {
    from: u64,
    to: u64,
    bytes: u64,
    stride: u64,
}

fn slot_copy(command: &GraphCommand) -> Result<Option<SlotCopy>> {
    match command {
        GraphCommand::Copy { destination, destination_offset, destination_stride, source, source_offset, bytes }
            if *destination_stride != 0 =>
        {
            Ok(Some(SlotCopy {
                from: pointer_to(&**source, *source_offset)?,
                to: pointer_to(&**destination, *destination_offset)?,
                bytes: *bytes as u64,
                stride: *destination_stride as u64,
            }))
        }
        _ => Ok(None),
    }
}

impl SlotCopy {
    fn run(mut self, kernel: &CudaKernel, mut repetition: u64, counter: &CudaMemory, queue: &impl Queue) -> Result<()> {
        let mut counter = counter.pointer();
        let values = [&mut self.from, &mut self.to, &mut self.bytes, &mut self.stride, &mut repetition, &mut counter];
        let mut parameters: [*mut c_void; 6] = values.map(|value| (&raw mut *value).cast());
        // Eight bytes an item; beyond some thousand groups each takes several pieces.
        let groups = self.bytes.div_ceil(8 * 256).clamp(1, 2048) as u32;
        // SAFETY: the kernel takes six 64-bit values.
        unsafe { queue.run(kernel.grid([groups, 1, 1], [256, 1, 1], &mut parameters)) }
    }
}

#[cfg(test)]
mod tests;

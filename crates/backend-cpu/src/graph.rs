//! Graphs: a list whose addresses, sizes and shares are known beforehand, so that a repetition is a few calls. Loops whose
//! memory the caches do not hold run several repetitions tile by tile ([`crate::tiling`]).
//!
//! Each launch forks and joins the team for itself. Keeping the members inside for many repetitions would save a part
//! of half a microsecond where a launch is large enough to be shared, which is then 10 µs or more.

use crate::error;
use crate::kernel::{self, CpuKernel, Sizes};
use crate::stream::{Address, CpuStream};
use crate::team::{MAX_PARTS, Team};
use crate::tiling::{self, Clock, Piece, Schedule, Tiling};
use crate::updates::Copies;
use ferrocca_core::Result;
use ferrocca_core::backend::{
    BackendGraph, BackendStream, GraphArgument, GraphCommand, GraphPlan, GraphReplay, HostWork, Interrupt,
    LaunchFootprint, TilingSetting,
};
use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Bytes of the words that values are kept in: no value is aligned to more.
const WORD: usize = size_of::<u64>();

/// A graph of this backend.
pub(crate) struct CpuGraph {
    phases: Vec<Vec<Step>>,
    values: Values,
    /// Does the copies and fills.
    stream: CpuStream,
    tiling: Tiling,
    /// Whose members run tiles side by side.
    team: Option<Arc<Team>>,
}

/// The values of all launches, shared by the phases. Atomic, so that they are written while pointers to them exist; they
/// never are while a kernel reads them.
struct Values {
    words: Arc<[AtomicU64]>,
    /// Where the value of an argument of a command begins, and its length in bytes.
    places: BTreeMap<(usize, usize), (usize, usize)>,
}

enum Step {
    Launch {
        kernel: CpuKernel,
        sizes: Sizes,
        arguments: Box<[*const c_void]>,
        copies: Option<Copies>,
        groups_per_unit: u64,
    },
    Copy {
        to: Address,
        stride: usize,
        from: Address,
        bytes: usize,
    },
    Fill {
        to: Address,
        bytes: usize,
        pattern: Vec<u8>,
    },
    Host(HostWork),
}

// SAFETY: the pointers are to the memory that core keeps alive for the graph's life and to `Values::words`; a graph is
// used by one thread at a time, and what kernels do with the memory is ordered by the program.
unsafe impl Send for Step {}
// SAFETY: nothing is done through a shared reference.
unsafe impl Sync for Step {}

impl CpuGraph {
    /// Resolves the commands of every phase.
    ///
    /// # Safety
    /// As [`ferrocca_core::backend::BackendDevice::lower_graph`].
    pub(crate) unsafe fn new(
        phases: &[Vec<GraphCommand>],
        team: Option<Arc<Team>>,
        setting: TilingSetting,
    ) -> Result<Self> {
        let threads = team.as_ref().map_or(1, |team| team.threads());
        let tiling = Tiling::new(setting, threads, phases)?;
        let stream = CpuStream::new(team.clone());
        let values = Values::new(phases.first().map_or(&[], Vec::as_slice));
        let phase = |commands: &Vec<GraphCommand>| -> Result<Vec<Step>> {
            commands.iter().enumerate().map(|(index, command)| Step::new(index, command, &values)).collect()
        };
        Ok(Self { phases: phases.iter().map(phase).collect::<Result<_>>()?, values, stream, tiling, team })
    }

    /// Runs repetitions one after the other.
    fn run_in_order(&self, replay: GraphReplay) -> Result<()> {
        let mut phase = replay.first_phase;
        for slot in replay.first_slot..replay.first_slot + replay.times {
            self.phases[phase].iter().try_for_each(|step| step.run(slot, &self.stream))?;
            phase += 1;
            if phase == self.phases.len() {
                phase = 0;
            }
        }
        Ok(())
    }

    /// Runs a block of repetitions: its tiles, then its wedges, and those last which this thread has to run.
    fn run_tiles(&self, schedule: &Schedule, replay: GraphReplay) -> Result<()> {
        let interrupt = Interrupt::of_this_thread();
        let failure = OnceLock::new();
        let commands = self.phases[0].len();
        let run_list = |list: &Vec<Piece>| -> Result<()> {
            interrupt.as_ref().map_or(Ok(()), Interrupt::check)?;
            for piece in list {
                let (repetition, command) = (piece.op / commands, piece.op % commands);
                let step = &self.phases[(replay.first_phase + repetition) % self.phases.len()][command];
                step.run_units(&piece.units, replay.first_slot + repetition as u64)?;
            }
            Ok(())
        };
        let (wedges, of_host) = schedule.wedges.split_at(schedule.first_of_host);
        for lists in [&schedule.tiles[..], wedges] {
            let body = |range: Range<u64>| {
                for list in &lists[range.start as usize..range.end as usize] {
                    if failure.get().is_some() {
                        return;
                    }
                    if let Err(error) = run_list(list) {
                        // The first failure is the one that is reported.
                        let _ = failure.set(error);
                    }
                }
            };
            match &self.team {
                Some(team) => team.run(lists.len() as u64, team.threads(), MAX_PARTS, &body),
                None => body(0..lists.len() as u64),
            }
        }
        failure.into_inner().map_or(Ok(()), Err)?;
        of_host.iter().try_for_each(run_list)
    }
}

impl Values {
    /// The values of the first phase, which are those of all.
    fn new(commands: &[GraphCommand]) -> Self {
        let (mut words, mut places) = (Vec::new(), BTreeMap::new());
        for (index, command) in commands.iter().enumerate() {
            let GraphCommand::Launch { arguments, .. } = command else { continue };
            for (argument, value) in arguments.iter().enumerate() {
                if let GraphArgument::Value(bytes) = value {
                    places.insert((index, argument), (words.len(), bytes.len()));
                    words.extend(in_words(bytes).map(AtomicU64::new));
                }
            }
        }
        Self { words: words.into(), places }
    }

    fn address(&self, command: usize, argument: usize) -> Result<*const c_void> {
        match self.places.get(&(command, argument)) {
            // Of the whole list, because a struct has more words than one.
            Some(&(start, _)) => Ok(self.words.as_ptr().wrapping_add(start).cast()),
            None => Err(error::internal("the phases of a graph differ in their values")),
        }
    }

    fn update(&self, command: usize, argument: usize, value: &[u8]) -> Result<()> {
        match self.places.get(&(command, argument)) {
            Some(&(start, bytes)) if bytes == value.len() => {
                for (word, new) in self.words[start..].iter().zip(in_words(value)) {
                    word.store(new, Ordering::Relaxed);
                }
                Ok(())
            }
            _ => Err(error::internal(format!("argument {argument} of command {command} is not a value of that size"))),
        }
    }
}

/// The bytes as words in memory order, the last one filled up with zeros.
fn in_words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks(WORD).map(|chunk| {
        let mut word = [0; WORD];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_ne_bytes(word)
    })
}

impl Step {
    fn new(index: usize, command: &GraphCommand, values: &Values) -> Result<Self> {
        Ok(match command {
            GraphCommand::Launch { kernel, nest, dims, arguments, footprint } => {
                let kernel = (&**kernel as &dyn Any).downcast_ref::<CpuKernel>();
                let kernel =
                    kernel.ok_or_else(|| error::internal("a kernel of another backend reached a CPU graph"))?;
                let sizes = kernel.sizes(nest, dims)?;
                let address = |(argument, value): (usize, &GraphArgument)| match value {
                    GraphArgument::Memory { memory, offset_bytes, .. } => {
                        kernel::address(memory.as_deref(), *offset_bytes)
                    }
                    GraphArgument::Value(_) => values.address(index, argument),
                };
                let bytes = |argument: usize| match arguments[argument] {
                    GraphArgument::Memory { bytes, .. } => bytes as usize,
                    GraphArgument::Value(_) => 0,
                };
                let addresses = arguments.iter().enumerate().map(address).collect::<Result<Box<_>>>()?;
                let copies = kernel.copies(&addresses, bytes);
                let groups_per_unit = footprint.as_ref().map_or(0, |footprint| footprint.groups);
                Self::Launch { kernel: kernel.clone(), sizes, arguments: addresses, copies, groups_per_unit }
            }
            GraphCommand::Copy {
                destination,
                destination_offset,
                destination_stride,
                source,
                source_offset,
                bytes,
            } => Self::Copy {
                to: Address::of(&**destination, *destination_offset)?,
                stride: *destination_stride,
                from: Address::of(&**source, *source_offset)?,
                bytes: *bytes,
            },
            GraphCommand::Fill { destination, offset, bytes, pattern } => {
                Self::Fill { to: Address::of(&**destination, *offset)?, bytes: *bytes, pattern: pattern.clone() }
            }
            GraphCommand::Host { work, .. } => Self::Host(work.clone()),
            GraphCommand::Native { .. } => return Err(error::internal("work of a library reached a CPU graph")),
        })
    }

    #[inline]
    fn run(&self, slot: u64, stream: &CpuStream) -> Result<()> {
        match self {
            // SAFETY: the arguments were made of a command's, which fit the nest, and the sizes of its dims.
            Self::Launch { kernel, sizes, arguments, copies, .. } => unsafe { kernel.run(sizes, arguments, *copies) },
            Self::Copy { to, stride, from, bytes } => {
                stream.copy_bytes(to.plus(slot as usize * stride), *from, *bytes);
                Ok(())
            }
            Self::Fill { to, bytes, pattern } => stream.fill_bytes(*to, *bytes, pattern),
            Self::Host(work) => work(),
        }
    }

    /// Runs some units, as [`crate::tiling`] counts them, on this thread.
    fn run_units(&self, units: &Range<u64>, slot: u64) -> Result<()> {
        match self {
            Self::Launch { kernel, sizes, arguments, groups_per_unit, .. } => {
                let groups = units.start * groups_per_unit..units.end * groups_per_unit;
                // SAFETY: as for `run`; a schedule has no other units than the footprint that it was made of.
                unsafe { kernel.run_groups(sizes, arguments, groups) }
            }
            Self::Copy { to, stride, from, bytes } => {
                let part = tiling::bytes_of(units, tiling::bytes_per_unit(1), *bytes);
                let (to, from) = (to.plus(slot as usize * stride + part.start), from.plus(part.start));
                // SAFETY: core has checked both ranges, of which these are parts.
                unsafe { to.copy_here(from, part.len()) };
                Ok(())
            }
            Self::Fill { to, bytes, pattern } => {
                let part = tiling::bytes_of(units, tiling::bytes_per_unit(pattern.len()), *bytes);
                // SAFETY: core has checked the range, of which this is a part of whole patterns.
                unsafe { to.plus(part.start).fill_here(part.len(), pattern) };
                Ok(())
            }
            Self::Host(work) => work(),
        }
    }
}

impl BackendGraph for CpuGraph {
    fn replay(&mut self, replay: GraphReplay, _stream: &dyn BackendStream) -> Result<()> {
        let mut left = replay;
        while left.times > 0 {
            let pass = self.tiling.next(left.first_phase, left.times);
            let part = GraphReplay { times: pass.steps, ..left };
            let start = pass.trial.map(|_| Clock::start(self.team.is_none()));
            match &pass.schedule {
                None => self.run_in_order(part)?,
                Some(schedule) => self.run_tiles(schedule, part)?,
            }
            if let Some((trial, start)) = pass.trial.zip(start) {
                self.tiling.took(trial, start.elapsed());
            }
            left.first_phase = ((left.first_phase as u64 + pass.steps) % self.phases.len() as u64) as usize;
            left.first_slot += pass.steps;
            left.times -= pass.steps;
        }
        Ok(())
    }

    fn update_value(&mut self, command: usize, argument: usize, value: &[u8]) -> Result<()> {
        self.values.update(command, argument, value)
    }

    fn update_footprint(&mut self, command: usize, footprint: LaunchFootprint) {
        self.tiling.update(command, &footprint);
    }

    fn plan(&self) -> GraphPlan {
        self.tiling.plan()
    }
}

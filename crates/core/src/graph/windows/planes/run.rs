//! A loop over planes whose kernels are loaded: its memory and its passes.

use super::super::Launched;
use super::super::addresses::MemoryTable;
use super::super::draft::Made;
use super::super::origins;
use super::super::values::Changing;
use super::maker::Param;
use super::shell::{self, THREADS, Work};
use super::{Limits, Plan, tile};
use crate::backend::boxes::{self, Box3, volume};
use crate::backend::rows::{Addresses, Binding, Command, NoPlan, Result as PlanResult, refuse};
use crate::backend::{
    BackendMemory, BackendStream, GraphArgument, GraphCommand, GraphPlan, LaunchDims, PackedArgument, TilingSetting,
};
use crate::device::DeviceInner;
use crate::launch::LaunchPlan;
use crate::memory::Memory;
use crate::{Device, Error, ErrorKind, Result};
use smallvec::SmallVec;
use std::ops::Range;

/// A loop whose kernels are loaded.
pub(in super::super) struct Planes {
    plan: Plan,
    binding: Binding,
    memory: MemoryTable,
    tile: Loaded,
    step: Loaded,
    ghosts: Loaded,
    /// The memory of the state in the first phase, and of where it goes.
    states: [Range<u64>; 2],
    /// What plays their part beside tiles between the first state of a pass and the last one.
    scratch: [Memory<u8>; 2],
}

/// A kernel, and its parameters in order.
struct Loaded {
    kernel: LaunchPlan,
    params: Vec<Param>,
}

/// Where a state lies: memory, and the byte of it.
type Place<'a> = (&'a dyn BackendMemory, u64);

impl Planes {
    /// Plans a loop and builds its kernels.
    pub(in super::super) fn of(
        device: &Device,
        setting: TilingSetting,
        commands: &[Vec<Command<'_>>],
        launched: &[Launched],
        changing: &Changing,
        memory: MemoryTable,
    ) -> PlanResult<Self> {
        let (of, binding, states) = boxes::plan(commands)?;
        let capabilities = device.capabilities();
        let free_bytes = device.inner.backend.memory_info().map_or(u64::MAX, |info| info.free);
        let (shared_bytes, items) = (capabilities.max_shared_bytes, capabilities.max_inner.0);
        let takes_volumes = device.inner.backend.takes_volumes(of.element_bytes as u32);
        let limits = Limits { shared_bytes, items, free_bytes, takes_volumes };
        let plan = Plan::of(of, setting, limits, states[0].end - states[0].start)?;
        let main = boxes::main_launch(&commands[0])?;
        let origins = origins::of(device, &launched[..1])?;
        let (Some(Some(origin)), Some(Some(launched))) = (origins.first(), launched.first()) else {
            return refuse("no launch is recorded");
        };
        let source = origins::items(origin, launched, main)?;
        let build = |made: std::result::Result<Made<Param>, String>| {
            let Made { module, params } = made.map_err(NoPlan::Refused)?;
            let name = module.kernels.first().map_or_else(String::new, |kernel| kernel.name.clone());
            match origin.build(device, &name, module) {
                Ok(kernel) => Ok(Loaded { kernel, params }),
                Err(error) => refuse(format!("the loop does not compile as planes: {error}")),
            }
        };
        let tile = build(tile::make(&plan, &source, changing))?;
        let step = build(shell::make(&plan, &source, changing, Work::Step))?;
        let ghosts = build(shell::make(&plan, &source, changing, Work::Ghosts))?;
        let items = [(plan.tile.threads(), &tile), (THREADS, &step), (THREADS, &ghosts)];
        if let Some((threads, of)) = items.iter().find(|(threads, of)| of.kernel.max_inner() < *threads as u64) {
            let most = of.kernel.max_inner();
            return refuse(format!("a group of its tiles has room for {most} items, not {threads}"));
        }
        let allocate = |range: &Range<u64>| match device.malloc::<u8>((range.end - range.start) as usize) {
            Err(error) if matches!(error.kind(), ErrorKind::OutOfMemory { .. }) => {
                refuse(format!("there is no memory for what is computed beside tiles: {error}"))
            }
            allocated => Ok(allocated?),
        };
        let scratch = [allocate(&states[0])?, allocate(&states[1])?];
        Ok(Self { plan, binding, memory, tile, step, ghosts, states, scratch })
    }

    /// Replaces a value; false where it is a constant of the kernels.
    pub(in super::super) fn set_value(&mut self, command: usize, argument: usize, value: &[u8]) -> bool {
        if command > 0 {
            return true;
        }
        let position = self.binding.positions.first().and_then(|arguments| arguments.get(argument));
        let Some(Some(position)) = position else { return true };
        let is_param = self.step.params.contains(&Param::Value(position.clone())) && position.len() == value.len();
        if is_param {
            self.binding.values[position.clone()].copy_from_slice(value);
        }
        is_param
    }

    /// Repetitions of the next pass, if there are `left` of them.
    pub(in super::super) fn pass(&self, left: u64) -> Option<u64> {
        self.plan.pass(left)
    }

    /// What the passes of a replay begin with: what nobody writes around the box is read beside tiles, from other memory.
    pub(in super::super) fn begin(&self, device: &DeviceInner, stream: &dyn BackendStream) -> Result<()> {
        for state in 0..2 {
            let places = [self.place(state)?, self.scratch(state)?];
            let [all, hole] = [self.plan.of.lattice.all(), self.plan.of.points.clone()];
            self.beside(&self.ghosts, places, [&all, &hole], (device, stream))?;
        }
        Ok(())
    }

    /// Queues a pass from a phase on.
    pub(in super::super) fn run(
        &self,
        device: &DeviceInner,
        phases: &[Vec<GraphCommand>],
        first_phase: usize,
        stream: &dyn BackendStream,
    ) -> Result<()> {
        let Plan { of, steps, .. } = &self.plan;
        for step in 0..*steps {
            let ((from, state), (to, next)) = (self.state(first_phase, step)?, self.state(first_phase, step + 1)?);
            self.beside(&self.step, [from, to], [&of.points, &of.hole(*steps, step)], (device, stream))?;
            let phase = &phases[(first_phase + step as usize) % phases.len()];
            phase[1..].iter().try_for_each(|command| self.queue_moved(command, [(state, from), (next, to)], stream))?;
        }
        let ((from, _), (to, _)) = (self.state(first_phase, 0)?, self.state(first_phase, *steps)?);
        let groups = self.plan.groups();
        let dims = LaunchDims { outer: groups.map(|of| of as u64), inner: [self.plan.tile.threads() as u64, 1, 1] };
        self.launch(&self.tile, [from, to], &groups, &dims, (device, stream))
    }

    /// The memory of a state, as the first phase has it.
    fn place(&self, state: usize) -> Result<Place<'_>> {
        let (memory, offset) = self.memory.at(self.states[state].start)?;
        Ok((&**memory, offset))
    }

    fn scratch(&self, state: usize) -> Result<Place<'_>> {
        let memory = self.scratch[state].untyped();
        match &memory.allocation.backend {
            Some(backend) => Ok((&**backend, memory.offset_bytes as u64)),
            None => Err(Error::new(ErrorKind::Internal { message: "a state without elements".to_owned() })),
        }
    }

    /// Where the state lies after so many steps of a pass for what runs beside tiles, and which of the two that is.
    fn state(&self, first_phase: usize, step: u64) -> Result<(Place<'_>, usize)> {
        let which = (first_phase + step as usize) % 2;
        let place = if step == 0 || step == self.plan.steps { self.place(which) } else { self.scratch(which) };
        Ok((place?, which))
    }

    /// One of the kernels that work on a box without another one in it.
    fn beside(
        &self,
        kernel: &Loaded,
        states: [Place<'_>; 2],
        [all, hole]: [&Box3; 2],
        queue: (&DeviceInner, &dyn BackendStream),
    ) -> Result<()> {
        let groups = ((volume(all) - volume(hole) + THREADS - 1) / THREADS).max(1);
        let [begin, end] = [hole.each_ref().map(|range| range.start), hole.each_ref().map(|range| range.end)];
        let numbers: Vec<i64> = [groups].into_iter().chain(begin).chain(end).collect();
        let dims = LaunchDims { outer: [groups as u64, 1, 1], inner: [THREADS as u64, 1, 1] };
        self.launch(kernel, states, &numbers, &dims, queue)
    }

    fn launch(
        &self,
        Loaded { kernel, params }: &Loaded,
        [from, to]: [Place<'_>; 2],
        numbers: &[i64],
        dims: &LaunchDims,
        (device, stream): (&DeviceInner, &dyn BackendStream),
    ) -> Result<()> {
        let numbers: Vec<[u8; 4]> = numbers.iter().map(|&number| (number as i32).to_ne_bytes()).collect();
        let param = |param: &Param| {
            Ok(match param {
                Param::From => self.packed(from, false),
                Param::To => self.packed(to, true),
                Param::InPlace(number, element_bytes) => {
                    let (memory, offset_bytes) = self.memory.at(self.binding.addresses[*number])?;
                    let bytes = memory.bytes() as u64 - offset_bytes;
                    PackedArgument::Memory {
                        memory: Some(&**memory),
                        offset_bytes,
                        bytes,
                        element_bytes: *element_bytes,
                        mutable: false,
                    }
                }
                Param::Value(bytes) => PackedArgument::Value(&self.binding.values[bytes.clone()]),
                Param::Number(number) => PackedArgument::Value(&numbers[*number]),
            })
        };
        let params = params.iter().map(param).collect::<Result<Vec<_>>>()?;
        // SAFETY: the arguments are those of the kernel's parameters in order; both states have the elements of the loop's, and the
        // graph and the loop keep their memory alive.
        unsafe { kernel.launch_made(device, dims, &params, stream) }
    }

    /// A state as an argument.
    fn packed<'a>(&self, (memory, offset_bytes): Place<'a>, mutable: bool) -> PackedArgument<'a> {
        let (bytes, element_bytes) = (self.states[0].end - self.states[0].start, self.plan.of.element_bytes as u32);
        PackedArgument::Memory { memory: Some(memory), offset_bytes, bytes, element_bytes, mutable }
    }

    /// A launch beside the main one, in the memory that plays the part of the states now.
    fn queue_moved(
        &self,
        command: &GraphCommand,
        moved: [(usize, Place<'_>); 2],
        stream: &dyn BackendStream,
    ) -> Result<()> {
        let GraphCommand::Launch { kernel, nest, dims, arguments, .. } = command else { return Ok(()) };
        let mut packed: SmallVec<[PackedArgument<'_>; 32]> = SmallVec::new();
        for argument in arguments {
            let mut own = argument.pack();
            if let (
                GraphArgument::Memory { memory: Some(of), .. },
                PackedArgument::Memory { memory, offset_bytes, .. },
            ) = (argument, &mut own)
            {
                // What lies in no state, as a record of faults, stays where it is.
                let at = self.memory.address(&**of, *offset_bytes as usize).ok();
                let part = moved.into_iter().find(|(state, _)| at.is_some_and(|at| self.states[*state].contains(&at)));
                if let (Some(at), Some((state, (place, first)))) = (at, part) {
                    (*memory, *offset_bytes) = (Some(place), first + (at - self.states[state].start));
                }
            }
            packed.push(own);
        }
        // SAFETY: core compared the arguments with the signature; in place of the states there is memory as long as these.
        unsafe { kernel.launch(nest, dims, &packed, stream) }
    }

    pub(in super::super) fn describe(&self) -> GraphPlan {
        let Plan { of, steps, tile, chunk } = &self.plan;
        let ([x, y], [own_x, own_y], [across, up, along]) =
            (tile.size(), tile.own(*steps, of.reach), self.plan.groups());
        let depth = of.depth(*steps);
        let reason = format!(
            "{across} x {up} tiles of {x} x {y} points, {own_x} x {own_y} of them their own, stream along {along} x {chunk} planes; \
             the outer {depth} layers are done before them"
        );
        GraphPlan { steps_per_pass: *steps, reason }
    }
}

//! A loop over planes whose kernels are loaded: its parameters and its passes.

use super::plan::Plan;
use super::planner::Planned;
use super::source::{self, THREADS};
use crate::context::Context;
use crate::executable::Executable;
use crate::internal_kernels::InternalKernels;
use crate::kernel::{CudaKernel, downcast_kernel};
use crate::memory::{CudaMemory, downcast};
use crate::queue::{Chain, Ends, Queue};
use crate::stream::CudaStream;
use ferrocca_core::backend::boxes::{Box3, BoxLoop, volume};
use ferrocca_core::backend::rows::Binding;
use ferrocca_core::backend::{GraphArgument, GraphCommand, GraphPlan, PackedArgument, Placement};
use ferrocca_core::{ErrorKind, Result};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Bytes of the parameters before the addresses.
const HEAD_BYTES: usize = 16;

/// A loop whose kernels are loaded.
pub(in crate::tiling) struct Planes {
    kernels: Kernels,
    plan: Plan,
    binding: Binding,
    /// The memory of the state in the first phase, and of where it goes.
    states: [Range<u64>; 2],
    /// What plays their part beside tiles between the first state of a pass and the last one.
    scratch: [CudaMemory; 2],
    /// As the kernels take them, without what differs between launches.
    parameters: Vec<u8>,
    values_at: usize,
    /// Passes as graphs, by the phase that they begin in.
    passes: Vec<Option<Pass>>,
}

/// In the order of [`source::entries`].
type Kernels = Vec<Arc<CudaKernel>>;

struct Pass {
    executable: Executable,
    /// It has the values of now.
    is_current: bool,
}

/// Those of a plan, compiled; the error inside is the reason why there are none.
fn kernels(internal: &InternalKernels, plan: &Plan) -> std::result::Result<Kernels, String> {
    let (text, entries) = (source::text(plan)?, source::entries(plan));
    let find = |(number, entry): (usize, &String)| {
        let shared_bytes = if number == 0 { plan.shared_bytes() as u64 } else { 0 };
        internal.kernel(&text, entry, shared_bytes, plan.program.options())
    };
    let found = entries.iter().enumerate().map(find).collect::<Result<_>>();
    found.map_err(|error| format!("the loop does not compile as planes: {error}"))
}

impl Planes {
    /// A planned loop; the error inside is the reason why it is none.
    pub(in crate::tiling) fn of(
        internal: &InternalKernels,
        planned: Planned,
        phases: usize,
    ) -> Result<std::result::Result<Self, String>> {
        let kernels = match kernels(internal, &planned.plan) {
            Ok(kernels) => kernels,
            Err(reason) => return Ok(Err(reason)),
        };
        let local = kernels[0].local_bytes()?;
        // Of single values that do not fit there may be a few; a column of elements has more bytes.
        if local > 64 {
            return Ok(Err(format!("its columns do not stay in registers: {local} bytes of a thread lie in memory")));
        }
        match Self::bound(kernels, planned, phases, &internal.context) {
            Err(error) if matches!(error.kind(), ErrorKind::OutOfMemory { .. }) => {
                Ok(Err(format!("there is no memory for what is computed beside tiles: {error}")))
            }
            bound => bound.map(Ok),
        }
    }

    pub(super) fn bound(
        kernels: Vec<Arc<CudaKernel>>,
        planned: Planned,
        phases: usize,
        context: &Arc<Context>,
    ) -> Result<Self> {
        let Planned { plan, binding, states } = planned;
        let allocate = |range: &Range<u64>| {
            CudaMemory::allocate(context, &OnceLock::new(), (range.end - range.start) as usize, Placement::Device)
        };
        let scratch = [allocate(&states[0])?, allocate(&states[1])?];
        let values_at = (HEAD_BYTES + binding.addresses.len().max(1) * size_of::<u64>()).next_multiple_of(16);
        let mut parameters = vec![0; HEAD_BYTES];
        parameters.extend(binding.addresses.iter().flat_map(|address| address.to_ne_bytes()));
        parameters.resize(values_at, 0);
        parameters.extend(&binding.values);
        parameters.resize(values_at + plan.value_bytes.max(16), 0);
        let passes = (0..phases).map(|_| None).collect();
        Ok(Self { kernels, plan, binding, states, scratch, parameters, values_at, passes })
    }

    /// False where the value is a constant of the text.
    pub(in crate::tiling) fn set_value(&mut self, command: usize, argument: usize, value: &[u8]) -> bool {
        if command == 0 {
            let position = self.binding.positions[0].get(argument).cloned().flatten();
            let Some(position) = position else { return true };
            if position.len() != value.len() || source::is_constant(&self.plan, argument) {
                return false;
            }
            self.parameters[self.values_at..][position].copy_from_slice(value);
        }
        self.passes.iter_mut().flatten().for_each(|pass| pass.is_current = false);
        true
    }

    pub(in crate::tiling) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What the passes of a replay begin with: what nobody writes around the box is read beside tiles, from other memory. The
    /// context is current.
    pub(in crate::tiling) fn begin(&self, queue: &impl Queue) -> Result<()> {
        for (state, scratch) in self.states.iter().zip(&self.scratch) {
            let BoxLoop { lattice, points, .. } = &self.plan.recorded;
            self.beside(1, [state.start, scratch.pointer()], [&lattice.all(), points], queue)?;
        }
        Ok(())
    }

    /// Queues a pass from a phase on, as a graph. The context is current.
    pub(in crate::tiling) fn run(
        &mut self,
        context: &Arc<Context>,
        phases: &[Vec<GraphCommand>],
        first_phase: usize,
        stream: &CudaStream,
    ) -> Result<()> {
        let mut pass = match self.passes[first_phase].take() {
            Some(known) => known,
            None => Pass { executable: Executable::of(self.chain(context, phases, first_phase)?)?, is_current: true },
        };
        if !pass.is_current && !pass.executable.update(self.chain(context, phases, first_phase)?)? {
            pass.executable = Executable::of(self.chain(context, phases, first_phase)?)?;
        }
        pass.is_current = true;
        let launched = pass.executable.launch(stream);
        self.passes[first_phase] = Some(pass);
        launched
    }

    fn chain(&self, context: &Arc<Context>, phases: &[Vec<GraphCommand>], first_phase: usize) -> Result<Chain> {
        let chain = Chain::new(context)?;
        chain.set_urgent(true);
        self.shell(phases, first_phase, &chain)?;
        chain.set_urgent(false);
        let shell = chain.replace_ends(Ends::default());
        self.tiles(first_phase, &chain)?;
        chain.join(shell);
        Ok(chain)
    }

    /// Where the state lies after so many steps of a pass for what runs beside tiles, and which of the two that is.
    fn state(&self, first_phase: usize, step: u64) -> (u64, usize) {
        let which = (first_phase + step as usize) % 2;
        match step {
            0 => (self.states[which].start, which),
            last if last == self.plan.steps => (self.states[which].start, which),
            _ => (self.scratch[which].pointer(), which),
        }
    }

    /// The middle of the box, after all steps.
    pub(super) fn tiles(&self, first_phase: usize, queue: &impl Queue) -> Result<()> {
        let [from, to] = [0, self.plan.steps].map(|step| self.state(first_phase, step).0);
        let mut parameters = self.parameters([from, to]);
        let blocks = self.plan.blocks().map(|blocks| blocks as u32);
        let parameter = parameters.as_mut_ptr().cast();
        // SAFETY: the kernel takes one structure, whose bytes these are; a block has fewer threads than a device allows, and there
        // are fewer blocks than points of a plane.
        unsafe { queue.run(self.kernels[0].grid(blocks, [self.plan.tile.threads() as u32, 1, 1], &mut [parameter])) }
    }

    /// All steps of what lies near the faces.
    pub(super) fn shell(&self, phases: &[Vec<GraphCommand>], first_phase: usize, queue: &impl Queue) -> Result<()> {
        let Plan { recorded, steps, .. } = &self.plan;
        for step in 0..*steps {
            let ((from, state), (to, next)) = (self.state(first_phase, step), self.state(first_phase, step + 1));
            let hole = recorded.hole(*steps, step);
            self.beside(2 + step as usize, [from, to], [&recorded.points, &hole], queue)?;
            let moved = [(state, from), (next, to)];
            let phase = &phases[(first_phase + step as usize) % phases.len()];
            phase[1..].iter().try_for_each(|command| self.enqueue_moved(command, moved, queue))?;
        }
        Ok(())
    }

    /// A launch beside the main one, in the memory that plays the part of the states now.
    fn enqueue_moved(&self, command: &GraphCommand, moved: [(usize, u64); 2], queue: &impl Queue) -> Result<()> {
        let GraphCommand::Launch { kernel, dims, arguments, .. } = command else { return Ok(()) };
        let mut memory: Vec<Option<CudaMemory>> = Vec::new();
        for argument in arguments {
            memory.push(match argument {
                GraphArgument::Memory { memory: Some(of), offset_bytes, bytes, .. } => {
                    let of = downcast(&**of)?;
                    let at = of.pointer() + offset_bytes;
                    let part = moved.into_iter().find(|(state, _)| self.states[*state].contains(&at));
                    let place = part.map_or(at, |(state, place)| place + (at - self.states[state].start));
                    Some(CudaMemory::foreign(of.context(), place, *bytes as usize))
                }
                _ => None,
            });
        }
        let packed: SmallVec<[PackedArgument<'_>; 32]> =
            arguments.iter().zip(&memory).map(|(argument, memory)| pack(argument, memory.as_ref())).collect();
        // SAFETY: core compared the arguments with the signature; in place of the states there is memory as long as these, which
        // the loop keeps.
        unsafe { downcast_kernel(&**kernel)?.enqueue(dims, &packed, queue) }
    }

    /// One of the kernels that work on a box without another one in it.
    fn beside(&self, kernel: usize, states: [u64; 2], [all, hole]: [&Box3; 2], queue: &impl Queue) -> Result<()> {
        let points = volume(all) - volume(hole);
        let mut parameters = self.parameters(states);
        let (blocks, parameter) = (((points + THREADS - 1) / THREADS).max(1) as u32, parameters.as_mut_ptr().cast());
        // SAFETY: the kernel takes one structure, whose bytes these are; there are fewer points than 31 bits count.
        unsafe { queue.run(self.kernels[kernel].grid([blocks, 1, 1], [THREADS as u32, 1, 1], &mut [parameter])) }
    }

    /// With where the state is read, and where it goes.
    fn parameters(&self, states: [u64; 2]) -> Vec<u8> {
        let mut parameters = self.parameters.clone();
        for (place, state) in parameters.chunks_exact_mut(size_of::<u64>()).zip(states) {
            place.copy_from_slice(&state.to_ne_bytes());
        }
        parameters
    }

    pub(in crate::tiling) fn describe(&self) -> GraphPlan {
        let ([x, y], [own_x, own_y], [across, up, along]) =
            (self.plan.tile.size(), self.plan.own(), self.plan.blocks());
        let (depth, chunk) = (self.plan.recorded.depth(self.plan.steps), self.plan.chunk);
        let reason = format!(
            "{across} x {up} tiles of {x} x {y} points, {own_x} x {own_y} of them their own, stream along {along} x {chunk} planes; \
             the outer {depth} layers are done beside them"
        );
        GraphPlan { steps_per_pass: self.plan.steps, reason }
    }
}

/// An argument, in other memory where there is some.
fn pack<'a>(argument: &'a GraphArgument, moved: Option<&'a CudaMemory>) -> PackedArgument<'a> {
    match (argument.pack(), moved) {
        (PackedArgument::Memory { bytes, element_bytes, mutable, .. }, Some(memory)) => {
            PackedArgument::Memory { memory: Some(memory), offset_bytes: 0, bytes, element_bytes, mutable }
        }
        (packed, _) => packed,
    }
}

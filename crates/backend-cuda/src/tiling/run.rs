//! A loop in windows whose kernel is loaded: its parameters and its passes, and when it is made.

use super::pass::{Pass, Pieces};
use super::plan::{Plan, WARP, WARPS};
use super::planes::planner::Limits;
use super::planes::{self, Planes};
use super::planner;
use super::source;
use crate::context::Context;
use crate::device;
use crate::error;
use crate::internal_kernels::InternalKernels;
use crate::kernel::CudaKernel;
use crate::queue::Queue;
use crate::stream::CudaStream;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use ferrocca_core::Result;
use ferrocca_core::backend::boxes;
use ferrocca_core::backend::rows::{Binding, Ends, NoPlan};
use ferrocca_core::backend::{GraphCommand, GraphPlan, GraphReplay, TilingSetting};
use std::ops::Range;
use std::sync::Arc;

/// Bytes of the parameters before the addresses: repetitions, and windows from one to another.
const HEAD_BYTES: usize = 16;

/// Repetitions that `auto` has to see before it compiles: what that takes should come back.
const ENOUGH_REPETITIONS: u64 = 100;

/// Passes that are kept: replays of different lengths alternate.
const MOST_PASSES: usize = 8;

/// The tiling of a graph.
pub(crate) struct Tiling {
    setting: TilingSetting,
    /// Repetitions that were asked for.
    seen: u64,
    state: State,
}

enum State {
    /// Nothing was planned.
    Open,
    /// One repetition after the other, and why.
    Plain(String),
    Tiles(Box<Tiles>),
    Planes(Box<Planes>),
}

/// A loop whose kernel is loaded.
pub(super) struct Tiles {
    kernel: Arc<CudaKernel>,
    plan: Plan,
    binding: Binding,
    /// As the kernel takes them.
    parameters: Vec<u8>,
    /// Where the values begin in them.
    values_at: usize,
    /// Passes whose ends run as they were recorded, the ones that ran last.
    passes: Vec<Pass>,
}

impl Tiling {
    /// Of a loop that nobody has replayed.
    pub(crate) fn new(setting: TilingSetting) -> Self {
        Self { setting, seen: 0, state: State::Open }
    }

    /// Queues as many repetitions as passes can do, and answers what is left.
    pub(crate) fn run(
        &mut self,
        internal: &InternalKernels,
        phases: &[Vec<GraphCommand>],
        mut replay: GraphReplay,
        stream: &CudaStream,
    ) -> Result<GraphReplay> {
        self.seen = self.seen.saturating_add(replay.times);
        let is_worth = self.setting != TilingSetting::Auto || self.seen >= ENOUGH_REPETITIONS;
        if matches!(self.state, State::Open) && is_worth {
            self.state = State::of(internal, phases, self.setting)?;
        }
        let context = &internal.context;
        if let State::Planes(planes) = &self.state
            && planes.plan().pass(replay.times).is_some()
        {
            planes.begin(stream)?;
        }
        while let Some(steps) = self.state.pass(replay.times) {
            match &mut self.state {
                State::Tiles(tiles) => tiles.run(context, phases, replay.first_phase, steps, stream)?,
                State::Planes(planes) => planes.run(context, phases, replay.first_phase, stream)?,
                State::Open | State::Plain(_) => {}
            }
            replay.first_phase = ((replay.first_phase as u64 + steps) % phases.len() as u64) as usize;
            replay.first_slot += steps;
            replay.times -= steps;
        }
        Ok(replay)
    }

    /// Replaces a value. Where it stands in the text, the loop is planned anew.
    pub(crate) fn set_value(&mut self, command: usize, argument: usize, value: &[u8]) {
        let is_taken = match &mut self.state {
            State::Tiles(tiles) => tiles.set_value(command, argument, value),
            State::Planes(planes) => planes.set_value(command, argument, value),
            State::Open | State::Plain(_) => true,
        };
        if !is_taken {
            self.reset();
        }
    }

    /// Forgets what was planned: a footprint is another one.
    pub(crate) fn reset(&mut self) {
        self.state = State::Open;
    }

    /// What is done, and why.
    pub(crate) fn plan(&self) -> GraphPlan {
        match &self.state {
            State::Open => GraphPlan::one_step("no replay was long enough yet to decide"),
            State::Plain(reason) => GraphPlan::one_step(reason.clone()),
            State::Tiles(tiles) => tiles.describe(),
            State::Planes(planes) => planes.describe(),
        }
    }
}

impl State {
    /// Repetitions of the next pass, if there are `left` of them.
    fn pass(&self, left: u64) -> Option<u64> {
        match self {
            Self::Open | Self::Plain(_) => None,
            Self::Tiles(tiles) => tiles.plan.pass(left),
            Self::Planes(planes) => planes.plan().pass(left),
        }
    }

    fn of(internal: &InternalKernels, phases: &[Vec<GraphCommand>], setting: TilingSetting) -> Result<Self> {
        if setting == TilingSetting::Off {
            return Ok(Self::Plain("the property `tiling` is `off`".to_owned()));
        }
        if boxes::has_axes(phases) {
            return Self::over_planes(internal, phases, setting);
        }
        let (plan, binding) = match planner::plan(phases, setting) {
            Ok(planned) => planned,
            Err(NoPlan::Refused(reason)) => return Ok(Self::Plain(reason)),
            Err(NoPlan::Fault(error)) => return Err(error),
        };
        let text = match source::text(&plan) {
            Ok(text) => text,
            Err(reason) => return Ok(Self::Plain(reason)),
        };
        // What the parts take by themselves they may not take together: a pointer is used otherwise than by `[]`.
        let kernel = match internal.kernel(&text, &source::entry(&plan), 0, &plan.options) {
            Ok(kernel) => kernel,
            Err(error) => return Ok(Self::Plain(format!("the loop does not compile as tiles: {error}"))),
        };
        // Of single values that do not fit there may be a few; an array of elements has more bytes.
        if kernel.local_bytes()? >= 4 * plan.per_thread as u64 {
            return Ok(Self::Plain("its elements do not stay in registers".to_owned()));
        }
        Ok(Self::Tiles(Box::new(Tiles::bound(kernel, plan, binding))))
    }

    /// Of a loop over several axes.
    fn over_planes(internal: &InternalKernels, phases: &[Vec<GraphCommand>], setting: TilingSetting) -> Result<Self> {
        let attribute =
            |attribute| device::attribute_of(internal.context.driver(), internal.context.device(), attribute);
        let limits = Limits {
            shared_bytes: internal.compiler.max_shared_bytes,
            multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            cache_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?,
            free_bytes: internal.context.memory_info()?.0 as u64,
        };
        let planned = match planes::planner::plan(phases, setting, limits) {
            Ok(planned) => planned,
            Err(NoPlan::Refused(reason)) => return Ok(Self::Plain(reason)),
            Err(NoPlan::Fault(error)) => return Err(error),
        };
        Ok(match Planes::of(internal, planned, phases.len())? {
            Ok(planes) => Self::Planes(Box::new(planes)),
            Err(reason) => Self::Plain(reason),
        })
    }
}

impl Tiles {
    pub(super) fn bound(kernel: Arc<CudaKernel>, plan: Plan, binding: Binding) -> Self {
        let addresses = plan.row.buffers.len() * size_of::<u64>();
        let values_at = (HEAD_BYTES + addresses).next_multiple_of(16);
        let mut parameters = vec![0; values_at];
        parameters.extend(&binding.values);
        parameters.resize(values_at + plan.value_bytes.max(16), 0);
        parameters.extend(binding.messages.iter().flatten().flat_map(|word| word.to_ne_bytes()));
        parameters.resize(parameters.len().next_multiple_of(16), 0);
        Self { kernel, plan, binding, parameters, values_at, passes: Vec::new() }
    }

    /// False where the value is a constant of the text.
    pub(super) fn set_value(&mut self, command: usize, argument: usize, value: &[u8]) -> bool {
        let position = self.binding.positions.get(command).and_then(|arguments| arguments.get(argument));
        let Some(Some(position)) = position else { return true };
        if position.len() != value.len() || source::is_constant(&self.plan, command, argument) {
            return false;
        }
        self.parameters[self.values_at..][position.clone()].copy_from_slice(value);
        self.passes.iter_mut().for_each(Pass::outdate);
        true
    }

    /// Queues a pass of repetitions from a phase on.
    fn run(
        &mut self,
        context: &Arc<Context>,
        phases: &[Vec<GraphCommand>],
        first_phase: usize,
        steps: u64,
        stream: &CudaStream,
    ) -> Result<()> {
        if self.plan.ends == Ends::Shared {
            return self.launch(first_phase, steps, stream);
        }
        let found = self.passes.iter().position(|pass| pass.is_of(first_phase, steps));
        let known = found.map(|position| self.passes.remove(position));
        let pieces = Pieces::of(self, phases, first_phase, steps);
        let pieces = pieces.ok_or_else(|| error::internal("a pass of fewer windows than its ends touch"))?;
        let mut pass = Pass::of(&pieces, context, known)?;
        let launched = pass.launch(stream);
        if self.passes.len() == MOST_PASSES {
            self.passes.remove(0);
        }
        self.passes.push(pass);
        launched
    }

    /// Queues a pass as one kernel.
    pub(super) fn launch(&self, first_phase: usize, steps: u64, stream: &CudaStream) -> Result<()> {
        let windows = 0..self.plan.windows(steps);
        self.windows(steps, windows, &|buffer| self.address(buffer, first_phase), stream)
    }

    /// Where a buffer lies in a pass from a phase on.
    pub(super) fn address(&self, buffer: usize, first_phase: usize) -> u64 {
        self.binding.addresses[self.plan.row.moved(buffer, first_phase)]
    }

    /// Queues some windows of a pass, whose buffers begin at these addresses; the ends with them, where they are in its kernel.
    pub(super) fn windows(
        &self,
        steps: u64,
        windows: Range<i64>,
        address: &dyn Fn(usize) -> u64,
        queue: &impl Queue,
    ) -> Result<()> {
        let mut parameters = self.parameters.clone();
        parameters[..8].copy_from_slice(&steps.to_ne_bytes());
        parameters[8..12].copy_from_slice(&(windows.start as u32).to_ne_bytes());
        parameters[12..16].copy_from_slice(&(windows.end as u32).to_ne_bytes());
        let places = parameters[HEAD_BYTES..].chunks_exact_mut(size_of::<u64>());
        for (buffer, place) in (0..self.plan.row.buffers.len()).zip(places) {
            place.copy_from_slice(&address(buffer).to_ne_bytes());
        }
        let ends = u32::from(self.plan.ends == Ends::Shared);
        let blocks = ends + ((windows.end - windows.start) as u32).div_ceil(WARPS as u32);
        let threads = (WARP * WARPS) as u32;
        let parameter = parameters.as_mut_ptr().cast();
        // SAFETY: the kernel takes one structure, whose bytes these are; there are fewer blocks than elements, whose number fits
        // 31 bits.
        unsafe { queue.run(self.kernel.grid([blocks, 1, 1], [threads, 1, 1], &mut [parameter])) }
    }

    fn describe(&self) -> GraphPlan {
        let (window, steps) = (self.plan.window(), self.plan.steps);
        let own = window - steps as i64 * (self.plan.row.shrink[0] + self.plan.row.shrink[1]);
        let ends = match self.plan.ends {
            Ends::Shared if self.plan.messages > 0 => "; the block of the ends sends and receives",
            Ends::Shared => "",
            Ends::Recorded => "; beside them the ends run as they were recorded",
        };
        let reason = format!(
            "{} windows of {window} elements in the registers of a warp, {own} of them its own{ends}",
            self.plan.windows(steps)
        );
        GraphPlan { steps_per_pass: steps, reason }
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }
}

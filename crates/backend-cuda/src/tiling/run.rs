//! A loop in windows whose kernel is loaded: its parameters and its passes, and when it is made.

use super::plan::{Plan, WARP, WARPS};
use super::planner;
use super::source;
use crate::internal_kernels::InternalKernels;
use crate::kernel::CudaKernel;
use crate::loop_plan::{Binding, NoPlan};
use crate::queue::Queue;
use crate::stream::CudaStream;
use ferrocca_core::Result;
use ferrocca_core::backend::{GraphCommand, GraphPlan, GraphReplay, TilingSetting};
use std::sync::Arc;

/// Bytes of the parameters before the addresses: repetitions, nothing.
const HEAD_BYTES: usize = 16;

/// Repetitions that `auto` has to see before it compiles: what that takes should come back.
const ENOUGH_REPETITIONS: u64 = 100;

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
        let State::Tiles(tiles) = &mut self.state else { return Ok(replay) };
        while let Some(steps) = tiles.plan.pass(replay.times) {
            tiles.launch(replay.first_phase, steps, stream)?;
            replay.first_phase = ((replay.first_phase as u64 + steps) % phases.len() as u64) as usize;
            replay.first_slot += steps;
            replay.times -= steps;
        }
        Ok(replay)
    }

    /// Replaces a value. Where it stands in the text, the loop is planned anew.
    pub(crate) fn set_value(&mut self, command: usize, argument: usize, value: &[u8]) {
        if let State::Tiles(tiles) = &mut self.state
            && !tiles.set_value(command, argument, value)
        {
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
        }
    }
}

impl State {
    fn of(internal: &InternalKernels, phases: &[Vec<GraphCommand>], setting: TilingSetting) -> Result<Self> {
        if setting == TilingSetting::Off {
            return Ok(Self::Plain("the property `tiling` is `off`".to_owned()));
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
}

impl Tiles {
    pub(super) fn bound(kernel: Arc<CudaKernel>, plan: Plan, binding: Binding) -> Self {
        let addresses = plan.buffers.len() * size_of::<u64>();
        let values_at = (HEAD_BYTES + addresses).next_multiple_of(16);
        let mut parameters = vec![0; values_at];
        parameters.extend(&binding.values);
        parameters.resize(values_at + plan.value_bytes.max(16), 0);
        Self { kernel, plan, binding, parameters, values_at }
    }

    /// False where the value is a constant of the text.
    pub(super) fn set_value(&mut self, command: usize, argument: usize, value: &[u8]) -> bool {
        let position = self.binding.positions.get(command).and_then(|arguments| arguments.get(argument));
        let Some(Some(position)) = position else { return true };
        if position.len() != value.len() || source::is_constant(&self.plan, command, argument) {
            return false;
        }
        self.parameters[self.values_at..][position.clone()].copy_from_slice(value);
        true
    }

    /// Queues a pass of repetitions from a phase on.
    pub(super) fn launch(&mut self, first_phase: usize, steps: u64, stream: &CudaStream) -> Result<()> {
        self.parameters[..8].copy_from_slice(&steps.to_ne_bytes());
        let places = self.parameters[HEAD_BYTES..].chunks_exact_mut(size_of::<u64>());
        for (buffer, place) in (0..self.plan.buffers.len()).zip(places) {
            let address = self.binding.addresses[self.plan.moved(buffer, first_phase)];
            place.copy_from_slice(&address.to_ne_bytes());
        }
        let blocks = 1 + (self.plan.windows(steps) as u64).div_ceil(WARPS as u64);
        let threads = (WARP * WARPS) as u32;
        let parameter = self.parameters.as_mut_ptr().cast();
        // SAFETY: the kernel takes one structure, whose bytes these are; there are fewer blocks than elements, whose number fits
        // 31 bits.
        unsafe { stream.run(self.kernel.grid([blocks as u32, 1, 1], [threads, 1, 1], &mut [parameter])) }
    }

    fn describe(&self) -> GraphPlan {
        let (window, steps) = (self.plan.window(), self.plan.steps);
        let own = window - steps as i64 * (self.plan.shrink[0] + self.plan.shrink[1]);
        let reason = format!(
            "{} windows of {window} elements in the registers of a warp, {own} of them its own",
            self.plan.windows(steps)
        );
        GraphPlan { steps_per_pass: steps, reason }
    }

    #[cfg(test)]
    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }
}

//! Several repetitions of a recorded loop in one pass through memory, for backends that leave this to core
//! ([`BackendDevice::windows`](crate::backend::BackendDevice::windows)): temporal blocking of loops over one axis.
//!
//! **The data's way.** A group loads a *window* of each buffer into shared memory, does several repetitions there, and stores what is
//! right of it: windows overlap by what neighbours would have sent meanwhile, which is computed twice instead. The first group has
//! the two *ends* of the row, where an index that is not a neighbour's (a periodic wrap, a wall, a ghost) finds what it asks for;
//! short copies within the ends are its own, too. A pass reads the buffers that carry the state and writes others, which the
//! rotation of the loop has for that; the last repetitions of a replay run as they were recorded and leave every buffer with the
//! bits that it would have.
//!
//! **One text for all targets.** The kernel is made in the compiler's IR ([`kernel`]) from the IR of the loop's own kernels: what an
//! item of them does ([`item`]), with its index computed from the window and its memory replaced by shared arrays. It then goes
//! the way of any other kernel, through the target's passes, text and compiler.
//!
//! **The files, in reading order.** What a loop is says [`crate::backend::rows`]; [`addresses`]: where memory is that has no address.
//! [`plan`](mod@plan): how large windows are. [`item`] and [`kernel`]: the IR. [`run`]: the kernel is built, and passes are queued.
//!
//! **Deliberately not here.** Loops over several axes, messages of other devices, snapshots: they are replayed as they were recorded,
//! and [`Graph::plan`](super::Graph::plan) says so.

mod addresses;
mod draft;
mod item;
mod kernel;
mod layout;
mod linear;
mod origins;
mod plan;
mod planes;
mod run;
mod values;

use crate::backend::boxes;
use crate::backend::rows::{Command, Ends, NoPlan};
use crate::backend::{BackendStream, GraphCommand, GraphPlan, GraphReplay, TilingSetting};
use crate::device::DeviceInner;
use crate::kernel::Kernel;
use crate::{Device, Result};
use addresses::MemoryTable;
use planes::Planes;
use run::Tiles;
use std::sync::Arc;
use values::Changing;

/// Repetitions that `auto` has to see before it compiles: what that takes should come back.
const ENOUGH_REPETITIONS: u64 = 100;

/// The kernel that a command launches, and which of its nests.
pub(super) type Launched = Option<(Kernel, usize)>;

/// The windows of a list of commands.
pub(super) struct Windows {
    device: Device,
    setting: TilingSetting,
    launched: Vec<Launched>,
    /// Values that were replaced, by command and argument, and are no constants of a kernel any more.
    changing: Changing,
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

impl Windows {
    /// Of commands that nobody has replayed; `None` where the backend does not leave this to core.
    pub(super) fn new(device: &Arc<DeviceInner>, launched: Vec<Launched>) -> Option<Self> {
        let setting = device.backend.windows()?;
        let device = Device::from_inner(device.clone());
        Some(Self { device, setting, launched, changing: Changing::new(), seen: 0, state: State::Open })
    }

    /// Queues as many repetitions as passes can do, and answers what is left.
    pub(super) fn run(
        &mut self,
        phases: &[Vec<GraphCommand>],
        mut replay: GraphReplay,
        stream: &dyn BackendStream,
    ) -> Result<GraphReplay> {
        self.seen = self.seen.saturating_add(replay.times);
        let is_worth = self.setting != TilingSetting::Auto || self.seen >= ENOUGH_REPETITIONS;
        if matches!(self.state, State::Open) && is_worth {
            self.state = match self.planned(phases) {
                Ok(state) => state,
                Err(NoPlan::Refused(reason)) => State::Plain(reason),
                Err(NoPlan::Fault(error)) => return Err(error),
            };
        }
        let device = &*self.device.inner;
        if let State::Planes(planes) = &self.state
            && planes.pass(replay.times).is_some()
        {
            planes.begin(device, stream)?;
        }
        while let Some(steps) = self.state.pass(replay.times) {
            match &self.state {
                State::Tiles(tiles) => tiles.launch(device, replay.first_phase, steps, stream)?,
                State::Planes(planes) => planes.run(device, phases, replay.first_phase, stream)?,
                State::Open | State::Plain(_) => {}
            }
            replay.first_phase = ((replay.first_phase as u64 + steps) % phases.len() as u64) as usize;
            replay.first_slot += steps;
            replay.times -= steps;
        }
        Ok(replay)
    }

    fn planned(&self, phases: &[Vec<GraphCommand>]) -> std::result::Result<State, NoPlan> {
        let refuse = |reason: &str| Err(NoPlan::Refused(reason.to_owned()));
        if self.setting == TilingSetting::Off {
            return refuse("the property `tiling` is `off`");
        }
        if self.setting == TilingSetting::Auto && self.device.capabilities().runs_on_processor {
            return refuse("the device is a processor, whose groups share no faster memory: `tiling` can be a number");
        }
        let table = MemoryTable::of(phases)?;
        let command = |command| Command::of(command, Ends::Shared, &table);
        let commands: Vec<Vec<_>> = phases
            .iter()
            .map(|phase| phase.iter().map(command).collect())
            .collect::<std::result::Result<_, NoPlan>>()?;
        let Self { device, setting, launched, changing, .. } = self;
        if boxes::has_axes(phases) {
            let planes = Planes::of(device, *setting, &commands, launched, changing, table)?;
            return Ok(State::Planes(Box::new(planes)));
        }
        let tiles = Tiles::of(device, *setting, &commands, launched, changing, table)?;
        Ok(State::Tiles(Box::new(tiles)))
    }

    /// Replaces a value. Where it stands in the kernel, the loop is planned anew, once.
    pub(super) fn set_value(&mut self, command: usize, argument: usize, value: &[u8]) {
        self.changing.insert((command, argument));
        let is_taken = match &mut self.state {
            State::Tiles(tiles) => tiles.set_value(command, argument, value),
            State::Planes(planes) => planes.set_value(command, argument, value),
            State::Open | State::Plain(_) => true,
        };
        if !is_taken {
            self.state = State::Open;
        }
    }

    /// Forgets what was planned: a footprint is another one.
    pub(super) fn reset(&mut self) {
        self.state = State::Open;
    }

    /// What is done, and why.
    pub(super) fn plan(&self) -> GraphPlan {
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
            Self::Tiles(tiles) => tiles.plan().pass(left),
            Self::Planes(planes) => planes.pass(left),
        }
    }
}

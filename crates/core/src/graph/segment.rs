//! Commands that are made ready together, and the work of the host between them.

use super::replay;
use super::windows::{Launched, Windows};
use crate::backend::{
    BackendGraph, BackendStream, GraphArgument, GraphCommand, GraphPlan, GraphReplay, LaunchFootprint, Mail,
};
use crate::device::DeviceInner;
use crate::memory::AnyMemory;
use crate::{Error, Result};
use std::sync::Arc;

/// What the host does at a point of each repetition.
pub(super) type HostWork = dyn Fn(&[AnyMemory]) -> Result<()> + Send + Sync;

/// What queues work of another library on a stream: its handle, the memory that is read and what is written.
pub(super) type NativeWork = dyn Fn(u64, &[AnyMemory], &[AnyMemory]) -> Result<()> + Send + Sync;

/// The messages that such work is, for the same memory.
pub(super) type MailOf = dyn Fn(&[AnyMemory], &[AnyMemory]) -> Option<Mail> + Send + Sync;

/// Commands without work of the host between them.
pub(super) struct Segment {
    /// Dropped before what it refers to.
    lowered: Option<Box<dyn BackendGraph>>,
    /// Where core runs several repetitions at a time.
    windows: Option<Windows>,
    /// By phase.
    phases: Vec<Vec<GraphCommand>>,
    /// Position of its first command among those of the graph.
    pub(super) first_command: usize,
}

/// Work of the host after a segment.
pub(super) struct HostStep {
    /// The memory that it is given, by phase.
    pub(super) phases: Vec<Vec<AnyMemory>>,
    pub(super) work: Arc<HostWork>,
}

impl Segment {
    /// Lets the backend make the commands ready; `launched` says what each of them launches.
    pub(super) fn new(
        device: &Arc<DeviceInner>,
        first_command: usize,
        phases: Vec<Vec<GraphCommand>>,
        launched: Vec<Launched>,
    ) -> Result<Self> {
        let lowered = if phases[0].is_empty() {
            None
        } else {
            // SAFETY: the arguments were compared with the kernels' signatures and the ranges checked when they were
            // recorded; `Graph::queue` keeps slots inside their rings.
            unsafe { device.backend.lower_graph(&phases) }?
        };
        Ok(Self { lowered, windows: Windows::new(device, launched), phases, first_command })
    }

    /// Number of commands.
    pub(super) fn commands(&self) -> usize {
        self.phases[0].len()
    }

    pub(super) fn run(&mut self, mut replay: GraphReplay, stream: &dyn BackendStream) -> Result<()> {
        if let Some(windows) = &mut self.windows {
            replay = windows.run(&self.phases, replay, stream)?;
        }
        match &mut self.lowered {
            _ if self.phases[0].is_empty() || replay.times == 0 => Ok(()),
            Some(lowered) => lowered.replay(replay, stream),
            None => replay::run(&self.phases, replay, stream),
        }
    }

    /// Replaces a footprint; `command` is a position among the graph's.
    pub(super) fn update_footprint(&mut self, command: usize, footprint: LaunchFootprint) {
        let command = command - self.first_command;
        if let Some(windows) = &mut self.windows {
            for phase in &mut self.phases {
                if let Some(GraphCommand::Launch { footprint: own, .. }) = phase.get_mut(command)
                    && *own != footprint
                {
                    own.clone_from(&footprint);
                    windows.reset();
                }
            }
        }
        if let Some(lowered) = &mut self.lowered {
            lowered.update_footprint(command, footprint);
        }
    }

    /// How it is replayed.
    pub(super) fn plan(&self) -> GraphPlan {
        match (&self.windows, &self.lowered) {
            (Some(windows), _) => windows.plan(),
            (None, Some(lowered)) => lowered.plan(),
            (None, None) => GraphPlan::one_step("this mode replays the commands in order"),
        }
    }

    /// Replaces a value; `command` is a position among the graph's.
    pub(super) fn update_value(&mut self, command: usize, argument: usize, value: &[u8]) -> Result<(), Error> {
        let command = command - self.first_command;
        if let Some(lowered) = &mut self.lowered {
            lowered.update_value(command, argument, value)?;
        }
        if let Some(windows) = &mut self.windows {
            windows.set_value(command, argument, value);
        }
        for phase in &mut self.phases {
            if let Some(GraphCommand::Launch { arguments, .. }) = phase.get_mut(command)
                && let Some(GraphArgument::Value(old)) = arguments.get_mut(argument)
            {
                old.clear();
                old.extend_from_slice(value);
            }
        }
        Ok(())
    }
}

//! Kernels and graphs that do no work.

use super::{Call, Launch, LaunchArgument, Replay, State, lock};
use ferrocca_core::Result;
use ferrocca_core::backend::{BackendGraph, BackendKernel, BackendStream, GraphReplay, LaunchDims, PackedArgument};
use okl::signature::NestSignature;
use std::sync::Arc;

pub(super) struct NullKernel {
    pub(super) state: Arc<State>,
}

impl BackendKernel for NullKernel {
    fn max_inner(&self) -> u64 {
        512
    }

    unsafe fn launch(
        &self,
        nest: &NestSignature,
        dims: &LaunchDims,
        arguments: &[PackedArgument<'_>],
        stream: &dyn BackendStream,
    ) -> Result<()> {
        self.state.enter(Call::Launch)?;
        if let Some(launches) = &mut *lock(&self.state.launches) {
            let arguments = arguments.iter().map(record).collect();
            launches.push(Launch { entry: nest.entry.clone(), dims: *dims, arguments, stream: stream.handle() });
        }
        Ok(())
    }
}

fn record(argument: &PackedArgument<'_>) -> LaunchArgument {
    match argument {
        PackedArgument::Value(bytes) => LaunchArgument::Value(bytes.to_vec()),
        PackedArgument::Memory { memory, offset_bytes, bytes, mutable, .. } => {
            LaunchArgument::Memory(memory.map(|memory| memory.handle().raw()), *offset_bytes, *bytes, *mutable)
        }
    }
}

pub(super) struct NullGraph {
    pub(super) state: Arc<State>,
    pub(super) phases: usize,
    pub(super) commands: usize,
}

impl BackendGraph for NullGraph {
    fn replay(&mut self, replay: GraphReplay, stream: &dyn BackendStream) -> Result<()> {
        self.state.enter(Call::Replay)?;
        let replay = Replay { phases: self.phases, commands: self.commands, replay, stream: stream.handle() };
        lock(&self.state.replays).0.push(replay);
        Ok(())
    }

    fn update_value(&mut self, command: usize, argument: usize, value: &[u8]) -> Result<()> {
        self.state.enter(Call::UpdateValue)?;
        lock(&self.state.replays).1.push((command, argument, value.to_vec()));
        Ok(())
    }
}

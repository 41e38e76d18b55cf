//! Recorded graphs: launches whose pipelines, bind groups and arguments are found once.

use crate::context::Context;
use crate::error;
use crate::kernel::{Ready, WgpuKernel};
use crate::memory::WgpuMemory;
use crate::transfer::{self, At};
use ferrocca_core::Result;
use ferrocca_core::backend::{
    BackendGraph, BackendKernel, BackendMemory, BackendStream, GraphCommand, GraphReplay, PackedArgument,
};
use std::any::Any;
use std::sync::Arc;

/// A graph that is ready to be recorded into the queue again and again.
pub(crate) struct WgpuGraph {
    context: Arc<Context>,
    phases: Vec<Vec<Step>>,
}

enum Step {
    Launch { kernel: Arc<dyn BackendKernel>, ready: Box<Ready> },
    Copy { destination: Place, stride: u64, source: Place, bytes: u64 },
    Fill { destination: Place, bytes: u64, pattern: Vec<u8> },
}

/// A byte of memory that the graph keeps alive.
struct Place {
    memory: Arc<dyn BackendMemory>,
    offset: u64,
}

impl Place {
    fn at(&self, further: u64) -> Result<At<'_>> {
        let memory = WgpuMemory::of(&*self.memory)?;
        Ok(At { buffer: &memory.buffer, id: memory.id, offset: self.offset + further })
    }
}

fn kernel_of(kernel: &Arc<dyn BackendKernel>) -> Result<&WgpuKernel> {
    (&**kernel as &dyn Any).downcast_ref().ok_or_else(|| error::internal("a kernel of another backend reached WebGPU"))
}

impl WgpuGraph {
    pub(crate) fn new(context: &Arc<Context>, phases: &[Vec<GraphCommand>]) -> Result<Self> {
        let phase = |commands: &Vec<GraphCommand>| commands.iter().map(step).collect::<Result<Vec<Step>>>();
        Ok(Self { context: Arc::clone(context), phases: phases.iter().map(phase).collect::<Result<_>>()? })
    }
}

fn step(command: &GraphCommand) -> Result<Step> {
    Ok(match command {
        GraphCommand::Launch { kernel, nest: _, dims, arguments, .. } => {
            let packed: Vec<PackedArgument<'_>> = arguments.iter().map(|argument| argument.pack()).collect();
            let ready = kernel_of(kernel)?.prepare(dims, &packed)?;
            Step::Launch { kernel: Arc::clone(kernel), ready: Box::new(ready) }
        }
        GraphCommand::Copy { destination, destination_offset, destination_stride, source, source_offset, bytes } => {
            Step::Copy {
                destination: Place { memory: Arc::clone(destination), offset: *destination_offset as u64 },
                stride: *destination_stride as u64,
                source: Place { memory: Arc::clone(source), offset: *source_offset as u64 },
                bytes: *bytes as u64,
            }
        }
        GraphCommand::Fill { destination, offset, bytes, pattern } => Step::Fill {
            destination: Place { memory: Arc::clone(destination), offset: *offset as u64 },
            bytes: *bytes as u64,
            pattern: pattern.clone(),
        },
        GraphCommand::Native { .. } | GraphCommand::Host { .. } => {
            return Err(error::internal("work of a library or of the host reached a WebGPU graph"));
        }
    })
}

impl BackendGraph for WgpuGraph {
    fn replay(&mut self, replay: GraphReplay, _stream: &dyn BackendStream) -> Result<()> {
        let context = &self.context;
        context.failure.check()?;
        let count = self.phases.len();
        for repetition in 0..replay.times {
            let phase = (replay.first_phase + (repetition % count as u64) as usize) % count;
            let slot = replay.first_slot + repetition;
            for step in &mut self.phases[phase] {
                match step {
                    Step::Launch { kernel, ready } => kernel_of(kernel)?.record(&mut context.queue.lock(), ready),
                    Step::Copy { destination, stride, source, bytes } => {
                        let (to, from) = (destination.at(slot * *stride)?, source.at(0)?);
                        transfer::copy(context, &mut context.queue.lock(), to, from, *bytes)?;
                    }
                    Step::Fill { destination, bytes, pattern } => {
                        transfer::fill(context, destination.at(0)?, *bytes, pattern)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn update_value(&mut self, command: usize, argument: usize, value: &[u8]) -> Result<()> {
        for phase in &mut self.phases {
            if let Some(Step::Launch { kernel, ready }) = phase.get_mut(command) {
                kernel_of(kernel)?.update(ready, argument, value)?;
            }
        }
        Ok(())
    }
}

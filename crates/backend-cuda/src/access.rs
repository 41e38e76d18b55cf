//! What commands of a recorded loop touch, as addresses: which of them may run beside each other.

use crate::graph::pointer_to;
use ferrocca_core::Result;
use ferrocca_core::backend::{BackendMemory, GraphArgument, GraphCommand};
use std::ops::Range;

/// A range of addresses that a command touches.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Access {
    pub(crate) range: Range<u64>,
    pub(crate) writes: bool,
}

impl Access {
    /// Whether both touch something that one of them writes.
    pub(crate) fn conflicts(&self, other: &Self) -> bool {
        (self.writes || other.writes) && self.range.start < other.range.end && other.range.start < self.range.end
    }

    fn of(memory: &dyn BackendMemory, offset: usize, bytes: usize, writes: bool) -> Result<Self> {
        let begin = pointer_to(memory, offset)?;
        Ok(Self { range: begin..begin + bytes as u64, writes })
    }
}

/// Everything that a command may touch; a launch all memory that it was given, and a copy into slots all of their ring.
pub(crate) fn accesses_of(command: &GraphCommand) -> Result<Vec<Access>> {
    match command {
        GraphCommand::Launch { arguments, .. } => {
            let of_argument = |argument: &GraphArgument| match argument {
                GraphArgument::Memory { memory: Some(memory), offset_bytes, bytes, mutable, .. } => {
                    Some(Access::of(&**memory, *offset_bytes as usize, *bytes as usize, *mutable))
                }
                _ => None,
            };
            arguments.iter().filter_map(of_argument).collect()
        }
        GraphCommand::Copy { destination, destination_offset, destination_stride, source, source_offset, bytes } => {
            let (offset, written) = match destination_stride {
                0 => (*destination_offset, *bytes),
                _ => (0, destination.bytes()),
            };
            let from = Access::of(&**source, *source_offset, *bytes, false)?;
            Ok(vec![from, Access::of(&**destination, offset, written, true)?])
        }
        GraphCommand::Fill { destination, offset, bytes, .. } => {
            Ok(vec![Access::of(&**destination, *offset, *bytes, true)?])
        }
        GraphCommand::Native { memory, .. } | GraphCommand::Host { memory, .. } => {
            memory.iter().map(|part| Access::of(&*part.memory, part.offset, part.bytes, part.mutable)).collect()
        }
    }
}

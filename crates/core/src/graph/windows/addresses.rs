//! Addresses for memory of which a handle is all that is known: each allocation has a stretch of its own.

use crate::backend::rows::{Addresses, NoPlan, refuse};
use crate::backend::{BackendMemory, GraphArgument, GraphCommand, NativeHandle};
use crate::{Error, ErrorKind, Result};
use std::sync::Arc;

/// Bytes between allocations that have no address: more than any has.
const STRETCH: u64 = 1 << 48;

/// The allocations that the commands of a loop name.
pub(super) struct MemoryTable(Vec<Entry>);

struct Entry {
    memory: Arc<dyn BackendMemory>,
    handle: NativeHandle,
    begin: u64,
}

impl MemoryTable {
    /// # Errors
    /// The reason why nobody knows which memory is which.
    pub(super) fn of(phases: &[Vec<GraphCommand>]) -> std::result::Result<Self, NoPlan> {
        let mut table = Self(Vec::new());
        for memory in phases.iter().flatten().flat_map(memory_of) {
            let handle = memory.handle();
            if table.0.iter().any(|entry| entry.handle == handle) {
                continue;
            }
            if memory.may_overlap() {
                return refuse("it uses memory of another library, of which other parts may be in use, too");
            }
            let begin = match handle {
                NativeHandle::Address { address, .. } => address,
                NativeHandle::Opaque { .. } => (table.0.len() as u64 + 1) * STRETCH,
            };
            table.0.push(Entry { memory: memory.clone(), handle, begin });
        }
        Ok(table)
    }

    /// The memory at an address, and the byte of it.
    pub(super) fn at(&self, address: u64) -> Result<(&Arc<dyn BackendMemory>, u64)> {
        let lies_in = |entry: &&Entry| {
            address.checked_sub(entry.begin).is_some_and(|offset| offset < entry.memory.bytes() as u64)
        };
        let entry = self.0.iter().find(lies_in).ok_or_else(unknown)?;
        Ok((&entry.memory, address - entry.begin))
    }
}

impl Addresses for MemoryTable {
    fn address(&self, memory: &dyn BackendMemory, offset: usize) -> Result<u64> {
        let handle = memory.handle();
        let entry = self.0.iter().find(|entry| entry.handle == handle).ok_or_else(unknown)?;
        Ok(entry.begin + offset as u64)
    }
}

fn unknown() -> Error {
    Error::new(ErrorKind::Internal { message: "a recorded loop names memory that it did not name before".into() })
}

fn memory_of(command: &GraphCommand) -> Vec<&Arc<dyn BackendMemory>> {
    match command {
        GraphCommand::Launch { arguments, .. } => {
            let mut all = Vec::new();
            for argument in arguments {
                if let GraphArgument::Memory { memory: Some(memory), .. } = argument {
                    all.push(memory);
                }
            }
            all
        }
        GraphCommand::Copy { destination, source, .. } => vec![destination, source],
        GraphCommand::Fill { destination, .. } => vec![destination],
        GraphCommand::Native { memory, .. } | GraphCommand::Host { memory, .. } => {
            memory.iter().map(|part| &part.memory).collect()
        }
    }
}

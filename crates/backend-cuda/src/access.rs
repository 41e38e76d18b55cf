//! What commands of a recorded loop touch, as addresses: which of them may run beside each other.

use crate::graph::pointer_to;
use crate::overlap;
use ferrocca_core::Result;
use ferrocca_core::backend::rows::{self, Access, Addresses};
use ferrocca_core::backend::{BackendMemory, GraphCommand};

/// Everything that a command may touch; a launch all memory that it was given, and a copy into slots all of their ring.
pub(crate) fn accesses_of(command: &GraphCommand) -> Result<Vec<Access>> {
    rows::accesses_of(command, &pointer_to)
}

/// Those of the device.
pub(crate) struct DeviceAddresses;

impl Addresses for DeviceAddresses {
    fn address(&self, memory: &dyn BackendMemory, offset: usize) -> Result<u64> {
        pointer_to(memory, offset)
    }

    fn accesses(&self, command: &GraphCommand) -> Result<Vec<Access>> {
        overlap::accesses(command)
    }
}

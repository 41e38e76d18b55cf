//! Memory of a device that exports it, as CUDA has it on the same GPU.
//!
//! Array libraries know no buffer of WebGPU's, but they know CUDA's memory. Where a device exports what it allocates, and
//! CUDA is there with the same GPU, a field is therefore handed over as CUDA's: the allocation is imported once, nothing
//! is copied, and [`crate::order`] keeps the two devices' work in order.

use ferrocca_core::{AnyMemory, Device, Result};

/// The mode whose memory array libraries know.
const CUDA: &str = "CUDA";

/// The CUDA device that is the same GPU, for a device that exports its memory.
pub(crate) fn on_cuda(device: &Device) -> Option<Result<Device>> {
    device.exports_memory().then(|| device.peer(CUDA))
}

/// The same memory as CUDA addresses it, or why it does not; `None` for memory of a device that exports none, and for
/// memory that the host addresses.
pub fn memory_on_cuda(memory: &AnyMemory) -> Option<Result<AnyMemory>> {
    if memory.mapped().is_some() {
        return None;
    }
    on_cuda(&memory.device()).map(|cuda| cuda?.import_memory(memory))
}

//! Replays for backends that do not make graphs ready: the commands one by one, without a check and without the heap.

use crate::Result;
use crate::backend::{BackendStream, GraphArgument, GraphCommand, GraphReplay, PackedArgument};
use smallvec::SmallVec;

/// Arguments up to this number need no heap.
const INLINE: usize = 32;

/// Queues the repetitions.
pub(super) fn run(phases: &[Vec<GraphCommand>], replay: GraphReplay, stream: &dyn BackendStream) -> Result<()> {
    let mut phase = replay.first_phase;
    for slot in replay.first_slot..replay.first_slot + replay.times {
        phases[phase].iter().try_for_each(|command| queue(command, slot, stream))?;
        phase = (phase + 1) % phases.len();
    }
    Ok(())
}

fn queue(command: &GraphCommand, slot: u64, stream: &dyn BackendStream) -> Result<()> {
    match command {
        GraphCommand::Launch { kernel, nest, dims, arguments } => {
            let packed: SmallVec<[PackedArgument<'_>; INLINE]> = arguments.iter().map(GraphArgument::pack).collect();
            // SAFETY: the arguments were compared with the signature when the launch was recorded, and the graph keeps
            // the memory that they name alive.
            unsafe { kernel.launch(nest, dims, &packed, stream) }
        }
        GraphCommand::Copy { destination, destination_offset, destination_stride, source, source_offset, bytes } => {
            // Inside the ring, because the graph has compared the last slot with it.
            let offset = destination_offset + slot as usize * destination_stride;
            stream.copy(&**destination, offset, &**source, *source_offset, *bytes)
        }
        GraphCommand::Fill { destination, offset, bytes, pattern } => {
            stream.fill(&**destination, *offset, *bytes, pattern)
        }
    }
}

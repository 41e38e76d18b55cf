//! Replays for backends that do not make graphs ready: the commands one by one, without a check and without the heap.

use crate::Result;
use crate::backend::{BackendStream, GraphCommand, GraphReplay};

/// Queues the repetitions.
pub(super) fn run(phases: &[Vec<GraphCommand>], replay: GraphReplay, stream: &dyn BackendStream) -> Result<()> {
    let mut phase = replay.first_phase;
    for slot in replay.first_slot..replay.first_slot + replay.times {
        for command in &phases[phase] {
            // SAFETY: arguments were compared with the signature when the launch was recorded, the last slot with its
            // ring; the graph keeps the memory that its commands name alive.
            unsafe { command.queue(slot, stream) }?;
        }
        phase = (phase + 1) % phases.len();
    }
    Ok(())
}

//! From recorded commands to the commands of one phase, whose memory is that of the roles in that phase.
//!
//! Invariant: what overlaps in one phase overlaps in all, so that the checks of the first hold in every phase. For the
//! buffers that rotate do not overlap each other, of one type and length, and whatever else touches one of them is
//! refused.

use super::recorder::Recorded;
use super::rotation::{self, Rotation};
use crate::backend::{BackendMemory, GraphCommand, TouchedMemory};
use crate::memory::AnyMemory;
use crate::{Error, ErrorKind, Result};
use std::sync::Arc;

/// The commands of a phase.
/// # Errors
/// [`crate::ErrorKind::Invalid`] for memory whose role is not known, and for rings that overlap what they are taken of.
pub(super) fn phase(commands: &[Recorded], rotations: &[Rotation], phase: usize) -> Result<Vec<GraphCommand>> {
    let mut resolved = Vec::new();
    commands.iter().try_for_each(|command| add(&mut resolved, command, rotations, phase))?;
    Ok(resolved)
}

fn add(out: &mut Vec<GraphCommand>, command: &Recorded, rotations: &[Rotation], phase: usize) -> Result<()> {
    let resolve = |memory: &AnyMemory| rotation::resolve(rotations, memory, phase);
    match command {
        Recorded::Launch { kernel, launch } => out.extend(kernel.plan().commands(launch, &resolve)?),
        Recorded::Copy { destination, source } => out.push(copy(&resolve(destination)?, &resolve(source)?, 0)?),
        Recorded::Snapshot { source, ring } => {
            let source = resolve(source)?;
            let mut rotating = rotations.iter().flat_map(Rotation::buffers);
            if source.overlaps(ring) || rotating.any(|buffer| buffer.overlaps(ring)) {
                return Err(Error::invalid(format!(
                    "the ring {ring:?} of a snapshot overlaps the memory that it is taken of, or a buffer that rotates"
                )));
            }
            out.push(copy(ring, &source, source.bytes)?);
        }
        Recorded::Fill { destination, pattern } => {
            let destination = resolve(destination)?;
            out.push(GraphCommand::Fill {
                offset: destination.offset_bytes,
                bytes: destination.bytes,
                destination: backend(&destination)?,
                pattern: pattern.clone(),
            });
        }
        Recorded::Native { read, written, mail, work } => {
            let all = |memory: &[AnyMemory]| memory.iter().map(resolve).collect::<Result<Vec<_>>>();
            let (read, written, work) = (all(read)?, all(written)?, work.clone());
            let (memory, mail) = (touched(&read, &written)?, mail(&read, &written));
            out.push(GraphCommand::Native {
                work: Arc::new(move |handle| work(handle, &read, &written)),
                memory,
                mail,
            });
        }
        Recorded::Within { memory, read, written, work } => {
            let all = |memory: &[AnyMemory]| memory.iter().map(resolve).collect::<Result<Vec<_>>>();
            let (given, work) = (all(memory)?, work.clone());
            out.push(GraphCommand::Host {
                work: Arc::new(move || work(&given)),
                memory: touched(&all(read)?, &all(written)?)?,
            });
        }
        // It stands between lists of commands.
        Recorded::Host { .. } => {}
    }
    Ok(())
}

fn touched(read: &[AnyMemory], written: &[AnyMemory]) -> Result<Vec<TouchedMemory>> {
    let all = read.iter().map(|memory| (memory, false)).chain(written.iter().map(|memory| (memory, true)));
    let of = |(memory, mutable): (&AnyMemory, bool)| {
        let (offset, bytes) = (memory.offset_bytes, memory.bytes);
        Ok(TouchedMemory { memory: backend(memory)?, offset, bytes, mutable })
    };
    all.filter(|(memory, _)| !memory.is_empty()).map(of).collect()
}

/// Copies as many bytes as the source has.
fn copy(destination: &AnyMemory, source: &AnyMemory, destination_stride: usize) -> Result<GraphCommand> {
    Ok(GraphCommand::Copy {
        destination: backend(destination)?,
        destination_offset: destination.offset_bytes,
        destination_stride,
        source: backend(source)?,
        source_offset: source.offset_bytes,
        bytes: source.bytes,
    })
}

fn backend(memory: &AnyMemory) -> Result<Arc<dyn BackendMemory>> {
    memory.allocation.backend.clone().ok_or_else(|| {
        Error::new(ErrorKind::Internal { message: "memory of no elements reached a graph's command".into() })
    })
}

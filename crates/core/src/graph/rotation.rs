//! Buffers that swap roles: which buffer has which role in which phase, and which phase handles are in.

use super::handles::{self, RotatingHandles};
use crate::memory::AnyMemory;
use crate::{Error, Result};
use smallvec::SmallVec;
use std::sync::Arc;

/// Most phases of a graph: each has a list of commands of its own.
const MAX_PHASES: usize = 1024;

/// Buffers of one type and length. In phase `p` the role that buffer `i` was recorded in is played by buffer `i + p`,
/// counted around.
pub(super) struct Rotation {
    buffers: Vec<AnyMemory>,
}

impl Rotation {
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] for fewer than two buffers, buffers that differ in type or length, or overlap.
    pub(super) fn new(buffers: Vec<AnyMemory>) -> Result<Self> {
        if buffers.len() < 2 {
            return Err(Error::invalid(format!("a rotation needs at least 2 buffers, got {}", buffers.len())));
        }
        for (index, buffer) in buffers.iter().enumerate().skip(1) {
            if (buffer.dtype, buffer.bytes) != (buffers[0].dtype, buffers[0].bytes) {
                let told = |memory: &AnyMemory| format!("has {} elements of {}", memory.len(), memory.dtype);
                return Err(Error::invalid(format!(
                    "the buffers of a rotation swap roles, so they need one type and length: buffer 1 {}, buffer {} {}",
                    told(&buffers[0]),
                    index + 1,
                    told(buffer)
                )));
            }
            if let Some(other) =
                buffers[..index].iter().position(|other| is_same(other, buffer) || other.overlaps(buffer))
            {
                return Err(Error::invalid(format!(
                    "buffers {} and {} of a rotation are the same memory, or overlap",
                    other + 1,
                    index + 1
                )));
            }
        }
        Ok(Self { buffers })
    }

    pub(super) fn buffers(&self) -> &[AnyMemory] {
        &self.buffers
    }

    /// What plays the role of `memory` in a phase; `None` for memory that does not rotate.
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] for memory that overlaps a buffer without being a part of it.
    fn resolve(&self, memory: &AnyMemory, phase: usize) -> Result<Option<AnyMemory>> {
        for (index, buffer) in self.buffers.iter().enumerate() {
            if is_part(memory, buffer) {
                let other = &self.buffers[(index + phase) % self.buffers.len()];
                return Ok(Some(AnyMemory {
                    allocation: other.allocation.clone(),
                    offset_bytes: other.offset_bytes + (memory.offset_bytes - buffer.offset_bytes),
                    ..*memory
                }));
            }
            if memory.overlaps(buffer) {
                return Err(Error::invalid(format!(
                    "{memory:?} overlaps {buffer:?}, which rotates, but is no slice or share of it: its role is not known"
                )));
            }
        }
        Ok(None)
    }

    /// After how many repetitions, less than there are buffers, the handles are in this order.
    fn shift_of(&self, handles: &[&mut AnyMemory]) -> Option<usize> {
        let count = self.buffers.len();
        let first = handles.first()?;
        let shift = self.buffers.iter().position(|buffer| is_same(first, buffer))?;
        let in_order =
            handles.iter().enumerate().all(|(role, handle)| is_same(handle, &self.buffers[(role + shift) % count]));
        (handles.len() == count && in_order).then_some(shift)
    }
}

fn is_same(a: &AnyMemory, b: &AnyMemory) -> bool {
    Arc::ptr_eq(&a.allocation, &b.allocation)
        && (a.offset_bytes, a.bytes, a.dtype) == (b.offset_bytes, b.bytes, b.dtype)
}

fn is_part(memory: &AnyMemory, of: &AnyMemory) -> bool {
    Arc::ptr_eq(&memory.allocation, &of.allocation)
        && memory.offset_bytes >= of.offset_bytes
        && memory.offset_bytes + memory.bytes <= of.offset_bytes + of.bytes
}

/// Checks that no two rotations share memory, and counts the phases until all are back at their first.
/// # Errors
/// [`crate::ErrorKind::Invalid`].
pub(super) fn phase_count(rotations: &[Rotation]) -> Result<usize> {
    for (index, rotation) in rotations.iter().enumerate() {
        for buffer in &rotation.buffers {
            let shares = |other: &AnyMemory| is_same(other, buffer) || other.overlaps(buffer);
            if let Some(other) = rotations[..index].iter().position(|r| r.buffers.iter().any(shares)) {
                return Err(Error::invalid(format!(
                    "{buffer:?} takes part in two rotations, number {} and number {}",
                    other + 1,
                    index + 1
                )));
            }
        }
    }
    let period = rotations.iter().try_fold(1_usize, |period, rotation| {
        let count = rotation.buffers.len();
        (period / greatest_common_divisor(period, count)).checked_mul(count)
    });
    period.filter(|&period| period <= MAX_PHASES).ok_or_else(|| {
        let counts: Vec<usize> = rotations.iter().map(|rotation| rotation.buffers.len()).collect();
        Error::invalid(format!(
            "rotations of {counts:?} buffers are back where they began after more than {MAX_PHASES} repetitions"
        ))
    })
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// What plays the role of `memory` in a phase.
/// # Errors
/// [`crate::ErrorKind::Invalid`] for memory that overlaps a rotating buffer without being a part of it.
pub(super) fn resolve(rotations: &[Rotation], memory: &AnyMemory, phase: usize) -> Result<AnyMemory> {
    for rotation in rotations {
        if let Some(resolved) = rotation.resolve(memory, phase)? {
            return Ok(resolved);
        }
    }
    Ok(memory.clone())
}

/// The phase that the handles are in.
/// # Errors
/// [`crate::ErrorKind::Invalid`] for handles that are not the recorded buffers, or in no phase.
pub(super) fn phase_of(rotations: &[Rotation], phases: usize, handles: &mut impl RotatingHandles) -> Result<usize> {
    let mut shifts: SmallVec<[usize; 8]> = SmallVec::new();
    let given = handles::look(handles, |index, handles| {
        let Some(rotation) = rotations.get(index) else {
            return Ok(());
        };
        shifts.push(rotation.shift_of(handles).ok_or_else(|| unknown_handles(index, rotation, handles))?);
        Ok(())
    })?;
    if given != rotations.len() {
        let plural = if rotations.len() == 1 { "" } else { "s" };
        return Err(Error::invalid(format!(
            "the graph has {} rotation{plural}, the handles of {given} were given",
            rotations.len()
        )));
    }
    let is_phase =
        |phase: &usize| rotations.iter().zip(&shifts).all(|(rotation, shift)| phase % rotation.buffers.len() == *shift);
    (0..phases).find(is_phase).ok_or_else(|| {
        Error::invalid(format!(
            "no number of repetitions leads to these handles: the rotations are {shifts:?} repetitions from where they were recorded"
        ))
    })
}

#[cold]
fn unknown_handles(index: usize, rotation: &Rotation, handles: &[&mut AnyMemory]) -> Error {
    let number = index + 1;
    let count = rotation.buffers.len();
    if handles.len() != count {
        let given = handles.len();
        return Error::invalid(format!("rotation {number} has {count} buffers, {given} handles were given"));
    }
    let stranger = |handle: &&mut AnyMemory| !rotation.buffers.iter().any(|buffer| is_same(buffer, handle));
    match handles.iter().position(stranger) {
        Some(role) => Error::invalid(format!(
            "handle {} of rotation {number}, {:?}, is none of the buffers that the graph was recorded with",
            role + 1,
            handles[role]
        )),
        None => Error::invalid(format!(
            "the handles of rotation {number} are in an order that no number of repetitions leads to"
        )),
    }
}

//! The bytes that a run works on, and which of them were written.
//! Invariant: an access that leaves `[lo, hi)` of its [`Pointer`] never reaches the bytes; the caller checks first.

use super::layout::Layouts;

/// A kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// Buffer `n` of the run.
    Global(usize),
    /// The group's.
    Shared,
    /// All items', one after the other.
    Exclusive,
    /// Frames of the kernel and of the functions that it is in.
    Stack,
    /// File-scope constants.
    Constant,
    /// Nothing can be reached.
    Null,
}

/// A place in memory and the stretch in which its root lies, in bytes from the start of the space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointer {
    pub(super) space: Space,
    pub(super) at: i64,
    pub(super) lo: i64,
    pub(super) hi: i64,
}

impl Pointer {
    pub(super) fn null() -> Self {
        Self { space: Space::Null, at: 0, lo: 0, hi: 0 }
    }

    pub(super) fn covers(&self, bytes: usize) -> bool {
        // Subscripts were checked against overflow, but `at + bytes` itself may still leave i64.
        self.at >= self.lo
            && i64::try_from(bytes).is_ok_and(|n| self.at.checked_add(n).is_some_and(|end| end <= self.hi))
    }
}

/// Bytes and, for each, whether it was written.
#[derive(Debug, Default)]
pub(super) struct Tracked {
    pub(super) bytes: Vec<u8>,
    pub(super) written: Vec<bool>,
}

impl Tracked {
    /// Empties it and makes it `bytes` long, nothing of it written.
    pub(super) fn reset(&mut self, bytes: usize) {
        self.bytes.clear();
        self.bytes.resize(bytes, 0);
        self.written.clear();
        self.written.resize(bytes, false);
    }

    fn resize(&mut self, bytes: usize) {
        self.bytes.resize(bytes, 0);
        self.written.resize(bytes, false);
    }
}

/// Global memory of a run.
#[derive(Debug)]
pub struct Buffer<'a> {
    /// Its bytes.
    pub bytes: &'a mut [u8],
    /// For each byte, whether it was written; a run keeps it up. `None`: all of it counts as written.
    pub written: Option<&'a mut [bool]>,
}

/// All memory of a run.
pub(super) struct Memory<'a> {
    buffers: Vec<Buffer<'a>>,
    pub(super) shared: Tracked,
    pub(super) exclusive: Tracked,
    pub(super) stack: Tracked,
    constants: &'a [u8],
    checks: bool,
}

impl<'a> Memory<'a> {
    pub(super) fn new(buffers: Vec<Buffer<'a>>, layouts: &'a Layouts, checks: bool) -> Self {
        Self {
            buffers,
            shared: Tracked::default(),
            exclusive: Tracked::default(),
            stack: Tracked::default(),
            constants: &layouts.constants,
            checks,
        }
    }

    /// Lengths of the buffers.
    pub(super) fn buffer_bytes(&self) -> impl Iterator<Item = usize> {
        self.buffers.iter().map(|b| b.bytes.len())
    }

    /// Grows or shrinks the stack; what is new is not written.
    pub(super) fn set_stack(&mut self, bytes: usize) {
        self.stack.resize(bytes);
    }

    /// The bytes at `at`, which lie inside their space.
    pub(super) fn read(&self, pointer: &Pointer, bytes: usize) -> &[u8] {
        let at = pointer.at as usize;
        let range = at..at.saturating_add(bytes);
        match pointer.space {
            Space::Global(buffer) => self.buffers.get(buffer).and_then(|b| b.bytes.get(range)),
            Space::Shared => self.shared.bytes.get(range),
            Space::Exclusive => self.exclusive.bytes.get(range),
            Space::Stack => self.stack.bytes.get(range),
            Space::Constant => self.constants.get(range),
            Space::Null => None,
        }
        .unwrap_or(&[])
    }

    /// Whether every byte was written; always so for constants, and without checks.
    pub(super) fn is_written(&self, pointer: &Pointer, bytes: usize) -> bool {
        !self.checks || self.written(pointer, bytes).is_none_or(|flags| flags.iter().all(|&f| f))
    }

    /// Which bytes were written; `None` where that is not tracked.
    pub(super) fn written(&self, pointer: &Pointer, bytes: usize) -> Option<&[bool]> {
        let at = pointer.at as usize;
        let range = at..at.saturating_add(bytes);
        match pointer.space {
            Space::Shared => self.shared.written.get(range),
            Space::Exclusive => self.exclusive.written.get(range),
            Space::Stack => self.stack.written.get(range),
            Space::Global(buffer) => self.buffers.get(buffer).and_then(|b| b.written.as_deref()?.get(range)),
            Space::Constant | Space::Null => None,
        }
    }

    /// Stores bytes; answers whether the space takes writes.
    pub(super) fn write(&mut self, pointer: &Pointer, bytes: &[u8]) -> bool {
        let at = pointer.at as usize;
        let range = at..at.saturating_add(bytes.len());
        let tracked = match pointer.space {
            Space::Global(buffer) => {
                let Some(buffer) = self.buffers.get_mut(buffer) else { return false };
                if let Some(flags) = buffer.written.as_deref_mut().and_then(|flags| flags.get_mut(range.clone())) {
                    flags.fill(true);
                }
                return match buffer.bytes.get_mut(range) {
                    Some(target) => {
                        target.copy_from_slice(bytes);
                        true
                    }
                    None => false,
                };
            }
            Space::Shared => &mut self.shared,
            Space::Exclusive => &mut self.exclusive,
            Space::Stack => &mut self.stack,
            Space::Constant | Space::Null => return false,
        };
        match (tracked.bytes.get_mut(range.clone()), tracked.written.get_mut(range)) {
            (Some(target), Some(flags)) => {
                target.copy_from_slice(bytes);
                flags.fill(true);
                true
            }
            _ => false,
        }
    }

    /// Sets which bytes count as written, after a struct was copied that had holes.
    pub(super) fn mark(&mut self, pointer: &Pointer, written: &[bool]) {
        if let Some(flags) = self.flags(pointer, written.len()) {
            flags.copy_from_slice(written);
        }
    }

    /// Bytes become unwritten.
    pub(super) fn forget(&mut self, pointer: &Pointer, bytes: usize) {
        if let Some(flags) = self.flags(pointer, bytes) {
            flags.fill(false);
        }
    }

    fn flags(&mut self, pointer: &Pointer, bytes: usize) -> Option<&mut [bool]> {
        let at = pointer.at as usize;
        let range = at..at.saturating_add(bytes);
        match pointer.space {
            Space::Shared => self.shared.written.get_mut(range),
            Space::Exclusive => self.exclusive.written.get_mut(range),
            Space::Stack => self.stack.written.get_mut(range),
            Space::Global(buffer) => {
                self.buffers.get_mut(buffer).and_then(|b| b.written.as_deref_mut()?.get_mut(range))
            }
            Space::Constant | Space::Null => None,
        }
    }
}

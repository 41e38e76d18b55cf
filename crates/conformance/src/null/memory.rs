//! Memory: a host buffer that the host cannot address.

use super::{API, Call, State, lock};
use ferrocca_core::backend::{BackendMemory, NativeHandle};
use ferrocca_core::{Error, ErrorKind, Result};
use std::any::Any;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

pub(super) struct Buffer {
    pub(super) handle: u64,
    pub(super) data: Mutex<Vec<u8>>,
}

impl Buffer {
    pub(super) fn address(&self) -> u64 {
        lock(&self.data).as_ptr() as u64
    }
}

pub(super) struct NullMemory {
    pub(super) state: Arc<State>,
    pub(super) buffer: Arc<Buffer>,
    /// Where it begins in the buffer.
    pub(super) start: usize,
    pub(super) bytes: usize,
}

impl NullMemory {
    /// The bytes from an offset on.
    pub(super) fn from(&self, offset: usize) -> Range<usize> {
        self.start + offset..self.start + self.bytes
    }
}

impl Drop for NullMemory {
    fn drop(&mut self) {
        self.state.counts[Call::Free as usize].fetch_add(1, Ordering::Relaxed);
    }
}

impl BackendMemory for NullMemory {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn handle(&self) -> NativeHandle {
        match *lock(&self.state.api) {
            Some(api) => NativeHandle::Address { api, address: self.buffer.address() + self.start as u64 },
            None => NativeHandle::Opaque { api: API, handle: self.buffer.handle },
        }
    }

    fn mapped(&self) -> Option<NonNull<u8>> {
        None
    }
}

pub(super) fn own(memory: &dyn BackendMemory) -> Result<&NullMemory> {
    (memory as &dyn Any).downcast_ref().ok_or_else(|| {
        Error::new(ErrorKind::Internal { message: "memory of another backend reached the null device".into() })
    })
}

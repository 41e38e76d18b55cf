//! Handles given back from any thread.
//!
//! An array library drops its views when and where it likes: on a thread of its own, inside a garbage collection,
//! while the interpreter ends. Freeing device memory there could call a driver under somebody's lock, so a deleter
//! only puts the handle into a queue; the queue is emptied at the next call that enters Ferrocca by its front door.

use std::any::Any;
use std::sync::{Mutex, PoisonError};

/// Handles waiting to be dropped.
#[derive(Default)]
pub struct ReleaseQueue {
    waiting: Mutex<Vec<Box<dyn Any + Send>>>,
}

impl ReleaseQueue {
    /// No handles.
    pub const fn new() -> Self {
        Self { waiting: Mutex::new(Vec::new()) }
    }

    /// Puts a handle in. Safe on any thread; runs nothing of the handle's own.
    pub fn push(&self, handle: Box<dyn Any + Send>) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(handle);
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Drops what waits, on this thread; returns how many handles that were.
    pub fn drain(&self) -> usize {
        // The lock is gone before the handles are: dropping one may push another.
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.len()
    }
}

static PENDING: ReleaseQueue = ReleaseQueue::new();

/// The queue of field memory that hooks have let go.
pub(crate) fn pending() -> &'static ReleaseQueue {
    &PENDING
}

/// Frees the memory that views of past frames have let go since the last hook call; returns how many handles that
/// were. Hooks do this themselves; it is for a program that goes on without them.
pub fn release_pending() -> usize {
    PENDING.drain()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_handle_lives_until_the_queue_is_drained_whichever_thread_lets_it_go() {
        let (queue, memory) = (ReleaseQueue::new(), Arc::new(1_u8));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| queue.push(Box::new(memory.clone())));
            }
        });
        assert_eq!(Arc::strong_count(&memory), 5);
        assert_eq!((queue.drain(), Arc::strong_count(&memory), queue.drain()), (4, 1, 0));
    }
}

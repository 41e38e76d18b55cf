//! Arrays of others that kernels use in place, each held until the work that was queued with it is done.
//!
//! A launch queues work and returns. The memory that wraps an array may be gone by then: at once where the array was an
//! argument, later where it was wrapped. What keeps the array alive is held here from then on, with a tag on each stream
//! that used it, and let go when the streams have passed their tags.
//!
//! Invariants: nobody waits for that; owners are let go with Python's lock and without any lock of this file, because
//! they may run Python code that comes back here.

use crate::reuse::Pooled;
use ferrocca::{AnyMemory, Stream, Tag};
use pyo3::prelude::*;
use std::any::Any;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What keeps an array alive.
type Keep = Box<dyn Any + Send + Sync>;

/// The owner that wrapped memory has.
pub(crate) struct Borrowed {
    /// `None` only while it is dropped.
    keep: Option<Keep>,
    /// The streams that work with the memory was queued on.
    used_on: Mutex<Vec<Stream>>,
}

impl Borrowed {
    pub(crate) fn new(keep: Keep) -> Self {
        Self { keep: Some(keep), used_on: Mutex::default() }
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        let used_on = std::mem::take(&mut *lock(&self.used_on));
        // What nothing was queued with goes at once.
        if let (Some(keep), false) = (self.keep.take(), used_on.is_empty()) {
            lock(&LET_GO).push((keep, used_on));
        }
    }
}

/// Notes that work with the memory is about to be queued on the calling thread's current stream. Whether it is somebody
/// else's memory.
pub(crate) fn note_use(memory: &AnyMemory) -> bool {
    memory.owner().is_some() && note_use_on(memory, &memory.device().stream())
}

/// As [`note_use`], where the stream is known.
pub(crate) fn note_use_on(memory: &AnyMemory, stream: &Stream) -> bool {
    let Some(owner) = memory.owner() else {
        return false;
    };
    if let Some(pooled) = owner.downcast_ref::<Pooled>() {
        pooled.used_on(stream);
        return false;
    }
    let Some(borrowed) = owner.downcast_ref::<Borrowed>() else {
        return false;
    };
    let mut used_on = lock(&borrowed.used_on);
    if !used_on.contains(stream) {
        used_on.push(stream.clone());
    }
    true
}

/// An owner that work may still need.
struct Held {
    keep: Keep,
    /// Those that were not reached when they were asked last.
    tags: Vec<Tag>,
}

/// Owners that wait for work.
struct Waiting {
    held: Vec<Held>,
    /// Their number from which on a launch asks for all of them.
    crowded: usize,
}

/// Owners whose memory is gone, and the streams that used it.
static LET_GO: Mutex<Vec<(Keep, Vec<Stream>)>> = Mutex::new(Vec::new());
static WAITING: Mutex<Waiting> = Mutex::new(Waiting { held: Vec::new(), crowded: CROWD });

/// The smallest number that is a crowd.
const CROWD: usize = 32;

/// Lets the owners go whose work is done.
pub(crate) fn release_done() {
    if !lock(&LET_GO).is_empty() || !lock(&WAITING).held.is_empty() {
        Python::attach(|py| release(py, true));
    }
}

/// After a launch with arrays of others: lets those go whose work is done, and asks for older ones when there are twice
/// as many as the last time, so that a loop of launches asks for each a few times at most.
pub(crate) fn release_launched(py: Python<'_>) {
    release(py, false);
}

fn release(py: Python<'_>, all: bool) {
    // A driver may make a thread wait that queues a tag, for work that itself waits for Python's lock.
    let done = py.detach(|| {
        let let_go = std::mem::take(&mut *lock(&LET_GO));
        let held = let_go.into_iter().map(|(keep, used_on)| {
            let tags = used_on.iter().filter_map(end_of_work).collect();
            Held { keep, tags }
        });
        let (new, mut done): (Vec<Held>, Vec<Held>) = held.partition(Held::is_needed);
        let mut waiting = lock(&WAITING);
        waiting.held.extend(new);
        if all || waiting.held.len() >= waiting.crowded {
            waiting.held.iter_mut().for_each(Held::ask);
            done.extend(waiting.held.extract_if(.., |held| !held.is_needed()));
            waiting.crowded = CROWD.max(2 * waiting.held.len());
        }
        done
    });
    done.into_iter().for_each(|held| drop(held.keep));
}

impl Held {
    fn ask(&mut self) {
        self.tags.retain(is_ahead);
    }

    fn is_needed(&self) -> bool {
        !self.tags.is_empty()
    }
}

/// The point behind what is queued on a stream, where it is not reached.
fn end_of_work(stream: &Stream) -> Option<Tag> {
    match stream.tag() {
        Ok(tag) => is_ahead(&tag).then_some(tag),
        Err(_) => {
            // Without a tag there is nothing but to wait; when that fails too, the device runs nothing any more.
            let _ = stream.finish();
            None
        }
    }
}

/// Whether the work before a tag may still run. Work that has failed does not.
fn is_ahead(tag: &Tag) -> bool {
    matches!(tag.is_reached(), Ok(false))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code that may panic runs under these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

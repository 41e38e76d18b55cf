//! A device's primitives: built kernels, scratch memory, and the stream that orders them.

use crate::program::Programs;
use crate::scratch::Scratch;
use ferrocca_core::{Device, Result, Stream};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The primitives of a device.
///
/// It keeps what they need from call to call: kernels, and scratch memory that grows to what was needed most. A call that
/// was made before with the same formula and types, and no more elements, allocates nothing, on the heap or on the device.
///
/// All of its work is queued on one stream, so that its scratch memory is never used twice at a time; threads may share it.
/// Results of one primitive can be operands of the next one. Work on other streams is ordered as always, with tags.
pub struct Primitives {
    pub(crate) device: Device,
    pub(crate) stream: Stream,
    state: Mutex<State>,
    /// Locked before `state`, by primitives that are made of others.
    composed: Mutex<Composed>,
}

/// Levels of a tree: each divides by 2048 or more, and no memory has more than 2⁶³ bytes.
pub(crate) const LEVELS: usize = 6;

#[derive(Default)]
pub(crate) struct State {
    pub(crate) programs: Programs,
    /// What one kernel leaves to the next one: two buffers, since no kernel reads what it writes.
    pub(crate) partials: [Scratch; 2],
    /// The totals of a scan's tiles, and what these begin with, level by level.
    pub(crate) totals: [Scratch; LEVELS],
    pub(crate) carries: [Scratch; LEVELS],
    /// Of segments that are cut into chunks: the chunks' totals, what these begin with, and where they begin.
    pub(crate) segment_totals: [Scratch; LEVELS],
    pub(crate) segment_carries: [Scratch; LEVELS],
    pub(crate) segment_begins: [Scratch; LEVELS],
    /// How many elements are taken, up to each.
    pub(crate) positions: Scratch,
    /// Keys of a sort and their indices between two passes, how many keys have each digit, and where these begin. Where no one
    /// wants the sorted keys, these are the third.
    pub(crate) keys: [Scratch; 3],
    pub(crate) indices: [Scratch; 2],
    pub(crate) counts: Scratch,
    pub(crate) starts: Scratch,
    /// Some of the keys, as they are and sorted; the bucket of each key.
    pub(crate) samples: [Scratch; 2],
    pub(crate) buckets: Scratch,
    /// The matrices that an iteration works on, and what it has turned.
    pub(crate) work: Scratch,
    pub(crate) turned: Scratch,
    /// A single value: a mean, say.
    pub(crate) value: Scratch,
    /// A single result on its way to the host.
    pub(crate) result: Scratch,
}

/// Scratch memory between the primitives that another one is made of.
#[derive(Default)]
pub(crate) struct Composed {
    /// The order of keys, the keys in it, and which of them differ from the one before.
    pub(crate) order: Scratch,
    pub(crate) sorted: Scratch,
    pub(crate) is_new: Scratch,
    /// The bin of each element, and of each in the other direction; weights, and weights bin by bin.
    pub(crate) bins: [Scratch; 2],
    pub(crate) weights: [Scratch; 2],
    /// How many elements are in each bin, and where they begin.
    pub(crate) in_bins: Scratch,
    pub(crate) offsets: Scratch,
}

impl Primitives {
    /// Primitives on the calling thread's current stream of `device`.
    pub fn new(device: &Device) -> Self {
        Self::on(&device.stream())
    }

    /// Primitives on a stream.
    pub fn on(stream: &Stream) -> Self {
        Self { device: stream.device(), stream: stream.clone(), state: Mutex::default(), composed: Mutex::default() }
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The stream that all of its work is queued on.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Waits for what was queued.
    /// # Errors
    /// Failures of that work.
    pub fn finish(&self) -> Result<()> {
        self.stream.finish()
    }

    pub(crate) fn composed(&self) -> MutexGuard<'_, Composed> {
        self.composed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Primitives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Primitives(on {:?})", self.device)
    }
}

//! Which commands of an out-of-order queue must wait for which: a reader for the last writer, a writer for all since.

use crate::driver::Event;
use cl3::types::{cl_event, cl_mem};
use std::collections::HashMap;
use std::sync::Arc;

/// Events that are kept at most, before one stands for all.
pub(crate) const MOST_EVENTS: usize = 512;

/// How a command uses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Reads(cl_mem),
    Writes(cl_mem),
    /// Memory that may overlap any other: the command waits for all, and all later ones for it.
    Anything,
}

/// Who has used a buffer since its last writer, and that writer.
#[derive(Default)]
struct Access {
    writer: Option<Arc<Event>>,
    readers: Vec<Arc<Event>>,
}

/// What the commands that were queued so far have touched.
#[derive(Default)]
pub(crate) struct Hazards {
    /// What every command waits for: one event that stands for all before it, and those that the stream was told to wait
    /// for.
    floor: Vec<Arc<Event>>,
    accesses: HashMap<usize, Access>,
    events: usize,
}

// SAFETY: buffers are used as keys alone, events are `Send`.
unsafe impl Send for Hazards {}

impl Hazards {
    /// What a command that touches these must wait for.
    pub(crate) fn waits(&self, touches: &[Touch]) -> Vec<cl_event> {
        let mut waits: Vec<cl_event> = self.floor.iter().map(|event| event.raw()).collect();
        let all = |access: &Access, waits: &mut Vec<cl_event>| {
            waits.extend(access.writer.iter().chain(&access.readers).map(|event| event.raw()));
        };
        for touch in touches {
            match touch {
                Touch::Anything => self.accesses.values().for_each(|access| all(access, &mut waits)),
                Touch::Writes(mem) => {
                    if let Some(access) = self.accesses.get(&(*mem as usize)) {
                        all(access, &mut waits);
                    }
                }
                Touch::Reads(mem) => {
                    let access = self.accesses.get(&(*mem as usize));
                    waits.extend(access.and_then(|access| access.writer.as_ref()).map(|event| event.raw()));
                }
            }
        }
        waits.sort_unstable();
        waits.dedup();
        waits
    }

    /// Notes a command that was queued.
    pub(crate) fn record(&mut self, touches: &[Touch], event: Event) {
        let event = Arc::new(event);
        if touches.contains(&Touch::Anything) {
            self.raise(event);
            return;
        }
        // Writes last: a command that reads and writes one buffer counts as its writer.
        for touch in touches {
            if let Touch::Reads(mem) = touch {
                self.accesses.entry(*mem as usize).or_default().readers.push(Arc::clone(&event));
            }
        }
        for touch in touches {
            if let Touch::Writes(mem) = touch {
                let access = self.accesses.entry(*mem as usize).or_default();
                *access = Access { writer: Some(Arc::clone(&event)), readers: Vec::new() };
            }
        }
        self.events += 1;
    }

    /// Whether so many events are kept that one should stand for all.
    pub(crate) fn is_full(&self) -> bool {
        self.events >= MOST_EVENTS
    }

    /// From now on `event` stands for all commands so far, and for what they waited for.
    pub(crate) fn raise(&mut self, event: Arc<Event>) {
        *self = Self { floor: vec![event], ..Self::default() };
    }

    /// Every later command waits for `event` too.
    pub(crate) fn add_to_floor(&mut self, event: Arc<Event>) {
        self.floor.push(event);
        // Without commands between, many waits would pile up.
        self.events += 1;
    }

    /// All commands have ended.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

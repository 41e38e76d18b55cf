//! A stream: a queue of commands and the thread that works it off.

use crate::memory::buffer;
use ferrocca_core::backend::{BackendMemory, BackendStream, BackendTag};
use ferrocca_core::{Error, Result};
use std::any::Any;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

type Command = Box<dyn FnOnce() + Send>;

pub(crate) struct WorkerStream {
    queue: Sender<Command>,
}

impl WorkerStream {
    pub(crate) fn start() -> Arc<Self> {
        let (queue, commands) = channel::<Command>();
        // The thread ends when the last sender is gone and the queue is empty.
        std::thread::spawn(move || commands.into_iter().for_each(|command| command()));
        Arc::new(Self { queue })
    }

    /// Queues a command behind all earlier ones.
    pub(crate) fn push(&self, command: impl FnOnce() + Send + 'static) -> Result<()> {
        self.queue.send(Box::new(command)).map_err(|_| Error::invalid("a kernel ended the thread of this stream"))
    }
}

/// The stream behind a contract reference.
pub(crate) fn downcast(stream: &dyn BackendStream) -> Result<&WorkerStream> {
    (stream as &dyn Any).downcast_ref().ok_or_else(|| Error::invalid("a stream of another backend"))
}

impl BackendStream for WorkerStream {
    fn handle(&self) -> u64 {
        0
    }

    fn copy_in(&self, destination: &dyn BackendMemory, offset: usize, source: &[u8]) -> Result<()> {
        let (to, from) = (buffer(destination)?.clone(), source.to_vec());
        // SAFETY: core checked the range; the buffer is kept by the command.
        self.push(move || unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to.at(offset), from.len()) })
    }

    fn copy_out(&self, source: &dyn BackendMemory, offset: usize, destination: &mut [u8]) -> Result<()> {
        let from = buffer(source)?.clone();
        self.finish()?;
        // SAFETY: core checked the range; everything queued before is done.
        unsafe { std::ptr::copy_nonoverlapping(from.at(offset), destination.as_mut_ptr(), destination.len()) };
        Ok(())
    }

    fn copy(
        &self,
        destination: &dyn BackendMemory,
        destination_offset: usize,
        source: &dyn BackendMemory,
        source_offset: usize,
        bytes: usize,
    ) -> Result<()> {
        let (to, from) = (buffer(destination)?.clone(), buffer(source)?.clone());
        // SAFETY: core checked both ranges, which may overlap.
        self.push(move || unsafe { std::ptr::copy(from.at(source_offset), to.at(destination_offset), bytes) })
    }

    fn fill(&self, destination: &dyn BackendMemory, offset: usize, bytes: usize, pattern: &[u8]) -> Result<()> {
        let (to, pattern) = (buffer(destination)?.clone(), pattern.to_vec());
        self.push(move || {
            for start in (0..bytes).step_by(pattern.len()) {
                // SAFETY: core checked the range, a multiple of the pattern.
                unsafe { std::ptr::copy_nonoverlapping(pattern.as_ptr(), to.at(offset + start), pattern.len()) };
            }
        })
    }

    fn tag(&self) -> Result<Arc<dyn BackendTag>> {
        let tag = Arc::new(WorkerTag::default());
        let reached = tag.clone();
        self.push(move || reached.reach())?;
        Ok(tag)
    }

    fn wait(&self, tag: &dyn BackendTag) -> Result<()> {
        let tag = downcast_tag(tag)?.clone();
        self.push(move || {
            tag.reached_at();
        })
    }

    fn finish(&self) -> Result<()> {
        self.tag()?.wait()
    }
}

/// When a point of a queue was reached.
#[derive(Clone, Default)]
pub(crate) struct WorkerTag {
    state: Arc<(Mutex<Option<Instant>>, Condvar)>,
}

impl WorkerTag {
    fn reach(&self) {
        *self.state.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        self.state.1.notify_all();
    }

    /// Waits for the point.
    fn reached_at(&self) -> Instant {
        let mut guard = self.state.0.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match *guard {
                Some(at) => return at,
                None => guard = self.state.1.wait(guard).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

fn downcast_tag(tag: &dyn BackendTag) -> Result<&WorkerTag> {
    (tag as &dyn Any).downcast_ref().ok_or_else(|| Error::invalid("a tag of another backend"))
}

impl BackendTag for WorkerTag {
    fn wait(&self) -> Result<()> {
        self.reached_at();
        Ok(())
    }

    fn is_reached(&self) -> Result<bool> {
        Ok(self.state.0.lock().unwrap_or_else(PoisonError::into_inner).is_some())
    }

    fn elapsed_ms(&self, earlier: &dyn BackendTag) -> Result<f64> {
        let (start, end) = (downcast_tag(earlier)?.reached_at(), self.reached_at());
        Ok(end.saturating_duration_since(start).as_secs_f64() * 1e3)
    }
}

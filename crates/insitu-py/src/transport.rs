//! What carries the messages of `ferrocca.comm`: an object of Python's, such as the one around a communicator of mpi4py.
//!
//! It has `rank`, `size`, `send(to, tag, bytes)` and `receive(from, tag, bytes)`, which begin a message with a view of its
//! bytes and answer what `test(message)` takes, `test`, which answers whether the message is done and raises where it failed,
//! `finish()`, which waits for all ranks, and `abort()`, which ends them. This side owns the bytes until a message is done, so
//! that no view of them outlives them.

use crate::interrupt;
use ferrocca::comm::{Buffer, Capabilities, Request, Transport};
use ferrocca::{Error, ErrorKind, Result};
use pyo3::prelude::*;
use std::collections::HashMap;
use std::ffi::c_char;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a rank asks without a pause.
const SPIN: Duration = Duration::from_micros(200);
/// How often Python looks for signals while a rank waits.
const ASK: Duration = Duration::from_millis(50);

pub(crate) struct PythonTransport {
    object: Py<PyAny>,
    rank: usize,
    size: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next: u64,
    messages: HashMap<u64, Message>,
    has_ended: bool,
}

struct Message {
    /// Stays in place until it is done: a `Vec`'s elements and a device's memory do not move with their owner.
    buffer: Buffer,
    under_way: Py<PyAny>,
    /// `10 bytes with tag 3 of rank 1`, for errors.
    what: String,
}

impl PythonTransport {
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (rank, size) = (object.getattr("rank")?.extract()?, object.getattr("size")?.extract()?);
        Ok(Self { object: object.clone().unbind(), rank, size, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, other: usize, tag: u16, mut buffer: Buffer, sends: bool) -> Result<Request> {
        if self.state().has_ended {
            return Err(failure(format!("rank {} has ended: it sends and receives nothing more", self.rank)));
        }
        if other >= self.size {
            return Err(failure(format!("there is no rank {other}: ranks count from 0, and there are {}", self.size)));
        }
        let bytes = buffer.bytes();
        let address: *mut u8 = match &mut buffer {
            Buffer::Host(bytes) => bytes.as_mut_ptr(),
            Buffer::Memory(memory) if memory.is_empty() => std::ptr::NonNull::dangling().as_ptr(),
            Buffer::Memory(memory) => match memory.mapped() {
                Some(address) => address.as_ptr(),
                None => {
                    return Err(Error::unsupported(
                        "messages from memory of this device",
                        "the host does not address it",
                    ));
                }
            },
        };
        let (method, preposition, way) = if sends { ("send", "to", "for") } else { ("receive", "of", "of") };
        let under_way = Python::attach(|py| {
            // SAFETY: the bytes stay where they are until the message is done, and no longer does the object keep the view.
            let view = unsafe {
                let view = pyo3::ffi::PyMemoryView_FromMemory(
                    address.cast::<c_char>(),
                    bytes as isize,
                    pyo3::ffi::PyBUF_WRITE,
                );
                Bound::from_owned_ptr_or_err(py, view)?
            };
            self.object.bind(py).call_method1(method, (other, tag, view)).map(Bound::unbind)
        });
        let under_way = match under_way {
            Ok(under_way) => under_way,
            Err(error) => {
                // What has begun goes on: the bytes must stay.
                std::mem::forget(buffer);
                return Err(failure(format!("{bytes} bytes with tag {tag} {preposition} rank {other}: {error}")));
            }
        };
        let mut state = self.state();
        state.next += 1;
        let id = state.next;
        let what = format!("{bytes} bytes with tag {tag} {way} rank {other}");
        state.messages.insert(id, Message { buffer, under_way, what });
        Ok(Request(id))
    }
}

impl Transport for PythonTransport {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            name: "mpi4py",
            device_memory: false,
            mapped_memory: true,
            stream_ordered: false,
            capturable: false,
        }
    }

    fn send(&self, to: usize, tag: u16, message: Buffer) -> Result<Request> {
        self.begin(to, tag, message, true)
    }

    fn receive(&self, from: usize, tag: u16, into: Buffer) -> Result<Request> {
        self.begin(from, tag, into, false)
    }

    fn wait(&self, request: Request, limit: Duration) -> Result<Buffer> {
        let gone = || failure(format!("request {} is not of this transport, or was waited for already", request.0));
        let (under_way, what) = {
            let state = self.state();
            let message = state.messages.get(&request.0).ok_or_else(gone)?;
            (Python::attach(|py| message.under_way.clone_ref(py)), message.what.clone())
        };
        let (start, mut asked) = (Instant::now(), Duration::ZERO);
        loop {
            let elapsed = start.elapsed();
            let asks = elapsed >= asked + ASK;
            if asks {
                asked = elapsed;
            }
            let is_done = Python::attach(|py| {
                if asks {
                    interrupt::check(py)?;
                }
                self.object.bind(py).call_method1("test", (&under_way,))?.extract::<bool>()
            });
            match is_done {
                Ok(true) => break,
                Ok(false) if elapsed > limit => {
                    return Err(failure(format!("rank {} waited {elapsed:.1?} for {what}", self.rank)));
                }
                Ok(false) if elapsed > SPIN => std::thread::yield_now(),
                Ok(false) => std::hint::spin_loop(),
                // The bytes stay: they may still be written.
                Err(error) => return Err(failure(format!("rank {}, {what}: {error}", self.rank))),
            }
        }
        drop(under_way);
        self.state().messages.remove(&request.0).map(|message| message.buffer).ok_or_else(gone)
    }

    fn end(&self, reason: Option<&Error>) {
        if std::mem::replace(&mut self.state().has_ended, true) {
            return;
        }
        Python::attach(|py| {
            let method = if reason.is_some() { "abort" } else { "finish" };
            if let Err(error) = self.object.bind(py).call_method0(method) {
                error.write_unraisable(py, Some(self.object.bind(py)));
            }
        });
    }
}

impl Drop for PythonTransport {
    fn drop(&mut self) {
        // What is still under way may be written later.
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        std::mem::forget(std::mem::take(&mut state.messages));
    }
}

fn failure(message: String) -> Error {
    Error::new(ErrorKind::Communication { message })
}

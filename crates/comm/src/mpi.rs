//! Ranks that are processes, over MPI: the crate `mpi` (rsmpi), which is built against the MPI of this machine.
//!
//! Every call into MPI is made under one lock, so that any thread may call (`MPI_THREAD_SERIALIZED`). A message is one or
//! more pieces of at most [`PIECE`] bytes, because MPI counts in 31 bits; pieces of a message have its tag and keep their
//! order. Errors of MPI are returned, not fatal, and who waits asks MPI now and then, so that a limit can be kept.
//!
//! Memory of a device goes in place where the host addresses it. Memory of GPUs does not: MPI knows no stream, and whether a
//! packaged MPI takes device pointers cannot be tried without the risk of a crash.

#![allow(unsafe_code)] // MPI is a library in C.

use crate::transport::{Buffer, Capabilities, Request, Transport, failure};
use ferrocca_core::{Error, ErrorKind, Result};
use mpi::environment::{Threading, Universe};
use mpi::ffi;
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Most bytes of a piece of a message.
const PIECE: usize = 1 << 30;
/// How long a rank that is done sleeps before it asks again whether the others are.
const PAUSE: Duration = Duration::from_millis(1);
/// How long a rank asks without a pause.
const SPIN: Duration = Duration::from_micros(200);
/// How long a rank waits between telling why it ends all and doing so.
const TIME_TO_BE_HEARD: Duration = Duration::from_millis(200);

/// A rank of `MPI_COMM_WORLD`, in a communicator of its own.
///
/// When it is dropped before [`end`](Transport::end), as by an error, it ends all ranks (`MPI_Abort`): the others would wait
/// for what never comes. [`run`](crate::run) ends it in either way.
pub struct Mpi {
    state: Mutex<State>,
    rank: usize,
    size: usize,
    piece: usize,
    /// Finalizes MPI when it goes.
    universe: Mutex<Option<Universe>>,
}

struct State {
    comm: ffi::MPI_Comm,
    next: u64,
    messages: HashMap<u64, Message>,
}

struct Message {
    /// Stays in place until MPI is done with it: a `Vec`'s elements and a device's memory do not move with their owner.
    buffer: Buffer,
    requests: Vec<ffi::MPI_Request>,
    /// Bytes of each piece that is expected; none of what is sent.
    expected: Vec<usize>,
    other: usize,
    tag: u16,
}

// SAFETY: handles of MPI are plain values that any thread may use, one at a time: the lock sees to that, and MPI was asked for
// `MPI_THREAD_SERIALIZED`.
unsafe impl Send for State {}

impl Mpi {
    /// Starts MPI. Collective; once in a process.
    /// # Errors
    /// [`ErrorKind::Communication`] where MPI was started before in this process, offers no calls from several threads, or
    /// fails.
    pub fn start() -> Result<Self> {
        let (universe, threading) = mpi::initialize_with_threading(Threading::Serialized)
            .ok_or_else(|| failure("MPI was started before in this process"))?;
        if threading < Threading::Serialized {
            return Err(failure(format!("this MPI offers {threading:?} only: calls from several threads are needed")));
        }
        let mut comm = MaybeUninit::uninit();
        let (mut rank, mut size) = (0, 0);
        // SAFETY: MPI is started; the pointers are to variables of the right types; the communicator is valid once the first
        // call has succeeded.
        let comm = unsafe {
            check("MPI_Comm_dup", ffi::MPI_Comm_dup(ffi::RSMPI_COMM_WORLD, comm.as_mut_ptr()))?;
            let comm = comm.assume_init();
            check("MPI_Comm_set_errhandler", ffi::MPI_Comm_set_errhandler(comm, ffi::RSMPI_ERRORS_RETURN))?;
            check("MPI_Comm_rank", ffi::MPI_Comm_rank(comm, &mut rank))?;
            check("MPI_Comm_size", ffi::MPI_Comm_size(comm, &mut size))?;
            comm
        };
        let state = Mutex::new(State { comm, next: 0, messages: HashMap::new() });
        let universe = Mutex::new(Some(universe));
        Ok(Self { state, rank: rank as usize, size: size as usize, piece: PIECE, universe })
    }

    /// Cuts messages into pieces of so many bytes instead of [`PIECE`], the same on every rank: for tests.
    #[must_use]
    pub fn with_pieces(mut self, bytes: usize) -> Self {
        self.piece = bytes.clamp(1, PIECE);
        self
    }

    /// The library's name and version.
    pub fn library(&self) -> String {
        let _one_at_a_time = self.state();
        mpi::environment::library_version().unwrap_or_default().lines().next().unwrap_or_default().to_owned()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// MPI must not be called once it has ended.
    fn check_runs(&self) -> Result<()> {
        match *self.universe.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(_) => Ok(()),
            None => Err(failure(format!("rank {} has ended: it sends and receives nothing more", self.rank))),
        }
    }

    /// Waits until every rank has come to its end, however long that takes: a rank that fails meanwhile ends this one, too.
    ///
    /// `MPI_Finalize` would wait as well. But where one rank calls `MPI_Abort` while another is in `MPI_Finalize`, mpirun of
    /// Open MPI 4.1 sometimes (24 of 150 times) hangs or crashes in its own end, after all ranks have gone.
    fn wait_for_all(&self) {
        if self.check_runs().is_err() {
            return;
        }
        let mut request = MaybeUninit::uninit();
        // SAFETY: MPI runs, and the pointer is to a variable of the right type, which a call that succeeds sets.
        let mut code = unsafe { ffi::MPI_Ibarrier(self.state().comm, request.as_mut_ptr()) };
        let (start, mut done) = (Instant::now(), 0);
        // What fails here is left to `MPI_Finalize`.
        while code == 0 && done == 0 {
            let mut status = MaybeUninit::uninit();
            let one_at_a_time = self.state();
            // SAFETY: the request was made above and is not done; the pointers are to variables of the right types.
            code = unsafe { ffi::MPI_Test(request.as_mut_ptr(), &mut done, status.as_mut_ptr()) };
            drop(one_at_a_time);
            if start.elapsed() > SPIN {
                std::thread::sleep(PAUSE);
            }
        }
    }

    fn begin(&self, other: usize, tag: u16, mut buffer: Buffer, sends: bool) -> Result<Request> {
        self.check_runs()?;
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
                    return Err(Error::unsupported("MPI with memory of this device", "the host does not address it"));
                }
            },
        };
        let mut state = self.state();
        let (mut requests, mut expected) = (Vec::new(), Vec::new());
        let mut at = 0;
        // A message of no bytes is one piece.
        while at < bytes || requests.is_empty() {
            let count = (bytes - at).min(self.piece);
            let mut request = MaybeUninit::uninit();
            // SAFETY: the range lies within the buffer, which `state.messages` keeps in place until the request is done; the
            // count fits an `int`, because pieces are at most `PIECE`.
            let code = unsafe {
                let address: *mut c_void = address.add(at).cast();
                let (count, other, tag) = (count as c_int, other as c_int, c_int::from(tag));
                match sends {
                    true => {
                        ffi::MPI_Isend(address, count, ffi::RSMPI_UINT8_T, other, tag, state.comm, request.as_mut_ptr())
                    }
                    false => {
                        ffi::MPI_Irecv(address, count, ffi::RSMPI_UINT8_T, other, tag, state.comm, request.as_mut_ptr())
                    }
                }
            };
            if let Err(error) = check(if sends { "MPI_Isend" } else { "MPI_Irecv" }, code) {
                // What has begun goes on: the buffer must stay.
                std::mem::forget(buffer);
                return Err(error);
            }
            // SAFETY: the call has succeeded, and so has set it.
            requests.push(unsafe { request.assume_init() });
            if !sends {
                expected.push(count);
            }
            at += count.max(1);
        }
        state.next += 1;
        let id = state.next;
        state.messages.insert(id, Message { buffer, requests, expected, other, tag });
        Ok(Request(id))
    }
}

impl State {
    /// Whether all pieces of a message are done.
    fn test(&mut self, id: u64) -> Result<bool> {
        let Some(message) = self.messages.get_mut(&id) else {
            return Err(failure(format!("request {id} is not of this transport, or was waited for already")));
        };
        while let Some(request) = message.requests.first_mut() {
            let (mut done, mut status) = (0, MaybeUninit::uninit());
            // SAFETY: the request is one that MPI made and that is not done; the pointers are to variables of the right types.
            let code = unsafe { ffi::MPI_Test(request, &mut done, status.as_mut_ptr()) };
            let (other, tag) = (message.other, message.tag);
            if code != 0 {
                let expected = message.expected.first().copied().unwrap_or_default();
                let error = error_of("MPI_Test", code);
                return Err(error.while_doing(format!("rank {other}, tag {tag}, {expected} bytes were expected")));
            }
            if done == 0 {
                return Ok(false);
            }
            message.requests.remove(0);
            if !message.expected.is_empty() {
                let expected = message.expected.remove(0);
                let mut count = 0;
                // SAFETY: the test has set the status, because it has found the request done.
                let code = unsafe { ffi::MPI_Get_count(status.as_ptr(), ffi::RSMPI_UINT8_T, &mut count) };
                check("MPI_Get_count", code)?;
                if count as usize != expected {
                    return Err(failure(format!("rank {other} sent {count} bytes where {expected} were expected")));
                }
            }
        }
        Ok(true)
    }
}

impl Transport for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            name: "mpi",
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
        self.check_runs()?;
        let start = Instant::now();
        loop {
            let mut state = self.state();
            if state.test(request.0)? {
                let message = state.messages.remove(&request.0);
                return message.map(|message| message.buffer).ok_or_else(|| failure("a message is gone"));
            }
            let elapsed = start.elapsed();
            if elapsed > limit {
                let message = &state.messages[&request.0];
                let (bytes, tag, other) = (message.buffer.bytes(), message.tag, message.other);
                let what = match message.expected.is_empty() {
                    true => format!("rank {other} to take {bytes} bytes with tag {tag}"),
                    false => format!("{bytes} bytes with tag {tag} of rank {other}"),
                };
                // The buffer stays with MPI, which may still write it.
                return Err(failure(format!("rank {} waited {elapsed:.1?} for {what}", self.rank)));
            }
            drop(state);
            // More ranks than cores: whoever waits must not keep the other from running.
            if elapsed > SPIN {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
    }

    fn end(&self, reason: Option<&Error>) {
        if reason.is_none() {
            self.wait_for_all();
        }
        let universe = self.universe.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (universe, reason) {
            // Ends MPI.
            (Some(universe), None) => drop(universe),
            (Some(_), Some(_)) => {
                // Launchers drop what a rank has said and they have not read when it aborts.
                std::thread::sleep(TIME_TO_BE_HEARD);
                // SAFETY: MPI is started. No lock: this ends the process, whatever another thread does.
                unsafe {
                    ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, 1);
                }
            }
            (None, _) => {}
        }
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        self.end(Some(&failure("this rank went before its end")));
    }
}

fn check(call: &'static str, code: c_int) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(error_of(call, code)) }
}

fn error_of(call: &'static str, code: c_int) -> Error {
    let mut text = [0 as c_char; 1024];
    let mut len = 0;
    // SAFETY: MPI writes at most `MPI_MAX_ERROR_STRING` characters, which is 256 to 512 in the implementations there are.
    let known = unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr(), &mut len) };
    let text: String = match known {
        0 => text[..(len as usize).min(text.len())].iter().map(|c| char::from(*c as u8)).collect(),
        _ => format!("error {code}"),
    };
    Error::new(ErrorKind::Communication { message: format!("{call}: {text}") })
}

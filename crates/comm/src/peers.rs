//! Ranks that are threads of one process: [`peers`], each with a device of its own, of any modes; and [`Peer::alone`], one
//! rank.
//!
//! Every rank has a mailbox. Who sends puts a parcel into the receiver's and keeps it; who receives copies its contents, from
//! memory to memory where both sides gave memory, and marks it as taken. A mailbox counts what happens to its rank: a parcel, a
//! receiver that has taken one, a rank that has failed. A rank that waits watches that number for some microseconds, and then
//! sleeps until its mailbox is rung: where there are more threads than cores, who sleeps is soon let run again, who yields is not.

use crate::comm::Comm;
use crate::transport::{Buffer, Capabilities, Request, Transport, failure};
use ferrocca_core::{Device, Error, Result, Tag};
use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How long a rank watches before it sleeps. Ranks that compute the same are done at nearly the same time.
const WATCH: Duration = Duration::from_micros(30);

/// What the ranks of a group share.
struct Hub {
    mailboxes: Vec<Mailbox>,
    /// The rank that failed first, and why.
    failed: OnceLock<(usize, Error)>,
}

/// By sender and tag, in the order in which they were sent.
type Parcels = HashMap<(usize, u16), VecDeque<Arc<Parcel>>>;

#[derive(Default)]
struct Mailbox {
    parcels: Mutex<Parcels>,
    /// What has happened so far. Counted while the parcels are locked, so that nothing comes between a look and a sleep.
    events: AtomicU64,
    bell: Condvar,
}

struct Parcel {
    contents: Mutex<Option<Buffer>>,
    bytes: usize,
    /// What the sender's device has queued before it.
    ready: Option<Tag>,
    taken: AtomicBool,
}

/// A rank of a group of threads.
pub struct Peer {
    hub: Arc<Hub>,
    rank: usize,
    pending: Mutex<Pending>,
}

#[derive(Default)]
struct Pending {
    next: u64,
    messages: HashMap<u64, Message>,
}

enum Message {
    Sent { to: usize, tag: u16, parcel: Arc<Parcel> },
    Expected { from: usize, tag: u16, into: Buffer },
}

impl Peer {
    /// A group of one rank. A message that it waits for without having sent it is an error at once.
    pub fn alone() -> Self {
        Self::group(1).remove(0)
    }

    /// The ranks of a group, each for a thread of its own.
    pub fn group(size: usize) -> Vec<Self> {
        let mailboxes = (0..size).map(|_| Mailbox::default()).collect();
        let hub = Arc::new(Hub { mailboxes, failed: OnceLock::new() });
        (0..size).map(|rank| Self { hub: hub.clone(), rank, pending: Mutex::default() }).collect()
    }

    fn begin(&self, message: Message) -> Request {
        let mut pending = lock(&self.pending);
        pending.next += 1;
        let id = pending.next;
        pending.messages.insert(id, message);
        Request(id)
    }

    fn check_rank(&self, rank: usize) -> Result<()> {
        match rank < self.hub.mailboxes.len() {
            true => Ok(()),
            false => {
                Err(failure(format!("there is no rank {rank}: ranks count from 0, and there are {}", self.size())))
            }
        }
    }

    /// Waits until `look`, which sees the rank's own mailbox, answers something.
    fn until<R>(
        &self,
        limit: Duration,
        what: impl Fn() -> String,
        mut look: impl FnMut(&mut Parcels) -> Option<R>,
    ) -> Result<R> {
        let mailbox = &self.hub.mailboxes[self.rank];
        let start = Instant::now();
        loop {
            let mut parcels = lock(&mailbox.parcels);
            let seen = mailbox.events.load(Ordering::Relaxed);
            if let Some(found) = look(&mut parcels) {
                return Ok(found);
            }
            if let Some((rank, error)) = self.hub.failed.get() {
                let other = if *rank == self.rank { "this rank".to_owned() } else { format!("rank {rank}") };
                return Err(failure(format!("{other} failed while rank {} waited for {}: {error}", self.rank, what())));
            }
            if self.hub.mailboxes.len() == 1 {
                return Err(failure(format!("the only rank waits for {}, which nobody will send", what())));
            }
            let elapsed = start.elapsed();
            if elapsed > limit {
                return Err(failure(format!("rank {} waited {:.1?} for {}", self.rank, elapsed, what())));
            }
            if elapsed < WATCH {
                drop(parcels);
                while mailbox.events.load(Ordering::Relaxed) == seen && start.elapsed() < WATCH {
                    std::hint::spin_loop();
                }
            } else {
                let rest = (limit - elapsed).max(Duration::from_millis(1));
                drop(mailbox.bell.wait_timeout(parcels, rest).unwrap_or_else(PoisonError::into_inner));
            }
        }
    }
}

impl Hub {
    /// Tells a rank that something has happened.
    fn ring(&self, rank: usize) {
        self.change(rank, |_| ());
    }

    /// Changes the parcels of a rank, and tells it.
    fn change(&self, rank: usize, change: impl FnOnce(&mut Parcels)) {
        let mailbox = &self.mailboxes[rank];
        let mut parcels = lock(&mailbox.parcels);
        change(&mut parcels);
        mailbox.events.fetch_add(1, Ordering::Relaxed);
        drop(parcels);
        mailbox.bell.notify_all();
    }
}

impl Transport for Peer {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.hub.mailboxes.len()
    }

    fn capabilities(&self) -> Capabilities {
        let name = if self.size() == 1 { "alone" } else { "peers" };
        Capabilities { name, device_memory: true, mapped_memory: true, stream_ordered: true, capturable: false }
    }

    fn send(&self, to: usize, tag: u16, message: Buffer) -> Result<Request> {
        self.check_rank(to)?;
        let ready = match &message {
            Buffer::Memory(memory) => Some(memory.device().tag_stream()?),
            Buffer::Host(_) => None,
        };
        let bytes = message.bytes();
        let parcel =
            Arc::new(Parcel { contents: Mutex::new(Some(message)), bytes, ready, taken: AtomicBool::new(false) });
        self.hub.change(to, |parcels| parcels.entry((self.rank, tag)).or_default().push_back(parcel.clone()));
        Ok(self.begin(Message::Sent { to, tag, parcel }))
    }

    fn receive(&self, from: usize, tag: u16, into: Buffer) -> Result<Request> {
        self.check_rank(from)?;
        Ok(self.begin(Message::Expected { from, tag, into }))
    }

    fn wait(&self, request: Request, limit: Duration) -> Result<Buffer> {
        let message = lock(&self.pending).messages.remove(&request.0);
        match message {
            Some(Message::Sent { to, tag, parcel }) => {
                let what = || format!("rank {to} to take {} bytes with tag {tag}", parcel.bytes);
                self.until(limit, what, |_| parcel.taken.load(Ordering::Acquire).then_some(()))?;
                let contents = lock(&parcel.contents).take();
                contents.ok_or_else(|| failure("what was sent is gone"))
            }
            Some(Message::Expected { from, tag, mut into }) => {
                let what = || format!("{} bytes with tag {tag} of rank {from}", into.bytes());
                let parcel = self.until(limit, what, |parcels| parcels.get_mut(&(from, tag))?.pop_front())?;
                let copied = copy(&parcel, &mut into, from);
                parcel.taken.store(true, Ordering::Release);
                self.hub.ring(from);
                copied.map(|()| into)
            }
            None => Err(failure(format!("request {} is not of this transport, or was waited for already", request.0))),
        }
    }

    fn failed(&self) -> Option<Error> {
        let (rank, error) = self.hub.failed.get().filter(|(rank, _)| *rank != self.rank)?;
        Some(failure(format!("rank {rank} failed: {error}")))
    }

    fn end(&self, failure: Option<&Error>) {
        if let Some(error) = failure {
            let _ = self.hub.failed.set((self.rank, error.clone()));
            (0..self.size()).for_each(|rank| self.hub.ring(rank));
        }
    }
}

fn copy(parcel: &Parcel, into: &mut Buffer, from: usize) -> Result<()> {
    if parcel.bytes != into.bytes() {
        let (sent, expected) = (parcel.bytes, into.bytes());
        return Err(failure(format!("rank {from} sent {sent} bytes where {expected} were expected")));
    }
    if let Some(ready) = &parcel.ready {
        ready.wait()?;
    }
    match (lock(&parcel.contents).as_ref(), into) {
        (Some(Buffer::Host(source)), Buffer::Host(into)) => into.copy_from_slice(source),
        (Some(Buffer::Host(source)), Buffer::Memory(into)) => into.copy_from_bytes(source)?,
        (Some(Buffer::Memory(source)), Buffer::Host(into)) => source.copy_to_bytes(into)?,
        (Some(Buffer::Memory(source)), Buffer::Memory(into)) => into.copy_from_memory(source)?,
        (None, _) => return Err(failure("a message was taken twice")),
    }
    Ok(())
}

/// Runs `body` on a thread for each device, all at the same time: rank `i` has `devices[i]`. Returns what they return, by
/// rank.
///
/// A rank that fails or panics ends the others, which are told why. Devices of the mode `CPU` that share the same threads get
/// in each other's way: give each its own (`CPU, threads=1`).
/// # Errors
/// [`ferrocca_core::ErrorKind::Invalid`] for no device, and for one that is given twice; the error of the rank that failed
/// first.
pub fn peers<R: Send>(devices: &[Device], body: impl Fn(&Comm, &Device) -> Result<R> + Sync) -> Result<Vec<R>> {
    check_devices(devices)?;
    group(devices.len(), |comm| body(comm, &devices[comm.rank()]))
}

/// As [`peers`], for ranks that open their devices themselves, or need none.
/// # Errors
/// As [`peers`].
pub fn group<R: Send>(size: usize, body: impl Fn(&Comm) -> Result<R> + Sync) -> Result<Vec<R>> {
    if size == 0 {
        return Err(Error::invalid("a group needs at least one rank"));
    }
    let ranks = Peer::group(size);
    let hub = ranks[0].hub.clone();
    let run = |peer: Peer| {
        let rank = peer.rank;
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| body(&Comm::new(peer)?)));
        let outcome = outcome.unwrap_or_else(|panic| Err(failure(format!("it panicked: {}", text_of(&*panic)))));
        if let Err(error) = &outcome {
            let _ = hub.failed.set((rank, error.clone()));
            (0..size).for_each(|rank| hub.ring(rank));
        }
        outcome
    };
    let outcomes: Vec<Result<R>> = std::thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = ranks
            .into_iter()
            .map(|peer| {
                let thread = std::thread::Builder::new().name(format!("rank {}", peer.rank));
                thread.spawn_scoped(scope, move || run(peer))
            })
            .collect();
        let join = |thread: std::io::Result<std::thread::ScopedJoinHandle<'_, Result<R>>>| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| Err(failure(text_of(&*panic)))),
            Err(error) => {
                let error = failure(format!("a thread cannot be started: {error}"));
                let _ = hub.failed.set((0, error.clone()));
                Err(error)
            }
        };
        threads.into_iter().map(join).collect()
    });
    match hub.failed.get() {
        Some((rank, error)) => Err(error.clone().while_doing(format!("rank {rank} of {size}"))),
        None => outcomes.into_iter().collect(),
    }
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

/// Two ranks on one GPU are most likely a mistake; two on the processor have threads of their own.
fn check_devices(devices: &[Device]) -> Result<()> {
    for (rank, device) in devices.iter().enumerate() {
        let is_same = |other: &Device| {
            let same_hardware = device.info().uuid.is_some() && device.info().uuid == other.info().uuid;
            other == device || same_hardware && device.has_separate_memory_space()
        };
        if let Some(other) = devices[..rank].iter().position(is_same) {
            return Err(Error::invalid(format!(
                "ranks {other} and {rank} were both given the device `{}`: each rank needs one of its own",
                device.info().name
            )));
        }
    }
    match devices.is_empty() {
        true => Err(Error::invalid("a group needs at least one device")),
        false => Ok(()),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

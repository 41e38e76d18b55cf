//! A group of ranks: who they are, where they run, and what they do together.

use crate::link::Link;
use crate::peers::Peer;
use crate::transport::{Buffer, Capabilities, Operation, Request, Transport, failure};
use crate::tree;
use ferrocca_core::{Device, Error, Result, Stream};
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// How long a rank waits for another one unless told: [`Comm::set_limit`], `FERROCCA_COMM_LIMIT` in seconds.
const LIMIT: Duration = Duration::from_secs(120);

/// Tags below are those of collective calls; plans get the others.
const FIRST_PLAN_TAG: usize = 64;
const LAST_TAG: usize = 1 << 15;
const COLLECTIVE_TAG: u16 = 1;

/// Where a rank runs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    /// Name of the machine.
    host: String,
    /// Numbers of the cores that it may run on.
    cores: Vec<u32>,
}

impl Place {
    fn here() -> Self {
        Self { host: rustix::system::uname().nodename().to_string_lossy().into_owned(), cores: cores() }
    }

    fn to_text(&self) -> String {
        let cores: Vec<String> = self.cores.iter().map(u32::to_string).collect();
        format!("{} {}", self.host, cores.join(","))
    }

    fn from_text(text: &str) -> Self {
        let (host, cores) = text.rsplit_once(' ').unwrap_or((text, ""));
        Self { host: host.to_owned(), cores: cores.split(',').filter_map(|core| core.parse().ok()).collect() }
    }
}

/// The cores that this process may run on.
fn cores() -> Vec<u32> {
    #[cfg(target_os = "linux")]
    if let Ok(set) = rustix::thread::sched_getaffinity(None) {
        return (0..rustix::thread::CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).map(|core| core as u32).collect();
    }
    (0..std::thread::available_parallelism().map_or(1, usize::from) as u32).collect()
}

/// A group of ranks, as one of them sees it. A clone is another handle of the same rank.
///
/// *Collective* calls are made by all ranks, in the same order.
#[derive(Clone)]
pub struct Comm {
    inner: Arc<Inner>,
}

struct Inner {
    transport: Box<dyn Transport>,
    limit_ms: AtomicU64,
    /// By rank.
    places: Vec<Place>,
    next_tag: AtomicUsize,
    /// The links that devices have.
    links: Mutex<Vec<(Device, Arc<dyn Link>)>>,
    /// On which stream of each device messages of links were queued last.
    streams: Mutex<Vec<Stream>>,
}

/// A [`Comm`] that does not keep its ranks together.
pub(crate) struct WeakComm(Weak<Inner>);

impl WeakComm {
    pub(crate) fn upgrade(&self) -> Option<Comm> {
        self.0.upgrade().map(|inner| Comm { inner })
    }
}

impl Comm {
    /// One rank, which is all there are. Every program for many ranks runs so, without MPI.
    pub fn alone() -> Self {
        Self::with_places(Peer::alone(), vec![Place::here()], LIMIT)
    }

    /// The group of a transport. Collective.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Communication`]; [`ferrocca_core::ErrorKind::Invalid`] for a `FERROCCA_COMM_LIMIT` that is
    /// no number of seconds.
    pub fn new(transport: impl Transport + 'static) -> Result<Self> {
        let limit = limit_of_environment()?;
        let size = transport.size();
        let mut comm = Self::with_places(transport, vec![Place::here(); size], limit);
        let places = comm.all_gather(Place::here().to_text().as_bytes())?;
        if let Some(inner) = Arc::get_mut(&mut comm.inner) {
            inner.places = places.iter().map(|text| Place::from_text(&String::from_utf8_lossy(text))).collect();
        }
        Ok(comm)
    }

    fn with_places(transport: impl Transport + 'static, places: Vec<Place>, limit: Duration) -> Self {
        let limit_ms = AtomicU64::new(limit.as_millis() as u64);
        let next_tag = AtomicUsize::new(FIRST_PLAN_TAG);
        let (transport, links, streams) = (Box::new(transport), Mutex::default(), Mutex::default());
        Self { inner: Arc::new(Inner { transport, limit_ms, places, next_tag, links, streams }) }
    }

    pub(crate) fn downgrade(&self) -> WeakComm {
        WeakComm(Arc::downgrade(&self.inner))
    }

    /// The link that a device of this rank has.
    pub(crate) fn known_link(&self, device: &Device) -> Option<Arc<dyn Link>> {
        let links = self.inner.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.iter().find(|(known, _)| known == device).map(|(_, link)| link.clone())
    }

    /// Calls `work`, which queues messages of a link, with the handle of the device's current stream, behind those that were
    /// queued on another one: links count messages.
    pub(crate) fn queue_linked(&self, device: &Device, work: impl FnOnce(u64) -> Result<()>) -> Result<()> {
        let stream = device.stream();
        let mut streams = self.inner.streams.lock().unwrap_or_else(PoisonError::into_inner);
        match streams.iter_mut().find(|last| last.device() == *device) {
            Some(last) if *last != stream => {
                stream.wait(&last.tag()?)?;
                *last = stream.clone();
            }
            Some(_) => {}
            None => streams.push(stream.clone()),
        }
        stream.queue_native(work)
    }

    pub(crate) fn keep_link(&self, device: &Device, link: Arc<dyn Link>) {
        let mut links = self.inner.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.retain(|(known, _)| known != device);
        links.push((device.clone(), link));
    }

    /// This rank, counted from 0.
    pub fn rank(&self) -> usize {
        self.inner.transport.rank()
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.inner.transport.size()
    }

    /// Name of the machine on which a rank runs; empty for a rank that does not exist.
    pub fn host(&self, rank: usize) -> &str {
        self.inner.places.get(rank).map_or("", |place| &place.host)
    }

    /// This rank among those of its machine, counted from 0.
    pub fn local_rank(&self) -> usize {
        let own = self.host(self.rank());
        self.inner.places[..self.rank()].iter().filter(|place| place.host == own).count()
    }

    /// Number of ranks on this machine.
    pub fn local_size(&self) -> usize {
        let own = self.host(self.rank());
        self.inner.places.iter().filter(|place| place.host == own).count()
    }

    /// What carries the messages.
    pub fn transport(&self) -> &dyn Transport {
        &*self.inner.transport
    }

    /// What that can do.
    pub fn capabilities(&self) -> Capabilities {
        self.inner.transport.capabilities()
    }

    /// How long this rank waits for another one before it gives up.
    pub fn limit(&self) -> Duration {
        Duration::from_millis(self.inner.limit_ms.load(Ordering::Relaxed))
    }

    /// Sets [`limit`](Self::limit), to a millisecond at least. A rank that compiles kernels, or writes a file, while others
    /// wait needs its time too.
    pub fn set_limit(&self, limit: Duration) {
        self.inner.limit_ms.store(limit.as_millis().max(1) as u64, Ordering::Relaxed);
    }

    /// Waits for a message.
    /// # Errors
    /// As [`Transport::wait`]: with this rank, the other one and their machines.
    pub fn wait(&self, request: Request, other: usize) -> Result<Buffer> {
        self.inner.transport.wait(request, self.limit()).map_err(|error| self.explain(error, other))
    }

    /// This rank and its machine, as errors tell it.
    pub(crate) fn whereabouts(&self) -> String {
        format!("rank {} on {}", self.rank(), self.host(self.rank()))
    }

    /// The machines to an error between this rank and another.
    #[cold]
    fn explain(&self, error: Error, other: usize) -> Error {
        error.while_doing(format!("{} with rank {other} on {}", self.whereabouts(), self.host(other)))
    }

    /// Sends bytes and waits until they are under way.
    /// # Errors
    /// As [`Transport::wait`].
    pub fn send(&self, to: usize, tag: u16, bytes: Vec<u8>) -> Result<()> {
        self.wait(self.inner.transport.send(to, tag, Buffer::Host(bytes))?, to).map(drop)
    }

    /// Receives as many bytes as said.
    /// # Errors
    /// As [`Transport::wait`].
    pub fn receive(&self, from: usize, tag: u16, bytes: usize) -> Result<Vec<u8>> {
        self.wait(self.inner.transport.receive(from, tag, Buffer::Host(vec![0; bytes]))?, from)?.into_host()
    }

    /// Sends bytes whose number the receiver need not know.
    pub(crate) fn send_sized(&self, to: usize, bytes: Vec<u8>) -> Result<()> {
        self.send(to, COLLECTIVE_TAG, (bytes.len() as u64).to_le_bytes().to_vec())?;
        self.send(to, COLLECTIVE_TAG, bytes)
    }

    /// Receives what [`send_sized`](Self::send_sized) sends.
    pub(crate) fn receive_sized(&self, from: usize) -> Result<Vec<u8>> {
        let len = self.receive(from, COLLECTIVE_TAG, 8)?;
        let len = len.as_chunks().0.first().map_or(0, |len| u64::from_le_bytes(*len));
        self.receive(from, COLLECTIVE_TAG, len as usize)
    }

    /// What every rank gives, by rank, on every rank. Collective; the numbers of bytes may differ.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Communication`].
    pub fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        let gathered = self.gather(bytes)?;
        let joined = self.broadcast(gathered.map(|parts| join(&parts)).unwrap_or_default())?;
        split(&joined)
    }

    /// What every rank gives, by rank, on rank 0 alone. Collective; the numbers of bytes may differ.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Communication`].
    pub fn gather(&self, bytes: &[u8]) -> Result<Option<Vec<Vec<u8>>>> {
        let (rank, size) = (self.rank(), self.size());
        let mut parts = vec![bytes.to_vec()];
        let mut stride = 1;
        while stride < size && rank.is_multiple_of(2 * stride) {
            if rank + stride < size {
                parts.extend(split(&self.receive_sized(rank + stride)?)?);
            }
            stride *= 2;
        }
        if rank > 0 {
            self.send_sized(rank - stride, join(&parts))?;
            return Ok(None);
        }
        Ok(Some(parts))
    }

    /// What rank 0 gives, on every rank; what the others give is left out. Collective.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Communication`].
    pub fn broadcast(&self, bytes: Vec<u8>) -> Result<Vec<u8>> {
        let (rank, size) = (self.rank(), self.size());
        let mut stride = 1;
        while stride < size && rank.is_multiple_of(2 * stride) {
            stride *= 2;
        }
        let bytes = if rank > 0 { self.receive_sized(rank - stride)? } else { bytes };
        while stride > 1 {
            stride /= 2;
            if rank + stride < size {
                self.send_sized(rank + stride, bytes.clone())?;
            }
        }
        Ok(bytes)
    }

    /// Gives each rank what this one has for it, and returns what each rank has for this one. Collective; the numbers of bytes may
    /// differ.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for another number of parts than ranks,
    /// [`ferrocca_core::ErrorKind::Communication`].
    pub fn all_to_all(&self, parts: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        if parts.len() != self.size() {
            return Err(Error::invalid(format!("{} parts for {} ranks", parts.len(), self.size())));
        }
        let transport = self.transport();
        let mut sent = Vec::new();
        for (rank, part) in parts.into_iter().enumerate() {
            let len = (part.len() as u64).to_le_bytes().to_vec();
            sent.push((rank, transport.send(rank, COLLECTIVE_TAG, Buffer::Host(len))?));
            sent.push((rank, transport.send(rank, COLLECTIVE_TAG, Buffer::Host(part))?));
        }
        let received = (0..self.size()).map(|rank| self.receive_sized(rank)).collect::<Result<Vec<_>>>()?;
        for (rank, request) in sent {
            self.wait(request, rank)?;
        }
        Ok(received)
    }

    /// Combines the values of all ranks, position by position. Collective. The tree is over the ranks, and the same with every
    /// transport: for the values of a grid, whose result shall not depend on the number of ranks, there is
    /// [`Grid::reduce`](crate::Grid::reduce).
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Communication`].
    pub fn all_reduce(&self, operation: Operation, values: &mut [f64]) -> Result<()> {
        let limit = self.limit();
        let reduced = tree::all_reduce(&*self.inner.transport, operation, values, COLLECTIVE_TAG, limit);
        reduced.map_err(|error| error.while_doing(format!("{} over all ranks", operation.name())))
    }

    /// Waits until all ranks are here. Collective.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Communication`].
    pub fn barrier(&self) -> Result<()> {
        tree::all_reduce(&*self.inner.transport, Operation::Sum, &mut [], COLLECTIVE_TAG, self.limit())
    }

    /// Makes sure that all ranks say the same of `what`. Collective.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Communication`] on every rank, with what rank 0 says, the first rank that says something
    /// else, and what that is.
    pub fn agree(&self, what: &str, text: &str) -> Result<()> {
        let all = self.all_gather(text.as_bytes())?;
        let Some(other) = all.iter().position(|text| *text != all[0]) else { return Ok(()) };
        let say = |rank: usize| format!("rank {rank} on {}: {}", self.host(rank), String::from_utf8_lossy(&all[rank]));
        Err(failure(format!("the ranks do not agree on {what}: {}; {}", say(0), say(other))))
    }

    /// Whether all ranks, or where not, why some have failed; every rank gets the error of the first that has one. Collective.
    /// # Errors
    /// That error.
    pub fn all_succeed<T>(&self, outcome: Result<T>) -> Result<T> {
        let text = outcome.as_ref().err().map(ToString::to_string).unwrap_or_default();
        let all = self.all_gather(text.as_bytes())?;
        match (outcome, all.iter().position(|text| !text.is_empty())) {
            (Err(error), _) => Err(error),
            (Ok(value), None) => Ok(value),
            (Ok(_), Some(rank)) => {
                let text = String::from_utf8_lossy(&all[rank]);
                Err(failure(format!("rank {rank} on {} failed: {text}", self.host(rank))))
            }
        }
    }

    /// The first of `count` tags that no other plan has: plans are made in the same order on every rank.
    pub(crate) fn take_tags(&self, count: usize) -> u16 {
        let room = LAST_TAG - FIRST_PLAN_TAG;
        let before = self.inner.next_tag.fetch_add(count, Ordering::Relaxed) - FIRST_PLAN_TAG;
        // So many plans do not live at the same time.
        (FIRST_PLAN_TAG + before % (room - room % count)) as u16
    }

    /// Cores that are this rank's: those that it may run on, divided among the ranks of its machine that may run on the same;
    /// one at least. A launcher that binds each rank to cores of its own has divided them already.
    pub fn cores(&self) -> usize {
        let own = &self.inner.places[self.rank()];
        let sharing = self.inner.places.iter().filter(|place| *place == own).count();
        (own.cores.len() / sharing.max(1)).max(1)
    }
}

impl fmt::Debug for Comm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rank, size) = (self.rank(), self.size());
        write!(f, "Comm(rank {rank} of {size} by {}, on {})", self.capabilities().name, self.host(rank))
    }
}

pub(crate) fn limit_of_environment() -> Result<Duration> {
    let Ok(text) = std::env::var("FERROCCA_COMM_LIMIT") else { return Ok(LIMIT) };
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0 && *seconds < 1e9);
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| Error::invalid(format!("FERROCCA_COMM_LIMIT is a number of seconds, not `{text}`")))
}

/// Parts as one run of bytes: the length of each before it.
fn join(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(parts.iter().map(|part| 8 + part.len()).sum());
    for part in parts {
        joined.extend((part.len() as u64).to_le_bytes());
        joined.extend(part);
    }
    joined
}

fn split(mut joined: &[u8]) -> Result<Vec<Vec<u8>>> {
    let mut parts = Vec::new();
    while let Some((len, rest)) = joined.split_first_chunk() {
        let len = usize::try_from(u64::from_le_bytes(*len)).ok().filter(|len| *len <= rest.len());
        let (part, rest) = rest.split_at(len.ok_or_else(|| failure("a message of another program arrived"))?);
        parts.push(part.to_vec());
        joined = rest;
    }
    Ok(parts)
}

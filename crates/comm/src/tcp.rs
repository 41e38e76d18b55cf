//! Ranks that are processes without MPI: a connection between any two of them, over TCP.
//!
//! Rank 0 listens at an address that all know ([`Tcp::start`]). Every rank opens a port of its own and tells rank 0 which; rank 0
//! tells all of them to everybody, and each connects to those before it. Then a thread for each connection writes what is sent,
//! in order, and another one puts what comes into the rank's mailbox, where those who wait find it.
//!
//! A connection that ends without a farewell means that its rank has died: whoever waits, for whatever, is told.
//! Not here: memory of devices, which a plan brings to the host first; encryption, as in MPI and NCCL.

use crate::transport::{Buffer, Capabilities, Request, Transport, failure};
use ferrocca_core::{Error, Result};
use std::collections::{HashMap, VecDeque};
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The variable with the address of rank 0, `host:port`, where the launcher says none.
pub const ADDRESS_VARIABLE: &str = "FERROCCA_COMM_ADDRESS";

/// What a connection begins with, so that others are known: a name and the version of what follows.
const MAGIC: [u8; 8] = *b"ferrocc1";
/// How long a rank pauses before it tries to connect again.
const PAUSE: Duration = Duration::from_millis(20);
/// How long somebody who connects may take to say who it is.
const GREETING: Duration = Duration::from_secs(5);
/// How long a rank that has failed tries to tell the others.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// Most bytes of a message that is sent together with its head.
const SHORT: usize = 1 << 14;
/// Most bytes of a reason.
const REASON: usize = 4096;

/// What a frame is.
const MESSAGE: u16 = 0;
const FAREWELL: u16 = 1;
const FAILURE: u16 = 2;

/// A rank of a group of processes, or threads, that are connected by TCP.
pub struct Tcp {
    rank: usize,
    mailbox: Arc<Mailbox>,
    /// By rank; none to itself.
    connections: Vec<Option<Connection>>,
    pending: Mutex<Pending>,
}

struct Connection {
    stream: TcpStream,
    queue: Mutex<Option<Sender<Frame>>>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Pending {
    next: u64,
    messages: HashMap<u64, Pend>,
}

enum Pend {
    Sent { to: usize, tag: u16, parcel: Arc<Parcel> },
    Expected { from: usize, tag: u16, into: Vec<u8> },
}

/// What is sent.
struct Parcel {
    bytes: Mutex<Vec<u8>>,
    len: usize,
    is_written: AtomicBool,
}

struct Frame {
    kind: u16,
    tag: u16,
    parcel: Arc<Parcel>,
}

/// What has happened to a rank.
#[derive(Default)]
struct Mailbox {
    state: Mutex<State>,
    bell: Condvar,
}

#[derive(Default)]
struct State {
    /// By sender and tag, in the order in which they were sent.
    messages: HashMap<(usize, u16), VecDeque<Vec<u8>>>,
    /// Who has said farewell, by rank.
    done: Vec<bool>,
    /// The rank that failed first, and why.
    failed: Option<(usize, String)>,
}

impl Mailbox {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.bell.notify_all();
    }

    /// Waits until `look` answers something, a rank has failed, or the limit is over.
    fn until<R>(
        &self,
        rank: usize,
        limit: Duration,
        what: impl Fn() -> String,
        mut look: impl FnMut(&mut State) -> Option<Result<R>>,
    ) -> Result<R> {
        let start = Instant::now();
        let mut state = self.state();
        loop {
            if let Some(found) = look(&mut state) {
                return found;
            }
            if let Some((other, why)) = &state.failed {
                return Err(failure(format!("rank {other} failed while rank {rank} waited for {}: {why}", what())));
            }
            let elapsed = start.elapsed();
            let Some(rest) = limit.checked_sub(elapsed).filter(|rest| !rest.is_zero()) else {
                return Err(failure(format!("rank {rank} waited {elapsed:.1?} for {}", what())));
            };
            state = self.bell.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Tcp {
    /// Connects the ranks of a group. Collective: each calls it with its own rank, the number of ranks, and the address
    /// `host:port` at which rank 0 listens. Who comes before rank 0 tries again; after `limit` it gives up.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Communication`] where the address cannot be used, where ranks do not come in time, with
    /// their numbers, and where one comes twice or counts another number of ranks.
    pub fn start(rank: usize, size: usize, address: &str, limit: Duration) -> Result<Self> {
        if rank >= size {
            return Err(failure(format!("rank {rank} is none of {size}: ranks count from 0")));
        }
        let streams = match size {
            1 => vec![None],
            _ => Meeting { rank, size, deadline: Instant::now() + limit, limit }.connect(address)?,
        };
        let mailbox = Arc::new(Mailbox::default());
        mailbox.change(|state| state.done = vec![false; size]);
        let connections = streams
            .into_iter()
            .enumerate()
            .map(|(other, stream)| stream.map(|stream| Connection::open(stream, other, &mailbox)).transpose());
        let connections = connections.collect::<io::Result<_>>().map_err(|e| failure(format!("a connection: {e}")))?;
        Ok(Self { rank, mailbox, connections, pending: Mutex::default() })
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, message: Pend) -> Request {
        let mut pending = self.pending();
        pending.next += 1;
        let id = pending.next;
        pending.messages.insert(id, message);
        Request(id)
    }

    fn check_rank(&self, rank: usize) -> Result<()> {
        match rank < self.connections.len() {
            true => Ok(()),
            false => {
                Err(failure(format!("there is no rank {rank}: ranks count from 0, and there are {}", self.size())))
            }
        }
    }

    /// Gives a frame to every connection, and waits until it was written.
    fn tell_all(&self, kind: u16, text: &str, limit: Duration) {
        let sent: Vec<Arc<Parcel>> = self
            .connections
            .iter()
            .flatten()
            .filter_map(|connection| {
                let parcel = Parcel::new(text.as_bytes()[..text.len().min(REASON)].to_vec());
                connection.queue(Frame { kind, tag: 0, parcel: parcel.clone() }).then_some(parcel)
            })
            .collect();
        let start = Instant::now();
        let mut state = self.mailbox.state();
        // What is for a rank that has died is never written.
        let is_lost = |state: &State| kind == FAREWELL && state.failed.is_some();
        while sent.iter().any(|parcel| !parcel.is_written()) && start.elapsed() < limit && !is_lost(&state) {
            let rest = limit.saturating_sub(start.elapsed()).max(Duration::from_millis(1));
            state = self.mailbox.bell.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn close(&self) {
        for connection in self.connections.iter().flatten() {
            drop(lock(&connection.queue).take());
            let _ = connection.stream.shutdown(Shutdown::Write);
        }
    }
}

impl Parcel {
    fn new(bytes: Vec<u8>) -> Arc<Self> {
        let len = bytes.len();
        Arc::new(Self { bytes: Mutex::new(bytes), len, is_written: AtomicBool::new(false) })
    }

    fn is_written(&self) -> bool {
        self.is_written.load(Ordering::Acquire)
    }
}

impl Connection {
    /// Starts the threads of a connection.
    fn open(stream: TcpStream, other: usize, mailbox: &Arc<Mailbox>) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(None)?;
        let (sender, frames) = channel();
        let (to, from) = (stream.try_clone()?, stream.try_clone()?);
        let named = |what: &str| std::thread::Builder::new().name(format!("{what} rank {other}"));
        let at = mailbox.clone();
        let writer = named("to").spawn(move || write_frames(to, &frames, other, &at))?;
        let at = mailbox.clone();
        named("from").spawn(move || read_frames(from, other, &at))?;
        Ok(Self { stream, queue: Mutex::new(Some(sender)), writer: Mutex::new(Some(writer)) })
    }

    /// False where nothing can be sent any more.
    fn queue(&self, frame: Frame) -> bool {
        lock(&self.queue).as_ref().is_some_and(|queue| queue.send(frame).is_ok())
    }
}

fn write_frames(mut stream: TcpStream, frames: &Receiver<Frame>, other: usize, mailbox: &Mailbox) {
    while let Ok(Frame { kind, tag, parcel }) = frames.recv() {
        let bytes = lock(&parcel.bytes);
        let head = [&kind.to_le_bytes()[..], &tag.to_le_bytes(), &(bytes.len() as u64).to_le_bytes()].concat();
        // A short message goes in one piece.
        let written = match bytes.len() {
            0..=SHORT => stream.write_all(&[&head, bytes.as_slice()].concat()),
            _ => stream.write_all(&head).and_then(|()| stream.write_all(&bytes)),
        };
        drop(bytes);
        mailbox.change(|state| match written {
            Ok(()) => parcel.is_written.store(true, Ordering::Release),
            Err(error) => fail(state, other, format!("nothing can be sent to it: {error}")),
        });
    }
}

fn read_frames(mut stream: TcpStream, other: usize, mailbox: &Mailbox) {
    loop {
        let frame = read_frame(&mut stream);
        let mut goes_on = true;
        mailbox.change(|state| match frame {
            Ok((MESSAGE, tag, bytes)) => state.messages.entry((other, tag)).or_default().push_back(bytes),
            Ok((FAREWELL, ..)) => {
                state.done[other] = true;
                goes_on = false;
            }
            Ok((FAILURE, _, bytes)) => {
                fail(state, other, String::from_utf8_lossy(&bytes).into_owned());
                goes_on = false;
            }
            Ok((kind, ..)) => {
                fail(state, other, format!("it sent a frame of the unknown kind {kind}"));
                goes_on = false;
            }
            Err(error) => {
                let why = match error.kind() {
                    io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => "it has died, or was ended".into(),
                    _ => format!("its connection failed: {error}"),
                };
                fail(state, other, why);
                goes_on = false;
            }
        });
        if !goes_on {
            return;
        }
    }
}

/// Kind, tag and contents.
fn read_frame(stream: &mut TcpStream) -> io::Result<(u16, u16, Vec<u8>)> {
    let mut head = [0; 12];
    stream.read_exact(&mut head)?;
    let (kind, tag) = (u16::from_le_bytes([head[0], head[1]]), u16::from_le_bytes([head[2], head[3]]));
    let mut len = [0; 8];
    len.copy_from_slice(&head[4..]);
    let len = u64::from_le_bytes(len);
    // What another program may claim does not fill the memory before it was sent.
    let mut bytes = Vec::with_capacity(usize::try_from(len.min(1 << 26)).unwrap_or(0));
    let got = stream.take(len).read_to_end(&mut bytes)?;
    if got as u64 != len {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok((kind, tag, bytes))
}

fn fail(state: &mut State, rank: usize, why: String) {
    state.failed.get_or_insert((rank, why));
}

impl Transport for Tcp {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.connections.len()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            name: "tcp",
            device_memory: false,
            mapped_memory: false,
            stream_ordered: false,
            capturable: false,
        }
    }

    fn send(&self, to: usize, tag: u16, message: Buffer) -> Result<Request> {
        self.check_rank(to)?;
        let bytes = message.into_host()?;
        let parcel = Parcel::new(bytes);
        match &self.connections[to] {
            Some(connection) => {
                if !connection.queue(Frame { kind: MESSAGE, tag, parcel: parcel.clone() }) {
                    return Err(failure(format!("rank {to} cannot be sent anything: this rank has come to its end")));
                }
            }
            None => {
                let bytes = lock(&parcel.bytes).clone();
                parcel.is_written.store(true, Ordering::Release);
                self.mailbox.change(|state| state.messages.entry((to, tag)).or_default().push_back(bytes));
            }
        }
        Ok(self.begin(Pend::Sent { to, tag, parcel }))
    }

    fn receive(&self, from: usize, tag: u16, into: Buffer) -> Result<Request> {
        self.check_rank(from)?;
        Ok(self.begin(Pend::Expected { from, tag, into: into.into_host()? }))
    }

    fn wait(&self, request: Request, limit: Duration) -> Result<Buffer> {
        let message = self.pending().messages.remove(&request.0);
        match message {
            Some(Pend::Sent { to, tag, parcel }) => {
                let what = || format!("rank {to} to take {} bytes with tag {tag}", parcel.len);
                self.mailbox.until(self.rank, limit, what, |_| parcel.is_written().then_some(Ok(())))?;
                Ok(Buffer::Host(std::mem::take(&mut lock(&parcel.bytes))))
            }
            Some(Pend::Expected { from, tag, mut into }) => {
                let what = || format!("{} bytes with tag {tag} of rank {from}", into.len());
                let next = |state: &mut State| match state.messages.get_mut(&(from, tag)).and_then(VecDeque::pop_front)
                {
                    Some(bytes) => Some(Ok(bytes)),
                    // Nothing more will come.
                    None if state.done[from] => {
                        let rank = self.rank;
                        Some(Err(failure(format!(
                            "rank {from} came to its end while rank {rank} waited for {}",
                            what()
                        ))))
                    }
                    None => None,
                };
                let bytes = self.mailbox.until(self.rank, limit, what, next)?;
                if bytes.len() != into.len() {
                    let (sent, expected) = (bytes.len(), into.len());
                    return Err(failure(format!("rank {from} sent {sent} bytes where {expected} were expected")));
                }
                into.copy_from_slice(&bytes);
                Ok(Buffer::Host(into))
            }
            None => Err(failure(format!("request {} is not of this transport, or was waited for already", request.0))),
        }
    }

    fn failed(&self) -> Option<Error> {
        let state = self.mailbox.state();
        state.failed.as_ref().map(|(rank, why)| failure(format!("rank {rank} failed: {why}")))
    }

    fn end(&self, reason: Option<&Error>) {
        match reason {
            Some(error) => {
                // As if a rank had failed that all wait for, this one too.
                let why = error.to_string();
                self.mailbox.change(|state| fail(state, self.rank, why.clone()));
                self.tell_all(FAILURE, &why, LAST_WORDS);
            }
            None => {
                self.tell_all(FAREWELL, "", Duration::MAX);
                // A connection that is closed with messages unread would take with it what was sent.
                let what = || "the others to come to their end".to_owned();
                let all_done = |state: &mut State| {
                    (0..state.done.len()).all(|rank| rank == self.rank || state.done[rank]).then_some(Ok(()))
                };
                let _ = self.mailbox.until(self.rank, Duration::MAX, what, all_done);
            }
        }
        self.close();
    }
}

impl Drop for Tcp {
    fn drop(&mut self) {
        let is_open = self.connections.iter().flatten().any(|connection| lock(&connection.queue).is_some());
        if is_open {
            self.end(Some(&failure("this rank went before its end")));
        }
        for connection in self.connections.iter().flatten() {
            if let Some(writer) = lock(&connection.writer).take() {
                // One that cannot write any more is not waited for: the process would never end.
                let _ = connection.stream.shutdown(Shutdown::Both);
                let _ = writer.join();
            }
        }
    }
}

/// How the ranks of a group find each other.
struct Meeting {
    rank: usize,
    size: usize,
    deadline: Instant,
    limit: Duration,
}

impl Meeting {
    /// A connection to each other rank, by rank.
    fn connect(&self, address: &str) -> Result<Vec<Option<TcpStream>>> {
        let addresses = self.resolve(address)?;
        if self.rank == 0 { self.gather(address, &addresses) } else { self.join(address, &addresses) }
    }

    fn resolve(&self, address: &str) -> Result<Vec<SocketAddr>> {
        let wrong = |why: String| failure(format!("the address of rank 0, `{address}`, is no `host:port`: {why}"));
        let found: Vec<SocketAddr> = address.to_socket_addrs().map_err(|error| wrong(error.to_string()))?.collect();
        if found.is_empty() { Err(wrong("nothing has that name".into())) } else { Ok(found) }
    }

    /// Rank 0: takes everybody in, and tells all who is where.
    fn gather(&self, address: &str, addresses: &[SocketAddr]) -> Result<Vec<Option<TcpStream>>> {
        let port = addresses[0].port();
        let listener = TcpListener::bind((local(addresses[0]), port)).map_err(|error| {
            failure(format!("rank 0 cannot listen at {address}: {error}; another port is given by {ADDRESS_VARIABLE}"))
        })?;
        let mut streams: Vec<Option<TcpStream>> = (0..self.size).map(|_| None).collect();
        let mut places = vec![String::new(); self.size];
        let here = |streams: &[Option<TcpStream>]| {
            let missing: Vec<String> =
                (1..self.size).filter(|&rank| streams[rank].is_none()).map(|rank| rank.to_string()).collect();
            format!("rank 0 listened at {address} for {:.1?}, and rank {} did not come", self.limit, missing.join(", "))
        };
        while streams[1..].iter().any(Option::is_none) {
            let (mut stream, from, greeting) = self.accept(&listener, || here(&streams))?;
            let Greeting { rank, size, port } = greeting;
            if size != self.size {
                let why = format!("rank {rank} counts {size} ranks, rank 0 {}", self.size);
                let _ = stream.write_all(&answer(&why, false));
                return Err(failure(why));
            }
            if rank == 0 || rank >= size || streams[rank].is_some() {
                let why = format!("rank {rank} came twice: each process needs a rank of its own");
                let _ = stream.write_all(&answer(&why, false));
                return Err(failure(why));
            }
            places[rank] = SocketAddr::new(from.ip(), port).to_string();
            streams[rank] = Some(stream);
        }
        let table = answer(&places.join(" "), true);
        for (rank, stream) in streams.iter_mut().enumerate() {
            if let Some(stream) = stream {
                stream.write_all(&table).map_err(|error| failure(format!("rank {rank} has gone: {error}")))?;
            }
        }
        Ok(streams)
    }

    /// Any other rank: asks rank 0 where the others are, calls those before it and takes in those behind.
    fn join(&self, address: &str, addresses: &[SocketAddr]) -> Result<Vec<Option<TcpStream>>> {
        let listener = TcpListener::bind((local(addresses[0]), 0))
            .map_err(|error| failure(format!("no port is free: {error}")))?;
        let port = listener.local_addr().map_err(|error| failure(error.to_string()))?.port();
        let greeting = Greeting { rank: self.rank, size: self.size, port }.bytes();
        let mut first = self.call(addresses, || format!("rank 0 at {address}"))?;
        let table = first.write_all(&greeting).map_err(|e| e.to_string()).and_then(|()| {
            let _ = first.set_read_timeout(Some(self.rest()));
            read_answer(&mut first)
        });
        let table =
            table.map_err(|why| failure(format!("rank 0 at {address} did not take in rank {}: {why}", self.rank)))?;
        let places: Vec<&str> = table.split(' ').collect();
        let mut streams: Vec<Option<TcpStream>> = (0..self.size).map(|_| None).collect();
        streams[0] = Some(first);
        // The table begins with rank 0, whose place is the address.
        for (rank, to) in streams.iter_mut().enumerate().take(self.rank).skip(1) {
            let place = places.get(rank).and_then(|place| place.parse().ok());
            let place = place.ok_or_else(|| failure("rank 0 sent a table that is none"))?;
            let mut stream = self.call(&[place], || format!("rank {rank} at {place}"))?;
            stream.write_all(&greeting).map_err(|error| failure(format!("rank {rank} has gone: {error}")))?;
            *to = Some(stream);
        }
        while let Some(missing) = (self.rank + 1..self.size).find(|&rank| streams[rank].is_none()) {
            let what = || format!("rank {} waited {:.1?} for rank {missing} to connect", self.rank, self.limit);
            let (stream, _, greeting) = self.accept(&listener, what)?;
            if let Some(place @ None) = streams.get_mut(greeting.rank) {
                *place = Some(stream);
            }
        }
        Ok(streams)
    }

    fn rest(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
    }

    /// Calls until somebody answers.
    fn call(&self, addresses: &[SocketAddr], whom: impl Fn() -> String) -> Result<TcpStream> {
        loop {
            let mut last = None;
            for address in addresses {
                match TcpStream::connect_timeout(address, self.rest()) {
                    Ok(stream) => return Ok(stream),
                    Err(error) => last = Some(error),
                }
            }
            if Instant::now() >= self.deadline {
                let why = last.map_or_else(String::new, |error| format!(": {error}"));
                return Err(failure(format!("rank {} called {} for {:.1?}{why}", self.rank, whom(), self.limit)));
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// The next one who greets as a rank does; others are sent away.
    fn accept(
        &self,
        listener: &TcpListener,
        missing: impl Fn() -> String,
    ) -> Result<(TcpStream, SocketAddr, Greeting)> {
        let broken = |error: io::Error| failure(format!("the port of rank {} failed: {error}", self.rank));
        listener.set_nonblocking(true).map_err(broken)?;
        loop {
            match listener.accept() {
                Ok((mut stream, from)) => {
                    stream.set_nonblocking(false).map_err(broken)?;
                    let _ = stream.set_read_timeout(Some(GREETING.min(self.rest())));
                    if let Some(greeting) = Greeting::read(&mut stream) {
                        return Ok((stream, from, greeting));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if Instant::now() >= self.deadline {
                        return Err(failure(missing()));
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(error) => return Err(broken(error)),
            }
        }
    }
}

/// Where a rank listens: for this machine alone, where the address of rank 0 is one that only this machine has.
fn local(address: SocketAddr) -> IpAddr {
    match address.ip() {
        ip if ip.is_loopback() => ip,
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    }
}

/// What a rank says first.
struct Greeting {
    rank: usize,
    size: usize,
    /// Where others reach it.
    port: u16,
}

impl Greeting {
    fn bytes(&self) -> [u8; 18] {
        let mut bytes = [0; 18];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&(self.rank as u32).to_le_bytes());
        bytes[12..16].copy_from_slice(&(self.size as u32).to_le_bytes());
        bytes[16..].copy_from_slice(&self.port.to_le_bytes());
        bytes
    }

    fn read(stream: &mut TcpStream) -> Option<Self> {
        let mut bytes = [0; 18];
        stream.read_exact(&mut bytes).ok()?;
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
        let port = u16::from_le_bytes([bytes[16], bytes[17]]);
        (bytes[..8] == MAGIC).then(|| Self { rank: word(8), size: word(12), port })
    }
}

/// Rank 0's answer: whether it is the table, its length, its text.
fn answer(text: &str, is_table: bool) -> Vec<u8> {
    let head = (text.len() as u32 | u32::from(is_table) << 31).to_le_bytes();
    [&head, text.as_bytes()].concat()
}

fn read_answer(stream: &mut TcpStream) -> std::result::Result<String, String> {
    let mut head = [0; 4];
    stream.read_exact(&mut head).map_err(|error| error.to_string())?;
    let head = u32::from_le_bytes(head);
    let mut text = String::new();
    let len = u64::from(head & !(1 << 31));
    stream.take(len).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if head >> 31 == 1 { Ok(text) } else { Err(text) }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

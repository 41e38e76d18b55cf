//! What a graph is recorded with.

use super::rotation::{self, Rotation};
use super::segment::{HostStep, HostWork, MailOf, NativeWork, Segment};
use super::windows::Launched;
use super::{Graph, GraphLaunch, resolve};
use crate::arguments::Arg;
use crate::backend::Mail;
use crate::device::DeviceInner;
use crate::dtype::Element;
use crate::kernel::Kernel;
use crate::launch::RecordedLaunch;
use crate::memory::{AnyMemory, Memory};
use crate::stream::same_device;
use crate::{Error, Result};
use std::sync::Arc;

/// Takes the commands of a [`Graph`]. Its methods check what the direct calls check, and run nothing.
///
/// Memory is meant as it is when the method is called: a handle that the closure swaps between two commands names
/// another buffer in the second. Ranges are slices: `r.copy(&mut a.slice(8..16)?, &b.slice(..8)?)`.
pub struct Recorder {
    device: Arc<DeviceInner>,
    pub(super) commands: Vec<Recorded>,
    rotations: Vec<Rotation>,
    slots: Option<u64>,
    launches: usize,
    /// The first error, so that a closure that ignores it makes no graph that lacks a command.
    failure: Option<Error>,
}

/// A command as it was recorded. Ranges are not empty.
pub(super) enum Recorded {
    Launch {
        kernel: Kernel,
        launch: RecordedLaunch,
    },
    Copy {
        destination: AnyMemory,
        source: AnyMemory,
    },
    Snapshot {
        source: AnyMemory,
        ring: AnyMemory,
    },
    Fill {
        destination: AnyMemory,
        pattern: Vec<u8>,
    },
    /// Work of another library, with the memory that it uses.
    Native {
        read: Vec<AnyMemory>,
        written: Vec<AnyMemory>,
        mail: Arc<MailOf>,
        work: Arc<NativeWork>,
    },
    /// Work of the host, with the memory that it uses.
    Host {
        memory: Vec<AnyMemory>,
        work: Arc<HostWork>,
    },
    /// Work of the host as a command: of `memory` it touches `read` and `written`.
    Within {
        memory: Vec<AnyMemory>,
        read: Vec<AnyMemory>,
        written: Vec<AnyMemory>,
        work: Arc<HostWork>,
    },
}

impl Recorded {
    /// For each command that it becomes what that launches.
    fn launched(&self) -> Vec<Launched> {
        match self {
            Self::Launch { kernel, launch } => launch.nests().map(|nest| Some((kernel.clone(), nest))).collect(),
            Self::Host { .. } => Vec::new(),
            _ => vec![None],
        }
    }

    pub(super) fn memory(&self) -> Vec<&AnyMemory> {
        match self {
            Self::Launch { launch, .. } => launch.memory().collect(),
            Self::Copy { destination, source } => vec![destination, source],
            Self::Snapshot { source, ring } => vec![source, ring],
            Self::Fill { destination, .. } => vec![destination],
            Self::Host { memory, .. } | Self::Within { memory, .. } => memory.iter().collect(),
            Self::Native { read, written, .. } => read.iter().chain(written).collect(),
        }
    }

    /// Bytes that a repetition moves, where each is touched once.
    fn bytes(&self) -> u64 {
        match self {
            Self::Launch { launch, .. } => launch.memory().map(|memory| memory.bytes as u64).sum(),
            Self::Copy { source, .. } | Self::Snapshot { source, .. } => 2 * source.bytes as u64,
            Self::Fill { destination, .. } => destination.bytes as u64,
            // What is done with it is not known.
            Self::Host { .. } | Self::Within { .. } | Self::Native { .. } => 0,
        }
    }
}

impl Recorder {
    pub(super) fn new(device: Arc<DeviceInner>) -> Self {
        Self { device, commands: Vec::new(), rotations: Vec::new(), slots: None, launches: 0, failure: None }
    }

    /// Records a launch; returns its number among the graph's launches, counted from 0, for
    /// [`Graph::set_argument`]. Sizes and the host part are evaluated now.
    /// # Errors
    /// As [`Kernel::launch`], [`crate::ErrorKind::WrongDevice`] for a kernel of another device.
    pub fn launch<'a>(&mut self, kernel: &Kernel, arguments: impl AsRef<[Arg<'a>]>) -> Result<usize> {
        let outcome = same_device("a kernel", kernel.device_inner(), &self.device)
            .and_then(|()| kernel.record(arguments.as_ref()));
        let (kernel, launch) = self.keep(outcome)?;
        self.commands.push(Recorded::Launch { kernel, launch });
        self.launches += 1;
        Ok(self.launches - 1)
    }

    /// Records a copy of all of `source`, which may overlap; the lengths must agree.
    /// # Errors
    /// As [`Memory::copy_from_memory`], [`crate::ErrorKind::WrongDevice`] for memory of another device.
    pub fn copy<T: Element>(&mut self, destination: &mut Memory<T>, source: &Memory<T>) -> Result<()> {
        let outcome = destination
            .same_len("copy", source.len())
            .and_then(|()| self.own(&[destination.untyped(), source.untyped()]))
            .and_then(|()| destination.untyped().check_writable());
        self.keep(outcome)?;
        if !source.is_empty() {
            let (destination, source) = (destination.untyped().clone(), source.untyped().clone());
            self.commands.push(Recorded::Copy { destination, source });
        }
        Ok(())
    }

    /// Records that every element becomes `value`.
    /// # Errors
    /// [`crate::ErrorKind::WrongDevice`].
    pub fn fill<T: Element>(&mut self, destination: &mut Memory<T>, value: T) -> Result<()> {
        let outcome = self.own(&[destination.untyped()]).and_then(|()| destination.untyped().check_writable());
        self.keep(outcome)?;
        if !destination.is_empty() {
            let pattern = bytemuck::bytes_of(&value).to_vec();
            self.commands.push(Recorded::Fill { destination: destination.untyped().clone(), pattern });
        }
        Ok(())
    }

    /// Records work that a library of the device's own API queues, as [`Stream::queue_native`](crate::Stream::queue_native)
    /// does at once: a repetition does it at this point, in the order of the other commands. `read` is the memory that the work
    /// reads, `written` what it may write, or read and write; it touches nothing else. What touches nothing of this may run
    /// beside it.
    ///
    /// `work` is called with the handle of a stream and the memory that plays the role of both lists when the graph is made
    /// ready or replayed: once for many repetitions, on a stream that is captured, or once for each. All that it does is to
    /// queue: it waits for nothing, and what it queues is the same each time.
    /// # Errors
    /// [`crate::ErrorKind::WrongDevice`], [`crate::ErrorKind::Unsupported`] for modes whose streams are no library's.
    pub fn native(
        &mut self,
        read: &[&AnyMemory],
        written: &[&AnyMemory],
        work: impl Fn(u64, &[AnyMemory], &[AnyMemory]) -> Result<()> + Send + Sync + 'static,
    ) -> Result<()> {
        self.messages(read, written, |_, _| None, work)
    }

    /// As [`native`](Self::native), for work that sends what is `read` and receives what is `written`. `mail` says by which messages
    /// of a mailbox, for the memory that plays the role of both lists, if by such: then a kernel may exchange these by itself.
    /// # Errors
    /// As [`native`](Self::native).
    pub fn messages(
        &mut self,
        read: &[&AnyMemory],
        written: &[&AnyMemory],
        mail: impl Fn(&[AnyMemory], &[AnyMemory]) -> Option<Mail> + Send + Sync + 'static,
        work: impl Fn(u64, &[AnyMemory], &[AnyMemory]) -> Result<()> + Send + Sync + 'static,
    ) -> Result<()> {
        let outcome = self.own(read).and_then(|()| self.own(written));
        let outcome = outcome.and_then(|()| writable(written.iter().copied())).and_then(|()| {
            match self.device.backend.takes_native_work() {
                true => Ok(()),
                false => Err(Error::unsupported(
                    "recording work of another library",
                    format!("streams of mode `{}` are no library's", self.device.backend.info().mode),
                )),
            }
        });
        self.keep(outcome)?;
        let [read, written] = [read, written].map(|list| list.iter().map(|memory| (*memory).clone()).collect());
        self.commands.push(Recorded::Native { read, written, mail: Arc::new(mail), work: Arc::new(work) });
        Ok(())
    }

    /// Records work of the host: it is called at this point of each repetition, by the thread that replays, with the memory
    /// that plays the role of what is given here. What it queues on the current stream of the device comes after the
    /// commands before it and before those after it; what it does by itself may not, unless it waits for the stream. An error
    /// of it ends the replay.
    ///
    /// The commands between two such points are made ready as graphs of their own. A loop without such points is the faster
    /// one: [`Graph::host_steps`] counts them.
    /// # Errors
    /// [`crate::ErrorKind::WrongDevice`].
    pub fn host(
        &mut self,
        memory: &[&AnyMemory],
        work: impl Fn(&[AnyMemory]) -> Result<()> + Send + Sync + 'static,
    ) -> Result<()> {
        let outcome = self.own(memory);
        self.keep(outcome)?;
        let memory = memory.iter().map(|memory| (*memory).clone()).collect();
        self.commands.push(Recorded::Host { memory, work: Arc::new(work) });
        Ok(())
    }

    /// As [`host`](Self::host), for work that touches of its memory nothing but `read` and `written`. So a mode may do several
    /// repetitions of the other commands in a pass through memory, as far as they do not depend on the work; each repetition's
    /// work is called all the same, one after the other.
    /// # Errors
    /// [`crate::ErrorKind::WrongDevice`], [`crate::ErrorKind::Unsupported`] unless the device
    /// [`takes_host_work`](Self::takes_host_work).
    pub fn host_within(
        &mut self,
        memory: &[&AnyMemory],
        read: Vec<AnyMemory>,
        written: Vec<AnyMemory>,
        work: impl Fn(&[AnyMemory]) -> Result<()> + Send + Sync + 'static,
    ) -> Result<()> {
        let touched: Vec<&AnyMemory> = read.iter().chain(&written).collect();
        let outcome = self.own(memory).and_then(|()| self.own(&touched)).and_then(|()| writable(written.iter()));
        let outcome = outcome.and_then(|()| match self.takes_host_work() {
            true => Ok(()),
            false => Err(Error::unsupported(
                "recording work of the host among other commands",
                format!("graphs of mode `{}` do not run it", self.device.backend.info().mode),
            )),
        });
        self.keep(outcome)?;
        let memory = memory.iter().map(|memory| (*memory).clone()).collect();
        self.commands.push(Recorded::Within { memory, read, written, work: Arc::new(work) });
        Ok(())
    }

    /// Whether the device's graphs run work of the host among their commands, so that [`host_within`](Self::host_within) can be
    /// recorded.
    pub fn takes_host_work(&self) -> bool {
        self.device.backend.takes_host_work()
    }

    /// The kernels of the launches that are recorded so far, in order.
    pub fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.commands.iter().filter_map(|command| match command {
            Recorded::Launch { kernel, .. } => Some(kernel),
            _ => None,
        })
    }

    /// The device that records.
    pub fn device(&self) -> crate::Device {
        crate::Device::from_inner(self.device.clone())
    }

    /// Records a copy of `source` into a slot of `ring` that is another one in each repetition: repetition `r` of a
    /// replay, counted from 0, writes elements `slot * len .. (slot + 1) * len` where `slot` is `r` and `len` is
    /// `source.len()`. A replay may begin at a later slot ([`Graph::set_first_slot`]); one that would leave the ring
    /// is an error.
    /// # Errors
    /// [`crate::ErrorKind::OutOfBounds`] when `ring` is no whole number of slots, [`crate::ErrorKind::Invalid`] for a
    /// `source` of no elements or a `ring` that overlaps it or rotates, [`crate::ErrorKind::WrongDevice`].
    pub fn snapshot<T: Element>(&mut self, source: &Memory<T>, ring: &mut Memory<T>) -> Result<()> {
        let outcome = self.check_snapshot(source.untyped(), ring.untyped());
        let slots = self.keep(outcome)?;
        self.slots = Some(self.slots.map_or(slots, |least| least.min(slots)));
        self.commands.push(Recorded::Snapshot { source: source.untyped().clone(), ring: ring.untyped().clone() });
        Ok(())
    }

    /// Declares that after each repetition the buffers swap roles, as `rotate_left(1)` does with a list: what the
    /// commands call the first buffer is then the second one, …, and what they call the last is the first.
    /// Of two buffers that is a swap; of three, `[u_old, u, u_new]`, the newest becomes the current one, the current
    /// one the old one, and the old one is written next.
    ///
    /// Slices and shares of a buffer take part. It does not matter between which commands this is called. The buffers
    /// are of one type and length. Several rotations go on side by side.
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] for fewer than two buffers, buffers that differ in type or length, overlap, or
    /// are in two rotations; [`crate::ErrorKind::WrongDevice`].
    pub fn rotate<'m, T: Element>(&mut self, buffers: impl IntoIterator<Item = &'m Memory<T>>) -> Result<()> {
        let buffers: Vec<&AnyMemory> = buffers.into_iter().map(Memory::untyped).collect();
        self.rotate_untyped(&buffers)
    }

    /// As [`rotate`](Self::rotate), for memory whose element type is known at run time.
    /// # Errors
    /// As [`rotate`](Self::rotate).
    pub fn rotate_untyped(&mut self, buffers: &[&AnyMemory]) -> Result<()> {
        let owned = buffers.iter().map(|memory| (*memory).clone()).collect();
        // What a launch has proven of constant memory would not be true of the memory that takes its place.
        let outcome = self.own(buffers).and_then(|()| writable(buffers.iter().copied()));
        let outcome = outcome.and_then(|()| Rotation::new(owned));
        let rotation = self.keep(outcome)?;
        self.rotations.push(rotation);
        Ok(())
    }

    /// Makes the graph: resolves and checks every phase, and lets the backend make the list ready.
    /// # Errors
    /// The first error of a command, where it was ignored; [`crate::ErrorKind::Invalid`] for memory whose role is not known in
    /// every phase; failures of the device.
    pub fn into_graph(self) -> Result<Graph> {
        if let Some(failure) = self.failure {
            return Err(failure.while_doing("recording a command whose error was ignored"));
        }
        let phase_count = rotation::phase_count(&self.rotations)?;
        let mut segments = Vec::new();
        let mut host_steps: Vec<HostStep> = Vec::new();
        let mut first_command = 0;
        let is_host = |command: &Recorded| matches!(command, Recorded::Host { .. });
        for commands in self.commands.split_inclusive(is_host) {
            let (last, before) = match commands.split_last() {
                Some((Recorded::Host { memory, work }, before)) => (Some((memory, work)), before),
                _ => (None, commands),
            };
            let phases = (0..phase_count).map(|phase| resolve::phase(before, &self.rotations, phase));
            let phases = phases.collect::<Result<Vec<_>>>()?;
            let launched = before.iter().flat_map(Recorded::launched).collect();
            let segment = Segment::new(&self.device, first_command, phases, launched)?;
            first_command += segment.commands();
            segments.push(segment);
            if let Some((memory, work)) = last {
                let phases = (0..phase_count).map(|phase| {
                    let resolve = |memory| rotation::resolve(&self.rotations, memory, phase);
                    memory.iter().map(resolve).collect::<Result<Vec<_>>>()
                });
                host_steps.push(HostStep { phases: phases.collect::<Result<Vec<_>>>()?, work: work.clone() });
            }
        }
        let bytes = self.commands.iter().map(Recorded::bytes).sum();
        let mut memory: Vec<AnyMemory> = self.commands.iter().flat_map(Recorded::memory).cloned().collect();
        memory.extend(self.rotations.iter().flat_map(Rotation::buffers).cloned());
        let mut launches: Vec<GraphLaunch> = Vec::new();
        let mut steps_within = 0;
        let mut first_command = 0;
        for command in self.commands {
            match command {
                Recorded::Launch { kernel, launch: recorded } => {
                    let count = recorded.commands();
                    launches.push(GraphLaunch { kernel, recorded, first_command });
                    first_command += count;
                }
                Recorded::Copy { .. } | Recorded::Snapshot { .. } | Recorded::Fill { .. } | Recorded::Native { .. } => {
                    first_command += 1;
                }
                Recorded::Within { .. } => {
                    first_command += 1;
                    steps_within += 1;
                }
                Recorded::Host { .. } => {}
            }
        }
        Ok(Graph {
            segments,
            host_steps,
            steps_within,
            phase_count,
            name: name(&launches),
            launches,
            rotations: self.rotations,
            slots: self.slots,
            first_slot: 0,
            bytes,
            device: self.device,
            _memory: memory,
        })
    }

    /// Number of slots of the ring.
    fn check_snapshot(&self, source: &AnyMemory, ring: &AnyMemory) -> Result<u64> {
        self.own(&[source, ring])?;
        ring.check_writable()?;
        if source.is_empty() {
            return Err(Error::invalid("a snapshot of memory without elements"));
        }
        if ring.is_empty() || !ring.bytes.is_multiple_of(source.bytes) {
            return Err(Error::out_of_bounds(format!(
                "a ring of {} elements does not hold a whole number of snapshots of {} elements",
                ring.len(),
                source.len()
            )));
        }
        Ok((ring.bytes / source.bytes) as u64)
    }

    fn own(&self, memory: &[&AnyMemory]) -> Result<()> {
        memory.iter().try_for_each(|memory| same_device("memory", &memory.allocation.device, &self.device))
    }

    /// Keeps the first error.
    fn keep<T>(&mut self, outcome: Result<T>) -> Result<T> {
        if let Err(error) = &outcome {
            self.failure.get_or_insert_with(|| error.clone());
        }
        outcome
    }
}

/// Refuses constant memory.
fn writable<'m>(mut memory: impl Iterator<Item = &'m AnyMemory>) -> Result<()> {
    memory.try_for_each(AnyMemory::check_writable)
}

/// `graph of a, b`, each kernel once.
fn name(launches: &[GraphLaunch]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for launch in launches {
        let name = launch.kernel.name();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() { "graph".to_string() } else { format!("graph of {}", names.join(", ")) }
}

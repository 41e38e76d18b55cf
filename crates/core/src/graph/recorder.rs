//! What a graph is recorded with.

use super::rotation::{self, Rotation};
use super::{Graph, GraphLaunch, resolve};
use crate::arguments::Arg;
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
    Launch { kernel: Kernel, launch: RecordedLaunch },
    Copy { destination: AnyMemory, source: AnyMemory },
    Snapshot { source: AnyMemory, ring: AnyMemory },
    Fill { destination: AnyMemory, pattern: Vec<u8> },
}

impl Recorded {
    pub(super) fn memory(&self) -> Vec<&AnyMemory> {
        match self {
            Self::Launch { launch, .. } => launch.memory().collect(),
            Self::Copy { destination, source } => vec![destination, source],
            Self::Snapshot { source, ring } => vec![source, ring],
            Self::Fill { destination, .. } => vec![destination],
        }
    }

    /// Bytes that a repetition moves, where each is touched once.
    fn bytes(&self) -> u64 {
        match self {
            Self::Launch { launch, .. } => launch.memory().map(|memory| memory.bytes as u64).sum(),
            Self::Copy { source, .. } | Self::Snapshot { source, .. } => 2 * source.bytes as u64,
            Self::Fill { destination, .. } => destination.bytes as u64,
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
            .and_then(|()| self.own(&[destination.untyped(), source.untyped()]));
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
        let outcome = self.own(&[destination.untyped()]);
        self.keep(outcome)?;
        if !destination.is_empty() {
            let pattern = bytemuck::bytes_of(&value).to_vec();
            self.commands.push(Recorded::Fill { destination: destination.untyped().clone(), pattern });
        }
        Ok(())
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
        let buffers: Vec<AnyMemory> = buffers.into_iter().map(|memory| memory.untyped().clone()).collect();
        let all: Vec<&AnyMemory> = buffers.iter().collect();
        let outcome = self.own(&all).and_then(|()| Rotation::new(buffers));
        let rotation = self.keep(outcome)?;
        self.rotations.push(rotation);
        Ok(())
    }

    /// Resolves and checks every phase, and lets the backend make the list ready.
    pub(super) fn into_graph(self) -> Result<Graph> {
        if let Some(failure) = self.failure {
            return Err(failure.while_doing("recording a command whose error was ignored"));
        }
        let phase_count = rotation::phase_count(&self.rotations)?;
        let phases = (0..phase_count).map(|phase| resolve::phase(&self.commands, &self.rotations, phase));
        let phases = phases.collect::<Result<Vec<_>>>()?;
        let lowered = if phases[0].is_empty() {
            None
        } else {
            // SAFETY: the arguments were compared with the kernels' signatures and the ranges checked when they were
            // recorded; `Graph::queue` keeps slots inside their rings.
            unsafe { self.device.backend.lower_graph(&phases) }?
        };
        let bytes = self.commands.iter().map(Recorded::bytes).sum();
        let mut memory: Vec<AnyMemory> = self.commands.iter().flat_map(Recorded::memory).cloned().collect();
        memory.extend(self.rotations.iter().flat_map(Rotation::buffers).cloned());
        let mut launches: Vec<GraphLaunch> = Vec::new();
        let mut first_command = 0;
        for command in self.commands {
            match command {
                Recorded::Launch { kernel, launch: recorded } => {
                    let count = recorded.commands();
                    launches.push(GraphLaunch { kernel, recorded, first_command });
                    first_command += count;
                }
                Recorded::Copy { .. } | Recorded::Snapshot { .. } | Recorded::Fill { .. } => first_command += 1,
            }
        }
        Ok(Graph {
            lowered,
            name: name(&launches),
            phases,
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

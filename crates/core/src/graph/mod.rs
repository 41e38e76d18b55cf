//! Work that is recorded once and replayed many times: [`Device::record`](crate::Device::record) makes a [`Graph`].
//!
//! A graph is the body of a loop: launches, copies, fills and snapshots, in order. It is checked when it is recorded
//! as each of its commands is checked when it is called alone; a replay checks nothing again, and costs what the
//! backend needs to run a list that it has prepared. The results have the same bits.
//!
//! ```
//! # use ferrocca_conformance::null::NullBackend;
//! # use ferrocca_core::{Device, args};
//! # let device = Device::open_with(&NullBackend::new(), ())?;
//! # let step = device.build_kernel_from_string(
//! #     "@kernel void step(const int n, const double c, const double *u, double *v) {
//! #        for (int b = 0; b < n; b += 64; @outer) { for (int i = b; i < b + 64; ++i; @inner) { if (i < n) v[i] = c * u[i]; } }
//! #      }", "step", ())?;
//! let mut u = device.malloc_filled(1000, 1.0)?;
//! let mut next = device.malloc::<f64>(1000)?;
//! let mut history = device.malloc::<f64>(10 * 1000)?;
//! let mut graph = device.record(|r| {
//!     r.launch(&step, args![1000, 0.5, &u, &mut next])?;
//!     r.snapshot(&next, &mut history)?;
//!     r.rotate([&u, &next])
//! })?;
//! graph.replay_rotating(3, [&mut u, &mut next])?; // slots 0, 1, 2 of `history`; `u` is the newest
//! step.launch(args![1000, 0.5, &u, &mut next])?; // single launches go on from there
//! # Ok::<(), ferrocca_core::Error>(())
//! ```
//!
//! **Rotations.** Buffers that swap roles after each repetition are declared with [`Recorder::rotate`]. Every
//! assignment of roles is resolved, and checked, when the graph is recorded. A replay takes the handles: it finds from
//! them where in the cycle the buffers are, and rotates the handles as the repetitions rotated the buffers, so that a
//! handle always names what its name says.
//!
//! **Beside other work.** While a replay runs, nobody else writes memory that its commands name, not even elements that no
//! kernel of it touches: a backend may keep the memory elsewhere while the repetitions run, and bring back at the end
//! all that the kernels were given to write. A kernel that writes a part of an array while somebody else fills the rest is
//! given a slice of it.
//!
//! Not here: branches and loops that depend on data; what is recorded runs.

mod handles;
mod recorder;
mod replay;
mod resolve;
mod rotation;
mod segment;
mod windows;

pub use handles::RotatingHandles;
pub use recorder::Recorder;

use crate::arguments::IntoArg;
use crate::backend::{BackendStream, GraphPlan, GraphReplay};
use crate::device::DeviceInner;
use crate::kernel::Kernel;
use crate::launch::{RecordedLaunch, Replaced, flush_stdout};
use crate::memory::AnyMemory;
use crate::stream::{Stream, same_device};
use crate::{Device, Error, Result};
use rotation::Rotation;
use segment::{HostStep, Segment};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A recorded list of commands. It keeps the memory and the kernels that it uses alive. A device that profiles
/// ([`Device::profile`]) times each replay as a whole.
///
/// One thread uses it at a time, which `&mut` says; it may move between threads.
pub struct Graph {
    /// One more than there are host steps, which stand between them; the last one may be missing where it is empty.
    segments: Vec<Segment>,
    host_steps: Vec<HostStep>,
    /// Work of the host among the commands of the segments.
    steps_within: usize,
    phase_count: usize,
    launches: Vec<GraphLaunch>,
    rotations: Vec<Rotation>,
    /// Least number of slots of the snapshots' rings; `None` without snapshots.
    slots: Option<u64>,
    first_slot: u64,
    /// How a profile names it.
    name: String,
    /// Bytes of the memory that a repetition names.
    bytes: u64,
    device: Arc<DeviceInner>,
    _memory: Vec<AnyMemory>,
}

/// A launch of a graph.
struct GraphLaunch {
    kernel: Kernel,
    recorded: RecordedLaunch,
    /// Position of its first command.
    first_command: usize,
}

/// How an argument of a recorded launch is named: `"c1"`, or `1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKey<'a> {
    /// By the name of its parameter.
    Name(&'a str),
    /// By its position, counted from 0.
    Position(usize),
}

impl<'a> From<&'a str> for ArgumentKey<'a> {
    fn from(name: &'a str) -> Self {
        Self::Name(name)
    }
}

impl From<usize> for ArgumentKey<'_> {
    fn from(position: usize) -> Self {
        Self::Position(position)
    }
}

impl Device {
    /// Records a list of commands: `device.record(|r| { r.launch(&kernel, args![n, &u, &mut v])?; r.copy(&mut w, &v) })`.
    ///
    /// Nothing runs while it is recorded. Every check of the direct calls is made here, and holds for every assignment
    /// of roles that rotating buffers will have. See [`graph`](crate::graph).
    /// # Errors
    /// Those of the direct calls; what the closure answers, or the first error of a command where the closure ignored
    /// it; failures of the device.
    pub fn record(&self, body: impl FnOnce(&mut Recorder) -> Result<()>) -> Result<Graph> {
        let mut recorder = self.recorder();
        body(&mut recorder)?;
        recorder.into_graph()
    }

    /// As [`record`](Self::record), for a list that no closure holds together: [`Recorder::into_graph`] makes the graph.
    pub fn recorder(&self) -> Recorder {
        Recorder::new(self.inner.clone())
    }
}

impl Graph {
    /// Queues the list `times` times on the calling thread's current stream.
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] for a graph that rotates buffers ([`replay_rotating`](Self::replay_rotating)),
    /// [`crate::ErrorKind::OutOfBounds`] when snapshots would leave their ring, failures of the device.
    pub fn replay(&mut self, times: u64) -> Result<()> {
        let device = self.device.clone();
        device.with_stream(|stream| self.replay_fixed(times, stream))
    }

    /// As [`replay`](Self::replay), on a stream of the same device.
    /// # Errors
    /// As [`replay`](Self::replay), [`crate::ErrorKind::WrongDevice`].
    pub fn replay_on(&mut self, stream: &Stream, times: u64) -> Result<()> {
        self.on_stream(stream, |graph| graph.replay_fixed(times, &*stream.backend))
    }

    /// Queues the list `times` times on the calling thread's current stream and rotates the handles as the buffers
    /// were: `graph.replay_rotating(n, [&mut u, &mut u_prev])?`, for several rotations a tuple of such arrays, in the
    /// order in which they were recorded.
    ///
    /// The handles are those that were recorded, in the roles that they have now: as recorded, or rotated by earlier
    /// replays or by the program, by any number of repetitions. They are left unrotated by an error.
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] for handles that are not the recorded ones or are in an order that no number of
    /// repetitions leads to, [`crate::ErrorKind::OutOfBounds`] when snapshots would leave their ring, failures of the
    /// device.
    pub fn replay_rotating(&mut self, times: u64, handles: impl RotatingHandles) -> Result<()> {
        let device = self.device.clone();
        device.with_stream(|stream| self.replay_handles(times, handles, stream))
    }

    /// As [`replay_rotating`](Self::replay_rotating), on a stream of the same device.
    /// # Errors
    /// As [`replay_rotating`](Self::replay_rotating), [`crate::ErrorKind::WrongDevice`].
    pub fn replay_rotating_on(&mut self, stream: &Stream, times: u64, handles: impl RotatingHandles) -> Result<()> {
        self.on_stream(stream, |graph| graph.replay_handles(times, handles, &*stream.backend))
    }

    /// The slot that the first repetition of each later replay writes its snapshots to; 0 unless set.
    /// A replay does not move it.
    pub fn set_first_slot(&mut self, slot: u64) {
        self.first_slot = slot;
    }

    /// Number of slots that the snapshots' rings have; of several rings the least. `None` without snapshots.
    pub fn slots(&self) -> Option<u64> {
        self.slots
    }

    /// Number of launches that were recorded, as [`Recorder::launch`] counts them.
    pub fn launches(&self) -> usize {
        self.launches.len()
    }

    /// Gives an argument of a recorded launch another value, from the next replay on. `launch` is what
    /// [`Recorder::launch`] returned; the argument is named by its parameter's name, or its position counted from 0.
    ///
    /// A number that the kernel's sizes or the conditions between its loop nests depend on cannot be changed, because
    /// it decides what is launched; neither can memory. Such a graph is recorded again.
    /// # Errors
    /// [`crate::ErrorKind::OutOfBounds`] for a launch that the graph does not have, and for a number with which the launch
    /// would access memory out of range; [`crate::ErrorKind::Argument`] for a number with which the proof no longer
    /// succeeds (the graph is recorded again then), for
    /// an argument that the kernel does not have, of another type, or that cannot be changed; failures of the device.
    pub fn set_argument<'a, 'k>(
        &mut self,
        launch: usize,
        argument: impl Into<ArgumentKey<'k>>,
        value: impl IntoArg<'a>,
    ) -> Result<()> {
        let count = self.launches.len();
        let launch = self.launches.get_mut(launch).ok_or_else(|| {
            Error::out_of_bounds(format!("launch {launch} of a graph of {count} launches, which count from 0"))
        })?;
        let plan = launch.kernel.plan();
        let position = plan.position_of(argument.into())?;
        let Replaced { bytes: value, footprints } = plan.replace(&mut launch.recorded, position, value.into_arg())?;
        for (command, footprint) in footprints {
            let command = launch.first_command + command;
            if let Some(segment) = self.segments.iter_mut().rev().find(|segment| segment.first_command <= command) {
                segment.update_footprint(command, footprint);
            }
        }
        for (command, argument) in launch.recorded.uses(position) {
            let command = launch.first_command + command;
            let segment = self.segments.iter_mut().rev().find(|segment| segment.first_command <= command);
            if let Some(segment) = segment {
                segment.update_value(command, argument, &value)?;
            }
        }
        Ok(())
    }

    /// How it is replayed, and why so: how many repetitions one pass through memory does, or what is in the way of more
    /// than one. A mode that measures answers with its choice once a replay was long enough for it.
    pub fn plan(&self) -> GraphPlan {
        match (&self.segments[..], &self.host_steps[..]) {
            ([segment], []) => segment.plan(),
            (_, []) => GraphPlan::one_step("there are no commands"),
            (_, steps) => {
                let times = if steps.len() == 1 { "once" } else { "several times" };
                GraphPlan::one_step(format!("the host has work to do {times} in each repetition"))
            }
        }
    }

    /// The device it belongs to.
    pub fn device(&self) -> Device {
        Device::from_inner(self.device.clone())
    }

    fn replay_fixed(&mut self, times: u64, stream: &dyn BackendStream) -> Result<()> {
        if !self.rotations.is_empty() {
            return Err(Error::invalid("this graph rotates buffers: pass their handles to `replay_rotating`"));
        }
        self.queue(0, times, stream)
    }

    fn replay_handles(
        &mut self,
        times: u64,
        mut handles: impl RotatingHandles,
        stream: &dyn BackendStream,
    ) -> Result<()> {
        let phase = rotation::phase_of(&self.rotations, self.phase_count, &mut handles)?;
        self.queue(phase, times, stream)?;
        handles::rotate(&mut handles, times);
        Ok(())
    }

    fn queue(&mut self, first_phase: usize, times: u64, stream: &dyn BackendStream) -> Result<()> {
        let first_slot = if self.slots.is_some() { self.first_slot } else { 0 };
        if let Some(slots) = self.slots
            && first_slot.checked_add(times).is_none_or(|end| end > slots)
        {
            return Err(Error::out_of_bounds(format!(
                "{times} repetitions from slot {first_slot} on: the snapshots' ring has {slots} slots"
            )));
        }
        if times == 0 || self.commands() == 0 && self.host_steps.is_empty() {
            return Ok(());
        }
        if self.launches.iter().any(|launch| launch.kernel.signature().prints) {
            flush_stdout();
        }
        let replay = GraphReplay { first_phase, first_slot, times };
        if !self.device.profiling.load(Ordering::Relaxed) {
            return self.run(replay, stream);
        }
        let start = stream.tag()?;
        self.run(replay, stream)?;
        self.device.profiler.record(&self.name, start, stream.tag()?, self.bytes.saturating_mul(times))
    }

    fn run(&mut self, replay: GraphReplay, stream: &dyn BackendStream) -> Result<()> {
        self.run_segments(replay, stream)
            .and_then(|()| {
                self.launches.iter().try_for_each(|launch| launch.kernel.plan().queued(&self.device, stream))
            })
            .map_err(|error| error.while_doing(format!("replaying a {}", self.name)))
    }
}

impl Graph {
    fn run_segments(&mut self, replay: GraphReplay, stream: &dyn BackendStream) -> Result<()> {
        if let ([segment], []) = (&mut self.segments[..], &self.host_steps[..]) {
            return segment.run(replay, stream);
        }
        for repetition in 0..replay.times {
            let first_phase = ((replay.first_phase as u64 + repetition) % self.phase_count as u64) as usize;
            let once = GraphReplay { first_phase, first_slot: replay.first_slot + repetition, times: 1 };
            let mut steps = self.host_steps.iter();
            for segment in &mut self.segments {
                segment.run(once, stream)?;
                if let Some(step) = steps.next() {
                    (step.work)(&step.phases[first_phase])?;
                }
            }
        }
        Ok(())
    }

    /// Runs `replay` with `stream` as the current one, on which the host's work of a graph queues what it queues.
    fn on_stream(&mut self, stream: &Stream, replay: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        same_device("a stream", &stream.device, &self.device)?;
        if self.host_steps() == 0 {
            return replay(self);
        }
        let device = self.device();
        let before = device.stream();
        device.set_stream(stream)?;
        let outcome = replay(self);
        device.set_stream(&before)?;
        outcome
    }

    /// How often in a repetition the host has work to do ([`Recorder::host`], [`Recorder::host_within`]).
    pub fn host_steps(&self) -> usize {
        self.host_steps.len() + self.steps_within
    }

    fn commands(&self) -> usize {
        self.segments.iter().map(Segment::commands).sum()
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (commands, phases) = (self.commands() + self.host_steps.len(), self.phase_count);
        write!(f, "Graph({commands} commands, {phases} phases, on {})", self.device.label())
    }
}

//! `ferrocca.Graph`: a loop's body that is recorded in a `with` block and replayed many times.
//!
//! Inside the block, launches, copies and fills of the calling thread are recorded instead of run
//! ([`record_launch`], [`record`]). Python's names stay with the memory that they name: where buffers swap roles, a replay
//! answers the buffers in their new roles.

use crate::borrowed::{note_use, release_launched};
use crate::element::ElementFormat;
use crate::error::{Error, OrRaise, WrongTypeError, WrongValueError, raise};
use crate::interrupt::wait;
use crate::kernel::PyKernel;
use crate::memory::{PyMemory, refuse_read_only, with_type};
use crate::number::whole;
use crate::owner::free_dropped;
use crate::shared::in_order;
use ferrocca::graph::Recorder;
use ferrocca::{AnyMemory, Device, Graph, Kernel};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Repetitions before the first look for Ctrl-C.
const AT_ONCE: u64 = 256;

thread_local! {
    /// The graph that this thread records.
    static RECORDING: RefCell<Option<Py<PyGraph>>> = const { RefCell::new(None) };
}

/// A list of launches, copies, fills and snapshots: `with device.record() as g: kernel(n, u, v); g.rotate(u, v)`, then
/// `u, v = g.replay(1000)`. What it uses stays alive with it.
#[pyclass(frozen, weakref, module = "ferrocca", name = "Graph")]
pub(crate) struct PyGraph {
    device: Device,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    recorder: Option<Recorder>,
    graph: Option<Graph>,
    /// The buffers of each rotation, in the roles that they have now.
    rotations: Vec<Vec<Py<PyMemory>>>,
    kernels: Vec<Kernel>,
    /// Arrays of others.
    borrowed: Vec<AnyMemory>,
    /// One of them is on the host, where nobody can wait for it.
    waits: bool,
}

impl PyGraph {
    pub(crate) fn new(device: Device) -> Self {
        Self { device, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records by `command`, where the calling thread is in the block of a graph; whether it is.
/// # Errors
/// Those of the command.
pub(crate) fn record(
    py: Python<'_>,
    memory: &[&AnyMemory],
    command: impl FnOnce(&mut Recorder) -> PyResult<()>,
) -> PyResult<bool> {
    let Some(graph) = RECORDING.with_borrow(|graph| graph.as_ref().map(|graph| graph.clone_ref(py))) else {
        return Ok(false);
    };
    let mut state = graph.get().lock();
    let Some(recorder) = &mut state.recorder else {
        return Ok(false);
    };
    command(recorder)?;
    state.keep(memory);
    Ok(true)
}

/// The same for a launch; `waits` where an argument is an array on the host.
/// # Errors
/// Those of the launch.
pub(crate) fn record_launch(
    py: Python<'_>,
    kernel: &Kernel,
    memory: &[&AnyMemory],
    waits: bool,
    command: impl FnOnce(&mut Recorder) -> ferrocca::Result<usize>,
) -> PyResult<bool> {
    let Some(graph) = RECORDING.with_borrow(|graph| graph.as_ref().map(|graph| graph.clone_ref(py))) else {
        return Ok(false);
    };
    let mut state = graph.get().lock();
    let Some(recorder) = &mut state.recorder else {
        return Ok(false);
    };
    command(recorder).or_raise()?;
    state.kernels.push(kernel.clone());
    state.keep(memory);
    state.waits |= waits;
    Ok(true)
}

/// Whether the calling thread records.
pub(crate) fn is_recording() -> bool {
    RECORDING.with_borrow(Option::is_some)
}

/// # Errors
/// `ValueError` within the block of a graph for `what` reads elements to the host: its launches have not run.
pub(crate) fn refuse_reading(what: &str) -> PyResult<()> {
    if !is_recording() {
        return Ok(());
    }
    Err(WrongValueError::new_err(format!(
        "{what} within a recording would read what memory holds now, before what is recorded has run: read it after `replay`"
    )))
}

/// # Errors
/// `ValueError` within the block of a graph for `what` writes elements from the host: it would not be recorded.
pub(crate) fn refuse_writing(what: &str) -> PyResult<()> {
    if !is_recording() {
        return Ok(());
    }
    Err(WrongValueError::new_err(format!(
        "{what} within a recording would run now, and not in each replay: copy before the `with` block, or from memory"
    )))
}

impl State {
    /// Remembers arrays of others, whose use is noted at each replay.
    fn keep(&mut self, memory: &[&AnyMemory]) {
        self.borrowed.extend(memory.iter().filter(|memory| memory.owner().is_some()).map(|memory| (*memory).clone()));
    }

    fn recorder(&mut self) -> PyResult<&mut Recorder> {
        self.recorder.as_mut().ok_or_else(|| Error::new_err("this belongs into the graph's `with` block"))
    }

    /// Puts given buffers in the place of the rotations' own.
    fn set_buffers(&mut self, buffers: &Bound<'_, PyTuple>) -> PyResult<()> {
        let wanted: usize = self.rotations.iter().map(Vec::len).sum();
        if buffers.len() != wanted {
            let text = format!("the rotations of this graph have {wanted} buffers, {} were given", buffers.len());
            return Err(WrongTypeError::new_err(text));
        }
        let given = buffers.iter().map(|buffer| Ok(buffer.cast::<PyMemory>()?.clone().unbind()));
        let mut given = given.collect::<PyResult<Vec<_>>>()?.into_iter();
        for rotation in &mut self.rotations {
            rotation.iter_mut().zip(&mut given).for_each(|(place, buffer)| *place = buffer);
        }
        Ok(())
    }

    /// The buffers as `replay` answers them.
    fn buffers<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        match &*self.rotations {
            [] => Ok(None),
            [one] => PyTuple::new(py, one).map(Some),
            several => {
                let tuples = several.iter().map(|one| PyTuple::new(py, one));
                PyTuple::new(py, tuples.collect::<PyResult<Vec<_>>>()?).map(Some)
            }
        }
    }
}

#[pymethods]
impl PyGraph {
    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        if is_recording() {
            return Err(Error::new_err("a graph cannot be recorded within another one"));
        }
        let mut state = slf.get().lock();
        if state.graph.is_some() {
            return Err(Error::new_err("this graph is recorded already: `device.record()` begins another one"));
        }
        state.recorder = Some(slf.get().device.recorder());
        drop(state);
        RECORDING.set(Some(slf.clone().unbind()));
        Ok(slf)
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        kind: Option<&Bound<'_, PyType>>,
        _error: Option<&Bound<'_, PyAny>>,
        _traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        RECORDING.set(None);
        let mut state = self.lock();
        let Some(recorder) = state.recorder.take() else {
            return Ok(false);
        };
        match kind {
            // What the block has recorded is not whole.
            Some(_) => *state = State::default(),
            None => state.graph = Some(py.detach(|| recorder.into_graph()).or_raise()?),
        }
        Ok(false)
    }

    /// Inside the block: after each repetition these buffers swap roles, as `rotate_left(1)` does with a list. What the
    /// launches call the first one is then the second, and what they call the last is the first.
    #[pyo3(signature = (*buffers))]
    fn rotate(&self, buffers: &Bound<'_, PyTuple>) -> PyResult<()> {
        let list = buffers.iter().map(|buffer| Ok(buffer.cast::<PyMemory>()?.clone().unbind()));
        let list = list.collect::<PyResult<Vec<_>>>()?;
        let memory: Vec<&AnyMemory> = list.iter().map(|buffer| &buffer.get().memory).collect();
        let mut state = self.lock();
        // The recorder is asked first, so that it knows of an error that the block ignores.
        if let Err(error) = state.recorder()?.rotate_untyped(&memory) {
            refuse_different(&list)?;
            return Err(raise(error));
        }
        state.rotations.push(list);
        Ok(())
    }

    /// Inside the block: each repetition copies `source` to a slot of `ring` of its own: repetition `r` of a replay, counted
    /// from 0, to the slot `first_slot + r`, where a slot is as long as `source`. A replay that would leave the ring is an
    /// error.
    fn snapshot(&self, py: Python<'_>, source: &Bound<'_, PyMemory>, ring: &Bound<'_, PyMemory>) -> PyResult<()> {
        refuse_read_only(&ring.borrow().as_super().view)?;
        let (source, ring) = (&source.get().memory, &ring.get().memory);
        if source.dtype() != ring.dtype() {
            let (ring, source) = (ElementFormat::of(ring.dtype())?.name, ElementFormat::of(source.dtype())?.name);
            let text = format!("a ring of {ring} takes no snapshots of {source}: make the ring of {source}");
            return Err(WrongTypeError::new_err(text));
        }
        let mut state = self.lock();
        let recorder = state.recorder()?;
        with_type!(source.dtype(), T => {
            let (source, mut ring) = (source.typed::<T>().or_raise()?, ring.typed::<T>().or_raise()?);
            recorder.snapshot(&source, &mut ring).or_raise()
        })?;
        state.keep(&[source, ring]);
        let _ = py;
        Ok(())
    }

    /// Queues the list `times` times. Where buffers rotate, it answers them in the roles that they have afterwards, in the
    /// order of `rotate` (a tuple; of several rotations a tuple of tuples): `u, u_prev = g.replay(2001)`. It goes on from the
    /// roles that the replay before it has left, or from those of `buffers`, for a program that has swapped them by
    /// itself. Ctrl-C ends it between repetitions.
    #[pyo3(
        signature = (times = None, *buffers, first_slot = None),
        text_signature = "($self, times=1, *buffers, first_slot=0)"
    )]
    fn replay<'py>(
        &self,
        py: Python<'py>,
        times: Option<&Bound<'py, PyAny>>,
        buffers: &Bound<'py, PyTuple>,
        first_slot: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let times = times.map_or(Ok(1), |times| whole("times", times, 0..=u64::MAX))?;
        let first_slot = first_slot.map_or(Ok(0), |slot| whole("first_slot", slot, 0..=u64::MAX))?;
        free_dropped(py);
        let mut guard = self.lock();
        let state = &mut *guard;
        if state.graph.is_none() {
            return Err(Error::new_err("this graph is not recorded: use `with device.record() as graph:`"));
        }
        if !buffers.is_empty() {
            state.set_buffers(buffers)?;
        }
        if let Some(slots) = state.graph.as_ref().and_then(Graph::slots)
            && first_slot.checked_add(times).is_none_or(|end| end > slots)
        {
            let text = format!("{times} repetitions from slot {first_slot} on: the snapshots' ring has {slots} slots");
            return Err(crate::error::OutOfBoundsError::new_err(text));
        }
        let borrowed = state.borrowed.iter().filter(|memory| note_use(memory)).count();
        let (mut done, mut most) = (0, AT_ONCE);
        while done < times {
            let (some, start) = (most.min(times - done), Instant::now());
            state.replay(py, &self.device, some, first_slot + done)?;
            done += some;
            py.check_signals()?;
            most = match start.elapsed() {
                short if short < Duration::from_millis(5) => most.saturating_mul(2),
                long if long > Duration::from_millis(40) => (most / 2).max(1),
                _ => most,
            };
        }
        let waits = state.waits;
        let answer = state.buffers(py)?;
        drop(guard);
        if borrowed > 0 {
            release_launched(py);
        }
        if waits {
            wait(py, |limit| self.device.stream().finish_within(limit))?;
        }
        Ok(answer)
    }

    /// Gives a number of a recorded launch another value, from the next replay on. Launches count from 0; the argument is
    /// named by its parameter's name or its position. A number that decides how much is launched cannot be changed.
    fn set_argument(&self, launch: usize, argument: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut state = self.lock();
        let State { graph, kernels, .. } = &mut *state;
        let Some(graph) = graph else {
            return Err(Error::new_err("this graph is not recorded yet"));
        };
        let Some(kernel) = kernels.get(launch) else {
            let text = format!("launch {launch} of a graph of {} launches, which count from 0", kernels.len());
            return Err(crate::error::OutOfBoundsError::new_err(text));
        };
        let position = match argument.extract::<usize>() {
            Ok(position) => position,
            Err(_) => {
                let name: String = argument.extract()?;
                let found = kernel.signature().params.iter().position(|parameter| *parameter.name == *name);
                found.ok_or_else(|| {
                    let text = format!("kernel `{}` has no parameter `{name}`", kernel.name());
                    WrongValueError::new_err(text)
                })?
            }
        };
        let mut value = PyKernel::new(kernel.clone()).value(position, value)?;
        graph.set_argument(launch, position, value.argument()).or_raise()
    }

    /// How it is replayed, and why so: `12 steps a pass: …` where one pass through memory does several repetitions.
    fn plan(&self) -> PyResult<String> {
        match &self.lock().graph {
            Some(graph) => Ok(graph.plan().to_string()),
            None => Err(Error::new_err("this graph is not recorded yet")),
        }
    }

    /// Number of recorded launches.
    #[getter]
    fn launches(&self) -> usize {
        self.lock().kernels.len()
    }

    /// Number of slots that the snapshots' rings have, of several rings the least; None without snapshots.
    #[getter]
    fn slots(&self) -> Option<u64> {
        self.lock().graph.as_ref().and_then(Graph::slots)
    }

    fn __repr__(&self) -> String {
        let state = self.lock();
        match (&state.graph, &state.recorder) {
            (Some(_), _) => format!("ferrocca.Graph({} launches on {})", state.kernels.len(), self.device.mode()),
            (None, Some(_)) => format!("ferrocca.Graph(recording, on {})", self.device.mode()),
            (None, None) => format!("ferrocca.Graph(not recorded, on {})", self.device.mode()),
        }
    }
}

/// # Errors
/// `ValueError` for buffers that cannot swap roles, in the words of [`Recorder::rotate_untyped`] with Python's names of types.
fn refuse_different(buffers: &[Py<PyMemory>]) -> PyResult<()> {
    let views: Vec<_> = buffers.iter().map(|buffer| &buffer.get().memory).collect();
    let Some(first) = views.first() else {
        return Ok(());
    };
    let told = |memory: &AnyMemory| -> PyResult<String> {
        Ok(format!("has {} elements of {}", memory.len(), ElementFormat::of(memory.dtype())?.name))
    };
    match views.iter().position(|view| (view.dtype(), view.len()) != (first.dtype(), first.len())) {
        None => Ok(()),
        Some(other) => Err(WrongValueError::new_err(format!(
            "the buffers of a rotation swap roles, so they need one type and length: buffer 1 {}, buffer {} {}",
            told(first)?,
            other + 1,
            told(views[other])?
        ))),
    }
}

impl State {
    /// One call of the library, which rotates the buffers.
    fn replay(&mut self, py: Python<'_>, device: &Device, times: u64, first_slot: u64) -> PyResult<()> {
        let Self { graph, rotations, .. } = self;
        let Some(graph) = graph else {
            return Ok(());
        };
        graph.set_first_slot(first_slot);
        let mut handles: Vec<Vec<AnyMemory>> = rotations
            .iter()
            .map(|rotation| rotation.iter().map(|buffer| buffer.get().memory.clone()).collect())
            .collect();
        py.detach(|| in_order(device, || graph.replay_rotating(times, handles.as_mut_slice()))).or_raise()?;
        for rotation in rotations {
            let shift = (times % rotation.len() as u64) as usize;
            rotation.rotate_left(shift);
        }
        Ok(())
    }
}

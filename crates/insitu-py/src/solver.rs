//! `ferrocca.burgers.Solver`: the Burgers solver for Python programs, with hooks that are Python objects.

use crate::batch::{self, PyBatch};
use crate::device::PyDevice;
use crate::element::ElementFormat;
use crate::error::{OrRaise, WrongTypeError, warn_as};
use crate::field::FieldCache;
use crate::fields::Fields;
use crate::frame::{PyFrame, PyRun, control_of};
use crate::interrupt::wait;
use crate::memory::PyMemory;
use crate::number::whole;
use crate::owner::free_released;
use crate::shared::in_order;
use crate::steering::Steering;
use burgers::{Config, FieldRef, MAX_POINTS, Outcome, RunOptions, Solver, Timing};
use ferrocca::backend::poll_until;
use ferrocca::insitu::{Batch, Change, Control, Every, Field, Frame, Hook, Run};
use ferrocca::{Error, Result};
use pyo3::exceptions::{PyRuntimeError, PyRuntimeWarning};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// Points times steps that are queued before the first look for Ctrl-C.
const POINTS_AT_ONCE: u64 = 1 << 21;

/// The viscous Burgers equation u_t + u u_x = nu u_xx on a periodic interval, from u = sin(2 pi x / length). A time step that
/// is not stable is warned of, as a `RuntimeWarning`.
#[pyclass(frozen, weakref, module = "ferrocca.burgers", name = "Solver")]
pub(crate) struct PySolver {
    solver: Mutex<Solver>,
    /// Of the last run.
    timing: Mutex<Option<(u64, Timing)>>,
}

/// What another thread sees of a run, and asks of it.
#[pyclass(frozen, module = "ferrocca.burgers", name = "_Control")]
#[derive(Default)]
pub(crate) struct PyControl {
    stops: AtomicBool,
    progress: Mutex<Option<burgers::Progress>>,
}

#[pymethods]
impl PyControl {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Ends the run in good order, after a step.
    fn stop(&self) {
        self.stops.store(true, Ordering::Relaxed);
    }

    /// Step, steps in all, time reached, wall time in seconds; None before the first report.
    #[getter]
    fn progress(&self) -> Option<(u64, u64, f64, f64)> {
        let progress = *self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.map(|now| (now.step, now.step + now.steps_left, now.time, now.wall.as_secs_f64()))
    }
}

impl PySolver {
    /// The solver, unless it is running: a hook of its own would wait for ever.
    fn lock(&self) -> PyResult<MutexGuard<'_, Solver>> {
        match self.solver.try_lock() {
            Ok(solver) => Ok(solver),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(PyRuntimeError::new_err("the solver is running: use the frame instead"))
            }
        }
    }
}

#[pymethods]
impl PySolver {
    #[new]
    #[pyo3(signature = (device, *, points = None, length = None, nu = None, dt = None, final_time = None, precision = None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        device: &Bound<'_, PyDevice>,
        points: Option<&Bound<'_, PyAny>>,
        length: Option<f64>,
        nu: Option<f64>,
        dt: Option<f64>,
        final_time: Option<f64>,
        precision: Option<&str>,
    ) -> PyResult<Self> {
        free_released();
        let usual = Config::default();
        let config = Config {
            points: points.map_or(Ok(usual.points), |points| whole("points", points, 2..=MAX_POINTS))?,
            length: length.unwrap_or(usual.length),
            nu: nu.unwrap_or(usual.nu),
            dt: dt.unwrap_or(usual.dt),
            final_time: final_time.unwrap_or(usual.final_time),
            ends_within_rounding: usual.ends_within_rounding,
            precision: precision.map_or(Ok(usual.precision), str::parse).or_raise()?,
        };
        let device = device.get().device();
        let solver = py.detach(|| Solver::new(device, config)).or_raise()?;
        // What the program warns of, but for the fronts that a grid is too coarse for: those of the usual one.
        if let Some(text) = solver.limits().warning() {
            warn_as(py, &py.get_type::<PyRuntimeWarning>(), &text)?;
        }
        Ok(Self { solver: Mutex::new(solver), timing: Mutex::default() })
    }

    /// Does `count` time steps. Ctrl-C ends it after one of them, and `step_count` says after which.
    #[pyo3(signature = (count = None), text_signature = "($self, count=1)")]
    fn step(&self, py: Python<'_>, count: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let count = count.map_or(Ok(1), |count| whole("count", count, 0..=u64::MAX))?;
        let mut guard = self.lock()?;
        let solver = &mut *guard;
        let device = solver.device().clone();
        // Powers of two, because devices prepare each length once.
        let mut most = 1 << (POINTS_AT_ONCE / solver.config().points).max(1).ilog2();
        let (mut left, mut before) = (count, None);
        loop {
            let (some, start) = (left.min(most), Instant::now());
            py.detach(|| in_order(&device, || solver.steps(some))).or_raise()?;
            left -= some;
            if left == 0 {
                return Ok(());
            }
            // What was queued just now runs while this waits for what was queued before it.
            let queued = py.detach(|| device.stream().tag()).or_raise()?;
            if let Some(before) = before.replace(queued) {
                wait(py, |limit| poll_until(limit, || before.is_reached()))?;
            }
            py.check_signals()?;
            most = match start.elapsed() {
                short if short < Duration::from_millis(5) => most.saturating_mul(2),
                long if long > Duration::from_millis(40) => (most / 2).max(1),
                _ => most,
            };
        }
    }

    /// The field now: `points + 2` values, of which the first and the last are ghosts. It is the memory that the
    /// solver computes in; after the next step another buffer is current.
    #[getter]
    fn u(&self, py: Python<'_>) -> PyResult<Py<PyMemory>> {
        let memory = match self.lock()?.u() {
            FieldRef::F32(u) => u.untyped().clone(),
            FieldRef::F64(u) => u.untyped().clone(),
        };
        let shape = [memory.len() as i64];
        let element = ElementFormat::of(memory.dtype())?;
        PyMemory::new(py, memory, element, &shape, false)
    }

    /// Time reached.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.lock()?.time())
    }

    /// Steps done.
    #[getter]
    fn step_count(&self) -> PyResult<u64> {
        Ok(self.lock()?.step_count())
    }

    /// Whether every value is finite; looks on the device.
    fn is_finite(&self, py: Python<'_>) -> PyResult<bool> {
        let mut guard = self.lock()?;
        let solver = &mut *guard;
        let device = solver.device().clone();
        py.detach(|| in_order(&device, || solver.is_finite())).or_raise()
    }

    /// Steps until `final_time`. `hook` is a function of frames, or an object with any of `start(run)`, `step(frame)` or
    /// `observe(batch)`, and `finish(run)`. Returns `finished`, or `stopped` when the hook returned `ferrocca.STOP`.
    #[pyo3(
        signature = (hook = None, *, every = None, output_dir = None, read_only = false, _control = None),
        text_signature = "($self, hook=None, *, every=1, output_dir=None, read_only=False, _control=None)"
    )]
    fn run(
        &self,
        py: Python<'_>,
        hook: Option<&Bound<'_, PyAny>>,
        every: Option<&Bound<'_, PyAny>>,
        output_dir: Option<PathBuf>,
        read_only: bool,
        _control: Option<&Bound<'_, PyControl>>,
    ) -> PyResult<&'static str> {
        free_released();
        let every = every.map_or(Ok(1), |every| whole("every", every, 1..=u64::MAX))?;
        let mut guard = self.lock()?;
        let solver = &mut *guard;
        let every = Every::new(every).or_raise()?;
        let mut hook = hook.map(ObjectHook::new).transpose()?;
        let unseen = PyControl::default();
        let control = _control.map_or(&unseen, Bound::get);
        let interrupt = &control.stops;
        let mut signal = None;
        // Python's own handler has noted Ctrl-C; the run ends after the step, and the exception is raised then.
        let mut look_for_signals = |progress: &burgers::Progress| {
            *control.progress.lock().unwrap_or_else(PoisonError::into_inner) = Some(*progress);
            if let Err(error) = Python::attach(|py| py.check_signals()) {
                signal = Some(error);
                interrupt.store(true, Ordering::Relaxed);
            }
        };
        let outcome = py.detach(|| {
            let options = RunOptions {
                output_dir: output_dir.unwrap_or_default(),
                read_only,
                interrupt: Some(interrupt),
                progress: Some(&mut look_for_signals),
                ..RunOptions::default()
            };
            let device = solver.device().clone();
            in_order(&device, || solver.run(&mut every.of(hook.as_mut()), options))
        });
        if let Some(error) = hook.and_then(|hook| hook.error).or(signal) {
            return Err(error);
        }
        let summary = outcome.or_raise()?;
        *self.timing.lock().unwrap_or_else(PoisonError::into_inner) = Some((summary.steps, summary.timing));
        Ok(match summary.outcome {
            Outcome::Finished => "finished",
            Outcome::Stopped => "stopped",
            Outcome::Interrupted => "interrupted",
        })
    }

    /// Starts `run` in a thread, for notebooks: `run = solver.start(hook)`, then `run.progress`, `run.stop()`, `run.result()`.
    #[pyo3(signature = (hook = None, **options))]
    fn start<'py>(
        slf: &Bound<'py, Self>,
        hook: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("ferrocca._background")?.call_method("start", (slf, hook), options)
    }

    /// Where the wall time of the last run went, in seconds: `set_up`, `wall` (without it), `hook`, `median_step`,
    /// `mean_step`, and `steps`. None before the first run.
    #[getter]
    fn timing<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let timing = *self.timing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((steps, timing)) = timing else {
            return Ok(None);
        };
        let entries = PyDict::new(py);
        entries.set_item("steps", steps)?;
        entries.set_item("set_up", timing.set_up.as_secs_f64())?;
        entries.set_item("wall", timing.wall.as_secs_f64())?;
        entries.set_item("hook", timing.hook.as_secs_f64())?;
        entries.set_item("median_step", timing.median_step.as_secs_f64())?;
        entries.set_item("mean_step", timing.wall.as_secs_f64() / steps.max(1) as f64)?;
        Ok(Some(entries))
    }

    fn __repr__(&self) -> PyResult<String> {
        let solver = self.lock()?;
        let (points, mode) = (solver.config().points, solver.device().mode());
        let (step, time) = (solver.step_count(), solver.time());
        Ok(format!("ferrocca.burgers.Solver({points} points on {mode}, step {step}, t = {time})"))
    }
}

/// Every how many steps a hook wants to be called, by what it says itself: its `_every`, which may change with each call.
pub(crate) fn every_of(py: Python<'_>, schedule: Option<&Py<PyAny>>) -> PyResult<u64> {
    schedule.map_or(Ok(1), |hook| Ok(hook.getattr(py, "_every")?.extract::<u64>(py)?.max(1)))
}

/// A Python object as a hook. What it raises is kept, to be raised again where the run was called.
struct ObjectHook {
    start: Option<Py<PyAny>>,
    step: Option<Py<PyAny>>,
    observe: Option<Py<PyAny>>,
    finish: Option<Py<PyAny>>,
    /// It wants no steps but multiples of this number.
    every: u64,
    /// Says so, and may say another number after each call.
    schedule: Option<Py<PyAny>>,
    /// Its `step` changes nothing.
    only_looks: bool,
    cache: FieldCache,
    /// Of the run under way.
    steering: Option<Arc<Steering>>,
    error: Option<PyErr>,
}

impl ObjectHook {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let method = |name: &str| object.getattr_opt(name).map(|method| method.map(Bound::unbind));
        let (start, step, finish) = (method("start")?, method("step")?, method("finish")?);
        let observe = method("observe")?;
        if step.is_some() && observe.is_some() {
            return Err(WrongTypeError::new_err(batch::BOTH));
        }
        let step = if start.is_none() && step.is_none() && observe.is_none() && finish.is_none() {
            if !object.is_callable() {
                return Err(WrongTypeError::new_err(
                    "a hook is a function of frames, or has `start(run)`, `step(frame)`, `observe(batch)` or `finish(run)`",
                ));
            }
            Some(object.clone().unbind())
        } else {
            step
        };
        // What `ferrocca.insitu.on(hook, step=10)` says of itself.
        let schedule = method("_every")?.map(|_| object.clone().unbind());
        let every = every_of(object.py(), schedule.as_ref())?;
        let only_looks = method("_only_looks")?.map_or(Ok(false), |looks| looks.extract(object.py()))?;
        Ok(Self {
            start,
            step,
            observe,
            finish,
            every,
            schedule,
            only_looks,
            cache: FieldCache::default(),
            steering: None,
            error: None,
        })
    }

    /// Runs `call` with Python's lock; its exception is kept.
    fn attached<R>(&mut self, call: impl FnOnce(&mut Self, Python<'_>) -> PyResult<R>) -> Result<R> {
        Python::attach(|py| {
            free_released();
            call(self, py).map_err(|error| {
                let told = Error::invalid(error.to_string());
                self.error = Some(error);
                told
            })
        })
    }
}

impl Hook for ObjectHook {
    fn start(&mut self, run: &Run) -> Result<()> {
        self.attached(|hook, py| {
            let run = PyRun::of_library(py, run.clone())?;
            hook.steering = Some(run.steering().clone());
            let Some(start) = &hook.start else {
                return Ok(());
            };
            start.call1(py, (run,))?;
            hook.every = every_of(py, hook.schedule.as_ref())?;
            Ok(())
        })
    }

    fn due(&mut self, step: u64, _time: f64) -> bool {
        step.is_multiple_of(self.every)
    }

    fn step(&mut self, frame: &Frame<'_>) -> Result<Control> {
        frame.check()?;
        self.attached(|hook, py| {
            let (Some(step), Some(steering)) = (&hook.step, &hook.steering) else {
                return Ok(Control::Continue);
            };
            steering.begin(frame.step);
            let answer = with_fields(&mut hook.cache, py, frame.fields, |fields| {
                step.call1(py, (PyFrame::new(frame.step, frame.time, fields, steering.clone()),))
            });
            steering.end();
            let control = control_of(answer?.bind(py))?;
            hook.every = every_of(py, hook.schedule.as_ref())?;
            Ok(control)
        })
    }

    fn changes(&mut self) -> Vec<Change> {
        self.steering.as_ref().map_or_else(Vec::new, |steering| steering.take())
    }

    fn observes(&self) -> bool {
        self.observe.is_some()
    }

    fn only_looks(&self) -> bool {
        self.only_looks
    }

    fn observe(&mut self, batch: &Batch<'_>) -> Result<()> {
        batch.check()?;
        self.attached(|hook, py| {
            let Some(observe) = &hook.observe else {
                return Ok(());
            };
            let answer = with_fields(&mut hook.cache, py, batch.fields, |fields| {
                observe.call1(py, (PyBatch::new(batch.steps, batch.times, fields),))
            })?;
            batch::nothing(answer.bind(py))
        })
    }

    fn finish(&mut self, run: &Run) -> Result<()> {
        self.attached(|hook, py| {
            let Some(finish) = &hook.finish else {
                return Ok(());
            };
            finish.call1(py, (PyRun::of_library(py, run.clone())?,)).map(drop)
        })
    }
}

/// Calls a hook's function that gets fields, in the order of the streams on which these are made and used.
fn with_fields(
    cache: &mut FieldCache,
    py: Python<'_>,
    fields: &[Field<'_>],
    function: impl FnOnce(Fields) -> PyResult<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    cache.next_frame();
    let list = fields.iter().map(|field| cache.field_of_library(py, field)).collect::<PyResult<_>>()?;
    cache.begin_step(py)?;
    let shown = cache.fields(list);
    let list = shown.list();
    let answer = function(shown);
    let ended = cache.end_step(py);
    for (field, _) in fields.iter().zip(cache.take_kept(&list)).filter(|(_, is_kept)| *is_kept) {
        field.keep();
    }
    let answer = answer?;
    ended?;
    Ok(answer)
}

//! The plugin's side of the in-situ ABI: a program that runs a solver calls in here, and nowhere else.
//!
//! Every function takes Python's lock, catches what may unwind, and turns an exception into text.

use crate::batch::{self, PyBatch};
use crate::field::FieldCache;
use crate::fields::Fields;
use crate::frame::{self, PyFrame, PyRun};
use crate::owner::free_released;
use crate::solver::every_of;
use crate::steering::Steering;
use ferrocca::insitu::abi::{
    ABI_VERSION, BatchAbi, ErrorSink, FieldAbi, FrameAbi, HostTable, PluginTable, RunAbi, ScriptAbi, Status,
    TakeChange, Text,
};
use ferrocca::insitu::{Change, Control};
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A loaded script.
struct Session {
    host: &'static HostTable,
    start: Option<Py<PyAny>>,
    step: Option<Py<PyAny>>,
    observe: Option<Py<PyAny>>,
    finish: Option<Py<PyAny>>,
    every: AtomicU64,
    /// Says that number, and may say another one after each call.
    schedule: Option<Py<PyAny>>,
    only_looks: bool,
    module: String,
    cache: Mutex<FieldCache>,
    /// Of the run under way.
    steering: Mutex<Arc<Steering>>,
}

/// Sessions that are not closed. Exit handlers belong to the interpreter, and run when the last one closes.
static OPEN_SESSIONS: AtomicUsize = AtomicUsize::new(0);

/// Version of the ABI.
#[unsafe(no_mangle)]
extern "C" fn ferrocca_insitu_abi_version() -> u32 {
    ABI_VERSION
}

/// The plugin's table.
#[unsafe(no_mangle)]
extern "C" fn ferrocca_insitu_plugin() -> *const PluginTable {
    static TABLE: PluginTable = PluginTable {
        abi_version: ABI_VERSION,
        bytes: size_of::<PluginTable>() as u32,
        package_version: Text::new(env!("CARGO_PKG_VERSION")),
        load,
        observes,
        every,
        start,
        step,
        changes,
        observe,
        finish,
        close,
    };
    &raw const TABLE
}

unsafe extern "C" fn load(
    host: *const HostTable,
    script: *const ScriptAbi,
    session: *mut *mut c_void,
    sink: *const ErrorSink,
) -> Status {
    // SAFETY: the host's table lives as long as the process; script, session and sink outlive the call.
    unsafe {
        guard(sink, |py| {
            let loaded = Session::load(py, &*host, &*script)?;
            OPEN_SESSIONS.fetch_add(1, Ordering::Relaxed);
            *session = Box::into_raw(Box::new(loaded)).cast();
            Ok(Status::DONE)
        })
    }
}

unsafe extern "C" fn start(session: *mut c_void, run: *const RunAbi, sink: *const ErrorSink) -> Status {
    // SAFETY: the session is one of `load`'s and not closed; run and sink outlive the call.
    unsafe { guard(sink, |py| session_of(session).start(py, &*run)) }
}

unsafe extern "C" fn finish(session: *mut c_void, run: *const RunAbi, sink: *const ErrorSink) -> Status {
    // SAFETY: as above.
    unsafe {
        guard(sink, |py| {
            let session = session_of(session);
            call_with_run(py, session.finish.as_ref(), PyRun::of_program(py, &*run)?)
        })
    }
}

unsafe extern "C" fn step(session: *mut c_void, frame: *const FrameAbi, sink: *const ErrorSink) -> Status {
    // SAFETY: as above, for the frame.
    unsafe { guard(sink, |py| session_of(session).step(py, &*frame)) }
}

unsafe extern "C" fn changes(session: *mut c_void, context: *mut c_void, take: TakeChange) {
    // SAFETY: as above.
    let steering = unsafe { session_of(session) }.steering();
    for Change { name, value } in steering.take() {
        // SAFETY: the program's function takes its context, and borrows the name for the call.
        unsafe { take(context, Text::new(&name), value) };
    }
}

unsafe extern "C" fn observes(session: *const c_void) -> u32 {
    // SAFETY: as above.
    let session = unsafe { session_of(session.cast_mut()) };
    match (&session.observe, session.only_looks) {
        (Some(_), _) => 1,
        (None, only_looks) => 2 * u32::from(only_looks),
    }
}

unsafe extern "C" fn every(session: *const c_void) -> u64 {
    // SAFETY: as above.
    unsafe { session_of(session.cast_mut()) }.every.load(Ordering::Relaxed)
}

unsafe extern "C" fn observe(session: *mut c_void, batch: *const BatchAbi, sink: *const ErrorSink) -> Status {
    // SAFETY: as above, for the batch.
    unsafe { guard(sink, |py| session_of(session).observe(py, &*batch)) }
}

unsafe extern "C" fn close(session: *mut c_void) {
    // SAFETY: the session is one of `load`'s, and this is its last use.
    let session = unsafe { Box::from_raw(session.cast::<Session>()) };
    // Python itself prints failures of exit handlers.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        Python::attach(|py| {
            if let Err(error) = end(py, session) {
                tell(py, error);
            }
        });
    }));
}

/// Lets a session go, and after the last one does what Python does at its end.
fn end(py: Python<'_>, session: Box<Session>) -> PyResult<()> {
    let module = session.module.clone();
    drop(session);
    let is_last = OPEN_SESSIONS.fetch_sub(1, Ordering::Relaxed) == 1;
    let script = py.import("ferrocca._script")?;
    if is_last && let Err(error) = script.call_method0("close") {
        // Before the script is forgotten, which the error's traceback holds.
        tell(py, error);
    }
    script.call_method1("forget", (module,)).map(drop)
}

/// Prints an exception that nobody is left to hear of. Not by `print`, which ends the process for a `SystemExit`.
fn tell(py: Python<'_>, error: PyErr) {
    error.write_unraisable(py, None);
}

/// # Safety
/// `session` is one of `load`'s and not closed during `'a`.
unsafe fn session_of<'a>(session: *mut c_void) -> &'a Session {
    // SAFETY: the caller's duty.
    unsafe { &*session.cast::<Session>() }
}

impl Session {
    /// # Safety
    /// `script` belongs to the call under way.
    unsafe fn load(py: Python<'_>, host: &'static HostTable, script: &ScriptAbi) -> PyResult<Self> {
        // SAFETY: the caller's duty.
        let (path, collect, then, arguments) =
            unsafe { (script.path.read(), script.collect.read(), script.then.read(), script.arguments.read()) };
        // Before the script's directory can hide it.
        let native = py.import("ferrocca._native")?;
        let stop = frame::stop(py)?;
        if !native.getattr("STOP")?.is(&stop) {
            return Err(PyImportError::new_err(format!(
                "the imported `ferrocca` package is not the one that this program found: {}",
                native.getattr("__file__")?
            )));
        }
        let in_batches = script.collects_batches != 0;
        let call = (path, collect, then, in_batches, arguments);
        let functions = py.import("ferrocca._script")?.call_method1("load", call)?;
        let (start, step, observe, finish, about, module) = functions.extract()?;
        let (schedule, only_looks): (Option<Py<PyAny>>, bool) = about;
        let every = every_of(py, schedule.as_ref())?.into();
        let steering = Mutex::new(Steering::new(PyDict::new(py).unbind(), Vec::new()));
        let cache = Mutex::default();
        Ok(Self { host, start, step, observe, finish, every, schedule, only_looks, module, cache, steering })
    }

    /// After a call that may have changed it.
    fn read_schedule(&self, py: Python<'_>) -> PyResult<()> {
        self.every.store(every_of(py, self.schedule.as_ref())?, Ordering::Relaxed);
        Ok(())
    }

    fn steering(&self) -> Arc<Steering> {
        self.steering.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// # Safety
    /// `run` belongs to the call under way.
    unsafe fn start(&self, py: Python<'_>, run: &RunAbi) -> PyResult<Status> {
        // SAFETY: the caller's duty.
        let run = unsafe { PyRun::of_program(py, run)? };
        *self.steering.lock().unwrap_or_else(PoisonError::into_inner) = run.steering().clone();
        let status = call_with_run(py, self.start.as_ref(), run)?;
        self.read_schedule(py)?;
        Ok(status)
    }

    /// # Safety
    /// `frame` belongs to the call under way.
    unsafe fn step(&self, py: Python<'_>, frame: &FrameAbi) -> PyResult<Status> {
        let Some(function) = &self.step else {
            return Ok(Status::DONE);
        };
        let steering = self.steering();
        steering.begin(frame.step);
        // SAFETY: the fields are borrowed for the call under way.
        let answer = unsafe {
            self.with_fields(py, frame.fields, frame.field_count, |fields| {
                function.call1(py, (PyFrame::new(frame.step, frame.time, fields, steering.clone()),))
            })
        };
        steering.end();
        let answer = answer?;
        self.read_schedule(py)?;
        Ok(match frame::control_of(answer.bind(py))? {
            Control::Continue => Status::DONE,
            Control::Stop => Status::STOP,
        })
    }

    /// # Safety
    /// `batch` belongs to the call under way.
    unsafe fn observe(&self, py: Python<'_>, batch: &BatchAbi) -> PyResult<Status> {
        let Some(function) = &self.observe else {
            return Ok(Status::DONE);
        };
        let (steps, times) = match batch.count {
            0 => (&[][..], &[][..]),
            // SAFETY: steps and times are borrowed for the call under way.
            count => unsafe {
                (std::slice::from_raw_parts(batch.steps, count), std::slice::from_raw_parts(batch.times, count))
            },
        };
        // SAFETY: so are the fields.
        let answer = unsafe {
            self.with_fields(py, batch.fields, batch.field_count, |fields| {
                function.call1(py, (PyBatch::new(steps, times, fields),))
            })?
        };
        batch::nothing(answer.bind(py)).map(|()| Status::DONE)
    }

    /// Calls a function of the script that gets fields, in the order of the streams on which these are made and used.
    ///
    /// # Safety
    /// The fields belong to the call under way.
    unsafe fn with_fields(
        &self,
        py: Python<'_>,
        fields: *const FieldAbi,
        field_count: usize,
        function: impl FnOnce(Fields) -> PyResult<Py<PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        free_released();
        let list = match field_count {
            0 => &[][..],
            // SAFETY: the fields are borrowed for the call under way.
            count => unsafe { std::slice::from_raw_parts(fields, count) },
        };
        // The session is used by one call at a time, so nobody waits for this lock.
        let mut cache = self.cache.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        cache.next_frame();
        // SAFETY: as above, and the host of the session is the caller.
        let fields = list.iter().map(|field| unsafe { cache.field_of_program(py, self.host, field) });
        let fields = fields.collect::<PyResult<_>>()?;
        cache.begin_step(py)?;
        let shown = cache.fields(fields);
        let fields = shown.list();
        let answer = function(shown);
        let ended = cache.end_step(py);
        for (field, _) in list.iter().zip(cache.take_kept(&fields)).filter(|(_, is_kept)| *is_kept) {
            // SAFETY: not null, since the script was offered to keep it; the host lets it be written during the call.
            unsafe { field.kept.write(1) };
        }
        let answer = answer?;
        ended?;
        Ok(answer)
    }
}

fn call_with_run(py: Python<'_>, function: Option<&Py<PyAny>>, run: PyRun) -> PyResult<Status> {
    let Some(function) = function else {
        return Ok(Status::DONE);
    };
    free_released();
    let result = function.call1(py, (run,));
    py.import("ferrocca._script")?.call_method0("flush")?;
    result.map(|_| Status::DONE)
}

/// Runs `function` with Python's lock; an exception or a panic becomes a text in the sink.
///
/// # Safety
/// `sink` outlives the call.
unsafe fn guard(sink: *const ErrorSink, function: impl FnOnce(Python<'_>) -> PyResult<Status>) -> Status {
    let outcome =
        catch_unwind(AssertUnwindSafe(|| Python::attach(|py| function(py).map_err(|error| describe(py, error)))));
    let text = match outcome {
        Ok(Ok(status)) => return status,
        Ok(Err(text)) => text,
        Err(_) => "the extension panicked; please report it".to_owned(),
    };
    // SAFETY: the caller's duty; the text is borrowed for the call.
    unsafe { ((*sink).write)((*sink).context, Text::new(&text)) };
    Status::FAILED
}

/// The exception as Python would print it.
fn describe(py: Python<'_>, error: PyErr) -> String {
    let plain = error.to_string();
    // Not `value`: up to Python 3.11 the exception has its traceback only when it is taken out as a whole.
    let exception = error.into_value(py);
    let worded = py.import("ferrocca._script").and_then(|script| {
        script.call_method0("flush")?;
        script.call_method1("describe", (exception,))?.extract::<String>()
    });
    worded.unwrap_or(plain)
}

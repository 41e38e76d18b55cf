//! Runs a Python script as a hook, in the Python that is active where the program was started.
//!
//! Invariants: nothing of Python is linked; the interpreter is started once per process, when the first script is
//! loaded, without signal handlers (Ctrl-C stays the program's), and is never torn down: views that scripts or
//! libraries still hold stay valid until the process ends. What scripts registered with `atexit` runs when the
//! last hook is dropped. Python's lock is held only inside a hook's own calls.
//!
//! Not here: anything that knows a Python object; that is the extension's side of [`crate::abi`].

mod bridge;
mod find;
mod interpreter;

pub use find::Python;

use crate::abi::{ErrorSink, PluginTable, ScriptAbi, Status, Text};
use crate::{Batch, Change, Control, Frame, Hook, Run};
use bridge::{FrameScratch, Sink};
use ferrocca_core::{Error, Result};
use std::ffi::c_void;
use std::path::{Path, PathBuf};

/// A Python script with any of the functions `start(run)`, `step(frame)` or `observe(batch)`, and `finish(run)`.
///
/// A `step` that returns `ferrocca.STOP` ends the run. A script with `observe` only looks, and gets its steps in batches.
pub struct PythonHook {
    table: &'static PluginTable,
    session: *mut c_void,
    script: PathBuf,
    /// It has `observe` instead of `step`.
    observes: bool,
    /// Its `step` changes nothing.
    only_looks: bool,
    /// It wants no steps but multiples of this number.
    every: u64,
    scratch: FrameScratch,
}

// SAFETY: the session is used by one thread at a time (`&mut self`), and every plugin call takes Python's lock for
// whichever thread it is made on.
unsafe impl Send for PythonHook {}

impl PythonHook {
    /// Loads a script into the active Python: `FERROCCA_PYTHON` where it is set, else the virtual environment's,
    /// else the first `python3` on `PATH`. The script's module level runs here.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Io`] when the script cannot be read; [`ferrocca_core::ErrorKind::Invalid`] when
    /// there is no Python that can be used (the text says what is missing and the remedy), or the script fails (the
    /// text ends with Python's traceback).
    pub fn load(script: impl AsRef<Path>) -> Result<Self> {
        Self::load_script(script.as_ref(), &Call::default(), Python::active)
    }

    /// As [`load`](Self::load), with arguments, which the script finds in `sys.argv[1:]`.
    /// # Errors
    /// As [`load`](Self::load); [`ferrocca_core::ErrorKind::Invalid`] for an argument with a line feed.
    pub fn load_with_arguments(script: impl AsRef<Path>, arguments: &[impl AsRef<str>]) -> Result<Self> {
        let call = Call { arguments: joined(arguments)?, ..Call::default() };
        Self::load_script(script.as_ref(), &call, Python::active)
    }

    /// The page of the package `ferrocca` that shows the run in a browser on this machine and steers it
    /// (`ferrocca.insitu.Live`), on a port, or on any free one for 0. It prints its address when the run starts.
    /// # Errors
    /// As [`load`](Self::load); a port that is taken is an error when the run starts.
    pub fn load_live_page(port: u16) -> Result<Self> {
        let python = Python::active().map_err(|error| error.while_doing("loading the live page"))?;
        let script = python.package().join("insitu").join("_live_page.py");
        let call = Call { arguments: joined(&[port.to_string()])?, ..Call::default() };
        Self::load_script(&script, &call, || Ok(python))
    }

    /// Loads a module of the old kind: `collect` gets the field of each step, as an array; each of the functions `then`
    /// is called at the end, without arguments and in the run's output directory. `ferrocca.insitu.legacy` documents the
    /// array.
    /// # Errors
    /// As [`load`](Self::load); [`ferrocca_core::ErrorKind::Invalid`] for a function that the module does not have.
    pub fn load_functions(script: impl AsRef<Path>, collect: &str, then: &[impl AsRef<str>]) -> Result<Self> {
        Self::load_script(script.as_ref(), &Call::of_functions(collect, then), Python::active)
    }

    /// As [`load_functions`](Self::load_functions), where `collect` only reads: the hook observes. The function still gets the field
    /// of each step in an array of its own, but later, when the solver may be further.
    /// # Errors
    /// As [`load_functions`](Self::load_functions).
    pub fn load_observing_functions(script: impl AsRef<Path>, collect: &str, then: &[impl AsRef<str>]) -> Result<Self> {
        let call = Call { collects_batches: true, ..Call::of_functions(collect, then) };
        Self::load_script(script.as_ref(), &call, Python::active)
    }

    /// Loads a script into a Python of the caller's choice. All scripts of a process share the Python of the first.
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_with(python: &Python, script: impl AsRef<Path>) -> Result<Self> {
        Self::load_script(script.as_ref(), &Call::default(), || Ok(python.clone()))
    }

    fn load_script(script: &Path, how: &Call<'_>, python: impl FnOnce() -> Result<Python>) -> Result<Self> {
        let loading = || format!("loading the in-situ script `{}`", script.display());
        // Before any Python is looked for, so that a mistyped name is reported as such on every machine.
        let metadata = std::fs::metadata(script).map_err(|error| Error::io(script, &error).while_doing(loading()))?;
        if !metadata.is_file() {
            return Err(Error::invalid("a Python file is expected, this is not a file").while_doing(loading()));
        }
        let script = script.canonicalize().map_err(|error| Error::io(script, &error).while_doing(loading()))?;
        let Some(name) = script.to_str() else {
            return Err(Error::invalid("the path is not UTF-8").while_doing(loading()));
        };
        let table = interpreter::plugin(python).map_err(|error| error.while_doing(loading()))?;
        let mut session = std::ptr::null_mut();
        let Call { collect, then, collects_batches, arguments } = how;
        let [path, collect, then, arguments] = [name, collect, then, arguments].map(Text::new);
        let abi = ScriptAbi { path, collect, then, collects_batches: u32::from(*collects_batches), arguments };
        call(|sink| {
            // SAFETY: the interpreter runs; host table, text and sink outlive the call; `session` is ours to write.
            unsafe { (table.load)(bridge::host_table(), &raw const abi, &raw mut session, sink) }
        })
        .map_err(|error| error.while_doing(loading()))?;
        // SAFETY: the session was set by the call that succeeded, and is live until `drop`.
        let kind = unsafe { (table.observes)(session) };
        let (observes, only_looks) = (kind == 1, kind == 2);
        let mut hook =
            Self { table, session, script, observes, only_looks, every: 1, scratch: FrameScratch::default() };
        hook.read_schedule();
        Ok(hook)
    }

    /// Asks the script, which may want other steps after each of its calls.
    fn read_schedule(&mut self) {
        // SAFETY: the session is live until `drop`.
        self.every = unsafe { (self.table.every)(self.session) }.max(1);
    }

    /// The script's path.
    pub fn script(&self) -> &Path {
        &self.script
    }

    fn name(&self) -> String {
        self.script.file_name().unwrap_or(self.script.as_os_str()).to_string_lossy().into_owned()
    }
}

/// How a script is loaded; see [`ScriptAbi`].
#[derive(Default)]
struct Call<'a> {
    collect: &'a str,
    then: String,
    collects_batches: bool,
    arguments: String,
}

impl<'a> Call<'a> {
    fn of_functions(collect: &'a str, then: &[impl AsRef<str>]) -> Self {
        let then: Vec<&str> = then.iter().map(AsRef::as_ref).collect();
        Self { collect, then: then.join(","), ..Self::default() }
    }
}

/// The arguments as the ABI has them.
fn joined(arguments: &[impl AsRef<str>]) -> Result<String> {
    let mut text = String::new();
    for argument in arguments.iter().map(AsRef::as_ref) {
        if argument.contains('\n') {
            return Err(Error::invalid(format!("an argument of a script has no line feed: {argument:?}")));
        }
        text += argument;
        text.push('\n');
    }
    Ok(text)
}

/// Calls the plugin with an error sink, and turns whatever is not done into an error with the sink's text.
fn call(function: impl FnOnce(*const ErrorSink) -> Status) -> Result<()> {
    let mut sink = Sink::default();
    let status = function(&raw const *sink.abi());
    match status {
        Status::DONE => Ok(()),
        _ => Err(Error::invalid(sink.into_text())),
    }
}

impl Hook for PythonHook {
    fn start(&mut self, run: &Run) -> Result<()> {
        crate::release_pending();
        let (table, session) = (self.table, self.session);
        bridge::with_run(run, |run| {
            // SAFETY: the session is live until `drop`; the run outlives the call.
            call(|sink| unsafe { (table.start)(session, run, sink) })
        })?
        .map_err(|error| error.while_doing(format!("`start` of {}", self.name())))?;
        self.read_schedule();
        Ok(())
    }

    fn due(&mut self, step: u64, _time: f64) -> bool {
        step.is_multiple_of(self.every)
    }

    fn step(&mut self, frame: &Frame<'_>) -> Result<Control> {
        if self.observes {
            return frame.as_batch(|batch| self.observe(batch)).map(|()| Control::Continue);
        }
        crate::release_pending();
        frame.check()?;
        let (table, session) = (self.table, self.session);
        let mut control = Control::Continue;
        let done = self.scratch.with_frame(frame, |frame| {
            // SAFETY: the session is live until `drop`; the frame and what it points to outlive the call.
            call(|sink| match unsafe { (table.step)(session, frame, sink) } {
                Status::STOP => {
                    control = Control::Stop;
                    Status::DONE
                }
                status => status,
            })
        });
        self.read_schedule();
        done.map_err(|error| error.while_doing(format!("`step` of {} after step {}", self.name(), frame.step)))?;
        Ok(control)
    }

    fn changes(&mut self) -> Vec<Change> {
        let mut changes: Vec<Change> = Vec::new();
        // SAFETY: the session is live until `drop`; the list outlives the call.
        unsafe { (self.table.changes)(self.session, (&raw mut changes).cast(), bridge::take_change) };
        changes
    }

    fn observes(&self) -> bool {
        self.observes
    }

    fn only_looks(&self) -> bool {
        self.only_looks
    }

    fn observe(&mut self, batch: &Batch<'_>) -> Result<()> {
        crate::release_pending();
        batch.check()?;
        let (table, session) = (self.table, self.session);
        let done = self.scratch.with_batch(batch, |batch| {
            // SAFETY: the session is live until `drop`; the batch and what it points to outlive the call.
            call(|sink| unsafe { (table.observe)(session, batch, sink) })
        });
        let steps = || {
            batch.steps.first().zip(batch.steps.last()).map_or(String::new(), |(a, b)| format!(" of steps {a} to {b}"))
        };
        done.map_err(|error| error.while_doing(format!("`observe` of {}{}", self.name(), steps())))
    }

    fn finish(&mut self, run: &Run) -> Result<()> {
        let (table, session) = (self.table, self.session);
        bridge::with_run(run, |run| {
            // SAFETY: the session is live until `drop`; the run outlives the call.
            call(|sink| unsafe { (table.finish)(session, run, sink) })
        })?
        .map_err(|error| error.while_doing(format!("`finish` of {}", self.name())))?;
        crate::release_pending();
        Ok(())
    }
}

impl Drop for PythonHook {
    fn drop(&mut self) {
        // SAFETY: the session is live, and this is its last use.
        unsafe { (self.table.close)(self.session) };
        crate::release_pending();
    }
}

impl std::fmt::Debug for PythonHook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PythonHook").field("script", &self.script).finish_non_exhaustive()
    }
}

//! Calls a script's session as a foreign host does, and checks each answer.

use super::case::{Action, Body, Bytes, ELEMENTS, FieldSpec, Kind, RunSpec, is_addressed, source};
use super::child::{Random, Trial};
use super::host::{self, state};
use super::interpreter::Interpreter;
use ferrocca_insitu::abi::{
    BatchAbi, ElementAbi, ErrorSink, FieldAbi, FrameAbi, ParameterAbi, PluginTable, RunAbi, ScriptAbi, Status, Text,
};
use std::ffi::{OsString, c_void};
use std::os::unix::ffi::OsStringExt;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The extension's table, a Python that runs, and a folder for scripts.
pub(crate) struct ForeignHost {
    pub(crate) table: &'static PluginTable,
    pub(crate) interpreter: Interpreter,
    pub(crate) directory: TempDir,
}

/// Start or finish.
type WithRun = unsafe extern "C" fn(*mut c_void, *const RunAbi, *const ErrorSink) -> Status;

/// A script that is loaded.
struct Session {
    handle: Handle,
    kind: Kind,
}

/// A session's pointer, which one thread at a time uses.
#[derive(Clone, Copy)]
struct Handle(*mut c_void);

// SAFETY: the ABI lets a session be used on any thread, by one at a time.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

fn text(Bytes(bytes): &Bytes) -> Text {
    // Of no bytes there is no first one.
    let pointer = if bytes.is_empty() { std::ptr::null() } else { bytes.as_ptr() };
    Text { pointer, bytes: bytes.len() }
}

/// What must be true of a field for a script to see it.
fn is_valid(field: &FieldSpec) -> bool {
    let bytes = i128::from(field.element.1 / 8);
    let elements =
        field.shape.iter().fold(1_i128, |product, &extent| product.saturating_mul(i128::from(extent.max(1))));
    let fits = |count: i128| count.saturating_mul(bytes) <= i128::from(i64::MAX);
    let has_address = matches!(field.device.0, 1 | 2 | 3 | 11);
    ELEMENTS.contains(&field.element)
        && field.shape.len() <= 64
        && field.shape.iter().chain(&field.strides).all(|&n| n >= 0)
        && fits(elements)
        && field.strides.iter().all(|&stride| fits(i128::from(stride)))
        && field.needed() <= i128::from(field.memory_bytes)
        && (!has_address || field.byte_offset == 0 || field.needed() == 0)
        && (!has_address || field.data != Some(0) || field.needed() == 0)
}

fn are_valid(fields: &[FieldSpec]) -> bool {
    let names: Vec<_> = fields.iter().map(|field| String::from_utf8_lossy(&field.name.0)).collect();
    fields.iter().all(is_valid) && (1..names.len()).all(|index| !names[..index].contains(&names[index]))
}

/// What a step of that kind of script answers; `None` where that is not foreseen.
fn expected(kind: Kind, action: &Action) -> Option<Status> {
    let plain = |body: &Body, fails: usize| fails == 0 && !body.steps.contains(&"hold frozen");
    match action {
        Action::Step { .. } if kind == Kind::Observes => Some(Status::DONE),
        Action::Observe { .. } if kind != Kind::Observes && kind != Kind::Legacy => Some(Status::DONE),
        _ if kind == Kind::Legacy => None,
        Action::Step { fields, .. } | Action::Observe { fields, .. } if !are_valid(fields) => Some(Status::FAILED),
        Action::Step { body, fails, .. } if plain(body, *fails) => match body.answer {
            "none" => Some(Status::DONE),
            "stop" => Some(Status::STOP),
            _ => Some(Status::FAILED),
        },
        Action::Observe { body, fails, .. } if plain(body, *fails) => match body.answer {
            "none" => Some(Status::DONE),
            _ => Some(Status::FAILED),
        },
        Action::Start(run) | Action::Finish(run) if kind != Kind::EvilOutput => {
            let raises = run.body.raises() && run.body.answer != "holds";
            Some(if raises { Status::FAILED } else { Status::DONE })
        }
        _ => None,
    }
}

/// Makes steps get the fields of the step before again, as they mostly do, with other flags.
fn repeat(actions: &mut [Action], random: &mut Random) {
    let mut before: Option<Vec<FieldSpec>> = None;
    for action in actions {
        let Action::Step { fields, .. } = action else { continue };
        if let Some(before) = before.filter(|_| random.one_in(2)) {
            *fields = before;
            for field in &mut *fields {
                field.queued = u32::from((field.queued != 0) != random.one_in(3));
                field.may_be_kept = field.may_be_kept != random.one_in(3);
            }
        }
        before = Some(fields.clone());
    }
}

unsafe extern "C" fn write(context: *mut c_void, text: Text) {
    // SAFETY: the context is the list of the call under way, for which the text is borrowed.
    unsafe { (*context.cast::<Vec<String>>()).push(text.read().into_owned()) };
}

unsafe extern "C" fn take(context: *mut c_void, name: Text, value: f64) {
    // SAFETY: as above.
    unsafe { (*context.cast::<Vec<(String, f64)>>()).push((name.read().into_owned(), value)) };
}

impl Trial for ForeignHost {
    type Action = Action;

    fn actions(&self, _case: u64, random: &mut Random) -> Vec<Action> {
        let rest = 1 + random.below(7);
        let mut actions: Vec<Action> =
            std::iter::once(Action::load(random)).chain((0..rest).map(|_| Action::random(random))).collect();
        repeat(&mut actions, random);
        actions
    }

    fn run(&mut self, actions: &[Action], begin: &dyn Fn(&Action)) -> Result<usize, String> {
        self.interpreter.on_this_thread(|| self.play(actions, begin))
    }
}

impl ForeignHost {
    fn play(&self, actions: &[Action], begin: &dyn Fn(&Action)) -> Result<usize, String> {
        // Which calls of the host fail does not depend on what the case is made of.
        state().reset(Random::new(actions.len() as u64));
        let (mut session, mut went_well, mut elsewhere) = (None, 0, false);
        for (turn, action) in actions.iter().enumerate() {
            begin(action);
            state().turn = turn as u64;
            let done = match (action, &session) {
                (Action::Load { .. }, _) => {
                    self.close(session.take())?;
                    session = self.load(action, actions)?;
                    session.is_some()
                }
                (Action::Elsewhere, _) => {
                    elsewhere = true;
                    true
                }
                (_, None) => true,
                (_, Some(session)) if std::mem::take(&mut elsewhere) => std::thread::scope(|scope| {
                    let call = || self.interpreter.on_this_thread(|| self.call(session, action));
                    scope.spawn(call).join().map_err(|_| "the call's thread panicked".to_owned())?
                })?,
                (_, Some(session)) => self.call(session, action)?,
            };
            went_well += usize::from(done);
        }
        self.close(session)?;
        Ok(went_well)
    }

    fn load(&self, action: &Action, actions: &[Action]) -> Result<Option<Session>, String> {
        let Action::Load { kind, every, only_looks, texts, collects_batches } = action else {
            return Ok(None);
        };
        let directory = self.directory.path();
        let path = directory.join("script.py");
        std::fs::write(&path, source(action, actions)).expect("the script is written");
        let path = match kind {
            Kind::Missing => directory.join("missing.py"),
            Kind::Directory => directory.to_owned(),
            Kind::EmptyPath => "".into(),
            Kind::OddPath => OsString::from_vec(b"/\0\xff/x".to_vec()).into(),
            _ => path,
        };
        let path = Bytes(path.into_os_string().into_vec());
        let [collect, then, arguments] = texts.each_ref().map(text);
        let (collect, then) = if *kind == Kind::Legacy { (collect, then) } else { (Text::new(""), Text::new("")) };
        let script = ScriptAbi { path: text(&path), collect, then, collects_batches: *collects_batches, arguments };
        let mut handle = std::ptr::null_mut();
        // SAFETY: host, script and sink outlive the call.
        let status = self.answer(|sink| unsafe {
            (self.table.load)(&raw const host::TABLE, &raw const script, &raw mut handle, sink)
        })?;
        let loads = match kind {
            Kind::Steps | Kind::Observes | Kind::Class | Kind::EvilOutput | Kind::EvilExit => Some(true),
            Kind::Legacy => None,
            Kind::Hook => {
                let is_number = ["1", "3", "0", "2**64 - 1", "True"].contains(every);
                Some(is_number && ["True", "False"].contains(only_looks))
            }
            _ => Some(false),
        };
        if loads.is_some_and(|loads| loads != (status == Status::DONE)) {
            return Err(format!("a script of kind {kind:?} is loaded with {status:?}"));
        }
        Ok((status == Status::DONE).then_some(Session { handle: Handle(handle), kind: *kind }))
    }

    /// Makes one call; whether it went well.
    fn call(&self, session: &Session, action: &Action) -> Result<bool, String> {
        let status = match action {
            Action::Load { .. } | Action::Elsewhere => return Ok(true),
            Action::Ask => return self.ask(session.handle).map(|()| true),
            Action::Start(run) => self.with_run(run, session.handle, self.table.start),
            Action::Finish(run) => self.with_run(run, session.handle, self.table.finish),
            Action::Step { step, time, fields, fails, .. } => self.with_fields(fields, *fails, |fields, sink| {
                let frame = FrameAbi { step: *step, time: *time, fields: fields.as_ptr(), field_count: fields.len() };
                // SAFETY: the session is live; frame and sink outlive the call.
                unsafe { (self.table.step)(session.handle.0, &raw const frame, sink) }
            }),
            Action::Observe { steps, fields, fails, .. } => self.with_fields(fields, *fails, |fields, sink| {
                let times = vec![0.5; steps.len()];
                let batch = BatchAbi {
                    steps: steps.as_ptr(),
                    times: times.as_ptr(),
                    count: steps.len(),
                    fields: if fields.is_empty() { std::ptr::null() } else { fields.as_ptr() },
                    field_count: fields.len(),
                };
                // SAFETY: as above, for the batch.
                unsafe { (self.table.observe)(session.handle.0, &raw const batch, sink) }
            }),
        }?;
        if status == Status::STOP && !matches!(action, Action::Step { .. }) {
            return Err("STOP, which only a step answers".to_owned());
        }
        match expected(session.kind, action) {
            Some(expected) if expected != status => Err(format!("{status:?}, but {expected:?} is expected")),
            _ => Ok(status != Status::FAILED),
        }
    }

    /// What the session says of itself.
    fn ask(&self, Handle(session): Handle) -> Result<(), String> {
        let mut changes: Vec<(String, f64)> = Vec::new();
        // SAFETY: the session is live, and the list outlives the call.
        let (observes, every) = unsafe {
            (self.table.changes)(session, (&raw mut changes).cast(), take);
            ((self.table.observes)(session), (self.table.every)(session))
        };
        match observes {
            0..=2 if every > 0 && !changes.iter().any(|(_, value)| value.is_nan()) => Ok(()),
            _ => Err(format!("observes {observes}, every {every}, changes {changes:?}")),
        }
    }

    fn with_run(&self, run: &RunSpec, Handle(session): Handle, function: WithRun) -> Result<Status, String> {
        let parameters = run.parameters.iter().map(|parameter| ParameterAbi {
            name: text(&parameter.name),
            kind: parameter.kind,
            steerable: parameter.steerable,
            int: parameter.int,
            float: parameter.floats[0],
            text: text(&parameter.text),
            least: parameter.floats[1],
            greatest: parameter.floats[2],
        });
        let parameters: Vec<ParameterAbi> = parameters.collect();
        let [name, output_dir, mode, device] = run.texts.each_ref().map(text);
        let parameter_count = parameters.len();
        let abi = RunAbi { name, output_dir, mode, device, parameters: parameters.as_ptr(), parameter_count };
        // SAFETY: the session is live; run and sink outlive the call.
        self.answer(|sink| unsafe { function(session, &raw const abi, sink) })
    }

    fn with_fields(
        &self,
        specs: &[FieldSpec],
        fails: usize,
        call: impl FnOnce(&[FieldAbi], *const ErrorSink) -> Status,
    ) -> Result<Status, String> {
        let mut kept = vec![0_u8; specs.len()];
        let mut host = state();
        host.fails = fails;
        let mut fields = Vec::new();
        for (field, kept) in specs.iter().zip(&mut kept) {
            let number = host.memory(field.place, field.memory_bytes, is_addressed(field.device.0));
            let memory = host.at(number);
            // Of several fields of one memory, one says that it is at rest.
            memory.is_queued = field.queued != 0 && (memory.is_queued || !memory.in_call);
            memory.in_call = true;
            memory.is_written |= field.read_only == 0;
            let (code, bits, lanes) = field.element;
            fields.push(FieldAbi {
                name: text(&field.name),
                owner: (number + 1) as *const c_void,
                data: field.data.unwrap_or(memory.address()),
                byte_offset: field.byte_offset,
                memory_bytes: field.memory_bytes,
                shape: field.shape.as_ptr(),
                strides: field.strides.as_ptr(),
                dimensions: field.shape.len() as u32,
                element: ElementAbi { code, bits, lanes },
                device_type: field.device.0,
                device_id: field.device.1,
                read_only: field.read_only,
                queued: field.queued,
                stream: field.stream,
                kept: if field.may_be_kept { kept } else { std::ptr::null_mut() },
            });
        }
        drop(host);
        let answer = self.answer(|sink| call(&fields, sink));
        state().fails = 0;
        match kept.iter().any(|&kept| kept > 1) {
            true => Err(format!("kept: {kept:?}")),
            false => answer,
        }
    }

    /// Makes a call, and checks what is true of each.
    fn answer(&self, call: impl FnOnce(*const ErrorSink) -> Status) -> Result<Status, String> {
        let mut texts: Vec<String> = Vec::new();
        let sink = ErrorSink { context: (&raw mut texts).cast(), write };
        let status = call(&raw const sink);
        self.interpreter.check()?;
        state().end_call();
        let wrong = match (status, &*texts) {
            (Status::DONE | Status::STOP, []) => None,
            (Status::FAILED, [text]) if text.is_empty() => Some("an empty reason"),
            (Status::FAILED, [text]) if text.contains("panicked") => Some("a panic"),
            (Status::FAILED, [_]) => None,
            _ => Some("a status and texts that do not belong together"),
        };
        let faults = state().take_faults();
        match wrong {
            Some(wrong) => Err(format!("{wrong}: {status:?} with {texts:?}")),
            None if faults.is_empty() => Ok(status),
            None => Err(faults.join("; ")),
        }
    }

    /// Ends a session, after which nothing of the memory is held.
    fn close(&self, session: Option<Session>) -> Result<(), String> {
        if let Some(Session { handle: Handle(handle), .. }) = session {
            // SAFETY: the session is live, and this is its last use.
            unsafe { (self.table.close)(handle) };
        }
        // Output of a script's own holds the script.
        self.interpreter.run(
            c"import gc, sys\nif sys.stdout is not sys.__stdout__:\n  sys.stdout = sys.__stdout__\n  gc.collect()",
        );
        self.interpreter.check()?;
        // Threads of the script may still let go.
        let last = Instant::now() + Duration::from_secs(10);
        while state().live() > 0 && Instant::now() < last {
            std::thread::sleep(Duration::from_millis(1));
        }
        let faults = state().take_faults();
        match state().live() {
            0 if faults.is_empty() => Ok(()),
            0 => Err(faults.join("; ")),
            live => Err(format!("{live} handles are not given back {faults:?}")),
        }
    }
}

//! The real host loads and calls an extension that is not ours. A library in C hands its table to the loader.

use super::case::Bytes;
use super::child::{Random, Trial};
use super::plugin::{Answer, TABLE, side};
use ferrocca_core::{Device, Memory};
use ferrocca_insitu::abi::{ABI_VERSION, PluginTable, Status};
use ferrocca_insitu::python::Python;
use ferrocca_insitu::{Batch, Change, Control, Field, Frame, Hook, Keepable, PythonHook, Run, release_pending};
use libloading::Library;
use std::ffi::{OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// Exports what it is told to.
const RELAY: &str = "static unsigned version; static const void *table;\n\
    void tell(unsigned v, const void *t) { version = v; table = t; }\n\
    unsigned ferrocca_insitu_abi_version(void) { return version; }\n\
    const void *ferrocca_insitu_plugin(void) { return table; }\n";

/// In the extension's table: where its functions are, in pointers.
const FIRST: usize = std::mem::offset_of!(PluginTable, load) / size_of::<usize>();
const WORDS: usize = size_of::<PluginTable>() / size_of::<usize>();

#[derive(Clone, Debug)]
pub(crate) struct FieldSpec {
    name: String,
    shape: Vec<usize>,
    strides: Option<Vec<usize>>,
    read_only: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// A table that is none.
    Table(Wrong),
    /// A script, in the place of the one before.
    Load(Answer),
    Start(Answer, Bytes),
    Step(Answer, Vec<FieldSpec>),
    Observe(Answer, Vec<FieldSpec>, usize),
    Finish(Answer),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Wrong {
    /// What is exported as version.
    Version(u32),
    Null,
    /// What the table says of its size.
    Bytes(u32),
    VersionInside(u32),
    NullFunction(usize),
}

/// The loader's Python with the relay as its extension.
pub(crate) struct ForeignPlugin {
    python: Python,
    tell: unsafe extern "C" fn(u32, *const c_void),
    script: PathBuf,
    device: Device,
    _directory: TempDir,
}

impl ForeignPlugin {
    /// `None` where no C compiler makes the relay.
    pub(crate) fn new(python: &Python, directory: TempDir) -> Option<Self> {
        let (text, library) = (directory.path().join("relay.c"), directory.path().join("relay.so"));
        std::fs::write(&text, RELAY).expect("the source is written");
        let compiled = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&text).status();
        if !compiled.is_ok_and(|status| status.success()) {
            assert!(std::env::var_os("FERROCCA_REQUIRE_CC").is_none(), "no C compiler makes the foreign extension");
            eprintln!("skipped: no C compiler makes the foreign extension");
            return None;
        }
        // SAFETY: the library was just made, and stays loaded; its function has that type.
        let tell = unsafe {
            let library: &Library = Box::leak(Box::new(Library::new(&library).expect("the relay loads")));
            *library.get(b"tell\0").expect("a symbol")
        };
        let script = directory.path().join("script.py");
        std::fs::write(&script, "").expect("the script is written");
        let device = Device::open_with(&ferrocca_backend_cpu::CPU, "mode=Serial").expect("a processor is always there");
        let python = Python { extension: library, ..python.clone() };
        Some(Self { python, tell, script, device, _directory: directory })
    }

    fn offer(&self, version: u32, table: *const c_void) {
        // SAFETY: the relay only stores both.
        unsafe { (self.tell)(version, table) };
    }

    /// Loads with a table that is none, which is an error.
    fn refuse(&self, wrong: Wrong) -> Result<(), String> {
        // SAFETY: the table is of whole pointers.
        let mut words = unsafe { *(&raw const TABLE).cast::<[usize; WORDS]>() };
        let with_head = |words: [usize; WORDS], version: u32, bytes: u32| {
            let mut head = words[0].to_ne_bytes();
            head[..4].copy_from_slice(&version.to_ne_bytes());
            head[4..].copy_from_slice(&bytes.to_ne_bytes());
            let mut words = words;
            words[0] = usize::from_ne_bytes(head);
            words
        };
        let mut version = ABI_VERSION;
        match wrong {
            Wrong::Version(other) => version = other,
            Wrong::Bytes(bytes) => words = with_head(words, ABI_VERSION, bytes),
            Wrong::VersionInside(other) => words = with_head(words, other, TABLE.bytes),
            Wrong::NullFunction(index) => words[FIRST + index % (WORDS - FIRST)] = 0,
            Wrong::Null => {}
        }
        // A short table is as short as it says; it is never freed, as tables are not.
        let short = matches!(wrong, Wrong::Bytes(bytes) if bytes < TABLE.bytes);
        let table: &[usize] = words[..if short { 1 } else { WORDS }].to_vec().leak();
        let table = if matches!(wrong, Wrong::Null) { std::ptr::null() } else { table.as_ptr().cast() };
        self.offer(version, table);
        match PythonHook::load_with(&self.python, &self.script) {
            Err(error) if error.to_string().contains("relay.so") => Ok(()),
            Err(error) => Err(format!("another reason than the table: {error}")),
            Ok(_) => Err("a table that is none is taken".to_owned()),
        }
    }

    fn load(&self, answer: &Answer) -> Result<Option<PythonHook>, String> {
        side().answer = answer.clone();
        self.offer(ABI_VERSION, (&raw const TABLE).cast());
        let loaded = PythonHook::load_with(&self.python, &self.script);
        let hook = answered(answer, Status(answer.status) == Status::DONE, loaded)?;
        if let Some(hook) = &hook
            && (hook.observes(), hook.only_looks()) != (answer.observes == 1, answer.observes == 2)
        {
            return Err(format!("observes: {}", answer.observes));
        }
        Ok(hook)
    }

    /// Makes one call; whether it went well.
    fn call(&self, hook: &mut PythonHook, action: &Action) -> Result<bool, String> {
        let before = side().answered;
        let (answer, done, is_valid) = match action {
            Action::Table(_) | Action::Load(_) => return Ok(true),
            Action::Start(answer, directory) => {
                side().answer = answer.clone();
                let run = run(answer).output_dir(OsStr::from_bytes(&directory.0)).on(&self.device);
                (answer, hook.start(&run).map(|()| Control::Continue), std::str::from_utf8(&directory.0).is_ok())
            }
            Action::Finish(answer) => {
                side().answer = answer.clone();
                (answer, hook.finish(&run(answer)).map(|()| Control::Continue), true)
            }
            Action::Step(answer, specs) => {
                side().answer = answer.clone();
                let (memories, mut keepable) = self.memories(specs.len());
                let fields = fields(specs, &memories, &keepable);
                let frame = Frame { step: 3, time: 0.5, fields: &fields };
                let is_valid = match hook.observes() {
                    true => frame.as_batch(|batch| batch.check()).is_ok(),
                    false => frame.check().is_ok(),
                };
                let done = hook.step(&frame);
                drop(fields);
                self.let_go(&mut keepable)?;
                (answer, done, is_valid)
            }
            Action::Observe(answer, specs, count) => {
                side().answer = answer.clone();
                let (memories, mut keepable) = self.memories(specs.len());
                let fields = fields(specs, &memories, &keepable);
                let (steps, times) = (vec![1; *count], vec![0.5; *count]);
                let batch = Batch { steps: &steps, times: &times, fields: &fields };
                let is_valid = batch.check().is_ok();
                let done = hook.observe(&batch).map(|()| Control::Continue);
                drop(fields);
                self.let_go(&mut keepable)?;
                (answer, done, is_valid)
            }
        };
        let was_asked = side().answered > before;
        if was_asked != is_valid {
            return Err(format!("the extension is called: {was_asked}, but what it gets is valid: {is_valid}"));
        }
        if !is_valid {
            return done.err().map(|_| false).ok_or_else(|| "what is not valid is taken".to_owned());
        }
        let stops = matches!(action, Action::Step(..)) && !hook.observes() && Status(answer.status) == Status::STOP;
        let control = answered(answer, stops || Status(answer.status) == Status::DONE, done)?;
        if control.is_some_and(|control| stops != (control == Control::Stop)) {
            return Err(format!("{control:?}"));
        }
        let told =
            answer.changes.iter().map(|(name, value)| (String::from_utf8_lossy(&name.0).into_owned(), value.to_bits()));
        let taken = hook.changes().into_iter().map(|Change { name, value }| (name, value.to_bits()));
        if !told.eq(taken) {
            return Err("other changes than were told".to_owned());
        }
        Ok(control.is_some())
    }

    fn memories(&self, count: usize) -> (Vec<Memory<f64>>, Keepable<f64>) {
        let make = |len: usize| self.device.malloc_from(&vec![1.0; len]).expect("there is memory");
        ((0..count).map(|index| make(12 * index)).collect(), Keepable::new(make(12)))
    }

    /// Gives back all handles, after which nobody keeps the memory.
    fn let_go(&self, keepable: &mut Keepable<f64>) -> Result<(), String> {
        let mut side = side();
        let (host, handles) = (side.host, std::mem::take(&mut side.handles));
        release_pending();
        if keepable.is_kept() && handles.is_empty() {
            return Err("memory is kept without a handle".to_owned());
        }
        for (handle, _) in handles {
            // SAFETY: the handle is live, and this is its last use.
            unsafe { (host.expect("the host has called").release)(handle as *mut c_void) };
        }
        release_pending();
        if keepable.is_kept() { Err("memory is kept when all handles are gone".to_owned()) } else { Ok(()) }
    }
}

fn run(answer: &Answer) -> Run {
    answer.changes.iter().fold(Run::new("x"), |run, (name, value)| {
        let name = String::from_utf8_lossy(&name.0).into_owned();
        run.parameter("text", name.clone()).parameter("count", -1_i64).steerable(name, *value, -1.0..=f64::NAN)
    })
}

fn fields<'a>(specs: &'a [FieldSpec], memories: &'a [Memory<f64>], keepable: &'a Keepable<f64>) -> Vec<Field<'a>> {
    let each = specs.iter().zip(memories).enumerate().map(|(index, (spec, memory))| {
        let field = if index == 0 { keepable.field(&spec.name) } else { Field::new(&spec.name, memory) };
        let field = match &spec.strides {
            Some(strides) => field.strided(&spec.shape, strides),
            None => field.shape(&spec.shape),
        };
        if spec.read_only { field.read_only() } else { field }
    });
    each.collect()
}

/// What a call came to: an error, where it is one, has the texts of the answer.
fn answered<T>(answer: &Answer, goes_well: bool, done: ferrocca_core::Result<T>) -> Result<Option<T>, String> {
    match done {
        Ok(done) if goes_well => Ok(Some(done)),
        Ok(_) => Err(format!("status {} is taken for success", answer.status)),
        Err(error) if goes_well => Err(format!("status {} is taken for a failure: {error}", answer.status)),
        Err(error) => {
            let said = error.to_string();
            let told: String = answer.texts.iter().map(|Bytes(text)| String::from_utf8_lossy(text)).collect();
            let is_told = if told.is_empty() { said.contains("no reason") } else { said.contains(&told) };
            if is_told { Ok(None) } else { Err(format!("the reason is missing in: {said}")) }
        }
    }
}

impl FieldSpec {
    fn several(random: &mut Random) -> Vec<Self> {
        let each = (0..random.below(4)).map(|index| {
            let extents = [0, 1, 2, 3, 4, 6, 12, usize::MAX, 1 << 32];
            let count = if random.one_in(6) { extents.len() } else { 5 };
            let axes = random.pick(&[0, 1, 1, 2, 2, 3, 8, 9]);
            let shape: Vec<usize> =
                (0..axes).map(|_| random.pick(&extents[..if axes > 3 { 2 } else { count }])).collect();
            let axes = axes - usize::from(axes > 0 && random.one_in(20));
            let strides = (0..axes).map(|_| random.pick(&extents[..count])).collect();
            let name = if random.one_in(12) { "u".to_owned() } else { format!("u{index}\0ü") };
            Self { name, shape, strides: random.one_in(2).then_some(strides), read_only: random.one_in(3) }
        });
        each.collect()
    }
}

/// The first cases are of tables: once a table is taken, it is the process's.
const OF_TABLES: u64 = 16;

impl Trial for ForeignPlugin {
    type Action = Action;

    fn actions(&self, case: u64, random: &mut Random) -> Vec<Action> {
        if case < OF_TABLES {
            let table = |random: &mut Random| {
                let number = random.pick(&[0, 1, ABI_VERSION - 1, ABI_VERSION + 1, u32::MAX]);
                let bytes = random.pick(&[0, 8, TABLE.bytes - 8, TABLE.bytes + 8, u32::MAX]);
                match random.below(6) {
                    0 => Wrong::Version(number),
                    1 => Wrong::Null,
                    2 => Wrong::Bytes(bytes),
                    3 => Wrong::VersionInside(number),
                    _ => Wrong::NullFunction(random.below(WORDS)),
                }
            };
            return (0..1 + random.below(3)).map(|_| Action::Table(table(random))).collect();
        }
        let loaded = Answer { status: if random.one_in(5) { 1 } else { 0 }, ..Answer::random(random) };
        let rest = (0..1 + random.below(6)).map(|_| match random.below(8) {
            0 => Action::Load(Answer::random(random)),
            1 => Action::Finish(Answer::random(random)),
            2 => {
                let directory: &[u8] = random.pick(&[b"", b"/tmp", b"\xff", b"a\0b"]);
                Action::Start(Answer::random(random), Bytes(directory.to_vec()))
            }
            3 | 4 => {
                let count = random.below(4);
                let mut fields = FieldSpec::several(random);
                for field in &mut fields {
                    field.shape.iter_mut().take(1).for_each(|first| *first = count);
                }
                Action::Observe(Answer::random(random), fields, count)
            }
            _ => Action::Step(Answer::random(random), FieldSpec::several(random)),
        });
        std::iter::once(Action::Load(loaded)).chain(rest).collect()
    }

    fn run(&mut self, actions: &[Action], begin: &dyn Fn(&Action)) -> Result<usize, String> {
        let (mut hook, mut went_well) = (None, 0);
        for action in actions {
            begin(action);
            let done = match (action, &mut hook) {
                (Action::Table(wrong), _) => self.refuse(*wrong).map(|()| true)?,
                (Action::Load(answer), _) => {
                    drop(hook.take());
                    hook = self.load(answer)?;
                    hook.is_some()
                }
                (_, None) => true,
                (action, Some(hook)) => self.call(hook, action)?,
            };
            went_well += usize::from(done);
            let faults = std::mem::take(&mut side().faults);
            if !faults.is_empty() {
                return Err(faults.join("; "));
            }
        }
        drop(hook);
        let sessions = side().sessions;
        match (sessions, self.device.memory_allocated()) {
            (0, 0) => Ok(went_well),
            (sessions, bytes) => Err(format!("{sessions} sessions are open, {bytes} bytes are allocated")),
        }
    }
}

//! An extension that is not ours: its table, whose functions answer what they are told to, and ask the host what they like.

use super::case::Bytes;
use super::child::Random;
use ferrocca_insitu::abi::{
    ABI_VERSION, BatchAbi, CopyAbi, ErrorSink, FieldAbi, FrameAbi, HostTable, PluginTable, RunAbi, ScriptAbi, Status,
    TakeChange, Text,
};
use std::ffi::c_void;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) static TABLE: PluginTable = PluginTable {
    abi_version: ABI_VERSION,
    bytes: size_of::<PluginTable>() as u32,
    package_version: Text::new("of a test"),
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

/// What a call answers, and does before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: u32,
    pub(crate) texts: Vec<Bytes>,
    pub(crate) calls: Vec<HostCall>,
    pub(crate) observes: u32,
    pub(crate) every: u64,
    pub(crate) changes: Vec<(Bytes, f64)>,
}

/// What the extension asks of the host, with the first field of the call or with a handle that it has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HostCall {
    Retain,
    Keep,
    Release,
    ReleaseElsewhere,
    CopyOut(usize),
    CopyIn(usize),
    Synchronize,
    HandOver(u64),
    TakeBack(u64),
    FinishDevice,
    Duplicate,
}

impl Answer {
    pub(crate) fn random(random: &mut Random) -> Self {
        let status = if random.one_in(2) { 0 } else { random.pick(&[0, 1, 1, 2, 3, 77, u32::MAX]) };
        let text = |random: &mut Random| match random.below(6) {
            0 => vec![],
            1 => b"\xff\0\xed\xa0\x80".to_vec(),
            2 if random.one_in(60) => vec![b'x'; 10 << 20],
            _ => b"there is a reason".to_vec(),
        };
        let texts = (0..random.below(3)).map(|_| Bytes(text(random))).collect();
        let calls = (0..random.below(7)).map(|_| {
            let (stream, more) = (random.pick(&[0, 1, 2, 3, u64::MAX]), random.below(9) / 8 * 8);
            match random.below(12) {
                0..3 => HostCall::Retain,
                3 => HostCall::Keep,
                4 => HostCall::Release,
                5 => HostCall::ReleaseElsewhere,
                6 => HostCall::CopyOut(more),
                7 => HostCall::CopyIn(more),
                8 => HostCall::Synchronize,
                9 => HostCall::HandOver(stream),
                10 => HostCall::TakeBack(stream),
                _ => random.pick(&[HostCall::FinishDevice, HostCall::Duplicate]),
            }
        });
        let calls = calls.collect();
        let changes = (0..random.below(3)).map(|_| (Bytes(text(random)), random.pick(&[0.5, f64::NAN, f64::INFINITY])));
        let changes = changes.collect();
        let (observes, every) = (random.pick(&[0, 0, 1, 2, 3, u32::MAX]), random.pick(&[0, 1, 2, u64::MAX]));
        Self { status, texts, calls, observes, every, changes }
    }
}

/// What the extension's functions know.
pub(crate) struct Side {
    pub(crate) answer: Answer,
    /// Calls that were answered.
    pub(crate) answered: usize,
    pub(crate) sessions: usize,
    pub(crate) host: Option<&'static HostTable>,
    /// Handles, and the bytes of their memory.
    pub(crate) handles: Vec<(usize, u64)>,
    pub(crate) faults: Vec<String>,
}

static SIDE: Mutex<Side> = Mutex::new(Side {
    answer: Answer { status: 0, texts: Vec::new(), calls: Vec::new(), observes: 0, every: 0, changes: Vec::new() },
    answered: 0,
    sessions: 0,
    host: None,
    handles: Vec::new(),
    faults: Vec::new(),
});

/// The session of every script.
const SESSION: usize = 0x5e55;

pub(crate) fn side() -> MutexGuard<'static, Side> {
    SIDE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Side {
    fn check_session(&mut self, session: *const c_void) {
        if session as usize != SESSION {
            self.faults.push(format!("{session:?} is no session"));
        }
    }

    /// Writes the texts of the answer, and gives its status.
    unsafe fn reply(&mut self, sink: *const ErrorSink) -> Status {
        self.answered += 1;
        for Bytes(text) in &self.answer.texts {
            let pointer = if text.is_empty() { std::ptr::null() } else { text.as_ptr() };
            // SAFETY: the sink outlives the call, for which the text is borrowed.
            unsafe { ((*sink).write)((*sink).context, Text { pointer, bytes: text.len() }) };
        }
        Status(self.answer.status)
    }

    /// Looks at the fields of a call, and asks the host what the answer says.
    unsafe fn with_fields(&mut self, fields: *const FieldAbi, count: usize) {
        // SAFETY: the fields are borrowed for the call under way.
        let fields = if count == 0 { &[][..] } else { unsafe { std::slice::from_raw_parts(fields, count) } };
        for field in fields {
            let axes = field.dimensions as usize;
            // SAFETY: as above; shape and strides have an entry for each axis.
            let (shape, strides) = unsafe {
                (std::slice::from_raw_parts(field.shape, axes), std::slice::from_raw_parts(field.strides, axes))
            };
            if shape.contains(&0) {
                continue;
            }
            let each = shape.iter().zip(strides);
            let last: i128 = each.map(|(&extent, &stride)| i128::from(extent - 1) * i128::from(stride)).sum();
            let end = (last + 1) * i128::from(field.element.bits / 8);
            if end > i128::from(field.memory_bytes) || field.data == 0 {
                let layout = format!("a field of shape {shape:?} and strides {strides:?}");
                self.faults.push(format!("{layout} reaches out of its memory"));
            }
        }
        for call in self.answer.calls.clone() {
            // SAFETY: as above.
            unsafe { self.ask(call, fields.first()) };
        }
    }

    unsafe fn ask(&mut self, call: HostCall, field: Option<&FieldAbi>) {
        let Some(host) = self.host else { return };
        let last = self.handles.last().copied();
        let status = match (call, field, last) {
            (HostCall::Retain | HostCall::Keep, Some(field), _) => {
                // SAFETY: the owner belongs to the call under way; the flag may be written during it.
                unsafe {
                    self.handles.push(((host.retain)(field.owner) as usize, field.memory_bytes));
                    if matches!(call, HostCall::Keep) && !field.kept.is_null() {
                        field.kept.write(1);
                    }
                }
                return;
            }
            (HostCall::Release | HostCall::ReleaseElsewhere, _, Some((handle, _))) => {
                self.handles.pop();
                // SAFETY: the handle is live, and this is its last use.
                let release = move || unsafe { (host.release)(handle as *mut c_void) };
                match call {
                    HostCall::Release => release(),
                    _ => std::thread::spawn(release).join().expect("nothing panics"),
                }
                return;
            }
            (call, _, Some((handle, bytes))) => self.ask_of(host, call, handle, bytes as usize),
            _ => return,
        };
        self.faults.extend(status.err());
    }

    /// A call with a handle: it fails with one text, or succeeds with none.
    fn ask_of(&mut self, host: &HostTable, call: HostCall, handle: usize, bytes: usize) -> Result<(), String> {
        unsafe extern "C" fn write(context: *mut c_void, text: Text) {
            // SAFETY: the context is the list below, and the text is borrowed for the call.
            unsafe { (*context.cast::<Vec<String>>()).push(text.read().into_owned()) };
        }
        let mut texts: Vec<String> = Vec::new();
        let sink = ErrorSink { context: (&raw mut texts).cast(), write };
        let (handle, sink) = (handle as *const c_void, &raw const sink);
        let mut copy = CopyAbi { handle: std::ptr::null_mut(), data: 0, byte_offset: 0 };
        // SAFETY: the handle is live; sink and bytes outlive the call, and the copy is ours.
        let status = unsafe {
            match call {
                HostCall::CopyOut(more) => {
                    let mut to = vec![0_u8; bytes + more];
                    (host.copy_to_host)(handle, to.as_mut_ptr(), to.len(), sink)
                }
                HostCall::CopyIn(more) => {
                    let from = vec![7_u8; bytes + more];
                    (host.copy_from_host)(handle, from.as_ptr(), from.len(), sink)
                }
                HostCall::Synchronize => (host.synchronize)(handle, sink),
                HostCall::HandOver(stream) => (host.hand_over)(handle, stream, sink),
                HostCall::TakeBack(stream) => (host.take_back)(handle, stream, sink),
                HostCall::FinishDevice => (host.finish_device)(handle, sink),
                _ => (host.duplicate)(handle, &raw mut copy, sink),
            }
        };
        if !copy.handle.is_null() {
            self.handles.push((copy.handle as usize, bytes as u64));
        }
        let is_wrong = matches!(call, HostCall::CopyOut(1..) | HostCall::CopyIn(1..));
        match (status, &*texts) {
            (Status::DONE, []) if !is_wrong => Ok(()),
            (Status::FAILED, [text]) if !text.is_empty() && !text.contains("panicked") => Ok(()),
            _ => Err(format!("the host answers {call:?} by {status:?} and {texts:?}")),
        }
    }
}

unsafe extern "C" fn load(
    host: *const HostTable,
    script: *const ScriptAbi,
    session: *mut *mut c_void,
    sink: *const ErrorSink,
) -> Status {
    // SAFETY: the host's table lives as long as the process; all else outlives the call.
    unsafe {
        let mut side = side();
        side.host = Some(&*host);
        if !Path::new(&*(*script).path.read()).is_file() {
            side.faults.push("the script is no file".to_owned());
        }
        session.write(SESSION as *mut c_void);
        let status = side.reply(sink);
        side.sessions += usize::from(status == Status::DONE);
        status
    }
}

unsafe extern "C" fn observes(session: *const c_void) -> u32 {
    side().check_session(session);
    side().answer.observes
}

unsafe extern "C" fn every(session: *const c_void) -> u64 {
    side().check_session(session);
    side().answer.every
}

unsafe extern "C" fn start(session: *mut c_void, run: *const RunAbi, sink: *const ErrorSink) -> Status {
    let mut side = side();
    side.check_session(session);
    // SAFETY: run and sink outlive the call.
    unsafe {
        let RunAbi { name, output_dir, mode, device, .. } = *run;
        [name, output_dir, mode, device].into_iter().for_each(|text| drop(text.read().into_owned()));
        side.reply(sink)
    }
}

unsafe extern "C" fn step(session: *mut c_void, frame: *const FrameAbi, sink: *const ErrorSink) -> Status {
    let mut side = side();
    side.check_session(session);
    // SAFETY: frame and sink outlive the call.
    unsafe {
        side.with_fields((*frame).fields, (*frame).field_count);
        side.reply(sink)
    }
}

unsafe extern "C" fn changes(session: *mut c_void, context: *mut c_void, take: TakeChange) {
    let mut side = side();
    side.check_session(session);
    for (Bytes(name), value) in &side.answer.changes {
        // SAFETY: the host's function takes its context, and the name is borrowed for the call.
        unsafe { take(context, Text { pointer: name.as_ptr(), bytes: name.len() }, *value) };
    }
}

unsafe extern "C" fn observe(session: *mut c_void, batch: *const BatchAbi, sink: *const ErrorSink) -> Status {
    let mut side = side();
    side.check_session(session);
    // SAFETY: batch and sink outlive the call.
    unsafe {
        side.with_fields((*batch).fields, (*batch).field_count);
        side.reply(sink)
    }
}

unsafe extern "C" fn finish(session: *mut c_void, run: *const RunAbi, sink: *const ErrorSink) -> Status {
    // SAFETY: as `start`.
    unsafe { start(session, run, sink) }
}

unsafe extern "C" fn close(session: *mut c_void) {
    let mut side = side();
    side.check_session(session);
    match side.sessions.checked_sub(1) {
        Some(left) => side.sessions = left,
        None => side.faults.push("a session is closed that was not loaded".to_owned()),
    }
}

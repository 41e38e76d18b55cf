//! A host that is not ours: memory, and the table that the extension calls. What the extension does against the rules is
//! noted as a fault.

use super::child::Random;
use ferrocca_insitu::abi::{ABI_VERSION, CopyAbi, ErrorSink, HostTable, Status, Text};
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

pub(crate) static TABLE: HostTable = HostTable {
    abi_version: ABI_VERSION,
    bytes: size_of::<HostTable>() as u32,
    package_version: Text::new("of a test"),
    retain,
    release,
    copy_to_host,
    copy_from_host,
    synchronize,
    hand_over,
    take_back,
    finish_device,
    duplicate,
};

/// Bytes before and behind each memory, which nobody writes.
const RED: usize = 64;
/// What is in memory at first.
const FRESH: u8 = 0x5a;
/// What is around it.
const ZONE: u8 = 0xa5;
/// Device memory of more bytes cannot be copied.
const COPIED: u64 = 1 << 20;

/// A memory: bytes that the host addresses, or none.
pub(crate) struct Memory {
    block: Option<*mut [u8]>,
    /// As the extension is told.
    pub(crate) bytes: u64,
    pub(crate) in_call: bool,
    pub(crate) is_queued: bool,
    /// It was ever shown to be written.
    pub(crate) is_written: bool,
    waited: bool,
    handles: usize,
}

// SAFETY: the block is owned.
unsafe impl Send for Memory {}

impl Memory {
    fn new(bytes: u64, is_on_host: bool) -> Self {
        let block = is_on_host.then(|| {
            let mut block = vec![ZONE; 2 * RED + bytes as usize].into_boxed_slice();
            block[RED..RED + bytes as usize].fill(FRESH);
            Box::into_raw(block)
        });
        Self { block, bytes, in_call: false, is_queued: false, is_written: false, waited: false, handles: 0 }
    }

    /// Where its first byte lies.
    pub(crate) fn address(&self) -> u64 {
        self.block.map_or(0, |block| block.cast::<u8>() as u64 + RED as u64)
    }

    fn damage(&self) -> Option<&'static str> {
        // SAFETY: the block is live, and no script runs.
        let block = unsafe { &*self.block? };
        let (before, rest) = block.split_at(RED);
        let (inside, behind) = rest.split_at(rest.len() - RED);
        if before.iter().chain(behind).any(|&byte| byte != ZONE) {
            return Some("bytes around memory were written");
        }
        let is_changed = !self.is_written && inside.iter().any(|&byte| byte != FRESH);
        is_changed.then_some("read-only memory was written")
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(block) = self.block {
            // SAFETY: made by `Box::into_raw`, freed once.
            drop(unsafe { Box::from_raw(block) });
        }
    }
}

/// The host of the case under way.
#[derive(Default)]
pub(crate) struct State {
    memories: Vec<Memory>,
    /// By where it was asked for.
    places: HashMap<(usize, u64, bool), usize>,
    /// Memory of each handle.
    handles: HashMap<usize, usize>,
    next_handle: usize,
    faults: Vec<String>,
    random: Option<Random>,
    /// Calls of the host that fail, in per cent.
    pub(crate) fails: usize,
    /// How many calls have failed.
    pub(crate) failed: usize,
    /// The action under way.
    pub(crate) turn: u64,
}

static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);

pub(crate) fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// Begins a case; handles are never used again.
    pub(crate) fn reset(&mut self, random: Random) {
        *self = Self { next_handle: self.next_handle, random: Some(random), ..Self::default() };
    }

    /// The number of the memory of that place and size.
    pub(crate) fn memory(&mut self, place: usize, bytes: u64, is_on_host: bool) -> usize {
        let memories = &mut self.memories;
        *self.places.entry((place, bytes, is_on_host)).or_insert_with(|| {
            memories.push(Memory::new(bytes, is_on_host));
            memories.len() - 1
        })
    }

    pub(crate) fn at(&mut self, memory: usize) -> &mut Memory {
        &mut self.memories[memory]
    }

    /// After a call: its memory may be gone.
    pub(crate) fn end_call(&mut self) {
        for memory in &mut self.memories {
            (memory.in_call, memory.is_queued, memory.waited) = (false, false, false);
        }
        let damage = self.memories.iter().find_map(Memory::damage);
        self.faults.extend(damage.map(str::to_owned));
    }

    pub(crate) fn fault(&mut self, text: impl Into<String>) {
        self.faults.push(text.into());
    }

    pub(crate) fn take_faults(&mut self) -> Vec<String> {
        std::mem::take(&mut self.faults)
    }

    /// Handles that were not given back.
    pub(crate) fn live(&self) -> usize {
        self.handles.len()
    }

    fn handle(&mut self, memory: usize) -> *mut c_void {
        self.next_handle += 1;
        self.handles.insert(self.next_handle, memory);
        self.memories[memory].handles += 1;
        self.next_handle as *mut c_void
    }

    /// Whether this call fails, and how: what it answers, and writes before.
    fn failure(&mut self) -> Option<(Status, Vec<Vec<u8>>)> {
        let fails = self.fails;
        let random = self.random.as_mut()?;
        if random.below(100) >= fails {
            return None;
        }
        self.failed += 1;
        let texts = match random.below(6) {
            0 => vec![],
            1 => vec![b"one".to_vec(), b"two".to_vec()],
            2 => vec![b"\xff\xfe\0\xed\xa0\x80".to_vec()],
            3 => vec![vec![]],
            4 => vec![vec![b'x'; 100_000]],
            _ => vec![b"the device is gone".to_vec()],
        };
        Some((random.pick(&[Status::FAILED, Status::STOP, Status(77), Status(u32::MAX)]), texts))
    }
}

/// Does what a call with a handle does, or fails.
unsafe fn with(handle: *const c_void, sink: *const ErrorSink, work: impl FnOnce(&mut State, usize)) -> Status {
    let mut state = state();
    let Some(&memory) = state.handles.get(&(handle as usize)) else {
        state.fault(format!("a call with {handle:?}, which is no live handle"));
        return Status::DONE;
    };
    let Some((status, texts)) = state.failure() else {
        work(&mut state, memory);
        return Status::DONE;
    };
    drop(state);
    for text in &texts {
        // SAFETY: the sink outlives the call, and the text is borrowed for it.
        unsafe { ((*sink).write)((*sink).context, Text { pointer: text.as_ptr(), bytes: text.len() }) };
    }
    status
}

unsafe extern "C" fn retain(owner: *const c_void) -> *mut c_void {
    let mut state = state();
    let memory = (owner as usize).wrapping_sub(1);
    if !state.memories.get(memory).is_some_and(|memory| memory.in_call) {
        state.fault(format!("{owner:?} is retained, which is no owner of the call under way"));
        return std::ptr::null_mut();
    }
    if state.failure().is_some() {
        return std::ptr::null_mut();
    }
    state.handle(memory)
}

unsafe extern "C" fn release(handle: *mut c_void) {
    let mut state = state();
    match state.handles.remove(&(handle as usize)) {
        Some(memory) => state.memories[memory].handles -= 1,
        None => state.fault(format!("{handle:?} is given back, which is no live handle")),
    }
}

unsafe extern "C" fn copy_to_host(
    handle: *const c_void,
    destination: *mut u8,
    bytes: usize,
    sink: *const ErrorSink,
) -> Status {
    // SAFETY: the handle is looked up; the destination has `bytes` bytes.
    unsafe {
        with(handle, sink, |state, memory| {
            let from = &state.memories[memory];
            let declared = from.bytes;
            if bytes as u64 != declared {
                return state.fault(format!("{bytes} bytes are copied out of memory of {declared}"));
            }
            match from.block {
                Some(_) => std::ptr::copy_nonoverlapping(from.address() as *const u8, destination, bytes),
                None if declared <= COPIED => destination.write_bytes(FRESH, bytes),
                None => {}
            }
        })
    }
}

unsafe extern "C" fn copy_from_host(
    handle: *const c_void,
    source: *const u8,
    bytes: usize,
    sink: *const ErrorSink,
) -> Status {
    // SAFETY: the handle is looked up; the source has `bytes` bytes.
    unsafe {
        with(handle, sink, |state, memory| {
            let to = &state.memories[memory];
            let (declared, address) = (to.bytes, to.address());
            if bytes as u64 != declared || !to.is_written {
                return state.fault(format!("{bytes} bytes are written to memory of {declared}, read-only or not"));
            }
            if to.block.is_some() {
                std::ptr::copy_nonoverlapping(source, address as *mut u8, bytes);
            }
        })
    }
}

unsafe extern "C" fn synchronize(handle: *const c_void, sink: *const ErrorSink) -> Status {
    // SAFETY: the handle is looked up.
    unsafe { with(handle, sink, |state, memory| state.memories[memory].waited = true) }
}

unsafe extern "C" fn hand_over(handle: *const c_void, _stream: u64, sink: *const ErrorSink) -> Status {
    // SAFETY: as above.
    unsafe { with(handle, sink, |_, _| {}) }
}

unsafe extern "C" fn take_back(handle: *const c_void, _stream: u64, sink: *const ErrorSink) -> Status {
    // SAFETY: as above.
    unsafe { with(handle, sink, |_, _| {}) }
}

unsafe extern "C" fn finish_device(handle: *const c_void, sink: *const ErrorSink) -> Status {
    // SAFETY: as above.
    unsafe { with(handle, sink, |state, memory| state.memories[memory].waited = true) }
}

unsafe extern "C" fn duplicate(handle: *const c_void, copy: *mut CopyAbi, sink: *const ErrorSink) -> Status {
    // SAFETY: as above; the copy is to be written.
    unsafe {
        with(handle, sink, |state, memory| {
            let Memory { bytes, block, .. } = state.memories[memory];
            state.memories.push(Memory::new(bytes, block.is_some()));
            let made = state.memories.len() - 1;
            state.memories[made].is_written = true;
            let (handle, data) = (state.handle(made), state.memories[made].address());
            copy.write(CopyAbi { handle, data, byte_offset: 0 });
        })
    }
}

/// For scripts: the action under way.
pub(crate) extern "C" fn turn() -> u64 {
    state().turn
}

/// For scripts: an array shows these bytes.
pub(crate) extern "C" fn look(low: u64, high: u64, is_fresh: u32) {
    let mut state = state();
    let inside = |memory: &&Memory| {
        memory.block.is_some() && memory.address() <= low && low < high && high <= memory.address() + memory.bytes
    };
    let text = match state.memories.iter().find(inside) {
        None => format!("an array shows {low:#x} to {high:#x}, which is in no memory"),
        Some(memory) if memory.handles == 0 => "an array shows memory that was given back".to_owned(),
        Some(memory) if is_fresh != 0 && memory.is_queued && !memory.waited => {
            "an array shows memory that is not at rest".to_owned()
        }
        Some(_) => return,
    };
    state.fault(text);
}

/// For scripts: something is wrong.
pub(crate) unsafe extern "C" fn fault(text: *const c_char) {
    // SAFETY: the script passes zero-terminated text.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    state().fault(text);
}

//! Named ranges for profilers, by NVTX 3: a profiler names a library of its own in the environment of the program that it
//! starts; that library is given tables with places for its functions, and fills them.
//!
//! There is nothing to link and nothing to install. Without a profiler a range costs one load and one branch.
//! The layout of the tables is that of `nvtxTypes.h` (NVTX 3, Apache-2.0 with LLVM exceptions).

use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Functions of a module, and the number of the first that there is not.
const FUNCTIONS: usize = 16;
/// Positions in the module of plain functions.
const RANGE_PUSH: usize = 9;
const RANGE_POP: usize = 11;
/// Modules: plain functions, functions of domains.
const CORE: c_int = 1;
const CORE_2: c_int = 5;
/// Tables that a profiler may ask for.
const CALLBACKS: u32 = 1;
const VERSION_INFO: u32 = 3;

/// Functions of the profiler, at their positions.
type Slots = [AtomicPtr<c_void>; FUNCTIONS];

static CORE_SLOTS: Slots = [const { AtomicPtr::new(null_mut()) }; FUNCTIONS];
static CORE_2_SLOTS: Slots = [const { AtomicPtr::new(null_mut()) }; FUNCTIONS];

/// The profiler's function that opens a range; null without a profiler.
static PUSH: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Addresses of slots as the profiler gets them: the first is null, and one more null ends the list.
struct SlotTable([*const AtomicPtr<c_void>; FUNCTIONS + 1]);

// SAFETY: the addresses are of statics, whose contents are atomic.
unsafe impl Sync for SlotTable {}

impl SlotTable {
    const fn of(slots: &'static Slots) -> Self {
        let mut table = [std::ptr::null(); FUNCTIONS + 1];
        let mut index = 1;
        while index < FUNCTIONS {
            table[index] = &raw const slots[index];
            index += 1;
        }
        Self(table)
    }
}

static CORE_TABLE: SlotTable = SlotTable::of(&CORE_SLOTS);
static CORE_2_TABLE: SlotTable = SlotTable::of(&CORE_2_SLOTS);

#[repr(C)]
struct Callbacks {
    struct_bytes: usize,
    module_table: unsafe extern "C" fn(c_int, *mut *const *const AtomicPtr<c_void>, *mut c_uint) -> c_int,
}

#[repr(C)]
struct VersionInfo {
    struct_bytes: usize,
    version: u32,
    reserved: u32,
    set_version: extern "C" fn(u32),
}

static CALLBACKS_TABLE: Callbacks = Callbacks { struct_bytes: size_of::<Callbacks>(), module_table };
static VERSION_TABLE: VersionInfo =
    VersionInfo { struct_bytes: size_of::<VersionInfo>(), version: 3, reserved: 0, set_version };

extern "C" fn set_version(_version: u32) {}

/// The profiler asks for the places of a module's functions.
///
/// # Safety
/// `table` and `len` are null or may be written.
unsafe extern "C" fn module_table(
    module: c_int,
    table: *mut *const *const AtomicPtr<c_void>,
    len: *mut c_uint,
) -> c_int {
    let slots = match module {
        CORE => &CORE_TABLE,
        CORE_2 => &CORE_2_TABLE,
        _ => return 0,
    };
    // SAFETY: by the caller.
    unsafe {
        if !table.is_null() {
            *table = slots.0.as_ptr();
        }
        if !len.is_null() {
            *len = FUNCTIONS as c_uint;
        }
    }
    1
}

/// The profiler asks for a table.
extern "C" fn export_table(id: u32) -> *const c_void {
    match id {
        CALLBACKS => (&raw const CALLBACKS_TABLE).cast(),
        VERSION_INFO => (&raw const VERSION_TABLE).cast(),
        _ => std::ptr::null(),
    }
}

/// Lets a profiler in, once in a process, where one started it.
pub(crate) fn attach() {
    static ATTACHED: Once = Once::new();
    ATTACHED.call_once(|| {
        let name = if cfg!(target_pointer_width = "64") { "NVTX_INJECTION64_PATH" } else { "NVTX_INJECTION32_PATH" };
        if let Some(path) = std::env::var_os(name)
            // SAFETY: who starts the program names the profiler's library, and trusts it.
            && let Ok(library) = unsafe { Library::new(path) }
        {
            attach_to(library);
        }
    });
}

fn attach_to(library: Library) {
    type Initialise = unsafe extern "C" fn(extern "C" fn(u32) -> *const c_void) -> c_int;
    // SAFETY: the type is the one of `NvtxInitializeInjectionNvtxFunc_t`.
    let attached = unsafe {
        match library.get::<Initialise>(b"InitializeInjectionNvtx2") {
            Ok(initialise) => initialise(export_table) != 0,
            Err(_) => false,
        }
    };
    if !attached {
        return;
    }
    // The functions stay in use until the process ends.
    std::mem::forget(library);
    if !CORE_SLOTS[RANGE_POP].load(Ordering::Acquire).is_null() {
        PUSH.store(CORE_SLOTS[RANGE_PUSH].load(Ordering::Acquire), Ordering::Release);
    }
}

/// Opens a range; it closes when the answer is dropped.
#[inline]
pub(crate) fn open(name: &CStr) -> Range {
    let function = PUSH.load(Ordering::Acquire);
    if !function.is_null() {
        push_to(function, name);
    }
    Range(!function.is_null())
}

/// An open range of the calling thread.
#[must_use = "the range closes when this is dropped"]
pub(crate) struct Range(bool);

impl Drop for Range {
    #[inline]
    fn drop(&mut self) {
        if self.0 {
            pop();
        }
    }
}

/// Opens a range with a name that is made for it.
pub(crate) fn push(name: &str) {
    let function = PUSH.load(Ordering::Acquire);
    if !function.is_null() {
        let name = CString::new(name.replace('\0', " ")).unwrap_or_default();
        push_to(function, &name);
    }
}

#[cold]
fn push_to(function: *mut c_void, name: &CStr) {
    // SAFETY: what the profiler put in this place has the type of `nvtxRangePushA`.
    unsafe {
        let function: unsafe extern "C" fn(*const c_char) -> c_int = std::mem::transmute(function);
        function(name.as_ptr());
    }
}

/// Closes the innermost range of the calling thread.
pub(crate) fn pop() {
    if PUSH.load(Ordering::Acquire).is_null() {
        return;
    }
    let function = CORE_SLOTS[RANGE_POP].load(Ordering::Acquire);
    // SAFETY: what the profiler put in this place has the type of `nvtxRangePop`; it is not null where `PUSH` is not.
    unsafe {
        let function: unsafe extern "C" fn() -> c_int = std::mem::transmute(function);
        function();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::CudaBackend;
    use crate::{emulator, fake};
    use ferrocca_core::Device;

    /// A profiler that keeps the names of the ranges that its thread opens, and where they close.
    const PROFILER: &str = r#"
#include <cstdint>
#include <cstring>
typedef void (*function)();
struct callbacks { size_t bytes; int (*module)(int, function ***, unsigned *); };
struct version { size_t bytes; uint32_t version, reserved; void (*set)(uint32_t); };
static thread_local char log[4096];
static void add(const char *text) { if (strlen(log) + strlen(text) < sizeof log) strcat(log, text); }
static int push(const char *name) { add("<"); add(name); return 0; }
static int pop() { add(">"); return 0; }
extern "C" int InitializeInjectionNvtx2(const void *(*get)(uint32_t)) {
    const auto *c = (const callbacks *)get(1);
    const auto *v = (const version *)get(3);
    if (!c || !v || get(2) || c->bytes != sizeof *c || v->bytes != sizeof *v || v->version != 3) return 0;
    v->set(3);
    function **table;
    unsigned len;
    if (c->module(6, &table, &len) || !c->module(5, &table, &len)) return 0;
    if (!c->module(1, &table, &len) || len != 16 || table[0] || table[len]) return 0;
    *table[9] = (function)push;
    *table[11] = (function)pop;
    return 1;
}
extern "C" const char *okl_log() { return log; }
"#;

    #[test]
    fn a_profiler_sees_ranges_of_the_program_and_of_the_backend() {
        static FAKE: CudaBackend = CudaBackend::on(fake::driver);
        let device = Device::open_with(&FAKE, "").expect("a device");
        let mut memory = device.malloc::<i32>(4).expect("there is memory");
        let Some(library) = emulator::compile(PROFILER) else { return };
        // SAFETY: the function was written above with this type.
        let log = *unsafe { library.get::<unsafe extern "C" fn() -> *const c_char>(b"okl_log") }.expect("it is there");
        attach_to(library);
        {
            let _range = device.range("assemble");
            memory.fill(3).expect("it fills");
            let _inner = device.stream().range("inner");
        }
        memory.copy_from(&[1, 2, 3, 4]).expect("it copies");
        // SAFETY: the profiler's text ends with a zero, and is this thread's.
        let seen = unsafe { CStr::from_ptr(log()) }.to_str().expect("it is text");
        assert_eq!(seen, "<assemble<fill><inner>><copy in>");
    }
}

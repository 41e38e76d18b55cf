//! The C ABI between the program that runs a solver (the *host*) and the extension that runs Python (the *plugin*).
//!
//! Host and plugin are two Rust images, built apart, perhaps by other compilers: nothing but the `repr(C)` types of
//! this file crosses between them, and no Rust allocation of one is freed by the other.
//!
//! Rules:
//! - The plugin exports [`VERSION_SYMBOL`] and [`PLUGIN_SYMBOL`]; the host reads the first before it calls the
//!   second, and refuses a version other than [`ABI_VERSION`] by name. Any change to a type here raises the version.
//! - Pointers in a [`FrameAbi`], [`BatchAbi`] or [`RunAbi`] are valid for the call that carries them and no longer. What the plugin
//!   wants to keep it asks for with [`HostTable::retain`], and gives back with [`HostTable::release`] once.
//! - `release` may be called from any thread, at any time until the process ends.
//! - A failing call returns [`Status::FAILED`] after it has written one text to the [`ErrorSink`]. Any number that is no status of
//!   that call is taken for it.
//! - The plugin checks fields before a script sees them: names that occur once, layouts inside the memory.
//! - No panic and no exception crosses.
//! - Device types are those of DLPack, and so are the numbers of streams: 1 is CUDA's legacy default stream, 2 the
//!   thread's default stream, any other number a native handle.

use std::ffi::c_void;

/// Version of this ABI.
pub const ABI_VERSION: u32 = 8;

/// Exported by the plugin: [`VersionFn`].
pub const VERSION_SYMBOL: &[u8] = b"ferrocca_insitu_abi_version\0";

/// Exported by the plugin: [`PluginFn`].
pub const PLUGIN_SYMBOL: &[u8] = b"ferrocca_insitu_plugin\0";

/// Type of [`VERSION_SYMBOL`]; its own shape never changes.
pub type VersionFn = unsafe extern "C" fn() -> u32;

/// Type of [`PLUGIN_SYMBOL`]: the plugin's table, which lives as long as the process.
pub type PluginFn = unsafe extern "C" fn() -> *const PluginTable;

/// UTF-8 text that is borrowed for a call.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Text {
    /// First byte; anything where `bytes` is 0.
    pub pointer: *const u8,
    /// Length in bytes.
    pub bytes: usize,
}

impl Text {
    /// Borrows a string.
    pub const fn new(text: &str) -> Self {
        Self { pointer: text.as_ptr(), bytes: text.len() }
    }

    /// The string; what is not UTF-8 is replaced.
    /// # Safety
    /// The text is still borrowed: the call that carried it has not returned.
    pub unsafe fn read<'a>(self) -> std::borrow::Cow<'a, str> {
        if self.bytes == 0 {
            return "".into();
        }
        // SAFETY: `pointer` is valid for `bytes` bytes by the ABI's rules, for as long as the caller says.
        String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(self.pointer, self.bytes) })
    }
}

/// Outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Status(pub u32);

impl Status {
    /// Done.
    pub const DONE: Self = Self(0);
    /// Not done; the error sink has the reason.
    pub const FAILED: Self = Self(1);
    /// Done, and the run is to stop: an answer of [`PluginTable::step`] only.
    pub const STOP: Self = Self(2);
}

/// Where a failing call writes its reason.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ErrorSink {
    /// Handed to `write`.
    pub context: *mut c_void,
    /// Copies the text.
    pub write: unsafe extern "C" fn(context: *mut c_void, text: Text),
}

/// Type of an element, in DLPack's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct ElementAbi {
    /// 0 signed integer, 1 unsigned integer, 2 float, 4 bfloat, 5 complex.
    pub code: u8,
    /// Width in bits.
    pub bits: u8,
    /// Always 1.
    pub lanes: u16,
}

/// A field of a frame.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct FieldAbi {
    /// Its name.
    pub name: Text,
    /// For [`HostTable::retain`]; valid for this call.
    pub owner: *const c_void,
    /// Native pointer or handle, in DLPack's sense: the first element lies `byte_offset` bytes after it.
    pub data: u64,
    /// Bytes from `data` to the first element; 0 where `data` is an address.
    pub byte_offset: u64,
    /// Size of the memory that strides and shape stay inside.
    pub memory_bytes: u64,
    /// Elements along each axis.
    pub shape: *const i64,
    /// Elements from one index to the next along each axis, never negative.
    pub strides: *const i64,
    /// Number of axes, at most 64.
    pub dimensions: u32,
    /// Type of an element.
    pub element: ElementAbi,
    /// DLPack's device type.
    pub device_type: i32,
    /// Position among the devices of that type.
    pub device_id: i32,
    /// 0 or 1.
    pub read_only: u32,
    /// 1 where work that writes the memory may still be queued: [`HostTable::synchronize`] before the host looks.
    pub queued: u32,
    /// Native stream that last wrote the memory, 0 where there is none.
    pub stream: u64,
    /// Null where the script may not keep the field; else the plugin writes 1 here during the call, and the host leaves the
    /// memory as it is until the last handle of it is given back.
    pub kept: *mut u8,
}

/// A frame.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct FrameAbi {
    /// Number of steps done.
    pub step: u64,
    /// Time reached.
    pub time: f64,
    /// The fields.
    pub fields: *const FieldAbi,
    /// Number of fields.
    pub field_count: usize,
}

/// Many moments.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct BatchAbi {
    /// Number of steps done, for each moment.
    pub steps: *const u64,
    /// Time reached, for each moment.
    pub times: *const f64,
    /// Number of moments: the extent of the first axis of every field.
    pub count: usize,
    /// The fields.
    pub fields: *const FieldAbi,
    /// Number of fields.
    pub field_count: usize,
}

/// A parameter of a run.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ParameterAbi {
    /// Its name.
    pub name: Text,
    /// 0: `int` holds the value; 1: `float`; 2: `text`.
    pub kind: u32,
    /// 1 for a number of kind 1 that [`PluginTable::changes`] may change; else 0.
    pub steerable: u32,
    /// Value of kind 0.
    pub int: i64,
    /// Value of kind 1.
    pub float: f64,
    /// Value of kind 2, else empty.
    pub text: Text,
    /// The least value that a steerable one may get.
    pub least: f64,
    /// The greatest one.
    pub greatest: f64,
}

/// A run.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RunAbi {
    /// Name of the solver.
    pub name: Text,
    /// Directory for results.
    pub output_dir: Text,
    /// Mode of the device.
    pub mode: Text,
    /// Name of the device.
    pub device: Text,
    /// The parameters.
    pub parameters: *const ParameterAbi,
    /// Number of parameters.
    pub parameter_count: usize,
}

/// A script.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ScriptAbi {
    /// Its file.
    pub path: Text,
    /// For a module of the old kind: the function that gets the field of each step. Else empty, and the script has `start`,
    /// `step` or `observe`, and `finish`.
    pub collect: Text,
    /// For a module of the old kind: the functions to be called at the end, separated by commas.
    pub then: Text,
    /// For a module of the old kind: 1 where its function only reads, and gets the steps in batches, one after the other; else 0.
    pub collects_batches: u32,
    /// What the script finds in `sys.argv` behind its own path: each argument is followed by a line feed.
    pub arguments: Text,
}

/// Gets a parameter's name, borrowed for the call, and its new value.
pub type TakeChange = unsafe extern "C" fn(context: *mut c_void, name: Text, value: f64);

/// What the host offers. Lives as long as the process.
#[repr(C)]
pub struct HostTable {
    /// [`ABI_VERSION`] of the host.
    pub abi_version: u32,
    /// Size of this table in bytes.
    pub bytes: u32,
    /// Version of the host's crate.
    pub package_version: Text,
    /// Makes a handle that keeps a field's memory alive. `owner` is [`FieldAbi::owner`] of the call under way.
    pub retain: unsafe extern "C" fn(owner: *const c_void) -> *mut c_void,
    /// Gives a handle back: enqueued here, freed by the host when it next passes by.
    pub release: unsafe extern "C" fn(handle: *mut c_void),
    /// Copies the whole memory, `bytes` = [`FieldAbi::memory_bytes`], to the host.
    pub copy_to_host: unsafe extern "C" fn(
        handle: *const c_void,
        destination: *mut u8,
        bytes: usize,
        sink: *const ErrorSink,
    ) -> Status,
    /// Overwrites the whole memory, `bytes` = [`FieldAbi::memory_bytes`], in the order of its stream.
    pub copy_from_host:
        unsafe extern "C" fn(handle: *const c_void, source: *const u8, bytes: usize, sink: *const ErrorSink) -> Status,
    /// Waits on the host until what is queued on the memory's stream is done.
    pub synchronize: unsafe extern "C" fn(handle: *const c_void, sink: *const ErrorSink) -> Status,
    /// Work that is queued on `stream` from now on comes after what is queued on the memory's stream. Nothing waits on
    /// the host. `stream` is live, and of the driver context of the memory's device.
    pub hand_over: unsafe extern "C" fn(handle: *const c_void, stream: u64, sink: *const ErrorSink) -> Status,
    /// Work that is queued on the memory's stream from now on comes after what is queued on `stream`, as above.
    pub take_back: unsafe extern "C" fn(handle: *const c_void, stream: u64, sink: *const ErrorSink) -> Status,
    /// Waits on the host until the whole device is done, streams of others in its context included.
    pub finish_device: unsafe extern "C" fn(handle: *const c_void, sink: *const ErrorSink) -> Status,
    /// Copies the whole memory on its device, in the order of its stream; `copy` is set when it succeeds.
    pub duplicate: unsafe extern "C" fn(handle: *const c_void, copy: *mut CopyAbi, sink: *const ErrorSink) -> Status,
}

/// A copy that [`HostTable::duplicate`] made.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CopyAbi {
    /// A handle as [`HostTable::retain`] makes them.
    pub handle: *mut c_void,
    /// As [`FieldAbi::data`].
    pub data: u64,
    /// As [`FieldAbi::byte_offset`].
    pub byte_offset: u64,
}

/// What the plugin offers. The interpreter is initialised before the first call, and no lock of it is held.
#[repr(C)]
pub struct PluginTable {
    /// [`ABI_VERSION`] of the plugin.
    pub abi_version: u32,
    /// Size of this table in bytes.
    pub bytes: u32,
    /// Version of the plugin's package.
    pub package_version: Text,
    /// Runs a script's module level and finds its functions; `session` is set when it succeeds.
    pub load: unsafe extern "C" fn(
        host: *const HostTable,
        script: *const ScriptAbi,
        session: *mut *mut c_void,
        sink: *const ErrorSink,
    ) -> Status,
    /// 1 where the script has an `observe`, which is then called instead of `step`; 2 where it has a `step` that changes no
    /// field and no parameter; else 0.
    pub observes: unsafe extern "C" fn(session: *const c_void) -> u32,
    /// The script wants no steps but multiples of this number, which is not 0. It may be another one after `start` and after
    /// each `step`.
    pub every: unsafe extern "C" fn(session: *const c_void) -> u64,
    /// Calls the script's `start`, where it has one.
    pub start: unsafe extern "C" fn(session: *mut c_void, run: *const RunAbi, sink: *const ErrorSink) -> Status,
    /// Calls the script's `step`, where it has one.
    pub step: unsafe extern "C" fn(session: *mut c_void, frame: *const FrameAbi, sink: *const ErrorSink) -> Status,
    /// Tells, by calls of `take`, which parameters the last `step` changed, in the order in which it did.
    pub changes: unsafe extern "C" fn(session: *mut c_void, context: *mut c_void, take: TakeChange),
    /// Calls the script's `observe`, where it has one. Its fields are overwritten after the call.
    pub observe: unsafe extern "C" fn(session: *mut c_void, batch: *const BatchAbi, sink: *const ErrorSink) -> Status,
    /// Calls the script's `finish`, where it has one.
    pub finish: unsafe extern "C" fn(session: *mut c_void, run: *const RunAbi, sink: *const ErrorSink) -> Status,
    /// Runs Python's exit handlers, flushes its output and frees the session.
    pub close: unsafe extern "C" fn(session: *mut c_void),
}

// SAFETY: a table and its text are written before they are handed out, and never after.
unsafe impl Send for HostTable {}
// SAFETY: as above.
unsafe impl Sync for HostTable {}
// SAFETY: as above.
unsafe impl Send for PluginTable {}
// SAFETY: as above.
unsafe impl Sync for PluginTable {}

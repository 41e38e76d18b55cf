//! Starts the interpreter, once per process, and opens the plugin.

use super::Python;
use crate::abi::{ABI_VERSION, PLUGIN_SYMBOL, PluginFn, PluginTable, VERSION_SYMBOL, VersionFn};
use ferrocca_core::{Error, Result};
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// `wchar_t`.
#[cfg(windows)]
type WideChar = u16;
#[cfg(not(windows))]
type WideChar = i32;

/// The plugin of this process, once it runs.
static PLUGIN: Mutex<Option<&'static PluginTable>> = Mutex::new(None);

/// The plugin's table. The first call finds and starts Python; later ones use what runs.
pub(super) fn plugin(python: impl FnOnce() -> Result<Python>) -> Result<&'static PluginTable> {
    let mut running = PLUGIN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(table) = *running {
        return Ok(table);
    }
    let python = python()?;
    start(&python)?;
    let table = open_plugin(&python.extension)?;
    *running = Some(table);
    Ok(table)
}

/// Starts the interpreter and lets its lock go.
fn start(python: &Python) -> Result<()> {
    let library = open_global(&python.library).map_err(|error| {
        Error::invalid(format!("Python's library {} does not load: {error}", python.library.display()))
    })?;
    // Nothing that Python's threads or exit handlers may still run is ever unloaded.
    let library: &'static Library = Box::leak(Box::new(library));
    let missing = |error: libloading::Error| {
        Error::invalid(format!("{} is not a Python library that can be used: {error}", python.library.display()))
    };
    // SAFETY: names and types are those of CPython's documented C API, stable since 3.2.
    let (is_initialized, version, initialize, save_thread) = unsafe {
        (
            library.get::<unsafe extern "C" fn() -> c_int>(b"Py_IsInitialized\0").map_err(missing)?,
            library.get::<unsafe extern "C" fn() -> *const c_char>(b"Py_GetVersion\0").map_err(missing)?,
            library.get::<unsafe extern "C" fn(c_int)>(b"Py_InitializeEx\0").map_err(missing)?,
            library.get::<unsafe extern "C" fn() -> *mut c_void>(b"PyEval_SaveThread\0").map_err(missing)?,
        )
    };
    // SAFETY: both may be called before the interpreter is initialised; the version is static text.
    let (running, version) = unsafe { (is_initialized() != 0, CStr::from_ptr(version()).to_string_lossy()) };
    let (major, minor, _) = python.version;
    if !version.starts_with(&format!("{major}.{minor}.")) {
        return Err(Error::invalid(format!(
            "{} is Python {version}, but `{}` is Python {major}.{minor}",
            python.library.display(),
            python.executable.display()
        )));
    }
    if running {
        // This program already runs Python by other means; it knows why.
        return Ok(());
    }
    // SAFETY: as above. CPython deprecates it, but keeps the symbol in the stable ABI, which has no other way to say
    // this that every version since 3.11 knows.
    let set_program_name =
        unsafe { library.get::<unsafe extern "C" fn(*const WideChar)>(b"Py_SetProgramName\0").map_err(missing)? };
    let name = wide(&python.executable);
    // SAFETY: the name is zero-terminated and static. No interpreter runs yet: the caller holds the process-wide
    // lock. 0 asks for no signal handlers. The lock is let go on the thread that has just taken it.
    unsafe {
        set_program_name(name.as_ptr());
        initialize(0);
        save_thread();
    }
    Ok(())
}

/// Zero-terminated, and never freed: Python keeps the pointer.
fn wide(path: &Path) -> &'static [WideChar] {
    #[cfg(windows)]
    let text: Vec<WideChar> = std::os::windows::ffi::OsStrExt::encode_wide(path.as_os_str()).chain([0]).collect();
    #[cfg(not(windows))]
    let text: Vec<WideChar> = path.to_string_lossy().chars().map(|c| c as WideChar).chain([0]).collect();
    text.leak()
}

/// Opens libpython so that the extension, which links no libpython, finds its symbols.
fn open_global(path: &Path) -> Result<Library, libloading::Error> {
    #[cfg(unix)]
    {
        use libloading::os::unix::{Library as UnixLibrary, RTLD_GLOBAL, RTLD_NOW};
        // SAFETY: libpython's initialisers are those that the interpreter itself runs at its start.
        unsafe { UnixLibrary::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }.map(Library::from)
    }
    #[cfg(not(unix))]
    // SAFETY: as above.
    unsafe {
        Library::new(path)
    }
}

fn open_plugin(path: &Path) -> Result<&'static PluginTable> {
    let about = |what: String| Error::invalid(format!("the extension {} {what}", path.display()));
    // SAFETY: the file is the extension module of the `ferrocca` package, whose initialisers touch no Python.
    let library = unsafe { Library::new(path) }.map_err(|error| about(format!("does not load: {error}")))?;
    let library: &'static Library = Box::leak(Box::new(library));
    let foreign = |error: libloading::Error| {
        about(format!("offers no in-situ ABI (this program speaks version {ABI_VERSION}): {error}"))
    };
    // SAFETY: the version function's type is the same in every version of the ABI.
    let version = unsafe { library.get::<VersionFn>(VERSION_SYMBOL).map_err(foreign)?() };
    if version != ABI_VERSION {
        return Err(about(format!(
            "speaks version {version} of the in-situ ABI, this program (ferrocca {}) version {ABI_VERSION}: install \
             the `ferrocca` package of the same release",
            env!("CARGO_PKG_VERSION")
        )));
    }
    // SAFETY: the version is ours, so symbol and table have the types of this crate's `abi`.
    let table = unsafe { checked(library.get::<PluginFn>(PLUGIN_SYMBOL).map_err(foreign)?()) };
    table.ok_or_else(|| about(format!("offers a table that does not fit version {ABI_VERSION} of the in-situ ABI")))
}

/// The table, where it is one of this version and has every function. Until then it is no `PluginTable` of Rust's.
///
/// # Safety
/// `table` is null, or points to a version, a size, and as many bytes as that says, for as long as the process lives.
unsafe fn checked(table: *const PluginTable) -> Option<&'static PluginTable> {
    const FUNCTIONS: usize = std::mem::offset_of!(PluginTable, load);
    if table.is_null() {
        return None;
    }
    // SAFETY: the caller's duty.
    let [version, bytes] = unsafe { table.cast::<[u32; 2]>().read() };
    if version != ABI_VERSION || bytes as usize != size_of::<PluginTable>() {
        return None;
    }
    let count = (size_of::<PluginTable>() - FUNCTIONS) / size_of::<usize>();
    // SAFETY: the table has its whole size, and all behind its head are functions, which may be null here.
    let functions = unsafe {
        std::slice::from_raw_parts(table.byte_add(FUNCTIONS).cast::<Option<unsafe extern "C" fn()>>(), count)
    };
    // SAFETY: every function is there.
    functions.iter().all(Option::is_some).then(|| unsafe { &*table })
}

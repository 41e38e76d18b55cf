//! Python's own word on its state.

use ferrocca_insitu::python::Python;
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_void};

/// Functions of CPython's C API, in the process in which it runs.
pub(crate) struct Interpreter {
    ensure: unsafe extern "C" fn() -> c_int,
    release: unsafe extern "C" fn(c_int),
    check: unsafe extern "C" fn() -> c_int,
    save: unsafe extern "C" fn() -> *mut c_void,
    restore: unsafe extern "C" fn(*mut c_void),
    occurred: unsafe extern "C" fn() -> *mut c_void,
    run: unsafe extern "C" fn(*const c_char) -> c_int,
}

impl Interpreter {
    pub(crate) fn of(python: &Python) -> Self {
        // SAFETY: names and types are those of CPython's documented C API; the library is loaded already, and stays so.
        unsafe {
            let library: &Library = Box::leak(Box::new(Library::new(&python.library).expect("libpython is loaded")));
            Self {
                ensure: *library.get(b"PyGILState_Ensure\0").expect("a symbol"),
                release: *library.get(b"PyGILState_Release\0").expect("a symbol"),
                check: *library.get(b"PyGILState_Check\0").expect("a symbol"),
                save: *library.get(b"PyEval_SaveThread\0").expect("a symbol"),
                restore: *library.get(b"PyEval_RestoreThread\0").expect("a symbol"),
                occurred: *library.get(b"PyErr_Occurred\0").expect("a symbol"),
                run: *library.get(b"PyRun_SimpleString\0").expect("a symbol"),
            }
        }
    }

    /// Gives this thread a state in Python that outlives single calls: what these leave in it is seen.
    pub(crate) fn on_this_thread<R>(&self, work: impl FnOnce() -> R) -> R {
        // SAFETY: the lock is taken and let go in turns; the state lives in between.
        unsafe {
            let before = (self.ensure)();
            let own = (self.save)();
            let done = work();
            (self.restore)(own);
            (self.release)(before);
            done
        }
    }

    /// Whether a call has left Python's lock taken, or an exception set.
    pub(crate) fn check(&self) -> Result<(), String> {
        // SAFETY: the lock is let go again.
        unsafe {
            if (self.check)() != 0 {
                return Err("Python's lock is still taken".to_owned());
            }
            let before = (self.ensure)();
            let is_clean = (self.occurred)().is_null();
            (self.release)(before);
            if is_clean { Ok(()) } else { Err("an exception is still set".to_owned()) }
        }
    }

    pub(crate) fn run(&self, source: &CStr) {
        // SAFETY: the source is zero-terminated; the lock is let go again.
        unsafe {
            let before = (self.ensure)();
            assert_eq!((self.run)(source.as_ptr()), 0, "{source:?}");
            (self.release)(before);
        }
    }
}

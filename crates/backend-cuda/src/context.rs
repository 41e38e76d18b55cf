//! The primary context of a device, and what was running on it when a call fails.
//!
//! A kernel that touches memory that is not its own ends the context: the driver answers the next call of any kind with
//! the fault, and every later one with the same. The error then names the kernels that were launched and not waited
//! for, since the driver does not say which of them it was.

use crate::driver::{Code, Driver};
use crate::error;
use cudarc::driver::sys::{CUcontext, CUdevice, CUdevice_attribute};
use ferrocca_core::backend::Process;
use ferrocca_core::{Error, ErrorKind, Result};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockWriteGuard, Weak};

/// A retained primary context, shared with every other library of the process that uses the device (the CUDA runtime,
/// CuPy, PyTorch …).
pub(crate) struct Context {
    /// Where it was retained.
    process: Process,
    driver: &'static Driver,
    device: CUdevice,
    raw: CUcontext,
    shares_page_tables: bool,
    /// Names of kernels; a [`LaunchLog`] holds positions in it.
    names: Mutex<Vec<Arc<str>>>,
    logs: Mutex<Vec<Weak<LaunchLog>>>,
    /// What ended the context, where something did.
    lost: OnceLock<String>,
    /// Kernels print.
    prints: AtomicBool,
    /// Held for writing while a stream is captured: who waits for the whole device meanwhile spoils the capture.
    capturing: RwLock<()>,
}

// SAFETY: the driver's contexts may be used from any thread; every use makes the context current first.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

/// A context is the calling thread's current one. When this goes, the one that was is again: it belongs to another library of the
/// process, whose calls would go to this device otherwise. A thread that had none keeps this one.
#[must_use = "the context is current for as long as this lives"]
pub(crate) struct Current {
    driver: &'static Driver,
    /// Null where nothing is to be set again.
    before: CUcontext,
}

impl Drop for Current {
    #[inline]
    fn drop(&mut self) {
        if !self.before.is_null() {
            // SAFETY: it was current on this thread, and who made it so answers for it. What fails has nobody to be told.
            unsafe { (self.driver.ctx_set_current)(self.before) };
        }
    }
}

impl Context {
    /// Retains the primary context of a device.
    ///
    /// A context that a kernel's fault has ended stays with the process as long as anybody retains it. It is not reset
    /// here: other libraries of the process may stand on it, and their memory would vanish under them. When the handles
    /// of the lost device are gone and nobody else retains the context, the driver makes a new one.
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the context is lost and still retained.
    pub(crate) fn retain(driver: &'static Driver, device: CUdevice) -> Result<Arc<Self>> {
        let open = || -> Result<Self> {
            let mut raw = std::ptr::null_mut();
            // SAFETY: `device` is one of the driver's; what is retained is released in `drop`.
            let code = unsafe { (driver.device_primary_ctx_retain)(&mut raw, device) };
            if code != Code::SUCCESS {
                return Err(error::unavailable(format!("cuDevicePrimaryCtxRetain: {}", driver.describe(code))));
            }
            Ok(Self {
                process: Process::current(),
                driver,
                device,
                raw,
                shares_page_tables: shares_page_tables(driver, device),
                names: Mutex::default(),
                logs: Mutex::default(),
                lost: OnceLock::new(),
                prints: AtomicBool::new(false),
                capturing: RwLock::default(),
            })
        };
        let mut context = open()?;
        if context.health() != Code::SUCCESS {
            // Where this was the last one that retained it, the context ends now and the next one is new.
            drop(context);
            context = open()?;
        }
        match context.health() {
            Code::SUCCESS => Ok(Arc::new(context)),
            code => Err(error::unavailable(format!(
                "the device's context was lost in this process ({}) and is still in use, by handles of the lost device \
                 or by another library; drop those handles, or start the program again",
                driver.describe(code)
            ))),
        }
    }

    /// What the context answers to a call that does nothing.
    fn health(&self) -> Code {
        match self.set_current() {
            // SAFETY: the context is current; waiting has no other requirement.
            Ok(_current) => unsafe { (self.driver.ctx_synchronize)() },
            Err((code, _)) => code,
        }
    }

    pub(crate) fn driver(&self) -> &'static Driver {
        self.driver
    }

    pub(crate) fn device(&self) -> CUdevice {
        self.device
    }

    pub(crate) fn raw(&self) -> CUcontext {
        self.raw
    }

    /// Whether the device reads any memory of the process in place, by the host's own page tables.
    pub(crate) fn shares_page_tables(&self) -> bool {
        self.shares_page_tables
    }

    /// Makes this the calling thread's current context, for as long as the answer lives; in a child of the process there is none.
    #[inline]
    pub(crate) fn make_current(&self) -> Result<Current> {
        if self.process.is_forked() {
            return Err(error::forked());
        }
        self.set_current().map_err(|(code, call)| self.failure(code, call))
    }

    /// The same, or the code of the call that failed. The driver is asked first: that is a read of thread-local state, while
    /// setting is not.
    #[inline]
    fn set_current(&self) -> std::result::Result<Current, (Code, &'static str)> {
        let mut before = std::ptr::null_mut();
        // SAFETY: writes one pointer.
        let code = unsafe { (self.driver.ctx_get_current)(&mut before) };
        if code != Code::SUCCESS {
            return Err((code, "cuCtxGetCurrent"));
        }
        if before == self.raw {
            return Ok(Current { driver: self.driver, before: std::ptr::null_mut() });
        }
        // SAFETY: the context is retained for as long as `self` lives.
        match unsafe { (self.driver.ctx_set_current)(self.raw) } {
            Code::SUCCESS => Ok(Current { driver: self.driver, before }),
            code => Err((code, "cuCtxSetCurrent")),
        }
    }

    /// Waits for everything that was queued on any stream.
    pub(crate) fn finish(&self) -> Result<()> {
        let _current = self.make_current()?;
        let logs: Vec<_> = lock(&self.logs).iter().filter_map(Weak::upgrade).collect();
        let seen: Vec<_> = logs.iter().map(|log| log.seen()).collect();
        let code = {
            let _no_capture = self.capturing.read().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: the context is current.
            unsafe { (self.driver.ctx_synchronize)() }
        };
        self.check(code, "cuCtxSynchronize")?;
        logs.iter().zip(seen).for_each(|(log, seen)| log.settle(seen));
        self.flush_prints();
        Ok(())
    }

    /// Until the answer goes, nobody waits for the whole device.
    pub(crate) fn while_capturing(&self) -> RwLockWriteGuard<'_, ()> {
        self.capturing.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on kernels may print.
    pub(crate) fn expect_prints(&self) {
        self.prints.store(true, Ordering::Relaxed);
    }

    /// Once work was waited for: the driver has given what kernels printed to C's library, which writes it out now.
    pub(crate) fn flush_prints(&self) {
        if self.prints.load(Ordering::Relaxed) {
            unsafe extern "C" {
                fn fflush(stream: *mut std::ffi::c_void) -> std::ffi::c_int;
            }
            // SAFETY: null stands for all streams that are written to.
            unsafe { fflush(std::ptr::null_mut()) };
        }
    }

    /// Turns the result of a driver call into ours.
    #[inline]
    pub(crate) fn check(&self, code: Code, call: &'static str) -> Result<()> {
        if code == Code::SUCCESS { Ok(()) } else { Err(self.failure(code, call)) }
    }

    #[cold]
    fn failure(&self, code: Code, call: &'static str) -> Error {
        let what = self.driver.describe(code);
        if !code.loses_context() {
            return error::driver(call, code, what);
        }
        let suspects = self.lost.get_or_init(|| self.suspects());
        error::driver(
            call,
            code,
            format!(
                "{what}, {suspects}; the device's context is lost, and with it all memory and kernels of this device: \
                 drop them and open the device again, or start the program again"
            ),
        )
    }

    /// Memory of `bytes` could not be had: the error says how much is free.
    #[cold]
    pub(crate) fn allocation_failure(&self, code: Code, call: &'static str, bytes: usize) -> Error {
        if code != Code::OUT_OF_MEMORY {
            return self.failure(code, call);
        }
        let free = self.memory_info().ok().map(|(free, _)| free as u64);
        Error::new(ErrorKind::OutOfMemory { requested: bytes as u64, free })
    }

    /// Free and total memory in bytes.
    pub(crate) fn memory_info(&self) -> Result<(usize, usize)> {
        let _current = self.make_current()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes two numbers.
        self.check(unsafe { (self.driver.mem_get_info)(&mut free, &mut total) }, "cuMemGetInfo")?;
        Ok((free, total))
    }

    /// The number under which logs know a kernel.
    pub(crate) fn number_of(&self, name: &str) -> u32 {
        let mut names = lock(&self.names);
        let position = names.iter().position(|known| **known == *name).unwrap_or_else(|| {
            names.push(name.into());
            names.len() - 1
        });
        position as u32
    }

    /// The log of a stream of this context.
    pub(crate) fn new_log(&self) -> Arc<LaunchLog> {
        let log = Arc::new(LaunchLog::default());
        let mut logs = lock(&self.logs);
        logs.retain(|log| log.strong_count() > 0);
        logs.push(Arc::downgrade(&log));
        log
    }

    /// Which kernels a fault may come from, as the end of a sentence.
    fn suspects(&self) -> String {
        let logs: Vec<_> = lock(&self.logs).iter().filter_map(Weak::upgrade).collect();
        let mut numbers: Vec<u32> = Vec::new();
        let mut forgotten = false;
        for log in logs {
            forgotten |= log.recent(|number| {
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            });
        }
        let names = lock(&self.names);
        let known: Vec<_> = numbers.iter().filter_map(|&n| names.get(n as usize)).map(|n| format!("`{n}`")).collect();
        match (&known[..], forgotten) {
            ([], _) => "in work that was not queued through this device handle".into(),
            ([one], false) => format!("in kernel {one}"),
            ([one], true) => format!("in kernel {one} or in one launched before it and not waited for"),
            (several, forgotten) => format!(
                "in one of the kernels {}{}, which were launched and not yet waited for",
                several.join(", "),
                if forgotten { " or earlier ones" } else { "" }
            ),
        }
    }
}

fn shares_page_tables(driver: &Driver, device: CUdevice) -> bool {
    let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES as u32;
    let mut value = 0;
    // SAFETY: `device` is one of the driver's. A driver that does not know the question does not do it.
    let code = unsafe { (driver.device_get_attribute)(&mut value, attribute, device) };
    code == Code::SUCCESS && value != 0
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.process.is_forked() {
            return;
        }
        // SAFETY: retained once. A failure here means that the driver has shut down with the process.
        let _ = unsafe { (self.driver.device_primary_ctx_release)(self.device) };
    }
}

/// Launches that are remembered for each stream.
const REMEMBERED: usize = 16;

/// The last kernels of a stream that nobody has waited for.
#[derive(Default)]
pub(crate) struct LaunchLog {
    launched: AtomicUsize,
    settled: AtomicUsize,
    numbers: [AtomicU32; REMEMBERED],
}

impl LaunchLog {
    /// Notes a launch.
    #[inline]
    pub(crate) fn note(&self, number: u32) {
        let position = self.launched.fetch_add(1, Ordering::Relaxed);
        self.numbers[position % REMEMBERED].store(number, Ordering::Relaxed);
    }

    /// How much was launched, for [`settle`](Self::settle) after a wait.
    pub(crate) fn seen(&self) -> usize {
        self.launched.load(Ordering::Relaxed)
    }

    /// What was launched before `seen` is done.
    pub(crate) fn settle(&self, seen: usize) {
        self.settled.fetch_max(seen, Ordering::Relaxed);
    }

    /// Hands over the kernels that were not waited for, the last one first; answers whether there were more.
    fn recent(&self, mut each: impl FnMut(u32)) -> bool {
        let (end, settled) = (self.seen(), self.settled.load(Ordering::Relaxed));
        let begin = settled.max(end.saturating_sub(REMEMBERED));
        (begin..end).rev().for_each(|at| each(self.numbers[at % REMEMBERED].load(Ordering::Relaxed)));
        begin > settled
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

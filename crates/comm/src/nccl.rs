//! Messages between NVIDIA's GPUs by NCCL, whose library is opened at run time.
//!
//! A rank is a process, or a thread, with a GPU of its own. What it sends and receives at one point of its program is one group
//! of NCCL's, so that ranks which name the same messages in any order do not wait for each other. NCCL knows nothing of tags
//! and lengths: messages between two ranks have the order of their tags, and the ranks have agreed on the lengths before.
//!
//! NCCL's kernels wait on the device for those of the other rank, for ever: a thread asks the transport now and then whether a
//! rank has failed, and looks whether the own device gets on, and ends them where one is not so.

#![allow(unsafe_code)] // NCCL is a library in C.

use crate::comm::Comm;
use crate::link::{Link, Linked, Parcel};
use crate::progress::Progress;
use crate::transport::failure;
use ferrocca_core::backend::{Api, BackendMailbox};
use ferrocca_core::{Device, Error, Result};
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// The variable that says where the library is, or `off`.
pub const VARIABLE: &str = "FERROCCA_NCCL";

/// How often a rank asks whether another one has failed.
const WATCH: Duration = Duration::from_millis(100);
/// How long what is queued may take at the end, before it is ended.
pub(crate) const LAST_WORK: Duration = Duration::from_secs(10);
/// How long a call of NCCL that another thread is in may take before its messages are ended nevertheless.
const LAST_CALL: Duration = Duration::from_secs(1);

/// `ncclUint8`.
const BYTES: c_int = 1;
/// `ncclInProgress`: NCCL is still at it.
const IN_PROGRESS: c_int = 7;

/// `ncclUniqueId`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Id([u8; 128]);

type Handle = *mut c_void;
type Move = unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, Handle, *mut c_void) -> c_int;

/// The functions of nccl.h that are used.
struct Functions {
    version: String,
    get_unique_id: unsafe extern "C" fn(*mut Id) -> c_int,
    comm_init_rank: unsafe extern "C" fn(*mut Handle, c_int, Id, c_int) -> c_int,
    comm_destroy: unsafe extern "C" fn(Handle) -> c_int,
    comm_abort: unsafe extern "C" fn(Handle) -> c_int,
    comm_get_async_error: unsafe extern "C" fn(Handle, *mut c_int) -> c_int,
    get_error_string: unsafe extern "C" fn(c_int) -> *const c_char,
    get_last_error: unsafe extern "C" fn(Handle) -> *const c_char,
    group_start: unsafe extern "C" fn() -> c_int,
    group_end: unsafe extern "C" fn() -> c_int,
    send: Move,
    recv: Move,
    /// Keeps the functions valid; absent in the tables of tests.
    _library: Option<Library>,
}

/// Where the library may be, beside what the dynamic loader knows.
static PLACES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Names a file of NCCL's library that is tried after the dynamic loader's: that of a Python package, say. It has an effect
/// before the first plan of a GPU.
pub fn suggest_nccl(library: impl Into<PathBuf>) {
    PLACES.lock().unwrap_or_else(PoisonError::into_inner).push(library.into());
}

/// The library, or why there is none.
fn functions() -> std::result::Result<&'static Functions, String> {
    static FUNCTIONS: OnceLock<std::result::Result<Functions, String>> = OnceLock::new();
    FUNCTIONS.get_or_init(open).as_ref().map_err(Clone::clone)
}

fn open() -> std::result::Result<Functions, String> {
    let named = std::env::var(VARIABLE).ok().filter(|text| !text.is_empty());
    if named.as_deref() == Some("off") {
        return Err(format!("{VARIABLE}=off"));
    }
    let mut candidates: Vec<PathBuf> = match &named {
        Some(path) => vec![path.into()],
        None => vec!["libnccl.so.2".into()],
    };
    if named.is_none() {
        candidates.extend(PLACES.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        candidates.extend(environments());
    }
    let mut reason = String::new();
    for path in candidates {
        // SAFETY: NCCL's library has no requirement when it is opened.
        match unsafe { Library::new(&path) } {
            Ok(library) => {
                // SAFETY: it is NCCL's, by its name or because the user says so.
                return unsafe { Functions::of(library) }.map_err(|why| format!("{}: {why}", path.display()));
            }
            Err(error) if reason.is_empty() => reason = error.to_string(),
            Err(_) => {}
        }
    }
    Err(format!(
        "there is no NCCL ({reason}); `pip install nvidia-nccl-cu13` (cu12 for older drivers), or {VARIABLE}=/path/to/libnccl.so.2"
    ))
}

/// Below the active Python environment.
fn environments() -> Vec<PathBuf> {
    let roots = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let pythons = roots.flat_map(|root| std::fs::read_dir(root.join("lib")).into_iter().flatten().flatten());
    let library = |python: PathBuf| python.join("site-packages/nvidia/nccl/lib/libnccl.so.2");
    pythons.map(|python| library(python.path())).filter(|path| path.is_file()).collect()
}

impl Functions {
    /// # Safety
    /// `library` is NCCL 2.
    unsafe fn of(library: Library) -> std::result::Result<Self, String> {
        /// # Safety
        /// `T` is the function's type.
        unsafe fn symbol<T: Copy>(library: &Library, name: &str) -> std::result::Result<T, String> {
            // SAFETY: by the caller.
            let symbol = unsafe { library.get::<T>(name.as_bytes()) };
            symbol
                .map(|symbol| *symbol)
                .map_err(|_| format!("it has no function `{name}`; NCCL 2.14 or newer is needed"))
        }
        // SAFETY: the types are those of nccl.h.
        unsafe {
            let get_version: unsafe extern "C" fn(*mut c_int) -> c_int = symbol(&library, "ncclGetVersion")?;
            let mut number = 0;
            if get_version(&mut number) != 0 {
                return Err("it does not say its version".to_owned());
            }
            Ok(Self {
                version: format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100),
                get_unique_id: symbol(&library, "ncclGetUniqueId")?,
                comm_init_rank: symbol(&library, "ncclCommInitRank")?,
                comm_destroy: symbol(&library, "ncclCommDestroy")?,
                comm_abort: symbol(&library, "ncclCommAbort")?,
                comm_get_async_error: symbol(&library, "ncclCommGetAsyncError")?,
                get_error_string: symbol(&library, "ncclGetErrorString")?,
                get_last_error: symbol(&library, "ncclGetLastError")?,
                group_start: symbol(&library, "ncclGroupStart")?,
                group_end: symbol(&library, "ncclGroupEnd")?,
                send: symbol(&library, "ncclSend")?,
                recv: symbol(&library, "ncclRecv")?,
                _library: Some(library),
            })
        }
    }

    fn check(&self, call: &str, code: c_int) -> Result<()> {
        if code == 0 { Ok(()) } else { Err(self.error(call, code)) }
    }

    #[cold]
    fn error(&self, call: &str, code: c_int) -> Error {
        // SAFETY: both answer texts that are never freed, or null.
        let texts = unsafe { [(self.get_error_string)(code), (self.get_last_error)(std::ptr::null_mut())] };
        // SAFETY: as above.
        let texts = texts.map(|text| (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy()));
        let [what, last] = texts.map(|text| text.filter(|text| !text.is_empty()));
        let last = last.map(|last| format!(" ({})", last.trim())).unwrap_or_default();
        failure(format!("{call} of NCCL: {}{last}", what.as_deref().unwrap_or("an unknown error")))
    }
}

/// What a rank's device needs for NCCL: which hardware it is, and the library's version.
/// # Errors
/// Why there is no such thing.
pub(crate) fn description(device: &Device) -> std::result::Result<String, String> {
    if device.mode() != Api::CUDA.name {
        return Err(format!("a device of mode `{}` is none of NCCL's", device.mode()));
    }
    let Some(uuid) = device.info().uuid else { return Err("the device does not say which GPU it is".to_owned()) };
    let uuid: String = uuid.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{} {uuid}", functions()?.version))
}

/// Whether the devices of all ranks can be linked.
/// # Errors
/// Why not.
pub(crate) fn fit(descriptions: &[&str]) -> std::result::Result<(), String> {
    let parts: Vec<(&str, &str)> = descriptions.iter().filter_map(|text| text.split_once(' ')).collect();
    for (rank, (version, uuid)) in parts.iter().enumerate() {
        if let Some(other) = parts[..rank].iter().position(|(_, known)| known == uuid) {
            return Err(format!("ranks {other} and {rank} have one GPU"));
        }
        if *version != parts[0].0 {
            return Err(format!("rank 0 has NCCL {}, rank {rank} has {version}", parts[0].0));
        }
    }
    Ok(())
}

/// A rank of a communicator of NCCL.
pub(crate) struct Nccl {
    functions: &'static Functions,
    device: Device,
    /// `ncclComm_t`; null once it was destroyed.
    handle: AtomicPtr<c_void>,
    /// NCCL takes one call at a time. The one that ends all messages may come meanwhile.
    calls: Mutex<()>,
    /// Why nothing is sent any more.
    failed: OnceLock<Error>,
    /// What waits for the same ranks.
    mailboxes: Mutex<Vec<Weak<dyn BackendMailbox>>>,
}

impl Nccl {
    /// Makes a communicator of all ranks. Collective.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Communication`] of the transport; what NCCL says is why there is no link.
    pub(crate) fn start(comm: &Comm, device: &Device) -> Result<Linked> {
        let functions = match functions() {
            Ok(functions) => functions,
            Err(reason) => return Ok(Err(reason)),
        };
        let mut id = Id([0; 128]);
        let mut made = Ok(());
        if comm.rank() == 0 {
            // SAFETY: writes an id.
            made = functions.check("ncclGetUniqueId", unsafe { (functions.get_unique_id)(&mut id) });
        }
        if let Err(error) = comm.all_succeed(made) {
            return Ok(Err(error.to_string()));
        }
        let bytes = comm.broadcast(id.0.to_vec())?;
        id.0.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        let mut handle = std::ptr::null_mut();
        let (size, rank) = (comm.size() as c_int, comm.rank() as c_int);
        let made = device.stream().queue_native(|_| {
            // SAFETY: the device is the current one; all ranks call it with the same id.
            functions.check("ncclCommInitRank", unsafe { (functions.comm_init_rank)(&mut handle, size, id, rank) })
        });
        if let Err(error) = comm.all_succeed(made) {
            if !handle.is_null() {
                // SAFETY: made above, and used by nobody.
                unsafe { (functions.comm_abort)(handle) };
            }
            return Ok(Err(error.to_string()));
        }
        let link = Arc::new(Self {
            functions,
            device: device.clone(),
            handle: AtomicPtr::new(handle),
            calls: Mutex::default(),
            failed: OnceLock::new(),
            mailboxes: Mutex::default(),
        });
        let (watched, ranks) = (Arc::downgrade(&link), comm.downgrade());
        let watch = move || {
            let mut progress = Progress::new();
            while let (Some(link), Some(comm)) = (watched.upgrade(), ranks.upgrade()) {
                if !link.is_well(&comm, &mut progress) {
                    return;
                }
                drop((link, comm));
                std::thread::sleep(WATCH);
            }
        };
        let thread = std::thread::Builder::new().name("nccl watch".to_owned()).spawn(watch);
        thread.map_err(|error| failure(format!("a thread: {error}")))?;
        Ok(Ok(link))
    }

    /// Looks whether all is well, and ends the messages where it is not.
    fn is_well(&self, comm: &Comm, progress: &mut Progress) -> bool {
        let mut failed =
            || comm.transport().failed().or_else(|| self.own_failure()).or_else(|| self.stall(comm, progress));
        let Some(error) = failed() else { return true };
        if self.failed.set(error.clone()).is_ok() {
            // What was to be received is not there.
            self.device.fail(error);
            // NCCL's end waits for all graphs that hold its messages, and who has these may wait in a mailbox.
            let mailboxes = self.mailboxes.lock().unwrap_or_else(PoisonError::into_inner).clone();
            mailboxes.iter().filter_map(Weak::upgrade).for_each(|mailbox| mailbox.end());
            // Who is in a call may wait there for the rank that has failed.
            let start = Instant::now();
            while self.calls.try_lock().is_err() && start.elapsed() < LAST_CALL {
                std::thread::sleep(Duration::from_millis(10));
            }
            self.end(self.functions.comm_abort);
        }
        false
    }

    /// What NCCL has met since the last call.
    fn own_failure(&self) -> Option<Error> {
        let _one_at_a_time = self.calls.try_lock().ok()?;
        let handle = self.handle.load(Ordering::Acquire);
        let mut code = 0;
        // SAFETY: the communicator lives while `calls` is locked and it is not null.
        let was_asked = !handle.is_null() && unsafe { (self.functions.comm_get_async_error)(handle, &mut code) } == 0;
        (was_asked && code != 0 && code != IN_PROGRESS).then(|| self.functions.error("a message", code))
    }

    /// That the device has not got on for the time that a rank waits for another one.
    fn stall(&self, comm: &Comm, progress: &mut Progress) -> Option<Error> {
        // A device that has failed says so itself.
        let stalled = progress.stalled_for(&self.device, self.calls.try_lock().is_err()).ok()?;
        let limit = comm.limit();
        let message = || {
            failure(format!(
                "{} waited {limit:.1?} for its device, whose work holds messages: another rank hangs or is late, or one pass \
                 through a recorded loop takes longer (`Comm::set_limit`)",
                comm.whereabouts()
            ))
        };
        (stalled > limit).then(message)
    }

    /// Destroys the communicator, or also ends what the device waits for.
    fn end(&self, call: unsafe extern "C" fn(Handle) -> c_int) {
        let handle = self.handle.swap(std::ptr::null_mut(), Ordering::AcqRel);
        if !handle.is_null() {
            // A device that has failed has no messages.
            let _ = self.device.default_stream().queue_native(|_| {
                // SAFETY: nobody gets the communicator any more; a call that it is in already NCCL ends by itself.
                unsafe { call(handle) };
                Ok(())
            });
        }
    }
}

impl Link for Nccl {
    fn name(&self) -> String {
        format!("NCCL {}", self.functions.version)
    }

    fn exchange(&self, stream: u64, sends: &[Parcel], receives: &[Parcel]) -> Result<()> {
        let _one_at_a_time = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let handle = self.handle.load(Ordering::Acquire);
        if let Some(error) = self.failed.get() {
            return Err(error.clone());
        }
        let functions = self.functions;
        let queue = |call: &'static str, function: Move, (other, memory): &Parcel| {
            let (address, bytes) = (memory.ptr(), memory.bytes());
            if bytes == 0 {
                return Ok(());
            }
            let stream = stream as usize as *mut c_void;
            // SAFETY: the memory is of this device and lives until the messages are done, by the caller; the stream too.
            let code = unsafe { function(address, bytes, BYTES, *other as c_int, handle, stream) };
            functions.check(call, code)
        };
        // SAFETY: a group that is begun is ended below.
        functions.check("ncclGroupStart", unsafe { (functions.group_start)() })?;
        let queued = sends.iter().try_for_each(|parcel| queue("ncclSend", functions.send, parcel));
        let queued =
            queued.and_then(|()| receives.iter().try_for_each(|parcel| queue("ncclRecv", functions.recv, parcel)));
        // SAFETY: begun above.
        let ended = functions.check("ncclGroupEnd", unsafe { (functions.group_end)() });
        queued.and(ended)
    }

    fn failure(&self) -> Option<Error> {
        self.failed.get().cloned()
    }

    fn watch(&self, mailbox: Weak<dyn BackendMailbox>) {
        let mut mailboxes = self.mailboxes.lock().unwrap_or_else(PoisonError::into_inner);
        // What comes after the end ends at once.
        match self.failed.get() {
            Some(_) => mailbox.upgrade().into_iter().for_each(|mailbox| mailbox.end()),
            None => mailboxes.push(mailbox),
        }
    }
}

impl Drop for Nccl {
    fn drop(&mut self) {
        // What waits for a rank that will not come does not hold up the end.
        let is_done = self.failed.get().is_none() && self.device.finish_within(LAST_WORK).unwrap_or(false);
        self.end(if is_done { self.functions.comm_destroy } else { self.functions.comm_abort });
    }
}

#[cfg(test)]
mod tests;

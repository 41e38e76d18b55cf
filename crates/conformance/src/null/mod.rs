//! The null device: implements the contract with host buffers and no work, counts what it is asked, and fails where
//! it is told to. It is for tests of whatever stands on a [`ferrocca_core::Device`]; no program finds it by itself.
//!
//! ```
//! use ferrocca_conformance::null::{Call, NullBackend};
//! use ferrocca_core::Device;
//!
//! let backend = NullBackend::new();
//! let device = Device::open_with(&backend, ())?;
//! backend.fail(Call::Allocate, 2);
//! assert!(device.malloc::<f64>(8).is_ok());
//! assert!(device.malloc::<f64>(8).is_err());
//! assert_eq!(backend.count(Call::Allocate), 2);
//! # Ok::<(), ferrocca_core::Error>(())
//! ```

use device::NullDevice;
use ferrocca_core::backend::{Api, Backend, BackendDevice, Capabilities, DeviceInfo, GraphReplay, LaunchDims, Mode};
use ferrocca_core::props::Props;
use ferrocca_core::{Error, ErrorKind, Result};
use memory::Buffer;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use stream::NullStream;

mod device;
#[cfg(unix)]
mod export;
mod kernel;
mod memory;
mod stream;

/// What devices are known by that export memory.
pub const UUID: [u8; 16] = *b"the null device.";

/// Whose the numbers are that its memory is known by.
const API: Api = Api::new("the null device", Api::DLPACK_UNKNOWN);

/// First bytes of the artifacts that this device loads.
const MAGIC: &[u8] = b"null artifact\n";

/// The calls of the contract, to be counted and to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Call {
    Probe,
    Open,
    Identity,
    Allocate,
    Wrap,
    Free,
    Compile,
    Load,
    CreateStream,
    MemoryInfo,
    Finish,
    Launch,
    CopyIn,
    CopyOut,
    Copy,
    Fill,
    Tag,
    StreamWait,
    StreamFinish,
    TagWait,
    Elapsed,
    LowerGraph,
    Replay,
    UpdateValue,
    Export,
    CreateTimeline,
    Signal,
    TimelineWait,
}

const CALLS: usize = Call::TimelineWait as usize + 1;

/// A launch as the device got it.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Symbol of the nest.
    pub entry: String,
    /// Its sizes.
    pub dims: LaunchDims,
    /// Its arguments.
    pub arguments: Vec<LaunchArgument>,
    /// Handle of the stream, 0 for the default one.
    pub stream: u64,
}

/// An argument of a recorded launch.
#[derive(Clone, Debug, PartialEq)]
pub enum LaunchArgument {
    /// Handle of the memory (`None`: a null pointer), offset and length in bytes, whether it may be written.
    Memory(Option<u64>, u64, u64, bool),
    /// Bytes of a value.
    Value(Vec<u8>),
}

/// A replay as the device got it, of a graph that it has made ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replay {
    /// Number of phases of the graph.
    pub phases: usize,
    /// Number of commands of each.
    pub commands: usize,
    /// Which repetitions.
    pub replay: GraphReplay,
    /// Handle of the stream, 0 for the default one.
    pub stream: u64,
}

/// A value that a graph was given, as the device got it: command, argument, bytes.
pub type ValueUpdate = (usize, usize, Vec<u8>);

/// The backend; each one counts for itself, over all devices that it opened.
#[derive(Clone, Default)]
pub struct NullBackend {
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    counts: [AtomicU64; CALLS],
    /// Which call, counted from 1 over the backend's life, fails; 0 for none.
    failures: [AtomicU64; CALLS],
    next_handle: AtomicU64,
    memory: Mutex<BTreeMap<u64, Weak<Buffer>>>,
    launches: Mutex<Option<Vec<Launch>>>,
    lowers_graphs: AtomicBool,
    exports: AtomicBool,
    reaches_peers: AtomicBool,
    replays: Mutex<(Vec<Replay>, Vec<ValueUpdate>)>,
    capabilities: Mutex<Option<Capabilities>>,
    api: Mutex<Option<Api>>,
    identity: Mutex<String>,
    compile_time: Mutex<Duration>,
    compile_limit: Mutex<Option<Duration>>,
}

impl NullBackend {
    /// A backend whose calls all succeed.
    pub fn new() -> Self {
        Self::default()
    }

    /// How often a call was made.
    pub fn count(&self, call: Call) -> u64 {
        self.state.counts[call as usize].load(Ordering::Relaxed)
    }

    /// Makes the `nth` call from now on fail (1: the next one).
    pub fn fail(&self, call: Call, nth: u64) {
        self.state.failures[call as usize].store(self.count(call) + nth, Ordering::Relaxed);
    }

    /// Keeps every launch from now on, for [`launches`](Self::launches).
    pub fn record_launches(&self) {
        *lock(&self.state.launches) = Some(Vec::new());
    }

    /// The launches since [`record_launches`](Self::record_launches).
    pub fn launches(&self) -> Vec<Launch> {
        lock(&self.state.launches).clone().unwrap_or_default()
    }

    /// Whether it makes graphs ready itself; unless told so it leaves them to core. Its graphs do nothing but count.
    pub fn set_lowers_graphs(&self, lowers: bool) {
        self.state.lowers_graphs.store(lowers, Ordering::Relaxed);
    }

    /// Whether its devices, which then are the hardware [`UUID`], export memory and make timelines.
    pub fn set_exports(&self, exports: bool) {
        self.state.exports.store(exports, Ordering::Relaxed);
    }

    /// Whose addresses its memory has from now on, which it takes back in `wrap`, each with what lies behind it; unless
    /// told so its handles are numbers of its own.
    pub fn set_addresses_of(&self, api: Api) {
        *lock(&self.state.api) = Some(api);
    }

    /// Whether its devices copy from memory of each other.
    pub fn set_reaches_peers(&self, reaches: bool) {
        self.state.reaches_peers.store(reaches, Ordering::Relaxed);
    }

    /// The replays and the new values of graphs that it has made ready.
    pub fn replays(&self) -> (Vec<Replay>, Vec<ValueUpdate>) {
        lock(&self.state.replays).clone()
    }

    /// What devices that are opened from now on can do.
    pub fn set_capabilities(&self, capabilities: Capabilities) {
        *lock(&self.state.capabilities) = Some(capabilities);
    }

    /// What its compiler calls itself: part of the cache key, and of the artifacts that it accepts.
    pub fn set_identity(&self, identity: &str) {
        *lock(&self.state.identity) = identity.to_string();
    }

    /// How long its compiler takes; nothing unless told otherwise.
    pub fn set_compile_time(&self, time: Duration) {
        *lock(&self.state.compile_time) = time;
    }

    /// How long it says that its compiler takes at most.
    pub fn set_compile_limit(&self, limit: Duration) {
        *lock(&self.state.compile_limit) = Some(limit);
    }

    /// What it can do unless told otherwise.
    pub fn default_capabilities() -> Capabilities {
        Capabilities::new((1024, [1024, 1024, 64]), [1 << 31, 65535, 65535])
            .with_separate_memory(true)
            .with_f64(true)
            .with_i64(true)
            .with_max_shared_bytes(48 << 10)
            .with_concurrent_streams(true)
    }
}

impl State {
    fn enter(&self, call: Call) -> Result<()> {
        let number = self.counts[call as usize].fetch_add(1, Ordering::Relaxed) + 1;
        if self.failures[call as usize].load(Ordering::Relaxed) == number {
            return Err(injected(call, number));
        }
        Ok(())
    }
}

#[cold]
fn injected(call: Call, number: u64) -> Error {
    match call {
        Call::Allocate => {
            Error::new(ErrorKind::OutOfMemory { requested: 0, free: Some(0) }).while_doing("injected failure")
        }
        Call::Open | Call::Probe => {
            Error::new(ErrorKind::Unavailable { mode: "Null".into(), reason: "injected failure".into() })
        }
        _ => Error::driver("null", None, format!("injected failure of {call:?} number {number}")),
    }
}

const MODES: &[Mode] = &[Mode::new("Null", "does nothing, for tests")
    .with_aliases(&["nil"])
    .with_device_props(&[("device_id", "any number; reported as it is")])
    .with_kernel_props(&[("compiler_flags", "any text; part of the cache key")])];

impl Backend for NullBackend {
    fn modes(&self) -> &'static [Mode] {
        MODES
    }

    fn probe(&self, _mode: &str) -> Result<Vec<DeviceInfo>> {
        self.state.enter(Call::Probe)?;
        Ok(vec![self.info(0)])
    }

    fn props_of(&self, info: &DeviceInfo) -> Props {
        Props::new().with("device_id", i64::from(info.device_id))
    }

    fn open(&self, _mode: &str, props: &Props) -> Result<Arc<dyn BackendDevice>> {
        self.state.enter(Call::Open)?;
        let device_id = props.get_int_in("device_id", 0..=i64::from(u32::MAX))?.unwrap_or(0);
        Ok(Arc::new(NullDevice {
            info: self.info(device_id as u32),
            capabilities: lock(&self.state.capabilities).clone().unwrap_or_else(Self::default_capabilities),
            stream: Arc::new(NullStream { state: self.state.clone(), handle: 0 }),
            state: self.state.clone(),
        }))
    }
}

impl NullBackend {
    fn info(&self, device_id: u32) -> DeviceInfo {
        let mut info = DeviceInfo::new("Null", "nothing");
        info.device_id = device_id;
        info.memory_bytes = 1 << 40;
        info.uuid = self.state.exports.load(Ordering::Relaxed).then_some(UUID);
        info
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

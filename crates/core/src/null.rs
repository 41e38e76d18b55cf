//! The null device: implements the contract with host buffers and no work, counts what it is asked, and fails where
//! it is told to. It is for tests of whatever stands on a [`Device`](crate::Device); no program finds it by itself.
//!
//! ```
//! use ferrocca_core::null::{Call, NullBackend};
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

use crate::backend::{
    Api, Artifact, Backend, BackendDevice, BackendGraph, BackendKernel, BackendMemory, BackendStream, BackendTag,
    BackendTimeline, Capabilities, DeviceInfo, Exported, GraphCommand, GraphReplay, LaunchDims, MemoryInfo, Mode,
    NativeHandle, PackedArgument, Placement,
};
use crate::props::Props;
use crate::{Error, ErrorKind, Result};
use okl::Compiled;
use okl::back::cpu::CpuTarget;
use okl::signature::{NestSignature, Signature};
use okl::target::Target;
use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

#[cfg(unix)]
mod export;

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
    replays: Mutex<(Vec<Replay>, Vec<ValueUpdate>)>,
    capabilities: Mutex<Option<Capabilities>>,
    api: Mutex<Option<Api>>,
    identity: Mutex<String>,
    compile_time: Mutex<Duration>,
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
        _ => Error::new(ErrorKind::Driver {
            call: "null",
            message: format!("injected failure of {call:?} number {number}"),
        }),
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

struct NullDevice {
    state: Arc<State>,
    info: DeviceInfo,
    capabilities: Capabilities,
    stream: Arc<NullStream>,
}

impl NullDevice {
    fn memory(&self, buffer: Arc<Buffer>, start: usize, bytes: usize) -> Arc<dyn BackendMemory> {
        Arc::new(NullMemory { state: self.state.clone(), buffer, start, bytes })
    }
}

impl BackendDevice for NullDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn target(&self) -> Arc<dyn Target> {
        Arc::new(CpuTarget)
    }

    fn identity(&self, _props: &Props) -> Result<Vec<(&'static str, String)>> {
        self.state.enter(Call::Identity)?;
        Ok(vec![("compiler", lock(&self.state.identity).clone())])
    }

    fn allocate(&self, bytes: usize, _placement: Placement) -> Result<Arc<dyn BackendMemory>> {
        self.state.enter(Call::Allocate)?;
        let mut data = Vec::new();
        data.try_reserve_exact(bytes)
            .map_err(|_| Error::new(ErrorKind::OutOfMemory { requested: bytes as u64, free: None }))?;
        data.resize(bytes, 0);
        let handle = self.state.next_handle.fetch_add(1, Ordering::Relaxed) + 1;
        let buffer = Arc::new(Buffer { handle, data: Mutex::new(data) });
        lock(&self.state.memory).insert(handle, Arc::downgrade(&buffer));
        Ok(self.memory(buffer, 0, bytes))
    }

    /// Takes the handles of its own memory.
    unsafe fn wrap(&self, handle: NativeHandle, bytes: usize) -> Result<Arc<dyn BackendMemory>> {
        self.state.enter(Call::Wrap)?;
        if handle.api() != lock(&self.state.api).unwrap_or(API) {
            let reason = "mode `Null` knows handles of its own memory alone";
            return Err(Error::unsupported(format!("wrapping {handle}"), reason));
        }
        let known: Vec<Arc<Buffer>> = lock(&self.state.memory).values().filter_map(Weak::upgrade).collect();
        let found = known.into_iter().find_map(|buffer| {
            let start = match handle.address() {
                Some(address) => address.checked_sub(buffer.address())?,
                None => (buffer.handle == handle.raw()).then_some(0)?,
            };
            let end = start.checked_add(bytes as u64)?;
            let fits = end <= lock(&buffer.data).len() as u64;
            fits.then(|| self.memory(buffer, start as usize, bytes))
        });
        found.ok_or_else(|| Error::invalid(format!("{handle} is no memory of {bytes} bytes")))
    }

    fn exports_memory(&self) -> bool {
        self.info.uuid.is_some()
    }

    #[cfg(unix)]
    fn export(&self, memory: &dyn BackendMemory) -> Result<Exported> {
        self.state.enter(Call::Export)?;
        if !self.exports_memory() {
            return Err(Error::unsupported("exporting memory", "this null device exports nothing"));
        }
        export::memory(&own(memory)?.buffer)
    }

    #[cfg(unix)]
    fn create_timeline(&self) -> Result<(Arc<dyn BackendTimeline>, Exported)> {
        self.state.enter(Call::CreateTimeline)?;
        export::timeline(&self.state)
    }

    fn compile(&self, text: &Compiled, _props: &Props) -> Result<Vec<u8>> {
        self.state.enter(Call::Compile)?;
        let compile_time = *lock(&self.state.compile_time);
        std::thread::sleep(compile_time);
        Ok([MAGIC, lock(&self.state.identity).as_bytes(), b"\n", text.text.as_bytes()].concat())
    }

    fn load(&self, artifact: &Artifact<'_>, signature: &Signature) -> Result<Vec<Arc<dyn BackendKernel>>> {
        self.state.enter(Call::Load)?;
        let identity = lock(&self.state.identity).clone();
        let body = artifact.bytes.strip_prefix(MAGIC).and_then(|rest| rest.strip_prefix(identity.as_bytes()));
        if body.is_none() {
            return Err(Error::new(ErrorKind::Driver {
                call: "load",
                message: "this artifact is not of this device".into(),
            }));
        }
        let kernel =
            |_: &NestSignature| -> Arc<dyn BackendKernel> { Arc::new(NullKernel { state: self.state.clone() }) };
        Ok(signature.nests.iter().map(kernel).collect())
    }

    fn default_stream(&self) -> Arc<dyn BackendStream> {
        self.stream.clone()
    }

    fn create_stream(&self, _props: &Props) -> Result<Arc<dyn BackendStream>> {
        self.state.enter(Call::CreateStream)?;
        let handle = self.state.next_handle.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(Arc::new(NullStream { state: self.state.clone(), handle }))
    }

    /// Any number is a stream.
    unsafe fn wrap_stream(&self, handle: u64) -> Result<Arc<dyn BackendStream>> {
        Ok(Arc::new(NullStream { state: self.state.clone(), handle }))
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        self.state.enter(Call::MemoryInfo)?;
        Ok(MemoryInfo::new(self.info.memory_bytes, self.info.memory_bytes))
    }

    unsafe fn lower_graph(&self, phases: &[Vec<GraphCommand>]) -> Result<Option<Box<dyn BackendGraph>>> {
        self.state.enter(Call::LowerGraph)?;
        if !self.state.lowers_graphs.load(Ordering::Relaxed) {
            return Ok(None);
        }
        Ok(Some(Box::new(NullGraph { state: self.state.clone(), phases: phases.len(), commands: phases[0].len() })))
    }

    fn finish(&self) -> Result<()> {
        self.state.enter(Call::Finish)
    }
}

struct Buffer {
    handle: u64,
    data: Mutex<Vec<u8>>,
}

impl Buffer {
    fn address(&self) -> u64 {
        lock(&self.data).as_ptr() as u64
    }
}

struct NullMemory {
    state: Arc<State>,
    buffer: Arc<Buffer>,
    /// Where it begins in the buffer.
    start: usize,
    bytes: usize,
}

impl NullMemory {
    /// The bytes from an offset on.
    fn from(&self, offset: usize) -> Range<usize> {
        self.start + offset..self.start + self.bytes
    }
}

impl Drop for NullMemory {
    fn drop(&mut self) {
        self.state.counts[Call::Free as usize].fetch_add(1, Ordering::Relaxed);
    }
}

impl BackendMemory for NullMemory {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn handle(&self) -> NativeHandle {
        match *lock(&self.state.api) {
            Some(api) => NativeHandle::Address { api, address: self.buffer.address() + self.start as u64 },
            None => NativeHandle::Opaque { api: API, handle: self.buffer.handle },
        }
    }

    fn mapped(&self) -> Option<NonNull<u8>> {
        None
    }
}

struct NullKernel {
    state: Arc<State>,
}

impl BackendKernel for NullKernel {
    fn max_inner(&self) -> u64 {
        512
    }

    unsafe fn launch(
        &self,
        nest: &NestSignature,
        dims: &LaunchDims,
        arguments: &[PackedArgument<'_>],
        stream: &dyn BackendStream,
    ) -> Result<()> {
        self.state.enter(Call::Launch)?;
        if let Some(launches) = &mut *lock(&self.state.launches) {
            let arguments = arguments.iter().map(record).collect();
            launches.push(Launch { entry: nest.entry.clone(), dims: *dims, arguments, stream: stream.handle() });
        }
        Ok(())
    }
}

fn record(argument: &PackedArgument<'_>) -> LaunchArgument {
    match argument {
        PackedArgument::Value(bytes) => LaunchArgument::Value(bytes.to_vec()),
        PackedArgument::Memory { memory, offset_bytes, bytes, mutable, .. } => {
            LaunchArgument::Memory(memory.map(|memory| memory.handle().raw()), *offset_bytes, *bytes, *mutable)
        }
    }
}

struct NullGraph {
    state: Arc<State>,
    phases: usize,
    commands: usize,
}

impl BackendGraph for NullGraph {
    fn replay(&mut self, replay: GraphReplay, stream: &dyn BackendStream) -> Result<()> {
        self.state.enter(Call::Replay)?;
        let replay = Replay { phases: self.phases, commands: self.commands, replay, stream: stream.handle() };
        lock(&self.state.replays).0.push(replay);
        Ok(())
    }

    fn update_value(&mut self, command: usize, argument: usize, value: &[u8]) -> Result<()> {
        self.state.enter(Call::UpdateValue)?;
        lock(&self.state.replays).1.push((command, argument, value.to_vec()));
        Ok(())
    }
}

struct NullStream {
    state: Arc<State>,
    handle: u64,
}

impl BackendStream for NullStream {
    fn handle(&self) -> u64 {
        self.handle
    }

    fn copy_in(&self, destination: &dyn BackendMemory, offset: usize, source: &[u8]) -> Result<()> {
        self.state.enter(Call::CopyIn)?;
        let memory = own(destination)?;
        lock(&memory.buffer.data)[memory.from(offset)][..source.len()].copy_from_slice(source);
        Ok(())
    }

    fn copy_out(&self, source: &dyn BackendMemory, offset: usize, destination: &mut [u8]) -> Result<()> {
        self.state.enter(Call::CopyOut)?;
        let memory = own(source)?;
        destination.copy_from_slice(&lock(&memory.buffer.data)[memory.from(offset)][..destination.len()]);
        Ok(())
    }

    fn copy(
        &self,
        destination: &dyn BackendMemory,
        destination_offset: usize,
        source: &dyn BackendMemory,
        source_offset: usize,
        bytes: usize,
    ) -> Result<()> {
        self.state.enter(Call::Copy)?;
        // Through a buffer of its own, because both may be one memory.
        let (from, to) = (own(source)?, own(destination)?);
        let data = lock(&from.buffer.data)[from.from(source_offset)][..bytes].to_vec();
        lock(&to.buffer.data)[to.from(destination_offset)][..bytes].copy_from_slice(&data);
        Ok(())
    }

    fn fill(&self, destination: &dyn BackendMemory, offset: usize, bytes: usize, pattern: &[u8]) -> Result<()> {
        self.state.enter(Call::Fill)?;
        let memory = own(destination)?;
        let mut data = lock(&memory.buffer.data);
        data[memory.from(offset)][..bytes]
            .chunks_exact_mut(pattern.len())
            .for_each(|chunk| chunk.copy_from_slice(pattern));
        Ok(())
    }

    fn tag(&self) -> Result<Arc<dyn BackendTag>> {
        self.state.enter(Call::Tag)?;
        Ok(Arc::new(NullTag { state: self.state.clone(), at: Instant::now() }))
    }

    fn wait(&self, _tag: &dyn BackendTag) -> Result<()> {
        self.state.enter(Call::StreamWait)
    }

    fn finish(&self) -> Result<()> {
        self.state.enter(Call::StreamFinish)
    }
}

fn own(memory: &dyn BackendMemory) -> Result<&NullMemory> {
    (memory as &dyn Any).downcast_ref().ok_or_else(|| {
        Error::new(ErrorKind::Internal { message: "memory of another backend reached the null device".into() })
    })
}

struct NullTag {
    state: Arc<State>,
    at: Instant,
}

impl BackendTag for NullTag {
    fn wait(&self) -> Result<()> {
        self.state.enter(Call::TagWait)
    }

    fn is_reached(&self) -> Result<bool> {
        Ok(true)
    }

    fn elapsed_ms(&self, earlier: &dyn BackendTag) -> Result<f64> {
        self.state.enter(Call::Elapsed)?;
        let earlier = (earlier as &dyn Any).downcast_ref::<NullTag>().map_or(self.at, |tag| tag.at);
        Ok(self.at.saturating_duration_since(earlier).as_secs_f64() * 1e3)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

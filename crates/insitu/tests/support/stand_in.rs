//! A stand-in for a CUDA device, for tests without one: its memory says that it is CUDA's, its streams have handles and
//! run beside each other on threads of their own, and streams of others are wrapped by their handles. As with CUDA, the
//! legacy default stream (1) and the device's default stream are always in order.
//!
//! It also plays the library that shares the device: work is queued on any stream by its handle.

use ferrocca_conformance::null::NullBackend;
use ferrocca_core::backend::{
    Artifact, Backend, BackendDevice, BackendKernel, BackendMemory, BackendStream, BackendTag, Capabilities,
    DeviceInfo, MemoryInfo, Mode, NativeHandle, Placement,
};
use ferrocca_core::props::Props;
use ferrocca_core::{Error, Result};
use okl::Compiled;
use okl::back::cpu::CpuTarget;
use okl::signature::Signature;
use okl::target::Target;
use std::any::Any;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

type Command = Box<dyn FnOnce() + Send>;

/// Handle of the device's default stream.
pub(crate) const DEFAULT: u64 = 0x1000;
const LEGACY: u64 = 1;

/// What happens on the device, for tests to look at.
#[derive(Default)]
pub(crate) struct State {
    streams: Mutex<BTreeMap<u64, Sender<Command>>>,
    /// Which stream waited for a tag of which.
    waits: Mutex<Vec<(u64, u64)>>,
    finishes: AtomicU64,
    live_bytes: AtomicU64,
    holds_writes: Arc<AtomicBool>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// Starts a stream, and returns its handle.
    pub(crate) fn stream(&self) -> u64 {
        let mut streams = lock(&self.streams);
        let handle = streams.keys().last().map_or(DEFAULT, |last| (last + 16).max(DEFAULT));
        streams.insert(handle, start());
        handle
    }

    /// The waits since the last call, as (waiting stream, stream waited for).
    pub(crate) fn take_waits(&self) -> Vec<(u64, u64)> {
        std::mem::take(&mut *lock(&self.waits))
    }

    /// How often the host waited for the whole device.
    pub(crate) fn finishes(&self) -> u64 {
        self.finishes.load(Ordering::Relaxed)
    }

    /// Bytes that are allocated.
    pub(crate) fn live_bytes(&self) -> u64 {
        self.live_bytes.load(Ordering::Relaxed)
    }

    fn finish_all(&self) -> Result<()> {
        let handles: Vec<u64> = lock(&self.streams).keys().copied().collect();
        handles.into_iter().try_for_each(|handle| finish(self, handle))
    }

    fn push(&self, stream: u64, command: impl FnOnce() + Send + 'static) -> Result<()> {
        let streams = lock(&self.streams);
        let queue = streams.get(&stream).ok_or_else(|| Error::invalid(format!("{stream:#x} is no live stream")))?;
        queue.send(Box::new(command)).map_err(|_| Error::invalid("the stream's thread ended"))
    }

    /// Queues a read of a number, as a library does; the receiver gets what was there.
    pub(crate) fn queue_read(&self, stream: u64, address: u64) -> Receiver<f64> {
        let (give, get) = channel();
        self.push(stream, move || {
            // SAFETY: the test keeps the memory, and orders the streams, or means not to.
            let value = unsafe { (address as usize as *const f64).read_volatile() };
            give.send(value).expect("the test waits for the number");
        })
        .expect("the stream lives");
        get
    }

    /// Slow writes take until this is called with `false`, but not for ever: who waits for one by mistake gets an answer.
    pub(crate) fn hold_writes(&self, hold: bool) {
        self.holds_writes.store(hold, Ordering::Release);
    }

    /// Queues a write that takes its time, as a kernel does.
    pub(crate) fn queue_slow_write(&self, stream: u64, address: u64, value: f64) {
        let is_held = self.holds_writes.clone();
        self.push(stream, move || {
            std::thread::sleep(Duration::from_millis(50));
            let last = Instant::now() + Duration::from_secs(10);
            while is_held.load(Ordering::Acquire) && Instant::now() < last {
                std::thread::sleep(Duration::from_millis(1));
            }
            // SAFETY: as above.
            unsafe { (address as usize as *mut f64).write_volatile(value) };
        })
        .expect("the stream lives");
    }
}

fn start() -> Sender<Command> {
    let (queue, commands) = channel::<Command>();
    std::thread::spawn(move || commands.into_iter().for_each(|command| command()));
    queue
}

/// The backend; `state` is that of every device that it opens.
#[derive(Clone, Default)]
pub(crate) struct StandIn {
    pub(crate) state: Arc<State>,
}

impl Backend for StandIn {
    fn modes(&self) -> &'static [Mode] {
        const MODES: &[Mode] = &[Mode::new("StandIn", "stands in for CUDA in tests")];
        MODES
    }

    fn probe(&self, _mode: &str) -> Result<Vec<DeviceInfo>> {
        let mut info = DeviceInfo::new("StandIn", "threads");
        info.device_id = 3;
        Ok(vec![info])
    }

    fn open(&self, mode: &str, _props: &Props) -> Result<Arc<dyn BackendDevice>> {
        let queue = start();
        // One queue for both keeps them in order, as the driver does.
        lock(&self.state.streams).extend([(LEGACY, queue.clone()), (DEFAULT, queue)]);
        let default = Arc::new(StandInStream { state: self.state.clone(), handle: DEFAULT });
        let capabilities = NullBackend::default_capabilities();
        Ok(Arc::new(StandInDevice { info: self.probe(mode)?.remove(0), capabilities, default }))
    }
}

struct StandInDevice {
    info: DeviceInfo,
    capabilities: Capabilities,
    default: Arc<StandInStream>,
}

fn no_kernels() -> Error {
    Error::unsupported("building a kernel", "the stand-in has none")
}

impl BackendDevice for StandInDevice {
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
        Err(no_kernels())
    }

    fn allocate(&self, bytes: usize, placement: Placement) -> Result<Arc<dyn BackendMemory>> {
        let state = self.default.state.clone();
        state.live_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        let words = vec![0_u64; bytes.div_ceil(8)].into_boxed_slice();
        let start = Box::into_raw(words);
        Ok(Arc::new(StandInMemory { state, start, bytes, is_pinned: placement == Placement::HostPinned }))
    }

    unsafe fn wrap(&self, handle: NativeHandle, _bytes: usize) -> Result<Arc<dyn BackendMemory>> {
        Err(Error::unsupported(format!("wrapping {handle:?}"), "the stand-in's memory is its own"))
    }

    fn compile(&self, _text: &Compiled, _props: &Props) -> Result<Vec<u8>> {
        Err(no_kernels())
    }

    fn load(&self, _artifact: &Artifact<'_>, _signature: &Signature) -> Result<Vec<Arc<dyn BackendKernel>>> {
        Err(no_kernels())
    }

    fn default_stream(&self) -> Arc<dyn BackendStream> {
        self.default.clone()
    }

    fn create_stream(&self, _props: &Props) -> Result<Arc<dyn BackendStream>> {
        let state = self.default.state.clone();
        Ok(Arc::new(StandInStream { handle: state.stream(), state }))
    }

    unsafe fn wrap_stream(&self, handle: u64) -> Result<Arc<dyn BackendStream>> {
        Ok(Arc::new(StandInStream { state: self.default.state.clone(), handle }))
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        Ok(MemoryInfo::new(1 << 30, 1 << 30))
    }

    fn finish(&self) -> Result<()> {
        self.default.state.finishes.fetch_add(1, Ordering::Relaxed);
        self.default.state.finish_all()
    }
}

struct StandInMemory {
    state: Arc<State>,
    start: *mut [u64],
    bytes: usize,
    is_pinned: bool,
}

// SAFETY: the words are touched by stream threads alone, in the order that streams and tags give.
unsafe impl Send for StandInMemory {}
// SAFETY: as above.
unsafe impl Sync for StandInMemory {}

impl StandInMemory {
    fn at(&self, offset: usize) -> u64 {
        self.start.cast::<u8>() as usize as u64 + offset as u64
    }
}

impl Drop for StandInMemory {
    fn drop(&mut self) {
        // What is queued may use it, on any stream.
        let _ = self.state.finish_all();
        self.state.live_bytes.fetch_sub(self.bytes as u64, Ordering::Relaxed);
        // SAFETY: made by `Box::into_raw`, freed once.
        drop(unsafe { Box::from_raw(self.start) });
    }
}

impl BackendMemory for StandInMemory {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn handle(&self) -> NativeHandle {
        NativeHandle::cuda(self.at(0))
    }

    fn mapped(&self) -> Option<NonNull<u8>> {
        NonNull::new(self.start.cast::<u8>()).filter(|_| self.is_pinned)
    }
}

fn memory(memory: &dyn BackendMemory) -> &StandInMemory {
    (memory as &dyn Any).downcast_ref().expect("memory of the stand-in")
}

struct StandInStream {
    state: Arc<State>,
    handle: u64,
}

fn finish(state: &State, handle: u64) -> Result<()> {
    let (reach, reached) = channel();
    state.push(handle, move || reach.send(()).expect("somebody waits"))?;
    reached.recv().map_err(|_| Error::invalid("the stream's thread ended"))
}

impl StandInStream {
    /// Copies when it is its turn. The caller keeps both ranges until then.
    fn queue_copy(&self, to: u64, from: u64, bytes: usize) -> Result<()> {
        self.state.push(self.handle, move || {
            // SAFETY: core checked the ranges, and the tests keep their memory while work is queued.
            unsafe { std::ptr::copy(from as usize as *const u8, to as usize as *mut u8, bytes) }
        })
    }
}

impl BackendStream for StandInStream {
    fn handle(&self) -> u64 {
        self.handle
    }

    fn copy_in(&self, destination: &dyn BackendMemory, offset: usize, source: &[u8]) -> Result<()> {
        self.queue_copy(memory(destination).at(offset), source.as_ptr() as usize as u64, source.len())?;
        self.finish()
    }

    fn copy_out(&self, source: &dyn BackendMemory, offset: usize, destination: &mut [u8]) -> Result<()> {
        let to = destination.as_mut_ptr() as usize as u64;
        self.queue_copy(to, memory(source).at(offset), destination.len())?;
        self.finish()
    }

    fn copy(
        &self,
        destination: &dyn BackendMemory,
        destination_offset: usize,
        source: &dyn BackendMemory,
        source_offset: usize,
        bytes: usize,
    ) -> Result<()> {
        self.queue_copy(memory(destination).at(destination_offset), memory(source).at(source_offset), bytes)
    }

    fn fill(&self, destination: &dyn BackendMemory, offset: usize, bytes: usize, pattern: &[u8]) -> Result<()> {
        self.copy_in(destination, offset, &pattern.repeat(bytes / pattern.len()))
    }

    fn tag(&self) -> Result<Arc<dyn BackendTag>> {
        let (reach, reached) = channel();
        self.state.push(self.handle, move || reach.send(()).unwrap_or_default())?;
        Ok(Arc::new(StandInTag { stream: self.handle, reached: Mutex::new(Some(reached)) }))
    }

    fn wait(&self, tag: &dyn BackendTag) -> Result<()> {
        let tag: &StandInTag = (tag as &dyn Any).downcast_ref().expect("a tag of the stand-in");
        lock(&self.state.waits).push((self.handle, tag.stream));
        let reached = lock(&tag.reached).take().expect("the tests wait for each tag once");
        self.state.push(self.handle, move || reached.recv().unwrap_or_default())
    }

    fn finish(&self) -> Result<()> {
        finish(&self.state, self.handle)
    }
}

struct StandInTag {
    stream: u64,
    reached: Mutex<Option<Receiver<()>>>,
}

impl BackendTag for StandInTag {
    fn wait(&self) -> Result<()> {
        Err(Error::unsupported("waiting on the host", "what is tested waits by events"))
    }

    fn elapsed_ms(&self, _earlier: &dyn BackendTag) -> Result<f64> {
        Err(Error::unsupported("timing", "the stand-in has no clock"))
    }
}

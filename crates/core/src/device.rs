//! An open device: where memory, kernels and streams come from.

use crate::backend::{
    Backend, BackendDevice, BackendMemory, BackendStream, Capabilities, DeviceInfo, Exported, MemoryInfo, Mode,
    NativeHandle, Placement,
};
use crate::build::Programs;
use crate::dtype::Element;
use crate::launch::QueuedFaults;
use crate::memory::{Allocation, AnyMemory, Memory};
use crate::peer::Peers;
use crate::pool::MemoryPool;
use crate::profile::{Profile, Profiler};
use crate::props::{IntoProps, Props};
use crate::stream::{Stream, StreamOwner, StreamRange, Tag, same_device};
use crate::{Error, ErrorKind, Result, registry};
use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Properties of a device that every mode takes.
pub const DEVICE_PROPS: &[(&str, &str)] = &[
    ("mode", "which kind of device: a mode's name"),
    ("kernel", "map of properties that every kernel of this device is built with"),
    ("profile", "true: time every launch, see `Device::profile`"),
    ("verbose", "true: say on standard error what is built and from where; FERROCCA_LOG=info says it of every device"),
    ("cache_dir", "directory of the kernel cache, instead of FERROCCA_CACHE_DIR or the platform's"),
];

/// An open device. A clone is another handle of the same device; handles may be used from any thread.
#[derive(Clone)]
pub struct Device {
    pub(crate) inner: Arc<DeviceInner>,
}

pub(crate) struct DeviceInner {
    pub(crate) id: u64,
    mode: &'static Mode,
    props: Props,
    pub(crate) backend: Arc<dyn BackendDevice>,
    pub(crate) default_stream: Arc<dyn BackendStream>,
    /// The other ones, of which some may be gone.
    streams: Mutex<Vec<Weak<dyn BackendStream>>>,
    /// Some thread has called `set_stream`: only then the current stream is looked up by thread.
    streams_were_set: AtomicBool,
    allocated: AtomicU64,
    max_allocated: AtomicU64,
    pub(crate) profiling: AtomicBool,
    pub(crate) profiler: Profiler,
    pub(crate) programs: Programs,
    pub(crate) peers: Peers,
    /// What kernels that may still run have to say of accesses out of range.
    pub(crate) faults: QueuedFaults,
    pub(crate) verbose: bool,
}

/// The stream that a thread has set for a device.
struct ThreadStream {
    /// Weak, so that a thread keeps no device open.
    device: Weak<DeviceInner>,
    backend: Arc<dyn BackendStream>,
    owner: Option<StreamOwner>,
}

impl ThreadStream {
    fn is_of(&self, device: &DeviceInner) -> bool {
        std::ptr::eq(self.device.as_ptr(), device)
    }
}

thread_local! {
    static CURRENT_STREAMS: RefCell<Vec<ThreadStream>> = const { RefCell::new(Vec::new()) };
}

/// What the calling thread has set; nothing where it is ending and the list has gone, as in the destructor of another
/// of its thread-locals.
fn thread_streams<R>(find: impl FnOnce(&[ThreadStream]) -> Option<R>) -> Option<R> {
    CURRENT_STREAMS.try_with(|streams| find(&streams.borrow())).ok().flatten()
}

impl Device {
    /// Opens the device that the properties name: `"CPU"`, `"CPU, threads=2"`, `"mode=CPU, threads=2"`,
    /// `"{mode: 'CUDA', device_id: 0}"`, [`Props`].
    /// There is no fallback to another mode or device.
    /// # Errors
    /// [`ErrorKind::Props`] for properties that do not parse, are unknown or have a wrong type;
    /// [`ErrorKind::Unavailable`] with the reason and what can be had instead.
    pub fn open(props: impl IntoProps) -> Result<Self> {
        let props = props.into_device_props()?;
        let (backend, mode) = registry::find(props.mode()?)?;
        Self::open_mode(backend, mode, props).map_err(add_alternatives)
    }

    /// As [`open`](Self::open), but where a mode is not available the error says why, and does not look for others.
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_or_why_not(props: impl IntoProps) -> Result<Self> {
        let props = props.into_device_props()?;
        let (backend, mode) = registry::find(props.mode()?)?;
        Self::open_mode(backend, mode, props)
    }

    /// Opens a device of a backend that need not be registered. `mode` in the properties may be left out when the
    /// backend has one mode.
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(backend: &dyn Backend, props: impl IntoProps) -> Result<Self> {
        let props = props.into_device_props()?;
        let mode = match (props.get("mode"), backend.modes()) {
            (None, [mode]) => mode,
            _ => {
                let name = props.mode()?.to_owned();
                registry::mode_of(backend, &name).ok_or_else(|| {
                    Error::new(ErrorKind::Unavailable { mode: name, reason: "this backend has no such mode".into() })
                })?
            }
        };
        Self::open_mode(backend, mode, props)
    }

    pub(crate) fn open_mode(backend: &dyn Backend, mode: &'static Mode, props: Props) -> Result<Self> {
        let known = DEVICE_PROPS.iter().chain(mode.device_props).map(|(name, _)| *name);
        props.check_place(known.clone(), &[super::build::KERNEL_PROPS, mode.kernel_props], |name| {
            format!(
                "`{name}` is a property of kernels, not of devices: give it where a kernel is built, or as `kernel: {{{name}: \
                 …}}` for all kernels of this device"
            )
        })?;
        props.check_mode("device", mode, known, |mode| mode.device_props)?;
        let profiling = props.get_bool("profile")?.unwrap_or(false);
        let verbose = props.get_bool("verbose")?.unwrap_or(false);
        let cache_dir = props.get_str("cache_dir")?.map(Into::into);
        let kernel_defaults = props.get_props("kernel")?;
        let device = backend.open(mode.name, &props)?;
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        Ok(Self {
            inner: Arc::new(DeviceInner {
                id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
                mode,
                default_stream: device.default_stream(),
                streams: Mutex::default(),
                backend: device,
                streams_were_set: AtomicBool::new(false),
                allocated: AtomicU64::new(0),
                max_allocated: AtomicU64::new(0),
                profiling: AtomicBool::new(profiling),
                profiler: Profiler::default(),
                programs: Programs::new(kernel_defaults, cache_dir),
                peers: Peers::default(),
                faults: QueuedFaults::default(),
                verbose,
                props,
            }),
        })
    }

    pub(crate) fn from_inner(inner: Arc<DeviceInner>) -> Self {
        Self { inner }
    }

    /// Canonical name of its mode.
    pub fn mode(&self) -> &'static str {
        self.inner.mode.name
    }

    /// The properties that it was opened with.
    pub fn props(&self) -> &Props {
        &self.inner.props
    }

    /// What it is.
    pub fn info(&self) -> &DeviceInfo {
        self.inner.backend.info()
    }

    /// What it can do.
    pub fn capabilities(&self) -> &Capabilities {
        self.inner.backend.capabilities()
    }

    /// The backend's own device, for code that knows the backend (OCCA's `unwrap`).
    pub fn backend(&self) -> &Arc<dyn BackendDevice> {
        &self.inner.backend
    }

    /// Whether device memory is not the host's: [`Memory::ptr`] is then no host pointer.
    pub fn has_separate_memory_space(&self) -> bool {
        self.capabilities().separate_memory
    }

    /// Waits for everything that was queued on any stream.
    /// # Errors
    /// Failures of that work, accesses out of range among them.
    pub fn finish(&self) -> Result<()> {
        self.inner.backend.finish()?;
        self.inner.faults.after_all(&*self.inner.default_stream)
    }

    /// As [`finish`](Self::finish), for about `limit` at most; whether everything is done. Streams whose last handle is gone
    /// are waited for without a limit.
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn finish_within(&self, limit: Duration) -> Result<bool> {
        let start = Instant::now();
        // No lock is held meanwhile: a stream may end here.
        let others: Vec<_> = self.streams().iter().filter_map(Weak::upgrade).collect();
        for stream in std::iter::once(&self.inner.default_stream).chain(&others) {
            if !stream.finish_within(limit.saturating_sub(start.elapsed()))? {
                return Ok(false);
            }
        }
        self.finish().map(|()| true)
    }

    /// Lets every later wait for the device's work, and every copy to the host, fail with this error; of several the first one
    /// is told. For those who queue other libraries' work ([`Stream::queue_native`](crate::Stream::queue_native)) and learn that
    /// it was not done: nobody may go on with what the device holds then. A device that is opened anew is not concerned.
    pub fn fail(&self, error: Error) {
        self.inner.faults.lose(error);
    }

    /// A tag behind what was queued on each of its streams. Streams whose last handle is gone are left out.
    /// # Errors
    /// Failures of the device.
    pub fn tags(&self) -> Result<Vec<Tag>> {
        let others: Vec<_> = self.streams().iter().filter_map(Weak::upgrade).collect();
        let streams = std::iter::once(self.inner.default_stream.clone()).chain(others);
        streams.map(|stream| self.stream_of(stream).tag()).collect()
    }

    /// Streams beside the default one.
    fn streams(&self) -> MutexGuard<'_, Vec<Weak<dyn BackendStream>>> {
        self.inner.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory for `len` elements. Its contents are unspecified.
    /// # Errors
    /// [`ErrorKind::OutOfBounds`] when the size overflows, [`ErrorKind::OutOfMemory`].
    pub fn malloc<T: Element>(&self, len: usize) -> Result<Memory<T>> {
        self.malloc_placed(len, Placement::Device)
    }

    /// Memory for `len` elements at a place: the device's own, pinned host memory, or mapped host memory.
    /// # Errors
    /// As [`malloc`](Self::malloc), and [`ErrorKind::Unsupported`] for a place that the device does not have.
    pub fn malloc_placed<T: Element>(&self, len: usize, placement: Placement) -> Result<Memory<T>> {
        let bytes = size_in_bytes::<T>(len)?;
        let allocation = self
            .inner
            .allocate(bytes, placement)
            .map_err(|e| e.while_doing(format!("allocating {len} {}", T::DTYPE)))?;
        Ok(Memory::from_any(AnyMemory { allocation, offset_bytes: 0, bytes, dtype: T::DTYPE }))
    }

    /// Memory that holds a copy of `source`.
    /// # Errors
    /// [`ErrorKind::OutOfMemory`], failures of the device.
    pub fn malloc_from<T: Element>(&self, source: &[T]) -> Result<Memory<T>> {
        let mut memory = self.malloc(source.len())?;
        memory.copy_from(source)?;
        Ok(memory)
    }

    /// Memory of `len` elements that are all `value`.
    /// # Errors
    /// As [`malloc`](Self::malloc), failures of the device.
    pub fn malloc_filled<T: Element>(&self, len: usize, value: T) -> Result<Memory<T>> {
        let mut memory = self.malloc(len)?;
        memory.fill(value)?;
        Ok(memory)
    }

    /// Memory of `len` elements that somebody else owns and frees.
    /// # Safety
    /// `handle` names memory of at least `len` elements, valid for this device, for as long as any handle of the result
    /// lives and until the work that was queued with it is done; nobody frees it before, or holds a Rust reference to it
    /// while it is used. The last handle that goes waits for nothing.
    /// # Errors
    /// [`ErrorKind::Unsupported`] for a handle of another kind, [`ErrorKind::Invalid`] for a null or misaligned one.
    pub unsafe fn wrap_memory<T: Element>(&self, handle: NativeHandle, len: usize) -> Result<Memory<T>> {
        // SAFETY: the caller's duties are the same.
        unsafe { self.wrap_memory_with_owner(handle, len, None) }
    }

    /// As [`wrap_memory`](Self::wrap_memory), with a value that is dropped when the last handle is gone: what owns
    /// the memory, or frees it. Work that was queued with the memory may not be done by then.
    /// # Safety
    /// As [`wrap_memory`](Self::wrap_memory), while `owner` is not dropped.
    /// # Errors
    /// As [`wrap_memory`](Self::wrap_memory).
    pub unsafe fn wrap_memory_with_owner<T: Element>(
        &self,
        handle: NativeHandle,
        len: usize,
        owner: Option<Box<dyn Any + Send + Sync>>,
    ) -> Result<Memory<T>> {
        let bytes = size_in_bytes::<T>(len)?;
        let allocation = if bytes == 0 {
            Allocation::empty(self.inner.clone())
        } else {
            if handle.raw() == 0 {
                return Err(Error::invalid(format!("a null handle cannot be memory of {len} {}", T::DTYPE)));
            }
            if handle.address().is_some_and(|address| !address.is_multiple_of(align_of::<T>() as u64)) {
                return Err(Error::invalid(format!(
                    "{handle} is not aligned for {} ({} bytes)",
                    T::DTYPE,
                    align_of::<T>()
                )));
            }
            // SAFETY: passed on to the caller.
            let backend = unsafe { self.inner.backend.wrap(handle, bytes)? };
            Allocation::borrowed(self.inner.clone(), backend, owner)
        };
        Ok(Memory::from_any(AnyMemory { allocation, offset_bytes: 0, bytes, dtype: T::DTYPE }))
    }

    /// A handle of the whole allocation that another API or process can import. Another device of this program takes the
    /// memory itself: [`import_memory`](Self::import_memory).
    /// # Errors
    /// [`ErrorKind::Unsupported`], [`ErrorKind::WrongDevice`], [`ErrorKind::Invalid`] for memory of no elements.
    pub fn export_memory(&self, memory: &AnyMemory) -> Result<Exported> {
        same_device("memory", &memory.allocation.device, &self.inner)?;
        let backend = memory.backend().ok_or_else(|| Error::invalid("memory without elements cannot be exported"))?;
        self.inner.backend.export(&**backend)
    }

    /// A pool, from which reservations are made without asking the driver each time.
    /// # Errors
    /// None today; a pool allocates at its first reservation.
    pub fn create_memory_pool(&self) -> Result<MemoryPool> {
        Ok(MemoryPool::new(self))
    }

    /// Bytes of memory that the program has allocated on this device and not freed; wrapped memory does not count.
    pub fn memory_allocated(&self) -> u64 {
        self.inner.allocated.load(Ordering::Relaxed)
    }

    /// The most that [`memory_allocated`](Self::memory_allocated) has been.
    pub fn max_memory_allocated(&self) -> u64 {
        self.inner.max_allocated.load(Ordering::Relaxed)
    }

    /// Free and total memory of the device, whoever uses it.
    /// # Errors
    /// Failures of the device.
    pub fn memory_info(&self) -> Result<MemoryInfo> {
        self.inner.backend.memory_info()
    }

    /// Total memory of the device in bytes.
    /// # Errors
    /// Failures of the device.
    pub fn memory_size(&self) -> Result<u64> {
        self.memory_info().map(|info| info.total)
    }

    /// A stream of its own.
    /// # Errors
    /// [`ErrorKind::Unsupported`], failures of the device.
    pub fn create_stream(&self) -> Result<Stream> {
        self.create_stream_with(())
    }

    /// A stream of its own, with properties of the mode; `ferrocca modes` lists them, and many modes have none.
    /// # Errors
    /// [`ErrorKind::Props`] for properties that the mode's streams do not have, [`ErrorKind::Unsupported`], failures of the device.
    pub fn create_stream_with(&self, props: impl IntoProps) -> Result<Stream> {
        let (props, mode) = (props.into_props()?, self.inner.mode);
        let known = mode.stream_props.iter().map(|(name, _)| *name);
        props.check_mode("stream", mode, known, |mode| mode.stream_props)?;
        let backend = self.inner.backend.create_stream(&props)?;
        self.remember(&backend);
        Ok(self.stream_of(backend))
    }

    /// A stream that somebody else owns.
    /// # Safety
    /// `handle` is a live stream of this device's driver context for as long as the result lives.
    /// # Errors
    /// [`ErrorKind::Unsupported`].
    pub unsafe fn wrap_stream(&self, handle: u64) -> Result<Stream> {
        // SAFETY: the caller's duties are the same.
        unsafe { self.wrap_stream_with_owner(handle, None) }
    }

    /// As [`wrap_stream`](Self::wrap_stream), with a value that is dropped when the last handle is gone and no thread has
    /// the stream as its current one: what owns the stream.
    /// # Safety
    /// As [`wrap_stream`](Self::wrap_stream), while `owner` is not dropped.
    /// # Errors
    /// [`ErrorKind::Unsupported`].
    pub unsafe fn wrap_stream_with_owner(
        &self,
        handle: u64,
        owner: Option<Box<dyn Any + Send + Sync>>,
    ) -> Result<Stream> {
        // SAFETY: passed on to the caller.
        let backend = unsafe { self.inner.backend.wrap_stream(handle)? };
        self.remember(&backend);
        Ok(Stream { owner: owner.map(StreamOwner::from), ..self.stream_of(backend) })
    }

    fn remember(&self, stream: &Arc<dyn BackendStream>) {
        let mut streams = self.streams();
        streams.retain(|stream| stream.strong_count() > 0);
        streams.push(Arc::downgrade(stream));
    }

    /// The calling thread's current stream: the one last given to [`set_stream`](Self::set_stream), else the default.
    pub fn stream(&self) -> Stream {
        let set = thread_streams(|streams| {
            let stream = streams.iter().find(|stream| stream.is_of(&self.inner))?;
            Some(Stream { owner: stream.owner.clone(), ..self.stream_of(stream.backend.clone()) })
        });
        set.unwrap_or_else(|| self.default_stream())
    }

    /// The stream that is used where none was set.
    pub fn default_stream(&self) -> Stream {
        self.stream_of(self.inner.default_stream.clone())
    }

    /// Makes `stream` the one that copies and launches of the calling thread use.
    /// # Errors
    /// [`ErrorKind::WrongDevice`]; [`ErrorKind::Invalid`] in the destructor of a thread-local, where the thread uses the
    /// default stream.
    pub fn set_stream(&self, stream: &Stream) -> Result<()> {
        same_device("a stream", &stream.device, &self.inner)?;
        // What was set before goes when the list is no longer borrowed: its owner may come back here.
        let set = CURRENT_STREAMS.try_with(|streams| {
            let streams = &mut *streams.borrow_mut();
            let (gone, kept): (Vec<ThreadStream>, _) = std::mem::take(streams)
                .into_iter()
                .partition(|stream| stream.device.strong_count() == 0 || stream.is_of(&self.inner));
            *streams = kept;
            if !Arc::ptr_eq(&stream.backend, &self.inner.default_stream) {
                let Stream { backend, owner, .. } = stream.clone();
                streams.push(ThreadStream { device: Arc::downgrade(&self.inner), backend, owner });
                self.inner.streams_were_set.store(true, Ordering::Relaxed);
            }
            gone
        });
        match set {
            Ok(_before) => Ok(()),
            Err(_) => Err(Error::invalid("this thread is ending: it has no current stream that can be set")),
        }
    }

    /// Opens a named range for profilers on the current stream: `let _range = device.range("assemble");`. The returned
    /// guard closes it.
    pub fn range(&self, name: &str) -> StreamRange {
        let stream = self.inner.thread_stream().unwrap_or_else(|| self.inner.default_stream.clone());
        StreamRange::open(stream, name)
    }

    /// Marks this point of the current stream.
    /// # Errors
    /// Failures of the device.
    pub fn tag_stream(&self) -> Result<Tag> {
        let backend = self.inner.with_stream(|stream| stream.tag())?;
        Ok(Tag { device: self.inner.clone(), backend })
    }

    /// The host waits until the work before the tag is done.
    /// # Errors
    /// [`ErrorKind::WrongDevice`], failures of that work.
    pub fn wait_for(&self, tag: &Tag) -> Result<()> {
        same_device("a tag", &tag.device, &self.inner)?;
        tag.wait()
    }

    /// Seconds from `start` to `end`; waits for both.
    /// # Errors
    /// [`ErrorKind::WrongDevice`], failures of the device.
    pub fn time_between(&self, start: &Tag, end: &Tag) -> Result<f64> {
        same_device("a tag", &end.device, &self.inner)?;
        end.seconds_since(start)
    }

    /// Turns the timing of every launch on or off; what was measured is kept.
    pub fn set_profiling(&self, on: bool) {
        self.inner.profiling.store(on, Ordering::Relaxed);
    }

    /// What was measured per kernel, as data whose `Display` is a table; waits for the launches that it counts.
    /// # Errors
    /// Failures of the device.
    pub fn profile(&self) -> Result<Profile> {
        self.inner.profiler.read()
    }

    /// Forgets what was measured.
    pub fn reset_profile(&self) {
        self.inner.profiler.reset();
    }

    fn stream_of(&self, backend: Arc<dyn BackendStream>) -> Stream {
        Stream { device: self.inner.clone(), backend, owner: None }
    }
}

/// Two handles are equal when they are of the same open device.
impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.inner.label())
    }
}

impl DeviceInner {
    /// How errors name it.
    pub(crate) fn label(&self) -> String {
        format!("#{} (mode `{}`, {})", self.id, self.mode.name, self.backend.info().name)
    }

    pub(crate) fn mode(&self) -> &'static Mode {
        self.mode
    }

    /// Runs `work` on the calling thread's current stream.
    #[inline]
    pub(crate) fn with_stream<R>(&self, work: impl FnOnce(&dyn BackendStream) -> R) -> R {
        if self.streams_were_set.load(Ordering::Relaxed) {
            // Cloned out of the thread's list, so that `work` may set streams itself.
            if let Some(stream) = self.thread_stream() {
                return work(&*stream);
            }
        }
        work(&*self.default_stream)
    }

    fn thread_stream(&self) -> Option<Arc<dyn BackendStream>> {
        thread_streams(|streams| streams.iter().find(|stream| stream.is_of(self)).map(|stream| stream.backend.clone()))
    }

    pub(crate) fn allocate(self: &Arc<Self>, bytes: usize, placement: Placement) -> Result<Arc<Allocation>> {
        if bytes == 0 {
            return Ok(Allocation::empty(self.clone()));
        }
        let backend: Arc<dyn BackendMemory> = self.backend.allocate(bytes, placement)?;
        Ok(Allocation::owned(self.clone(), backend))
    }

    pub(crate) fn account(&self, bytes: u64) {
        let now = self.allocated.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.max_allocated.fetch_max(now, Ordering::Relaxed);
    }

    pub(crate) fn unaccount(&self, bytes: u64) {
        self.allocated.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// To why a mode is not available, adds what is.
fn add_alternatives(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Unavailable { mode, reason } => Error::new(ErrorKind::Unavailable {
            mode: mode.clone(),
            reason: format!("{reason}\n{}", registry::what_can_be_had(Some(mode))),
        }),
        _ => error,
    }
}

/// Bytes of `len` elements; Rust, and every driver, counts memory in at most `isize::MAX` bytes.
pub(crate) fn size_in_bytes<T: Element>(len: usize) -> Result<usize> {
    len.checked_mul(size_of::<T>()).filter(|&bytes| bytes <= isize::MAX as usize).ok_or_else(|| {
        Error::out_of_bounds(format!(
            "{len} elements of {} ({} bytes each) are too many to address",
            T::DTYPE,
            size_of::<T>()
        ))
    })
}

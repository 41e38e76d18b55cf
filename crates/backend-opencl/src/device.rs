//! The backend and its devices: one context per open, or one that another library made.

use crate::driver::{Context, Event, Queue, create};
use crate::error::{self, MODE};
use crate::memory::{self, ClMemory};
use crate::select::{self, Candidate, Kind};
use crate::stream::{ClStream, Order};
use crate::tag::Clock;
use crate::{compile, driver, graph, kernel, native};
use cl3::context::CL_CONTEXT_PLATFORM;
use ferrocca_core::backend::TilingSetting;
use ferrocca_core::backend::{
    Api, Artifact, Backend, BackendDevice, BackendGraph, BackendKernel, BackendMemory, BackendStream, Capabilities,
    DeviceInfo, GraphCommand, MemoryInfo, Mode, NativeHandle, Placement,
};
use ferrocca_core::props::Props;
use ferrocca_core::{Error, Result};
use okl::Compiled;
use okl::back::opencl::OpenClTarget;
use okl::signature::Signature;
use okl::target::Target;
use okl::target::opencl::{Features, Form};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

const FLAGS: (&str, &str) = ("compiler_flags", "options that are added to those of the OpenCL compiler");

const MODES: &[Mode] = &[Mode::new(MODE, "any OpenCL device, through its driver's compiler")
    .with_device_props(&[
        ("platform_id", "index of the platform (driver)"),
        (
            "device_id",
            "index among the devices that match the other properties (default: GPUs, then accelerators, then CPUs)",
        ),
        ("vendor", "part of the platform's, vendor's or device's name; case does not matter"),
        ("type", "'gpu', 'cpu' or 'accelerator'"),
        ("memory", "'shared' with the host, or 'separate' (default: shared where the device can)"),
        ("items", "what runs the items of a group: 'work-items', or (default on CPUs) 'loops' of one work-item"),
        TilingSetting::PROPERTY,
        ("command_buffers", "whether graphs are replayed through cl_khr_command_buffer (default: not on CPUs)"),
        FLAGS,
    ])
    .with_kernel_props(&[FLAGS])
    .with_stream_props(STREAM_PROPS)];

/// Props of a stream.
const STREAM_PROPS: &[(&str, &str)] = &[
    ("order", "'in' (default): commands run one after another; 'out': commands that share no memory may overlap"),
    ("profiling", "false: tags of this stream carry no device times"),
];

/// The backend of the mode `OpenCL`.
pub static OPENCL: OpenClBackend = OpenClBackend;

/// The backend of the mode `OpenCL`; [`OPENCL`] is the one instance.
#[derive(Debug)]
pub struct OpenClBackend;

ferrocca_core::inventory::submit! {
    ferrocca_core::BackendEntry(&OPENCL)
}

impl Backend for OpenClBackend {
    fn modes(&self) -> &'static [Mode] {
        MODES
    }

    fn probe(&self, _mode: &str) -> Result<Vec<DeviceInfo>> {
        Ok(select::candidates()?.into_iter().map(|candidate| candidate.info).collect())
    }

    fn open(&self, _mode: &str, props: &Props) -> Result<Arc<dyn BackendDevice>> {
        let candidate = select::select(props)?;
        let platform = [CL_CONTEXT_PLATFORM, candidate.platform_id() as isize, 0];
        let context = create!(clCreateContext(platform.as_ptr(), 1, &candidate.id.0, None, std::ptr::null_mut()))?;
        // SAFETY: the context was just made, and its one reference is ours.
        let context = unsafe { Context::own(context) };
        Ok(Arc::new(ClDevice::new(candidate, context, props)?))
    }

    fn target(&self, _mode: &str) -> Option<Arc<dyn Target>> {
        Some(Arc::new(OpenClTarget(Features::ALL)))
    }
}

/// What a device shares with its memory, kernels and streams.
pub(crate) struct Shared {
    pub(crate) candidate: Candidate,
    pub(crate) context: Context,
    /// The default stream's queue, for what needs any queue.
    pub(crate) queue: Queue,
    /// All memory is the host's, and both see each other's writes.
    pub(crate) in_place: bool,
    /// Graphs are replayed through command buffers. On processors they are not, unless that is asked for: PoCL 3.1 takes
    /// 1.2 times as long for a launch in a buffer as for one by itself.
    pub(crate) command_buffers: bool,
    /// What tags tell the time by, where the device tells it.
    pub(crate) clock: Option<Clock>,
    /// Bytes of buffers that the driver has not let go of.
    pub(crate) allocated: Arc<AtomicU64>,
    /// Every stream, for `finish`.
    streams: Mutex<Vec<Weak<ClStream>>>,
    /// The ends of what was queued on streams that are gone, for `finish` too.
    left: Mutex<Vec<Arc<Event>>>,
}

impl Shared {
    /// Whether the device is the host's processor.
    pub(crate) fn is_cpu(&self) -> bool {
        self.candidate.kind == Kind::Cpu
    }

    /// Bytes that can still be allocated, as well as they are known: what the driver says, what the system has where it
    /// is the same memory, else what this device has not given out.
    pub(crate) fn free_memory(&self) -> u64 {
        let left = self.not_given_out();
        if self.candidate.limits.says_free {
            // The driver answers one or two sizes in KiB; the first is all that is free.
            let kib = driver::ask_bytes(self.candidate.id, cl3::device::CL_DEVICE_GLOBAL_FREE_MEMORY_AMD);
            let first = kib.ok().and_then(|kib| kib.get(..size_of::<usize>()).map(<[u8]>::to_vec));
            return first.map_or(left, |kib| kib.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte)) << 10);
        }
        if self.is_cpu() {
            let mut system = sysinfo::System::new();
            system.refresh_memory();
            return system.available_memory().min(self.candidate.limits.memory);
        }
        left
    }

    /// Bytes that this device has not given out: at least what others use of it is not free either.
    pub(crate) fn not_given_out(&self) -> u64 {
        self.candidate.limits.memory.saturating_sub(self.allocated.load(Ordering::Relaxed))
    }

    /// Waits for all streams, and for what was queued on those that are gone.
    pub(crate) fn finish(&self) -> Result<()> {
        // No lock is held meanwhile: a stream whose last handle is this one takes the locks when it goes.
        let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let streams: Vec<_> = streams.iter().filter_map(Weak::upgrade).collect();
        streams.iter().try_for_each(|stream| stream.finish())?;
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner).clone();
        left.iter().try_for_each(|end| end.wait())
    }

    /// Keeps the end of what was queued on a stream that goes.
    pub(crate) fn keep_end(&self, end: Event) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.retain(|earlier| matches!(earlier.has_ended(), Ok(false)));
        left.push(Arc::new(end));
    }

    fn remember(&self, stream: &Arc<ClStream>) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.retain(|stream| stream.strong_count() > 0);
        streams.push(Arc::downgrade(stream));
    }
}

/// An open device.
pub(crate) struct ClDevice {
    pub(crate) shared: Arc<Shared>,
    props: Props,
    tiling: TilingSetting,
    stream: Arc<ClStream>,
}

impl ClDevice {
    /// A device in a context that exists.
    pub(crate) fn new(mut candidate: Candidate, context: Context, props: &Props) -> Result<Self> {
        candidate.features.form = match props.get_str("items")? {
            None => candidate.features.form,
            Some("work-items") => Form::WorkItems,
            Some("loops") => Form::Loops,
            Some(other) => {
                return Err(error::props(format!("property `items`: expected 'work-items' or 'loops', got '{other}'")));
            }
        };
        let queue = ClStream::create_queue(&context, &candidate, false, true)?;
        // SAFETY: the queue is alive.
        let for_stream = unsafe { Queue::retain(queue.raw()) }?;
        let is_cpu = candidate.kind == Kind::Cpu;
        let unified = driver::ask::<u32>(candidate.id, cl3::device::CL_DEVICE_HOST_UNIFIED_MEMORY).unwrap_or(0) != 0;
        let may_share = is_cpu || unified && candidate.limits.fine_grain;
        let shares = || Ok::<_, Error>(may_share && memory::is_seen_by_both(&context, &queue, is_cpu)?);
        let in_place = match props.get_str("memory")? {
            None => shares()?,
            Some("separate") => false,
            Some("shared") if shares()? => true,
            Some("shared") => {
                let reason = format!("`{}` and the host do not see the same bytes", candidate.info.name);
                return Err(Error::unsupported("`memory=shared`", reason));
            }
            Some(other) => {
                return Err(error::props(format!("property `memory`: expected 'shared' or 'separate', got '{other}'")));
            }
        };
        let profiling = candidate.limits.profiling;
        let clock = if profiling { Some(Clock::new(&context, &queue)?) } else { None };
        let wanted = props.get_bool("command_buffers")?;
        if wanted == Some(true) && !candidate.limits.command_buffers {
            let reason = format!("`{}` has no cl_khr_command_buffer that can be replayed again", candidate.info.name);
            return Err(Error::unsupported("`command_buffers=true`", reason));
        }
        let command_buffers = candidate.limits.command_buffers && wanted.unwrap_or(!is_cpu);
        let shared = Arc::new(Shared {
            candidate,
            context,
            queue,
            in_place,
            command_buffers,
            clock,
            allocated: Arc::default(),
            streams: Mutex::default(),
            left: Mutex::default(),
        });
        let stream = Arc::new(ClStream::new(&shared, for_stream, Order::In, profiling));
        shared.remember(&stream);
        Ok(Self { shared, props: props.clone(), tiling: TilingSetting::of(props)?, stream })
    }

    fn new_stream(&self, queue: Queue, order: Order, profiling: bool) -> Arc<dyn BackendStream> {
        let stream = Arc::new(ClStream::new(&self.shared, queue, order, profiling));
        self.shared.remember(&stream);
        stream
    }
}

impl BackendDevice for ClDevice {
    fn info(&self) -> &DeviceInfo {
        &self.shared.candidate.info
    }

    fn capabilities(&self) -> &Capabilities {
        &self.shared.candidate.capabilities
    }

    fn target(&self) -> Arc<dyn Target> {
        Arc::new(OpenClTarget(self.shared.candidate.features.clone()))
    }

    fn identity(&self, props: &Props) -> Result<Vec<(&'static str, String)>> {
        let mut identity = self.shared.candidate.identity.clone();
        identity.push(("options", compile::options(&self.shared.candidate, &self.props, props)?));
        Ok(identity)
    }

    fn allocate(&self, bytes: usize, placement: Placement) -> Result<Arc<dyn BackendMemory>> {
        Ok(Arc::new(ClMemory::allocate(&self.shared, bytes, placement)?))
    }

    unsafe fn wrap(&self, handle: NativeHandle, bytes: usize) -> Result<Arc<dyn BackendMemory>> {
        let memory = match handle {
            NativeHandle::Opaque { api: Api::OPENCL, handle } => {
                // SAFETY: by the caller.
                unsafe { ClMemory::wrap(&self.shared, handle as usize as *mut _, bytes) }
            }
            NativeHandle::Address { api: Api::HOST, address } => {
                // SAFETY: by the caller.
                unsafe { ClMemory::wrap_host(&self.shared, address, bytes) }
            }
            other => Err(Error::unsupported(format!("wrapping {other}"), "memory here is a `cl_mem`")),
        };
        Ok(Arc::new(memory?))
    }

    fn compile(&self, text: &Compiled, props: &Props) -> Result<Vec<u8>> {
        let options = compile::options(&self.shared.candidate, &self.props, props)?;
        compile::compile(&self.shared, text, &options)
    }

    fn load(&self, artifact: &Artifact<'_>, signature: &Signature) -> Result<Vec<Arc<dyn BackendKernel>>> {
        kernel::load(&self.shared, artifact.bytes, signature)
    }

    fn build_native(&self, text: &Compiled, name: &str, props: &Props) -> Result<Arc<dyn BackendKernel>> {
        let bytes = self.compile(text, props)?;
        native::load(&self.shared, &bytes, name)
    }

    fn windows(&self) -> Option<TilingSetting> {
        Some(self.tiling)
    }

    fn reads_footprints(&self) -> bool {
        self.tiling != TilingSetting::Off
    }

    fn default_stream(&self) -> Arc<dyn BackendStream> {
        Arc::clone(&self.stream) as Arc<dyn BackendStream>
    }

    fn create_stream(&self, props: &Props) -> Result<Arc<dyn BackendStream>> {
        let limits = &self.shared.candidate.limits;
        let out = match props.get_str("order")? {
            None | Some("in") => false,
            Some("out") if limits.out_of_order => true,
            Some("out") => {
                return Err(Error::unsupported(
                    "a stream with `order=out`",
                    format!("`{}` has only in-order queues", self.info().name),
                ));
            }
            Some(other) => {
                return Err(error::props(format!("property `order`: expected 'in' or 'out', got '{other}'")));
            }
        };
        let profiling = props.get_bool("profiling")?.unwrap_or(true) && limits.profiling;
        let queue = ClStream::create_queue(&self.shared.context, &self.shared.candidate, out, profiling)?;
        let order = if out { Order::by_memory() } else { Order::In };
        Ok(self.new_stream(queue, order, profiling))
    }

    unsafe fn wrap_stream(&self, handle: u64) -> Result<Arc<dyn BackendStream>> {
        // SAFETY: by the caller.
        let queue = unsafe { Queue::retain(handle as usize as *mut _) }?;
        let (order, profiling) = ClStream::properties(&self.shared, &queue)?;
        Ok(self.new_stream(queue, order, profiling))
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        Ok(MemoryInfo::new(self.shared.free_memory(), self.shared.candidate.limits.memory))
    }

    unsafe fn lower_graph(&self, phases: &[Vec<GraphCommand>]) -> Result<Option<Box<dyn BackendGraph>>> {
        // SAFETY: by the caller.
        unsafe { graph::lower(&self.shared, phases) }
    }

    fn finish(&self) -> Result<()> {
        self.shared.finish()
    }
}

#[cfg(test)]
impl ClDevice {
    /// A device for the tests of this crate's modules; `None`, after saying why, where there is none.
    pub(crate) fn for_tests() -> Option<Self> {
        Self::for_tests_with(|_| {})
    }

    /// The same, as if less were known of it.
    pub(crate) fn for_tests_with(change: impl FnOnce(&mut Candidate)) -> Option<Self> {
        let open = || -> Result<Self> {
            let mut candidate = select::select(&Props::new())?;
            change(&mut candidate);
            let context = create!(clCreateContext(std::ptr::null(), 1, &candidate.id.0, None, std::ptr::null_mut()))?;
            // SAFETY: the context was just made, and its one reference is ours.
            Self::new(candidate, unsafe { Context::own(context) }, &Props::new())
        };
        open().inspect_err(|error| eprintln!("skipped: {error}")).ok()
    }

    /// As if its markers told no time.
    pub(crate) fn with_stamps(self) -> Self {
        let Self { shared, props, tiling, stream } = self;
        drop(stream);
        let shared = Arc::into_inner(shared).expect("nothing of this device is in use");
        let clock = shared.clock.map(|clock| Clock { markers_tell: false, ..clock });
        let shared = Arc::new(Shared { clock, ..shared });
        // SAFETY: the queue is alive.
        let queue = unsafe { Queue::retain(shared.queue.raw()) }.expect("a reference");
        let stream = Arc::new(ClStream::new(&shared, queue, Order::In, true));
        shared.remember(&stream);
        Self { shared, props, tiling, stream }
    }
}

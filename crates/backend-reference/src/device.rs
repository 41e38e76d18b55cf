//! The backend and its device.

use crate::error;
use crate::kernel::ReferenceKernel;
use crate::memory::{Memory, Registry};
use crate::stream::ReferenceStream;
use crate::target::{Program, ReferenceTarget};
use ferrocca_core::backend::{
    Api, Artifact, Backend, BackendDevice, BackendKernel, BackendMemory, BackendStream, Capabilities, DeviceInfo,
    MemoryInfo, Mode, NativeHandle, Placement,
};
use ferrocca_core::props::Props;
use ferrocca_core::{Error, Result};
use okl::Compiled;
use okl::signature::Signature;
use okl::target::Target;
use std::sync::Arc;
use std::time::Duration;

/// Most items of a group.
pub const MAX_INNER: u64 = 1 << 24;

/// Most bytes of shared memory of a group: as many as the modes of the CPU have.
const MAX_SHARED_BYTES: u64 = 1 << 20;

const MODES: &[Mode] =
    &[Mode::new("Reference", "the interpreter: checks every access, needs no compiler, and is very slow")
        .with_device_props(&[FINITE])];

/// The property that looks for the first NaN or infinity.
pub const FINITE: (&str, &str) =
    ("finite", "true: a NaN or an infinity that is made of finite values is a fault (default: false)");

/// The backend of the mode `Reference`; [`REFERENCE`] is the one instance.
#[derive(Debug)]
pub struct ReferenceBackend;

/// The backend of the mode `Reference`.
pub static REFERENCE: ReferenceBackend = ReferenceBackend;

ferrocca_core::inventory::submit! {
    ferrocca_core::BackendEntry(&REFERENCE)
}

impl Backend for ReferenceBackend {
    fn modes(&self) -> &'static [Mode] {
        MODES
    }

    fn probe(&self, _mode: &str) -> Result<Vec<DeviceInfo>> {
        Ok(vec![describe()])
    }

    fn open(&self, _mode: &str, props: &Props) -> Result<Arc<dyn BackendDevice>> {
        let finite = props.get_bool("finite")?.unwrap_or(false);
        Ok(open(describe(), Arc::new(Interpreted { finite })))
    }

    fn target(&self, _mode: &str) -> Option<Arc<dyn Target>> {
        Some(Arc::new(ReferenceTarget))
    }

    fn text_depends_on_device(&self, _mode: &str) -> bool {
        false
    }
}

fn describe() -> DeviceInfo {
    let mut info = DeviceInfo::new("Reference", "interpreter (slow: checks every access)");
    info.cores = 1;
    info.compiler = "none needed".to_owned();
    (info.has_f64, info.has_64_bit_atomics) = (Some(true), Some(true));
    info.is_default = true;
    info
}

/// Who runs kernels on memory that knows which of its bytes were written.
pub trait Engine: Send + Sync {
    /// What kernels are compiled for. It checks accesses itself.
    fn target(&self) -> Arc<dyn Target>;

    /// As [`BackendDevice::identity`].
    /// # Errors
    /// As there.
    fn identity(&self, props: &Props) -> Result<Vec<(&'static str, String)>>;

    /// As [`BackendDevice::compile`].
    /// # Errors
    /// As there.
    fn compile(&self, compiled: &Compiled, props: &Props) -> Result<Vec<u8>>;

    /// As [`BackendDevice::compile_limit`].
    /// # Errors
    /// As there.
    fn compile_limit(&self, props: &Props) -> Result<Duration>;

    /// As [`BackendDevice::load`].
    /// # Errors
    /// As there.
    fn load(&self, artifact: &Artifact<'_>, signature: &Signature) -> Result<Vec<Arc<dyn BackendKernel>>>;
}

/// A device whose kernels an engine runs.
pub fn open(info: DeviceInfo, engine: Arc<dyn Engine>) -> Arc<dyn BackendDevice> {
    let capabilities = Capabilities::new((MAX_INNER, [MAX_INNER; 3]), [i64::MAX as u64; 3])
        .with_f64(true)
        .with_i64(true)
        .with_max_shared_bytes(MAX_SHARED_BYTES)
        .with_launches_wait(true)
        .with_runs_on_processor(true)
        .with_stops_at_faults(true);
    let (stream, registry) = (Arc::new(ReferenceStream), Registry::default());
    Arc::new(ReferenceDevice { info, capabilities, engine, stream, registry })
}

/// The interpreter.
struct Interpreted {
    /// A NaN or an infinity that is made of finite values is a fault.
    finite: bool,
}

impl Engine for Interpreted {
    fn target(&self) -> Arc<dyn Target> {
        Arc::new(ReferenceTarget)
    }

    fn identity(&self, _props: &Props) -> Result<Vec<(&'static str, String)>> {
        // The artifact is what the target wrote; nothing else decides it.
        Ok(Vec::new())
    }

    fn compile(&self, compiled: &Compiled, _props: &Props) -> Result<Vec<u8>> {
        let text = Program::text(compiled).ok_or_else(|| error::internal("a module of another target"))?;
        Ok(text.as_bytes().to_vec())
    }

    fn compile_limit(&self, _props: &Props) -> Result<Duration> {
        Ok(Duration::ZERO)
    }

    fn load(&self, artifact: &Artifact<'_>, signature: &Signature) -> Result<Vec<Arc<dyn BackendKernel>>> {
        let program = Arc::new(Program::read(artifact.bytes).map_err(error::internal)?);
        let kernels = program.module.kernels.iter().position(|kernel| kernel.name == signature.kernel);
        let kernel = kernels.ok_or_else(|| error::internal("a signature of another artifact"))?;
        let nests = 0..program.module.kernels[kernel].nests.len();
        Ok(nests
            .map(|nest| {
                Arc::new(ReferenceKernel::new(&program, (kernel, nest as u32), self.finite)) as Arc<dyn BackendKernel>
            })
            .collect())
    }
}

struct ReferenceDevice {
    info: DeviceInfo,
    capabilities: Capabilities,
    engine: Arc<dyn Engine>,
    stream: Arc<ReferenceStream>,
    registry: Registry,
}

impl BackendDevice for ReferenceDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn target(&self) -> Arc<dyn Target> {
        self.engine.target()
    }

    fn identity(&self, props: &Props) -> Result<Vec<(&'static str, String)>> {
        self.engine.identity(props)
    }

    fn allocate(&self, bytes: usize, _placement: Placement) -> Result<Arc<dyn BackendMemory>> {
        let memory = Arc::new(Memory::allocate(bytes)?);
        self.registry.add(&memory);
        Ok(memory)
    }

    unsafe fn wrap(&self, handle: NativeHandle, bytes: usize) -> Result<Arc<dyn BackendMemory>> {
        let NativeHandle::Address { api: Api::HOST, address } = handle else {
            return Err(Error::unsupported(format!("wrapping {handle}"), "this device's memory is the host's"));
        };
        // SAFETY: by the caller.
        let memory = unsafe { Memory::wrap(address, bytes) }?;
        // What was known of the memory in which it lies no longer holds: it can be written by this way too.
        self.registry.expose(address, bytes);
        Ok(Arc::new(memory))
    }

    fn compile(&self, compiled: &Compiled, props: &Props) -> Result<Vec<u8>> {
        self.engine.compile(compiled, props)
    }

    fn compile_limit(&self, props: &Props) -> Result<Duration> {
        self.engine.compile_limit(props)
    }

    fn load(&self, artifact: &Artifact<'_>, signature: &Signature) -> Result<Vec<Arc<dyn BackendKernel>>> {
        self.engine.load(artifact, signature)
    }

    fn default_stream(&self) -> Arc<dyn BackendStream> {
        self.stream.clone()
    }

    fn create_stream(&self, _props: &Props) -> Result<Arc<dyn BackendStream>> {
        Ok(Arc::new(ReferenceStream))
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        Err(Error::unsupported("asking for free memory", "mode `Reference` does not ask the system"))
    }

    fn finish(&self) -> Result<()> {
        Ok(())
    }
}

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

/// Most items of a group.
pub(crate) const MAX_INNER: u64 = 1 << 24;

/// Most bytes of shared memory of a group: as many as the modes of the CPU have.
const MAX_SHARED_BYTES: u64 = 1 << 20;

const MODES: &[Mode] =
    &[Mode::new("Reference", "the interpreter: checks every access, needs no compiler, and is very slow")];

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

    fn open(&self, _mode: &str, _props: &Props) -> Result<Arc<dyn BackendDevice>> {
        let capabilities = Capabilities::new((MAX_INNER, [MAX_INNER; 3]), [i64::MAX as u64; 3])
            .with_f64(true)
            .with_i64(true)
            .with_max_shared_bytes(MAX_SHARED_BYTES);
        Ok(Arc::new(ReferenceDevice {
            info: describe(),
            capabilities,
            stream: Arc::new(ReferenceStream),
            registry: Registry::default(),
        }))
    }

    fn target(&self, _mode: &str) -> Option<Arc<dyn Target>> {
        Some(Arc::new(ReferenceTarget))
    }
}

fn describe() -> DeviceInfo {
    let mut info = DeviceInfo::new("Reference", "interpreter (slow: checks every access)");
    info.cores = 1;
    info.compiler = "none needed".to_owned();
    info.is_default = true;
    info
}

struct ReferenceDevice {
    info: DeviceInfo,
    capabilities: Capabilities,
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
        Arc::new(ReferenceTarget)
    }

    fn identity(&self, _props: &Props) -> Result<Vec<(&'static str, String)>> {
        // The artifact is what the target wrote; nothing else decides it.
        Ok(Vec::new())
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

    fn compile(&self, compiled: &Compiled, _props: &Props) -> Result<Vec<u8>> {
        let text = Program::text(compiled).ok_or_else(|| error::internal("a module of another target"))?;
        Ok(text.as_bytes().to_vec())
    }

    fn load(&self, artifact: &Artifact<'_>, signature: &Signature) -> Result<Vec<Arc<dyn BackendKernel>>> {
        let program = Arc::new(Program::read(artifact.bytes).map_err(error::internal)?);
        let kernels = program.module.kernels.iter().position(|kernel| kernel.name == signature.kernel);
        let kernel = kernels.ok_or_else(|| error::internal("a signature of another artifact"))?;
        let nests = 0..program.module.kernels[kernel].nests.len();
        Ok(nests
            .map(|nest| Arc::new(ReferenceKernel::new(&program, kernel, nest as u32)) as Arc<dyn BackendKernel>)
            .collect())
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

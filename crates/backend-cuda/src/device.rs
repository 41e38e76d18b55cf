//! An open GPU.

use crate::compile::Compiler;
use crate::context::Context;
use crate::driver::{Code, Driver};
use crate::error;
#[cfg(unix)]
use crate::external;
use crate::graph::CudaGraph;
use crate::internal_kernels::InternalKernels;
use crate::kernel::{CudaKernel, Module};
use crate::mailbox::{ChunkMailbox, WordMailbox};
use crate::memory::{Chunks, CudaMemory};
use crate::native;
use crate::persistent::Choice;
use crate::range;
use crate::stream::CudaStream;
use cudarc::driver::sys::{CUdevice, CUdevice_attribute as Attribute, CUuuid};
use ferrocca_core::backend::{
    Api, Artifact, BackendDevice, BackendGraph, BackendKernel, BackendMailbox, BackendMemory, BackendStream,
    Capabilities, Delivery, DeviceInfo, GraphCommand, MemoryInfo, NativeHandle, Placement, TilingSetting,
};
#[cfg(unix)]
use ferrocca_core::backend::{BackendTimeline, Exported};
use ferrocca_core::cache::Cache;
use ferrocca_core::props::Props;
use ferrocca_core::{Error, Result};
use okl::Compiled;
use okl::back::cuda::{CudaTarget, LaunchHints};
use okl::signature::{NestSignature, Signature};
use okl::target::Target;
use std::ffi::CStr;
use std::sync::{Arc, OnceLock};

/// Version of the entry ABI that `okl::back::cuda` and this crate share; another one must not load old artifacts.
const ENTRY_ABI: &str = "1";

/// What is known of a device without opening a context on it, save for the compiler.
pub(crate) fn describe(driver: &Driver, id: u32, version: (u32, u32)) -> Result<(CUdevice, DeviceInfo)> {
    let mut device = 0;
    let mut name = [0_u8; 256];
    let mut bytes = 0;
    let mut uuid = CUuuid { bytes: [0; 16] };
    // SAFETY: the driver is initialised; each call writes what it is given a place for.
    unsafe {
        check(driver, (driver.device_get)(&mut device, id as i32), "cuDeviceGet")?;
        let code = (driver.device_get_name)(name.as_mut_ptr().cast(), name.len() as i32 - 1, device);
        check(driver, code, "cuDeviceGetName")?;
        check(driver, (driver.device_total_mem)(&mut bytes, device), "cuDeviceTotalMem")?;
        check(driver, (driver.device_get_uuid)(&mut uuid, device), "cuDeviceGetUuid")?;
    }
    let get = |attribute| attribute_of(driver, device, attribute);
    let major = get(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = get(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let name = CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy();
    let mut info = DeviceInfo::new("CUDA", name);
    (info.has_f64, info.has_64_bit_atomics) = (Some(true), Some(true));
    info.device_id = id;
    info.memory_bytes = bytes as u64;
    info.cores = get(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as u32;
    info.architecture = format!("sm_{major}{minor}");
    info.driver = format!("CUDA {}.{}", version.0, version.1);
    info.is_default = id == 0;
    info.uuid = Some(uuid.bytes.map(|byte| byte as u8));
    Ok((device, info))
}

/// How `info` names the compiler, or why there is none.
pub(crate) fn describe_compiler(compiler: &Compiler) -> String {
    match compiler.found() {
        Ok(found) => format!("NVRTC {}.{} ({})", found.version.0, found.version.1, found.path.display()),
        Err(error) => error.to_string(),
    }
}

/// Before there is a context.
fn check(driver: &Driver, code: Code, call: &'static str) -> Result<()> {
    if code == Code::SUCCESS { Ok(()) } else { Err(error::driver(call, code, driver.describe(code))) }
}

/// An attribute of a device.
pub(crate) fn attribute_of(driver: &Driver, device: CUdevice, attribute: Attribute) -> Result<u64> {
    let mut value = 0;
    // SAFETY: `device` is one of the driver's.
    let code = unsafe { (driver.device_get_attribute)(&mut value, attribute as u32, device) };
    check(driver, code, "cuDeviceGetAttribute")?;
    Ok(u64::from(value.unsigned_abs()))
}

/// An open device.
pub(crate) struct CudaDevice {
    info: DeviceInfo,
    capabilities: Capabilities,
    internal: Arc<InternalKernels>,
    has_memory_pools: bool,
    default_stream: Arc<CudaStream>,
    /// Made when the first pool grows.
    chunks: OnceLock<Arc<Chunks>>,
    context: Arc<Context>,
}

impl CudaDevice {
    /// Opens the device at a position that exists.
    pub(crate) fn open(driver: &'static Driver, id: u32, version: (u32, u32), props: &Props) -> Result<Arc<Self>> {
        range::attach();
        let (device, mut info) = describe(driver, id, version)?;
        let context = Context::retain(driver, device)?;
        let default_stream = Arc::new(CudaStream::create(&context, true)?);
        let get = |attribute| attribute_of(driver, device, attribute);
        let capabilities = capabilities(&get)?;
        let max_grid = [
            get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        ];
        let compiler = Compiler {
            named: props.get_str("nvrtc")?.map(str::to_owned),
            driver: version,
            architecture: info.architecture.clone(),
            max_shared_bytes: capabilities.max_shared_bytes,
        };
        let loops = (loops(props)?, TilingSetting::of(props)?);
        // A machine without NVRTC can still move memory; building says why not.
        info.compiler = describe_compiler(&compiler);
        Ok(Arc::new(Self {
            info,
            capabilities,
            internal: InternalKernels::new(compiler, max_grid, loops, cache(props)?, context.clone()),
            has_memory_pools: get(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? != 0,
            default_stream,
            chunks: OnceLock::new(),
            context,
        }))
    }

    fn chunks(&self) -> Result<&Arc<Chunks>> {
        if let Some(chunks) = self.chunks.get() {
            return Ok(chunks);
        }
        let made = Chunks::new(&self.context)?;
        Ok(self.chunks.get_or_init(|| made))
    }
}

/// The property `persistent`.
fn loops(props: &Props) -> Result<Choice> {
    match props.get_str("persistent")? {
        None | Some("auto") => Ok(Choice::Auto),
        Some("on") => Ok(Choice::On),
        Some("off") => Ok(Choice::Off),
        Some(other) => {
            Err(error::props(format!("property `persistent`: expected `auto`, `on` or `off`, got `{other}`")))
        }
    }
}

/// The directory that core keeps kernels in.
fn cache(props: &Props) -> Result<Option<Cache>> {
    Ok(match props.get_str("cache_dir")? {
        Some(directory) => Some(Cache::new(directory)),
        None => Cache::open_default().ok(),
    })
}

fn capabilities(get: &dyn Fn(Attribute) -> Result<u64>) -> Result<Capabilities> {
    let axes = [
        get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
        get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
        get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
    ];
    let block = get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
    // A larger space than a grid is cut into several at launch.
    Ok(Capabilities::new((block, axes), [i64::MAX as u64; 3])
        .with_separate_memory(true)
        .with_f64(true)
        .with_i64(true)
        .with_max_shared_bytes(get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?)
        .with_concurrent_streams(true)
        .with_subgroup_lanes(32))
}

impl BackendDevice for CudaDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn target(&self) -> Arc<dyn Target> {
        Arc::new(CudaTarget)
    }

    fn identity(&self, props: &Props) -> Result<Vec<(&'static str, String)>> {
        let compiler = &self.internal.compiler;
        let (major, minor) = compiler.driver;
        Ok(vec![
            ("nvrtc", compiler.found()?.stamp()?),
            ("driver", format!("{major}.{minor}")),
            ("options", compiler.options(props)?.join("\n")),
            ("entry", ENTRY_ABI.to_owned()),
        ])
    }

    fn takes(&self, identity: &[(String, String)], props: &Props) -> bool {
        // Whatever NVRTC it was: the driver says so itself where it cannot load what a newer one has made.
        let has = |name: &str, value: &str| identity.iter().any(|(other, its)| other == name && its == value);
        let options = self.internal.compiler.options(props);
        options.is_ok_and(|options| has("options", &options.join("\n"))) && has("entry", ENTRY_ABI)
    }

    fn allocate(&self, bytes: usize, placement: Placement) -> Result<Arc<dyn BackendMemory>> {
        Ok(Arc::new(CudaMemory::allocate(&self.context, &self.chunks, bytes, placement)?))
    }

    fn allocate_chunk(&self, bytes: usize) -> Result<Arc<dyn BackendMemory>> {
        if !self.has_memory_pools {
            return self.allocate(bytes, Placement::Device);
        }
        Ok(Arc::new(self.chunks()?.allocate(bytes)?))
    }

    unsafe fn wrap(&self, handle: NativeHandle, bytes: usize) -> Result<Arc<dyn BackendMemory>> {
        match handle {
            NativeHandle::Address { api: Api::CUDA, address } => {
                Ok(Arc::new(CudaMemory::foreign(&self.context, address, bytes)))
            }
            other => Err(Error::unsupported(format!("wrapping {other}"), "mode `CUDA` takes CUDA device pointers")),
        }
    }

    /// Memory of every GPU of the driver, whether or not the two are linked: the driver finds the way.
    fn reaches(&self, source: &dyn BackendMemory) -> bool {
        (source as &dyn std::any::Any).is::<CudaMemory>()
    }

    #[cfg(unix)]
    fn import(&self, exported: Exported) -> Result<Arc<dyn BackendMemory>> {
        Ok(Arc::new(external::import_memory(&self.context, &self.info, exported)?))
    }

    #[cfg(unix)]
    fn import_timeline(&self, exported: Exported) -> Result<Arc<dyn BackendTimeline>> {
        let attribute = Attribute::CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED;
        if attribute_of(self.context.driver(), self.context.device(), attribute)? == 0 {
            return Err(Error::unsupported("importing a timeline", "this GPU's driver takes none"));
        }
        Ok(Arc::new(external::CudaTimeline::import(&self.context, &self.info, exported)?))
    }

    fn compile(&self, text: &Compiled, props: &Props) -> Result<Vec<u8>> {
        self.internal.compiler.compile(text, props)
    }

    fn load(&self, artifact: &Artifact<'_>, signature: &Signature) -> Result<Vec<Arc<dyn BackendKernel>>> {
        let module = Module::load(&self.context, artifact.bytes)?;
        if signature.prints {
            self.context.expect_prints();
        }
        let max_grid = self.internal.max_grid;
        let kernel = |nest: &NestSignature| -> Result<Arc<dyn BackendKernel>> {
            let hints: LaunchHints = nest.hints.read().map_err(error::internal)?;
            let kernel = CudaKernel::find(&module, &nest.entry, hints.dynamic_shared_bytes, max_grid)?;
            Ok(Arc::new(match &hints.coarsened {
                Some(coarsened) => kernel.with_coarsened(coarsened, self.info.cores)?,
                None => kernel,
            }))
        };
        signature.nests.iter().map(kernel).collect()
    }

    fn build_native(&self, text: &Compiled, name: &str, props: &Props) -> Result<Arc<dyn BackendKernel>> {
        let bytes = self.compile(text, props)?;
        let module = Module::load(&self.context, &bytes)?;
        native::load(&module, name, self.internal.max_grid)
    }

    fn default_stream(&self) -> Arc<dyn BackendStream> {
        Arc::clone(&self.default_stream) as Arc<dyn BackendStream>
    }

    fn create_stream(&self, props: &Props) -> Result<Arc<dyn BackendStream>> {
        let blocking = !props.get_bool("non_blocking")?.unwrap_or(false);
        Ok(Arc::new(CudaStream::create(&self.context, blocking)?))
    }

    unsafe fn wrap_stream(&self, handle: u64) -> Result<Arc<dyn BackendStream>> {
        Ok(Arc::new(CudaStream::foreign(&self.context, handle)))
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        let (free, total) = self.context.memory_info()?;
        Ok(MemoryInfo::new(free as u64, total as u64))
    }

    fn reads_footprints(&self) -> bool {
        self.internal.tiling != TilingSetting::Off
    }

    fn create_mailbox(&self, ranks: usize, delivery: Delivery) -> Result<Arc<dyn BackendMailbox>> {
        Ok(match delivery {
            Delivery::Words => Arc::new(WordMailbox::new(&self.internal, ranks)?),
            Delivery::Chunks { bytes } => Arc::new(ChunkMailbox::new(&self.internal, ranks, bytes)?),
        })
    }

    fn takes_native_work(&self) -> bool {
        true
    }

    unsafe fn lower_graph(&self, phases: &[Vec<GraphCommand>]) -> Result<Option<Box<dyn BackendGraph>>> {
        Ok(Some(Box::new(CudaGraph::new(&self.internal, phases)?)))
    }

    fn finish(&self) -> Result<()> {
        self.context.finish()
    }
}

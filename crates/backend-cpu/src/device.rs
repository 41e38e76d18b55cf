//! The backend and its devices.

use crate::compiler::{Finder, Toolchain};
use crate::graph::CpuGraph;
use crate::kernel::{self, MAX_INNER};
use crate::memory::CpuMemory;
use crate::stream::CpuStream;
use crate::team::Team;
use crate::threads::{self, POOL, THREADS};
use crate::{checked, compile, error, native, processor};
use ferrocca_backend_reference::FINITE;
use ferrocca_core::backend::{
    Api, Artifact, Backend, BackendDevice, BackendGraph, BackendKernel, BackendMemory, BackendStream, Capabilities,
    DeviceInfo, GraphCommand, MemoryInfo, Mode, NativeHandle, Placement, TilingSetting,
};
use ferrocca_core::props::{IntoProps, Props};
use ferrocca_core::{Device, Error, Result};
use okl::Compiled;
use okl::back::cpu::{CpuTarget, NativeMathTarget};
use okl::signature::Signature;
use okl::target::Target;
use rayon::ThreadPool;
use std::sync::Arc;
use std::time::Duration;

/// Version of the entry ABI that [`okl::back::cpu`] and this crate share; another one must not load old artifacts.
const ENTRY_ABI: &str = "1";

/// Shared memory of a group lies on a stack, which a call gets where its thread has too little.
const MAX_SHARED_BYTES: u64 = 1 << 20;

const COMPILER: (&str, &str) =
    ("compiler", "C compiler: a name, a path or a command (default: `CC`, then clang, gcc, cc)");
const FLAGS: (&str, &str) = ("compiler_flags", "its flags instead of `FERROCCA_CFLAGS` or -O3 -march=native …");
const TIMEOUT: (&str, &str) = ("compiler_timeout", "seconds after which a compiler is stopped (default: 600)");

pub(crate) const MATH: (&str, &str) =
    ("math", "'exact', our own exp, sin …, of which loops become vectors, or 'native', the C library's");

const CHECKED: (&str, &str) = (
    "checked",
    "true: check all that kernels do, on one thread, and stop at the first fault; then `finite` counts (default: false)",
);
const MODES: &[Mode] = &[
    Mode::new("Serial", "the calling thread, through the host's C compiler")
        .with_device_props(&[TilingSetting::PROPERTY, CHECKED, FINITE, COMPILER, FLAGS, TIMEOUT])
        .with_kernel_props(&[MATH, COMPILER, FLAGS, TIMEOUT]),
    Mode::new("CPU", "all cores, through the host's C compiler")
        .with_aliases(&["OpenMP"])
        .with_device_props(&[THREADS, POOL, TilingSetting::PROPERTY, CHECKED, FINITE, COMPILER, FLAGS, TIMEOUT])
        .with_kernel_props(&[MATH, COMPILER, FLAGS, TIMEOUT]),
];

/// The mode `CPU` of a device whose threads are given.
const IN_POOL: &[Mode] = &[Mode::new("CPU", "the threads of an application's pool, through the host's C compiler")
    .with_aliases(&["OpenMP"])
    .with_device_props(&[TilingSetting::PROPERTY, COMPILER, FLAGS, TIMEOUT])
    .with_kernel_props(&[MATH, COMPILER, FLAGS, TIMEOUT])];

/// The backend of the modes `Serial` and `CPU`.
pub static CPU: CpuBackend = CpuBackend;

/// The backend of the modes `Serial` and `CPU`; [`CPU`] is the one instance.
#[derive(Debug)]
pub struct CpuBackend;

ferrocca_core::inventory::submit! {
    ferrocca_core::BackendEntry(&CPU)
}

impl Backend for CpuBackend {
    fn modes(&self) -> &'static [Mode] {
        MODES
    }

    fn probe(&self, mode: &str) -> Result<Vec<DeviceInfo>> {
        let cores = if mode == "Serial" { 1 } else { processor::cores() };
        let tools = Toolchain::resolve(&Finder::new(), &Props::new(), &Props::new());
        let compiler = match tools.and_then(|tools| Ok((tools.compiler.version()?, tools.compiler.path))) {
            Ok((version, path)) => format!("{} ({version})", path.display()),
            Err(error) => error.to_string(),
        };
        Ok(vec![describe(canonical(mode)?, cores, compiler)])
    }

    fn open(&self, mode: &str, props: &Props) -> Result<Arc<dyn BackendDevice>> {
        let name = canonical(mode)?;
        if let Some(device) = open_checked(name, props)? {
            return Ok(device);
        }
        let team = if name == "Serial" { None } else { threads::team_of(props)? };
        Ok(Arc::new(CpuDevice::new(name, props, team)?))
    }

    fn target(&self, _mode: &str) -> Option<Arc<dyn Target>> {
        Some(Arc::new(CpuTarget))
    }

    fn target_for(&self, _mode: &str, props: &Props) -> Result<Option<Arc<dyn Target>>> {
        target_of(props).map(Some)
    }

    fn text_depends_on_device(&self, _mode: &str) -> bool {
        false
    }
}

/// What a kernel's property `math` asks for.
fn target_of(props: &Props) -> Result<Arc<dyn Target>> {
    Ok(if is_native(props)? { Arc::new(NativeMathTarget) } else { Arc::new(CpuTarget) })
}

/// Whether the elementary functions are those of the C library.
pub(crate) fn is_native(props: &Props) -> Result<bool> {
    match props.get_str(MATH.0)? {
        None | Some("exact") => Ok(false),
        Some("native") => Ok(true),
        Some(other) => Err(error::props(format!("property `math` takes 'exact' or 'native', got '{other}'"))),
    }
}

/// The device that `checked` asks for.
fn open_checked(mode: &'static str, props: &Props) -> Result<Option<Arc<dyn BackendDevice>>> {
    let (checked, finite) = (props.get_bool("checked")?.unwrap_or(false), props.get_bool("finite")?.unwrap_or(false));
    if !checked {
        return if finite { Err(error::props("`finite` is a property of devices with `checked`")) } else { Ok(None) };
    }
    if let Some((name, _)) = [THREADS, POOL].iter().find(|(name, _)| props.get(name).is_some()) {
        return Err(error::props(format!("`checked` runs kernels on one thread: leave `{name}` out")));
    }
    let finder = Finder::new();
    let tools = Toolchain::resolve(&finder, props, &Props::new());
    let compiler = tools.map_or_else(|error| error.to_string(), |tools| tools.compiler.path.display().to_string());
    Ok(Some(checked::device(describe(mode, 1, compiler), props, finite)))
}

fn canonical(mode: &str) -> Result<&'static str> {
    let found = MODES.iter().find(|m| m.name == mode || m.aliases.contains(&mode));
    found.map(|m| m.name).ok_or_else(|| error::internal(format!("mode `{mode}` reached the CPU backend")))
}

fn describe(mode: &'static str, cores: usize, compiler: String) -> DeviceInfo {
    let mut info = DeviceInfo::new(mode, processor::name());
    info.memory_bytes = processor::memory().total;
    info.cores = cores as u32;
    info.architecture = processor::simd().to_owned();
    info.compiler = compiler;
    (info.has_f64, info.has_64_bit_atomics) = (Some(true), Some(true));
    info.is_default = true;
    info
}

fn capabilities() -> Capabilities {
    Capabilities::new((MAX_INNER, [MAX_INNER; 3]), [i64::MAX as u64; 3])
        .with_f64(true)
        .with_i64(true)
        .with_max_shared_bytes(MAX_SHARED_BYTES)
        .with_launches_wait(true)
        .with_runs_on_processor(true)
}

/// An open device. Its `info` names the compiler without its version, because asking for that would run it.
pub struct CpuDevice {
    info: DeviceInfo,
    capabilities: Capabilities,
    props: Props,
    finder: Finder,
    stream: Arc<CpuStream>,
    /// Absent where there is one thread: the calling one.
    team: Option<Arc<Team>>,
    tiling: TilingSetting,
}

impl CpuDevice {
    /// A device of the mode `CPU` that runs on the threads of an application's pool, and of whoever launches.
    /// # Errors
    /// [`ErrorKind::Props`](ferrocca_core::ErrorKind::Props) for a pool of more threads than a device can have.
    pub fn in_pool(pool: Arc<ThreadPool>) -> Result<Device> {
        Self::in_pool_with(pool, "mode=CPU")
    }

    /// As [`in_pool`](Self::in_pool), with the mode's properties but `threads` and `pool`.
    /// # Errors
    /// As `in_pool` and [`Device::open`].
    pub fn in_pool_with(pool: Arc<ThreadPool>, props: impl IntoProps) -> Result<Device> {
        Device::open_with(&InPool(pool), props)
    }

    fn new(mode: &'static str, props: &Props, team: Option<Team>) -> Result<Self> {
        let finder = Finder::new();
        // A machine without a compiler can still use memory, and kernels that a like machine has left in the cache; building
        // says what is missing.
        let compiler = match Toolchain::resolve(&finder, props, &Props::new()) {
            Ok(tools) => tools.compiler.path.display().to_string(),
            Err(error) if matches!(error.kind(), ferrocca_core::ErrorKind::Props { .. }) => {
                return Err(error);
            }
            Err(error) => error.to_string(),
        };
        let team = team.map(Arc::new);
        Ok(Self {
            info: describe(mode, team.as_ref().map_or(1, |team| team.threads()), compiler),
            capabilities: capabilities(),
            props: props.clone(),
            finder,
            stream: Arc::new(CpuStream::new(team.clone())),
            team,
            tiling: TilingSetting::of(props)?,
        })
    }
}

/// The backend of devices in one pool.
struct InPool(Arc<ThreadPool>);

impl Backend for InPool {
    fn modes(&self) -> &'static [Mode] {
        IN_POOL
    }

    fn probe(&self, mode: &str) -> Result<Vec<DeviceInfo>> {
        CPU.probe(mode)
    }

    fn open(&self, mode: &str, props: &Props) -> Result<Arc<dyn BackendDevice>> {
        let team = threads::team_in(Arc::clone(&self.0))?;
        Ok(Arc::new(CpuDevice::new(canonical(mode)?, props, team)?))
    }

    fn target(&self, mode: &str) -> Option<Arc<dyn Target>> {
        CPU.target(mode)
    }

    fn target_for(&self, mode: &str, props: &Props) -> Result<Option<Arc<dyn Target>>> {
        CPU.target_for(mode, props)
    }

    fn text_depends_on_device(&self, mode: &str) -> bool {
        CPU.text_depends_on_device(mode)
    }
}

impl BackendDevice for CpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn target(&self) -> Arc<dyn Target> {
        Arc::new(CpuTarget)
    }

    fn target_for(&self, props: &Props) -> Result<Arc<dyn Target>> {
        target_of(props)
    }

    fn identity(&self, props: &Props) -> Result<Vec<(&'static str, String)>> {
        let mut identity = Toolchain::resolve(&self.finder, &self.props, props)?.identity(&self.finder)?;
        identity.push(("entry", ENTRY_ABI.to_owned()));
        Ok(identity)
    }

    fn takes(&self, identity: &[(String, String)], _props: &Props) -> bool {
        // Whatever compiler it was: its library runs on a processor that has the same features.
        let has = |name: &str, value: &str| identity.iter().any(|(other, its)| other == name && its == value);
        has("processor", crate::processor::features()) && has("entry", ENTRY_ABI)
    }

    fn allocate(&self, bytes: usize, _placement: Placement) -> Result<Arc<dyn BackendMemory>> {
        // All of it is the host's: pinned and mapped mean nothing more here.
        Ok(Arc::new(CpuMemory::allocate(bytes, self.team.as_deref())?))
    }

    unsafe fn wrap(&self, handle: NativeHandle, bytes: usize) -> Result<Arc<dyn BackendMemory>> {
        let NativeHandle::Address { api: Api::HOST, address } = handle else {
            return Err(Error::unsupported(format!("wrapping {handle}"), "this device's memory is the host's"));
        };
        // SAFETY: by the caller.
        Ok(Arc::new(unsafe { CpuMemory::wrap(address, bytes) }?))
    }

    fn compile(&self, text: &Compiled, props: &Props) -> Result<Vec<u8>> {
        compile::compile(&Toolchain::resolve(&self.finder, &self.props, props)?, text)
    }

    fn compile_limit(&self, props: &Props) -> Result<Duration> {
        Toolchain::resolve(&self.finder, &self.props, props).map(|tools| tools.timeout)
    }

    fn load(&self, artifact: &Artifact<'_>, signature: &Signature) -> Result<Vec<Arc<dyn BackendKernel>>> {
        kernel::load(artifact, signature, self.team.as_ref())
    }

    fn build_native(&self, text: &Compiled, name: &str, props: &Props) -> Result<Arc<dyn BackendKernel>> {
        let bytes = self.compile(text, props)?;
        native::load(&bytes, name)
    }

    fn default_stream(&self) -> Arc<dyn BackendStream> {
        Arc::clone(&self.stream) as Arc<dyn BackendStream>
    }

    fn create_stream(&self, _props: &Props) -> Result<Arc<dyn BackendStream>> {
        Ok(Arc::new(CpuStream::new(self.team.clone())))
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        Ok(processor::memory())
    }

    fn takes_native_work(&self) -> bool {
        true
    }

    fn takes_host_work(&self) -> bool {
        true
    }

    unsafe fn lower_graph(&self, phases: &[Vec<GraphCommand>]) -> Result<Option<Box<dyn BackendGraph>>> {
        // Such work may name memory that is not known here.
        if phases.iter().flatten().any(|command| matches!(command, GraphCommand::Native { .. })) {
            return Ok(None);
        }
        // SAFETY: by the caller.
        Ok(Some(Box::new(unsafe { CpuGraph::new(phases, self.team.clone(), self.tiling) }?)))
    }

    fn reads_footprints(&self) -> bool {
        self.tiling != TilingSetting::Off
    }

    fn finish(&self) -> Result<()> {
        Ok(())
    }
}

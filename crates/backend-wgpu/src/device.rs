//! The backend and its devices.

use crate::adapter::{self, WGPU_VERSION};
use crate::compile;
use crate::context::{Choices, Context};
use crate::error;
use crate::graph::WgpuGraph;
use crate::kernel;
use crate::mapped;
use crate::memory::WgpuMemory;
use crate::precise;
use crate::stream::WgpuStream;
use crate::subgroups;
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
use crate::timeline;
use ferrocca_core::backend::TilingSetting;
use ferrocca_core::backend::{
    Artifact, Backend, BackendDevice, BackendGraph, BackendKernel, BackendMemory, BackendStream, Capabilities,
    DeviceInfo, GraphCommand, MemoryInfo, Mode, NativeHandle, Placement,
};
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
use ferrocca_core::backend::{BackendTimeline, Exported};
use ferrocca_core::props::Props;
use ferrocca_core::{Error, Result};
use okl::Compiled;
use okl::back::wgsl::WgslTarget;
use okl::signature::Signature;
use okl::target::{Target, wgsl};
use std::sync::Arc;

/// Version of the artifacts; another one must not be loaded.
const ARTIFACT: &str = "2";

const ADAPTER: (&str, &str) = ("adapter", "part of the adapter's name, or its index");
const DEVICE_ID: (&str, &str) = ("device_id", "index of the adapter");
const MEMORY: (&str, &str) = ("memory", "'shared' with the host, or 'separate' (default: shared where the device can)");
const EXPORTABLE: (&str, &str) =
    ("exportable", "allocate memory that other APIs such as CUDA can import (default: false; Vulkan only)");
const INT16: (&str, &str) =
    ("int16", "false: store `short` and `half` in 32-bit words even if the device supports 16-bit integers");
const COARSEN: (&str, &str) =
    ("coarsen", "large launches of kernels that only move data run two groups side by side (default: on GPUs)");
const SUBGROUPS: (&str, &str) =
    ("subgroups", "false: subgroup functions go through shared memory even if the device supports them");
const MATH: (&str, &str) = (
    "math",
    "functions of `float`: 'exact' (default: Ferrocca's own, within 4 ulp) or 'native' (the driver's, faster)",
);
const PROPS: &[(&str, &str)] =
    &[ADAPTER, DEVICE_ID, MEMORY, EXPORTABLE, INT16, COARSEN, SUBGROUPS, TilingSetting::PROPERTY];

const MODES: &[Mode] = &[
    mode("WebGPU", "any GPU through wgpu: Vulkan, Metal or DX12").with_aliases(&["wgpu"]),
    mode("Vulkan", "WebGPU through Vulkan only"),
    mode("Metal", "WebGPU through Metal only"),
    mode("DX12", "WebGPU through DX12 only"),
];

const fn mode(name: &'static str, description: &'static str) -> Mode {
    Mode::new(name, description).with_device_props(PROPS).with_kernel_props(&[MATH])
}

/// The backend of the modes `WebGPU`, `Vulkan`, `Metal` and `DX12`.
pub static WGPU: WgpuBackend = WgpuBackend;

/// The backend of the modes `WebGPU`, `Vulkan`, `Metal` and `DX12`; [`WGPU`] is the one instance.
#[derive(Debug)]
pub struct WgpuBackend;

ferrocca_core::inventory::submit! {
    ferrocca_core::BackendEntry(&WGPU)
}

impl Backend for WgpuBackend {
    fn modes(&self) -> &'static [Mode] {
        MODES
    }

    fn probe(&self, mode: &str) -> Result<Vec<DeviceInfo>> {
        let name = canonical(mode)?;
        let (_instance, adapters) = adapter::list(name)?;
        let default = adapter::default(&adapters);
        let mut devices: Vec<DeviceInfo> =
            adapters.iter().enumerate().map(|(index, found)| adapter::describe(name, index, found)).collect();
        devices[default].is_default = true;
        Ok(devices)
    }

    fn props_of(&self, info: &DeviceInfo) -> Props {
        Props::new().with("device_id", i64::from(info.device_id))
    }

    fn open(&self, mode: &str, props: &Props) -> Result<Arc<dyn BackendDevice>> {
        let name = canonical(mode)?;
        let (instance, mut adapters) = adapter::list(name)?;
        let index = adapter::choose(&adapters, props)?;
        let chosen = adapters.swap_remove(index);
        let info = adapter::describe(name, index, &chosen);
        let is_exportable = props.get_bool("exportable")?.unwrap_or(false);
        let mut without = wgpu::Features::empty();
        without.set(wgpu::Features::SHADER_I16, !props.get_bool("int16")?.unwrap_or(true));
        without.set(wgpu::Features::SUBGROUP, !props.get_bool("subgroups")?.unwrap_or(true));
        let choices = Choices { without, coarsen: props.get_bool("coarsen")? };
        let context = Context::open(instance, chosen, is_exportable, &choices)?;
        Ok(Arc::new(WgpuDevice::new(info, context, props)?))
    }

    fn target(&self, _mode: &str) -> Option<Arc<dyn Target>> {
        Some(Arc::new(WgslTarget(wgsl::Features::ALL)))
    }

    fn target_for(&self, _mode: &str, props: &Props) -> Result<Option<Arc<dyn Target>>> {
        Ok(Some(Arc::new(WgslTarget(with_math(wgsl::Features::ALL, props)?))))
    }
}

fn canonical(mode: &str) -> Result<&'static str> {
    let found = MODES.iter().find(|m| m.name == mode || m.aliases.contains(&mode));
    found.map(|m| m.name).ok_or_else(|| error::internal(format!("mode `{mode}` reached the WebGPU backend")))
}

/// What a kernel's property `math` makes of the features.
fn with_math(features: wgsl::Features, props: &Props) -> Result<wgsl::Features> {
    match props.get_str("math")? {
        None | Some("exact") => Ok(features),
        Some("native") => Ok(wgsl::Features { native_math: true, ..features }),
        Some(other) => Err(error::props(format!("property `math` takes 'exact' or 'native', got '{other}'"))),
    }
}

/// Whether all memory is the host's too: where it is the same memory anyway, on software adapters and integrated GPUs.
fn shares_memory(context: &Context, props: &Props) -> Result<bool> {
    let of_one_kind =
        matches!(context.adapter.get_info().device_type, wgpu::DeviceType::Cpu | wgpu::DeviceType::IntegratedGpu);
    match props.get_str("memory")? {
        None => Ok(of_one_kind && mapped::is_possible(context)),
        Some("separate") => Ok(false),
        Some("shared") if of_one_kind && mapped::is_possible(context) => Ok(true),
        Some("shared") => Err(error::props("property `memory`: this device does not share memory with the host")),
        Some(other) => Err(error::props(format!("property `memory`: expected 'shared' or 'separate', got '{other}'"))),
    }
}

fn capabilities(context: &Context) -> Capabilities {
    let limits = &context.limits;
    let axes =
        [limits.max_compute_workgroup_size_x, limits.max_compute_workgroup_size_y, limits.max_compute_workgroup_size_z];
    let group = u64::from(limits.max_compute_invocations_per_workgroup);
    let adapter = context.adapter.get_info();
    Capabilities::new((group, axes.map(u64::from)), [u64::from(u32::MAX); 3])
        // A buffer has no address; where host and device share memory, `mapped` is one.
        .with_separate_memory(true)
        .with_f64(context.text.f64)
        .with_i64(context.text.i64)
        .with_max_shared_bytes(u64::from(limits.max_compute_workgroup_storage_size))
        .with_may_flush_subnormals(!context.vulkan.floats.keeps_subnormals[0])
        .with_runs_on_processor(adapter.device_type == wgpu::DeviceType::Cpu)
        .with_subgroup_lanes(if context.text.subgroups { subgroups::LANES } else { 0 })
        .with_max_loop_iterations(adapter::loop_iterations(&adapter))
}

/// An open device.
pub(crate) struct WgpuDevice {
    info: DeviceInfo,
    capabilities: Capabilities,
    pub(crate) context: Arc<Context>,
    /// Memory is the host's too, wherever it is asked for.
    shares_memory: bool,
    /// Memory can be exported.
    is_exportable: bool,
    tiling: TilingSetting,
}

impl WgpuDevice {
    pub(crate) fn new(info: DeviceInfo, context: Arc<Context>, props: &Props) -> Result<Self> {
        let shares_memory = shares_memory(&context, props)?;
        let is_exportable = props.get_bool("exportable")?.unwrap_or(false);
        let (capabilities, tiling) = (capabilities(&context), TilingSetting::of(props)?);
        Ok(Self { info, capabilities, context, shares_memory, is_exportable, tiling })
    }

    /// What others know the hardware by.
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    fn uuid(&self) -> Result<[u8; 16]> {
        let reason = "its driver is older than Vulkan 1.1 and does not identify the hardware";
        self.info.uuid.ok_or_else(|| Error::unsupported("export of this device's memory", reason))
    }
}

impl Drop for WgpuDevice {
    fn drop(&mut self) {
        // The context is kept for the next who opens the device: what is queued would hold memory until then. A device
        // that is lost holds nothing up.
        let _ = self.context.queue.finish(&self.context);
    }
}

impl BackendDevice for WgpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn target(&self) -> Arc<dyn Target> {
        Arc::new(WgslTarget(self.context.text.clone()))
    }

    fn target_for(&self, props: &Props) -> Result<Arc<dyn Target>> {
        Ok(Arc::new(WgslTarget(with_math(self.context.text.clone(), props)?)))
    }

    fn identity(&self, _props: &Props) -> Result<Vec<(&'static str, String)>> {
        let info = self.context.adapter.get_info();
        Ok(vec![
            ("adapter", format!("{} {:04x}:{:04x} {:?}", info.name, info.vendor, info.device, info.backend)),
            ("driver", self.info.driver.clone()),
            ("wgpu", WGPU_VERSION.to_owned()),
            ("features", format!("{:?}", self.context.text)),
            ("artifact", ARTIFACT.to_owned()),
        ])
    }

    fn allocate(&self, bytes: usize, placement: Placement) -> Result<Arc<dyn BackendMemory>> {
        self.context.failure.check()?;
        Ok(match placement {
            Placement::Device if self.is_exportable => Arc::new(mapped::allocate_exportable(&self.context, bytes)?),
            Placement::Device if !self.shares_memory => Arc::new(WgpuMemory::allocate(&self.context, bytes)?),
            _ => Arc::new(mapped::allocate(&self.context, bytes)?),
        })
    }

    unsafe fn wrap(&self, handle: NativeHandle, _bytes: usize) -> Result<Arc<dyn BackendMemory>> {
        let reason = "WebGPU buffers cannot use foreign memory: copy it with `malloc_from`";
        Err(Error::unsupported(format!("wrapping {handle}"), reason))
    }

    fn exports_memory(&self) -> bool {
        self.is_exportable
    }

    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    fn export(&self, memory: &dyn BackendMemory) -> Result<Exported> {
        // What was queued has been done when the other side sees the memory.
        self.finish()?;
        let uuid = self.uuid()?;
        WgpuMemory::of(memory)?.export(&self.context, uuid).unwrap_or_else(|| {
            let reason = "it was not allocated for that: open the device with `exportable: true`";
            Err(Error::unsupported("exporting this memory", reason))
        })
    }

    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    fn create_timeline(&self) -> Result<(Arc<dyn BackendTimeline>, Exported)> {
        let (timeline, exported) = timeline::WgpuTimeline::create(&self.context, self.uuid()?)?;
        Ok((Arc::new(timeline), exported))
    }

    fn compile(&self, text: &Compiled, props: &Props) -> Result<Vec<u8>> {
        self.context.failure.check()?;
        compile::compile(&self.context, text, props)
    }

    fn load(&self, artifact: &Artifact<'_>, signature: &Signature) -> Result<Vec<Arc<dyn BackendKernel>>> {
        self.context.failure.check()?;
        kernel::load(&self.context, artifact, signature)
    }

    fn windows(&self) -> Option<TilingSetting> {
        // Elsewhere a driver may make one operation of a product and a sum in one text, and not in another.
        precise::is_possible(&self.context).then_some(self.tiling)
    }

    fn takes_volumes(&self, element_bytes: u32) -> bool {
        // On an H200 three steps a pass take 0.8 of the time of single ones with `float`, and 1.2 with `double`.
        element_bytes < 8
    }

    fn reads_footprints(&self) -> bool {
        self.tiling != TilingSetting::Off && precise::is_possible(&self.context)
    }

    fn default_stream(&self) -> Arc<dyn BackendStream> {
        Arc::new(WgpuStream::new(Arc::clone(&self.context)))
    }

    fn create_stream(&self, _props: &Props) -> Result<Arc<dyn BackendStream>> {
        Ok(self.default_stream())
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        Err(Error::unsupported("free and total memory", "WebGPU does not report it"))
    }

    unsafe fn lower_graph(&self, phases: &[Vec<GraphCommand>]) -> Result<Option<Box<dyn BackendGraph>>> {
        self.context.failure.check()?;
        Ok(Some(Box::new(WgpuGraph::new(&self.context, phases)?)))
    }

    fn finish(&self) -> Result<()> {
        self.context.queue.finish(&self.context)
    }
}

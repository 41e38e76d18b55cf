//! Adapters: which there are, and which one the props name.

use crate::error;
use ferrocca_core::Result;
use ferrocca_core::backend::DeviceInfo;
use ferrocca_core::props::{Props, Value};
use okl::back::wgsl;

/// wgpu's backends of a mode.
pub(crate) fn backends(mode: &str) -> wgpu::Backends {
    match mode {
        "Vulkan" => wgpu::Backends::VULKAN,
        "Metal" => wgpu::Backends::METAL,
        "DX12" => wgpu::Backends::DX12,
        _ => wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12,
    }
}

/// The adapters of a mode that run compute shaders as this crate needs them.
/// # Errors
/// `Unavailable` where there is none.
pub(crate) fn list(mode: &str) -> Result<(wgpu::Instance, Vec<wgpu::Adapter>)> {
    let backends = backends(mode);
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = backends;
    descriptor.flags = wgpu::InstanceFlags::empty();
    let built = wgpu::Instance::enabled_backend_features();
    if !built.intersects(backends) {
        let names: Vec<String> = built.iter_names().map(|(name, _)| name.to_lowercase()).collect();
        let reason = format!("wgpu has no backend for it on this system; it has: {}", names.join(", "));
        return Err(error::unavailable(mode, reason));
    }
    let instance = wgpu::Instance::new(descriptor);
    let found = pollster::block_on(instance.enumerate_adapters(backends));
    let (fit, unfit): (Vec<_>, Vec<_>) = found.into_iter().partition(|adapter| lacks(adapter).is_none());
    if fit.is_empty() {
        let reasons: Vec<String> = unfit
            .iter()
            .map(|adapter| format!("{}: {}", adapter.get_info().name, lacks(adapter).unwrap_or_default()))
            .collect();
        let reason = match reasons.as_slice() {
            [] => format!("there is no adapter for {backends:?} (no driver, or no device)"),
            reasons => format!("no adapter has what kernels need: {}", reasons.join("; ")),
        };
        return Err(error::unavailable(mode, reason));
    }
    Ok((instance, fit))
}

/// What an adapter lacks that this crate cannot do without.
fn lacks(adapter: &wgpu::Adapter) -> Option<String> {
    if !adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
        return Some("no compute shaders".into());
    }
    if !adapter.features().contains(wgpu::Features::IMMEDIATES) {
        return Some("no immediates".into());
    }
    None
}

/// The position of the adapter that the props name, else of the most able one.
/// # Errors
/// When there is none of that name or number.
pub(crate) fn choose(adapters: &[wgpu::Adapter], props: &Props) -> Result<usize> {
    let names = || {
        let names: Vec<String> =
            adapters.iter().enumerate().map(|(n, a)| format!("{n}: {}", a.get_info().name)).collect();
        names.join(", ")
    };
    let wanted = match (props.get("adapter"), props.get("device_id")) {
        (None | Some(Value::Null), id) => id,
        (adapter, None | Some(Value::Null)) => adapter,
        (Some(_), Some(_)) => {
            return Err(error::props("props `adapter` and `device_id`: only one of them names a device"));
        }
    };
    match wanted {
        None | Some(Value::Null) => {
            let best = adapters.iter().enumerate().max_by_key(|(n, a)| (rank(a), std::cmp::Reverse(*n)));
            Ok(best.map_or(0, |(index, _)| index))
        }
        Some(Value::Int(index)) => usize::try_from(*index)
            .ok()
            .filter(|&index| index < adapters.len())
            .ok_or_else(|| error::props(format!("there is no adapter {index}; adapters: {}", names()))),
        Some(Value::String(name)) => {
            let lower = name.to_lowercase();
            let found = adapters.iter().position(|a| a.get_info().name.to_lowercase().contains(&lower));
            found.ok_or_else(|| error::props(format!("there is no adapter `{name}`; adapters: {}", names())))
        }
        Some(other) => Err(error::props(format!("prop `adapter`: expected a name or a number, got {other:?}"))),
    }
}

fn rank(adapter: &wgpu::Adapter) -> u8 {
    match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 4,
        wgpu::DeviceType::IntegratedGpu => 3,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 1,
        wgpu::DeviceType::Cpu => 0,
    }
}

/// What is known of an adapter.
pub(crate) fn describe(mode: &'static str, index: usize, adapter: &wgpu::Adapter) -> DeviceInfo {
    let info = adapter.get_info();
    DeviceInfo {
        mode,
        name: info.name.clone(),
        device_id: u32::try_from(index).unwrap_or(u32::MAX),
        memory_bytes: memory_bytes(adapter),
        cores: 0,
        architecture: format!("{:?} through {:?}", info.device_type, info.backend),
        compiler: format!("naga of wgpu {}", WGPU_VERSION),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
    }
}

/// Size of the device's own memory, which WebGPU itself does not tell; 0 where nobody does.
fn memory_bytes(adapter: &wgpu::Adapter) -> u64 {
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    {
        use ash::vk::MemoryHeapFlags;
        // SAFETY: the adapter is asked and not changed.
        if let Some(hal) = unsafe { adapter.as_hal::<wgpu::hal::vulkan::Api>() } {
            let physical = hal.raw_physical_device();
            // SAFETY: the physical device belongs to the instance.
            let properties =
                unsafe { hal.shared_instance().raw_instance().get_physical_device_memory_properties(physical) };
            let heaps = properties.memory_heaps_as_slice().iter();
            return heaps.filter(|heap| heap.flags.contains(MemoryHeapFlags::DEVICE_LOCAL)).map(|heap| heap.size).sum();
        }
    }
    let _ = adapter;
    0
}

/// The version whose WGSL front end and code generator make artifacts.
pub(crate) const WGPU_VERSION: &str = "30";

/// The optional features that a device is opened with.
pub(crate) fn wanted_features() -> wgpu::Features {
    wgpu::Features::IMMEDIATES
        | wgpu::Features::SHADER_F64
        | wgpu::Features::SHADER_INT64
        | wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS
        | wgpu::Features::SHADER_INT64_ATOMIC_MIN_MAX
        | wgpu::Features::TIMESTAMP_QUERY
        | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS
        | wgpu::Features::PASSTHROUGH_SHADERS
        | wgpu::Features::PIPELINE_CACHE
        | wgpu::Features::VULKAN_EXTERNAL_MEMORY_FD
}

/// What the text of a device's kernels may use.
pub(crate) fn text_features(features: wgpu::Features, limits: &wgpu::Limits) -> wgsl::Features {
    wgsl::Features {
        f64: features.contains(wgpu::Features::SHADER_F64),
        i64: features.contains(wgpu::Features::SHADER_INT64),
        i64_atomics: features.contains(wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS),
        // Every native API has 128 bytes; one number for all makes one text for all.
        immediate_bytes: limits.max_immediate_size.min(128),
        binding_bytes: limits.max_storage_buffer_binding_size,
        buffer_bytes: limits.max_buffer_size.min(1 << 36),
        storage_bindings: limits.max_storage_buffers_per_shader_stage,
    }
}

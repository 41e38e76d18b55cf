//! Adapters: which there are, and which one the props name.

use crate::{error, instance, subgroups};
use ferrocca_core::Result;
use ferrocca_core::backend::DeviceInfo;
use ferrocca_core::props::{Props, Value};
use okl::target::wgsl;

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
    let built = wgpu::Instance::enabled_backend_features();
    if !built.intersects(backends) {
        let reason = format!("this system has no {mode}: WebGPU goes through {} here", names_of(built));
        return Err(error::unavailable(mode, reason));
    }
    let (instance, found) = instance::adapters(backends & built).map_err(|reason| error::unavailable(mode, reason))?;
    let (fit, unfit): (Vec<_>, Vec<_>) = found.into_iter().partition(|adapter| lacks(adapter).is_none());
    if fit.is_empty() {
        let reasons: Vec<String> = unfit
            .iter()
            .map(|adapter| format!("{}: {}", adapter.get_info().name, lacks(adapter).unwrap_or_default()))
            .collect();
        let reason = match reasons.as_slice() {
            [] => format!("no {} driver here shows a device", names_of(backends & built)),
            reasons => format!("no adapter has the features that kernels need: {}", reasons.join("; ")),
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

/// wgpu's backends as people write them.
fn names_of(backends: wgpu::Backends) -> String {
    let names = [(wgpu::Backends::VULKAN, "Vulkan"), (wgpu::Backends::METAL, "Metal"), (wgpu::Backends::DX12, "DX12")];
    let there: Vec<&str> = names.iter().filter(|(one, _)| backends.contains(*one)).map(|(_, name)| *name).collect();
    there.join(" and ")
}

/// What an adapter is chosen by.
#[derive(Clone, Debug)]
struct Choice {
    name: String,
    kind: wgpu::DeviceType,
}

/// The position of the adapter that the props name, else of the most able one.
/// # Errors
/// When there is none of that name or number.
pub(crate) fn choose(adapters: &[wgpu::Adapter], props: &Props) -> Result<usize> {
    pick(&choices(adapters), props)
}

/// The position of the most able adapter, the first among equals.
pub(crate) fn default(adapters: &[wgpu::Adapter]) -> usize {
    most_able(&choices(adapters))
}

fn choices(adapters: &[wgpu::Adapter]) -> Vec<Choice> {
    let infos = adapters.iter().map(wgpu::Adapter::get_info);
    infos.map(|info| Choice { name: info.name, kind: info.device_type }).collect()
}

fn pick(choices: &[Choice], props: &Props) -> Result<usize> {
    let missing = |what: String| {
        let list: Vec<String> = choices.iter().enumerate().map(|(n, choice)| format!("{n}: {}", choice.name)).collect();
        error::props(format!("there is no adapter {what}; adapters: {}", list.join(", ")))
    };
    let at = |index: i64| {
        let position = usize::try_from(index).ok().filter(|&position| position < choices.len());
        position.ok_or_else(|| missing(index.to_string()))
    };
    let number = props.get_int("device_id")?;
    match (props.get("adapter"), number) {
        (None | Some(Value::Null), None) => Ok(most_able(choices)),
        (None | Some(Value::Null), Some(index)) => at(index),
        (Some(_), Some(_)) => {
            Err(error::props("properties `adapter` and `device_id`: only one of them names a device"))
        }
        (Some(Value::Int(index)), None) => at(*index),
        (Some(Value::String(name)), None) => {
            let lower = name.to_lowercase();
            let found = choices.iter().position(|choice| choice.name.to_lowercase().contains(&lower));
            found.ok_or_else(|| missing(format!("with `{name}` in its name")))
        }
        (Some(other), None) => {
            Err(error::props(format!("property `adapter` takes a name or a number, got {other} ({})", other.kind())))
        }
    }
}

fn most_able(choices: &[Choice]) -> usize {
    let best = choices.iter().enumerate().max_by_key(|(n, choice)| (rank(choice.kind), std::cmp::Reverse(*n)));
    best.map_or(0, |(index, _)| index)
}

fn rank(kind: wgpu::DeviceType) -> u8 {
    match kind {
        wgpu::DeviceType::DiscreteGpu => 4,
        wgpu::DeviceType::IntegratedGpu => 3,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 1,
        wgpu::DeviceType::Cpu => 0,
    }
}

/// What is known of an adapter.
pub(crate) fn describe(mode: &'static str, index: usize, adapter: &wgpu::Adapter) -> DeviceInfo {
    let said = adapter.get_info();
    let iterations = loop_iterations(&said);
    let mut info = DeviceInfo::new(mode, said.name);
    if let Some(iterations) = iterations {
        info.note = format!(
            "{mode}, {}: the driver ends the loops of an item after {iterations} iterations together; that is an error",
            info.name
        );
    }
    info.device_id = u32::try_from(index).unwrap_or(u32::MAX);
    info.memory_bytes = memory_bytes(adapter);
    let kind = match said.device_type {
        wgpu::DeviceType::DiscreteGpu => "GPU",
        wgpu::DeviceType::IntegratedGpu => "integrated GPU",
        wgpu::DeviceType::VirtualGpu => "virtual GPU",
        wgpu::DeviceType::Cpu => "CPU",
        wgpu::DeviceType::Other => "device",
    };
    info.architecture = format!("{kind} through {:?}", said.backend);
    let features = adapter.features();
    info.has_f64 = Some(features.contains(wgpu::Features::SHADER_F64));
    info.has_64_bit_atomics = Some(features.contains(wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS));
    info.compiler = format!("naga of wgpu {WGPU_VERSION}");
    info.driver = format!("{} {}", said.driver, said.driver_info).trim().to_owned();
    info.uuid = uuid(adapter);
    info
}

/// What the hardware is known by in CUDA and OpenCL too, where Vulkan tells.
fn uuid(adapter: &wgpu::Adapter) -> Option<[u8; 16]> {
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    {
        use ash::vk;
        // SAFETY: the adapter is asked and not changed.
        let hal = unsafe { adapter.as_hal::<wgpu::hal::vulkan::Api>() }?;
        let newest = hal.shared_instance().instance_api_version();
        if newest.min(hal.physical_device_capabilities().properties().api_version) < vk::API_VERSION_1_1 {
            return None;
        }
        let mut ids = vk::PhysicalDeviceIDProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
        let instance = hal.shared_instance().raw_instance();
        // SAFETY: the physical device belongs to the instance; both are of Vulkan 1.1 or newer.
        unsafe { instance.get_physical_device_properties2(hal.raw_physical_device(), &mut properties) };
        Some(ids.device_uuid)
    }
    #[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
    {
        let _ = adapter;
        None
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

/// So many iterations of all loops of an item together run on a driver that then ends them, and says nothing: gallivm's
/// `LP_MAX_TGSI_LOOP_ITERATIONS`, which the items of a vector share.
pub(crate) fn loop_iterations(info: &wgpu::AdapterInfo) -> Option<u64> {
    (info.driver == "llvmpipe").then_some(65_535)
}

/// The version whose WGSL front end and code generator make artifacts.
pub(crate) const WGPU_VERSION: &str = "30";

/// The optional features that a device is opened with.
pub(crate) fn wanted_features(info: &wgpu::AdapterInfo) -> wgpu::Features {
    let subgroups = if subgroups::are_likely(info) { wgpu::Features::SUBGROUP } else { wgpu::Features::empty() };
    subgroups
        | wgpu::Features::IMMEDIATES
        | wgpu::Features::SHADER_F64
        | wgpu::Features::SHADER_INT64
        | wgpu::Features::SHADER_I16
        | wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS
        | wgpu::Features::SHADER_INT64_ATOMIC_MIN_MAX
        | wgpu::Features::TIMESTAMP_QUERY
        | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS
        | wgpu::Features::PASSTHROUGH_SHADERS
        | wgpu::Features::PIPELINE_CACHE
        | wgpu::Features::VULKAN_EXTERNAL_MEMORY_FD
}

/// What the text of a device's kernels may use.
pub(crate) fn text_features(
    info: &wgpu::AdapterInfo,
    features: wgpu::Features,
    limits: &wgpu::Limits,
    coarsen: Option<bool>,
) -> wgsl::Features {
    let is_software = info.device_type == wgpu::DeviceType::Cpu;
    wgsl::Features {
        f64: features.contains(wgpu::Features::SHADER_F64),
        i64: features.contains(wgpu::Features::SHADER_INT64),
        i16: features.contains(wgpu::Features::SHADER_I16),
        i64_atomics: features.contains(wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS),
        // Every native API has 128 bytes; one number for all makes one text for all.
        immediate_bytes: limits.max_immediate_size.min(128),
        binding_bytes: limits.max_storage_buffer_binding_size,
        buffer_bytes: limits.max_buffer_size.min(1 << 36),
        storage_bindings: limits.max_storage_buffers_per_shader_stage,
        // Software implementations run every branch for every item, so a coarsened entry would run its groups twice.
        coarsen: coarsen.unwrap_or(!is_software),
        masks: is_software,
        ends_loops: loop_iterations(info).is_some(),
        // The open device is asked.
        subgroups: false,
        native_math: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgpu::DeviceType::{Cpu, DiscreteGpu, IntegratedGpu};

    fn picked(kinds: &[(&str, wgpu::DeviceType)], props: &str) -> Result<usize> {
        let choices: Vec<Choice> = kinds.iter().map(|&(name, kind)| Choice { name: name.to_owned(), kind }).collect();
        pick(&choices, &props.parse()?)
    }

    #[test]
    fn props_name_an_adapter_else_the_most_able_one_is_taken() {
        let server =
            [("llvmpipe", Cpu), ("Intel UHD", IntegratedGpu), ("NVIDIA H200", DiscreteGpu), ("NVIDIA L4", DiscreteGpu)];
        for (kinds, props, expected) in [
            (&server[..], "", 2),
            (&server[..2], "", 1),
            (&server[..1], "", 0),
            (&server[..], "adapter=l4", 3),
            (&server[..], "adapter=LLVM", 0),
            (&server[..], "adapter=1", 1),
            (&server[..], "device_id=3", 3),
        ] {
            assert_eq!(picked(kinds, props).expect(props), expected, "`{props}`");
        }
        for (props, expected) in [
            ("adapter=nosuch", "no adapter with `nosuch` in its name; adapters: 0: llvmpipe, 1: Intel UHD"),
            ("adapter=4", "no adapter 4; adapters: 0: llvmpipe"),
            ("device_id=-1", "no adapter -1;"),
            ("device_id=llvmpipe", "`device_id` takes an integer"),
            ("adapter=true", "`adapter` takes a name or a number, got true (a boolean)"),
            ("adapter=0, device_id=0", "only one of them"),
        ] {
            let text = picked(&server, props).expect_err(props).to_string();
            assert!(text.contains(expected), "{text}");
        }
    }

    #[test]
    fn a_driver_that_ends_loops_is_described_so() {
        let Ok((_instance, adapters)) = list("Vulkan") else { return };
        for adapter in &adapters {
            let info = describe("Vulkan", 0, adapter);
            assert_eq!(info.driver.starts_with("llvmpipe"), info.note.contains("after 65535 iterations"), "{info:?}");
        }
    }

    #[test]
    fn a_mode_that_the_system_lacks_is_named_as_such() {
        let absent = if cfg!(target_vendor = "apple") { "DX12" } else { "Metal" };
        let text = list(absent).map(|_| ()).expect_err("no system has both").to_string();
        assert!(text.contains(&format!("this system has no {absent}: WebGPU goes through ")), "{text}");
    }
}

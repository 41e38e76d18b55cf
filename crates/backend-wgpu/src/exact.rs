//! Shaders whose arithmetic is done as it is written.
//!
//! WGSL lets a driver contract `a * b + c`, and drivers go further: Mesa adds constants up across parentheses and takes
//! `x - x` for zero, which no compensated sum survives. SPIR-V can forbid it, but naga has no way to say so. On Vulkan,
//! unless `fp_contract: fast` is asked for, the SPIR-V that naga writes is therefore given the decoration
//! `NoContraction` at every floating-point operation, and handed to the driver as it is. Everything else (bindings,
//! bounds, overrides) is as wgpu would have it.

use crate::context::Context;
use crate::error;
use ferrocca_core::Result;
use okl::back::wgsl::interface::Interface;

/// Whether a device takes such shaders.
pub(crate) fn is_possible(context: &Context) -> bool {
    cfg!(any(target_os = "linux", target_os = "android", target_os = "freebsd", windows))
        && context.adapter.get_info().backend == wgpu::Backend::Vulkan
        && context.features.contains(wgpu::Features::PASSTHROUGH_SHADERS)
}

/// A text, checked.
pub(crate) struct Parsed {
    module: naga::Module,
    info: naga::valid::ModuleInfo,
}

impl Parsed {
    /// # Errors
    /// `Kernel` where naga refuses the text.
    pub(crate) fn new(text: &str) -> Result<Self> {
        let module = naga::front::wgsl::parse_str(text).map_err(|e| error::refused(e.emit_to_string(text)))?;
        // What the device can do was asked when the text was made.
        let mut validator =
            naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::all());
        let info = validator.validate(&module).map_err(|e| error::refused(e.emit_to_string(text)))?;
        Ok(Self { module, info })
    }

    /// The shader of one entry. `windows`: bindings for each pointer; `constants`: the overrides.
    /// # Errors
    /// `Kernel` where naga or the driver refuses it.
    pub(crate) fn shader(
        &self,
        context: &Context,
        interface: &Interface,
        windows: u32,
        entry: &str,
        constants: &[(&str, f64)],
    ) -> Result<wgpu::ShaderModule> {
        let words = self.spirv(context, interface, windows, entry, constants)?;
        let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
            label: Some(entry),
            entry_points: std::borrow::Cow::Owned(vec![wgpu::PassthroughShaderEntryPoint {
                name: entry.into(),
                workgroup_size: (1, 1, 1),
            }]),
            spirv: Some(words.into()),
            ..Default::default()
        };
        // SAFETY: the words are what naga makes of a valid module, with indices checked.
        let (module, reported) =
            context.scoped(|| unsafe { context.device.create_shader_module_passthrough(descriptor) });
        match reported {
            None => Ok(module),
            Some(error) => Err(error::refused(format!("`{entry}`: {}", error::describe(&error)))),
        }
    }

    fn spirv(
        &self,
        context: &Context,
        interface: &Interface,
        windows: u32,
        entry: &str,
        constants: &[(&str, f64)],
    ) -> Result<Vec<u32>> {
        let refused = |message: String| error::refused(format!("`{entry}`: {message}"));
        let stage = naga::ShaderStage::Compute;
        let constants = constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let (module, info) = naga::back::pipeline_constants::process_overrides(
            &self.module,
            &self.info,
            Some((stage, entry)),
            &constants,
        )
        .map_err(|e| refused(e.to_string()))?;
        let options = naga::back::spv::Options {
            lang_version: context.vulkan.spirv_version,
            flags: naga::back::spv::WriterFlags::empty(),
            fake_missing_bindings: false,
            binding_map: binding_map(interface, windows),
            bounds_check_policies: naga::proc::BoundsCheckPolicies {
                index: naga::proc::BoundsCheckPolicy::Restrict,
                buffer: if context.vulkan.checks_buffers {
                    naga::proc::BoundsCheckPolicy::Unchecked
                } else {
                    naga::proc::BoundsCheckPolicy::Restrict
                },
                ..Default::default()
            },
            zero_initialize_workgroup_memory: naga::back::spv::ZeroInitializeWorkgroupMemoryMode::None,
            force_loop_bounding: false,
            ..Default::default()
        };
        let pipeline = naga::back::spv::PipelineOptions { shader_stage: stage, entry_point: entry.to_owned() };
        let words = naga::back::spv::write_vec(&module, &info, &options, Some(&pipeline));
        Ok(forbid_contraction(&words.map_err(|e| refused(e.to_string()))?))
    }
}

/// wgpu numbers the bindings of a group one after the other.
fn binding_map(interface: &Interface, windows: u32) -> naga::back::spv::BindingMap {
    let given = interface.bindings.iter().flat_map(|(_, binding)| (0..windows).map(move |w| binding * windows + w));
    let buffers = given.zip(0..).map(|(binding, number)| (naga::ResourceBinding { group: 0, binding }, 0, number));
    let arguments = (naga::ResourceBinding { group: 1, binding: 0 }, 1, 0);
    buffers
        .chain([arguments])
        .map(|(resource, descriptor_set, binding)| {
            (resource, naga::back::spv::BindingInfo { descriptor_set, binding, binding_array_size: None })
        })
        .collect()
}

/// Words before the first instruction of a SPIR-V module.
const HEADER: usize = 5;
/// `OpDecorate`, three words long.
const DECORATE: u32 = 71 | (3 << 16);
const NO_CONTRACTION: u32 = 42;
/// `OpTypeVoid` up to `OpTypeFunction`: the first type follows the last decoration.
const TYPES: std::ops::RangeInclusive<u32> = 19..=33;
/// `OpFNegate`, `OpFAdd`, `OpFSub`, `OpFMul`, `OpFDiv`, `OpFRem`, `OpFMod`.
const ARITHMETIC: [u32; 7] = [127, 129, 131, 133, 136, 140, 141];

/// Decorates the result of every floating-point operation.
fn forbid_contraction(words: &[u32]) -> Vec<u32> {
    let mut results = Vec::new();
    let mut first_type = None;
    let mut at = HEADER;
    while let Some(&word) = words.get(at) {
        let (operation, length) = (word & 0xffff, (word >> 16) as usize);
        if TYPES.contains(&operation) {
            first_type.get_or_insert(at);
        }
        if ARITHMETIC.contains(&operation) {
            results.extend(words.get(at + 2));
        }
        at += length.max(1);
    }
    let (front, rest) = words.split_at(first_type.unwrap_or(words.len()));
    let decorations = results.iter().flat_map(|&result| [DECORATE, result, NO_CONTRACTION]);
    front.iter().copied().chain(decorations).chain(rest.iter().copied()).collect()
}

/// What SPIR-V a Vulkan device takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VulkanFacts {
    /// Newest version that the device is sure to take.
    spirv_version: (u8, u8),
    /// The device itself keeps shaders within the bound part of a buffer.
    checks_buffers: bool,
}

impl Default for VulkanFacts {
    fn default() -> Self {
        Self { spirv_version: (1, 0), checks_buffers: false }
    }
}

impl VulkanFacts {
    #[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
    pub(crate) fn of(_device: &wgpu::Device) -> Self {
        Self::default()
    }

    /// What is known of a device; of one that is not Vulkan's, nothing.
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    pub(crate) fn of(device: &wgpu::Device) -> Self {
        use ash::vk;
        // SAFETY: the device is asked and not changed.
        let Some(hal) = (unsafe { device.as_hal::<wgpu::hal::vulkan::Api>() }) else { return Self::default() };
        let (instance, physical) = (hal.shared_instance().raw_instance(), hal.raw_physical_device());
        // SAFETY: the physical device belongs to the instance.
        let version = unsafe { instance.get_physical_device_properties(physical) }.api_version;
        if version < vk::API_VERSION_1_1 {
            return Self::default();
        }
        let is_enabled = hal.enabled_device_extensions().contains(&ash::ext::robustness2::NAME);
        let mut robustness = vk::PhysicalDeviceRobustness2FeaturesEXT::default();
        if is_enabled {
            let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut robustness);
            // SAFETY: as above; the device has the extension whose structure is asked for, and Vulkan 1.1.
            unsafe { instance.get_physical_device_features2(physical, &mut features) };
        }
        Self { spirv_version: (1, 3), checks_buffers: is_enabled && robustness.robust_buffer_access2 == vk::TRUE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_decorated_before_the_first_type() {
        // A void type, then `%7 = OpFMul %2 %3 %4` and `%8 = OpIAdd %2 %3 %4`.
        let words = [
            0x0723_0203,
            0x1_0300,
            0,
            9,
            0,
            19 | (2 << 16),
            1,
            133 | (5 << 16),
            2,
            7,
            3,
            4,
            128 | (5 << 16),
            2,
            8,
            3,
            4,
        ];
        let mut expected = words[..HEADER].to_vec();
        expected.extend([DECORATE, 7, NO_CONTRACTION]);
        expected.extend(&words[HEADER..]);
        assert_eq!(forbid_contraction(&words), expected);
    }
}

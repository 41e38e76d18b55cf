//! What a Vulkan device takes, as far as wgpu does not tell it.

use crate::spirv::FloatControls;

/// What SPIR-V a Vulkan device takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VulkanFacts {
    /// Newest version that the device is sure to take.
    pub(crate) spirv_version: (u8, u8),
    /// The device itself keeps shaders within the bound part of a buffer.
    pub(crate) checks_buffers: bool,
    /// What can be asked of its arithmetic.
    pub(crate) floats: FloatControls,
}

impl Default for VulkanFacts {
    fn default() -> Self {
        Self { spirv_version: (1, 0), checks_buffers: false, floats: FloatControls::default() }
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
        Self {
            spirv_version: (1, 3),
            checks_buffers: is_enabled && robustness.robust_buffer_access2 == vk::TRUE,
            floats: if version < vk::API_VERSION_1_2 { FloatControls::default() } else { floats(instance, physical) },
        }
    }
}

/// What can be asked of the arithmetic of a device that has Vulkan 1.2.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
fn floats(instance: &ash::Instance, physical: ash::vk::PhysicalDevice) -> FloatControls {
    use ash::vk::ShaderFloatControlsIndependence as Independence;
    use ash::vk::{Bool32, PhysicalDeviceFloatControlsProperties, PhysicalDeviceProperties2, TRUE};
    let mut found = PhysicalDeviceFloatControlsProperties::default();
    let mut properties = PhysicalDeviceProperties2::default().push_next(&mut found);
    // SAFETY: the device is asked and not changed; the structure is one of Vulkan 1.2, which it has.
    unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
    let widths = |single: Bool32, double: Bool32| [single == TRUE, double == TRUE];
    // Where one width's mode must be every width's, it is asked for in both or in none.
    let settled = |[single, double]: [bool; 2], independence| match independence {
        Independence::NONE => [single && double; 2],
        _ => [single, double],
    };
    FloatControls {
        keeps_subnormals: settled(
            widths(found.shader_denorm_preserve_float32, found.shader_denorm_preserve_float64),
            found.denorm_behavior_independence,
        ),
        keeps_specials: widths(
            found.shader_signed_zero_inf_nan_preserve_float32,
            found.shader_signed_zero_inf_nan_preserve_float64,
        ),
        rounds_to_even: settled(
            widths(found.shader_rounding_mode_rte_float32, found.shader_rounding_mode_rte_float64),
            found.rounding_mode_independence,
        ),
    }
}

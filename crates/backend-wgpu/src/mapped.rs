//! Memory that the host and kernels use in place: a buffer on host-visible memory, mapped as long as it lives.
//!
//! WebGPU itself gives buffers that are either mapped or used by kernels. On Vulkan the buffer is made beneath wgpu and
//! given to it: coherent memory needs no call when its owner changes. Elsewhere such memory is refused.

use crate::context::Context;
use crate::memory::WgpuMemory;
use ferrocca_core::Result;
use std::ptr::NonNull;

/// Where a buffer is mapped. The mapping lives as long as the buffer does, which frees the memory beneath.
pub(crate) struct Mapping {
    pointer: NonNull<u8>,
}

// SAFETY: it is an address; who reads and writes what is there when is decided by the kernels and by core's borrow rules.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub(crate) fn pointer(&self) -> NonNull<u8> {
        self.pointer
    }
}

/// Whether a device has such memory.
pub(crate) fn is_possible(context: &Context) -> bool {
    cfg!(any(target_os = "linux", target_os = "android", target_os = "freebsd"))
        && context.adapter.get_info().backend == wgpu::Backend::Vulkan
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
/// # Errors
/// Always: the APIs of this system give no such buffer to wgpu.
pub(crate) fn allocate(_context: &Context, _bytes: usize) -> Result<WgpuMemory> {
    let reason = "on this system wgpu's buffers are either mapped or used by kernels";
    Err(ferrocca_core::Error::unsupported("host memory", reason))
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
pub(crate) use vulkan::allocate;

#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
mod vulkan {
    use super::{Context, Mapping, NonNull, Result, WgpuMemory};
    use crate::error;
    use crate::memory::{USAGES, padded};
    use ash::vk;
    use ferrocca_core::Error;
    use wgpu::hal::vulkan;

    /// `bytes` > 0 of memory that the host and kernels see, zeroed.
    /// # Errors
    /// `Unsupported` where the adapter is not one of Vulkan, or has no memory that both see.
    pub(crate) fn allocate(context: &Context, bytes: usize) -> Result<WgpuMemory> {
        let size = padded(bytes);
        if size > context.limits.max_buffer_size {
            return Err(error::out_of_memory(bytes as u64));
        }
        // SAFETY: the device is used for calls that WebGPU does not make, and is not destroyed.
        let Some(hal) = (unsafe { context.device.as_hal::<vulkan::Api>() }) else {
            return Err(Error::unsupported(
                "host memory",
                "only Vulkan gives buffers that are mapped while kernels use them",
            ));
        };
        let device = hal.raw_device();
        let physical = hal.raw_physical_device();
        // SAFETY: the physical device belongs to the instance.
        let properties =
            unsafe { hal.shared_instance().raw_instance().get_physical_device_memory_properties(physical) };
        let description = vk::BufferCreateInfo::default()
            .size(size)
            .usage(
                vk::BufferUsageFlags::STORAGE_BUFFER
                    | vk::BufferUsageFlags::TRANSFER_SRC
                    | vk::BufferUsageFlags::TRANSFER_DST,
            )
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        // SAFETY: the description is complete.
        let buffer =
            unsafe { device.create_buffer(&description, None) }.map_err(|e| failed("vkCreateBuffer", e, size))?;
        // SAFETY: the buffer was made by this device, and is given up where an error is returned.
        let (memory, pointer) = unsafe { back(device, buffer, size, &properties) }.inspect_err(|_| {
            // SAFETY: nobody else knows the buffer.
            unsafe { device.destroy_buffer(buffer, None) };
        })?;
        // SAFETY: buffer and memory are this device's own and are given to wgpu, which frees both.
        let raw = unsafe { vulkan::Buffer::from_raw_managed(buffer, memory, 0, size) };
        drop(hal);
        let description =
            wgpu::BufferDescriptor { label: Some("host memory"), size, usage: USAGES, mapped_at_creation: false };
        // SAFETY: it was made as the description says, by this device, and holds zeros.
        let buffer = unsafe { context.device.create_buffer_from_hal::<vulkan::Api>(raw, &description) };
        Ok(WgpuMemory::mapped(buffer, bytes, Mapping { pointer }))
    }

    /// Binds memory to a buffer and maps it.
    ///
    /// # Safety
    /// The buffer was made by the device and has no memory.
    unsafe fn back(
        device: &ash::Device,
        buffer: vk::Buffer,
        size: u64,
        properties: &vk::PhysicalDeviceMemoryProperties,
    ) -> Result<(vk::DeviceMemory, NonNull<u8>)> {
        // SAFETY: by the caller.
        let needs = unsafe { device.get_buffer_memory_requirements(buffer) };
        let index = memory_type(properties, needs.memory_type_bits)
            .ok_or_else(|| Error::unsupported("host memory", "this adapter has none that both host and kernels see"))?;
        let description = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
        // SAFETY: the type is one of the device's.
        let memory =
            unsafe { device.allocate_memory(&description, None) }.map_err(|e| failed("vkAllocateMemory", e, size))?;
        // SAFETY: the memory is of a type that the buffer takes, and is mapped once, as a whole.
        let mapped = unsafe {
            device
                .bind_buffer_memory(buffer, memory, 0)
                .and_then(|()| device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()))
        };
        let pointer = mapped.map(|pointer| NonNull::new(pointer.cast::<u8>()));
        match pointer {
            Ok(Some(pointer)) => {
                // SAFETY: `size` bytes are mapped there, which nobody else knows yet.
                unsafe { pointer.as_ptr().write_bytes(0, size as usize) };
                Ok((memory, pointer))
            }
            other => {
                // SAFETY: nobody else knows the memory.
                unsafe { device.free_memory(memory, None) };
                let code = other.err().unwrap_or(vk::Result::ERROR_MEMORY_MAP_FAILED);
                Err(failed("vkMapMemory", code, size))
            }
        }
    }

    /// A type that the host sees without flushes; one that it reads through its caches where there is one.
    fn memory_type(properties: &vk::PhysicalDeviceMemoryProperties, allowed: u32) -> Option<u32> {
        let needed = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let types = properties.memory_types_as_slice();
        let fit = |flags: vk::MemoryPropertyFlags| {
            let fits = |(index, ty): &(usize, &vk::MemoryType)| {
                allowed & (1 << index) != 0 && ty.property_flags.contains(flags)
            };
            types.iter().enumerate().find(fits).map(|(index, _)| index as u32)
        };
        fit(needed | vk::MemoryPropertyFlags::HOST_CACHED).or_else(|| fit(needed))
    }

    fn failed(call: &'static str, code: vk::Result, size: u64) -> Error {
        match code {
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => error::out_of_memory(size),
            other => error::driver(call, other),
        }
    }
}

//! Memory that wgpu does not make: for the host and kernels in place, and for other programs' APIs.
//!
//! WebGPU itself gives buffers that are either mapped or used by kernels, cut from memory that nobody else can have. On
//! Vulkan a buffer of its own is made beneath wgpu and given to it: on host-visible memory, which is mapped as long as
//! the buffer lives (coherent memory needs no call when its owner changes), or on memory that can be exported as a file
//! descriptor. Elsewhere such memory is refused.

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

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
/// # Errors
/// Always: see [`allocate`].
pub(crate) fn allocate_exportable(_context: &Context, _bytes: usize) -> Result<WgpuMemory> {
    Err(ferrocca_core::Error::unsupported("exportable memory", "only Vulkan's memory has file descriptors"))
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
pub(crate) use vulkan::{Exportable, allocate, allocate_exportable, export};

#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
mod vulkan {
    use super::{Context, Mapping, NonNull, Result, WgpuMemory};
    use crate::error;
    use crate::memory::{USAGES, padded};
    use ash::vk;
    use ferrocca_core::Error;
    use ferrocca_core::backend::Exported;
    use std::os::fd::{FromRawFd, OwnedFd};
    use wgpu::hal::vulkan;

    /// `bytes` > 0 of memory that the host and kernels see, zeroed.
    /// # Errors
    /// `Unsupported` where the adapter is not one of Vulkan, or has no memory that both see.
    pub(crate) fn allocate(context: &Context, bytes: usize) -> Result<WgpuMemory> {
        let made = make(context, bytes, false)?;
        // SAFETY: as many bytes are mapped there, which nobody else knows yet.
        let map = |device: &ash::Device| unsafe { map(device, &made) };
        let pointer = with(context, map)?.inspect_err(|_| drop_raw(context, &made))?;
        Ok(WgpuMemory::mapped(given_to_wgpu(context, &made), bytes, Mapping { pointer }))
    }

    /// `bytes` > 0 of the device's own memory that [`export`] takes, zeroed.
    /// # Errors
    /// `Unsupported` where the adapter has none.
    pub(crate) fn allocate_exportable(context: &Context, bytes: usize) -> Result<WgpuMemory> {
        if !context.features.contains(wgpu::Features::VULKAN_EXTERNAL_MEMORY_FD) {
            return Err(Error::unsupported("exportable memory", "this adapter lacks VK_KHR_external_memory_fd"));
        }
        let made = make(context, bytes, true)?;
        let buffer = given_to_wgpu(context, &made);
        context.queue.lock().encoder(context).clear_buffer(&buffer, 0, None);
        Ok(WgpuMemory::exportable(buffer, bytes, Exportable { memory: made.memory, size: made.allocated }))
    }

    /// A file descriptor of the memory, with what an import must name. `uuid` is the device's.
    /// # Errors
    /// Failures of the driver.
    pub(crate) fn export(context: &Context, exportable: &Exportable, uuid: [u8; 16]) -> Result<Exported> {
        let description = vk::MemoryGetFdInfoKHR::default()
            .memory(exportable.memory)
            .handle_type(vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD);
        // SAFETY: the device is used for a call that WebGPU does not make.
        let Some(hal) = (unsafe { context.device.as_hal::<vulkan::Api>() }) else {
            return Err(error::internal("exportable memory of a device that is not Vulkan's"));
        };
        let calls = ash::khr::external_memory_fd::Device::new(hal.shared_instance().raw_instance(), hal.raw_device());
        // SAFETY: the memory is this device's, alive, and was allocated for export.
        let descriptor = unsafe { calls.get_memory_fd(&description) };
        let descriptor = descriptor.map_err(|e| failed("vkGetMemoryFdKHR", e, exportable.size))?;
        // SAFETY: the descriptor is new and nobody else's.
        let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
        Ok(Exported::memory_fd(descriptor, exportable.size, true, uuid))
    }

    /// Memory that can be exported; it lives as long as its buffer.
    pub(crate) struct Exportable {
        memory: vk::DeviceMemory,
        size: u64,
    }

    /// A buffer and its memory, which wgpu does not know yet.
    struct Made {
        buffer: vk::Buffer,
        memory: vk::DeviceMemory,
        size: u64,
        allocated: u64,
    }

    /// Calls beneath wgpu.
    fn with<T>(context: &Context, work: impl FnOnce(&ash::Device) -> T) -> Result<T> {
        // SAFETY: the device is used for calls that WebGPU does not make, and is not destroyed.
        match unsafe { context.device.as_hal::<vulkan::Api>() } {
            Some(hal) => Ok(work(hal.raw_device())),
            None => Err(Error::unsupported("such memory", "only Vulkan gives buffers that are made beneath wgpu")),
        }
    }

    fn make(context: &Context, bytes: usize, for_export: bool) -> Result<Made> {
        let size = padded(bytes);
        if size > context.limits.max_buffer_size {
            return Err(error::too_large(bytes as u64, context.limits.max_buffer_size));
        }
        let properties = {
            // SAFETY: the device is asked and not changed.
            let Some(hal) = (unsafe { context.device.as_hal::<vulkan::Api>() }) else {
                let reason = "only Vulkan gives buffers that are mapped while kernels use them";
                return Err(Error::unsupported("host memory", reason));
            };
            let instance = hal.shared_instance().raw_instance();
            // SAFETY: the physical device belongs to the instance.
            unsafe { instance.get_physical_device_memory_properties(hal.raw_physical_device()) }
        };
        // SAFETY: the buffer is new, and nobody else knows it.
        with(context, |device| unsafe { create(device, size, &properties, for_export) })?
    }

    /// # Safety
    /// The properties are those of the device.
    unsafe fn create(
        device: &ash::Device,
        size: u64,
        properties: &vk::PhysicalDeviceMemoryProperties,
        for_export: bool,
    ) -> Result<Made> {
        let kind = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(kind);
        let mut description = vk::BufferCreateInfo::default()
            .size(size)
            .usage(
                vk::BufferUsageFlags::STORAGE_BUFFER
                    | vk::BufferUsageFlags::TRANSFER_SRC
                    | vk::BufferUsageFlags::TRANSFER_DST,
            )
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        if for_export {
            description = description.push_next(&mut external);
        }
        // SAFETY: the description is complete.
        let buffer =
            unsafe { device.create_buffer(&description, None) }.map_err(|e| failed("vkCreateBuffer", e, size))?;
        // SAFETY: the buffer was made by this device and has no memory yet.
        unsafe { back(device, buffer, size, properties, for_export) }.inspect_err(|_| {
            // SAFETY: nobody else knows the buffer.
            unsafe { device.destroy_buffer(buffer, None) };
        })
    }

    /// Binds memory to a buffer.
    ///
    /// # Safety
    /// The buffer was made by the device and has no memory.
    unsafe fn back(
        device: &ash::Device,
        buffer: vk::Buffer,
        size: u64,
        properties: &vk::PhysicalDeviceMemoryProperties,
        for_export: bool,
    ) -> Result<Made> {
        // SAFETY: by the caller.
        let needs = unsafe { device.get_buffer_memory_requirements(buffer) };
        let what = if for_export { "exportable memory" } else { "host memory" };
        let index = memory_type(properties, needs.memory_type_bits, for_export)
            .ok_or_else(|| Error::unsupported(what, "this adapter has no such memory"))?;
        let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
        let mut export =
            vk::ExportMemoryAllocateInfo::default().handle_types(vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD);
        let mut description = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
        if for_export {
            description = description.push_next(&mut dedicated).push_next(&mut export);
        }
        // SAFETY: the type is one of the device's.
        let memory =
            unsafe { device.allocate_memory(&description, None) }.map_err(|e| failed("vkAllocateMemory", e, size))?;
        // SAFETY: the memory is of a type that the buffer takes.
        match unsafe { device.bind_buffer_memory(buffer, memory, 0) } {
            Ok(()) => Ok(Made { buffer, memory, size, allocated: needs.size }),
            Err(code) => {
                // SAFETY: nobody else knows the memory.
                unsafe { device.free_memory(memory, None) };
                Err(failed("vkBindBufferMemory", code, size))
            }
        }
    }

    /// Maps memory and fills it with zeros.
    ///
    /// # Safety
    /// Nobody else uses the memory, which is mapped this once.
    unsafe fn map(device: &ash::Device, made: &Made) -> Result<NonNull<u8>> {
        // SAFETY: by the caller.
        let mapped = unsafe { device.map_memory(made.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) };
        let mapped = mapped.map_err(|e| failed("vkMapMemory", e, made.size))?;
        let pointer = NonNull::new(mapped.cast::<u8>());
        let pointer = pointer.ok_or_else(|| failed("vkMapMemory", vk::Result::ERROR_MEMORY_MAP_FAILED, made.size))?;
        // SAFETY: `size` bytes are mapped there.
        unsafe { pointer.as_ptr().write_bytes(0, made.size as usize) };
        Ok(pointer)
    }

    fn drop_raw(context: &Context, made: &Made) {
        // SAFETY: nobody else knows either.
        let free = |device: &ash::Device| unsafe {
            device.destroy_buffer(made.buffer, None);
            device.free_memory(made.memory, None);
        };
        // It was this device that made them.
        let _ = with(context, free);
    }

    /// The buffer as wgpu's, which frees it and its memory.
    fn given_to_wgpu(context: &Context, made: &Made) -> wgpu::Buffer {
        // SAFETY: buffer and memory are this device's own and are given to wgpu, which frees both.
        let raw = unsafe { vulkan::Buffer::from_raw_managed(made.buffer, made.memory, 0, made.allocated) };
        let description = wgpu::BufferDescriptor {
            label: Some("own memory"),
            size: made.size,
            usage: USAGES,
            mapped_at_creation: false,
        };
        // SAFETY: it was made as the description says, by this device, and holds zeros before anybody reads it.
        unsafe { context.device.create_buffer_from_hal::<vulkan::Api>(raw, &description) }
    }

    /// For export a type of the device's own. Else one that the host sees without flushes; one that it reads through
    /// its caches where there is one.
    fn memory_type(properties: &vk::PhysicalDeviceMemoryProperties, allowed: u32, for_export: bool) -> Option<u32> {
        let needed = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let types = properties.memory_types_as_slice();
        let fit = |flags: vk::MemoryPropertyFlags| {
            let fits = |(index, ty): &(usize, &vk::MemoryType)| {
                allowed & (1 << index) != 0 && ty.property_flags.contains(flags)
            };
            types.iter().enumerate().find(fits).map(|(index, _)| index as u32)
        };
        if for_export {
            return fit(vk::MemoryPropertyFlags::DEVICE_LOCAL);
        }
        fit(needed | vk::MemoryPropertyFlags::HOST_CACHED).or_else(|| fit(needed))
    }

    fn failed(call: &'static str, code: vk::Result, size: u64) -> Error {
        match code {
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => error::out_of_memory(size),
            other => error::vulkan(call, other),
        }
    }
}

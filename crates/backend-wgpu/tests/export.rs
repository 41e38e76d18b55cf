//! Memory that is exported, as another program of Vulkan's sees it: it imports the descriptor into an instance and a
//! device of its own, with the size that it is told, and reads and writes there.
#![cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]

use ash::vk;
use ferrocca_backend_wgpu as _;
use ferrocca_core::backend::Exported;
use ferrocca_core::{Device, args};
use std::os::fd::IntoRawFd;

const EXPORTING: &str = "mode=WebGPU, exportable=true";

/// A device that exports; without one a test says so, unless `FERROCCA_REQUIRE_DEVICES` names WebGPU.
fn device() -> Option<Device> {
    match Device::open(EXPORTING).and_then(|device| device.malloc::<u8>(1).map(|_| device.clone())) {
        Ok(device) => Some(device),
        Err(error) => {
            let required = std::env::var("FERROCCA_REQUIRE_DEVICES").unwrap_or_default().to_lowercase();
            assert!(!required.contains("webgpu"), "{error}");
            println!("skipped: {error}");
            None
        }
    }
}

/// Another user of the same hardware.
struct Other {
    device: ash::Device,
    instance: ash::Instance,
    physical: vk::PhysicalDevice,
    _entry: ash::Entry,
}

impl Other {
    /// The device of that UUID.
    fn open(uuid: [u8; 16]) -> Self {
        // SAFETY: the loader is there, because a device was opened; the descriptions are complete.
        unsafe {
            let entry = ash::Entry::load().expect("the loader");
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
            let description = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&description, None).expect("an instance");
            let has_uuid = |physical: &vk::PhysicalDevice| {
                let mut ids = vk::PhysicalDeviceIDProperties::default();
                let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
                instance.get_physical_device_properties2(*physical, &mut properties);
                ids.device_uuid == uuid
            };
            let mut devices = instance.enumerate_physical_devices().expect("devices").into_iter();
            let physical = devices.find(has_uuid).expect("the hardware has that UUID");
            let extensions = [ash::khr::external_memory_fd::NAME.as_ptr()];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0])];
            let description =
                vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions);
            let device = instance.create_device(physical, &description, None).expect("a device");
            Self { device, instance, physical, _entry: entry }
        }
    }

    /// Adds 1 to each word of the memory; answers what they were. The memory is one that the host addresses.
    fn bump(&self, exported: Exported, words: usize) -> Option<Vec<u32>> {
        let Exported::Fd { descriptor, bytes, dedicated, .. } = exported else { panic!("no descriptor") };
        assert!(dedicated && bytes >= 4 * words as u64, "{bytes} bytes");
        let kind = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
        // SAFETY: buffer and memory are made as the exporter made its own, and are used by nobody else meanwhile.
        unsafe {
            let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(kind);
            let usage = vk::BufferUsageFlags::STORAGE_BUFFER
                | vk::BufferUsageFlags::TRANSFER_SRC
                | vk::BufferUsageFlags::TRANSFER_DST;
            let description = vk::BufferCreateInfo::default().size(bytes).usage(usage).push_next(&mut external);
            let buffer = self.device.create_buffer(&description, None).expect("a buffer");
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let properties = self.instance.get_physical_device_memory_properties(self.physical);
            let wanted = vk::MemoryPropertyFlags::DEVICE_LOCAL;
            let index = (0..properties.memory_type_count).find(|&index| {
                let flags = properties.memory_types[index as usize].property_flags;
                needs.memory_type_bits & (1 << index) != 0 && flags.contains(wanted)
            });
            let index = index.expect("memory of the device's own");
            let flags = properties.memory_types[index as usize].property_flags;
            let is_mapped =
                flags.contains(vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT);
            let mut from = vk::ImportMemoryFdInfoKHR::default().handle_type(kind).fd(descriptor.into_raw_fd());
            let mut own = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
            let description = vk::MemoryAllocateInfo::default()
                .allocation_size(bytes)
                .memory_type_index(index)
                .push_next(&mut own)
                .push_next(&mut from);
            let memory = self.device.allocate_memory(&description, None).expect("it is imported");
            self.device.bind_buffer_memory(buffer, memory, 0).expect("it is bound");
            let seen = is_mapped.then(|| {
                let mapped = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
                let mapped = std::slice::from_raw_parts_mut(mapped.expect("it is mapped").cast::<u32>(), words);
                let seen = mapped.to_vec();
                mapped.iter_mut().for_each(|word| *word += 1);
                seen
            });
            self.device.destroy_buffer(buffer, None);
            self.device.free_memory(memory, None);
            seen
        }
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        // SAFETY: what was made of them is gone.
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

#[test]
fn another_program_sees_the_memory_and_what_it_writes_is_seen_here() {
    let Some(device) = device() else { return };
    let uuid = device.info().uuid.expect("Vulkan tells");
    let source = "@kernel void triple(const int n, unsigned int *a) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { a[i] *= 3; }
    }";
    let kernel = device.build_kernel_from_string(source, "triple", "").expect("it builds");
    let other = Other::open(uuid);
    // Sizes that are no allocation's.
    for words in [1, 1001, 100_003] {
        let values: Vec<u32> = (0..words as u32).collect();
        let mut memory = device.malloc_from(&values).expect("memory");
        kernel.launch(args![words as i32, &mut memory]).expect("it runs");
        // What is queued is done when a handle is given.
        let exported = device.export_memory(memory.untyped()).expect("it is exported");
        let Some(seen) = other.bump(exported, words) else {
            return println!("skipped: the host does not address this device's memory");
        };
        assert!(seen.iter().enumerate().all(|(i, &word)| word == 3 * i as u32), "{words} words");
        kernel.launch(args![words as i32, &mut memory]).expect("it runs");
        let expected: Vec<u32> = values.iter().map(|value| 3 * (3 * value + 1)).collect();
        assert_eq!(memory.to_vec().expect("results"), expected, "{words} words");
    }
}

#[test]
fn without_cuda_the_peer_is_missed_by_name() {
    let Some(device) = device() else { return };
    assert!(device.exports_memory() && !Device::open("mode=WebGPU").expect("it was opened before").exports_memory());
    let error = device.peer("CUDA").expect_err("this program has no such backend").to_string();
    assert!(error.contains("`CUDA`") && error.contains("this program was built without it"), "{error}");
    let second = device.peer("Vulkan").expect("the same hardware");
    assert_eq!((second.mode(), second.info().uuid), ("Vulkan", device.info().uuid));
    let memory = device.malloc::<f32>(8).expect("memory");
    let error = second.import_memory(memory.untyped()).expect_err("it imports nothing").to_string();
    assert!(error.contains("mode `Vulkan` takes no such handle"), "{error}");
    // Devices that share no timeline are put in order by the host.
    second.default_stream().wait_stream(&device.default_stream()).expect("order");
    assert!(second.peer("vulkan").expect("itself") == second);
}

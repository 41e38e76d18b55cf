//! Timelines: semaphores of Vulkan's, beneath wgpu, by which other APIs put their work behind the queue's and the queue's
//! behind theirs.
//!
//! wgpu submits to the queue, and takes with the next submission what is to be signalled or waited for. It opens devices
//! without the extension that exports a semaphore, so a device that shall have it is opened here. Where a driver lacks
//! it there is no timeline, and the host waits instead (`ferrocca_core::Stream::wait_stream`).

#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
pub(crate) use vulkan::{WgpuTimeline, open};

/// A device and its queue, or why wgpu refuses it.
pub(crate) type Opened = std::result::Result<(wgpu::Device, wgpu::Queue), wgpu::RequestDeviceError>;

/// Opens a device with timelines; `None` where it has none.
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
pub(crate) fn open(_adapter: &wgpu::Adapter, _description: &wgpu::DeviceDescriptor<'_>) -> Option<Opened> {
    None
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
mod vulkan {
    use super::Opened;
    use crate::context::Context;
    use crate::error;
    use ash::vk;
    use ferrocca_core::backend::{BackendStream, BackendTimeline, Exported};
    use ferrocca_core::{Error, Result};
    use std::os::fd::{FromRawFd, OwnedFd};
    use std::sync::Arc;
    use wgpu::hal::vulkan::{self, Api};

    /// The kind of handle that CUDA takes.
    const KIND: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;

    /// Opens a device with timelines; `None` where it has none.
    pub(crate) fn open(adapter: &wgpu::Adapter, description: &wgpu::DeviceDescriptor<'_>) -> Option<Opened> {
        let opened = {
            // SAFETY: the adapter is asked and not changed.
            let hal = unsafe { adapter.as_hal::<Api>() }?;
            if !has_timelines(&hal) {
                return None;
            }
            let add = |arguments: vulkan::CreateDeviceCallbackArgs<'_, '_, '_>| {
                arguments.extensions.push(ash::khr::external_semaphore_fd::NAME);
            };
            let (features, limits) = (description.required_features, &description.required_limits);
            // SAFETY: nothing is taken away, and the device has the extension that is added.
            unsafe { hal.open_with_callback(features, limits, &description.memory_hints, Some(Box::new(add))) }
        };
        // Without the extension it may open; if not, that says why.
        let device = opened.ok()?;
        // SAFETY: the device was opened by this adapter, with the features that the description names.
        Some(unsafe { adapter.create_device_from_hal(device, description) })
    }

    /// Whether semaphores that count can be exported.
    fn has_timelines(hal: &vulkan::Adapter) -> bool {
        let (instance, physical) = (hal.shared_instance(), hal.raw_physical_device());
        let known = hal.physical_device_capabilities();
        let newest = instance.instance_api_version().min(known.properties().api_version);
        if newest < vk::API_VERSION_1_2 || !known.supports_extension(ash::khr::external_semaphore_fd::NAME) {
            return false;
        }
        let mut counts = vk::PhysicalDeviceTimelineSemaphoreFeatures::default();
        let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut counts);
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let question = vk::PhysicalDeviceExternalSemaphoreInfo::default().handle_type(KIND).push_next(&mut kind);
        let mut answer = vk::ExternalSemaphoreProperties::default();
        // SAFETY: the physical device belongs to the instance; both are of Vulkan 1.2 or newer.
        unsafe {
            instance.raw_instance().get_physical_device_features2(physical, &mut features);
            instance.raw_instance().get_physical_device_external_semaphore_properties(physical, &question, &mut answer);
        }
        // wgpu enables the feature wherever there is one.
        counts.timeline_semaphore == vk::TRUE
            && answer.external_semaphore_features.contains(vk::ExternalSemaphoreFeatureFlags::EXPORTABLE)
    }

    /// A timeline of the device's queue.
    pub(crate) struct WgpuTimeline {
        raw: vk::Semaphore,
        context: Arc<Context>,
    }

    impl WgpuTimeline {
        /// A timeline at 0, and a handle of it. `uuid` is the device's.
        /// # Errors
        /// `Unsupported` where the driver exports none, failures of the driver.
        pub(crate) fn create(context: &Arc<Context>, uuid: [u8; 16]) -> Result<(Self, Exported)> {
            // SAFETY: the device is used for calls that WebGPU does not make.
            let hal = unsafe { context.device.as_hal::<Api>() };
            let extension = ash::khr::external_semaphore_fd::NAME;
            let Some(hal) = hal.filter(|hal| hal.enabled_device_extensions().contains(&extension)) else {
                let reason = "the device was not opened with `exportable: true`, or its driver exports no semaphores";
                return Err(Error::unsupported("a timeline", reason));
            };
            let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
            let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(KIND);
            let description = vk::SemaphoreCreateInfo::default().push_next(&mut kind).push_next(&mut export);
            // SAFETY: the device has the extension and the feature.
            let raw = unsafe { hal.raw_device().create_semaphore(&description, None) };
            let raw = raw.map_err(|e| error::vulkan("vkCreateSemaphore", e))?;
            let timeline = Self { raw, context: Arc::clone(context) };
            let calls =
                ash::khr::external_semaphore_fd::Device::new(hal.shared_instance().raw_instance(), hal.raw_device());
            let question = vk::SemaphoreGetFdInfoKHR::default().semaphore(raw).handle_type(KIND);
            // SAFETY: the semaphore is this device's, and was made for export.
            let descriptor = unsafe { calls.get_semaphore_fd(&question) };
            let descriptor = descriptor.map_err(|e| error::vulkan("vkGetSemaphoreFdKHR", e))?;
            // SAFETY: the descriptor is new and nobody else's.
            let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
            Ok((timeline, Exported::timeline_fd(descriptor, uuid)))
        }

        /// A timeline that is not exported, which any driver has.
        #[cfg(test)]
        pub(crate) fn not_exported(context: &Arc<Context>) -> Self {
            let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
            let description = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
            // SAFETY: the device is Vulkan's, and has the feature, which wgpu uses itself.
            let raw = unsafe {
                let hal = context.device.as_hal::<Api>().expect("it is Vulkan's");
                hal.raw_device().create_semaphore(&description, None).expect("a semaphore")
            };
            Self { raw, context: Arc::clone(context) }
        }

        /// Calls on the queue beneath wgpu's.
        fn with_queue<T>(&self, work: impl FnOnce(&vulkan::Queue) -> T) -> Result<T> {
            // SAFETY: the queue is told of semaphores, and given no work.
            match unsafe { self.context.queue.raw.as_hal::<Api>() } {
                Some(hal) => Ok(work(&hal)),
                None => Err(error::internal("a timeline of a device that is not Vulkan's")),
            }
        }
    }

    impl BackendTimeline for WgpuTimeline {
        fn signal(&self, _stream: &dyn BackendStream, value: u64) -> Result<()> {
            self.context.failure.check()?;
            let mut recorded = self.context.queue.lock();
            // Nobody else submits while this thread has the queue. With nothing recorded, an empty submission stands for
            // all before it.
            recorded.encoder(&self.context);
            self.with_queue(|queue| queue.add_signal_semaphore(self.raw, Some(value)))?;
            recorded.submit(&self.context);
            let is_left = self.with_queue(|queue| queue.remove_signal_semaphore(self.raw))?;
            drop(recorded);
            self.context.failure.check()?;
            if is_left { Err(error::driver("submit", "the queue took no submission")) } else { Ok(()) }
        }

        fn wait(&self, _stream: &dyn BackendStream, value: u64) -> Result<()> {
            self.context.failure.check()?;
            let mut recorded = self.context.queue.lock();
            // What is recorded and not yet submitted waits too: it is submitted later than what it waits for.
            recorded.encoder(&self.context);
            self.with_queue(|queue| {
                queue.remove_wait_semaphore(self.raw);
                queue.add_wait_semaphore(self.raw, Some(value), vk::PipelineStageFlags::ALL_COMMANDS);
            })
        }
    }

    impl Drop for WgpuTimeline {
        fn drop(&mut self) {
            // What waits for it, or signals it, is done; or the device is lost, and nothing runs any more.
            let _ = self.context.queue.finish(&self.context);
            let _ = self.with_queue(|queue| {
                queue.remove_wait_semaphore(self.raw);
                queue.remove_signal_semaphore(self.raw);
                // SAFETY: created once, destroyed once, and not in use.
                unsafe { queue.raw_device().destroy_semaphore(self.raw, None) };
            });
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use crate::device::{WGPU, WgpuDevice};
        use ferrocca_core::Device;
        use std::any::Any;
        use std::time::Duration;

        const LONG: Duration = Duration::from_secs(20);

        /// Whether the host sees the value within some time.
        fn reaches(timeline: &WgpuTimeline, value: u64, time: Duration) -> bool {
            let (semaphores, values) = ([timeline.raw], [value]);
            let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
            // SAFETY: the semaphore is of that device.
            let waited = timeline
                .with_queue(|queue| unsafe { queue.raw_device().wait_semaphores(&info, time.as_nanos() as u64) });
            waited.expect("it is Vulkan's").is_ok()
        }

        #[test]
        fn the_queue_tells_when_it_is_done_and_waits_for_others() {
            let opened = Device::open_with(&WGPU, "mode=Vulkan, memory=separate");
            let Some(device) = crate::fault_injection::unless_missing(opened) else { return };
            let backend: &dyn Any = &**device.backend();
            let context = &backend.downcast_ref::<WgpuDevice>().expect("a device of this crate").context;
            let (ours, theirs) = (WgpuTimeline::not_exported(context), WgpuTimeline::not_exported(context));
            let stream = device.backend().default_stream();
            let mut memory = device.malloc_filled(64, 1.0_f32).expect("memory");
            ours.signal(&*stream, 1).expect("it is signalled with what is recorded");
            assert!(reaches(&ours, 1, LONG));
            ours.signal(&*stream, 2).expect("it is signalled with nothing recorded");
            assert!(reaches(&ours, 2, LONG));
            // Only the last one of several waits counts.
            theirs.wait(&*stream, 4).expect("it waits");
            theirs.wait(&*stream, 5).expect("it waits");
            memory.fill(2.0).expect("it is recorded");
            ours.signal(&*stream, 3).expect("it is submitted");
            let is_early = reaches(&ours, 3, Duration::from_millis(100));
            let other = vk::SemaphoreSignalInfo::default().semaphore(theirs.raw).value(5);
            // SAFETY: the semaphore is of that device; nobody else signals it.
            theirs
                .with_queue(|queue| unsafe { queue.raw_device().signal_semaphore(&other) }.expect("it is signalled"))
                .expect("it is Vulkan's");
            assert!(!is_early, "the queue did not wait");
            assert!(reaches(&ours, 3, LONG));
            assert_eq!(memory.to_vec().expect("results"), [2.0; 64]);
        }
    }
}

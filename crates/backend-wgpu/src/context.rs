//! An open device: what memory, kernels and streams of it share.

use crate::adapter;
use crate::error;
use crate::failure::{self, Failure};
use crate::instance;
use crate::queue::Queue;
use crate::subgroups;
use crate::timeline;
use crate::transfer::Mover;
use crate::vulkan::VulkanFacts;
use ferrocca_core::Result;
use okl::target::wgsl;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A wgpu device and what is known of it.
pub(crate) struct Context {
    pub(crate) device: wgpu::Device,
    pub(crate) adapter: wgpu::Adapter,
    pub(crate) limits: wgpu::Limits,
    pub(crate) features: wgpu::Features,
    /// What kernels' texts are made for.
    pub(crate) text: wgsl::Features,
    pub(crate) vulkan: VulkanFacts,
    pub(crate) failure: Arc<Failure>,
    /// What is recorded and not yet submitted.
    pub(crate) queue: Queue,
    /// Bound where a kernel is given a null pointer, or fewer windows than it has.
    pub(crate) nothing: wgpu::Buffer,
    /// The shader that moves bytes, made when it is first needed.
    pub(crate) mover: OnceLock<Mover>,
    /// Devices of wgpu live no longer than the instance.
    _instance: wgpu::Instance,
}

/// What a device's props choose of what it can do.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    /// Features that are not used.
    pub(crate) without: wgpu::Features,
    /// [`wgsl::Features::coarsen`], where it is not what suits the adapter.
    pub(crate) coarsen: Option<bool>,
}

impl Context {
    /// Opens an adapter with every limit and feature that it has and that the props leave. `for_export`: other APIs shall
    /// see its memory.
    ///
    /// On Vulkan a device is never given back: NVIDIA's driver tidies up behind a thread that ends, and loses itself in
    /// that where another thread destroys a device meanwhile. One that nobody uses any more is the next one's.
    pub(crate) fn open(
        instance: wgpu::Instance,
        adapter: wgpu::Adapter,
        for_export: bool,
        choices: &Choices,
    ) -> Result<Arc<Self>> {
        static KEPT: Mutex<Vec<(String, Arc<Context>)>> = Mutex::new(Vec::new());
        let info = adapter.get_info();
        let is_vulkan = info.backend == wgpu::Backend::Vulkan;
        let key = format!("{info:?} {for_export} {choices:?}");
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let is_free = |context: &Arc<Self>| Arc::strong_count(context) == 1 && context.failure.check().is_ok();
        if let Some((_, context)) = kept.iter().find(|(other, context)| *other == key && is_free(context)) {
            return Ok(Arc::clone(context));
        }
        let context = Self::open_by(instance, adapter, choices, |adapter, description| {
            let opened = for_export.then(|| timeline::open(adapter, description)).flatten();
            opened.unwrap_or_else(|| pollster::block_on(adapter.request_device(description)))
        })?;
        if is_vulkan {
            kept.push((key, Arc::clone(&context)));
        }
        Ok(context)
    }

    /// As [`open`](Self::open), with the device that a function gives.
    pub(crate) fn open_by(
        instance: wgpu::Instance,
        adapter: wgpu::Adapter,
        choices: &Choices,
        open: impl FnOnce(&wgpu::Adapter, &wgpu::DeviceDescriptor<'_>) -> timeline::Opened,
    ) -> Result<Arc<Self>> {
        let wanted = adapter::wanted_features(&adapter.get_info());
        let features = adapter.features() & wanted & !choices.without;
        let limits = adapter.limits();
        let description = wgpu::DeviceDescriptor {
            label: Some("ferrocca"),
            required_features: features,
            required_limits: limits.clone(),
            experimental_features: wgpu::ExperimentalFeatures::disabled(),
            memory_hints: wgpu::MemoryHints::Performance,
            trace: wgpu::Trace::Off,
        };
        let (device, queue) = open(&adapter, &description).map_err(|e| match instance::is_in_child() {
            true => error::driver_of_parent(&error::describe(&e)),
            false => error::driver("requestDevice", error::describe(&e)),
        })?;
        let failure = Arc::new(Failure::new());
        let kept = Arc::clone(&failure);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| kept.record(failure::uncaptured(&error))));
        let kept = Arc::clone(&failure);
        let name = adapter.get_info().name;
        device.set_device_lost_callback(move |reason, message| {
            kept.record(failure::loss(&name, reason, &message));
        });
        let nothing = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("nothing"),
            size: 256,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        let text = adapter::text_features(&adapter.get_info(), features, &limits, choices.coarsen);
        let vulkan = VulkanFacts::of(&device);
        let queue = Queue::new(&device, queue, adapter.get_info().device_type, features);
        let mut context = Self {
            device,
            adapter,
            limits,
            features,
            text,
            vulkan,
            failure,
            queue,
            nothing,
            mover: OnceLock::new(),
            _instance: instance,
        };
        context.text.subgroups =
            features.contains(wgpu::Features::SUBGROUP) && subgroups::are_neighbours(&context, subgroups::LANES);
        Ok(Arc::new(context))
    }

    /// Runs `work` and answers what wgpu reported meanwhile on this thread.
    pub(crate) fn scoped<T>(&self, work: impl FnOnce() -> T) -> (T, Option<wgpu::Error>) {
        let scopes = [wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::Validation]
            .map(|filter| self.device.push_error_scope(filter));
        let result = work();
        // The innermost scope is popped first.
        let errors: Vec<Option<wgpu::Error>> =
            scopes.into_iter().rev().map(|scope| pollster::block_on(scope.pop())).collect();
        (result, errors.into_iter().flatten().next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{WGPU, WgpuDevice};
    use ferrocca_core::{Device, args};
    use std::any::Any;

    fn context_of(device: &Device) -> Arc<Context> {
        let backend: &dyn Any = &**device.backend();
        Arc::clone(&backend.downcast_ref::<WgpuDevice>().expect("a device of this crate").context)
    }

    fn allocated(context: &Context) -> u64 {
        context.device.generate_allocator_report().expect("Vulkan tells").total_allocated_bytes
    }

    #[test]
    fn a_device_that_nobody_uses_is_the_next_one_s_and_holds_no_memory() {
        // No other test opens it so.
        let open = || Device::open_with(&WGPU, "mode=Vulkan, memory=separate, int16=false, coarsen=true");
        let Some(device) = crate::fault_injection::unless_missing(open()) else { return };
        let context = context_of(&device);
        let before = allocated(&context);
        let length = 4 << 20;
        let mut memory = device.malloc::<f32>(length).expect("memory");
        let source = "@kernel void one(const int n, float *x) {
            for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) { x[i] = 1.0f; }
        }";
        let kernel = device.build_kernel_from_string(source, "one", "").expect("it builds");
        kernel.launch(args![length, &mut memory]).expect("it is queued");
        assert!(allocated(&context) >= before + 4 * length as u64);
        let known = Arc::as_ptr(&context);
        let beside = open().expect("one was opened before");
        assert_ne!(Arc::as_ptr(&context_of(&beside)), known, "it is in use");
        drop((kernel, memory, device));
        assert!(allocated(&context) < before + 4 * length as u64, "what was queued holds memory");
        drop(context);
        assert_eq!(Arc::as_ptr(&context_of(&open().expect("one was opened before"))), known);
    }
}

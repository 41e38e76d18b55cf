//! Tests with an injected fault: a device whose Vulkan functions return `VK_ERROR_DEVICE_LOST` from a moment on that the
//! test chooses, while the driver underneath keeps working.

use crate::adapter;
use crate::context::{Choices, Context};
use crate::device::{WGPU, WgpuDevice};
use crate::timeline::WgpuTimeline;
use ash::vk;
use ferrocca_core::backend::{Backend, BackendDevice, BackendTimeline, DeviceInfo, Mode};
use ferrocca_core::props::Props;
use ferrocca_core::{Device, Result, args};
use std::any::Any;
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use wgpu::hal::vulkan::Api;

/// Which calls report that the device is lost.
static LOST: AtomicU8 = AtomicU8::new(NOTHING);
const NOTHING: u8 = 0;
const WAITS: u8 = 1;
const EVERYTHING: u8 = 2;

/// The driver's functions.
#[derive(Clone, Copy)]
struct Real {
    submit: vk::PFN_vkQueueSubmit,
    wait_idle: vk::PFN_vkQueueWaitIdle,
    wait: vk::PFN_vkWaitSemaphores,
    value: vk::PFN_vkGetSemaphoreCounterValue,
}

/// Those of the device that was opened last: the driver is unloaded with its last instance and may be loaded again at
/// another address.
static REAL: Mutex<Option<Real>> = Mutex::new(None);

fn real() -> Real {
    REAL.lock().unwrap_or_else(PoisonError::into_inner).expect("a device was opened")
}

unsafe extern "system" fn submit(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    match LOST.load(Ordering::SeqCst) {
        EVERYTHING => vk::Result::ERROR_DEVICE_LOST,
        // SAFETY: the caller's duties are the driver's.
        _ => unsafe { (real().submit)(queue, count, submits, fence) },
    }
}

/// Waits for the driver's work in any case, because what it uses is freed afterwards.
unsafe extern "system" fn wait_idle(queue: vk::Queue) -> vk::Result {
    // SAFETY: the caller's duties are the driver's.
    answer(unsafe { (real().wait_idle)(queue) })
}

unsafe extern "system" fn wait(device: vk::Device, info: *const vk::SemaphoreWaitInfo<'_>, timeout: u64) -> vk::Result {
    // SAFETY: the caller's duties are the driver's.
    answer(unsafe { (real().wait)(device, info, timeout) })
}

unsafe extern "system" fn value(device: vk::Device, semaphore: vk::Semaphore, value: *mut u64) -> vk::Result {
    // SAFETY: the caller's duties are the driver's.
    let of_the_driver = unsafe { (real().value)(device, semaphore, value) };
    if LOST.load(Ordering::SeqCst) == EVERYTHING { vk::Result::ERROR_DEVICE_LOST } else { of_the_driver }
}

fn answer(of_the_driver: vk::Result) -> vk::Result {
    if LOST.load(Ordering::SeqCst) == NOTHING { of_the_driver } else { vk::Result::ERROR_DEVICE_LOST }
}

/// The device's table of functions, with ours in it.
///
/// # Safety
/// `device` was made by `instance`.
unsafe fn table(instance: &ash::Instance, device: vk::Device) -> ash::Device {
    let find = |name: &CStr| {
        // SAFETY: by the caller.
        let found = unsafe { instance.get_device_proc_addr(device, name.as_ptr()) };
        found.map_or(std::ptr::null(), |function| function as *const c_void)
    };
    // SAFETY: the names are those of the functions whose types these are, and Vulkan 1.2 has them all.
    let real = unsafe {
        use std::mem::transmute;
        let found = |name: &CStr| Some(find(name)).filter(|function| !function.is_null()).expect("Vulkan 1.2");
        Real {
            submit: transmute::<*const c_void, vk::PFN_vkQueueSubmit>(found(c"vkQueueSubmit")),
            wait_idle: transmute::<*const c_void, vk::PFN_vkQueueWaitIdle>(found(c"vkQueueWaitIdle")),
            wait: transmute::<*const c_void, vk::PFN_vkWaitSemaphores>(found(c"vkWaitSemaphores")),
            value: transmute::<*const c_void, vk::PFN_vkGetSemaphoreCounterValue>(found(c"vkGetSemaphoreCounterValue")),
        }
    };
    *REAL.lock().unwrap_or_else(PoisonError::into_inner) = Some(real);
    let replaced = |name: &CStr| match name.to_bytes() {
        b"vkQueueSubmit" => submit as *const c_void,
        b"vkQueueWaitIdle" => wait_idle as *const c_void,
        b"vkWaitSemaphores" => wait as *const c_void,
        b"vkGetSemaphoreCounterValue" => value as *const c_void,
        _ => find(name),
    };
    // SAFETY: ours have the types of those that they stand for.
    unsafe { ash::Device::load_with(replaced, device) }
}

/// Opens a Vulkan device with that table.
fn open(adapter: &wgpu::Adapter, description: &wgpu::DeviceDescriptor<'_>) -> crate::timeline::Opened {
    let (features, limits) = (description.required_features, &description.required_limits);
    let opened = {
        // SAFETY: the adapter is asked and not changed.
        let hal = unsafe { adapter.as_hal::<Api>() }.expect("the adapter is Vulkan's");
        let extensions = hal.required_device_extensions(features);
        let mut enabled = hal.physical_device_features(&extensions, features);
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0])];
        let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&names);
        let info = enabled.add_to_device_create(info);
        let instance = hal.shared_instance().raw_instance();
        // SAFETY: the device is made as wgpu makes one, with the features and extensions that it names.
        unsafe {
            let device = instance.create_device(hal.raw_physical_device(), &info, None).expect("it opens");
            let device = table(instance, device.handle());
            hal.device_from_raw(device, None, &extensions, features, limits, &description.memory_hints, 0, 0)
        }
    };
    // SAFETY: the device was opened by this adapter, with the features that the description names.
    unsafe { adapter.create_device_from_hal(opened.expect("it opens"), description) }
}

/// A backend whose devices can be lost.
struct FaultyBackend;

impl Backend for FaultyBackend {
    fn modes(&self) -> &'static [Mode] {
        WGPU.modes()
    }

    fn probe(&self, mode: &str) -> Result<Vec<DeviceInfo>> {
        WGPU.probe(mode)
    }

    fn open(&self, mode: &str, props: &Props) -> Result<Arc<dyn BackendDevice>> {
        let (instance, mut adapters) = adapter::list("Vulkan")?;
        let index = adapter::choose(&adapters, props)?;
        let chosen = adapters.swap_remove(index);
        let info = adapter::describe("Vulkan", index, &chosen);
        assert_eq!(mode, "Vulkan");
        Ok(Arc::new(WgpuDevice::new(info, Context::open_by(instance, chosen, &Choices::default(), open)?, props)?))
    }
}

const SOURCE: &str = "@kernel void twice(const int n, float *x) {
    for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) { x[i] *= 2.0f; }
}";

/// [`LOST`] is one for the process, so these tests run one at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Ends the fault when it is dropped, however a test ends.
struct EndOfFault;

impl Drop for EndOfFault {
    fn drop(&mut self) {
        LOST.store(NOTHING, Ordering::SeqCst);
    }
}

/// What is opened, or `None` and a line that says why the test is skipped. Fails where `FERROCCA_REQUIRE_DEVICES` names
/// WebGPU.
pub(crate) fn unless_missing<T>(opened: Result<T>) -> Option<T> {
    opened
        .map_err(|error| {
            let required = std::env::var("FERROCCA_REQUIRE_DEVICES").unwrap_or_default().to_lowercase();
            assert!(!required.contains("webgpu") && !required.contains("vulkan"), "{error}");
            println!("skipped: {error}");
        })
        .ok()
}

/// Computes on a device without a fault.
fn check_that_it_computes(device: &Device) {
    let mut memory = device.malloc_filled(100, 1.5_f32).expect("memory");
    let kernel = device.build_kernel_from_string(SOURCE, "twice", "").expect("it builds");
    kernel.launch(args![100, &mut memory]).expect("it runs");
    assert_eq!(memory.to_vec().expect("results"), [3.0; 100]);
}

/// Loses a device that has work of every kind, and asks it for everything.
fn lose(what: u8) {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(device) = unless_missing(Device::open_with(&FaultyBackend, "mode=Vulkan, memory=separate")) else {
        return;
    };
    check_that_it_computes(&device);
    let kernel = device.build_kernel_from_string(SOURCE, "twice", "").expect("it builds");
    let (mut a, mut b) =
        (device.malloc_filled(100, 1.0_f32).expect("memory"), device.malloc::<f32>(100).expect("memory"));
    let mut graph = device.record(|r| r.copy(&mut b, &a)).expect("a graph");
    let tag = device.tag_stream().expect("a tag");
    kernel.launch(args![100, &mut a]).expect("it is recorded");
    let backend: &dyn Any = &**device.backend();
    let context = Arc::clone(&backend.downcast_ref::<WgpuDevice>().expect("a device of this crate").context);
    let (timeline, stream) = (WgpuTimeline::not_exported(&context), device.backend().default_stream());
    LOST.store(what, Ordering::SeqCst);
    let end_of_fault = EndOfFault;
    let name = device.info().name.clone();
    let expect = |call: &str, outcome: Result<()>| {
        let text = outcome.expect_err(call).to_string();
        assert!(
            text.contains("device lost") && text.contains(&name) && text.contains("open the device again"),
            "{call}: {text}"
        );
    };
    if what == EVERYTHING {
        // Nobody is to wait for what was not submitted.
        expect("signal", timeline.signal(&*stream, 1));
    }
    expect("finish", device.finish());
    for _ in 0..2 {
        expect("signal", timeline.signal(&*stream, 2));
        expect("wait for a signal", timeline.wait(&*stream, 2));
        expect("malloc", device.malloc::<f32>(10).map(drop));
        expect("malloc_from", device.malloc_from(&[1.0_f32; 10]).map(drop));
        expect("launch", kernel.launch(args![100, &mut a]));
        expect("copy from the host", a.copy_from(&[0.0; 100]));
        expect("copy to the host", a.to_vec().map(drop));
        expect("copy", b.copy_from_memory(&a));
        expect("fill", a.fill(0.0));
        expect("tag", device.tag_stream().map(drop));
        expect("wait for a tag", tag.wait());
        expect("ask for a tag", tag.is_reached().map(drop));
        expect("replay", graph.replay(3));
        expect("record", device.record(|r| r.copy(&mut b, &a)).map(drop));
        expect("finish of a stream", device.default_stream().finish());
        expect("finish", device.finish());
        // Text that no cache has.
        let source = SOURCE.replace("2.0f", &format!("{what}.25f"));
        expect("build", device.build_kernel_from_string(&source, "twice", "").map(drop));
    }
    drop((timeline, stream, context, graph, tag, kernel, a, b));
    drop(device);
    drop(end_of_fault);
    check_that_it_computes(&Device::open_with(&FaultyBackend, "mode=Vulkan, memory=separate").expect("a new device"));
}

#[test]
fn a_loss_that_a_submission_meets_is_named_by_every_later_call() {
    lose(EVERYTHING);
}

/// This is how a driver reports a kernel that faults or hangs.
#[test]
fn a_loss_that_a_wait_meets_is_named_by_every_later_call() {
    lose(WAITS);
}

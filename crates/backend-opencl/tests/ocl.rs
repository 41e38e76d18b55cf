//! Objects of the crate `ocl` and of this backend are the same objects of the driver.
#![cfg(feature = "ocl")]

use ferrocca_backend_opencl::ocl as interop;
use ferrocca_core::backend::NativeHandle;
use ferrocca_core::{Device, ErrorKind};
use interop::ocl::{Context, ProQue};

fn theirs() -> ProQue {
    // `ocl` asks for devices without a lock, and PoCL cannot answer two threads at first: Ferrocca asks before.
    drop(ours());
    ProQue::builder().src("").dims(64).build().expect("a test with this feature needs a device")
}

fn ours() -> Device {
    Device::open_with(&ferrocca_backend_opencl::OPENCL, "mode=OpenCL").expect("it opens")
}

#[test]
fn a_buffer_becomes_memory_and_outlives_its_first_owner() {
    let theirs = theirs();
    let device = interop::device_in(theirs.context(), theirs.device(), "mode=OpenCL").expect("it opens");
    let buffer = theirs.buffer_builder::<i32>().fill_val(7).build().expect("a buffer");
    theirs.finish().expect("it ends");
    // SAFETY: nothing is queued for the buffer.
    let memory = unsafe { interop::memory_of(&device, &buffer) }.expect("it wraps");
    assert_eq!(memory.untyped().handle(), Some(NativeHandle::opencl(buffer.as_core().as_ptr() as u64)));
    drop(buffer);
    assert_eq!(memory.to_vec().expect("it reads"), [7; 64]);
}

#[test]
fn memory_becomes_a_buffer_and_outlives_its_first_owner() {
    let device = ours();
    let memory = device.malloc_from(&[1.0_f64, 2.0, 3.0]).expect("memory");
    let queue = interop::queue_of(&device.stream()).expect("a queue");
    assert_eq!(queue.as_core().as_ptr() as u64, device.stream().handle());
    // SAFETY: the copy into the memory has ended.
    let buffer = unsafe { interop::buffer_of(&memory, &queue) }.expect("a buffer");
    let part = memory.slice(1..3).expect("a slice");
    drop(memory);
    let mut read = [0.0; 3];
    buffer.read(&mut read[..]).enq().expect("it reads");
    assert_eq!(read, [1.0, 2.0, 3.0]);
    // SAFETY: as above.
    let refused = unsafe { interop::buffer_of(&part, &queue) }.map(drop).expect_err("a slice has an offset");
    assert!(refused.to_string().contains("slice"), "{refused}");
}

#[test]
fn contexts_go_both_ways_and_are_not_mixed() {
    let device = ours();
    let context = interop::context_of(&device).expect("a context");
    let id = interop::device_of(&device).expect("a device");
    let again = interop::device_in(&context, id, "mode=OpenCL").expect("it opens in its own context");
    let memory = device.malloc_from(&[5_i32; 8]).expect("memory");
    let handle = memory.untyped().handle().expect("it has one");
    // SAFETY: the memory lives, and nothing is queued for it.
    let shared = unsafe { again.wrap_memory::<i32>(handle, 8) }.expect("one context");
    assert_eq!(shared.to_vec().expect("it reads"), [5; 8]);
    // SAFETY: it is refused.
    let longer = unsafe { again.wrap_memory::<i32>(handle, 9) }.map(drop).expect_err("it is longer than the buffer");
    assert!(matches!(longer.kind(), ErrorKind::OutOfBounds { .. }), "{longer}");
    // PoCL's devices are there by now.
    let other = Context::builder().build().expect("another context");
    let elsewhere = interop::device_in(&other, other.devices()[0], "mode=OpenCL").expect("it opens");
    // SAFETY: it is refused.
    let refused = unsafe { elsewhere.wrap_memory::<i32>(handle, 8) }.map(drop).expect_err("another context");
    assert!(refused.to_string().contains("context"), "{refused}");
}

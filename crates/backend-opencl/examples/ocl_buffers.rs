//! A program that uses the crate `ocl` gives its buffer to a Ferrocca kernel, and takes one of Ferrocca's, without a copy.

use ferrocca_backend_opencl::ocl as interop;
use ferrocca_core::args;
use interop::ocl::ProQue;

const DOUBLE: &str = "
    @kernel void double_all(const int n, float *x) {
      for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) x[i] *= 2;
    }";

const ADD_ONE: &str = "__kernel void add_one(__global float *x) { x[get_global_id(0)] += 1.0f; }";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const N: usize = 1000;
    let pro_que = ProQue::builder().src(ADD_ONE).dims(N).build()?;
    let device = interop::device_in(pro_que.context(), pro_que.device(), "mode=OpenCL")?;
    let double_all = device.build_kernel_from_string(DOUBLE, "double_all", ())?;

    // Their buffer, their queue, our kernel: one order, no copy.
    let buffer = pro_que.buffer_builder::<f32>().fill_val(1.5).build()?;
    // SAFETY: both sides use the buffer in the order of this one queue.
    let memory = unsafe { interop::memory_of(&device, &buffer)? };
    // SAFETY: the queue outlives its use here.
    let stream = unsafe { interop::stream_of(&device, pro_que.queue())? };
    let mut memory = memory;
    double_all.launch_on(&stream, args![N as i32, &mut memory])?;
    let add_one = pro_que.kernel_builder("add_one").arg(&buffer).build()?;
    // SAFETY: the kernel stays within the buffer.
    unsafe { add_one.enq()? };
    let mut result = vec![0.0; N];
    buffer.read(&mut result).enq()?;
    assert!(result.iter().all(|&x| x == 4.0));

    // Our memory, their kernel, on a queue of ours.
    let ours = device.malloc_filled(N, 10.0_f32)?;
    device.finish()?;
    let queue = interop::queue_of(&device.stream())?;
    // SAFETY: what was queued for the memory has ended, and the queue is the one that Ferrocca uses.
    let as_theirs = unsafe { interop::buffer_of(&ours, &queue)? };
    let add_one = pro_que.kernel_builder("add_one").queue(queue).arg(&as_theirs).build()?;
    // SAFETY: the kernel stays within the buffer.
    unsafe { add_one.enq()? };
    assert!(ours.to_vec()?.iter().all(|&x| x == 11.0));

    println!("{N} numbers went both ways on {} without a copy", device.info().name);
    Ok(())
}

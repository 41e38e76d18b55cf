//! What OpenCL costs through Ferrocca, against the plain C API on the same device: queued launches of a tiny kernel, the
//! Burgers step at sizes that leave the caches, builds that find their binary. Prints tables; without a device, why.
//!
//! `cargo bench --bench opencl [-- launch step build]`

mod compare;
mod warm;

use cl3::types::{cl_command_queue, cl_context, cl_device_id, cl_kernel, cl_mem, cl_program};
use compare::{Contender, interleave};
use ferrocca::{Device, Graph, Kernel, Memory, args};
use std::cell::RefCell;
use std::ptr::{null, null_mut};
use std::time::Duration;
use warm::kernel_path;

const C1: f64 = 1e-3;
const C2: f64 = 2e-3;
const TILE: usize = 256;

/// The step as one writes it by hand.
const PLAIN: &str = "
#pragma OPENCL FP_CONTRACT OFF
__kernel void plain(const int n, const double c1, const double c2, __global const double *restrict u_prev,
                    __global double *restrict u) {
  const int i = 1 + get_global_id(0);
  if (i < n + 1) {
    const double left = u_prev[i - 1], here = u_prev[i], right = u_prev[i + 1];
    u[i] = here + c2 * (right - 2 * here + left) - here * c1 * (right - left);
    if (i == 1) u[n + 1] = here;
    if (i == n) u[0] = here;
  }
}";

fn main() {
    if warm::is_child() || compare::only_listed() {
        return;
    }
    let device = match Device::open("mode=OpenCL") {
        Ok(device) => device,
        Err(error) => {
            println!("no OpenCL: {error}");
            return;
        }
    };
    println!("{}", device.info().name);
    // SAFETY: the objects of the driver live until the program ends.
    let plain = unsafe { Plain::new(&device) };
    let wants = |part| compare::is_wanted(part, &["launch", "step", "build"]);
    if wants("launch") {
        launches(&device, &plain);
    }
    if wants("step") {
        [1_000_000, 30_000_000].into_iter().for_each(|points| steps(&device, &plain, points));
    }
    if wants("build") {
        warm::table("mode=OpenCL", 8.0);
    }
}

struct Fields {
    n: i32,
    u_prev: Memory<f64>,
    u: Memory<f64>,
}

impl Fields {
    fn new(device: &Device, points: usize) -> RefCell<Self> {
        let memory = || device.malloc_filled(points + 2, 0.5).expect("there is memory");
        RefCell::new(Self { n: points as i32, u_prev: memory(), u: memory() })
    }

    fn step(&mut self, kernel: &Kernel) {
        kernel.launch(args![self.n, C1, C2, &self.u_prev, &mut self.u]).expect("it launches");
        self.u_prev.swap(&mut self.u);
    }
}

/// The plain C API: a context, a queue and a kernel of its own.
struct Plain {
    context: cl_context,
    queue: cl_command_queue,
    kernel: cl_kernel,
}

fn api() -> &'static cl3::OpenClRuntime {
    cl3::load_library().as_ref().expect("a device was opened")
}

impl Plain {
    unsafe fn new(device: &Device) -> Self {
        let (_, id) = ferrocca::opencl::handles(device).expect("an OpenCL device");
        let id: cl_device_id = id;
        let mut status = 0;
        let context = api().clCreateContext(null(), 1, &raw const id, None, null_mut(), &raw mut status).unwrap();
        let queue = api().clCreateCommandQueue(context, id, 0, &raw mut status).unwrap();
        let (text, length) = (PLAIN.as_ptr().cast(), PLAIN.len());
        let program: cl_program =
            api().clCreateProgramWithSource(context, 1, &raw const text, &raw const length, &raw mut status).unwrap();
        let built = api().clBuildProgram(program, 1, &raw const id, c"-cl-std=CL1.2".as_ptr(), None, null_mut());
        assert_eq!(built, Some(0));
        let kernel = api().clCreateKernel(program, c"plain".as_ptr(), &raw mut status).unwrap();
        assert!(!kernel.is_null() && status == 0);
        Self { context, queue, kernel }
    }

    fn buffer(&self, len: usize) -> cl_mem {
        let (mut status, half) = (0, 0.5_f64);
        let flags = cl3::memory::CL_MEM_READ_WRITE;
        let mem = api().clCreateBuffer(self.context, flags, 8 * len, null_mut(), &raw mut status).unwrap();
        let pattern = (&raw const half).cast();
        api().clEnqueueFillBuffer(self.queue, mem, pattern, 8, 0, 8 * len, 0, null(), null_mut());
        self.finish();
        mem
    }

    fn finish(&self) {
        assert_eq!(api().clFinish(self.queue), Some(0));
    }

    fn step(&self, n: i32, u_prev: &cl_mem, u: &cl_mem) {
        fn set<T>(kernel: cl_kernel, at: u32, value: &T) {
            api().clSetKernelArg(kernel, at, size_of::<T>(), std::ptr::from_ref(value).cast());
        }
        set(self.kernel, 0, &n);
        set(self.kernel, 1, &C1);
        set(self.kernel, 2, &C2);
        set(self.kernel, 3, u_prev);
        set(self.kernel, 4, u);
        let (global, local) = ((n as usize).next_multiple_of(TILE), TILE);
        let (global, local) = (&raw const global, &raw const local);
        let queued =
            api().clEnqueueNDRangeKernel(self.queue, self.kernel, 1, null(), global, local, 0, null(), null_mut());
        assert_eq!(queued, Some(0));
    }
}

/// The step as a graph, and the fields that it rotates.
struct Recorded {
    graph: Graph,
    fields: Fields,
}

impl Recorded {
    fn new(device: &Device, kernel: &Kernel) -> Self {
        let mut fields = Fields::new(device, TILE).into_inner();
        let graph = device.record(|r| {
            r.launch(kernel, args![fields.n, C1, C2, &fields.u_prev, &mut fields.u])?;
            r.rotate([&fields.u_prev, &fields.u])
        });
        Self { graph: graph.expect("it records"), fields }
    }

    fn replay(&mut self, times: u64) {
        let Fields { u_prev, u, .. } = &mut self.fields;
        self.graph.replay_rotating(times, [u_prev, u]).expect("it replays");
        self.graph.device().finish().expect("it ends");
    }
}

/// Launches in a row, then one wait, as a solver does.
fn launches(device: &Device, plain: &Plain) {
    const ROW: u64 = 1000;
    let kernel = device.build_kernel(kernel_path(), "burgers_step", ()).expect("it builds");
    let fields = Fields::new(device, TILE);
    let mut graph = Recorded::new(device, &kernel);
    // Where the driver records commands, it can be told to.
    let recording = Device::open("mode=OpenCL, command_buffers=true").ok();
    let mut recorded = recording.map(|device| {
        let kernel = device.build_kernel(kernel_path(), "burgers_step", ()).expect("it builds");
        Recorded::new(&device, &kernel)
    });
    let (a, b) = (plain.buffer(TILE + 2), plain.buffer(TILE + 2));
    let mut contenders = [
        Contender::new("ferrocca", || {
            (0..ROW).for_each(|_| fields.borrow_mut().step(&kernel));
            device.finish().expect("it ends");
        }),
        Contender::new("plain C API", || {
            for iteration in 0..ROW {
                let (u_prev, u) = if iteration % 2 == 0 { (&a, &b) } else { (&b, &a) };
                plain.step(TILE as i32, u_prev, u);
            }
            plain.finish();
        }),
        Contender::new("graph", || graph.replay(ROW)),
    ]
    .into_iter()
    .collect::<Vec<_>>();
    if let Some(recorded) = &mut recorded {
        contenders.push(Contender::new("command buffers", || recorded.replay(ROW)));
    }
    let samples = interleave(&mut contenders, 21, Duration::from_millis(60));
    println!("\nqueued launch of {TILE} points, microseconds (median of 21)");
    for (index, name) in samples.names.iter().enumerate() {
        let against = samples.median(index) / samples.median(1);
        println!("  {name:<16}{:>8.3}   {against:.2} of the plain C API", samples.median(index) / ROW as f64 * 1e6);
    }
}

fn steps(device: &Device, plain: &Plain, points: usize) {
    let kernel = device.build_kernel(kernel_path(), "burgers_step", ()).expect("it builds");
    let fields = Fields::new(device, points);
    let (a, b) = (plain.buffer(points + 2), plain.buffer(points + 2));
    let is_swapped = RefCell::new(false);
    let mut contenders = [
        Contender::new("ferrocca", || {
            (0..4).for_each(|_| fields.borrow_mut().step(&kernel));
            device.finish().expect("it ends");
        }),
        Contender::new("plain C API", || {
            for _ in 0..4 {
                let is_swapped = &mut *is_swapped.borrow_mut();
                *is_swapped = !*is_swapped;
                let (u_prev, u) = if *is_swapped { (&a, &b) } else { (&b, &a) };
                plain.step(points as i32, u_prev, u);
            }
            plain.finish();
        }),
    ];
    let samples = interleave(&mut contenders, 11, Duration::from_millis(100));
    println!("\nstep of {points} points, GB/s (one read and one write per point, median of 11)");
    for (index, name) in samples.names.iter().enumerate() {
        println!("  {name:<12}{:>8.2}", 4.0 * 16.0 * points as f64 / samples.median(index) * 1e-9);
    }
}

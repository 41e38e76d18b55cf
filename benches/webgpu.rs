//! What WebGPU costs through Ferrocca, against WGSL written by hand and run through wgpu alone on the same adapter:
//! dispatches queued in batches of 1,000, the Burgers step at sizes that leave the caches, builds that find what was
//! built before. Prints tables; without a device, why.
//!
//! `cargo bench --bench webgpu [-- launch step build points…]`

mod compare;
mod warm;

use compare::{Contender, interleave};
use ferrocca::{Device, Kernel, Memory, args};
use std::cell::RefCell;
use std::time::{Duration, Instant};

const C1: f64 = 1e-3;
const C2: f64 = 2e-3;
const TILE: usize = 256;

/// Samples of each.
const ROUNDS: usize = 9;

/// Dispatches between two waits.
const BATCH: u64 = 1000;

/// Points of one dispatch by hand: the groups that every adapter takes, in less than any binding's 128 MiB.
const POINTS: usize = 65_535 * TILE;

/// Doubles at whose multiples a binding may begin, on every adapter.
const ALIGN: usize = 32;

/// The step as one writes it by hand, for the points `start .. end` of what is bound. Where one binding does not reach
/// all points, `ends` does the two ghosts.
const PLAIN: &str = "
struct Numbers { c1: f64, c2: f64, start: u32, end: u32, is_whole: u32 }
var<immediate> numbers: Numbers;
@group(0) @binding(0) var<storage, read_write> u_prev: array<f64>;
@group(0) @binding(1) var<storage, read_write> u: array<f64>;

@compute @workgroup_size(256)
fn step(@builtin(global_invocation_id) item: vec3<u32>) {
    let i = numbers.start + item.x;
    if (i >= numbers.end) { return; }
    let left = u_prev[i - 1];
    let here = u_prev[i];
    let right = u_prev[i + 1];
    u[i] = here + numbers.c2 * (right - 2.0lf * here + left) - here * numbers.c1 * (right - left);
    if (numbers.is_whole != 0) {
        if (i == 1) { u[numbers.end] = here; }
        if (i == numbers.end - 1) { u[0] = here; }
    }
}

@group(0) @binding(2) var<storage, read_write> u_prev_tail: array<f64>;
@group(0) @binding(3) var<storage, read_write> u_tail: array<f64>;

@compute @workgroup_size(1)
fn ends() {
    u_tail[numbers.end] = u_prev[1];
    u[0] = u_prev_tail[numbers.end - 1];
}";

fn main() {
    if warm::is_child() || compare::only_listed() {
        return;
    }
    let device = match Device::open("mode=WebGPU") {
        Ok(device) if device.capabilities().f64 => device,
        Ok(device) => return println!("{} has no doubles", device.info().name),
        Err(error) => return println!("no WebGPU: {error}"),
    };
    println!("{} ({})", device.info().name, device.info().driver);
    let given: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let wgpu = Wgpu::open(&device.info().name);
    for points in [1001, POINTS + 1001] {
        check(&device, &wgpu, points);
    }
    let wants = |part| compare::is_wanted(part, &["launch", "step", "build"]);
    if wants("launch") {
        launches(&device, &wgpu);
    }
    if wants("step") {
        let sizes = if given.is_empty() { vec![1_000_000, 30_000_000] } else { given };
        sizes.into_iter().for_each(|points| steps(&device, &wgpu, points));
    }
    if wants("build") {
        warm::table("mode=WebGPU", 5.0);
    }
}

/// Our side.
struct Fields {
    device: Device,
    kernel: Kernel,
    u_prev: Memory<f64>,
    u: Memory<f64>,
}

impl Fields {
    fn new(device: &Device, props: &str, values: &[f64]) -> Self {
        let kernel = device.build_kernel(warm::kernel_path(), "burgers_step", props).expect("it builds");
        let memory = || device.malloc_from(values).expect("there is memory");
        Self { device: device.clone(), kernel, u_prev: memory(), u: memory() }
    }

    fn steps(&mut self, count: u64) {
        for _ in 0..count {
            let n = self.u.len() as i32 - 2;
            self.kernel.launch(args![n, C1, C2, &self.u_prev, &mut self.u]).expect("it launches");
            self.u_prev.swap(&mut self.u);
        }
        self.device.finish().expect("it ends");
    }
}

/// Plain wgpu: a device, and the pipelines of the text above.
struct Wgpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    step: wgpu::ComputePipeline,
    ends: wgpu::ComputePipeline,
}

impl Wgpu {
    fn open(adapter: &str) -> Self {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
        let adapter = adapters.into_iter().find(|found| found.get_info().name == adapter).expect("it was opened");
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: wgpu::Features::SHADER_F64 | wgpu::Features::IMMEDIATES,
            required_limits: adapter.limits(),
            ..Default::default()
        }))
        .expect("it opens");
        let source = wgpu::ShaderSource::Wgsl(PLAIN.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let pipeline = |entry| {
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: None,
                module: &module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        };
        let (step, ends) = (pipeline("step"), pipeline("ends"));
        Self { device, queue, step, ends }
    }

    fn bind(&self, pipeline: &wgpu::ComputePipeline, parts: &[(&wgpu::Buffer, usize, usize)]) -> wgpu::BindGroup {
        let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
            .zip(parts)
            .map(|(binding, &(buffer, first, len))| wgpu::BindGroupEntry {
                binding,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer,
                    offset: 8 * first as u64,
                    size: std::num::NonZeroU64::new(8 * len as u64),
                }),
            })
            .collect();
        let layout = &pipeline.get_bind_group_layout(0);
        self.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
    }
}

/// A dispatch by hand; its bind groups read one field or the other.
struct Part<'a> {
    pipeline: &'a wgpu::ComputePipeline,
    groups: [wgpu::BindGroup; 2],
    numbers: [u8; 32],
    count: u32,
}

/// Fields of plain wgpu, and the dispatches of a step.
struct Plain<'a> {
    wgpu: &'a Wgpu,
    fields: [wgpu::Buffer; 2],
    parts: Vec<Part<'a>>,
    current: usize,
}

impl<'a> Plain<'a> {
    fn new(wgpu: &'a Wgpu, values: &[f64]) -> Self {
        let fields = [0, 1].map(|_| {
            let buffer = wgpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: size_of_val(values) as u64,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            wgpu.queue.write_buffer(&buffer, 0, ferrocca::bytemuck::cast_slice(values));
            buffer
        });
        let (n, [a, b]) = (values.len() - 2, &fields);
        let mut parts: Vec<Part<'_>> = (0..n)
            .step_by(POINTS)
            .map(|first| {
                let (base, count) = (first / ALIGN * ALIGN, POINTS.min(n - first));
                let (start, end) = (first + 1 - base, first + 1 - base + count);
                let bind = |from, to| wgpu.bind(&wgpu.step, &[(from, base, end + 1), (to, base, end + 1)]);
                let (groups, count) = ([bind(a, b), bind(b, a)], count.div_ceil(TILE) as u32);
                Part { pipeline: &wgpu.step, groups, numbers: numbers(start, end, n <= POINTS), count }
            })
            .collect();
        if parts.len() > 1 {
            let tail = (n - 1) / ALIGN * ALIGN;
            let bind = |from, to| {
                let (head, rest) = (2, n + 2 - tail);
                wgpu.bind(&wgpu.ends, &[(from, 0, head), (to, 0, head), (from, tail, rest), (to, tail, rest)])
            };
            let groups = [bind(a, b), bind(b, a)];
            parts.push(Part { pipeline: &wgpu.ends, groups, numbers: numbers(0, n + 1 - tail, false), count: 1 });
        }
        Self { wgpu, fields, parts, current: 0 }
    }

    fn steps(&mut self, count: u64) {
        let mut encoder = self.wgpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        if let [only] = &self.parts[..] {
            pass.set_pipeline(only.pipeline);
        }
        for _ in 0..count {
            for part in &self.parts {
                if self.parts.len() > 1 {
                    pass.set_pipeline(part.pipeline);
                }
                pass.set_bind_group(0, &part.groups[self.current], &[]);
                pass.set_immediates(0, &part.numbers);
                pass.dispatch_workgroups(part.count, 1, 1);
            }
            self.current = 1 - self.current;
        }
        drop(pass);
        self.wgpu.queue.submit([encoder.finish()]);
        self.wait();
    }

    fn wait(&self) {
        self.wgpu.device.poll(wgpu::PollType::wait_indefinitely()).expect("it ends");
    }

    /// The field that the next step would read.
    fn values(&self) -> Vec<f64> {
        let source = &self.fields[self.current];
        let copy = self.wgpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: source.size(),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = self.wgpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(source, 0, &copy, 0, source.size());
        self.wgpu.queue.submit([encoder.finish()]);
        copy.slice(..).map_async(wgpu::MapMode::Read, |result| result.expect("it can be mapped"));
        self.wait();
        let view = copy.slice(..).get_mapped_range().expect("it is mapped");
        ferrocca::bytemuck::cast_slice(&view).to_vec()
    }
}

/// The structure of the text's `Numbers`.
fn numbers(start: usize, end: usize, is_whole: bool) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&C1.to_ne_bytes());
    bytes[8..16].copy_from_slice(&C2.to_ne_bytes());
    for (number, at) in [start as u32, end as u32, u32::from(is_whole)].into_iter().zip((16..).step_by(4)) {
        bytes[at..at + 4].copy_from_slice(&number.to_ne_bytes());
    }
    bytes
}

/// Refuses to compare what does not compute the same. By hand, a driver may contract.
fn check(device: &Device, wgpu: &Wgpu, points: usize) {
    let values: Vec<f64> = (0..points + 2).map(|i| (0.37 * i as f64).sin()).collect();
    let (mut own, mut plain) = (Fields::new(device, "", &values), Plain::new(wgpu, &values));
    own.steps(3);
    plain.steps(3);
    let (own, plain) = (own.u_prev.to_vec().expect("it copies"), plain.values());
    let error = own.iter().zip(&plain).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(own.len() == plain.len() && error < 1e-14, "the plain kernel computes something else: {error}");
}

/// Seconds of one step of so many points, by all hands; `batch` steps between two waits, where it is told, else enough
/// of them that waiting is little of it.
fn measure(device: &Device, wgpu: &Wgpu, points: usize, batch: Option<u64>) -> [f64; 3] {
    let values = vec![0.5; points + 2];
    let own = ["", "fp_contract: 'fast'"].map(|props| RefCell::new(Fields::new(device, props, &values)));
    let plain = RefCell::new(Plain::new(wgpu, &values));
    let batch = batch.unwrap_or_else(|| lasting(Duration::from_millis(50), |steps| plain.borrow_mut().steps(steps)));
    let mut contenders = [
        Contender::new("ferrocca", || own[0].borrow_mut().steps(batch)),
        Contender::new("contracted", || own[1].borrow_mut().steps(batch)),
        Contender::new("plain wgpu", || plain.borrow_mut().steps(batch)),
    ];
    let samples = interleave(&mut contenders, ROUNDS, Duration::from_millis(100));
    [0, 1, 2].map(|index| samples.median(index) / batch as f64)
}

/// How many steps last so long, up to [`BATCH`].
fn lasting(time: Duration, mut steps: impl FnMut(u64)) -> u64 {
    // The first run is not like the others.
    steps(1);
    let lasts = |&count: &u64| {
        let begin = Instant::now();
        steps(count);
        begin.elapsed() >= time
    };
    let mut counts = std::iter::successors(Some(1), |count| Some(count * 2)).take_while(|&count| count < BATCH);
    counts.find(lasts).unwrap_or(BATCH)
}

const NAMES: [&str; 3] = ["ferrocca", "  with fp_contract 'fast'", "plain wgpu"];

fn launches(device: &Device, wgpu: &Wgpu) {
    let seconds = measure(device, wgpu, TILE, Some(BATCH));
    println!("\nqueued launch of {TILE} points in batches of {BATCH}, microseconds (median of {ROUNDS})");
    for (name, took) in NAMES.iter().zip(seconds) {
        println!("  {name:<28}{:>8.3}   {:.2} of plain wgpu", took * 1e6, took / seconds[2]);
    }
}

fn steps(device: &Device, wgpu: &Wgpu, points: usize) {
    let seconds = measure(device, wgpu, points, None);
    println!("\nstep of {points} points, GB/s (one read and one write per point, median of {ROUNDS})");
    for (name, took) in NAMES.iter().zip(seconds) {
        let speed = 16.0 * points as f64 / took * 1e-9;
        println!("  {name:<28}{speed:>8.2}   {:.2} of plain wgpu", seconds[2] / took);
    }
}

//! Mode `WebGPU` beside the same kernel written by hand in WGSL and run through wgpu alone, in one run:
//! time per queued launch in batches of 1,000, and throughput of the three-point update.
//!
//! `cargo bench -p ferrocca-backend-wgpu --bench plain [-- points…]`

use ferrocca_core::{Device, Kernel, Memory, args};
use std::time::{Duration, Instant};

const BURGERS: &str = "@kernel void step(const int n, const double c1, const double c2, const double *p, double *u) {
    for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) {
        if (i > 0 && i < n - 1) { u[i] = p[i] + c2 * (p[i + 1] - 2.0 * p[i] + p[i - 1]) - p[i] * c1 * (p[i + 1] - p[i - 1]); }
    }
}";

const PLAIN: &str = "
struct Args { c1: f64, c2: f64, n: i32, first: u32 }
var<immediate> args: Args;
@group(0) @binding(0) var<storage, read_write> p: array<f64>;
@group(0) @binding(1) var<storage, read_write> u: array<f64>;
@compute @workgroup_size(256)
fn step(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {
    let i = i32((group.x + args.first) * 256u + item.x);
    if (i > 0 && i < args.n - 1) {
        u[i] = p[i] + args.c2 * (p[i + 1] - 2.0lf * p[i] + p[i - 1]) - p[i] * args.c1 * (p[i + 1] - p[i - 1]);
    }
}";

/// Time per call of `launches` calls and one wait, the median of several samples.
fn median(launches: u32, mut sample: impl FnMut(u32)) -> Duration {
    sample(launches);
    let mut times: Vec<Duration> = (0..9)
        .map(|_| {
            let start = Instant::now();
            sample(launches);
            start.elapsed() / launches
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

struct Ours {
    device: Device,
    kernel: Kernel,
    p: Memory<f64>,
    u: Memory<f64>,
}

impl Ours {
    fn new(points: usize, props: &str) -> Self {
        let device = Device::open("mode=WebGPU").expect("a device");
        let kernel = device.build_kernel_from_string(BURGERS, "step", props).expect("it builds");
        let (p, u) =
            (device.malloc_filled(points, 0.5).expect("memory"), device.malloc_filled(points, 0.5).expect("memory"));
        Self { device, kernel, p, u }
    }

    fn run(&mut self, launches: u32) {
        for _ in 0..launches {
            self.kernel.launch(args![self.p.len(), 1e-4, 1e-4, &self.p, &mut self.u]).expect("it runs");
            self.p.swap(&mut self.u);
        }
        self.device.finish().expect("it ends");
    }
}

struct Plain {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::ComputePipeline,
    groups: [wgpu::BindGroup; 2],
    points: usize,
}

impl Plain {
    /// `None` where one binding does not reach all points.
    fn new(points: usize) -> Option<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
        let adapter = adapters.into_iter().next()?;
        let limits = adapter.limits();
        if 8 * points as u64 > limits.max_storage_buffer_binding_size {
            return None;
        }
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: wgpu::Features::SHADER_F64 | wgpu::Features::IMMEDIATES,
            required_limits: limits,
            ..Default::default()
        }))
        .ok()?;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(PLAIN.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("step"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let buffer = || {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 8 * points as u64,
                usage: wgpu::BufferUsages::STORAGE,
                mapped_at_creation: false,
            })
        };
        let (p, u) = (buffer(), buffer());
        let group = |a: &wgpu::Buffer, b: &wgpu::Buffer| {
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[
                    wgpu::BindGroupEntry { binding: 0, resource: a.as_entire_binding() },
                    wgpu::BindGroupEntry { binding: 1, resource: b.as_entire_binding() },
                ],
            })
        };
        let groups = [group(&p, &u), group(&u, &p)];
        Some(Self { device, queue, pipeline, groups, points })
    }

    fn run(&mut self, launches: u32) {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.pipeline);
            let groups = self.points.div_ceil(256);
            for turn in 0..launches {
                pass.set_bind_group(0, &self.groups[(turn % 2) as usize], &[]);
                for first in (0..groups).step_by(65_535) {
                    let mut bytes = [0; 24];
                    bytes[..8].copy_from_slice(&1e-4f64.to_ne_bytes());
                    bytes[8..16].copy_from_slice(&1e-4f64.to_ne_bytes());
                    bytes[16..20].copy_from_slice(&(self.points as i32).to_ne_bytes());
                    bytes[20..].copy_from_slice(&(first as u32).to_ne_bytes());
                    pass.set_immediates(0, &bytes);
                    pass.dispatch_workgroups((groups - first).min(65_535) as u32, 1, 1);
                }
            }
        }
        self.queue.submit([encoder.finish()]);
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("it ends");
    }
}

fn main() {
    // Naming the backend links it, and it then registers itself.
    let _ = ferrocca_backend_wgpu::WGPU;
    if let Err(error) = Device::open("mode=WebGPU") {
        return println!("skipped: {error}");
    }
    let device = Device::open("mode=WebGPU").expect("it was opened before");
    println!("{} ({})", device.info().name, device.info().driver);
    let given: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let points = if given.is_empty() { vec![256, 1_000_000, 30_000_000] } else { given };
    println!("{:>12} {:>12} {:>12} {:>12}", "points", "exact", "fast", "plain wgpu");
    for points in points {
        let launches = (200_000_000 / points.max(200_000)).max(2) as u32;
        let exact = Some(median(launches, {
            let mut ours = Ours::new(points, "");
            move |n| ours.run(n)
        }));
        let fast = Some(median(launches, {
            let mut ours = Ours::new(points, "fp_contract: fast");
            move |n| ours.run(n)
        }));
        let plain = Plain::new(points).map(|mut plain| median(launches, move |n| plain.run(n)));
        let cell = |time: Option<Duration>| match time {
            None => "one binding".to_owned(),
            Some(time) if points < 100_000 => format!("{:.2} µs", time.as_secs_f64() * 1e6),
            Some(time) => format!("{:.1} GB/s", 24.0 * points as f64 / time.as_secs_f64() * 1e-9),
        };
        println!("{points:>12} {:>12} {:>12} {:>12}", cell(exact), cell(fast), cell(plain));
    }
}

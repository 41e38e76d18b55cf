//! Two waves on a string: each has a stream of its own, and a tag joins them.
//!
//! cargo run --release --example wave -- CPU

use ferrocca::{Device, Kernel, Memory, Props, Result, Stream, args};
use std::f64::consts::PI;

const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/kernels/wave.okl");

/// A standing wave with so many half waves on the string.
struct Wave {
    stream: Stream,
    step: Kernel,
    before: Memory<f64>,
    now: Memory<f64>,
    next: Memory<f64>,
}

impl Wave {
    fn new(device: &Device, points: usize, half_waves: usize) -> Result<Self> {
        let k = PI * half_waves as f64 / (points - 1) as f64;
        let shape: Vec<f64> = (0..points).map(|i| (k * i as f64).sin()).collect();
        // At rest at time 0: one step before, it was where it is one step later.
        let before: Vec<f64> = shape.iter().map(|u| u * k.cos()).collect();
        let props = Props::new().define("dfloat", "double");
        Ok(Self {
            stream: device.create_stream()?,
            step: device.build_kernel(KERNELS, "wave_step", props)?,
            before: device.malloc_from(&before)?,
            now: device.malloc_from(&shape)?,
            next: device.malloc(points)?,
        })
    }

    /// Queues a step of one cell, c Δt = h, for which the scheme is exact.
    fn step(&mut self) -> Result<()> {
        let arguments = args![self.now.len(), 1.0, &self.before, &self.now, &mut self.next];
        self.step.launch_on(&self.stream, arguments)?;
        self.before.swap(&mut self.now);
        self.now.swap(&mut self.next);
        Ok(())
    }
}

/// The string after `steps` steps: waves of one and of three half waves, added up.
pub(crate) fn solve(device: &Device, points: usize, steps: usize) -> Result<Vec<f64>> {
    let (mut first, mut third) = (Wave::new(device, points, 1)?, Wave::new(device, points, 3)?);
    for _ in 0..steps {
        first.step()?;
        third.step()?;
    }
    // The sum is work of the first stream, and must not begin before the second one is done.
    first.stream.wait(&third.stream.tag()?)?;
    let add = device.build_kernel(KERNELS, "add", Props::new().define("dfloat", "double"))?;
    let mut sum = device.malloc::<f64>(points)?;
    add.launch_on(&first.stream, args![points, &first.now, &third.now, &mut sum])?;
    first.stream.finish()?;
    sum.to_vec()
}

/// Both waves swing as cosines.
pub(crate) fn expected(points: usize, steps: usize) -> Vec<f64> {
    let wave = |half_waves: f64, i: usize| {
        let k = PI * half_waves / (points - 1) as f64;
        (k * i as f64).sin() * (k * steps as f64).cos()
    };
    (0..points).map(|i| wave(1.0, i) + wave(3.0, i)).collect()
}

#[allow(dead_code)] // The tests call `solve`.
fn main() -> Result<()> {
    let device = Device::open(std::env::args().nth(1).unwrap_or("CPU".into()))?;
    let (points, steps) = (100_001, 2_000);
    let start = std::time::Instant::now();
    let u = solve(&device, points, steps)?;
    println!("{points} points, {steps} steps on {} in {:.2?}", device.info().name, start.elapsed());
    let error = u.iter().zip(expected(points, steps)).map(|(u, exact)| (u - exact).abs()).fold(0.0, f64::max);
    println!("largest difference from the exact solution: {error:.1e}");
    Ok(())
}

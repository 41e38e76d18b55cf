//! Heat in a square plate, whose rim is kept cold: tiles in shared memory, a recorded step, a reduction.
//!
//! cargo run --release --example heat2d -- "CPU, threads=4"

use ferrocca::primitives::{Primitives, formula};
use ferrocca::{Device, Props, Real, Result, args};
use std::f64::consts::PI;

const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/kernels/heat2d.okl");

/// What is left of the hottest point after `steps` steps, and how much the last step changed any point. `n` is the number
/// of points along a side, without the rim; the step is the largest that is stable.
pub(crate) fn solve<T: Real>(device: &Device, n: usize, steps: u64) -> Result<(f64, f64)> {
    let (width, r) = (n + 2, 0.25);
    let props = Props::new().define("dfloat", T::OKL_NAME).define("TILE", 16);
    let step = device.build_kernel(KERNELS, "heat_step", props)?;

    let hill = |i: usize| (PI * i as f64 / (n + 1) as f64).sin();
    let start: Vec<T> = (0..width * width).map(|i| T::from_f64(hill(i / width) * hill(i % width))).collect();
    let mut u = device.malloc_from(&start)?;
    // The rim of both is the boundary, which no step writes.
    let mut v = device.malloc_filled(width * width, T::default())?;

    // A step from `u` to `v`, after which the two swap roles.
    let mut graph = device.record(|recorder| {
        recorder.launch(&step, args![n, T::from_f64(r), &u, &mut v])?;
        recorder.rotate([&u, &v])
    })?;
    graph.replay_rotating(steps, [&mut u, &mut v])?;

    let primitives = Primitives::new(device);
    let change: f64 = primitives.norm_max(formula!("u - v", u = &u, v = &v)).get()?;
    let hottest: f64 = primitives.max(&u).get()?;
    Ok((hottest, change))
}

/// What the hottest point is after `steps` steps: the hill is an eigenvector of the scheme.
pub(crate) fn expected(n: usize, steps: u64) -> f64 {
    let (h, r) = (1.0 / (n + 1) as f64, 0.25);
    let factor = 1.0 - 8.0 * r * (PI * h / 2.0).sin().powi(2);
    // An even number of points has none in the middle.
    let top = (PI * h * n.div_ceil(2) as f64).sin();
    top * top * factor.powi(steps as i32)
}

#[allow(dead_code)] // The tests call `solve`.
fn main() -> Result<()> {
    let device = Device::open(std::env::args().nth(1).unwrap_or("CPU".into()))?;
    let (n, steps) = (511, 10_000);
    let start = std::time::Instant::now();
    let (hottest, change) = solve::<f64>(&device, n, steps)?;
    println!("{n} x {n} points, {steps} steps on {} in {:.2?}", device.info().name, start.elapsed());
    println!("hottest point: {hottest:.12} (exact: {:.12}); the last step changed {change:.3e}", expected(n, steps));
    Ok(())
}

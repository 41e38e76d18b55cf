//! π from random points: a generator for each item, and a sum. The counts are the same on every device.
//!
//! cargo run --release --example monte_carlo -- CPU

use ferrocca::primitives::{Primitives, Random};
use ferrocca::{Device, Result, args};

const KERNEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/kernels/monte_carlo.okl");

/// How many points of `generators * trials` lie in the unit circle, and the same again with the numbers that follow.
pub(crate) fn count(device: &Device, generators: usize, trials: &[usize]) -> Result<Vec<i64>> {
    let count_hits = device.build_kernel(KERNEL, "count_hits", "")?;
    let primitives = Primitives::new(device);
    let mut hits = device.malloc::<i32>(generators)?;
    let states = Random::xoroshiro128p_states(12345, generators);
    let mut counts = Vec::new();
    for &trials in trials {
        let mut states = device.malloc_from(&states)?;
        count_hits.launch(args![generators, trials, &mut states, &mut hits])?;
        counts.push(primitives.sum(&hits).get::<i64>()?);
    }
    Ok(counts)
}

#[allow(dead_code)] // The tests call `count`.
fn main() -> Result<()> {
    let device = Device::open(std::env::args().nth(1).unwrap_or("CPU".into()))?;
    let (generators, trials) = (1024 * 1024, [1, 10]);
    for (trials, hits) in trials.into_iter().zip(count(&device, generators, &trials)?) {
        let points = generators * trials;
        let pi = 4.0 * hits as f64 / points as f64;
        println!("{hits} of {points} points: pi is about {pi:.6}, {:+.1e} off", pi - std::f64::consts::PI);
    }
    Ok(())
}

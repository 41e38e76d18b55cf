//! Histograms of ten million numbers in 1,200 bins, 75 and one: the fewer bins, the more items want the same counter.
//!
//! cargo run --release --example histogram -- CPU

use ferrocca::primitives::{Primitives, Random};
use ferrocca::{Device, Memory, Result};
use std::time::Instant;

/// Numbers of the normal distribution with mean 0 and standard deviation 1.
pub(crate) fn numbers(primitives: &Primitives, n: usize) -> Result<Memory<f32>> {
    let mut numbers = primitives.device().malloc(n)?;
    primitives.normal(&mut Random::new(7), 0.0, 1.0, &mut numbers)?;
    Ok(numbers)
}

/// How many of them are in each bin between −4 and 4.
pub(crate) fn count(primitives: &Primitives, numbers: &Memory<f32>, bins: usize) -> Result<Vec<i32>> {
    let mut counts = primitives.device().malloc(bins)?;
    primitives.histogram(numbers, -4.0, 4.0).store(&mut counts)?;
    counts.to_vec()
}

/// The same in Rust.
pub(crate) fn reference(numbers: &[f32], bins: usize) -> Vec<i32> {
    let (mut counts, scale) = (vec![0; bins], (bins as f64 / 8.0) as f32);
    for &x in numbers.iter().filter(|x| (-4.0..=4.0).contains(*x)) {
        counts[(((x + 4.0) * scale) as usize).min(bins - 1)] += 1;
    }
    counts
}

#[allow(dead_code)] // The tests call the others.
fn main() -> Result<()> {
    let device = Device::open(std::env::args().nth(1).unwrap_or("CPU".into()))?;
    let primitives = Primitives::new(&device);
    let numbers = numbers(&primitives, 10_000_000)?;
    let on_host = numbers.to_vec()?;
    println!(" bins   {:>9}   a loop in Rust", device.mode());
    for bins in [1200, 75, 1] {
        let fastest = |work: &dyn Fn() -> Result<Vec<i32>>| -> Result<(f64, Vec<i32>)> {
            let (mut best, mut counts) = (f64::INFINITY, Vec::new());
            for _ in 0..5 {
                let start = Instant::now();
                counts = work()?;
                best = best.min(start.elapsed().as_secs_f64() * 1e3);
            }
            Ok((best, counts))
        };
        let (ours, counts) = fastest(&|| count(&primitives, &numbers, bins))?;
        let (theirs, expected) = fastest(&|| Ok(reference(&on_host, bins)))?;
        let differ = counts.iter().zip(&expected).filter(|(a, b)| a != b).count();
        println!("{bins:>5}   {ours:6.2} ms   {theirs:6.2} ms, {differ} counts differ");
        if bins == 75 {
            let most = counts.iter().copied().max().unwrap_or(1).max(1);
            for (bin, &count) in counts.iter().enumerate().step_by(3) {
                let low = -4.0 + 8.0 * bin as f64 / 75.0;
                println!(
                    "        {low:>6.2} {count:>7} {}",
                    "#".repeat((50 * i64::from(count) / i64::from(most)) as usize)
                );
            }
        }
    }
    Ok(())
}

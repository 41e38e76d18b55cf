//! The larger root of many quadratic equations, a x² + b x + c = 0: one formula, one kernel, against a plain loop.
//!
//! cargo run --release --example quadratic -- Serial

use ferrocca::primitives::{Primitives, Random, formula};
use ferrocca::{Device, Memory, Result};
use std::time::Instant;

/// Coefficients that have real roots: a from 5 to 10, b from 10 to 20, c from −0.1 to 0.1.
pub(crate) fn coefficients(primitives: &Primitives, n: usize) -> Result<[Memory<f64>; 3]> {
    let device = primitives.device();
    let [mut a, mut b, mut c] = [device.malloc(n)?, device.malloc(n)?, device.malloc(n)?];
    let mut random = Random::new(1);
    primitives.uniform(&mut random, 5.0, 10.0, &mut a)?;
    primitives.uniform(&mut random, 10.0, 20.0, &mut b)?;
    primitives.uniform(&mut random, -0.1, 0.1, &mut c)?;
    Ok([a, b, c])
}

/// Queues the larger root of each equation.
pub(crate) fn solve(primitives: &Primitives, [a, b, c]: &[Memory<f64>; 3], roots: &mut Memory<f64>) -> Result<()> {
    let root = formula!("(-b + sqrt(b * b - 4 * a * c)) / (2 * a)", a = a, b = b, c = c);
    primitives.map(root).store(roots)
}

/// The same in Rust.
pub(crate) fn reference([a, b, c]: [&[f64]; 3], roots: &mut [f64]) {
    for (((root, a), b), c) in roots.iter_mut().zip(a).zip(b).zip(c) {
        *root = (-b + (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);
    }
}

/// The fastest of some calls, in milliseconds.
fn fastest(mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..8 {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(best)
}

#[allow(dead_code)] // The tests call the others.
fn main() -> Result<()> {
    let device = Device::open(std::env::args().nth(1).unwrap_or("CPU".into()))?;
    let primitives = Primitives::new(&device);
    println!("equations   {:>9}   a loop in Rust", device.mode());
    for n in [1_000_000, 10_000_000] {
        let given = coefficients(&primitives, n)?;
        let mut roots = device.malloc(n)?;
        let ours = fastest(|| {
            solve(&primitives, &given, &mut roots)?;
            device.finish()
        })?;
        let [a, b, c] = [given[0].to_vec()?, given[1].to_vec()?, given[2].to_vec()?];
        let mut expected = vec![0.0; n];
        let theirs = fastest(|| {
            reference([&a, &b, &c], &mut expected);
            Ok(())
        })?;
        let differ = roots.to_vec()?.iter().zip(&expected).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
        println!("{n:>9}   {ours:6.2} ms   {theirs:6.2} ms, {differ} roots differ in a bit");
    }
    Ok(())
}

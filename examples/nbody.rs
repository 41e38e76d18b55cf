//! Bodies that attract each other: shared memory, vector types, single precision.
//!
//! cargo run --release --example nbody -- CPU

use ferrocca::{Device, Memory, Props, Result, args};

const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/kernels/nbody.okl");

/// Two numbers lie this far from each other at least.
const SOFTENING: f32 = 0.05;

/// Bodies on a disc that turns: x, y, z and mass of each, and its velocity with a zero behind.
pub(crate) fn disc(bodies: usize) -> (Vec<f32>, Vec<f32>) {
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    for i in 0..bodies {
        // The golden angle spreads them evenly.
        let (radius, angle) = (((i as f32 + 0.5) / bodies as f32).sqrt(), i as f32 * 2.399_963_2);
        let (sin, cos) = angle.sin_cos();
        positions.extend([radius * cos, radius * sin, 0.0, 1.0 / bodies as f32]);
        velocities.extend([-0.8 * radius * sin, 0.8 * radius * cos, 0.0, 0.0]);
    }
    (positions, velocities)
}

/// Moves the bodies by `steps` steps of length `dt` (leapfrog: kick, drift, kick). Returns positions and velocities.
pub(crate) fn solve(device: &Device, bodies: usize, steps: usize, dt: f32) -> Result<(Vec<f32>, Vec<f32>)> {
    let props = Props::new().define("TILE", 64);
    let accelerate = device.build_kernel(KERNELS, "accelerate", &props)?;
    let move_all = device.build_kernel(KERNELS, "kick_and_drift", &props)?;

    // A kernel's `float4 *` takes memory of floats: four to a vector.
    let (positions, velocities) = disc(bodies);
    let (mut position, mut velocity) = (device.malloc_from(&positions)?, device.malloc_from(&velocities)?);
    let mut acceleration: Memory<f32> = device.malloc(4 * bodies)?;
    for step in 0..=steps {
        accelerate.launch(args![bodies, SOFTENING, &position, &mut acceleration])?;
        // The first and the last kick are half ones; after the last one nothing drifts.
        let kick = if step == 0 || step == steps { dt / 2.0 } else { dt };
        let drift = if step == steps { 0.0 } else { dt };
        move_all.launch(args![bodies, kick, drift, &acceleration, &mut velocity, &mut position])?;
    }
    Ok((position.to_vec()?, velocity.to_vec()?))
}

/// Kinetic and potential energy, in double precision on the host.
pub(crate) fn energy(positions: &[f32], velocities: &[f32]) -> f64 {
    let square = |v: &[f32]| v[..3].iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>();
    let (bodies, velocities): (Vec<_>, Vec<_>) = (positions.chunks(4).collect(), velocities.chunks(4).collect());
    let mut energy = 0.0;
    for (i, body) in bodies.iter().enumerate() {
        energy += 0.5 * f64::from(body[3]) * square(velocities[i]);
        for other in &bodies[..i] {
            let apart = [body[0] - other[0], body[1] - other[1], body[2] - other[2]];
            let distance = (square(&apart) + f64::from(SOFTENING * SOFTENING)).sqrt();
            energy -= f64::from(body[3]) * f64::from(other[3]) / distance;
        }
    }
    energy
}

#[allow(dead_code)] // The tests call `solve`.
fn main() -> Result<()> {
    let device = Device::open(std::env::args().nth(1).unwrap_or("CPU".into()))?;
    let (bodies, steps) = (4096, 200);
    let start = std::time::Instant::now();
    let (positions, velocities) = solve(&device, bodies, steps, 0.01)?;
    let wall = start.elapsed();
    let pairs = (bodies * bodies * (steps + 1)) as f64 / wall.as_secs_f64();
    println!("{bodies} bodies, {steps} steps on {} in {wall:.2?}: {pairs:.2e} pairs/s", device.info().name);
    let (initial, velocities_then) = disc(bodies);
    let (before, after) = (energy(&initial, &velocities_then), energy(&positions, &velocities));
    println!("energy: {before:.6} before, {after:.6} after");
    Ok(())
}

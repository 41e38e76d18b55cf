//! Graphs: what is recorded and replayed has the bits of the same calls made one by one.

mod commands;
mod random_tiles;
mod refusals;
mod rotations;
mod tiles;

use crate::check::Failure;
use crate::harness::Case;
use ferrocca_core::{Device, Kernel};

/// The cases of every area of graphs.
pub(crate) fn areas() -> impl Iterator<Item = &'static [Case]> {
    [commands::CASES, rotations::CASES, refusals::CASES, tiles::CASES, random_tiles::CASES].into_iter()
}

/// Points of the fields below: no multiple of a group's items, so that the last group has idle ones.
const POINTS: usize = 1003;

/// A step of a nonlinear scheme whose every operation rounds: steps that are left out, done twice or done on the wrong
/// buffer show in the bits.
const STEP: &str = "@kernel void step(const int n, const float c, const float *u, float *u_next) {
    for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {
        const int left = (i == 0) ? n - 1 : i - 1;
        const int right = (i == n - 1) ? 0 : i + 1;
        u_next[i] = u[i] - c * u[i] * (u[right] - u[left]) + 0.125f * (u[right] - 2.0f * u[i] + u[left]);
    }
}";

fn step(device: &Device) -> Result<Kernel, Failure> {
    Ok(device.build_kernel_from_string(STEP, "step", "")?)
}

/// A field without symmetry.
fn field() -> Vec<f32> {
    (0..POINTS).map(|i| ((i * i) % 97) as f32 / 97.0 - 0.4).collect()
}

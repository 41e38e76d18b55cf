//! Random loops over one axis: a stencil or two, and at the ends copies, fills and kernels that no window could run.
//! `FERROCCA_FUZZ_CASES=1000` tries more (2 by default), `FERROCCA_FUZZ_SEED=7` others.

use super::tiles::{Commands, tiled};
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, Kernel, Memory, Result, args};
use std::fmt::Write as _;

cases!["graphs::random_tiles"; random_loops];

/// A linear congruential generator: MMIX's constants (Knuth, TAOCP 2, 3.3.4).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// What stands after the stencils of a repetition; positions are elements of the field that was written.
#[derive(Clone, Copy, Debug)]
enum Short {
    Copy {
        from: usize,
        to: usize,
        count: usize,
    },
    Fill {
        to: usize,
        count: usize,
        value: f32,
    },
    /// Element `to` becomes the mean of `count` elements.
    Mean {
        from: usize,
        to: usize,
        count: usize,
    },
}

#[derive(Debug)]
struct Loop {
    points: usize,
    steps: u64,
    source: String,
    has_fluxes: bool,
    shorts: Vec<Short>,
    replays: Vec<u64>,
}

impl Loop {
    fn new(random: &mut Random) -> Self {
        let (left, right) = (random.below(4), 1 + random.below(3));
        let points = 700 + random.below(3000);
        let group = 8 + random.below(120);
        let has_fluxes = random.below(3) == 0;
        let from = if has_fluxes { "f" } else { "u" };
        let mut sum = String::from("0.25f * u[i]");
        for offset in -(left as i64)..=right as i64 {
            let _ = write!(sum, " + {}.0f / 64.0f * {from}[i + ({offset})]", 1 + random.below(4));
        }
        let item = |name: &str, first: usize, behind: usize, body: &str| {
            format!(
                "@kernel void {name}(const int n, const float *u, const float *f, float *v) {{
                    for (int i = {first}; i < n - {behind}; ++i; @tile({group}, @outer, @inner)) {{ {body} }}
                }}\n"
            )
        };
        let step = format!("v[i] = {sum} - 0.125f * u[i] * u[i];");
        let source =
            item("step", left + 1, right, &step) + &item("flux", 1, 0, "v[i] = 0.75f * u[i] - 0.5f * u[i - 1];");
        let shorts = (0..random.below(5)).map(|_| Self::short(random, points, left + 1, right)).collect();
        let replays = (0..3).map(|_| 1 + random.below(40) as u64).collect();
        Self { points, steps: 2 + random.below(14) as u64, source, has_fluxes, shorts, replays }
    }

    /// A command for ghosts, `left` of them at the beginning and `right` at the end.
    fn short(random: &mut Random, points: usize, left: usize, right: usize) -> Short {
        let is_left = random.below(2) == 0;
        let ghosts = if is_left { left } else { right };
        let count = 1 + random.below(ghosts);
        let to =
            if is_left { random.below(ghosts - count + 1) } else { points - count - random.below(ghosts - count + 1) };
        let near = left + random.below(12);
        let from = if random.below(2) == 0 { near } else { points - right - count - near };
        match random.below(3) {
            0 => Short::Fill { to, count, value: random.below(8) as f32 / 8.0 },
            1 => Short::Mean { from, to, count },
            _ => Short::Copy { from, to, count },
        }
    }
}

/// The kernels of a loop.
struct Kernels {
    step: Kernel,
    flux: Kernel,
    mean: Kernel,
}

const MEAN: &str = "@kernel void mean(const int from, const int to, const int count, float *v) {
    for (int i = 0; i < 1; ++i; @outer) for (int j = 0; j < 1; ++j; @inner) {
        float sum = 0.0f;
        for (int k = 0; k < count; ++k) { sum += v[from + k]; }
        v[to] = 0.25f * sum;
    }
}";

fn random_loops(device: &Device) -> Outcome {
    let number = |name: &str, other: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(other);
    let (cases, seed) = (number("FERROCCA_FUZZ_CASES", 2), number("FERROCCA_FUZZ_SEED", 1));
    for case in 0..cases {
        let own = Loop::new(&mut Random(seed.wrapping_mul(1_000_003) + case));
        run(&tiled(device, own.steps)?, &own)?;
    }
    Ok(())
}

fn run(device: &Device, own: &Loop) -> Outcome {
    let build = |source: &str, name| device.build_kernel_from_string(source, name, "");
    let kernels =
        Kernels { step: build(&own.source, "step")?, flux: build(&own.source, "flux")?, mean: build(MEAN, "mean")? };
    let values: Vec<f32> = (0..own.points).map(|i| ((i * i) % 97) as f32 / 97.0 - 0.4).collect();
    let field = || device.malloc_from(&values);
    let (mut u, mut v, mut f) = (field()?, field()?, field()?);
    let (mut expected, mut other, mut fluxes) = (field()?, field()?, field()?);
    let mut graph = device.record(|recorder| {
        step(&kernels, own, &u, &mut f, &mut v, &mut Commands::Recorded(recorder))?;
        recorder.rotate([&u, &v])
    })?;
    for &times in &own.replays {
        graph.replay_rotating(times, [&mut u, &mut v])?;
        for _ in 0..times {
            step(&kernels, own, &expected, &mut fluxes, &mut other, &mut Commands::Now)?;
            std::mem::swap(&mut expected, &mut other);
        }
        let what = |name: &str| format!("{name} of {own:?} after {times} steps; {}", graph.plan());
        check::same(&what("u"), &u.to_vec()?, &expected.to_vec()?)?;
        check::same(&what("v"), &v.to_vec()?, &other.to_vec()?)?;
        check::same(&what("f"), &f.to_vec()?, &fluxes.to_vec()?)?;
    }
    Ok(())
}

/// A repetition.
fn step(
    kernels: &Kernels,
    own: &Loop,
    u: &Memory<f32>,
    f: &mut Memory<f32>,
    v: &mut Memory<f32>,
    commands: &mut Commands<'_>,
) -> Result<()> {
    if own.has_fluxes {
        commands.launch(&kernels.flux, args![own.points, u, u, &mut *f])?;
    }
    commands.launch(&kernels.step, args![own.points, u, &*f, &mut *v])?;
    for short in &own.shorts {
        match *short {
            Short::Copy { from, to, count } => {
                commands.copy(v.slice(to..to + count)?, &v.slice(from..from + count)?)?
            }
            Short::Fill { to, count, value } => commands.fill(v.slice(to..to + count)?, value)?,
            Short::Mean { from, to, count } => {
                commands.launch(&kernels.mean, args![from as i32, to as i32, count as i32, &mut *v])?;
            }
        }
    }
    Ok(())
}

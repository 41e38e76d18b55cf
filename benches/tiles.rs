//! Recorded loops larger than the caches: many steps in one pass through memory against one step a pass, on one thread and on
//! two. The two take turns; the least time of each counts.
//!
//! `cargo bench --bench tiles -- 3e7 256` measures Burgers at 3·10⁷ points and heat in boxes of 256³.

#[allow(dead_code)]
#[path = "../examples/heat3d.rs"]
mod heat3d;

use ferrocca::comm::Comm;
use ferrocca::{Device, Graph, Memory, Result, args};
use heat3d::{Faces, Heat, Stencil};
use std::time::Instant;

const MODES: [&str; 2] = ["mode=Serial", "mode=CPU, threads=2"];
/// Steps before the first sample, in which the choice is measured, and steps of a sample.
const STEPS: [u64; 2] = [640, 64];
const SAMPLES: u32 = 7;

/// A loop that is measured.
trait Loop {
    fn advance(&mut self, steps: u64) -> Result<()>;
    fn plan(&self) -> String;
}

struct Burgers {
    graph: Graph,
    u: Memory<f64>,
    next: Memory<f64>,
}

impl Burgers {
    fn new(device: &Device, n: usize) -> Result<Self> {
        let start: Vec<f64> = (0..n + 2).map(|i| 0.5 + (i % 1000) as f64 / 2000.0).collect();
        let (u, mut next) = (device.malloc_from(&start)?, device.malloc_from(&start)?);
        let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let kernel = std::path::Path::new(&package).join("kernels/burgers.okl");
        let step = device.build_kernel(kernel, "burgers_step", ())?;
        let graph = device.record(|recorder| {
            recorder.launch(&step, args![n, 1e-3, 1e-3, &u, &mut next])?;
            recorder.rotate([&u, &next])
        })?;
        Ok(Self { graph, u, next })
    }
}

impl Loop for Burgers {
    fn advance(&mut self, steps: u64) -> Result<()> {
        self.graph.replay_rotating(steps, [&mut self.u, &mut self.next])
    }

    fn plan(&self) -> String {
        self.graph.plan().to_string()
    }
}

impl Loop for Heat {
    fn advance(&mut self, steps: u64) -> Result<()> {
        Self::advance(self, steps)
    }

    fn plan(&self) -> String {
        Self::plan(self)
    }
}

/// Nanoseconds for each point of a step: one step a pass, and as the device chooses.
fn measure(points: usize, loops: &mut [Box<dyn Loop>; 2]) -> Result<[f64; 2]> {
    let mut least = [f64::INFINITY; 2];
    for sample in 0..=SAMPLES {
        for (of, least) in loops.iter_mut().zip(&mut least) {
            let steps = STEPS[usize::from(sample > 0)];
            let start = Instant::now();
            of.advance(steps)?;
            if sample > 0 {
                *least = least.min(start.elapsed().as_nanos() as f64 / steps as f64 / points as f64);
            }
        }
    }
    Ok(least)
}

/// Measures a loop in a mode.
fn report(mode: &str, name: &str, points: usize, make: &dyn Fn(&Device) -> Result<Box<dyn Loop>>) -> Result<()> {
    let make = |tiling: &str| make(&Device::open(format!("{mode}, tiling={tiling}").as_str())?);
    let mut loops = [make("off")?, make("auto")?];
    let [plain, tiled] = measure(points, &mut loops)?;
    println!("{mode:<20} {name:<28} {plain:>8.3} {tiled:>8.3} {:>7.2}  {}", plain / tiled, loops[1].plan());
    Ok(())
}

fn main() -> Result<()> {
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let asked = if asked.is_empty() { ["1e6", "4e6", "3e7", "128", "256"].map(String::from).to_vec() } else { asked };
    println!("{:<20} {:<28} {:>8} {:>8} {:>7}  plan", "mode", "loop", "off ns", "tiled ns", "ratio");
    for mode in MODES {
        for size in &asked {
            let Ok(number) = size.parse::<f64>() else { continue };
            let n = number as usize;
            if n >= 10_000 {
                let make = |device: &Device| -> Result<Box<dyn Loop>> { Ok(Box::new(Burgers::new(device, n)?)) };
                report(mode, &format!("Burgers, {size} points"), n, &make)?;
                continue;
            }
            for stencil in [Stencil::Seven, Stencil::TwentySeven] {
                let make = |device: &Device| -> Result<Box<dyn Loop>> {
                    Ok(Box::new(Heat::new(&Comm::alone(), device, [n; 3], stencil, Faces::Cold)?))
                };
                report(mode, &format!("heat, {stencil:?}, {n}³ points"), n * n * n, &make)?;
            }
        }
    }
    Ok(())
}

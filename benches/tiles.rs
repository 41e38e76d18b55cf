//! Recorded loops larger than the caches: many steps in one pass through memory against one step a pass. The two take turns; the
//! least time of each counts. At the end both fields of each have the same bits.
//!
//! `cargo bench --bench tiles -- 3e7 256` measures Burgers at 3·10⁷ points and heat in boxes of 256³, on one thread and on two;
//! `cargo bench --bench tiles -- CUDA 2e8` Burgers at 2·10⁸ points on a GPU.

#[allow(dead_code)]
#[path = "../examples/heat3d.rs"]
mod heat3d;

use ferrocca::comm::Comm;
use ferrocca::{Device, Graph, Kernel, Memory, Result, args};
use heat3d::{Faces, Heat, Stencil};
use std::time::Instant;

const MODES: [&str; 2] = ["mode=Serial", "mode=CPU, threads=2"];
/// Steps before the first sample, in which the choice is measured, and steps of a sample.
const STEPS: [u64; 2] = [640, 64];
/// A device that queues its work has to be kept busy.
const STEPS_OF_GPU: [u64; 2] = [640, 1000];
const SAMPLES: u32 = 7;

/// The same numbers on every device without a copy; how many of two fields differ.
const FIELDS: &str = "
@kernel void start(const long n, double *u) {
  for (long i = 0; i < n; ++i; @tile(256, @outer, @inner)) { u[i] = 0.5 + (i % 1000) / 2000.0; }
}
@kernel void differ(const long n, const double *u, const double *v, int *count) {
  for (long i = 0; i < n; ++i; @tile(256, @outer, @inner)) { if (u[i] != v[i]) { @atomic count[0] += 1; } }
}";

/// A loop that is measured.
trait Loop {
    fn advance(&mut self, steps: u64) -> Result<()>;
    fn plan(&self) -> String;
    /// How many numbers of its fields are others than those of a loop that has done as many steps.
    fn differs(&self, _other: &[Memory<f64>; 2]) -> Result<i32> {
        Ok(0)
    }
    fn fields(&self) -> Option<[Memory<f64>; 2]> {
        None
    }
}

struct Burgers {
    device: Device,
    graph: Graph,
    differ: Kernel,
    u: Memory<f64>,
    next: Memory<f64>,
}

impl Burgers {
    fn new(device: &Device, n: usize) -> Result<Self> {
        let (mut u, mut next) = (device.malloc::<f64>(n + 2)?, device.malloc::<f64>(n + 2)?);
        let start = device.build_kernel_from_string(FIELDS, "start", ())?;
        start.launch(args![n + 2, &mut u])?;
        start.launch(args![n + 2, &mut next])?;
        let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let kernel = std::path::Path::new(&package).join("kernels/burgers.okl");
        let step = device.build_kernel(kernel, "burgers_step", ())?;
        let graph = device.record(|recorder| {
            recorder.launch(&step, args![n, 1e-3, 1e-3, &u, &mut next])?;
            recorder.rotate([&u, &next])
        })?;
        let differ = device.build_kernel_from_string(FIELDS, "differ", ())?;
        Ok(Self { device: device.clone(), graph, differ, u, next })
    }
}

impl Loop for Burgers {
    fn advance(&mut self, steps: u64) -> Result<()> {
        self.graph.replay_rotating(steps, [&mut self.u, &mut self.next])?;
        self.device.finish()
    }

    fn plan(&self) -> String {
        self.graph.plan().to_string()
    }

    fn differs(&self, other: &[Memory<f64>; 2]) -> Result<i32> {
        let mut count = self.device.malloc_filled(1, 0)?;
        for (own, other) in [&self.u, &self.next].into_iter().zip(other) {
            // Of another device where that one's memory is not this one's.
            let mut copy = self.device.malloc::<f64>(own.len())?;
            copy.copy_from_memory(other)?;
            self.differ.launch(args![own.len(), own, &copy, &mut count])?;
        }
        Ok(count.to_vec()?[0])
    }

    fn fields(&self) -> Option<[Memory<f64>; 2]> {
        Some([self.u.share(), self.next.share()])
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
fn measure(points: usize, all: [u64; 2], loops: &mut [Box<dyn Loop>; 2]) -> Result<[f64; 2]> {
    let mut least = [f64::INFINITY; 2];
    for sample in 0..=SAMPLES {
        for (of, least) in loops.iter_mut().zip(&mut least) {
            let steps = all[usize::from(sample > 0)];
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
    let steps = if MODES.contains(&mode) { STEPS } else { STEPS_OF_GPU };
    let [plain, tiled] = measure(points, steps, &mut loops)?;
    println!("{mode:<20} {name:<28} {plain:>9.5} {tiled:>9.5} {:>7.2}  {}", plain / tiled, loops[1].plan());
    let differ = loops[0].fields().map_or(Ok(0), |fields| loops[1].differs(&fields))?;
    assert_eq!(differ, 0, "numbers differ");
    Ok(())
}

fn main() -> Result<()> {
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let (mut sizes, named): (Vec<String>, Vec<String>) =
        asked.into_iter().partition(|word| word.parse::<f64>().is_ok());
    if sizes.is_empty() {
        sizes = ["1e6", "4e6", "3e7", "128", "256"].map(String::from).to_vec();
    }
    let modes = if named.is_empty() { MODES.map(String::from).to_vec() } else { named };
    println!("{:<20} {:<28} {:>9} {:>9} {:>7}  plan", "mode", "loop", "off ns", "tiled ns", "ratio");
    for mode in modes.iter().map(|mode| if mode.contains('=') { mode.clone() } else { format!("mode={mode}") }) {
        for size in &sizes {
            let Ok(number) = size.parse::<f64>() else { continue };
            let n = number as usize;
            if n >= 10_000 {
                let make = |device: &Device| -> Result<Box<dyn Loop>> { Ok(Box::new(Burgers::new(device, n)?)) };
                report(&mode, &format!("Burgers, {size} points"), n, &make)?;
                continue;
            }
            for stencil in [Stencil::Seven, Stencil::TwentySeven] {
                let make = |device: &Device| -> Result<Box<dyn Loop>> {
                    Ok(Box::new(Heat::new(&Comm::alone(), device, [n; 3], stencil, Faces::Cold)?))
                };
                report(&mode, &format!("heat, {stencil:?}, {n}³ points"), n * n * n, &make)?;
            }
        }
    }
    Ok(())
}

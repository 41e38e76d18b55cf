//! What ranks cost: a step of the Burgers equation with and without a grid, on ranks against threads of one device, and
//! messages of several sizes. Each time is the least of interleaved runs.
//!
//! cargo bench -p ferrocca-comm --bench ranks
//! cargo bench -p ferrocca-comm --bench ranks -- CUDA:0           (ghosts that are copied in each step)
//! cargo bench -p ferrocca-comm --bench ranks -- CUDA:0,CUDA:1    (weak scaling: each device has as many points as one alone)
//! cargo bench -p ferrocca-comm --bench ranks --features mpi --no-run; mpirun -n 2 target/release/deps/ranks-…

use ferrocca_backend_cpu as _;
use ferrocca_backend_cuda as _;
use ferrocca_comm::{Boundary, Comm, Grid, RecordExchange, device_list, peers};
use ferrocca_core::{Device, Graph, Kernel, Memory, Result, args};
use std::process::ExitCode;
use std::time::Instant;

const KERNEL: &str = include_str!("../../burgers/kernels/burgers.okl");

const HEAT: &str =
    "@kernel void heat(const int nz, const int ny, const int nx, const double r, const double *u, double *v) {
  for (int k = 1; k < nz + 1; ++k; @outer(2)) for (int j = 1; j < ny + 1; ++j; @outer(1)) {
    for (int i = 1; i < nx + 1; ++i; @tile(128, @outer(0), @inner(0))) {
      const int w = nx + 2, p = w * (ny + 2), at = i + w * j + p * k;
      v[at] = u[at] + r * (u[at - 1] + u[at + 1] + u[at - w] + u[at + w] + u[at - p] + u[at + p] - 6 * u[at]);
    }
  }
}";

/// A part of the points on one rank, and its recorded step.
struct Part {
    graph: Graph,
    u: Memory<f64>,
    v: Memory<f64>,
}

fn field(device: &Device, len: usize) -> Result<(Kernel, Memory<f64>, Memory<f64>)> {
    let kernel = device.build_kernel_from_string(KERNEL, "burgers_step", ())?;
    let values: Vec<f64> = (0..len).map(|i| (i as f64 * 1e-3).sin()).collect();
    Ok((kernel, device.malloc_from(&values)?, device.malloc_from(&values)?))
}

impl Part {
    fn without_grid(device: &Device, points: usize) -> Result<Self> {
        let (kernel, u, mut v) = field(device, points + 2)?;
        let graph = device.record(|r| {
            r.launch(&kernel, args![points as i32, 0.1, 0.1, &u, &mut v])?;
            r.rotate([&u, &v])
        })?;
        Ok(Self { graph, u, v })
    }

    fn of_grid(comm: &Comm, device: &Device, points: usize) -> Result<Self> {
        let grid = Grid::new(comm, &[points], 1)?.boundaries(&[Boundary::Wrapped])?;
        let (kernel, u, mut v) = field(device, grid.centred().len())?;
        let plan = grid.plan(&[&mut v])?;
        if comm.rank() == 0 && comm.size() > 1 {
            println!("{points} points: {plan}");
        }
        let graph = device.record(|r| {
            r.launch(&kernel, args![grid.extents()[0] as i32, 0.1, 0.1, &u, &mut v])?;
            r.exchange(&plan, &mut [&mut v])?;
            r.rotate([&u, &v])
        })?;
        Ok(Self { graph, u, v })
    }

    /// With ghosts that are copied after each step.
    fn with_copies(device: &Device, points: usize) -> Result<Self> {
        let (kernel, u, mut v) = field(device, points + 2)?;
        let graph = device.record(|r| {
            r.launch(&kernel, args![points as i32, 0.1, 0.1, &u, &mut v])?;
            for (from, to) in [(points, 0), (1, points + 1)] {
                r.copy(&mut v.slice(to..to + 1)?, &v.slice(from..from + 1)?)?;
            }
            r.rotate([&u, &v])
        })?;
        Ok(Self { graph, u, v })
    }

    /// A box that is cut along its first axis, with a step of seven points.
    fn of_box(comm: &Comm, device: &Device, shape: [usize; 3]) -> Result<Self> {
        let grid = Grid::new(comm, &shape, 1)?.parts(&[comm.size(), 1, 1])?;
        let heat = device.build_kernel_from_string(HEAT, "heat", ())?;
        let (u, mut v) =
            (device.malloc_filled(grid.centred().len(), 1.0)?, device.malloc_filled(grid.centred().len(), 1.0)?);
        let plan = grid.plan(&[&mut v])?;
        let [nz, ny, nx] = [0, 1, 2].map(|axis| grid.extents()[axis] as i32);
        let graph = device.record(|r| {
            r.launch(&heat, args![nz, ny, nx, 0.1, &u, &mut v])?;
            r.exchange(&plan, &mut [&mut v])?;
            r.rotate([&u, &v])
        })?;
        if comm.rank() == 0 && comm.size() > 1 {
            println!("{shape:?}: {plan}; {}", graph.plan());
        }
        Ok(Self { graph, u, v })
    }

    /// Seconds of a step.
    fn time(&mut self, steps: u64) -> Result<f64> {
        let start = Instant::now();
        self.graph.replay_rotating(steps, [&mut self.u, &mut self.v])?;
        self.graph.device().finish()?;
        Ok(start.elapsed().as_secs_f64() / steps as f64)
    }
}

/// Steps of a run: enough for several in a pass through memory.
fn steps_for(points: usize) -> u64 {
    (20_000_000 / points as u64).clamp(64, 20_000)
}

const SIZES: [usize; 4] = [256, 8192, 1_000_000, 30_000_000];
const RUNS: usize = 12;

/// One rank with a grid against no grid.
fn alone() -> Result<()> {
    let device = Device::open("CPU, threads=1")?;
    for points in SIZES {
        let mut parts = [Part::without_grid(&device, points)?, Part::of_grid(&Comm::alone(), &device, points)?];
        let mut least = [f64::INFINITY; 2];
        for _ in 0..RUNS {
            for (part, least) in parts.iter_mut().zip(&mut least) {
                *least = least.min(part.time(steps_for(points))?);
            }
        }
        let [without, with] = least;
        println!(
            "alone, {points} points: {:.4} us a step, without a grid {:.4}, ratio {:.3}",
            with * 1e6,
            without * 1e6,
            with / without
        );
    }
    Ok(())
}

/// Ranks with a thread each against one device with as many threads.
fn ranks_against_threads(ranks: usize, tiled: bool) -> Result<()> {
    let device = |threads: usize| {
        let tiling = if tiled { "auto" } else { "off" };
        Device::open(format!("CPU, threads={threads}, tiling={tiling}").as_str())
    };
    let team = device(ranks)?;
    let devices = (0..ranks).map(|_| device(1)).collect::<Result<Vec<_>>>()?;
    for points in SIZES {
        let whole = std::sync::Mutex::new(Part::without_grid(&team, points)?);
        let least = peers(&devices, |comm, device| {
            let mut part = Part::of_grid(comm, device, points)?;
            let (mut least, mut by_threads) = (f64::INFINITY, f64::INFINITY);
            for _ in 0..RUNS {
                comm.barrier()?;
                least = least.min(part.time(steps_for(points))?);
                comm.barrier()?;
                if comm.rank() == 0 {
                    let mut whole = whole.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    by_threads = by_threads.min(whole.time(steps_for(points))?);
                }
                // The other rank sleeps meanwhile.
                comm.barrier()?;
            }
            if comm.rank() == 0 {
                println!("{points} points: {}", part.graph.plan());
            }
            Ok((least, by_threads))
        })?;
        let by_threads = least[0].1;
        let by_ranks = least.into_iter().map(|(least, _)| least).fold(0.0, f64::max);
        println!(
            "{points} points: {ranks} ranks x 1 thread {:.4} us a step, 1 rank x {ranks} threads{} {:.4}, efficiency {:.3}",
            by_ranks * 1e6,
            if tiled { "" } else { " without tiling" },
            by_threads * 1e6,
            by_threads / by_ranks
        );
    }
    Ok(())
}

/// The least time of a step, after all is ready.
fn best(part: &mut Part, points: usize) -> Result<f64> {
    let steps = (40_000_000_000 / points as u64).clamp(400, 20_000);
    (0..5).try_fold(f64::INFINITY, |least: f64, _| Ok(least.min(part.time(steps)?)))
}

/// One device: steps with and without ghosts that are copied.
fn copied(list: &str) -> Result<()> {
    let devices = ["auto", "off"].map(|tiling| {
        let mut props = device_list(list)?.swap_remove(0);
        props.set("tiling", tiling);
        Device::open(props)
    });
    let [tiled, untiled] = devices;
    let [tiled, untiled] = [tiled?, untiled?];
    for points in [1_000_000, 2_000_000, 4_000_000, 10_000_000, 100_000_000] {
        let mut copies = Part::with_copies(&tiled, points)?;
        let times = [
            best(&mut Part::without_grid(&tiled, points)?, points)?,
            best(&mut copies, points)?,
            best(&mut Part::with_copies(&untiled, points)?, points)?,
        ];
        let [without, with, untiled] = times.map(|seconds| seconds * 1e6);
        let plan = copies.graph.plan();
        println!(
            "{points} points: {without:.2} us a step, with copied ghosts {with:.2} ({:.3}), without tiling {untiled:.2}; {plan}",
            without / with
        );
    }
    Ok(())
}

/// Several devices with as many points each as one alone.
fn weak(list: &str) -> Result<()> {
    let devices = device_list(list)?.into_iter().map(Device::open).collect::<Result<Vec<_>>>()?;
    if devices.len() == 1 {
        return copied(list);
    }
    // One step in a pass through memory.
    let mut untiled = device_list(list)?.swap_remove(0);
    untiled.set("tiling", "off");
    let untiled = Device::open(untiled)?;
    for points in [8192, 1_000_000, 10_000_000, 100_000_000] {
        let best = |part: &mut Part| best(part, points);
        let [one, untiled] = [&devices[0], &untiled].map(|device| best(&mut Part::without_grid(device, points)?));
        let (one, untiled) = (one?, untiled?);
        let ranks = peers(&devices, |comm, device| {
            let mut part = Part::of_grid(comm, device, points * devices.len())?;
            comm.barrier()?;
            let seconds = best(&mut part)?;
            if comm.rank() == 0 {
                println!("{}", part.graph.plan());
            }
            Ok(seconds)
        })?;
        let all = ranks.into_iter().fold(0.0, f64::max);
        let [one_us, untiled_us, all_us] = [one, untiled, all].map(|seconds| seconds * 1e6);
        println!(
            "{points} points each: 1 device {one_us:.3} us a step, without tiling {untiled_us:.3}, {} devices {all_us:.3}, weak \
             {:.3} and {:.3}",
            devices.len(),
            one / all,
            untiled / all
        );
    }
    let in_order = device_list(list)?.into_iter().map(|mut props| {
        props.set("tiling", "off");
        Device::open(props)
    });
    let in_order = in_order.collect::<Result<Vec<_>>>()?;
    for n in [128, 256, 512] {
        let steps = (20_000_000_000 / (n * n * n) as u64).clamp(50, 5000);
        let best = |part: &mut Part| (0..5).try_fold(f64::INFINITY, |least: f64, _| Ok(least.min(part.time(steps)?)));
        let one: f64 = best(&mut Part::of_box(&Comm::alone(), &in_order[0], [n; 3])?)?;
        let by_all = |devices: &[Device]| -> Result<f64> {
            let ranks = peers(devices, |comm, device| {
                let mut part = Part::of_box(comm, device, [n * devices.len(), n, n])?;
                comm.barrier()?;
                best(&mut part)
            })?;
            Ok(ranks.into_iter().fold(0.0, f64::max))
        };
        // Without tiling nothing runs beside the messages.
        let (all, one_by_one) = (by_all(&devices)?, by_all(&in_order)?);
        println!(
            "{n} x {n} x {n} points each: 1 device {:.1} us a step, {} devices {:.1}, weak {:.3}; messages after the step {:.1}, \
             of which {:.0} % are hidden",
            one * 1e6,
            devices.len(),
            all * 1e6,
            one / all,
            one_by_one * 1e6,
            100.0 * (one_by_one - all) / (one_by_one - one)
        );
    }
    peers(&devices, messages).map(drop)
}

/// Exchanges of halos of several sizes: latency and bandwidth.
fn messages(comm: &Comm, device: &Device) -> Result<()> {
    for halo in [1, 16, 256, 4096, 131_072, 1 << 20] {
        let grid = Grid::new(comm, &[4 * halo * comm.size()], halo)?.periodic(&[true])?;
        let mut u = device.malloc_filled(grid.centred().len(), 0.0)?;
        let plan = grid.plan(&[&mut u])?;
        let mut least = f64::INFINITY;
        let repetitions = (1 << 22) / (halo + 4096) + 1;
        for _ in 0..RUNS {
            comm.barrier()?;
            let start = Instant::now();
            for _ in 0..repetitions {
                plan.exchange(&mut [&mut u])?;
            }
            least = least.min(start.elapsed().as_secs_f64() / repetitions as f64);
        }
        let mut graph = device.record(|r| r.exchange(&plan, &mut [&mut u]))?;
        let mut recorded = f64::INFINITY;
        for _ in 0..RUNS {
            comm.barrier()?;
            let start = Instant::now();
            graph.replay(repetitions as u64)?;
            device.finish()?;
            recorded = recorded.min(start.elapsed().as_secs_f64() / repetitions as f64);
        }
        if comm.rank() == 0 {
            let name = comm.capabilities().name;
            println!(
                "{name} by {} bytes both ways: {:.3} us, recorded {:.3}; {plan}",
                8 * halo,
                least * 1e6,
                recorded * 1e6
            );
        }
    }
    Ok(())
}

/// The steps of ranks that are processes.
fn steps_of_processes(comm: &Comm) -> Result<()> {
    let device = comm.open_device("CPU")?;
    for points in SIZES {
        let mut part = Part::of_grid(comm, &device, points)?;
        let mut least = f64::INFINITY;
        for _ in 0..RUNS {
            comm.barrier()?;
            least = least.min(part.time(steps_for(points))?);
        }
        if comm.rank() == 0 {
            println!("{points} points: {} processes {:.4} us a step", comm.size(), least * 1e6);
        }
    }
    messages(comm, &device)
}

fn main() -> ExitCode {
    ferrocca_comm::run(|comm| {
        if comm.size() > 1 {
            return steps_of_processes(comm);
        }
        if let Some(list) = std::env::args().skip(1).find(|argument| !argument.starts_with("--")) {
            return weak(&list);
        }
        alone()?;
        ranks_against_threads(2, true)?;
        ranks_against_threads(2, false)?;
        let devices = [Device::open("CPU, threads=1")?, Device::open("CPU, threads=1")?];
        peers(&devices, messages).map(drop)
    })
}

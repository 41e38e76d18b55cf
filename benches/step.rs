//! One step of the three-point update at 10⁴, 10⁶ and 3·10⁷ points, on one thread and on two, by each C compiler:
//! Ferrocca, a plain C loop of the same compiler and flags, a plain Rust loop.
//!
//! Criterion's groups give the times; the table at the end gives the ratios, from interleaved samples.

mod compare;
mod peer;

use compare::{Contender, interleave};
use criterion::{BenchmarkId, Criterion, Throughput};
use ferrocca::Device;
use peer::{CPeer, Fields};
use std::cell::RefCell;
use std::time::Duration;

const SIZES: [usize; 3] = [10_000, 1_000_000, 30_000_000];
const THREADS: [usize; 2] = [1, 2];

fn pool(threads: usize) -> Option<rayon::ThreadPool> {
    (threads > 1).then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start"))
}

fn groups(criterion: &mut Criterion) {
    for compiler in peer::compilers() {
        for threads in THREADS {
            let device = peer::open(compiler, threads);
            let kernel = device.build_kernel(peer::kernel(), "burgers_step", ()).expect("it builds");
            let c = CPeer::new(compiler, threads);
            let pool = pool(threads);
            let mut group = criterion.benchmark_group(format!("step/{compiler}/{threads}"));
            for n in SIZES {
                let mut fields = Fields::new(&device, n);
                group.throughput(Throughput::Elements(n as u64));
                group.bench_function(BenchmarkId::new("ferrocca", n), |b| b.iter(|| fields.step(&kernel)));
                let step = c.stepper();
                group.bench_function(BenchmarkId::new("c", n), |b| b.iter(|| fields.step_raw(&step)));
                group.bench_function(BenchmarkId::new("rust", n), |b| {
                    b.iter(|| fields.step_slices(|u_prev, u| peer::rust_step(u_prev, u, pool.as_ref())));
                });
            }
            group.finish();
        }
    }
}

/// Refuses to compare what does not compute the same: all contenders make the same bits.
fn check(device: &Device, kernel: &ferrocca::Kernel, c: &CPeer, pool: Option<&rayon::ThreadPool>) {
    let n = 100_001;
    let after = |step: &mut dyn FnMut(&mut Fields)| {
        let mut fields = Fields::new(device, n);
        (0..3).for_each(|_| step(&mut fields));
        fields.u_prev.to_vec().expect("it copies")
    };
    let own = after(&mut |fields| fields.step(kernel));
    assert!(own == after(&mut |fields| fields.step_raw(c.stepper())), "the C loop computes something else");
    let rust = after(&mut |fields| fields.step_slices(|u_prev, u| peer::rust_step(u_prev, u, pool)));
    assert!(own == rust, "the Rust loop computes something else");
}

fn table() {
    println!("\nInterleaved samples: nanoseconds per point (median), and speed against the peers (1 is equal)");
    println!(
        "{:<9}{:>8}{:>11}{:>11}{:>9}{:>9}{:>9}{:>10}",
        "compiler", "threads", "points", "ferrocca", "C", "Rust", "vs C", "vs Rust"
    );
    let mut least = f64::INFINITY;
    for compiler in peer::compilers() {
        for threads in THREADS {
            let device = peer::open(compiler, threads);
            let kernel = device.build_kernel(peer::kernel(), "burgers_step", ()).expect("it builds");
            let (c, pool) = (CPeer::new(compiler, threads), pool(threads));
            check(&device, &kernel, &c, pool.as_ref());
            for n in SIZES {
                let fields = RefCell::new(Fields::new(&device, n));
                let step = c.stepper();
                let mut contenders = [
                    Contender::new("ferrocca", || fields.borrow_mut().step(&kernel)),
                    Contender::new("C", || fields.borrow_mut().step_raw(&step)),
                    Contender::new("Rust", || {
                        fields.borrow_mut().step_slices(|u_prev, u| peer::rust_step(u_prev, u, pool.as_ref()));
                    }),
                ];
                let samples =
                    interleave(&mut contenders, if n > 2_000_000 { 31 } else { 301 }, Duration::from_micros(300));
                let [own, c, rust] = [0, 1, 2].map(|index| samples.median(index) / n as f64 * 1e9);
                let (against_c, against_rust) = (samples.speed_against(1), samples.speed_against(2));
                least = least.min(against_c);
                println!(
                    "{compiler:<9}{threads:>8}{n:>11}{own:>11.3}{c:>9.3}{rust:>9.3}{against_c:>9.2}{against_rust:>10.2}"
                );
            }
        }
    }
    println!("least against C: {least:.2} (the bar is 0.95)");
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500))
        .configure_from_args();
    groups(&mut criterion);
    criterion.final_summary();
    if !compare::only_listed() {
        table();
    }
}

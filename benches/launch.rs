//! What a launch costs: the step at 256 points and 2 ghosts on `Serial`, against the C loop called through a pointer,
//! and the heap allocations of a launch.

mod compare;
mod peer;

use compare::{Contender, interleave};
use criterion::Criterion;
use peer::{CPeer, Fields};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const POINTS: usize = 256;

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn groups(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("launch");
    for compiler in peer::compilers() {
        let device = peer::open(compiler, 1);
        let kernel = device.build_kernel(peer::kernel(), "burgers_step", ()).expect("it builds");
        let mut fields = Fields::new(&device, POINTS);
        group.bench_function(format!("{compiler}/ferrocca"), |b| {
            b.iter(|| {
                fields.step(&kernel);
                device.finish().expect("nothing is left");
            });
        });
        let c = CPeer::new(compiler, 1);
        let step = c.stepper();
        group.bench_function(format!("{compiler}/c"), |b| b.iter(|| fields.step_raw(&step)));
    }
    group.finish();
}

fn table() {
    println!("\nLaunch and finish at {} points, interleaved samples, nanoseconds (median)", POINTS + 2);
    println!("{:<9}{:>8}{:>11}{:>8}{:>9}{:>14}", "compiler", "threads", "ferrocca", "C", "cost", "allocations");
    for compiler in peer::compilers() {
        for threads in [1, 2] {
            let device = peer::open(compiler, threads);
            let kernel = device.build_kernel(peer::kernel(), "burgers_step", ()).expect("it builds");
            let fields = RefCell::new(Fields::new(&device, POINTS));
            // One thread: a launch this small stays on the calling thread in every mode.
            let c = CPeer::new(compiler, 1);
            let step = c.stepper();
            let mut contenders = [
                Contender::new("ferrocca", || {
                    fields.borrow_mut().step(&kernel);
                    device.finish().expect("nothing is left");
                }),
                Contender::new("C", || fields.borrow_mut().step_raw(&step)),
            ];
            let samples = interleave(&mut contenders, 51, Duration::from_millis(2));
            let [own, c] = [0, 1].map(|index| samples.median(index) * 1e9);
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            (contenders[0].run)(1000);
            let allocations = (ALLOCATIONS.load(Ordering::Relaxed) - before) as f64 / 1000.0;
            println!("{compiler:<9}{threads:>8}{own:>11.1}{c:>8.1}{:>9.1}{allocations:>14}", own - c);
        }
    }
    println!("the bar is 350 ns on one thread, and 0 allocations");
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500))
        .configure_from_args();
    groups(&mut criterion);
    criterion.final_summary();
    if !compare::only_listed() {
        table();
    }
}

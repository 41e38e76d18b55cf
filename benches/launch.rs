//! What a launch costs: the step at 256 points and 2 ghosts on `Serial`, by itself and as a repetition of a graph, against
//! the C loop called through a pointer, and the heap allocations of each.

mod compare;
mod peer;

use compare::{Contender, interleave};
use criterion::Criterion;
use ferrocca::{Device, Graph, Kernel, args};
use peer::{CPeer, Fields};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

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
        let mut graph = step_graph(&device, &kernel, &fields);
        group.bench_function(format!("{compiler}/graph"), |b| {
            b.iter_custom(|times| {
                let begin = Instant::now();
                replay(&mut graph, &mut fields, times);
                begin.elapsed()
            });
        });
        let c = CPeer::new(compiler, 1);
        let step = c.stepper();
        group.bench_function(format!("{compiler}/c"), |b| b.iter(|| fields.step_raw(&step)));
    }
    group.finish();
}

/// A step after which the fields swap.
fn step_graph(device: &Device, kernel: &Kernel, fields: &Fields) -> Graph {
    let Fields { n, u_prev, u } = fields;
    let recorded = device.record(|r| {
        r.launch(kernel, args![*n as i32, peer::C1, peer::C2, u_prev, &mut u.share()])?;
        r.rotate([u_prev, u])
    });
    recorded.expect("it records")
}

fn replay(graph: &mut Graph, fields: &mut Fields, times: u64) {
    graph.replay_rotating(times, [&mut fields.u_prev, &mut fields.u]).expect("it runs");
    graph.device().finish().expect("nothing is left");
}

fn table() {
    println!("\nLaunch and finish at {} points, interleaved samples, nanoseconds (median)", POINTS + 2);
    println!(
        "{:<9}{:>8}{:>8}{:>12}{:>12}{:>8}{:>12}{:>12}{:>14}",
        "compiler", "threads", "launch", "replay of 1", "repetition", "C", "launch - C", "repet. - C", "allocations"
    );
    for compiler in peer::compilers() {
        for threads in [1, 2] {
            let device = peer::open(compiler, threads);
            let kernel = device.build_kernel(peer::kernel(), "burgers_step", ()).expect("it builds");
            let fields = RefCell::new(Fields::new(&device, POINTS));
            // One thread: a launch this small stays on the calling thread in every mode.
            let c = CPeer::new(compiler, 1);
            let step = c.stepper();
            let graphs = [0; 2].map(|_| RefCell::new(step_graph(&device, &kernel, &fields.borrow())));
            let mut contenders = [
                Contender::new("launch", || {
                    fields.borrow_mut().step(&kernel);
                    device.finish().expect("nothing is left");
                }),
                Contender::new("replay of 1", || replay(&mut graphs[0].borrow_mut(), &mut fields.borrow_mut(), 1)),
                Contender {
                    name: "repetition",
                    run: Box::new(|times| replay(&mut graphs[1].borrow_mut(), &mut fields.borrow_mut(), times)),
                },
                Contender::new("C", || fields.borrow_mut().step_raw(&step)),
            ];
            let samples = interleave(&mut contenders, 51, Duration::from_millis(2));
            let [launch, single, repetition, c] = [0, 1, 2, 3].map(|index| samples.median(index) * 1e9);
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            contenders[..3].iter_mut().for_each(|contender| (contender.run)(1000));
            let allocations = (ALLOCATIONS.load(Ordering::Relaxed) - before) as f64 / 3000.0;
            println!(
                "{compiler:<9}{threads:>8}{launch:>8.1}{single:>12.1}{repetition:>12.1}{c:>8.1}{:>12.1}{:>12.1}{allocations:>14}",
                launch - c,
                repetition - c
            );
        }
    }
    println!("the bar of a launch is 350 ns on one thread; nothing allocates");
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

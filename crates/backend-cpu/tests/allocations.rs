//! A launch allocates nothing on the heap: counted through the front, on the calling thread, on the team's own threads, and
//! on Rayon's while they are there (calling them in allocates).

use ferrocca_backend_cpu as _;
use ferrocca_core::{Device, ErrorKind, Kernel, args};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts what all threads allocate; this file has one test, so that nobody else is counted.
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

const SOURCE: &str = "
@kernel void step(const int n, const double c, @restrict const double *u_prev, @restrict double *u) {
  for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {
    u[i] = u_prev[i] + c;
  }
}

// The sizes are known at the launch only, and so is the scratch memory of `kept`.
@kernel void reverse(const int groups, const int items, double *u) {
  for (int group = 0; group < groups; ++group; @outer) {
    @exclusive double kept;
    for (int item = 0; item < items; ++item; @inner) {
      kept = u[group * items + item];
    }
    for (int item = 0; item < items; ++item; @inner) {
      u[group * items + items - 1 - item] = kept;
    }
  }
}
";

fn build(device: &Device, name: &str) -> Option<Kernel> {
    match device.build_kernel_from_string(SOURCE, name, ()) {
        Ok(kernel) => Some(kernel),
        Err(error) => {
            assert!(matches!(error.kind(), ErrorKind::Compiler { .. }), "{error}");
            println!("skipped: {error}");
            None
        }
    }
}

/// Allocations of the first round of launches that makes none, else the fewest that one made, and the launches of all
/// rounds. On a machine that does other things too the threads lose their cores now and then, and visitors must be called.
fn allocations_of(mut launch: impl FnMut()) -> (u64, u32) {
    let mut least = u64::MAX;
    for round in 1..=ROUNDS {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        (0..LAUNCHES).for_each(|_| launch());
        // A thread that was started late allocates once when it takes part; the first rounds are for that.
        if round > WARM_UP {
            least = least.min(ALLOCATIONS.load(Ordering::Relaxed) - before);
        }
        if least == 0 {
            return (0, round * LAUNCHES);
        }
    }
    (least, ROUNDS * LAUNCHES)
}

/// Launches of a round, and the most rounds: what a launch allocates, or every twentieth one, shows in each of them.
const LAUNCHES: u32 = 20;
const ROUNDS: u32 = 2000;
const WARM_UP: u32 = 5;

#[test]
fn launches_allocate_nothing() {
    for props in [
        "mode=Serial",
        "mode=CPU, threads=1",
        "mode=CPU, threads=2",
        "mode=CPU, threads=4",
        "mode=CPU",
        "mode=CPU, pool=own, threads=2",
        "mode=CPU, pool=own, threads=4",
    ] {
        let device = Device::open(props).expect(props);
        let (Some(step), Some(reverse)) = (build(&device, "step"), build(&device, "reverse")) else {
            return;
        };
        // The last size is beyond what stays on the calling thread.
        for n in [256, 10_000, 200_000] {
            let mut u_prev = device.malloc_filled(n, 0.0_f64).expect("there is memory");
            let mut u = device.malloc::<f64>(n).expect("there is memory");
            let (count, launches) = allocations_of(|| {
                step.launch(args![n, 1.0, &u_prev, &mut u]).expect("it runs");
                device.finish().expect("nothing is left");
                u.swap(&mut u_prev);
            });
            assert_eq!(count, 0, "{props}, {n} points");
            assert_eq!(u_prev.to_vec().expect("it copies"), vec![f64::from(launches); n]);
        }
        for (groups, items) in [(1, 7), (2000, 100)] {
            let data: Vec<f64> = (0..groups * items).map(f64::from).collect();
            let mut u = device.malloc_from(&data).expect("there is memory");
            let (count, _) = allocations_of(|| reverse.launch(args![groups, items, &mut u]).expect("it runs"));
            assert_eq!(count, 0, "{props}, {groups} groups of {items}");
            assert_eq!(u.to_vec().expect("it copies"), data);
        }
    }
}

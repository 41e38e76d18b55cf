//! What the conformance suite leaves out because it would take long on slow devices: three levels, several threads, heap
//! allocations; and the errors.

use ferrocca_backend_cpu::CPU;
use ferrocca_core::{Device, ErrorKind};
use ferrocca_primitives::{Operator, Primitives, formula};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
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

fn open(props: &str) -> Device {
    Device::open_with(&CPU, props).expect("a C compiler")
}

/// Integers small enough that floats add them exactly.
fn small(len: usize) -> Vec<f32> {
    (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 31) as f32).collect()
}

#[test]
fn three_levels_on_any_number_of_threads() {
    // One element more than two levels take.
    let len = 4096 * 4096 + 1;
    let host: Vec<f32> = (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 * 1e-7).collect();
    let sum = |props: &str| -> (u32, u64) {
        let device = open(props);
        let (p, x) = (Primitives::new(&device), device.malloc_from(&host).expect("memory"));
        let narrow: f32 = p.sum(&x).get().expect("a sum");
        let wide: f64 = p.sum(&x).get().expect("a sum");
        (narrow.to_bits(), wide.to_bits())
    };
    let serial = sum("mode=Serial");
    let exact: f64 = host.iter().map(|x| f64::from(*x)).sum();
    assert!((f64::from_bits(serial.1) - exact).abs() < 1e-9 * exact, "{} {exact}", f64::from_bits(serial.1));
    assert_eq!(serial, sum("mode=CPU, threads=2"));
    assert_eq!(serial, sum("mode=CPU, threads=3"));
}

#[test]
fn many_tiles_are_sorted_and_scanned_alike_on_any_number_of_threads() {
    let host: Vec<u32> = (0..100_000u32).map(|i| i.wrapping_mul(2_654_435_761) ^ i >> 3).collect();
    let mut sorted = host.clone();
    sorted.sort_unstable();
    let floats: Vec<f32> = host.iter().map(|x| *x as f32 * 1e-7).collect();
    let mut sums = Vec::new();
    for props in ["mode=Serial", "mode=CPU, threads=3"] {
        let device = open(props);
        let (p, mut keys) = (Primitives::new(&device), device.malloc_from(&host).expect("memory"));
        p.sort(&keys.share(), &mut keys).expect("it sorts");
        assert_eq!(keys.to_vec().expect("keys"), sorted, "{props}");
        let mut out = device.malloc::<f32>(host.len()).expect("memory");
        p.cumulative_sum(&device.malloc_from(&floats).expect("memory")).store(&mut out).expect("a scan");
        sums.push(out.to_vec().expect("sums").iter().map(|x| x.to_bits()).collect::<Vec<_>>());
    }
    assert_eq!(sums[0], sums[1]);
}

#[test]
fn what_was_done_before_allocates_nothing() {
    let device = open("mode=Serial");
    let p = Primitives::new(&device);
    let (x, y) =
        (device.malloc_from(&small(9_000)).expect("memory"), device.malloc_from(&small(9_000)).expect("memory"));
    let mut out = device.malloc::<f32>(1).expect("memory");
    let mut index = device.malloc::<i32>(1).expect("memory");
    let mut table = device.malloc::<f32>(9_000).expect("memory");
    let mut counts = device.malloc::<i32>(20).expect("memory");
    let mut round = || {
        p.sum(formula!("a * b + c", a = &x, b = &y, c = 2.0f32)).store(&mut out).expect("a sum");
        p.variance(&x, 1).store(&mut out).expect("a variance");
        p.arg_max(&y).store(&mut index).expect("an index");
        p.map(formula!("a * b", a = (&x, [100, 90]), b = (&y.slice(..90).expect("a slice"), [1, 90])))
            .store(&mut table)
            .expect("a table");
        p.sum(formula!("a * b", a = (&x, [100, 90]), b = (&y.slice(..90).expect("a slice"), [1, 90])))
            .store(&mut out)
            .expect("a sum of repeated elements");
        p.cumulative_sum(&x).store(&mut table).expect("sums");
        p.sort(&x, &mut table).expect("it sorts");
        p.compact(&x, &y).store(&mut table, &mut index).expect("a selection");
        p.histogram(&x, 0.0, 1.0).store(&mut counts).expect("counts");
        p.dot(&x, &y).get::<f32>().expect("a product")
    };
    // A launch whose accesses are checked when it runs may allocate after a wait; none is waited for here.
    round();
    let first = round();
    let (heap, memory) = (ALLOCATIONS.get(), device.memory_allocated());
    let second = round();
    assert_eq!(ALLOCATIONS.get() - heap, 0, "on the heap");
    assert_eq!(device.memory_allocated(), memory, "on the device");
    assert_eq!(first, second);
}

#[test]
fn wrong_calls_say_what_is_wrong() {
    let device = open("mode=Serial");
    let p = Primitives::new(&device);
    let (x, y) = (device.malloc_from(&small(5)).expect("memory"), device.malloc_from(&small(6)).expect("memory"));
    let mut out = device.malloc::<f32>(2).expect("memory");
    let error = |result: ferrocca_core::Result<f32>| result.expect_err("an error");

    let lengths = error(p.sum(formula!("a + b", a = &x, b = &y)).get());
    assert!(matches!(lengths.kind(), ErrorKind::OutOfBounds { .. }), "{lengths:?}");
    assert_eq!(lengths.to_string(), "reducing `a + b`: operand `b`: the shapes [5] and [6] do not fit each other");
    let results = p.sum(&x).store(&mut out).expect_err("an error");
    assert_eq!(results.to_string(), "a reduction has one result, the memory 2 elements");
    let unknown = error(p.sum(formula!("a + c", a = &x)).get());
    assert!(matches!(unknown.kind(), ErrorKind::Kernel { .. }), "{unknown:?}");
    assert!(unknown.to_string().contains("`c`"), "{unknown}");
    let mean = p.mean(&x).get::<i32>().expect_err("an error");
    assert!(mean.to_string().ends_with("the result is a float; it cannot go into memory of i32"), "{mean}");
    let index = error(p.arg_min(&x).get());
    assert!(index.to_string().ends_with("the result is an index; it cannot go into memory of f32"), "{index}");
    let operator = error(p.reduce(&x, Operator::new("a +", "0")).get());
    assert!(matches!(operator.kind(), ErrorKind::Kernel { .. }), "{operator:?}");

    ferrocca_core::kernel_struct! {
        struct Pair { a: f32, b: f32 }
    }
    let pairs = device.malloc_filled(3, Pair { a: 1.0, b: 2.0 }).expect("memory");
    let of_structs = error(p.sum(&pairs).get());
    assert!(of_structs.to_string().ends_with("`x` is memory of the struct `Pair`, not of numbers"), "{of_structs}");
    let other = open("mode=Serial").malloc_from(&small(5)).expect("memory");
    assert!(matches!(error(p.sum(&other).get()).kind(), ErrorKind::WrongDevice { .. }));
}

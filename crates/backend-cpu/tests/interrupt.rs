//! Launches that their caller ends.

#![allow(missing_docs)]

use ferrocca_backend_cpu as _;
use ferrocca_core::{Device, ErrorKind, args, interruptible};
use std::cell::Cell;
use std::time::{Duration, Instant};

const MODES: [&str; 3] = ["mode=Serial", "mode=CPU, threads=3", "mode=CPU, threads=2, pool=own"];

/// Each turn needs the one before it.
const SLOW: &str = "@kernel void slow(const int n, const int turns, double *x) {
    for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
        double s = x[i];
        for (int turn = 0; turn < turns; ++turn) s = s * 0.999999 + 1e-6;
        x[i] = s + 1;
    }
}";

thread_local! {
    static UNTIL: Cell<Option<Instant>> = const { Cell::new(None) };
    static ASKED: Cell<u32> = const { Cell::new(0) };
}

fn is_time() -> bool {
    ASKED.set(ASKED.get() + 1);
    UNTIL.get().is_some_and(|until| Instant::now() >= until)
}

#[test]
fn a_launch_ends_soon_and_the_next_one_is_whole() {
    for mode in MODES {
        let device = Device::open(mode).expect(mode);
        let kernel = device.build_kernel_from_string(SLOW, "slow", ()).expect("it is correct");
        let (n, turns) = (16_000, 1_000_000);
        let mut x = device.malloc_filled(n, 0.0).expect("there is memory");
        UNTIL.set(Some(Instant::now() + Duration::from_millis(200)));
        let error =
            interruptible(is_time, || kernel.launch(args![n, turns, &mut x])).expect_err("it takes ten seconds");
        let late = Instant::now() - UNTIL.get().expect("it was set");
        assert!(matches!(error.kind(), ErrorKind::Interrupted), "{error}");
        assert!(error.to_string().contains("`slow`"), "{error}");
        assert!(late < Duration::from_millis(200), "{mode}: {late:?}");
        let ran = x.to_vec().expect("it is readable").iter().filter(|x| **x > 0.5).count();
        assert!(0 < ran && ran < n && ran % 16 == 0, "{mode}: {ran} items ran");

        kernel.launch(args![n, 1, &mut x]).expect("nobody asks now");
        assert!(x.to_vec().expect("it is readable").iter().all(|x| *x > 0.5), "{mode}");
    }
}

#[test]
fn every_group_runs_once_where_nobody_ends_it() {
    let source = "@kernel void count(const int n, int *x) {
        for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) { x[i] += 1 + i; }
    }";
    UNTIL.set(None);
    for mode in MODES {
        let device = Device::open(mode).expect(mode);
        let kernel = device.build_kernel_from_string(source, "count", ()).expect("it is correct");
        for n in [1, 4, 5, 23, 1_000, 3_000_001] {
            let mut x = device.malloc_filled(n, 0).expect("there is memory");
            interruptible(is_time, || kernel.launch(args![n, &mut x])).expect(mode);
            assert!((1..).zip(x.to_vec().expect("it is readable")).all(|(i, x)| i == x), "{mode}: {n}");
        }
    }
}

#[test]
fn somebody_is_asked_between_many_short_nests() {
    let source = "@kernel void rows(const int rows, int *x) {
        for (int row = 0; row < rows; ++row) {
            for (int i = 0; i < 64; ++i; @tile(64, @outer, @inner)) { x[i] += row; }
        }
    }";
    let device = Device::open("mode=Serial").expect("it is always there");
    let kernel = device.build_kernel_from_string(source, "rows", ()).expect("it is correct");
    let mut x = device.malloc_filled(64, 0).expect("there is memory");
    UNTIL.set(Some(Instant::now()));
    let error = interruptible(is_time, || kernel.launch(args![500_000, &mut x])).expect_err("it is asked");
    assert!(matches!(error.kind(), ErrorKind::Interrupted), "{error}");
}

#[test]
fn who_is_asked_is_so_for_the_call_alone() {
    let device = Device::open("mode=Serial").expect("it is always there");
    let kernel = device.build_kernel_from_string(SLOW, "slow", ()).expect("it is correct");
    let mut x = device.malloc_filled(64, 0.0).expect("there is memory");
    UNTIL.set(Some(Instant::now()));
    let panicked = std::panic::catch_unwind(|| interruptible(is_time, || panic!("within")));
    assert!(panicked.is_err());
    ASKED.set(0);
    kernel.launch(args![64, 3_000_000, &mut x]).expect("nobody asks");
    assert_eq!(ASKED.get(), 0);
}

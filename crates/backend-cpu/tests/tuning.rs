//! The property `tune`: a kernel in several builds, of which launches find the fastest.

use ferrocca_backend_cpu as _;
use ferrocca_core::{Device, Error, ErrorKind, Kernel, Props, Result, args};
use std::path::Path;

const SOURCE: &str = "
@kernel void add(const int n, const double c, double *u) {
  for (int i = 0; i < n; ++i; @tile(TILE, @outer, @inner)) {
    u[i] += c;
  }
}
";

fn open(directory: &Path) -> Device {
    Device::open(Props::new().with("mode", "Serial").with("cache_dir", directory.to_string_lossy().into_owned()))
        .expect("a device")
}

fn build(device: &Device, props: &str) -> Result<Kernel> {
    device.build_kernel_from_string(SOURCE, "add", props)
}

/// `None` where there is no compiler.
fn add(device: &Device, tune: &str) -> Option<Kernel> {
    match build(device, tune) {
        Ok(kernel) => Some(kernel),
        Err(error) => {
            assert!(matches!(error.kind(), ErrorKind::Compiler { .. }), "{error}");
            println!("skipped: {error}");
            None
        }
    }
}

#[test]
fn every_launch_runs_one_build_and_the_choice_is_kept() {
    let directory = tempfile::tempdir().expect("a directory");
    let device = open(directory.path());
    let Some(kernel) = add(&device, "tune: {TILE: [1, 64, 1024]}") else { return };
    let mut u = device.malloc_filled(5000, 0.0_f64).expect("there is memory");
    let chosen = |kernel: &Kernel| kernel.tuning().expect("it is tuned").sizes.first().and_then(|size| size.chosen);
    for launch in 1..=20 {
        kernel.launch(args![5000, 1.0, &mut u]).expect("it runs");
        assert_eq!(u.to_vec().expect("it copies"), [f64::from(launch); 5000]);
        assert_eq!(chosen(&kernel).is_some(), launch >= 12, "after {launch} launches");
    }
    let tuning = kernel.tuning().expect("it is tuned");
    assert_eq!(tuning.builds, ["TILE=1", "TILE=64", "TILE=1024"]);
    let size = &tuning.sizes[0];
    let fastest = size.ms.iter().map(|ms| ms.expect("a time")).fold(f64::INFINITY, f64::min);
    assert_eq!(size.chosen.and_then(|build| size.ms[build]), Some(fastest), "{tuning}");
    assert!(!size.from_cache && tuning.to_string().contains("* TILE="), "{tuning}");

    // Another size is measured for itself.
    kernel.launch(args![50, 1.0, &mut u]).expect("it runs");
    assert_eq!(kernel.tuning().expect("it is tuned").sizes.len(), 2);

    // Another device, as one of another process, finds the choice.
    let other = open(directory.path());
    let kernel = add(&other, "tune: {TILE: [1, 64, 1024]}").expect("it is in the cache");
    let mut v = other.malloc_filled(5000, 0.0_f64).expect("there is memory");
    kernel.launch(args![5000, 1.0, &mut v]).expect("it runs");
    let found = kernel.tuning().expect("it is tuned");
    assert!(found.sizes[0].from_cache && found.sizes[0].chosen == size.chosen, "{found}");
}

#[test]
fn recorded_launches_take_the_best_build_so_far() {
    let directory = tempfile::tempdir().expect("a directory");
    let device = open(directory.path());
    let Some(kernel) = add(&device, "tune: {TILE: [32, 256]}") else { return };
    let mut u = device.malloc_filled(100, 0.0_f64).expect("there is memory");
    let mut graph = device.record(|r| r.launch(&kernel, args![100, 2.0, &mut u]).map(drop)).expect("it is recorded");
    graph.replay(3).expect("it runs");
    assert_eq!(u.to_vec().expect("it copies"), [6.0; 100]);
    // SAFETY: it does not leave `u`.
    let unchecked = unsafe { kernel.assume_in_bounds() }.expect("it builds");
    assert_eq!(unchecked.tuning().expect("it is tuned").builds.len(), 2);
    unchecked.launch(args![100, 1.0, &mut u]).expect("it runs");
    assert_eq!(u.to_vec().expect("it copies"), [7.0; 100]);
}

#[test]
fn compilers_are_chosen_from_and_one_that_is_missing_is_left_out() {
    let directory = tempfile::tempdir().expect("a directory");
    let device = open(directory.path());
    let Some(kernel) = add(&device, "defines: {TILE: 64}, tune: {compiler: [cc, no-such-compiler]}") else { return };
    let tuning = kernel.tuning().expect("it is tuned");
    assert_eq!(tuning.builds, ["compiler=cc"]);
    assert!(tuning.to_string().contains("compiler=no-such-compiler: left out: "), "{tuning}");
    let mut u = device.malloc_filled(100, 0.0_f64).expect("there is memory");
    kernel.launch(args![100, 2.0, &mut u]).expect("it runs");
    assert_eq!(u.to_vec().expect("it copies"), [2.0; 100]);
}

fn refusal(props: &str) -> Error {
    let directory = tempfile::tempdir().expect("a directory");
    build(&open(directory.path()), props).expect_err(props)
}

#[test]
fn bad_lists_are_refused() {
    for (props, expected) in [
        ("tune: 3", "property `tune` takes lists of values by macro, {TILE: [64, 128, 256]}, got an integer"),
        ("tune: {TILE: 64}", "property `tune`: `TILE` takes a list of values, got an integer"),
        ("tune: {TILE: []}", "property `tune`: the list of `TILE` is empty"),
        (
            "tune: {A: [1, 2, 3, 4], B: [1, 2, 3, 4], C: [1, 2, 3, 4, 5]}",
            "property `tune`: there are more than 64 combinations of its values",
        ),
    ] {
        let text = refusal(props).to_string();
        assert!(text.contains(expected), "{props}: {text}");
    }
    let text = refusal("tune: {TILE: ['?', '!']}").to_string();
    assert!(text.contains("TILE=?"), "{text}");
}

#[test]
fn builds_take_the_same_arguments() {
    let source =
        "@kernel void k(const T n, int *u) { for (int i = 0; i < 1; ++i; @tile(1, @outer, @inner)) u[i] = (int)n; }";
    let directory = tempfile::tempdir().expect("a directory");
    let device = open(directory.path());
    if add(&device, "defines: {TILE: 1}").is_none() {
        return;
    }
    let error = device.build_kernel_from_string(source, "k", "tune: {T: [int, long]}").expect_err("they differ");
    assert!(error.to_string().contains("`k` takes other arguments with T=long than with T=int"), "{error}");
}

#[test]
fn a_translation_is_of_one_build() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.okl");
    std::fs::write(&path, SOURCE).expect("a file");
    let error = open(directory.path()).translate(&path, "tune: {TILE: [1, 2]}").expect_err("which one?");
    assert!(error.to_string().contains("give its macros in `defines`"), "{error}");
}

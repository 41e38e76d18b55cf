//! What only this mode does: it says what a kernel did wrong, and where.

use ferrocca_backend_reference::REFERENCE;
use ferrocca_core::{BuildOrigin, Device, Error, ErrorKind, Memory, args};

const SOURCE: &str = "
@kernel void past(const int n, const float *u, float *v) {
  for (int block = 0; block < n; block += 4; @outer) {
    for (int i = block; i < block + 4; ++i; @inner) {
      v[i] = u[i + (int)u[i]];
    }
  }
}

@kernel void race(const int n, int *sum) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
    sum[0] += i;
  }
}

@kernel void shared(const int n, double *out) {
  for (int group = 0; group < n; ++group; @outer) {
    @shared double kept[4];
    for (int i = 0; i < 4; ++i; @inner) {
      if (i > 0) kept[i] = i;
    }
    for (int i = 0; i < 4; ++i; @inner) {
      out[4 * group + i] = kept[i];
    }
  }
}

@kernel void twice(const int n, double *u) {
  const double nan = 0.0 / 0.0, huge = 1e308 * 10.0;
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
    u[i] = u[i] < huge ? 2.0 * u[i] : nan;
  }
  if (n > 2) {
    const int half = n / 2;
    for (int i = 0; i < half; ++i; @tile(2, @outer, @inner)) {
      u[half + i] += half;
    }
  }
}
";

fn device() -> Device {
    Device::open_with(&REFERENCE, ()).expect("it is always there")
}

/// Launches and answers the diagnostics.
fn refused(result: Result<(), Error>) -> String {
    let error = result.expect_err("the kernel is wrong");
    match error.kind() {
        ErrorKind::Fault { diagnostics } | ErrorKind::OutOfBounds { message: diagnostics } => diagnostics.clone(),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn check(diagnostics: &str, expected: &[&str]) {
    for text in expected {
        assert!(diagnostics.contains(text), "`{text}` is missing in:\n{diagnostics}");
    }
}

#[test]
fn an_index_out_of_bounds_is_told_with_line_item_and_length() {
    let device = device();
    let past = device.build_kernel_from_string(SOURCE, "past", ()).expect("it compiles");
    let u = device.malloc_from(&[1.0_f32; 8]).expect("memory");
    let mut v = device.malloc::<f32>(8).expect("memory");
    let told = refused(past.launch(args![8, &u, &mut v]));
    check(
        &told,
        &["<string>:5:14: error: `u[8]` is out of bounds: `u` has 8 elements (group [1, 0, 0], item [3, 0, 0])"],
    );
    // What ran before is there, and the device goes on.
    assert_eq!(v.slice(..7).expect("a part").to_vec().expect("a copy"), [1.0; 7]);
    past.launch(args![4, &u, &mut v]).expect("four items stay inside");
    // A slice is as long as it is, whatever lies behind it.
    let told = refused(past.launch(args![4, &u.slice(..4).expect("a part"), &mut v]));
    check(&told, &["`u[4]` is out of bounds: `u` has 4 elements (group [0, 0, 0], item [3, 0, 0])"]);
}

#[test]
fn items_that_race_are_told_with_both_places() {
    let device = device();
    let race = device.build_kernel_from_string(SOURCE, "race", ()).expect("it compiles");
    let mut sum = device.malloc_from(&[0]).expect("memory");
    race.launch(args![1, &mut sum]).expect("one item has nobody to race with");
    let told = refused(race.launch(args![2, &mut sum]));
    check(
        &told,
        &[
            "<string>:12:5: error: race",
            "`sum`",
            "group [0, 0, 0], item [0, 0, 0]",
            "hint: ",
            "write `@atomic` before each update",
        ],
    );
}

#[test]
fn memory_that_nobody_wrote_is_not_read() {
    let device = device();
    let shared = device.build_kernel_from_string(SOURCE, "shared", ()).expect("it compiles");
    let mut out = device.malloc::<f64>(4).expect("memory");
    let told = refused(shared.launch(args![1, &mut out]));
    check(&told, &["<string>:23:28: error: `kept` is read before it was written (group [0, 0, 0], item [0, 0, 0])"]);

    let twice = device.build_kernel_from_string(SOURCE, "twice", ()).expect("it compiles");
    let mut u = device.malloc::<f64>(4).expect("memory");
    u.copy_from_at(0, &[1.0, 2.0]).expect("a copy");
    let told = refused(twice.launch(args![4, &mut u]));
    check(&told, &["<string>:31:12: error: `u` is read before it was written (group [0, 0, 0], item [2, 0, 0])"]);
    // A copy of what was not written is not written either; what a kernel, a copy or a fill wrote is.
    let mut copied = device.malloc::<f64>(4).expect("memory");
    copied.copy_from_memory(&u).expect("a copy");
    check(&refused(twice.launch(args![4, &mut copied])), &["`u` is read before"]);
    copied.fill(3.0).expect("a fill");
    twice.launch(args![4, &mut copied]).expect("all of it is there");
    assert_eq!(copied.to_vec().expect("a copy"), [6.0, 6.0, 8.0, 8.0]);
    // What the host does with an address is not seen: all of it counts as written.
    let ways: [fn(&Memory<f64>) -> bool; 3] =
        [|u| u.mapped().is_some(), |u| !u.ptr().is_null(), |u| u.handle().is_some()];
    for gives_address in ways {
        let mut seen = device.malloc::<f64>(4).expect("memory");
        assert!(gives_address(&seen.slice(1..3).expect("a part")));
        twice.launch(args![4, &mut seen]).expect("it counts as written");
        assert_eq!(seen.to_vec().expect("a copy"), [0.0, 0.0, 2.0, 2.0]);
    }
}

#[test]
fn the_cache_keeps_all_that_runs_and_tells() {
    let directory = tempfile::tempdir().expect("a directory");
    let props = format!("cache_dir='{}'", directory.path().display());
    let build = |name| {
        let device = Device::open_with(&REFERENCE, props.as_str()).expect("it is always there");
        let kernel = device.build_kernel_from_string(SOURCE, name, ()).expect("it compiles");
        (device, kernel)
    };
    assert_eq!(*build("twice").1.origin(), BuildOrigin::Compiled { not_cached: None });
    let (device, twice) = build("twice");
    assert_eq!(*twice.origin(), BuildOrigin::Disk);
    let mut u = device.malloc_from(&[1.0, f64::INFINITY, f64::NAN, 4.0]).expect("memory");
    twice.launch(args![4, &mut u]).expect("it runs");
    let got = u.to_vec().expect("a copy");
    assert!(got[0] == 2.0 && got[1].is_nan() && got[2].is_nan() && got[3] == 10.0, "{got:?}");
    let (device, past) = build("past");
    let mut v = device.malloc::<f32>(4).expect("memory");
    let u = device.malloc_from(&[1.0_f32; 4]).expect("memory");
    check(&refused(past.launch(args![4, &u, &mut v])), &["<string>:5:14: error", "v[i] = u[i + (int)u[i]];"]);
}

#[test]
fn a_comment_more_moves_the_lines_of_faults() {
    let device = device();
    let moved = format!("// One line more.\n{SOURCE}");
    let past = device.build_kernel_from_string(&moved, "past", ()).expect("it compiles");
    let u = device.malloc_from(&[1.0_f32; 4]).expect("memory");
    let mut v = device.malloc::<f32>(4).expect("memory");
    check(&refused(past.launch(args![4, &u, &mut v])), &["<string>:6:14: error"]);
}

//! What is particular to WebGPU: its limits, host memory, byte-exact copies, and errors that arrive late.

use ferrocca_core::backend::Placement;
use ferrocca_core::{Arg, Device, IntoArg, args, f16};

fn device() -> Option<Device> {
    // Naming the backend links it, and it then registers itself.
    let _ = ferrocca_backend_wgpu::WGPU;
    match Device::open("mode=WebGPU") {
        Ok(device) => Some(device),
        Err(error) => {
            let required = std::env::var("FERROCCA_REQUIRE_DEVICES").unwrap_or_default();
            assert!(!required.split(',').any(|mode| mode.trim().eq_ignore_ascii_case("WebGPU")), "{error}");
            println!("skipped: {error}");
            None
        }
    }
}

const STENCIL: &str = "@kernel void step(const int n, const double *u, double *v) {
    for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) {
        if (i > 0 && i < n - 1) { v[i] = u[i] + 0.25 * (u[i + 1] - 2.0 * u[i] + u[i - 1]); } else { v[i] = u[i]; }
    }
}";

/// 240 MB: more than lavapipe's 128 MiB per binding, and more groups than one dispatch runs.
#[test]
fn thirty_million_doubles() {
    let Some(device) = device().filter(|device| device.capabilities().f64) else { return };
    let n = 30_000_000_usize;
    let host: Vec<f64> = (0..n).map(|i| (i % 1000) as f64 * 0.5).collect();
    let u = device.malloc_from(&host).expect("memory");
    let mut v = device.malloc::<f64>(n).expect("memory");
    device
        .build_kernel_from_string(STENCIL, "step", "")
        .expect("it builds")
        .launch(args![n, &u, &mut v])
        .expect("it runs");
    let got = v.to_vec().expect("results");
    for i in 0..n {
        let expected = match i {
            0 => host[0],
            _ if i == n - 1 => host[i],
            _ => host[i] + 0.25 * (host[i + 1] - 2.0 * host[i] + host[i - 1]),
        };
        assert_eq!(got[i], expected, "element {i}");
    }
}

/// Launches of one kernel, of which some have slices that start inside of their memory, queued one after the other.
#[test]
fn slices_start_where_they_do_at_every_launch() {
    let Some(device) = device() else { return };
    let source = "@kernel void next(const int n, const int *a, int *b) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { b[i] = a[i] + 1; }
    }";
    let kernel = device.build_kernel_from_string(source, "next", "").expect("it builds");
    let n = 100;
    let a = device.malloc_from(&(0..n).collect::<Vec<i32>>()).expect("memory");
    for (from, to) in [(0, 0), (5, 0), (0, 7), (3, 70), (0, 0)] {
        let mut b = device.malloc_filled(n as usize, -1).expect("memory");
        let len = (n as usize - from).min(n as usize - to) - 10;
        let (source, mut target) = (a.slice(from..).expect("a slice"), b.slice(to..).expect("a slice"));
        kernel.launch(args![len, &source, &mut target]).expect("it runs");
        kernel.launch(args![1, &a, &mut b]).expect("it runs");
        let mut expected = vec![-1; n as usize];
        (0..len).for_each(|i| expected[to + i] = (from + i) as i32 + 1);
        expected[0] = 1;
        assert_eq!(b.to_vec().expect("results"), expected, "from {from} to {to}");
    }
}

/// Slices that begin in one window and end in the next, of elements that are no power of two, written in place.
#[test]
fn windows_of_large_memory_hold_slices_structs_bytes_and_halves() {
    let Some(device) = device() else { return };
    ferrocca_core::kernel_struct! {
        #[derive(PartialEq)]
        struct Cell { a: i32, b: f32, c: i32 }
    }
    let source = "struct Cell { int a; float b; int c; };
    @kernel void cells(const int n, struct Cell *p) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { p[i].c = p[i].a + 1; p[i].b += 0.5f; }
    }
    @kernel void bytes(const int n, unsigned char *p) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { if (i % 2 == 1) { p[i] += 3; } }
    }
    @kernel void halves(const int n, half *p) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { p[1001 * i] = p[1001 * i] + i % 7; }
    }
    @kernel void counts(const int n, int *p) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { @atomic p[i / 2] += 1; }
    }";
    let n = 14_000_000;
    let mut cells = device.malloc_filled(n, Cell { a: 5, b: 1.0, c: 0 }).expect("memory");
    device
        .build_kernel_from_string(source, "cells", "")
        .expect("it builds")
        .launch(args![n, &mut cells])
        .expect("it runs");
    assert!(cells.to_vec().expect("results").iter().all(|cell| *cell == Cell { a: 5, b: 1.5, c: 6 }));
    drop(cells);
    let n = 150_000_000;
    let bytes = device.malloc_filled(n, 9u8).expect("memory");
    let mut part = bytes.slice(3..n - 2).expect("a slice");
    let count = part.len();
    device
        .build_kernel_from_string(source, "bytes", "")
        .expect("it builds")
        .launch(args![count, &mut part])
        .expect("it runs");
    let got = bytes.to_vec().expect("results");
    let expected = |i: usize| if i >= 3 && i < n - 2 && (i - 3) % 2 == 1 { 12 } else { 9 };
    assert_eq!((0..n).find(|&i| got[i] != expected(i)), None);
    drop((bytes, part));
    let n = 75_000_001;
    let halves = device.malloc_filled(n, f16::from_f32(0.5)).expect("memory");
    let mut part = halves.slice(1..).expect("a slice");
    let count = part.len().div_ceil(1001);
    device
        .build_kernel_from_string(source, "halves", "")
        .expect("it builds")
        .launch(args![count, &mut part])
        .expect("it runs");
    let got = halves.to_vec().expect("results");
    let expected =
        |i: usize| if i % 1001 == 1 { f16::from_f32(0.5 + (i / 1001 % 7) as f32) } else { f16::from_f32(0.5) };
    assert_eq!((0..n).find(|&i| got[i] != expected(i)), None);
    drop((halves, part));
    let n = 70_000_000;
    let mut counts = device.malloc_filled(n / 2, 0i32).expect("memory");
    device
        .build_kernel_from_string(source, "counts", "")
        .expect("it builds")
        .launch(args![n, &mut counts])
        .expect("it runs");
    assert!(counts.to_vec().expect("results").iter().all(|count| *count == 2));
}

#[test]
fn more_arguments_than_immediates_hold() {
    let Some(device) = device() else { return };
    let names: Vec<String> = (0..60).map(|k| format!("const float a{k}")).collect();
    let sum: Vec<String> = (0..60).map(|k| format!("a{k} * {k}")).collect();
    let source = format!(
        "@kernel void many(float *out, {}) {{ for (int i = 0; i < 100; ++i; @tile(16, @outer, @inner)) {{ if (i < 100) {{ out[i] = i + {}; }} }} }}",
        names.join(", "),
        sum.join(" + ")
    );
    let kernel = device.build_kernel_from_string(&source, "many", "").expect("it builds");
    let mut out = device.malloc::<f32>(100).expect("memory");
    for round in 0..3 {
        let mut arguments: Vec<Arg<'_>> = vec![(&mut out).into_arg()];
        arguments.extend((0..60).map(|k| ((k + round) as f32).into_arg()));
        kernel.launch(&arguments).expect("it runs");
        drop(arguments);
        let expected: f32 = (0..60).map(|k| ((k + round) * k) as f32).sum();
        let got = out.to_vec().expect("results");
        assert!(got.iter().enumerate().all(|(i, value)| *value == expected + i as f32), "{got:?}, {expected}");
    }
}

#[test]
fn a_group_that_is_too_large_is_refused_with_the_limit() {
    let Some(device) = device() else { return };
    let source = "@kernel void wide(const int n, int *a) {
        for (int o = 0; o < 1; ++o; @outer) { for (int i = 0; i < n; ++i; @inner) { a[i] = i; } }
    }";
    let kernel = device.build_kernel_from_string(source, "wide", "").expect("it builds");
    let mut a = device.malloc::<i32>(5000).expect("memory");
    let most = device.capabilities().max_inner.0;
    kernel.launch(args![100, &mut a]).expect("it runs");
    kernel.launch(args![33, &mut a]).expect("another size is another pipeline");
    let error = kernel.launch(args![5000, &mut a]).expect_err("it is refused").to_string();
    assert!(error.contains("5000") && error.contains(&most.to_string()), "{error}");
}

/// One buffer that both see: neither side copies.
#[test]
fn host_memory_is_seen_by_kernels_and_the_host() {
    let Some(device) = device() else { return };
    let mut memory = match device.malloc_placed::<i32>(1000, Placement::Mapped) {
        Ok(memory) => memory,
        Err(error) => {
            assert!(error.to_string().contains("host memory"), "{error}");
            return println!("skipped: {error}");
        }
    };
    let address = memory.mapped().expect("it is mapped").as_ptr();
    // SAFETY: the memory is mapped for as long as it lives, and no kernel runs.
    let seen = unsafe { std::slice::from_raw_parts_mut(address, 1000) };
    seen.iter_mut().enumerate().for_each(|(i, value)| *value = i as i32);
    let source = "@kernel void twice(const int n, int *a) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { a[i] *= 2; }
    }";
    device
        .build_kernel_from_string(source, "twice", "")
        .expect("it builds")
        .launch(args![1000, &mut memory])
        .expect("it runs");
    device.finish().expect("it ends");
    assert!(seen.iter().enumerate().all(|(i, value)| *value == 2 * i as i32));
}

/// Every offset and length around words, within one buffer and between two.
#[test]
fn copies_move_bytes_and_leave_their_neighbours() {
    let Some(shared) = device() else { return };
    // The host's own memory needs none of what the copies of separate memory do.
    let separate = Device::open("mode=WebGPU, memory=separate").expect("it was opened before");
    check_copies(&shared);
    check_copies(&separate);
}

fn check_copies(device: &Device) {
    let host: Vec<u8> = (0..64).collect();
    for (from, to, bytes) in
        [(0, 0, 1), (1, 2, 3), (3, 3, 10), (5, 8, 16), (7, 2, 33), (4, 8, 20), (9, 9, 0), (0, 1, 40)]
    {
        let source = device.malloc_from(&host).expect("memory");
        let mut target = device.malloc_filled(64, 200u8).expect("memory");
        target
            .slice(to..to + bytes)
            .expect("a slice")
            .copy_from_memory(&source.slice(from..from + bytes).expect("a slice"))
            .expect("it copies");
        let mut expected = vec![200; 64];
        expected[to..to + bytes].copy_from_slice(&host[from..from + bytes]);
        assert_eq!(target.to_vec().expect("results"), expected, "{from} to {to}, {bytes} bytes");
        target.copy_from(&host).expect("it copies");
        target
            .slice(to..to + bytes)
            .expect("a slice")
            .copy_from_memory(&target.slice(from..from + bytes).expect("a slice"))
            .expect("it copies");
        let mut expected = host.clone();
        expected.copy_within(from..from + bytes, to);
        assert_eq!(target.to_vec().expect("results"), expected, "within one, {from} to {to}, {bytes} bytes");
        target.slice(to..to + bytes).expect("a slice").fill(7).expect("it fills");
        expected[to..to + bytes].fill(7);
        assert_eq!(target.to_vec().expect("results"), expected, "a fill at {to} of {bytes} bytes");
    }
}

/// More launches than one encoder holds, each seeing what the one before wrote.
#[test]
fn batches_keep_the_order_of_launches() {
    let Some(device) = device() else { return };
    let source = "@kernel void next(const int k, int *a) {
        for (int i = 0; i < 32; ++i; @tile(32, @outer, @inner)) { a[i] = (a[i] * 3 + k) % 1000003; }
    }";
    let kernel = device.build_kernel_from_string(source, "next", "").expect("it builds");
    let mut a = device.malloc_filled(32, 1i32).expect("memory");
    let mut expected = 1;
    for k in 0..2500 {
        kernel.launch(args![k, &mut a]).expect("it runs");
        expected = (expected * 3 + k) % 1_000_003;
    }
    assert_eq!(a.to_vec().expect("results"), [expected; 32]);
}

/// A descriptor that another API can import, where the driver has such.
#[test]
fn memory_is_exported_as_a_descriptor() {
    let Some(device) = device() else { return };
    let plain = device.malloc_filled(100, 3i32).expect("memory");
    let error = device.export_memory(plain.untyped()).expect_err("it was not allocated for that").to_string();
    assert!(error.contains("exportable"), "{error}");
    let exporting = Device::open("mode=WebGPU, exportable=true").expect("it was opened before");
    let memory = match exporting.malloc_filled(100, 3i32) {
        Ok(memory) => memory,
        Err(error) => return println!("skipped: {error}"),
    };
    assert_eq!(memory.to_vec().expect("results"), [3; 100]);
    match exporting.export_memory(memory.untyped()) {
        Ok(exported) => println!("{exported:?}"),
        Err(error) => assert!(error.to_string().contains("vkGetMemoryFdKHR"), "{error}"),
    }
}

/// A driver that was unloaded with its last device would be called at the end of each thread that used it.
#[test]
fn threads_end_after_their_devices() {
    let source = "@kernel void one(const int n, float *x) {
        for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) { x[i] += 1.0f; }
    }";
    for _ in 0..3 {
        let threads = [(); 4].map(|()| {
            std::thread::spawn(move || {
                let Some(device) = device() else { return };
                let mut x = device.malloc_filled(100, 1.0_f32).expect("memory");
                let kernel = device.build_kernel_from_string(source, "one", "").expect("it builds");
                kernel.launch(args![100, &mut x]).expect("it runs");
                assert_eq!(x.to_vec().expect("results"), [2.0; 100]);
            })
        });
        for thread in threads {
            thread.join().expect("its device works");
        }
    }
}

#[test]
fn memory_beyond_the_largest_buffer_is_refused_with_the_limit() {
    let Some(device) = device() else { return };
    let error = device.malloc::<u8>(1 << 50).expect_err("no buffer is so large").to_string();
    assert!(error.contains("one buffer of this device holds at most "), "{error}");
}

#[test]
fn loops_that_the_driver_ends_are_told_with_their_number() {
    let Some(device) = device() else { return };
    let Some(most) = device.capabilities().max_loop_iterations else { return };
    let source = "@kernel void long_loop(const int n, int *a) {
        for (int i = 0; i < 1; ++i; @tile(1, @outer, @inner)) {
          int x = a[i]; for (int k = 0; k < n; ++k) { x = x * 3 + k; } a[i] = x;
        }
    }";
    let kernel = device.build_kernel_from_string(source, "long_loop", "").expect("it is built");
    let mut memory = device.malloc_from(&[1_i32]).expect("it is allocated");
    let ran = kernel.launch(args![1_000_000, &mut memory]).and_then(|()| device.finish());
    let expected =
        format!("kernel `long_loop`: an item whose loops run more than {most} iterations is not supported: ");
    let error = ran.expect_err("the driver ends the loop").to_string();
    assert!(error.starts_with(&expected), "{error}");
}

#[test]
fn groups_of_too_many_items_are_refused_with_the_limits() {
    let Some(device) = device() else { return };
    let (most, axes) = device.capabilities().max_inner;
    let source = "@kernel void wide(const int n, int *a) {
        for (int i = 0; i < n; ++i; @tile(100000, @outer, @inner)) { a[i] = i; }
    }";
    let error = device.build_kernel_from_string(source, "wide", "").expect_err("the group is too large").to_string();
    let limits =
        format!("this device takes at most {most}, and at most {}, {}, {} along axes", axes[0], axes[1], axes[2]);
    assert!(error.starts_with("<string>:2:"), "{error}");
    assert!(error.contains(": kernel `wide` is not supported: its groups have 100000 items"), "{error}");
    assert!(error.contains(&limits), "{error}");
}

//! Launches on the null device: what reaches the backend, what is allocated, what sizes are refused.

mod arguments;
mod proofs;

use ferrocca_conformance::null::{Call, LaunchArgument, NullBackend};
use ferrocca_core::{Arg, Device, Kernel, Result, args};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts the allocations of each thread by itself, so that tests beside this one do not disturb.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's duties are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's duties are the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// One nest over `(n + 255) / 256` groups of 256, whose items use everything.
const BURGERS: &str =
    "@kernel void k(const int n, const double c1, @restrict const double *u_prev, @restrict double *u) {
    for (int b = 0; b < (n + 255) / 256; ++b; @outer) {
        for (int i = 0; i < 256; ++i; @inner) { if (256 * b + i < n) u[256 * b + i] = c1 * u_prev[256 * b + i]; }
    }
}";

fn build(device: &Device, source: &str) -> Result<Kernel> {
    device.build_kernel_from_string(source, "k", ())
}

/// A kernel of these parameters that starts one group of one item.
fn with_parameters(parameters: &str) -> String {
    format!(
        "@kernel void k({parameters}) {{ for (int b = 0; b < 1; ++b; @outer) for (int i = 0; i < 1; ++i; @inner) {{}} }}"
    )
}

/// A kernel of these groups and items, with attributes before it.
fn with_sizes(attributes: &str, groups: &str, items: &str) -> String {
    format!(
        "{attributes} @kernel void k(const int n, const double c1, const double *u_prev, double *u) {{
            for (long b = 0; b < {groups}; ++b; @outer) for (long i = 0; i < {items}; ++i; @inner) {{ u[i] = c1; }}
        }}"
    )
}

fn open() -> (NullBackend, Device) {
    let backend = NullBackend::new();
    let device = Device::open_with(&backend, ()).unwrap();
    backend.record_launches();
    (backend, device)
}

/// What a launch of a kernel with these parameters answers: `ok`, or the error's text.
fn outcome<'a>(device: &Device, parameters: &str, arguments: impl AsRef<[Arg<'a>]>) -> String {
    let kernel = build(device, &with_parameters(parameters)).unwrap();
    kernel.launch(arguments).map_or_else(|error| error.to_string(), |()| "ok".to_string())
}

#[test]
fn sizes_and_arguments_reach_the_backend() {
    let (backend, device) = open();
    let kernel = build(&device, BURGERS).unwrap();
    let u_prev = device.malloc::<f64>(513).unwrap();
    let mut u = device.malloc::<f64>(523).unwrap();
    kernel.launch(args![300, 0.5, &u_prev, &mut u.slice(10..).unwrap()]).unwrap();
    kernel.launch(args![300usize, 0.5f32, &u_prev, &mut u]).unwrap();
    let stream = device.create_stream().unwrap();
    kernel.launch_on(&stream, args![513i64, 1, &u_prev, &mut u]).unwrap();
    let launches = backend.launches();
    assert_eq!((launches[0].dims.outer, launches[0].dims.inner), ([2, 1, 1], [256, 1, 1]));
    let (a, b) = (u_prev.handle().unwrap().raw(), u.handle().unwrap().raw());
    let expected = vec![
        LaunchArgument::Value(300i32.to_ne_bytes().to_vec()),
        LaunchArgument::Value(0.5f64.to_ne_bytes().to_vec()),
        LaunchArgument::Memory(Some(a), 0, 4104, false),
        LaunchArgument::Memory(Some(b), 80, 4104, true),
    ];
    assert_eq!(launches[0].arguments, expected);
    assert_eq!(launches[1].arguments[..3], expected[..3], "values arrive in the parameter's own type");
    assert_eq!((launches[0].stream, launches[2].stream), (0, stream.handle()));
}

#[test]
fn the_current_stream_is_each_threads_own() {
    let (backend, device) = open();
    let kernel = build(&device, &with_parameters("")).unwrap();
    let stream = device.create_stream().unwrap();
    device.set_stream(&stream).unwrap();
    kernel.launch(args![]).unwrap();
    std::thread::scope(|scope| scope.spawn(|| kernel.launch(args![]).unwrap()).join().unwrap());
    device.set_stream(&device.default_stream()).unwrap();
    kernel.launch(args![]).unwrap();
    let streams: Vec<u64> = backend.launches().iter().map(|launch| launch.stream).collect();
    assert_eq!(streams, [stream.handle(), 0, 0]);
}

#[test]
fn a_launch_allocates_nothing() {
    let backend = NullBackend::new();
    let device = Device::open_with(&backend, ()).unwrap();
    let kernel = build(&device, BURGERS).unwrap();
    let (u_prev, mut u) = (device.malloc::<f64>(258).unwrap(), device.malloc::<f64>(258).unwrap());
    let stream = device.create_stream().unwrap();
    let before = ALLOCATIONS.get();
    for n in 0..100 {
        kernel.launch(args![n, 0.5, &u_prev, &mut u]).unwrap();
        kernel.launch_on(&stream, args![n as i64, 0.5f32, &u_prev, &mut u]).unwrap();
    }
    assert_eq!(ALLOCATIONS.get() - before, 0);
    assert_eq!(backend.count(Call::Launch), 198, "both loops but the two launches of nothing");
    // The counter counts: this would be seen.
    drop(std::hint::black_box(vec![1u8]));
    assert_eq!(ALLOCATIONS.get() - before, 1);
}

#[test]
fn several_nests_with_host_variables_allocate_nothing_either() {
    let backend = NullBackend::new();
    let device = Device::open_with(&backend, ()).unwrap();
    let source =
        BURGERS.replace("    for (int b", "for (int s = 0; s < 3; ++s) for (int b").replace("c1 *", "s * c1 *");
    let kernel = build(&device, &source).unwrap();
    let (u_prev, mut u) = (device.malloc::<f64>(258).unwrap(), device.malloc::<f64>(258).unwrap());
    kernel.launch(args![258, 0.5, &u_prev, &mut u]).unwrap();
    let before = ALLOCATIONS.get();
    kernel.launch(args![258, 0.5, &u_prev, &mut u]).unwrap();
    assert_eq!(ALLOCATIONS.get() - before, 0);
    backend.record_launches();
    kernel.launch(args![258, 0.5, &u_prev, &mut u]).unwrap();
    let slots: Vec<_> = backend.launches().iter().map(|launch| launch.arguments[4].clone()).collect();
    assert_eq!(slots, [0i32, 1, 2].map(|value| LaunchArgument::Value(value.to_ne_bytes().to_vec())));
}

#[test]
fn a_launch_of_nothing_does_nothing_but_check() {
    let (backend, device) = open();
    let kernel = build(&device, BURGERS).unwrap();
    let (u_prev, mut u) = (device.malloc::<f64>(0).unwrap(), device.malloc::<f64>(0).unwrap());
    for n in [0, -1, i32::MIN] {
        kernel.launch(args![n, 0.5, &u_prev, &mut u]).unwrap();
    }
    assert_eq!(backend.launches(), []);
    assert!(kernel.launch(args![0, 0.5, &u_prev, &u]).is_err());
}

#[test]
fn bounds_that_have_no_value_or_are_too_large_are_errors() {
    let (_, device) = open();
    let launch = |source: &str, n: i32| {
        let (u_prev, mut u) = (device.malloc::<f64>(1).unwrap(), device.malloc::<f64>(1).unwrap());
        build(&device, source).unwrap().launch(args![n, 0.5, &u_prev, &mut u]).unwrap_err().to_string()
    };
    assert_eq!(
        launch(BURGERS, i32::MAX),
        "kernel `k`: <string>:2:10: the bound of an `@outer` loop: the result does not fit `int`"
    );
    assert_eq!(
        launch(&with_sizes("", "1 / n", "1"), 0),
        "kernel `k`: <string>:2:18: the bound of an `@outer` loop: integer division by zero because `n` is 0"
    );
    assert_eq!(
        launch(&with_sizes("", "1", "8 % (4 - n)"), 4),
        "kernel `k`: <string>:2:55: the bound of an `@inner` loop: integer division by zero because `n` is 4"
    );
    assert_eq!(
        launch(&with_sizes("", "1", "n"), 2000),
        "this launch of kernel `k` is not supported: <string>:2:55: 2000 items of a group along axis 0 were requested; at most 1024 are possible: make the tile or the `@inner` loops smaller"
    );
    assert_eq!(
        launch(&with_sizes("", "1", "n"), 600),
        "this launch of kernel `k` is not supported: <string>:2:55: a group has 600 items; this kernel allows 512: make the tile or the `@inner` loops smaller"
    );
    let huge = with_sizes("", "(long) 1 << 40", "1");
    assert_eq!(
        launch(&huge, 1),
        "this launch of kernel `k` is not supported: <string>:2:18: 1099511627776 groups along axis 0 were requested; at most 2147483648 are possible"
    );
    assert_eq!(
        launch(&huge.replace("for (long i", "for (long c = 0; c < (long) 1 << 40; ++c; @outer) for (long i"), 1),
        "kernel `k`: <string>:2:68: the bound of an `@outer` loop: the sizes of all axes together overflow 64 bits"
    );
    assert_eq!(
        launch(&with_sizes("@max_inner_dims(128)", "1", "n"), 200),
        "this launch of kernel `k` is not supported: <string>:2:55: 200 items of a group along axis 0 were requested; at most 128 are possible: make the tile or the `@inner` loops smaller"
    );
    let shared = "@kernel void k(double *u) {
        for (int b = 0; b < 1; ++b; @outer) {
            @shared double s[131072];
            for (int i = 0; i < 2; ++i; @inner) s[i] = u[i];
            for (int i = 0; i < 2; ++i; @inner) u[i] = s[1 - i];
        }
    }";
    assert_eq!(
        build(&device, shared).unwrap_err().to_string(),
        "kernel `k` is not supported: it needs 1048576 bytes of shared memory per group, the device has 49152: make its `@shared` arrays smaller"
    );
}

#[test]
fn a_failed_launch_says_which_kernel() {
    let (backend, device) = open();
    let kernel = build(&device, &with_parameters("")).unwrap();
    backend.fail(Call::Launch, 1);
    assert_eq!(
        kernel.launch(args![]).unwrap_err().to_string(),
        "launching `k`: null: injected failure of Launch number 1"
    );
    kernel.launch(args![]).unwrap();
}

#[test]
fn profiles_leave_out_what_a_launch_builds() {
    let (backend, cache) = (NullBackend::new(), tempfile::tempdir().unwrap());
    let props = format!("profile=true, cache_dir='{}'", cache.path().display());
    let device = Device::open_with(&backend, props.as_str()).unwrap();
    let source = "@kernel void k(const int n, const unsigned int factor, double *y) {
      for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) {
        const unsigned int hash = (unsigned int)i * factor;
        y[hash % 100u] = 1.0;
      }
    }";
    let kernel = build(&device, source).unwrap();
    let mut y = device.malloc::<f64>(100).unwrap();
    backend.set_compile_time(std::time::Duration::from_millis(300));
    // What wraps around is not proven: a kernel with checks is built for this launch.
    kernel.launch(args![1000, u32::MAX, &mut y]).unwrap();
    assert_eq!(backend.count(Call::Compile), 2);
    let row = &device.profile().unwrap().kernels[0];
    assert!(row.count == 1 && row.total_seconds < 0.2, "{row:?}");
}

#[test]
fn profiles_count_time_and_bytes() {
    let backend = NullBackend::new();
    let device = Device::open_with(&backend, "profile=true").unwrap();
    let kernel = build(&device, BURGERS).unwrap();
    let (u_prev, mut u) = (device.malloc::<f64>(1000).unwrap(), device.malloc::<f64>(1000).unwrap());
    for _ in 0..3 {
        kernel.launch(args![1000, 0.5, &u_prev, &mut u]).unwrap();
    }
    device.set_profiling(false);
    kernel.launch(args![1000, 0.5, &u_prev, &mut u]).unwrap();
    let profile = device.profile().unwrap();
    let row = &profile.kernels[0];
    assert_eq!((profile.kernels.len(), row.name.as_str(), row.count, row.bytes), (1, "k", 3, 48_000));
    assert!(
        row.min_seconds <= row.mean_seconds()
            && row.mean_seconds() <= row.max_seconds
            && row.total_seconds >= row.max_seconds
    );
    assert!(profile.to_string().starts_with("kernel       count"), "{profile}");
    assert!(profile.to_string().lines().nth(1).unwrap().starts_with("k                3"), "{profile}");
    device.reset_profile();
    let empty = device.profile().unwrap();
    assert_eq!(empty.kernels, []);
    assert_eq!(empty.to_string(), "(no launch was timed: open the device with `profile=true`)\n");
}

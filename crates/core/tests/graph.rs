//! Graphs on the null device: what reaches the backend, what is allocated, and what a failure leaves behind.

use ferrocca_conformance::null::{Call, LaunchArgument, NullBackend};
use ferrocca_core::backend::GraphReplay;
use ferrocca_core::{Device, ErrorKind, Kernel, args};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts the allocations of each thread by itself.
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

const SOURCE: &str = "@kernel void step(const int n, const double c, const double *u, double *v) {
    for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { v[i] = c * u[i]; }
    for (int i = 0; i < n / 2; ++i; @tile(64, @outer, @inner)) { v[i] += c; }
}";

fn open() -> (NullBackend, Device, Kernel, tempfile::TempDir) {
    let backend = NullBackend::new();
    let cache = tempfile::tempdir().unwrap();
    let mut props = ferrocca_core::Props::new();
    props.set("cache_dir", cache.path().display().to_string());
    let device = Device::open_with(&backend, props).unwrap();
    let kernel = device.build_kernel_from_string(SOURCE, "step", ()).unwrap();
    (backend, device, kernel, cache)
}

#[test]
fn phases_reach_a_backend_that_leaves_replays_to_core() {
    let (backend, device, kernel, _cache) = open();
    let (mut u, mut v) = (device.malloc::<f64>(100).unwrap(), device.malloc::<f64>(100).unwrap());
    let mut ring = device.malloc::<f64>(600).unwrap();
    let mut graph = device
        .record(|r| {
            r.launch(&kernel, args![100, 0.5, &u, &mut v])?;
            r.snapshot(&v, &mut ring)?;
            r.rotate([&u, &v])
        })
        .unwrap();
    assert_eq!((backend.count(Call::LowerGraph), backend.count(Call::Launch)), (1, 0));
    backend.record_launches();
    graph.replay_rotating(3, [&mut u, &mut v]).unwrap();
    assert_eq!((backend.count(Call::Launch), backend.count(Call::Copy)), (6, 3));
    let read = |index: usize| match backend.launches()[index].arguments[2] {
        LaunchArgument::Memory(Some(handle), ..) => handle,
        ref other => panic!("{other:?}"),
    };
    // The first nest of each repetition reads the source, which alternates; after an odd number the handles are swapped.
    let (first, second) = (v.handle().unwrap().raw(), u.handle().unwrap().raw());
    assert_eq!([0, 2, 4].map(read), [first, second, first]);
}

#[test]
fn a_backend_that_lowers_graphs_gets_replays_and_values() {
    let (backend, device, kernel, _cache) = open();
    backend.set_lowers_graphs(true);
    let memory = || device.malloc::<f64>(100).unwrap();
    let (mut u, mut v, mut a, mut b, mut c) = (memory(), memory(), memory(), memory(), memory());
    let mut ring = device.malloc::<f64>(1000).unwrap();
    let mut graph = device
        .record(|r| {
            r.fill(&mut a, 1.0)?;
            r.launch(&kernel, args![100, 0.5, &u, &mut v])?;
            r.rotate([&u, &v])?;
            r.snapshot(&v, &mut ring)?;
            r.rotate([&a, &b, &c])?;
            r.launch(&kernel, args![100, 0.25, &v, &mut u]).map(drop)
        })
        .unwrap();
    let stream = device.create_stream().unwrap();
    graph.replay_rotating(4, ([&mut u, &mut v], [&mut a, &mut b, &mut c])).unwrap();
    graph.set_first_slot(2);
    graph.set_argument(1, "c", 0.125).unwrap();
    graph.replay_rotating_on(&stream, 1, ([&mut u, &mut v], [&mut a, &mut b, &mut c])).unwrap();
    graph.replay_rotating(0, ([&mut u, &mut v], [&mut a, &mut b, &mut c])).unwrap();
    let (replays, values) = backend.replays();
    let asked: Vec<_> = replays.iter().map(|r| (r.phases, r.commands, r.replay, r.stream)).collect();
    let replay = |first_phase, first_slot, times| GraphReplay { first_phase, first_slot, times };
    assert_eq!(asked, [(6, 6, replay(0, 0, 4), 0), (6, 6, replay(4, 2, 1), stream.handle())]);
    // The second launch is the commands 4 and 5, after a fill, two nests and a copy.
    let value = 0.125f64.to_ne_bytes().to_vec();
    assert_eq!(values, [(4, 1, value.clone()), (5, 1, value)]);
    assert_eq!((backend.count(Call::Launch), backend.count(Call::Copy)), (0, 0));
}

#[test]
fn a_replay_allocates_nothing() {
    let (_backend, device, kernel, _cache) = open();
    let (mut u, mut v) = (device.malloc::<f64>(100).unwrap(), device.malloc::<f64>(100).unwrap());
    let mut graph = device
        .record(|r| {
            r.launch(&kernel, args![100, 0.5, &u, &mut v])?;
            r.rotate([&u, &v])
        })
        .unwrap();
    graph.replay_rotating(1, [&mut u, &mut v]).unwrap();
    let before = ALLOCATIONS.get();
    graph.replay_rotating(100, [&mut u, &mut v]).unwrap();
    graph.replay_rotating(1, [&mut u, &mut v]).unwrap();
    assert_eq!(ALLOCATIONS.get() - before, 0);
}

#[test]
fn failures_are_reported_and_leave_the_handles() {
    let (backend, device, kernel, _cache) = open();
    let (mut u, mut v) = (device.malloc::<f64>(100).unwrap(), device.malloc::<f64>(100).unwrap());
    let before = u.handle();
    for lowers in [false, true] {
        backend.set_lowers_graphs(lowers);
        backend.fail(Call::LowerGraph, 1);
        let record = |u: &ferrocca_core::Memory<f64>, v: &mut ferrocca_core::Memory<f64>| {
            device.record(|r| {
                r.launch(&kernel, args![100, 0.5, u, &mut *v])?;
                r.rotate([u, &*v])
            })
        };
        assert!(matches!(record(&u, &mut v).map(drop).unwrap_err().kind(), ErrorKind::Driver { .. }));
        let mut graph = record(&u, &mut v).unwrap();
        backend.fail(if lowers { Call::Replay } else { Call::Launch }, 2);
        let outcome = graph.replay_rotating(1, [&mut u, &mut v]);
        let outcome = if lowers { graph.replay_rotating(1, [&mut u, &mut v]) } else { outcome };
        let error = outcome.unwrap_err().to_string();
        assert!(error.contains("replaying a graph of step") && error.contains("injected"), "{error}");
        // A second rotation that failed leaves what the first one made.
        if lowers {
            std::mem::swap(&mut u, &mut v);
        }
        assert_eq!(u.handle(), before);
        backend.fail(Call::UpdateValue, 1);
        assert_eq!(graph.set_argument(0, "c", 1.0).is_err(), lowers);
    }
}

#[test]
fn a_graph_holds_memory_in_the_accounts() {
    let (_backend, device, kernel, _cache) = open();
    let allocated = device.memory_allocated();
    let (u, mut v) = (device.malloc::<f64>(100).unwrap(), device.malloc::<f64>(100).unwrap());
    let graph = device.record(|r| r.launch(&kernel, args![100, 0.5, &u, &mut v]).map(drop)).unwrap();
    drop((u, v));
    assert_eq!(device.memory_allocated() - allocated, 1600);
    drop(graph);
    assert_eq!(device.memory_allocated(), allocated);
}

#[test]
fn a_profile_counts_replays() {
    let (_backend, device, kernel, _cache) = open();
    device.set_profiling(true);
    let (u, mut v) = (device.malloc::<f64>(100).unwrap(), device.malloc::<f64>(100).unwrap());
    let mut graph = device
        .record(|r| {
            r.launch(&kernel, args![100, 0.5, &u, &mut v])?;
            r.launch(&kernel, args![100, 0.5, &u, &mut v])?;
            r.copy(&mut v, &u)
        })
        .unwrap();
    graph.replay(10).unwrap();
    graph.replay(5).unwrap();
    let profile = device.profile().unwrap();
    let row = &profile.kernels[0];
    assert_eq!((profile.kernels.len(), row.name.as_str(), row.count), (1, "graph of step", 2));
    assert_eq!(row.bytes, 15 * 3 * 1600);
}

#[test]
fn an_error_of_the_closure_is_the_answer() {
    let (_backend, device, _kernel, _cache) = open();
    let error = device.record(|_| Err(ferrocca_core::Error::invalid("not today"))).map(drop).unwrap_err();
    assert_eq!(error.to_string(), "not today");
}

#[test]
fn modes_whose_streams_are_no_library_s_refuse_its_work() {
    let (_backend, device, _, _cache) = open();
    let u = device.malloc::<f64>(10).unwrap();
    let error = device.stream().queue_native(|_| panic!("it is not called")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
    // A closure that ignores the error makes no graph that lacks the work.
    let record = |ignored: bool| {
        device.record(|r| {
            let recorded = r.native(&[u.untyped()], &[], |_, _, _| panic!("it is not called"));
            if ignored { Ok(()) } else { recorded }
        })
    };
    for ignored in [false, true] {
        let error = record(ignored).unwrap_err().to_string();
        assert!(error.contains("work of another library") && error.contains("`Null`"), "{error}");
    }
}

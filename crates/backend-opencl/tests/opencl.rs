//! What only this backend has: memory that the host and kernels share, queues without an order, objects of the driver,
//! recorded graphs, limits that are told.

mod support;

use ferrocca_core::backend::{Api, NativeHandle, Placement};
use ferrocca_core::{BuildOrigin, Device, ErrorKind, Kernel, Memory, args};
use support::device;

/// `y[i] = a * x[i] + y[i]`, with enough work that a missing dependency shows.
const AXPY: &str = "@kernel void axpy(const int n, const double a, const double *x, double *y) {
    for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {
        y[i] = a * x[i] + y[i];
    }
}";

fn axpy(device: &Device) -> Kernel {
    device.build_kernel_from_string(AXPY, "axpy", "").expect("it builds")
}

#[test]
fn on_a_processor_memory_is_shared_without_a_copy() {
    let Some(device) = device() else { return };
    if !device.info().name.starts_with("pthread") && !device.info().name.starts_with("cpu") {
        eprintln!("skipped: `{}` is no processor of PoCL", device.info().name);
        return;
    }
    for (len, placement) in [(5, Placement::Device), (5, Placement::Mapped), (300_001, Placement::HostPinned)] {
        let mut y = device.malloc_placed::<f64>(len, placement).expect("memory");
        let address = y.untyped().mapped().expect("it is mapped").cast::<f64>();
        for at in 0..len {
            // SAFETY: the address is that of `len` numbers, and nothing is queued.
            unsafe { address.as_ptr().add(at).write(at as f64) };
        }
        let x = device.malloc_filled(len, 1.0).expect("memory");
        axpy(&device).launch(args![len as i32, 10.0, &x, &mut y]).expect("it launches");
        device.finish().expect("it ends");
        // SAFETY: as above.
        let seen: Vec<f64> = (0..len).map(|at| unsafe { address.as_ptr().add(at).read() }).collect();
        assert!(seen.iter().enumerate().all(|(at, &value)| value == at as f64 + 10.0), "{:?}", &seen[..5]);
        let part = y.slice(3..5).expect("a slice");
        assert_eq!(part.untyped().mapped().map(|p| p.as_ptr() as usize), Some(address.as_ptr() as usize + 24));
    }
}

#[test]
fn on_a_processor_memory_of_the_program_is_used_in_place() {
    let Some(device) = device() else { return };
    let mut mine: Vec<f64> = (0..1000).map(f64::from).collect();
    let handle = NativeHandle::host(mine.as_mut_ptr() as u64);
    // SAFETY: `mine` outlives the memory, and is not touched meanwhile.
    let wrapped = unsafe { device.wrap_memory::<f64>(handle, mine.len()) };
    let mut wrapped = match wrapped {
        Ok(wrapped) => wrapped,
        Err(error) => {
            assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
            return;
        }
    };
    let x = device.malloc_filled(1000, 2.0).expect("memory");
    axpy(&device).launch(args![1000, 1.0, &x, &mut wrapped]).expect("it launches");
    device.finish().expect("it ends");
    drop(wrapped);
    assert!(mine.iter().enumerate().all(|(at, &value)| value == at as f64 + 2.0));
}

#[test]
fn memory_of_the_device_s_own_has_no_address_and_says_so() {
    if device().is_none() {
        return;
    }
    let props = "mode=OpenCL, memory=separate";
    let device = Device::open_with(&ferrocca_backend_opencl::OPENCL, props).expect("any device can do that");
    let x = device.malloc_from(&[1.0, 2.0]).expect("memory");
    assert_eq!(x.untyped().mapped(), None);
    match device.malloc_placed::<f64>(2, Placement::Mapped) {
        // Shared buffers of the driver are no memory of the host.
        Ok(mapped) => assert!(mapped.untyped().mapped().is_some()),
        Err(error) => assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}"),
    }
    let mut mine = [0.0; 2];
    // SAFETY: it is refused before anything is done with it.
    let refused = unsafe { device.wrap_memory::<f64>(NativeHandle::host(mine.as_mut_ptr() as u64), 2) };
    assert!(matches!(refused.map(drop).expect_err("no address").kind(), ErrorKind::Unsupported { .. }));
    let bad = Device::open_with(&ferrocca_backend_opencl::OPENCL, "mode=OpenCL, memory=mine").map(drop);
    assert!(bad.expect_err("a bad value").to_string().contains("'shared' or 'separate'"));
}

#[test]
fn a_buffer_of_the_driver_is_kept_by_a_reference() {
    let Some(device) = device() else { return };
    let first = device.malloc_from(&[1_i32, 2, 3]).expect("memory");
    let handle = first.untyped().handle().expect("a handle");
    assert!(matches!(handle, NativeHandle::Opaque { api: Api::OPENCL, .. }));
    // SAFETY: it is a live buffer of three numbers.
    let second = unsafe { device.wrap_memory::<i32>(handle, 3) }.expect("it wraps");
    drop(first);
    assert_eq!(second.to_vec().expect("it reads"), [1, 2, 3]);
    // SAFETY: it is refused before anything is done with it.
    let refused = unsafe { device.wrap_memory::<i32>(NativeHandle::cuda(64), 3) }.map(drop).expect_err("another kind");
    assert!(matches!(refused.kind(), ErrorKind::Unsupported { .. }), "{refused}");
}

#[test]
fn a_queue_of_the_driver_is_a_stream() {
    let Some(device) = device() else { return };
    for props in ["", "order=out"] {
        let theirs = device.create_stream_with(props).expect("a stream");
        assert_ne!(theirs.handle(), 0);
        // SAFETY: it is a live queue of this context.
        let stream = unsafe { device.wrap_stream(theirs.handle()) }.expect("it wraps");
        assert_eq!(stream.handle(), theirs.handle());
        drop(theirs);
        let (x, mut y) = (device.malloc_filled(100, 1.0).expect("x"), device.malloc_filled(100, 0.0).expect("y"));
        device.finish().expect("it ends");
        for _ in 0..50 {
            axpy(&device).launch_on(&stream, args![100, 1.0, &x, &mut y]).expect("it launches");
        }
        let begin = stream.tag().expect("a tag");
        begin.wait().expect("it ends");
        assert_eq!(y.to_vec().expect("it reads"), [50.0; 100]);
    }
}

#[test]
fn an_unordered_stream_keeps_what_depends() {
    let Some(device) = device() else { return };
    let stream = match device.create_stream_with("order=out") {
        Ok(stream) => stream,
        Err(error) => {
            assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
            return;
        }
    };
    let kernel = axpy(&device);
    let n = 20_000;
    let one = device.malloc_filled(n, 1.0).expect("memory");
    let mut chains: Vec<Memory<f64>> = (0..4).map(|_| device.malloc_filled(n, 0.0).expect("memory")).collect();
    let mut sum = device.malloc_filled(n, 0.0).expect("memory");
    device.finish().expect("it ends");
    // More commands than dependencies are kept for; the chains may overlap, each must keep its order, and the sum waits
    // for all of them.
    for _ in 0..200 {
        for chain in &mut chains {
            kernel.launch_on(&stream, args![n as i32, 1.0, &one, chain]).expect("it launches");
        }
    }
    for chain in &chains {
        kernel.launch_on(&stream, args![n as i32, 1.0, chain, &mut sum]).expect("it launches");
    }
    stream.finish().expect("it ends");
    assert!(sum.to_vec().expect("it reads").iter().all(|&value| value == 800.0));

    device.set_stream(&stream).expect("it is of this device");
    sum.fill(3.0).expect("it fills");
    let copy = sum.duplicate().expect("it copies");
    let tag = device.tag_stream().expect("a tag");
    sum.fill(4.0).expect("it fills");
    device.set_stream(&device.default_stream()).expect("it is of this device");
    device.default_stream().wait(&tag).expect("it waits");
    assert!(copy.to_vec().expect("it reads").iter().all(|&value| value == 3.0));
    stream.finish().expect("it ends");
    assert!(sum.to_vec().expect("it reads").iter().all(|&value| value == 4.0));
}

#[test]
fn a_stream_with_props_that_it_does_not_know_is_refused() {
    let Some(device) = device() else { return };
    let refusal = |props: &str| device.create_stream_with(props).map(drop).expect_err("it is refused").to_string();
    assert!(refusal("order=sideways").contains("'in' or 'out'"));
    assert!(refusal("ordre=in").contains("order"));
    let silent = device.create_stream_with("profiling=false").expect("a stream");
    let (begin, end) = (silent.tag().expect("a tag"), silent.tag().expect("a tag"));
    let error = end.seconds_since(&begin).expect_err("it takes no times");
    assert!(error.to_string().contains("profiling"), "{error}");
}

#[test]
fn fills_repeat_every_pattern_at_every_place() {
    let Some(device) = device() else { return };
    let backend = device.backend();
    let stream = backend.default_stream();
    for width in [1_usize, 2, 3, 4, 8, 12, 16, 24, 128, 200] {
        for (offset, count, same) in [(0, 1, false), (4, 7, false), (3, 5, false), (width, 1001, false), (5, 9, true)] {
            let memory = backend.allocate(offset + width * count + 6, Placement::Device).expect("memory");
            stream.fill(&*memory, 0, memory.bytes(), &[0]).expect("it fills");
            let pattern: Vec<u8> = (0..width).map(|at| if same { 7 } else { (at % 250 + 1) as u8 }).collect();
            stream.fill(&*memory, offset, width * count, &pattern).expect("it fills");
            let mut got = vec![9; memory.bytes()];
            stream.copy_out(&*memory, 0, &mut got).expect("it reads");
            let expected = [vec![0; offset], pattern.repeat(count), vec![0; 6]].concat();
            assert!(got == expected, "width {width} at {offset}, {count} times");
        }
    }
}

#[test]
fn overlapping_ranges_larger_than_a_block_are_moved() {
    let Some(device) = device() else { return };
    let n = 5_000_000; // 40 MB: three blocks
    let host: Vec<f64> = (0..n).map(f64::from).collect();
    for (to, from) in [(1_000, 0), (0, 1_000), (3_000_000, 0), (0, 2_500_000)] {
        let mut memory = device.malloc_from(&host).expect("memory");
        let source = memory.share();
        let count = n as usize - to.max(from);
        memory.copy_from_memory_at(to, &source, from, count).expect("it copies");
        let mut expected = host.clone();
        expected.copy_within(from..from + count, to);
        assert!(memory.to_vec().expect("it reads") == expected, "from {from} to {to}");
    }
}

#[test]
fn too_much_memory_is_refused_with_the_limits() {
    let Some(device) = device() else { return };
    let error = device.malloc::<u8>(1 << 60).map(drop).expect_err("no device has it");
    assert!(matches!(error.kind(), ErrorKind::OutOfMemory { requested, .. } if *requested == 1 << 60), "{error}");
    let text = error.to_string();
    assert!(text.contains("CL_DEVICE_MAX_MEM_ALLOC_SIZE") && text.contains("CL_DEVICE_GLOBAL_MEM_SIZE"), "{text}");
    let info = device.backend().memory_info().expect("it tells");
    assert!(info.free > 0 && info.free <= info.total && info.total == device.info().memory_bytes, "{info:?}");
}

#[test]
fn what_the_compiler_refuses_is_told_at_the_lines_of_the_source() {
    let Some(device) = device() else { return };
    // The option makes nonsense of a word in the emitted text, in the third line of the source.
    let source = "@kernel void one(int *x) {\n  for (int o = 0; o < 1; ++o; @outer) { for (int i = 0; i < 1; ++i; @inner) {\n\
                  x[0] = 12345;\n } }\n}";
    let built = device.build_kernel_from_string(source, "one", "compiler_flags='-Dx_buffer=1+'");
    let error = built.map(drop).expect_err("it does not compile");
    let ErrorKind::Kernel { diagnostics } = error.kind() else { panic!("{error:?}") };
    assert!(diagnostics.contains("<string>:1"), "{diagnostics}");
    let unknown = device.build_kernel_from_string(source, "one", "compiler_flags='-cl-no-such-option'");
    assert!(unknown.is_err());
}

#[test]
fn binaries_come_back_from_the_cache_directory() {
    let Some(_) = device() else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let props = format!("mode=OpenCL, cache_dir='{}'", directory.path().display());
    let build = || {
        let device = Device::open_with(&ferrocca_backend_opencl::OPENCL, props.as_str()).expect("it opens");
        let kernel = axpy(&device);
        let (x, mut y) = (device.malloc_filled(9, 2.0).expect("x"), device.malloc_filled(9, 1.0).expect("y"));
        kernel.launch(args![9, 3.0, &x, &mut y]).expect("it launches");
        assert_eq!(y.to_vec().expect("it reads"), [7.0; 9]);
        kernel.origin().clone()
    };
    assert_eq!(build(), BuildOrigin::Compiled { not_cached: None });
    assert_eq!(build(), BuildOrigin::Disk);
}

/// Replays give the bits of single launches: buffers that swap roles, snapshots between, values that change while
/// replays are queued, streams with and without an order.
#[test]
fn a_graph_gives_what_its_commands_give() {
    if device().is_none() {
        return;
    }
    for props in ["mode=OpenCL", "mode=OpenCL, command_buffers=false", "mode=OpenCL, command_buffers=true"] {
        match Device::open_with(&ferrocca_backend_opencl::OPENCL, props) {
            Ok(device) => replay_and_compare(&device),
            Err(error) => assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}"),
        }
    }
}

fn replay_and_compare(device: &Device) {
    let step = "@kernel void step(const int n, const double c, const double *u, double *v) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {
            const int left = i == 0 ? n - 1 : i - 1;
            v[i] = u[i] - c * (u[i] - u[left]);
        }
    }";
    let step = device.build_kernel_from_string(step, "step", "").expect("it builds");
    let (n, start): (usize, Vec<f64>) = (1000, (0..1000).map(|i| f64::from(i % 37)).collect());
    let advance = |u: &mut Vec<f64>, c: f64| {
        *u = (0..n).map(|i| u[i] - c * (u[i] - u[(i + n - 1) % n])).collect();
    };
    for props in ["", "order=out"] {
        let Ok(stream) = device.create_stream_with(props) else { continue };
        let mut u = device.malloc_from(&start).expect("memory");
        let mut v = device.malloc::<f64>(n).expect("memory");
        let mut history = device.malloc_filled(6 * n, 0.0).expect("memory");
        device.finish().expect("it ends");
        let mut launch = 0;
        let mut plain = device
            .record(|r| {
                launch = r.launch(&step, args![n as i32, 0.25, &u, &mut v])?;
                r.rotate([&u, &v])
            })
            .expect("it records");
        let mut watched = device
            .record(|r| {
                r.launch(&step, args![n as i32, 0.25, &u, &mut v])?;
                r.snapshot(&v, &mut history)?;
                r.rotate([&u, &v])
            })
            .expect("it records");
        let mut expected = start.clone();
        for (times, c) in [(1, 0.25), (1, 0.25), (333, 0.25), (2, 0.5), (200, 0.5), (1, 0.125), (130, 0.125)] {
            plain.set_argument(launch, 1, c).expect("a value");
            plain.replay_rotating_on(&stream, times, [&mut u, &mut v]).expect("it replays");
            (0..times).for_each(|_| advance(&mut expected, c));
        }
        for round in 0..2 {
            watched.set_first_slot(3 * round);
            watched.replay_rotating_on(&stream, 3, [&mut u, &mut v]).expect("it replays");
            stream.finish().expect("it ends");
            let history = history.to_vec().expect("it reads");
            for slot in 3 * round as usize..3 * round as usize + 3 {
                advance(&mut expected, 0.25);
                assert!(history[slot * n..][..n] == expected, "`{props}`: slot {slot}");
            }
        }
        drop((plain, watched));
        stream.finish().expect("it ends");
        assert!(u.to_vec().expect("it reads") == expected, "`{props}`");
    }
}

//! The backend on a driver that fails where a test wants it to.

use crate::artifact::Parts;
use crate::backend::CudaBackend;
use crate::driver::Code;
use crate::fake::{self, Launch};
use ferrocca_core::backend::{
    Artifact, Backend, BackendDevice, BackendKernel, BackendMemory, BackendStream, LaunchDims, NativeHandle,
    PackedArgument, Placement,
};
use ferrocca_core::props::Props;
use ferrocca_core::{Device, ErrorKind, Result, args};
use okl::back::cuda::CudaTarget;
use okl::{NoIncludes, Request, Signature};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

static FAKE: CudaBackend = CudaBackend::on(fake::driver);

fn front(props: &str) -> Result<Device> {
    Device::open_with(&FAKE, props)
}

fn back() -> Arc<dyn BackendDevice> {
    FAKE.open("CUDA", &Props::new()).expect("the fake driver has a device")
}

pub(crate) const SOURCE: &str = "
@kernel void first(const int n, double *u) {
    for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { u[i] = i; }
}
@kernel void second(const int n, double *u) {
    for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { u[i] += i; }
}
@kernel void wide(double *u) {
    for (int o = 0; o < 2; ++o; @outer) {
        @shared double table[16384];
        for (int i = 0; i < 64; ++i; @inner) { table[i] = u[i]; }
        for (int i = 0; i < 64; ++i; @inner) { u[i] = table[63 - i]; }
    }
}";

fn signatures() -> Vec<Signature> {
    let request = Request { name: "test.okl", source: SOURCE, mode: "CUDA", defines: &[], includes: &NoIncludes };
    okl::compile(&request, &CudaTarget).expect("the source is right").signatures
}

/// The kernels of [`SOURCE`] with their signatures, loaded from a binary that the fake driver does not look into.
fn load(device: &dyn BackendDevice) -> Result<Vec<(Signature, Arc<dyn BackendKernel>)>> {
    let cubin = [b"\x7fELF".as_slice(), &[0; 100]].concat();
    let bytes = Parts { cubin: &cubin, options: "", text: "" }.join();
    let one = |signature: Signature| {
        let kernels = device.load(&Artifact { bytes: &bytes }, &signature)?;
        Ok((signature, kernels.into_iter().next().expect("each has one nest")))
    };
    signatures().into_iter().map(one).collect()
}

/// Launches a kernel that takes a number and memory, of which the caller keeps what this answers.
fn launch_on(
    device: &dyn BackendDevice,
    stream: &dyn BackendStream,
    kernel: &(Signature, Arc<dyn BackendKernel>),
    outer: [u64; 3],
) -> Result<Arc<dyn BackendMemory>> {
    let memory = device.allocate(64, Placement::Device)?;
    let number = 8_i32.to_ne_bytes();
    let whole =
        PackedArgument::Memory { memory: Some(&*memory), offset_bytes: 0, bytes: 64, element_bytes: 8, mutable: true };
    let dims = LaunchDims { outer, inner: [64, 1, 1] };
    // SAFETY: the arguments fit the kernel, which the fake driver does not run.
    unsafe { kernel.1.launch(&kernel.0.nests[0], &dims, &[PackedArgument::Value(&number), whole], stream) }?;
    Ok(memory)
}

fn launch(
    device: &dyn BackendDevice,
    kernel: &(Signature, Arc<dyn BackendKernel>),
    outer: [u64; 3],
) -> Result<Arc<dyn BackendMemory>> {
    launch_on(device, &*device.default_stream(), kernel, outer)
}

#[test]
fn without_a_driver_the_mode_is_unavailable_and_says_why() {
    static NONE: CudaBackend = CudaBackend::on(|| Err("the NVIDIA driver is not installed (no such file)".into()));
    for error in [Device::open_with(&NONE, "").expect_err("no driver"), NONE.probe("CUDA").expect_err("no driver")] {
        assert!(matches!(error.kind(), ErrorKind::Unavailable { mode, .. } if mode == "CUDA"), "{error:?}");
        assert!(error.to_string().contains("the NVIDIA driver is not installed (no such file)"), "{error}");
    }
}

#[test]
fn a_driver_without_devices_says_so() {
    fake::fail("device_get_count", 1, Code(3));
    let error = front("").expect_err("the driver fails").to_string();
    assert!(error.contains("cuDeviceGetCount: CUDA_ERROR_OF_A_TEST"), "{error}");
}

#[test]
fn a_device_that_does_not_exist_is_refused() {
    let error = front("device_id=2").expect_err("there are two").to_string();
    assert!(error.contains("there is no device_id 2: there are 2 GPUs, counted from 0"), "{error}");
    assert!(matches!(front("device_id=-1").expect_err("negative").kind(), ErrorKind::Props { .. }));
    assert_eq!(front("device_id=1").expect("there are two").info().device_id, 1);
}

#[test]
fn probing_tells_what_there_is() {
    let devices = FAKE.probe("CUDA").expect("two devices");
    assert_eq!(devices.len(), 2);
    let info = &devices[1];
    assert_eq!((info.name.as_str(), info.architecture.as_str(), info.cores), ("Fake GPU", "sm_90", 132));
    assert_eq!((info.driver.as_str(), info.memory_bytes), ("CUDA 13.0", fake::TOTAL_BYTES as u64));
}

#[test]
fn memory_that_is_exhausted_says_how_much_was_asked_and_is_free() {
    let device = front("").expect("a device");
    let kept = device.malloc_from(&[1.5, 2.5]).expect("there is memory");
    let error = device.malloc::<u8>(fake::TOTAL_BYTES).expect_err("some is taken");
    let free = fake::TOTAL_BYTES - 16;
    assert!(matches!(error.kind(), ErrorKind::OutOfMemory { requested, free: Some(f) }
        if *requested == fake::TOTAL_BYTES as u64 && *f == free as u64));
    assert!(
        error.to_string().contains(&format!("{} bytes were requested, {free} are free", fake::TOTAL_BYTES)),
        "{error}"
    );
    assert!(device.malloc_placed::<u8>(fake::TOTAL_BYTES, Placement::HostPinned).is_err());
    assert_eq!(kept.to_vec().expect("the device works"), [1.5, 2.5]);
    assert!(device.malloc::<f64>(1000).is_ok());
}

#[test]
fn what_a_pool_lets_go_is_there_for_others() {
    let device = front("").expect("a device");
    let pool = device.create_memory_pool().expect("a pool");
    drop(pool.reserve::<u8>(fake::TOTAL_BYTES / 4 * 3).expect("there is memory"));
    assert!(device.malloc::<u8>(fake::TOTAL_BYTES / 2).is_err(), "the pool has it");
    pool.shrink();
    let memory = device.malloc::<u8>(fake::TOTAL_BYTES / 2).expect("the pool has given it back");
    drop(memory);
    pool.reserve::<u8>(fake::TOTAL_BYTES / 4 * 3).expect("and the other way round");
}

#[test]
fn everything_is_freed_once_and_foreign_memory_never() {
    let device = front("").expect("a device");
    let mut own = vec![0.0_f64; 8];
    let handle = NativeHandle::cuda(own.as_mut_ptr() as u64);
    // SAFETY: the fake device's memory is the host's, and `own` outlives the handle.
    let mut foreign = unsafe { device.wrap_memory::<f64>(handle, 8) }.expect("it is a CUDA pointer");
    foreign.fill(2.5).expect("it fills");
    let pool = device.create_memory_pool().expect("a pool");
    let reserved = pool.reserve::<f64>(100).expect("there is memory");
    let pinned = device.malloc_placed::<i32>(10, Placement::HostPinned).expect("there is memory");
    assert_eq!(pinned.to_vec().expect("it was initialised"), [0; 10]);
    // SAFETY: no other handle of the stream is destroyed while it is used.
    let stream = unsafe { device.wrap_stream(0x55) }.expect("a stream");
    assert_eq!(stream.handle(), 0x55);
    let created = fake::count("stream_create");
    assert_eq!(fake::allocated().0, 2);
    drop((foreign, reserved, pool, pinned, stream, device));
    assert_eq!(own, [2.5; 8]);
    assert_eq!(fake::allocated(), (0, 0));
    assert_eq!(fake::count("stream_destroy"), created, "the foreign stream is not ours to destroy");
    assert_eq!(fake::count("mem_pool_destroy"), 1);
    assert_eq!(fake::count("device_primary_ctx_release"), 1);
}

#[test]
fn copies_go_where_they_are_sent_also_within_one_memory() {
    let device = front("").expect("a device");
    let data: Vec<u8> = (0..100).collect();
    for (from, to) in [(0, 3), (3, 0), (10, 60), (5, 5)] {
        let memory = device.malloc_from(&data).expect("there is memory");
        let mut expected = data.clone();
        expected.copy_within(from..from + 40, to);
        let source = memory.slice(from..from + 40).expect("inside");
        memory.slice(to..to + 40).expect("inside").copy_from_memory(&source).expect("it copies");
        assert_eq!(memory.to_vec().expect("it copies"), expected, "{from} to {to}");
    }
}

#[test]
fn fills_repeat_every_pattern() {
    let device = back();
    let stream = device.default_stream();
    for width in [1, 2, 3, 4, 6, 8, 12, 16, 24, 300] {
        for (offset, count) in [(0, 1), (8, 3), (3, 5), (2, 1001), (0, 70_000 / width)] {
            let pattern: Vec<u8> = (0..width).map(|i| (i % 250 + 1) as u8).collect();
            let bytes = width * count;
            let memory = device.allocate(bytes + 16, Placement::Device).expect("there is memory");
            stream.fill(&*memory, 0, bytes + 16, &[0]).expect("it fills");
            stream.fill(&*memory, offset, bytes, &pattern).expect("it fills");
            let mut found = vec![9; bytes + 16];
            stream.copy_out(&*memory, 0, &mut found).expect("it copies");
            let expected = [vec![0; offset], pattern.repeat(count), vec![0; 16 - offset]].concat();
            assert!(found == expected, "width {width}, offset {offset}, count {count}");
        }
    }
}

#[test]
fn a_space_of_groups_larger_than_a_grid_is_cut() {
    let device = back();
    let kernels = load(&*device).expect("they load");
    fake::read_first_group_at(2);
    launch(&*device, &kernels[0], [10, 70_000, 1]).expect("it launches");
    let part = |groups, first| Launch {
        kernel: "first_0".into(),
        grid: [10, groups, 1],
        block: [64, 1, 1],
        shared_bytes: 0,
        first: Some([0, first, 0]),
    };
    assert_eq!(fake::launches(), [part(65_535, 0), part(4_465, 65_535)]);
}

#[test]
fn shared_memory_beyond_48_kib_is_asked_for() {
    let device = back();
    let kernels = load(&*device).expect("they load");
    assert_eq!(fake::count("func_set_attribute"), 1, "one kernel of three needs it");
    launch(&*device, &kernels[2], [2, 1, 1]).expect("it launches");
    assert_eq!(fake::launches()[0].shared_bytes, 16_384 * 8);
    assert_eq!(kernels[0].1.max_inner(), 640, "registers limit the threads of a group");
}

#[test]
fn an_artifact_that_is_none_does_not_reach_the_driver() {
    let device = back();
    let refused = device.load(&Artifact { bytes: b"\x7fELF and nothing" }, &signatures()[0]);
    assert!(matches!(refused.err().expect("it is cut").kind(), ErrorKind::Driver { .. }));
    assert_eq!(fake::count("module_load_data"), 0);
}

#[test]
fn a_fault_names_the_kernel_that_it_comes_from() {
    let device = back();
    let kernels = load(&*device).expect("they load");
    let _first = launch(&*device, &kernels[0], [1; 3]).expect("it launches");
    device.default_stream().finish().expect("the first is done");
    let _second = launch(&*device, &kernels[1], [1; 3]).expect("it launches");
    fake::fail("stream_synchronize", 1, Code::ILLEGAL_ADDRESS);
    let error = device.default_stream().finish().expect_err("the second faults").to_string();
    let expected = "cuStreamSynchronize: error 700, CUDA_ERROR_ILLEGAL_ADDRESS: as the test wants, in kernel `second_0`; the device's \
                    context is lost";
    assert!(error.contains(expected) && error.contains("open the device again"), "{error}");
    let later = device.memory_info().expect_err("everything fails now").to_string();
    assert!(later.contains("in kernel `second_0`") && later.contains("context is lost"), "{later}");
}

#[test]
fn several_suspects_are_all_named() {
    let device = back();
    let kernels = load(&*device).expect("they load");
    let other = device.create_stream(&Props::new()).expect("a stream");
    let _first = launch(&*device, &kernels[0], [1; 3]).expect("it launches");
    let _second = launch_on(&*device, &*other, &kernels[1], [1; 3]).expect("it launches");
    fake::fail("ctx_synchronize", 1, Code::ILLEGAL_ADDRESS);
    let error = device.finish().expect_err("one of them faults").to_string();
    assert!(error.contains("in one of the kernels `first_0`, `second_0`, which were launched"), "{error}");
}

#[test]
fn a_lost_device_opens_again_when_nobody_holds_it() {
    let device = front("").expect("a device");
    let memory = device.malloc::<f64>(10).expect("there is memory");
    fake::fail("stream_synchronize", 1, Code::ILLEGAL_ADDRESS);
    assert!(memory.to_vec().is_err());
    let error = front("").expect_err("the old handles hold the context");
    assert!(matches!(error.kind(), ErrorKind::Unavailable { .. }), "{error:?}");
    assert!(error.to_string().contains("was lost in this process (CUDA_ERROR_ILLEGAL_ADDRESS"), "{error}");
    drop((memory, device));
    let again = front("").expect("the context is new");
    assert!(again.malloc_filled(10, 1.0).is_ok());
}

#[test]
fn nvrtc_newer_than_the_driver_is_refused_with_both_versions() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("libnvrtc.so.14.1.20");
    std::fs::write(&path, b"").expect("a file");
    let device = front(&format!("nvrtc='{}'", path.display())).expect("a device opens without a compiler");
    let error = device.build_kernel_from_string(SOURCE, "first", ()).expect_err("it is too new");
    assert!(matches!(error.kind(), ErrorKind::Compiler { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("the driver is for CUDA 13.0") && text.contains("NVRTC 14.1"), "{text}");
}

#[test]
fn where_loops_run_is_a_property() {
    for (value, works) in [("on", true), ("off", true), ("auto", true), ("'off'", true), ("never", false), ("1", false)]
    {
        let opened = front(&format!("persistent={value}"));
        assert_eq!(opened.is_ok(), works, "{value}: {:?}", opened.err());
    }
    // No kernel is launched: a block would have nothing to keep.
    let device = front("persistent=on").expect("a device");
    let (mut a, b) = (device.malloc_filled(8, 1.0).expect("memory"), device.malloc_filled(8, 2.0).expect("memory"));
    let refused = device.record(|r| r.copy(&mut a, &b)).expect_err("it cannot stay").to_string();
    assert!(
        refused.contains("a persistent loop is not supported") && refused.contains("it launches no kernel"),
        "{refused}"
    );
}

#[test]
fn properties_of_streams_are_known() {
    let device = front("").expect("a device");
    assert!(device.create_stream_with("non_blocking=true").is_ok());
    let error = device.create_stream_with("nonblocking=true").expect_err("misspelt").to_string();
    assert!(error.contains("nonblocking") && error.contains("non_blocking"), "{error}");
}

/// Counts what a thread allocates outside of the driver.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !fake::Inside::is_entered() {
            ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        }
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

#[test]
fn a_launch_allocates_nothing_and_sets_no_context_that_is_current() {
    let device = back();
    let kernels = load(&*device).expect("they load");
    let stream = device.default_stream();
    let memory = launch(&*device, &kernels[0], [1; 3]).expect("it launches");
    let number = 8_i32.to_ne_bytes();
    let whole =
        PackedArgument::Memory { memory: Some(&*memory), offset_bytes: 0, bytes: 64, element_bytes: 8, mutable: true };
    let arguments = [PackedArgument::Value(&number), whole];
    let dims = LaunchDims { outer: [1; 3], inner: [64, 1, 1] };
    let (allocations, switches) = (ALLOCATIONS.get(), fake::count("ctx_set_current"));
    for _ in 0..100 {
        // SAFETY: the arguments fit the kernel, which the fake driver does not run.
        unsafe { kernels[0].1.launch(&kernels[0].0.nests[0], &dims, &arguments, &*stream) }.expect("it launches");
    }
    assert_eq!(ALLOCATIONS.get() - allocations, 0);
    assert_eq!(fake::count("ctx_set_current"), switches);
    assert_eq!(fake::launches().len(), 101);
}

/// Everything that a program does, in one piece, so that each call can fail once.
fn program() -> Result<()> {
    let device = front("")?;
    let mut a = device.malloc_filled(100, 1.5)?;
    let b = device.malloc_from(&[2.5; 100])?;
    a.slice(10..90)?.copy_from_memory(&a.slice(..80)?)?;
    a.copy_from_memory(&b)?;
    let pinned = device.malloc_placed::<u8>(10, Placement::HostPinned)?;
    let reserved = device.create_memory_pool()?.reserve::<u8>(10)?;
    let stream = device.create_stream()?;
    let tag = device.tag_stream()?;
    stream.wait(&tag)?;
    tag.seconds_since(&tag)?;
    let mut graph = device.record(|r| {
        r.copy(&mut a, &b)?;
        r.fill(&mut a, 3.0)
    })?;
    graph.replay(100)?;
    let kernels = load(&**device.backend())?;
    launch(&**device.backend(), &kernels[2], [1; 3])?;
    device.memory_info()?;
    drop((pinned, reserved));
    device.finish()?;
    a.to_vec().map(|_| ())
}

#[test]
fn another_librarys_context_stays_current_and_is_not_worked_in() {
    program().expect("nothing fails");
    fake::enter_foreign();
    program().expect("nothing fails");
    let device = |id: u32| Device::open_with(&FAKE, format!("device_id={id}")).expect("a device");
    let mut target = device(0).malloc::<i32>(3).expect("memory");
    target.copy_from_memory(&device(1).malloc_from(&[1, 2, 3]).expect("memory")).expect("it is copied");
    drop(target);
    let (current, strays) = fake::strays();
    assert_eq!(current, fake::FOREIGN, "a device of this library is the current one now");
    assert!(strays.is_empty(), "called with the other context: {strays:?}");
}

#[test]
fn whatever_call_fails_is_reported_and_the_next_run_works() {
    program().expect("nothing fails");
    let silent = ["get_error", "destroy", "free", "unload", "release", "trim", "pointer_get_attributes"];
    for function in fake::called() {
        fake::fail(function, 1, Code(999));
        let outcome = program();
        // What fails while something is let go has nobody to be told; a context that fails at first is asked for again.
        let is_healed = ["ctx_get_current", "ctx_set_current", "ctx_synchronize"].contains(&function);
        if !is_healed && !silent.iter().any(|part| function.contains(part)) {
            assert!(outcome.is_err(), "`{function}` failed, and nobody noticed");
        }
        program().unwrap_or_else(|error| panic!("after a failure of `{function}`: {error}"));
    }
}

#[test]
fn a_kernel_needs_arguments_of_its_own() {
    // The front's checks stand before this backend as before every other.
    let device = front("").expect("a device");
    let Ok(kernel) = device.build_kernel_from_string(SOURCE, "first", ()) else {
        return println!("skipped: no NVRTC");
    };
    let mut wrong = device.malloc::<f32>(10).expect("there is memory");
    let error = kernel.launch(args![10, &mut wrong]).expect_err("another type").to_string();
    assert!(error.contains("expected memory of f64, got memory of f32"), "{error}");
    assert_eq!(fake::launches(), []);
}

#[test]
fn memory_of_another_gpu_is_copied_peer_to_peer() {
    let device =
        |id: u32| Device::open_with(&FAKE, format!("device_id={id}")).expect("the fake driver has two devices");
    let (here, there, again) = (device(0), device(1), device(0));
    let source = there.malloc_from(&[1_i32, 2, 3]).expect("memory");
    let mut target = here.malloc::<i32>(3).expect("memory");
    let before = (fake::count("memcpy_peer_async"), fake::count("memcpy_async"));
    target.copy_from_memory(&source).expect("it is copied");
    assert_eq!(target.to_vec().expect("it reads"), [1, 2, 3]);
    assert_eq!((fake::count("memcpy_peer_async"), fake::count("memcpy_async")), (before.0 + 1, before.1));
    let mut same = again.malloc::<i32>(3).expect("memory");
    same.copy_from_memory(&target).expect("the same GPU under another handle");
    assert_eq!(same.to_vec().expect("it reads"), [1, 2, 3]);
    assert_eq!(fake::count("memcpy_peer_async"), before.0 + 1);
    fake::fail("memcpy_peer_async", 1, Code(217));
    let error = target.copy_from_memory(&source).expect_err("the driver refuses");
    assert_eq!(error.code(), Some(217));
}

/// Launches a kernel of a number and memory with null for the memory.
#[cfg(unix)]
fn launch_nothing(device: &dyn BackendDevice, kernel: &(Signature, Arc<dyn BackendKernel>)) -> Result<()> {
    let null = PackedArgument::Memory { memory: None, offset_bytes: 0, bytes: 0, element_bytes: 8, mutable: true };
    let dims = LaunchDims { outer: [1; 3], inner: [64, 1, 1] };
    let (nest, arguments) = (&kernel.0.nests[0], [PackedArgument::Value(&[0; 4]), null]);
    // SAFETY: the arguments fit the kernel, which the fake driver does not run.
    unsafe { kernel.1.launch(nest, &dims, &arguments, &*device.default_stream()) }
}

#[cfg(unix)]
#[test]
fn a_forked_child_is_told_so_and_leaves_the_driver_alone() {
    let device = front("").expect("a device");
    let (mut memory, stream) = (device.malloc::<i32>(4).expect("memory"), device.create_stream().expect("a stream"));
    let tag = stream.tag().expect("a tag");
    let kernels = load(&**device.backend()).expect("kernels");
    // SAFETY: no other thread of this process holds what the child uses: the fake driver's state is this thread's.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let calls = || fake::called().into_iter().map(fake::count).sum::<u64>();
        let before = calls();
        let told = |outcome: Result<()>| {
            outcome.is_err_and(|error| error.to_string().contains("the process was forked after it had used CUDA"))
        };
        let tried = [
            told(memory.fill(1)),
            told(memory.to_vec().map(drop)),
            told(device.malloc::<i32>(4).map(drop)),
            told(device.create_stream().map(drop)),
            told(stream.tag().map(drop)),
            told(stream.finish()),
            told(device.finish()),
            told(tag.is_reached().map(drop)),
            told(device.memory_info().map(drop)),
            told(launch_nothing(&**device.backend(), &kernels[0])),
        ];
        drop((memory, stream, tag, kernels, device));
        let failed = tried.iter().position(|was_told| !was_told).map_or(0, |at| at as i32 + 1);
        // SAFETY: it ends the child: 100 where the driver was called.
        unsafe { libc::_exit(if calls() == before { failed } else { 100 }) };
    }
    assert!(child > 0, "{}", std::io::Error::last_os_error());
    let mut status = 0;
    // SAFETY: the status lies on this stack.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!((libc::WIFEXITED(status), libc::WEXITSTATUS(status)), (true, 0), "which was not told, from 1");
    memory.fill(1).expect("the parent goes on");
    assert_eq!(memory.to_vec().expect("it reads"), [1; 4]);
}

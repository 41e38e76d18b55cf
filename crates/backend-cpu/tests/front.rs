//! The backend through the front that users have.

use ferrocca_backend_cpu::CpuDevice;
use ferrocca_core::{Device, ErrorKind, NativeHandle, args};
use rayon::prelude::*;
use std::sync::Arc;

const DEVICES: [&str; 6] = [
    "mode=Serial",
    "mode=CPU",
    "{mode: 'OpenMP', threads: 3}",
    "mode=cpu, threads=1",
    "mode=CPU, pool=own, threads=2",
    "mode=CPU, pool=rayon",
];

#[test]
fn devices_open_by_every_name() {
    for props in DEVICES {
        let device = Device::open(props).expect(props);
        let expected = if props.contains("Serial") { "Serial" } else { "CPU" };
        assert_eq!(device.mode(), expected);
        assert!(!device.has_separate_memory_space());
        assert!(device.memory_size().expect("it is known") > 0);
    }
}

#[test]
fn a_bad_prop_is_refused_by_name() {
    for (props, part) in [
        ("mode=Serial, threads=2", "threads"),
        ("mode=Serial, pool=own", "pool"),
        ("mode=CPU, thread=2", "did you mean `threads`"),
        ("mode=CPU, threads=0", "from 1 to 4096"),
        ("mode=CPU, threads=4097", "from 1 to 4096"),
        ("mode=CPU, threads=two", "from 1 to 4096"),
        ("mode=CPU, pool=mine", "expected `rayon` or `own`, got"),
        ("mode=CPU, pool=3", "expected `rayon` or `own`, got"),
        (
            "mode=Serial, threads=2",
            "device property `threads` is one of mode `CPU` only, and this device is of mode `Serial`: remove it, or open \
             `CPU, threads=2`",
        ),
        (
            "mode=Serial, thread=2",
            "property `thread` (did you mean `threads`? It is one of mode `CPU`); known: `mode`,",
        ),
    ] {
        let error = Device::open(props).expect_err(props);
        let ErrorKind::Props { message } = error.kind() else { panic!("{props}: {error:?}") };
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_device_runs_in_the_pool_that_it_is_given() {
    let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads start"));
    let device = CpuDevice::in_pool(Arc::clone(&pool)).expect("it opens");
    assert_eq!((device.mode(), device.info().cores), ("CPU", 3));
    for props in ["mode=CPU, threads=2", "mode=CPU, pool=own"] {
        let error = CpuDevice::in_pool_with(Arc::clone(&pool), props).expect_err(props);
        let ErrorKind::Props { message } = error.kind() else { panic!("{props}: {error:?}") };
        assert!(message.contains("unknown `CPU` device property"), "{message}");
    }
    let error = CpuDevice::in_pool_with(Arc::clone(&pool), "mode=Serial").expect_err("it has one mode");
    assert!(matches!(error.kind(), ErrorKind::Unavailable { .. }), "{error}");

    let source = "@kernel void add(const int n, const double a, double *u) {
      for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) u[i] += a;
    }";
    let kernel = match device.build_kernel_from_string(source, "add", ()) {
        Ok(kernel) => kernel,
        Err(error) => {
            assert!(matches!(error.kind(), ErrorKind::Compiler { .. }), "{error}");
            return println!("skipped: {error}");
        }
    };
    // Large enough for all threads, from outside of the pool, from its tasks, and with it gone for the application.
    let add = |rounds: usize| {
        let mut u = device.malloc_filled(400_000, 0.0_f64).expect("there is memory");
        for _ in 0..rounds {
            kernel.launch(args![400_000, 0.5, &mut u]).expect("it runs");
        }
        assert!(u.to_vec().expect("it copies").iter().all(|&x| x == 0.5 * rounds as f64));
    };
    add(100);
    pool.install(|| (0..12).into_par_iter().for_each(|_| add(10)));
    drop(pool);
    add(10);
}

/// How many threads a device has without `threads`: run in a process of its own, because Rayon's global pool is one.
#[test]
fn the_global_pool_is_the_default() {
    const ASKED: &str = "FERROCCA_TEST_CORES";
    if std::env::var_os(ASKED).is_some() {
        let device = Device::open("mode=CPU").expect("a host is always there");
        println!("{ASKED}={}", device.info().cores);
        return;
    }
    for threads in [1, 3] {
        let output = std::process::Command::new(std::env::current_exe().expect("it has a path"))
            .args(["the_global_pool_is_the_default", "--exact", "--nocapture"])
            .env(ASKED, "1")
            .env("RAYON_NUM_THREADS", threads.to_string())
            .output()
            .expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(&format!("{ASKED}={threads}\n")), "{text}");
    }
}

#[test]
fn memory_lies_where_the_host_reads_it() {
    for props in DEVICES {
        let device = Device::open(props).expect(props);
        for len in [0_usize, 1, 1000, 700_001] {
            let data: Vec<f64> = (0..len).map(|i| i as f64).collect();
            let memory = device.malloc_from(&data).expect("there is memory");
            assert_eq!(memory.to_vec().expect("it copies"), data);
            let mut filled = device.malloc_filled(len, -1.5_f64).expect("there is memory");
            assert!(filled.to_vec().expect("it copies").iter().all(|&x| x == -1.5));
            filled.copy_from_memory(&memory).expect("both are as long");
            assert_eq!(filled.to_vec().expect("it copies"), data);
        }
        let mut mine = [1.0_f64, 2.0, 3.0];
        let handle = NativeHandle::host(mine.as_mut_ptr().expose_provenance() as u64);
        // SAFETY: `mine` outlives the wrapped memory and is not touched while that lives.
        let mut wrapped = unsafe { device.wrap_memory::<f64>(handle, 3) }.expect("a host pointer");
        wrapped.fill(4.0).expect("it fills");
        drop(wrapped);
        assert_eq!(mine, [4.0; 3]);
        // SAFETY: it is refused before anything is done with it.
        let error = unsafe { device.wrap_memory::<f64>(NativeHandle::cuda(64), 3) }.map(|_| ());
        assert!(matches!(error.expect_err("no host pointer").kind(), ErrorKind::Unsupported { .. }));
    }
}

#[test]
fn memory_that_nobody_has_is_an_error() {
    let device = Device::open("mode=CPU").expect("a host is always there");
    let error = device.malloc::<f64>(1 << 50).map(|_| ()).expect_err("no machine has it");
    assert!(matches!(error.kind(), ErrorKind::OutOfMemory { free: Some(_), .. }), "{error}");
    assert_eq!(device.memory_allocated(), 0);
}

thread_local! {
    static AT_THE_END: std::cell::RefCell<Option<AtTheEnd>> = const { std::cell::RefCell::new(None) };
}

/// Runs work when its thread's own data goes.
struct AtTheEnd(Box<dyn Fn()>);

impl Drop for AtTheEnd {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[test]
fn a_thread_that_ends_launches_what_needs_scratch_memory() {
    const LENGTH: usize = 1 << 20;
    // As many items as the host says: what they keep does not fit the stack for certain.
    let source = "@kernel void twice(const int n, const int m, double *u) {
      for (int b = 0; b < n; ++b; @outer) {
        @exclusive double mine;
        for (int i = 0; i < m; ++i; @inner) mine = u[m * b + i];
        for (int i = 0; i < m; ++i; @inner) u[m * b + i] = 2 * mine;
      }
    }";
    for props in DEVICES {
        let device = Device::open(props).expect(props);
        let kernel = device.build_kernel_from_string(source, "twice", ()).expect(props);
        let memory = device.malloc_from(&vec![1.0; LENGTH]).expect(props);
        let (of_thread, of_end) = (memory.share(), memory.share());
        let thread = std::thread::spawn(move || {
            let again = kernel.clone();
            // The thread-local that was used first goes last, after the scratch memory.
            AT_THE_END.set(Some(AtTheEnd(Box::new(move || {
                again.launch(args![LENGTH / 256, 256, &mut of_end.share()]).expect("it is launched at the end");
            }))));
            kernel.launch(args![LENGTH / 256, 256, &mut of_thread.share()]).expect("it is launched");
        });
        thread.join().expect(props);
        assert!(memory.to_vec().expect(props).iter().all(|&value| value == 4.0), "{props}");
    }
}

#[cfg(unix)]
#[test]
fn a_child_that_was_forked_launches_and_drops_what_it_has() {
    let source = "@kernel void add(const int n, double *u) {
      for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) u[i] += 1;
    }";
    for props in DEVICES {
        let device = Device::open(props).expect(props);
        let kernel = device.build_kernel_from_string(source, "add", ()).expect(props);
        let mut memory = device.malloc::<f64>(4 << 20).expect(props);
        memory.fill(0.0).expect(props);
        kernel.launch(args![4 << 20, &mut memory]).expect(props);
        // SAFETY: the child calls nothing that needs a lock which another thread of this test could hold but the
        // allocator's, which the system looks after.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: it ends a child that hangs.
            unsafe { libc::alarm(60) };
            let in_child = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
                kernel.launch(args![4 << 20, &mut memory]).expect("it is launched");
                let is_right = memory.to_vec().expect("it is copied").iter().all(|&value| value == 2.0);
                drop((kernel, memory, device));
                is_right
            }));
            // SAFETY: it ends the child without what the test's own threads would be waited for.
            unsafe { libc::_exit(if in_child.is_ok_and(|is_right| is_right) { 7 } else { 1 }) };
        }
        let mut status = 0;
        // SAFETY: the status lies on this stack.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child, "{props}");
        assert_eq!((libc::WIFEXITED(status), libc::WEXITSTATUS(status)), (true, 7), "{props}");
        kernel.launch(args![4 << 20, &mut memory]).expect(props);
        assert!(memory.to_vec().expect(props).iter().all(|&value| value == 2.0), "{props}");
    }
}

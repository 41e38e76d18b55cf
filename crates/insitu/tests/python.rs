//! Scripts in a real Python, driven as a solver drives them. Skipped, with the reason, where there is none.

mod support;

use ferrocca_conformance::null::NullBackend;
use ferrocca_core::{Device, Memory, NativeHandle};
use ferrocca_insitu::{Control, Field, Frame, Hook, PythonHook, Run, release_pending};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use support::script;
use tempfile::TempDir;

/// A device whose memory is the host's.
fn device() -> Device {
    Device::open_with(&ferrocca_backend_cpu::CPU, "mode=Serial").expect("a processor is always there")
}

struct Bench {
    directory: TempDir,
    python: ferrocca_insitu::python::Python,
}

impl Bench {
    fn new() -> Option<Self> {
        let python = support::python()?;
        Some(Self { directory: tempfile::tempdir().expect("a directory"), python })
    }

    fn load(&self, name: &str, text: &str) -> ferrocca_core::Result<PythonHook> {
        PythonHook::load_with(&self.python, script(&self.directory, name, text))
    }

    fn run(&self, device: &Device) -> Run {
        Run::new("bench").on(device).output_dir(self.directory.path()).parameter("points", 4).parameter("nu", 0.25)
    }
}

fn step_of(hook: &mut PythonHook, step: u64, u: &Memory<f64>) -> ferrocca_core::Result<Control> {
    hook.step(&Frame { step, time: step as f64 * 0.5, fields: &[Field::new("u", u)] })
}

#[track_caller]
fn assert_fails(result: ferrocca_core::Result<impl std::fmt::Debug>, parts: &[&str]) {
    let text = result.expect_err("this fails").to_string();
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in: {text}");
    }
}

#[test]
fn a_script_sees_the_run_and_steers_the_solver_in_place() {
    let Some(bench) = Bench::new() else { return };
    let device = device();
    let mut hook = bench
        .load(
            "steer.py",
            "import os, numpy, ferrocca\n\
             seen = []\n\
             def start(run):\n\
             \x20   assert (run.name, run.points, run.parameters['nu']) == ('bench', 4, 0.25), run\n\
             \x20   assert os.path.isdir(run.output_dir) and isinstance(run.mode, str) and run.device, run\n\
             \x20   assert dict(run.parameters) == {'points': 4, 'nu': 0.25}\n\
             def step(frame):\n\
             \x20   u = frame.u.array()\n\
             \x20   assert u is frame.fields['u'].array() and list(frame.fields) == ['u']\n\
             \x20   assert frame.time == 0.5 * frame.step and u.dtype == numpy.float64 and u.shape == (4,)\n\
             \x20   assert u.ctypes.data == frame.u.ptr\n\
             \x20   seen.append(u)\n\
             \x20   u[0] = frame.step\n\
             \x20   if frame.step == 4: return ferrocca.STOP\n\
             def finish(run):\n\
             \x20   assert len(seen) == 4 and seen[0] is seen[2] and seen[1] is seen[3] and seen[0] is not seen[1]\n\
             \x20   open(os.path.join(run.output_dir, 'finished'), 'w').close()\n",
        )
        .expect("it loads");
    let (mut u, mut previous) = (device.malloc_filled(4, 7.0).unwrap(), device.malloc_filled(4, 8.0).unwrap());
    hook.start(&bench.run(&device)).expect("start");
    for step in 1..=4 {
        let control = step_of(&mut hook, step, &u).expect("step");
        assert_eq!(control, if step == 4 { Control::Stop } else { Control::Continue });
        assert_eq!(u.to_vec().unwrap()[0], step as f64, "written in place");
        u.swap(&mut previous);
    }
    hook.finish(&bench.run(&device)).expect("finish");
    assert!(bench.directory.path().join("finished").exists());
    assert!(!bench.directory.path().join("__pycache__").exists(), "nothing else is left beside the script");
}

#[test]
fn a_read_only_field_refuses_every_way_of_writing() {
    let Some(bench) = Bench::new() else { return };
    let device = device();
    let u = device.malloc_filled(3, 1.5).unwrap();
    let mut hook = bench
        .load(
            "look.py",
            "import numpy\n\
             def refuses(error, call):\n\
             \x20   try: call()\n\
             \x20   except error: return\n\
             \x20   raise AssertionError('this was not refused')\n\
             def step(frame):\n\
             \x20   u = frame.u\n\
             \x20   assert u.readonly and u.array().tolist() == [1.5] * 3\n\
             \x20   for view in u.array(), numpy.asarray(u), numpy.from_dlpack(u):\n\
             \x20       assert view.ctypes.data == u.ptr\n\
             \x20       refuses(ValueError, lambda: view.__setitem__(0, 0.0))\n\
             \x20   assert u.__array_interface__['data'] == (u.ptr, True)\n\
             \x20   refuses(TypeError, lambda: memoryview(u).__setitem__(0, 0.0))\n\
             \x20   refuses(BufferError, lambda: u.__dlpack__())\n\
             \x20   copy = u.to_host(); copy[0] = 9.0\n",
        )
        .unwrap();
    hook.step(&Frame { step: 1, time: 0.0, fields: &[Field::new("u", &u).read_only()] }).expect("step");
    assert_eq!(u.to_vec().unwrap(), [1.5; 3]);
}

#[test]
fn shapes_strides_and_types_arrive() {
    let Some(bench) = Bench::new() else { return };
    let device = device();
    let grid: Vec<f32> = (0..20_u8).map(f32::from).collect();
    let grid = device.malloc_from(&grid).unwrap();
    let inside = grid.slice(6..).unwrap();
    let marks = device.malloc_from(&[-1_i8, 2, 3]).unwrap();
    let empty = device.malloc::<u64>(0).unwrap();
    let mut hook = bench
        .load(
            "shapes.py",
            "import numpy as np\n\
             def step(frame):\n\
             \x20   g = np.arange(20, dtype=np.float32).reshape(4, 5)\n\
             \x20   for view in frame.grid.array(), np.from_dlpack(frame.grid): assert (view == g).all()\n\
             \x20   for view in frame.inside.array(), np.from_dlpack(frame.inside), frame.inside.to_host():\n\
             \x20       assert view.shape == (2, 3) and (view == g[1:3, 1:4]).all(), view\n\
             \x20   assert frame.inside.strides == (20, 4) and frame.marks.array().dtype == np.int8\n\
             \x20   assert (frame.marks.array() == [-1, 2, 3]).all()\n\
             \x20   for view in frame.empty.array(), np.from_dlpack(frame.empty), frame.empty.to_host():\n\
             \x20       assert view.shape == (0,) and view.dtype == np.uint64\n\
             \x20   frame.inside.array()[...] = 0\n\
             \x20   assert repr(frame.inside) == 'ferrocca.Field(inside float32 (2, 3) on cpu)', frame.inside\n\
             \x20   try: frame.nothing\n\
             \x20   except AttributeError as error: assert 'grid, inside, marks, empty' in str(error)\n",
        )
        .unwrap();
    let fields = [
        Field::new("grid", &grid).shape(&[4, 5]),
        Field::new("inside", &inside).strided(&[2, 3], &[5, 1]),
        Field::new("marks", &marks),
        Field::new("empty", &empty),
    ];
    hook.step(&Frame { step: 1, time: 0.0, fields: &fields }).expect("step");
    let host = grid.to_vec().unwrap();
    assert_eq!((host[5], host[6], host[8], host[9], host[13], host[14]), (5.0, 0.0, 0.0, 9.0, 0.0, 14.0));
    let outside = [Field::new("grid", &grid).shape(&[5, 5])];
    assert_fails(hook.step(&Frame { step: 2, time: 0.0, fields: &outside }), &["`grid`", "20 elements"]);
}

#[test]
fn a_view_outlives_hook_memory_and_device() {
    let Some(bench) = Bench::new() else { return };
    let device = device();
    let values = Arc::new([1.0_f64, 2.0, 3.0].map(|value| AtomicU64::new(value.to_bits())));
    let address = NativeHandle::host(Arc::as_ptr(&values) as usize as u64);
    // SAFETY: the owner keeps the values, which nobody reads by reference while they are wrapped.
    let u = unsafe { device.wrap_memory_with_owner::<f64>(address, 3, Some(Box::new(values.clone()))) };
    let u = u.expect("host memory is wrapped");
    let mut keep =
        bench.load("keep.py", "import builtins\ndef step(frame): builtins.kept = frame.u.array()\n").unwrap();
    step_of(&mut keep, 1, &u).expect("step");
    drop((keep, u, device));
    release_pending();
    assert_eq!(Arc::strong_count(&values), 2, "the view keeps the memory");
    let mut look = bench
        .load(
            "look_again.py",
            "import builtins\n\
             def start(run):\n\
             \x20   assert builtins.kept.tolist() == [1.0, 2.0, 3.0]\n\
             \x20   builtins.kept[1] = 5.0\n\
             def finish(run):\n\
             \x20   assert builtins.kept.tolist() == [1.0, 5.0, 3.0]\n\
             \x20   del builtins.kept\n",
        )
        .unwrap();
    look.start(&Run::new("again")).expect("start");
    look.finish(&Run::new("again")).expect("finish");
    drop(look);
    // A test beside this one may be emptying the queue just now.
    let soon = std::time::Instant::now() + std::time::Duration::from_secs(5);
    while Arc::strong_count(&values) > 1 && std::time::Instant::now() < soon {
        std::thread::yield_now();
    }
    assert_eq!(Arc::strong_count(&values), 1, "the last view is gone");
    assert_eq!(f64::from_bits(values[1].load(Ordering::Relaxed)), 5.0);
}

#[test]
fn a_buffer_that_is_out_of_turn_is_let_go() {
    let Some(bench) = Bench::new() else { return };
    let device = device();
    let mut hook = bench.load("pass.py", "def step(frame): frame.u.array()\n").unwrap();
    for step in 1..=20 {
        let fresh = device.malloc_filled(1000, step as f64).unwrap();
        step_of(&mut hook, step, &fresh).expect("step");
    }
    drop(hook);
    assert!(device.max_memory_allocated() <= 8 * 8000, "a solver that allocates each step does not fill the memory");
}

#[test]
fn memory_of_a_device_is_copied_only_on_request() {
    let Some(bench) = Bench::new() else { return };
    let device = Device::open_with(&NullBackend::new(), ()).expect("the null device opens");
    let u = device.malloc_from(&[1.0, 2.0, 3.0, 4.0]).unwrap();
    let mut hook = bench
        .load(
            "device.py",
            "import numpy as np\n\
             def refuses(call, text):\n\
             \x20   try: call()\n\
             \x20   except BufferError as error: assert text in str(error), error\n\
             \x20   else: raise AssertionError('this was not refused')\n\
             def step(frame):\n\
             \x20   u = frame.u\n\
             \x20   assert u.__dlpack_device__() == (12, 0) and not hasattr(u, '__array_interface__')\n\
             \x20   refuses(u.array, 'to_host()')\n\
             \x20   refuses(lambda: memoryview(u), 'not on the host')\n\
             \x20   refuses(lambda: u.__dlpack__(dl_device=(1, 0)), 'copy=True')\n\
             \x20   refuses(lambda: np.from_dlpack(u, device='cpu', copy=False), 'copy=True')\n\
             \x20   refuses(lambda: u.__dlpack__(dl_device=(2, 0)), '(12, 0)')\n\
             \x20   refuses(lambda: u.__dlpack__(copy=True), 'dl_device=(1, 0)')\n\
             \x20   for copy in u.to_host(), np.from_dlpack(u, device='cpu', copy=True):\n\
             \x20       assert copy.tolist() == [[1.0, 3.0]] and copy.flags.writeable\n",
        )
        .unwrap();
    let fields = [Field::new("u", &u).strided(&[1, 2], &[4, 2])];
    hook.step(&Frame { step: 1, time: 0.0, fields: &fields }).expect("step");
}

#[test]
fn failures_of_scripts_carry_their_traceback() {
    let Some(bench) = Bench::new() else { return };
    let device = device();
    let u = device.malloc_filled(2, 0.0).unwrap();
    let load_fails = |name: &str, text: &str, parts: &[&str]| assert_fails(bench.load(name, text), parts);
    load_fails("broken.py", "x = 1\ndef step(frame)\n    pass\n", &["broken.py", "line 2", "SyntaxError"]);
    load_fails("nothing.py", "x = 1\n", &["nothing.py", "start(run), step(frame), observe(batch), finish(run)"]);
    load_fails("number.py", "step = 3\n", &["`step` is a int, not a function"]);
    load_fails(
        "lacks.py",
        "import no_such_module_of_ours\ndef step(frame): pass\n",
        &["Traceback", "lacks.py\", line 1", "-m pip install no_such_module_of_ours"],
    );
    load_fails("exits.py", "import sys\nsys.exit(3)\n", &["SystemExit: 3", "return ferrocca.STOP"]);

    let text = "def helper(): return 1 / 0\n\
                def start(run): helper()\n\
                def step(frame): frame.u.array()[99] = 1\n\
                def finish(run): raise RuntimeError('the ü end')\n";
    let mut hook = bench.load("raises.py", text).unwrap();
    let run = bench.run(&device);
    let parts = ["`start` of raises.py", "Traceback (most recent call last)", "line 1, in helper", "ZeroDivisionError"];
    assert_fails(hook.start(&run), &parts);
    assert_fails(step_of(&mut hook, 12, &u), &["`step` of raises.py after step 12", "line 3, in step", "IndexError"]);
    assert_fails(hook.finish(&run), &["`finish` of raises.py", "RuntimeError: the ü end"]);
    let mut hook = bench.load("returns.py", "def step(frame): return 3\n").unwrap();
    assert_fails(step_of(&mut hook, 1, &u), &["returned 3", "ferrocca.STOP or None"]);
}

#[test]
fn scripts_run_from_any_thread() {
    let Some(bench) = Bench::new() else { return };
    let device = device();
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let (bench, device) = (&bench, &device);
            scope.spawn(move || {
                let name = format!("thread_{thread}.py");
                let mut hook = bench.load(&name, "def step(frame): frame.u.array()[:] += 1\n").unwrap();
                let u = device.malloc_filled(16, 0.0).unwrap();
                for step in 1..=200 {
                    step_of(&mut hook, step, &u).expect("step");
                }
                assert_eq!(u.to_vec().unwrap(), [200.0; 16]);
            });
        }
    });
}

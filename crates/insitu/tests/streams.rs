//! Fields of a device whose work is asynchronous, seen by libraries with streams of their own. A stand-in plays both
//! ([`stand_in`]); where there is a GPU, the Python package's tests do the same with the real ones.

#[path = "support/stand_in.rs"]
mod stand_in;
mod support;

use ferrocca_core::{Device, Memory, Placement};
use ferrocca_insitu::{Control, Field, Frame, Hook, LEGACY_STREAM, PythonHook, Run, release_pending};
use stand_in::{DEFAULT, StandIn, State};
use std::sync::Arc;
use support::script;
use tempfile::TempDir;

extern "C" fn read(state: &State, stream: u64, address: u64) -> f64 {
    state.queue_read(stream, address).recv().expect("the stream comes to it")
}

extern "C" fn write(state: &State, stream: u64, address: u64, value: f64) {
    state.queue_slow_write(stream, address, value);
}

struct Bench {
    directory: TempDir,
    python: ferrocca_insitu::python::Python,
    device: Device,
    state: Arc<State>,
}

impl Bench {
    fn new() -> Option<Self> {
        let python = support::python()?;
        let directory = tempfile::tempdir().expect("a directory");
        script(&directory, "consumer.py", include_str!("scripts/consumer.py"));
        script(&directory, "fake_cupy.py", include_str!("scripts/fake_cupy.py"));
        let backend = StandIn::default();
        let device = Device::open_with(&backend, ()).expect("the stand-in opens");
        Some(Self { directory, python, device, state: backend.state })
    }

    /// Loads a script that begins with what all of them import, and starts it with `stream` as its parameter.
    fn load(&self, name: &str, text: &str, stream: u64) -> PythonHook {
        let text = format!(
            "from consumer import *\n\
             def start(run):\n\
             \x20   global library, stream\n\
             \x20   library, stream = Library(run), run.stream\n{text}"
        );
        let mut hook = PythonHook::load_with(&self.python, script(&self.directory, name, &text)).expect("it loads");
        let run = Run::new("streams")
            .parameter("context", Arc::as_ptr(&self.state) as usize)
            .parameter("read", read as *const () as usize)
            .parameter("write", write as *const () as usize)
            .parameter("stream", stream);
        hook.start(&run).expect("start");
        hook
    }

    /// A stream that is not the device's default one, as the solver's current stream.
    fn side_stream(&self) -> u64 {
        let stream = self.device.create_stream().expect("a stream");
        self.device.set_stream(&stream).expect("it is the device's");
        stream.handle()
    }
}

fn step(hook: &mut PythonHook, fields: &[Field<'_>]) -> ferrocca_core::Result<Control> {
    hook.step(&Frame { step: 1, time: 0.0, fields })
}

fn address(memory: &Memory<f64>) -> u64 {
    memory.ptr() as usize as u64
}

#[test]
fn protocols_say_what_the_memory_is() {
    let Some(bench) = Bench::new() else { return };
    let grid: Vec<f64> = (0..20).map(f64::from).collect();
    let grid = bench.device.malloc_from(&grid).unwrap();
    let inside = grid.slice(6..).unwrap();
    let mut hook = bench.load(
        "protocols.py",
        "def step(frame):\n\
         \x20   grid, inside = frame.grid, frame.inside\n\
         \x20   assert grid.device == 'cuda:3' and grid.__dlpack_device__() == (2, 3)\n\
         \x20   assert grid.__cuda_array_interface__ == {'version': 3, 'shape': (4, 5), 'typestr': '<f8',\n\
         \x20       'data': (grid.ptr, False), 'strides': None, 'stream': 0x1000}, grid.__cuda_array_interface__\n\
         \x20   interface = inside.__cuda_array_interface__\n\
         \x20   assert (interface['data'], interface['strides']) == ((grid.ptr + 48, False), (40, 8)), interface\n\
         \x20   assert not hasattr(grid, '__array_interface__')\n\
         \x20   for version, expected in ((1, 0), (1, 0)), ((1, 7), (1, 0)), ((0, 8), None), (None, None):\n\
         \x20       taken = Taken(inside.__dlpack__(stream=1, max_version=version))\n\
         \x20       assert (taken.version, taken.flags, taken.device, taken.dtype) == (expected, 0, (2, 3), (2, 64, 1))\n\
         \x20       assert (taken.address, taken.shape, taken.strides) == (grid.ptr + 48, [2, 3], [5, 1])\n\
         \x20       taken.delete()\n\
         \x20   refuses(lambda: grid.__dlpack__(stream=0), 'ambiguous')\n\
         \x20   refuses(lambda: grid.__dlpack__(stream=-2), 'not a CUDA stream')\n\
         \x20   refuses(lambda: grid.__dlpack__(dl_device=(1, 0)), 'copy=True')\n\
         \x20   refuses(lambda: grid.__dlpack__(dl_device=(2, 0)), '(2, 3)')\n\
         \x20   refuses(lambda: memoryview(grid), 'to_host()')\n\
         \x20   host = Taken(grid.__dlpack__(dl_device=(1, 0), copy=True, max_version=(1, 0)))\n\
         \x20   assert (host.device, host.flags, host.strides) == ((1, 0), 2, [5, 1])\n\
         \x20   assert [(ctypes.c_double * 20).from_address(host.address)[i] for i in (0, 19)] == [0.0, 19.0]\n\
         \x20   host.delete()\n\
         \x20   copy = Taken(inside.__dlpack__(stream=1, copy=True, max_version=(1, 0)))\n\
         \x20   assert (copy.device, copy.flags, copy.strides) == ((2, 3), 2, [5, 1])\n\
         \x20   assert copy.address != inside.ptr and library.read(1, copy.address + 8) == 7.0\n\
         \x20   copy.delete()\n\
         \x20   import numpy\n\
         \x20   for call in numpy.asarray, numpy.array, lambda field: numpy.zeros(3) + field:\n\
         \x20       refuses(lambda: call(grid), 'cuda:3', 'to_host()', error=TypeError)\n\
         \x20   assert inside.to_host().tolist() == [[6.0, 7.0, 8.0], [11.0, 12.0, 13.0]]\n",
        0,
    );
    let fields = [Field::new("grid", &grid).shape(&[4, 5]), Field::new("inside", &inside).strided(&[2, 3], &[5, 1])];
    step(&mut hook, &fields).expect("step");
    assert_eq!(bench.state.finishes(), 0, "nothing waited for the device");
}

#[test]
fn a_read_only_field_is_refused_where_nobody_would_keep_to_it() {
    let Some(bench) = Bench::new() else { return };
    let u = bench.device.malloc_from(&[1.5; 3]).unwrap();
    let mut hook = bench.load(
        "read_only.py",
        "def step(frame):\n\
         \x20   u, hints = frame.u, ('read-only', 'frozen()', 'copy=True', 'to_host()')\n\
         \x20   assert u.readonly\n\
         \x20   refuses(lambda: u.__cuda_array_interface__, *hints)\n\
         \x20   refuses(lambda: u.__dlpack__(stream=1), *hints)\n\
         \x20   refuses(lambda: u.__dlpack__(stream=1, max_version=(1, 0)), *hints)\n\
         \x20   refuses(lambda: u.array(), *hints)\n\
         \x20   copy = Taken(u.__dlpack__(stream=1, max_version=(1, 0), copy=True))\n\
         \x20   assert copy.address != u.ptr and copy.flags == 2 and library.read(1, copy.address) == 1.5\n\
         \x20   copy.delete()\n\
         \x20   frozen = u.frozen()\n\
         \x20   assert frozen.readonly and frozen.ptr == u.ptr\n\
         \x20   refuses(lambda: frozen.__cuda_array_interface__, 'read-only')\n\
         \x20   for version, flags in ((1, 0), 1), (None, 0):\n\
         \x20       taken = Taken(frozen.__dlpack__(stream=1, max_version=version))\n\
         \x20       assert (taken.flags, taken.address) == (flags, u.ptr)\n\
         \x20       taken.delete()\n",
        0,
    );
    step(&mut hook, &[Field::new("u", &u).read_only()]).expect("step");
}

#[test]
fn a_consumer_waits_for_a_producer_that_is_still_running() {
    let Some(bench) = Bench::new() else { return };
    let foreign = bench.state.stream();
    let u = bench.device.malloc_from(&[0.0]).unwrap();
    let text = "step_count = 0\n\
         def step(frame):\n\
         \x20   global step_count\n\
         \x20   step_count += 1\n\
         \x20   if step_count == 1:\n\
         \x20       Taken(frame.u.__dlpack__(stream=-1)).delete()\n\
         \x20       assert library.read(stream, frame.u.ptr) == 0.0, 'who asks for no order gets none'\n\
         \x20   elif step_count == 2:\n\
         \x20       Taken(frame.u.__dlpack__(stream=stream)).delete()\n\
         \x20       assert library.read(stream, frame.u.ptr) == 2.0\n\
         \x20   elif step_count == 3:\n\
         \x20       Taken(frame.u.__dlpack__()).delete()\n\
         \x20       assert library.read(1, frame.u.ptr) == 3.0\n\
         \x20   elif step_count == 4:\n\
         \x20       assert library.read(1, frame.u.__cuda_array_interface__['data'][0]) == 4.0\n\
         \x20   elif step_count == 5:\n\
         \x20       frame.uses_stream(stream)\n\
         \x20       assert library.read(stream, frame.u.ptr) == 5.0\n\
         \x20   else:\n\
         \x20       assert frame.u.to_host()[0] == step_count\n";
    for side in [false, true] {
        let own = if side { bench.side_stream() } else { DEFAULT };
        let mut hook = bench.load(if side { "slow_side.py" } else { "slow.py" }, text, foreign);
        for value in 1..=6 {
            bench.state.hold_writes(value == 1);
            bench.state.queue_slow_write(own, address(&u), f64::from(value));
            step(&mut hook, &[Field::new("u", &u)]).unwrap_or_else(|error| panic!("{value}, side: {side}: {error}"));
            bench.state.hold_writes(false);
        }
        bench.state.queue_slow_write(own, address(&u), 0.0);
        bench.device.stream().finish().unwrap();
    }
    assert_eq!(bench.state.finishes(), 0, "nothing waited for the device");
}

#[test]
fn the_solver_waits_for_what_a_hook_has_queued() {
    let Some(bench) = Bench::new() else { return };
    let foreign = bench.state.stream();
    let u = bench.device.malloc_from(&[0.0]).unwrap();
    let text = "step_count = 0\n\
                def step(frame):\n\
                \x20   global step_count\n\
                \x20   step_count += 1\n\
                \x20   if step_count == 1: library.write(stream, frame.u.ptr, 1.0)\n\
                \x20   elif step_count == 2: frame.uses_stream(stream); library.write(stream, frame.u.ptr, 2.0)\n\
                \x20   elif step_count == 3: library.write(1, frame.u.ptr, 3.0)\n\
                \x20   else: frame.uses_stream(Stream()); library.write(stream, frame.u.ptr, 4.0)\n\
                class Stream:\n\
                \x20   def __cuda_stream__(self): return 0, stream\n";
    for side in [false, true] {
        let own = if side { bench.side_stream() } else { DEFAULT };
        let mut hook = bench.load(if side { "back_side.py" } else { "back.py" }, text, foreign);
        u.share().fill(0.0).unwrap();
        // What nobody declares is not waited for: this shows that the rest of the test can fail.
        for seen in [0.0, 2.0, 3.0, 4.0] {
            bench.state.hold_writes(seen == 0.0);
            step(&mut hook, &[Field::new("u", &u)]).expect("step");
            assert_eq!(u.to_vec().unwrap(), [seen], "side: {side}");
            bench.state.hold_writes(false);
            if seen == 0.0 {
                bench.state.queue_read(foreign, address(&u)).recv().unwrap();
            }
        }
        let legacy = if side { vec![(own, LEGACY_STREAM)] } else { vec![] };
        bench.state.take_waits();
        step(&mut hook, &[Field::new("u", &u)]).expect("step");
        let before: Vec<_> = legacy.iter().map(|&(own, legacy)| (legacy, own)).collect();
        let expected = [before, vec![(foreign, own)], legacy, vec![(own, foreign)]].concat();
        assert_eq!(bench.state.take_waits(), expected, "the default stream and the legacy one need no event");
        u.to_vec().unwrap();
    }
    assert_eq!(bench.state.finishes(), 0, "nothing waited for the device");
}

#[test]
fn arrays_of_the_natural_library_are_cached_and_follow_its_current_stream() {
    let Some(bench) = Bench::new() else { return };
    let foreign = bench.state.stream();
    let (mut u, mut previous) = (bench.device.malloc_from(&[1.0]).unwrap(), bench.device.malloc_from(&[2.0]).unwrap());
    let text = "import gc\n\
                count = 0\n\
                def step(frame):\n\
                \x20   global count, before\n\
                \x20   if count == 0:\n\
                \x20       import sys; sys.modules['cupy'] = None  # as where it is not installed\n\
                \x20       refuses(frame.u.array, \"No module named 'cupy'\", 'cuda:3', 'cupy-cuda1', error=ModuleNotFoundError)\n\
                \x20       import fake_cupy; fake_cupy.install(); before = fake_cupy.made.count('view')\n\
                \x20   import cupy\n\
                \x20   array = frame.u.array()\n\
                \x20   assert array is frame.u.array() and array.address == frame.u.ptr\n\
                \x20   assert cupy.made.count('view') == before + min(count + 1, 2), 'one view for each buffer'\n\
                \x20   if count == 4:\n\
                \x20       cupy.current = cupy.Stream(stream)\n\
                \x20       frame.u.array()\n\
                \x20       library.write(stream, array.address, 9.0)\n\
                \x20       cupy.current = cupy.Stream(0)\n\
                \x20       gc.collect()\n\
                \x20       assert ('gone', stream) not in cupy.made, 'kept until the solver has waited for it'\n\
                \x20   if count == 5:\n\
                \x20       gc.collect()\n\
                \x20       assert ('gone', stream) in cupy.made\n\
                \x20   count += 1\n";
    let mut hook = bench.load("natural.py", text, foreign);
    for count in 0..6 {
        if count == 4 {
            bench.state.take_waits();
        }
        step(&mut hook, &[Field::new("u", &u)]).unwrap_or_else(|error| panic!("{count}: {error}"));
        match count {
            4 => {
                assert_eq!(bench.state.take_waits(), [(foreign, DEFAULT), (DEFAULT, foreign)]);
                assert_eq!(u.to_vec().unwrap(), [9.0]);
            }
            _ => assert_eq!(bench.state.take_waits(), [], "streams that the driver keeps in order need no event"),
        }
        u.swap(&mut previous);
    }
}

#[test]
fn a_frozen_view_does_not_outlive_its_step() {
    let Some(bench) = Bench::new() else { return };
    let u = bench.device.malloc_from(&[4.0]).unwrap();
    let text = "import threading, time\n\
                held, count = None, 0\n\
                def step(frame):\n\
                \x20   global held, count\n\
                \x20   count += 1\n\
                \x20   held = Taken(frame.u.frozen().__dlpack__(stream=1))\n\
                \x20   assert held.flags == 0 and library.read(1, held.address) == 4.0\n\
                \x20   if count == 1: held.delete()\n\
                \x20   # A library may let go on a thread of its own, a little later.\n\
                \x20   if count == 2: threading.Timer(0.05, held.delete).start()\n";
    let mut hook = bench.load("frozen.py", text, 0);
    for count in 1..=2 {
        step(&mut hook, &[Field::new("u", &u)]).expect("step");
        assert_eq!(bench.state.finishes(), count, "such a library does not tell its streams");
    }
    let error = step(&mut hook, &[Field::new("u", &u)]).unwrap_err().to_string();
    for part in ["frozen view", "still held", "copy=True"] {
        assert!(error.contains(part), "`{part}` is missing in: {error}");
    }
}

#[test]
fn pinned_memory_is_the_hosts_and_at_rest_when_it_is_seen() {
    let Some(bench) = Bench::new() else { return };
    let pinned = bench.device.malloc_placed::<f64>(1, Placement::HostPinned).unwrap();
    let text = "import numpy\n\
                count = 0\n\
                def step(frame):\n\
                \x20   global count\n\
                \x20   count += 1\n\
                \x20   assert frame.u.__dlpack_device__() == (3, 3) and not hasattr(frame.u, '__cuda_array_interface__')\n\
                \x20   if count == 1: array = frame.u.array()\n\
                \x20   elif count == 2: array = frame.u.array()\n\
                \x20   elif count == 3: array = numpy.from_dlpack(frame.u)\n\
                \x20   elif count == 4: array = numpy.from_dlpack(frame.u, device='cpu')\n\
                \x20   elif count == 5: array = numpy.asarray(memoryview(frame.u))\n\
                \x20   else: array = numpy.asarray(frame.u)\n\
                \x20   assert array[0] == count and array.ctypes.data == frame.u.ptr, (array, count)\n";
    let mut hook = bench.load("pinned.py", text, 0);
    let write = |value| {
        let address = pinned.mapped().expect("the host addresses it").as_ptr() as usize as u64;
        bench.state.queue_slow_write(DEFAULT, address, value);
    };
    for count in 1..=6 {
        write(f64::from(count));
        step(&mut hook, &[Field::new("u", &pinned)]).unwrap_or_else(|error| panic!("{count}: {error}"));
    }
    write(7.0);
    let fields = [Field::new("u", &pinned)];
    Frame { step: 1, time: 0.0, fields: &fields }.settle().unwrap();
    assert_eq!(bench.state.queue_read(LEGACY_STREAM, address(&pinned)).recv(), Ok(7.0));
    assert_eq!(bench.state.finishes(), 0, "nothing waited for the device");
}

#[test]
fn a_tensor_outlives_pool_memory_and_device_and_goes_on_any_thread() {
    let Some(bench) = Bench::new() else { return };
    let text = "import threading\n\
                def step(frame):\n\
                \x20   global tensors\n\
                \x20   tensors = [Taken(frame.u.__dlpack__(stream=1, max_version=(1, 0))) for _ in range(8)]\n\
                def finish(run):\n\
                \x20   assert library.read(1, tensors[0].address) == 3.0\n\
                \x20   threads = [threading.Thread(target=tensor.delete) for tensor in tensors]\n\
                \x20   for thread in threads: thread.start()\n\
                \x20   for thread in threads: thread.join()\n";
    let Bench { state, device, .. } = &bench;
    let (before, state) = (state.live_bytes(), state.clone());
    let mut hook = bench.load("outlive.py", text, 0);
    let pool = device.create_memory_pool().unwrap();
    let mut u = pool.reserve::<f64>(1).unwrap();
    u.fill(3.0).unwrap();
    step(&mut hook, &[Field::new("u", &u)]).expect("step");
    drop((pool, u));
    // The hook's cache keeps fields of the last frames; these make it forget.
    let other = device.malloc_from(&[0.0]).unwrap();
    let mut forget = bench.load("forget.py", "def step(frame): pass\n", 0);
    for _ in 0..8 {
        step(&mut forget, &[Field::new("u", &other)]).expect("step");
    }
    release_pending();
    assert!(state.live_bytes() > before + 8, "the tensors keep the pool's chunk");
    hook.finish(&Run::new("streams")).expect("finish");
    drop((hook, forget, other));
    release_pending();
    assert_eq!(state.live_bytes(), before, "the last tensor is gone");
}

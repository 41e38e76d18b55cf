"""Who keeps CUDA memory, and until when: solvers, pools, libraries' own pools, threads, and the end of the interpreter."""

import gc
import pathlib
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest
import reference
from ferrocca.burgers import Solver


def settles(device, bytes_allocated):
    """Whether the device's memory comes down to that: a library may let go on threads of its own, a little later."""
    last = time.monotonic() + 5
    while device.memory_allocated != bytes_allocated and time.monotonic() < last:
        gc.collect()
        device.finish()
        time.sleep(0.01)
    return device.memory_allocated == bytes_allocated


def test_a_view_outlives_the_solver(cuda, library):
    solver = Solver(cuda)
    solver.step(100)
    view = library.view(solver.u)
    del solver
    gc.collect()
    # What was let go would be handed out again.
    others = [cuda.malloc_from(np.full(258, float(i))) for i in range(8)]
    assert np.abs(library.numpy(view) - reference.solve()[99]).max() < 1e-12, len(others)


def test_a_view_outlives_its_pool(cuda, library):
    before = cuda.memory_allocated
    pool = cuda.create_memory_pool()
    memory = pool.reserve((4, 5))
    memory.fill(2.5)
    assert pool.stats["reservations"] == 1
    view = library.view(memory)
    del memory, pool
    gc.collect()
    others = [cuda.malloc_from(np.full(1000, float(i))) for i in range(8)]
    assert (library.numpy(view) == 2.5).all() and tuple(view.shape) == (4, 5), len(others)
    del view, others
    assert settles(cuda, before)


@pytest.mark.libraries("cupy", "torch")
def test_memory_outlives_the_pool_of_its_library(cuda, library):
    original = library.make(np.arange(1000.0))
    memory = cuda.wrap(original)
    del original
    gc.collect()
    if library.name == "cupy":
        library.cupy.get_default_memory_pool().free_all_blocks()
    else:
        library.torch.cuda.empty_cache()
    others = [library.make(np.full(1000, float(i))) for i in range(8)]
    assert (memory.to_host() == np.arange(1000)).all(), len(others)


def test_views_go_on_any_thread(cuda, library):
    gc.collect()
    cuda.finish()
    before = cuda.memory_allocated
    views = [library.view(cuda.malloc_from(np.zeros(1000))) for _ in range(32)]
    assert cuda.memory_allocated == before + 32 * 8000
    threads = [threading.Thread(target=lambda part: part.clear(), args=(views[i::4],)) for i in range(4)]
    views.clear()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    del threads
    assert settles(cuda, before)


def test_wrapped_arrays_go_on_any_thread(cuda, library):
    memories = [cuda.wrap(library.make(np.zeros(1000))) for _ in range(16)]
    threads = [threading.Thread(target=lambda part: part.clear(), args=(memories[i::4],)) for i in range(4)]
    memories.clear()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cuda.finish()


SLOW = """@kernel void slow(const long rounds, double *x) {
    for (int group = 0; group < 1; ++group; @outer) {
        for (int item = 0; item < 1; ++item; @inner) {
            double sum = x[0];
            for (long round = 0; round < rounds; ++round) sum = 0.75 * sum + 1.0;
            x[0] = sum;
        }
    }
}"""


class Theirs:
    """An array that notes when it is gone. Its memory outlives it here."""

    def __init__(self, array):
        self.__cuda_array_interface__ = array.__cuda_array_interface__


@pytest.mark.libraries("cupy")
@pytest.mark.parametrize("wrapped", [False, True])
def test_an_array_stays_until_work_on_a_side_stream_is_done(cuda, library, wrapped):
    slow = cuda.build_kernel_from_string(SLOW, "slow")
    data = library.make(np.zeros(1))
    array = Theirs(data)
    gone = weakref.ref(array)
    default = cuda.stream
    cuda.finish()
    begin = time.perf_counter()
    cuda.set_stream(cuda.create_stream())
    slow(10**8, cuda.wrap(array) if wrapped else array)
    cuda.set_stream(default)
    del array
    # An entry of the library at which what is done would be let go.
    _ = cuda.memory_allocated
    alive, queued = gone() is not None, time.perf_counter() - begin
    cuda.finish()
    done = time.perf_counter() - begin
    assert abs(library.numpy(data)[0] - 4) < 1e-9
    assert queued < 0.5 * done, f"the kernel did not outlast its launch: {queued} s of {done} s"
    assert alive, "the array was let go while a kernel used its memory"
    assert gone() is None, "the array was kept when the work was done"


AT_THE_END = """
import sys, threading
sys.path.insert(0, {tests!r})
import ferrocca, gpu_libraries
import numpy as np
from ferrocca.burgers import Solver

library = gpu_libraries.load({name!r})
device = ferrocca.Device("mode=CUDA")
solver = Solver(device)
solver.run(lambda frame: (library.view(frame.u), None)[1], every=500) if {name!r} != "jax" else solver.step(10)
kept = [library.view(solver.u), library.view(device.malloc_from(np.zeros(1000)))]
wrapped = device.wrap(library.make(np.ones(1000)))
sys.kept_for_ever = (kept, wrapped, solver)

class Cycle:
    pass

cycle = Cycle()
cycle.self, cycle.view, cycle.wrapped = cycle, library.view(device.malloc_from(np.zeros(10))), device.wrap(library.make(np.ones(10)))
thread = threading.Thread(target=lambda view: threading.Event().wait(0.2), args=(library.view(solver.u),))
thread.start()
daemon = threading.Thread(target=lambda view: threading.Event().wait(), args=(library.view(solver.u),), daemon=True)
daemon.start()
print("the end")
"""


def test_the_interpreter_ends_in_good_order(cuda, library, tmp_path):
    script = tmp_path / "end.py"
    script.write_text(AT_THE_END.format(tests=str(pathlib.Path(__file__).parent), name=library.name))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout == "the end\n", done.stderr
    for word in "Traceback", "panicked", "Fatal", "terminate":
        assert word not in done.stderr, done.stderr

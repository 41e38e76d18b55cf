"""Memory of a WebGPU device that CUDA has too: the array libraries of CUDA see it in place, in the order of the work."""

import gc
import pathlib
import statistics
import time

import ferrocca
import numpy as np
import pytest
import reference
from conftest import promised
from ferrocca.burgers import Solver

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples" / "insitu"
EXPORTING = "mode=WebGPU, exportable=true"
N = 1 << 20

NEXT = """@kernel void next(const int n, const int a, const int c, int *x) {
  for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) { x[i] = (x[i] * a + c) % 1000003; }
}"""
SLOWLY = """@kernel void put_slowly(const int rounds, const float value, float *x) {
  for (int o = 0; o < 1; ++o; @outer) {
    for (int i = 0; i < 64; ++i; @inner) {
      float s = 0.0f;
      for (int k = 0; k < rounds; ++k) { s = s * 0.999f + 0.001f; }
      x[i] = (s < 2.0f) ? value : s;
    }
  }
}"""


@pytest.fixture(scope="module")
def webgpu(cuda):
    """A WebGPU device whose memory CUDA has too. Without one the test is skipped, unless both modes are promised."""
    names = [name for name in ("WebGPU", "CUDA") if promised("FERROCCA_REQUIRE_DEVICES", name)]
    try:
        device = ferrocca.Device(EXPORTING)
        probe = device.malloc(1)
    except ferrocca.Error as error:
        if "WebGPU" in names:
            raise
        pytest.skip(str(error))
    if not probe.device.startswith("cuda:"):
        with pytest.raises(BufferError) as refusal:
            probe.array()
        if len(names) == 2:
            pytest.fail(str(refusal.value))
        pytest.skip(str(refusal.value))
    return device


def test_memory_that_is_not_exported_is_refused_with_the_way_out(opened):
    memory = opened("mode=WebGPU, memory=separate").malloc(8)
    assert memory.device.startswith("webgpu:") and not memory.in_place
    with pytest.raises(BufferError, match=r"`to_host\(\)` makes a copy.*`exportable=true`.*CUDA"):
        memory.array()
    assert not hasattr(memory, "__cuda_array_interface__")


def test_exported_memory_without_cuda_says_why_cuda_has_none(opened):
    device = opened(EXPORTING)
    memory = device.malloc_from(np.arange(8.0))
    if memory.device.startswith("cuda:"):
        pytest.skip("CUDA has it")
    with pytest.raises(BufferError, match=r"`to_host\(\)` makes a copy.*cannot view it.*`CUDA` is not available"):
        memory.array()
    with pytest.raises(ferrocca.Error, match="`CUDA` is not available"):
        device.stream.wait(1)
    assert (memory.to_host() == np.arange(8.0)).all()


@pytest.mark.libraries("cupy", "torch", "numba")
def test_views_are_in_place(webgpu, library):
    values = np.arange(100_003.0)
    memory = webgpu.malloc_from(values)
    assert memory.device.startswith("cuda:") and memory.in_place and not hasattr(memory, "__array_interface__")
    for way in library.ways:
        view, again = library.view(memory, way), library.view(memory.share(), way)
        assert library.pointer(view) == library.pointer(again) == memory.ptr
        assert library.pointer(library.view(memory[50_000:], way)) == memory.ptr + 8 * 50_000
        assert (library.numpy(view) == values).all()
        library.fill(view, 7.0)
        assert (memory.to_host() == 7).all()
        memory.copy_from(values)


def after_a_thousand_turns(start):
    values = start.astype("int64")
    for iteration in range(1000):
        values = (values * 3 + iteration) % 1000003
        values = (values * 5 + iteration + 1) % 1000003
    return values


@pytest.mark.libraries("cupy", "torch")
def test_kernels_and_a_library_take_turns_a_thousand_times(webgpu, library):
    """With one array all the time: on the default stream nothing has to be said."""
    start = np.arange(N, dtype="int32") % 1009
    memory = webgpu.malloc_from(start)
    kernel = webgpu.build_kernel_from_string(NEXT, "next")
    view = library.view(memory)
    begin = time.perf_counter()
    for iteration in range(1000):
        kernel(N, 3, iteration, memory)
        view *= 5
        view += iteration + 1
        view %= 1000003
    queued = time.perf_counter() - begin
    seen = memory.to_host()
    print(f"1,000 iterations with {library.name}: queued in {queued:.3f} s, done in {time.perf_counter() - begin:.3f} s")
    expected = after_a_thousand_turns(start)
    assert (seen == expected).all() and (library.numpy(view) == expected).all()


@pytest.mark.libraries("cupy")
def test_a_stream_of_the_librarys_own_is_told(webgpu, library):
    start = np.arange(N, dtype="int32") % 1009
    memory = webgpu.malloc_from(start)
    kernel = webgpu.build_kernel_from_string(NEXT, "next")
    with library.cupy.cuda.Stream(non_blocking=True) as theirs:
        for iteration in range(1000):
            kernel(N, 3, iteration, memory)
            view = memory.array()
            view *= 5
            view += iteration + 1
            view %= 1000003
            webgpu.stream.wait(theirs)
        assert view is memory.array()
    assert (memory.to_host() == after_a_thousand_turns(start)).all()


def slow(device):
    """A kernel that writes 64 values after 60 ms or more, and its duration in seconds."""
    kernel = device.build_kernel_from_string(SLOWLY, "put_slowly")
    memory = device.malloc(64, "float32")
    rounds, seconds = 1 << 16, 0.0
    while seconds < 0.06:
        rounds *= 2
        begin = time.perf_counter()
        kernel(rounds, 0.0, memory)
        device.finish()
        seconds = time.perf_counter() - begin
    return (lambda value, memory, longer=1: kernel(rounds * longer, value, memory)), seconds


@pytest.mark.libraries("cupy", "torch", "jax")
def test_a_running_kernel_is_waited_for_by_the_library_and_not_by_the_host(webgpu, library):
    put, _ = slow(webgpu)
    memory = webgpu.malloc(64, "float32")
    target = library.make(np.zeros(64, "float32"))
    put(1.0, memory)
    assert (library.numpy(library.copy_into(target, library.view(memory))) == 1).all()
    for longer in (1, 4, 16):  # on a machine that is busy elsewhere
        put(1.0 + longer, memory, longer)
        end = webgpu.event()
        view = library.view(memory)
        runs = not end.is_reached
        seen = library.numpy(library.copy_into(target, view))
        assert (seen == 1.0 + longer).all()
        del view
        if runs:
            break
    assert runs, "the host waited for the kernel"


@pytest.mark.libraries("cupy", "torch", "numba")
def test_a_running_library_is_waited_for(webgpu, library):
    memory = webgpu.malloc(64)
    view = library.view(memory)
    library.fill(view, 1.0)
    copy = memory.duplicate()
    memory.to_host()
    begin = time.perf_counter()
    library.slow_fill(view, 3.0)
    copy.copy_from(memory)
    queued = time.perf_counter() - begin
    assert (copy.to_host() == 3).all()
    assert queued < (time.perf_counter() - begin) / 2, "the host did not wait before it looked"


def test_a_view_keeps_the_memory(webgpu, library):
    gc.collect()
    before = webgpu.memory_allocated
    memory = webgpu.malloc_from(np.arange(1000.0))
    view = library.view(memory)
    del memory
    gc.collect()
    assert webgpu.memory_allocated == before + 8000
    assert (library.numpy(view) == np.arange(1000.0)).all()
    if library.name == "numba":
        library.cuda.synchronize()
    del view
    gc.collect()
    # JAX lets go on threads of its own.
    last = time.perf_counter() + 10
    while webgpu.memory_allocated > before and time.perf_counter() < last:
        time.sleep(0.01)
    assert webgpu.memory_allocated == before


def test_every_snapshot_is_that_of_numpy(webgpu, library):
    rows = []

    def hook(frame):
        assert frame.u.device.startswith("cuda:")
        rows.append(library.numpy(library.view(frame.u)).copy())

    Solver(webgpu).run(hook)
    assert np.abs(np.array(rows) - reference.solve()).max() < 1e-12


@pytest.mark.libraries("cupy")
def test_every_batch_is_that_of_numpy(webgpu, library):
    rows = []

    class Observer:
        def observe(self, batch):
            rows.append(library.numpy(batch.u.array()).copy())

    Solver(webgpu).run(Observer())
    assert np.abs(np.concatenate(rows) - reference.solve()).max() < 1e-12


@pytest.mark.libraries("cupy", "torch")
def test_what_a_hook_writes_is_what_the_solver_goes_on_with(webgpu, library):
    def steer(view):
        def hook(frame):
            if frame.step % 100 == 0:
                array = view(frame.u)
                array *= 0.5

        return hook

    solver, other = Solver(webgpu), Solver(ferrocca.Device("mode=Serial"))
    solver.run(steer(library.view))
    other.run(steer(lambda field: field.array()))
    assert np.abs(solver.u.to_host() - other.u.to_host()).max() < 1e-12


@pytest.mark.libraries("cupy")
def test_the_scripts_run_beside_the_program(webgpu, library, burgers, tmp_path):
    pytest.importorskip("matplotlib")
    expected = np.linalg.svd(reference.solve()[:, 1:-1], compute_uv=False)
    for name in "svd", "svd_observed":
        out = tmp_path / name
        done = burgers("--insitu", EXAMPLES / f"{name}.py", "--output", out, device=EXPORTING)
        assert done.returncode == 0, done.stderr
        assert "u[10] = 0.0733873" in done.stdout and "2001 snapshots of 256 points" in done.stdout
        values = np.loadtxt(out / "singular_values.txt")
        assert np.allclose(values, expected, rtol=1e-9, atol=1e-11 * expected[0])
    script = """
def step(frame):
    assert frame.u.device.startswith("cuda:") and type(frame.u.array()).__module__.startswith("cupy")
"""
    done = burgers("--final-time", 0.05, script=script, device=EXPORTING)
    assert done.returncode == 0, done.stderr


@pytest.mark.libraries("cupy")
def test_what_a_step_costs(webgpu, library, capsys):
    times = []
    target = library.make(np.zeros(258))

    def hook(frame):
        times.append(time.perf_counter())
        target[...] = frame.u.array()

    Solver(webgpu).run(hook)
    steps = np.diff(times[len(times) // 2 :]) * 1e6
    with capsys.disabled():
        print(f"\nWebGPU with CuPy, a step: {statistics.median(steps):.1f} us", end="")
    # No bar of time: that the host does not wait for milliseconds.
    assert statistics.median(steps) < 5000

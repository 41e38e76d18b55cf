"""In-situ analysis of a solver that runs on CUDA: views, steering, order of streams, cost, and the SVD script on CuPy."""

import contextlib
import gc
import importlib
import pathlib
import statistics
import sys
import time

import ferrocca
import numpy as np
import pytest
import reference
from ferrocca.burgers import Solver

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples" / "insitu"

# Of the original problem, to the digits that were published.
SINGULAR_VALUES = 471.26, 104.64, 26.86


def test_every_snapshot_is_that_of_numpy(cuda, library):
    rows = []

    def hook(frame):
        assert frame.u.device.startswith("cuda:")
        rows.append(library.numpy(library.view(frame.u)).copy())

    Solver(cuda).run(hook)
    assert np.abs(np.array(rows) - reference.solve()).max() < 1e-12


def test_every_batch_is_that_of_numpy(cuda, library):
    class Observer:
        rows, steps = [], []

        def observe(self, batch):
            assert batch.u.shape == (len(batch), 258)
            self.rows.append(library.numpy(library.view(batch.u)).copy())
            self.steps += batch.steps

    observer = Observer()
    Solver(cuda).run(observer)
    assert observer.steps == list(range(1, 2002))
    assert np.abs(np.concatenate(observer.rows) - reference.solve()).max() < 1e-12


@pytest.mark.libraries("cupy", "torch", "numba")
def test_what_is_not_finite_ends_the_run(cuda, library):
    def hook(frame):
        if frame.step == 20:
            library.fill(library.view(frame.u), float("nan"))

    with pytest.raises(ferrocca.Error, match="not finite at step .* a hook may have changed"):
        Solver(cuda).run(hook)
    with pytest.raises(ferrocca.Error, match="NaN appeared at step"):
        Solver(cuda, dt=0.1, final_time=100).run(lambda frame: None, read_only=True)


@pytest.mark.libraries("cupy", "torch", "numba")
def test_steering_in_place(cuda, library):
    def hook(frame):
        library.fill(library.view(frame.u), 0.25)

    solver = Solver(cuda, final_time=0.05)
    solver.run(hook)
    assert (solver.u.to_host() == 0.25).all(), "a constant field is a steady state"


@pytest.mark.libraries("cupy", "torch", "numba")
@pytest.mark.parametrize("side", [False, True])
def test_the_solver_waits_for_what_a_hook_has_queued(cuda, library, side):
    """The write takes a tenth of a second, and a step some microseconds: a solver that did not wait would be done."""

    def hook(frame):
        if frame.step == 2:
            with library.side_stream() if side else contextlib.nullcontext() as stream:
                if stream is not None:
                    frame.uses_stream(stream)
                library.slow_fill(library.view(frame.u), 0.25)

    warm = library.make(np.zeros(4))
    library.slow_fill(warm, 1.0)
    solver = Solver(cuda, final_time=0.02)
    solver.run(hook)
    assert (solver.u.to_host() == 0.25).all()


@pytest.mark.libraries("cupy")
def test_cupys_current_stream_is_known_without_being_declared(cuda, library):
    library.slow_fill(library.make(np.zeros(4)), 1.0)

    def hook(frame):
        if frame.step == 2:
            with library.side_stream():
                library.slow_fill(frame.u.array(), 0.25)
            gc.collect()  # the stream lives until the solver has waited for it

    solver = Solver(cuda, final_time=0.02)
    solver.run(hook)
    assert (solver.u.to_host() == 0.25).all()


@pytest.mark.libraries("cupy", "torch", "numba")
def test_a_solver_on_a_stream_that_is_ordered_with_nothing(cuda, library):
    before, rows = cuda.stream, []
    cuda.set_stream(cuda.create_stream({"non_blocking": True}))
    try:

        def hook(frame):
            view = library.view(frame.u)
            rows.append(library.numpy(view).copy())
            library.fill(view, 0.25 + frame.step)

        solver = Solver(cuda, final_time=0.2)
        solver.run(hook)
        expected = [0.25 + step for step in range(1, 300)]
        assert [set(row) for row in rows[1:]] == [{value} for value in expected[: len(rows) - 1]]
    finally:
        cuda.set_stream(before)


@pytest.mark.libraries("jax")
def test_jax_sees_a_frozen_frame_and_lets_it_go(cuda, library):
    jax, sums, copies = library.jax, [], []

    def hook(frame):
        frozen = jax.dlpack.from_dlpack(frame.u.frozen())
        assert frozen.unsafe_buffer_pointer() == frame.u.ptr
        sums.append(float((frozen**2).sum()))
        copies.append(jax.numpy.array(frozen, copy=True))

    Solver(cuda, final_time=0.1).run(hook)
    expected = reference.solve(final_time=0.1)
    assert np.allclose(sums, (expected**2).sum(axis=1), rtol=1e-12)
    assert np.abs(np.array([library.numpy(row) for row in copies]) - expected).max() < 1e-12

    held = []
    with pytest.raises(BufferError, match=r"frozen view is still held.*copy=True"):
        Solver(cuda, final_time=0.1).run(lambda frame: held.append(jax.dlpack.from_dlpack(frame.u.frozen())))
    assert len(held) == 1, "the first step found it"


@pytest.mark.libraries("cupy")
def test_views_are_cached_for_each_buffer(cuda, library):
    seen = []
    Solver(cuda, final_time=0.02).run(lambda frame: seen.append(frame.u.array()))
    assert len({id(view) for view in seen}) <= 3, "as many as the solver has buffers"
    assert all(isinstance(view, library.cupy.ndarray) for view in seen)


@pytest.mark.libraries("cupy")
@pytest.mark.parametrize("side", [False, True])
def test_the_hand_off_of_a_field_is_cheap(cuda, library, side, capsys):
    times = []

    def hook(frame):
        u = frame.u
        start = time.perf_counter_ns()
        u.array()
        times.append(time.perf_counter_ns() - start)

    with library.side_stream() if side else contextlib.nullcontext():
        Solver(cuda).run(hook)
    median = statistics.median(times[100:]) / 1e3
    with capsys.disabled():
        print(f"\nhand-off of one field to CuPy, {'side' if side else 'default'} stream: {median:.2f} us", end="")
    assert median < 25


@pytest.mark.libraries("cupy")
def test_the_cost_of_a_step_with_a_hook(cuda, library, capsys):
    snapshots = library.cupy.empty((2100, 258))

    def copies(frame):
        snapshots[frame.step] = frame.u.array()

    def per_step(hook):
        best = float("inf")
        for _ in range(3):
            solver = Solver(cuda)
            start = time.perf_counter()
            solver.run(hook)
            best = min(best, time.perf_counter() - start)
        return best / 2001 * 1e6

    class Observer:
        def start(self, run):
            self.rows = library.cupy.empty((2100, 258))

        def observe(self, batch):
            self.rows[batch.steps[0] : batch.steps[-1] + 1] = batch.u.array()

    observer = Observer()
    none, empty, copy = per_step(None), per_step(lambda frame: None), per_step(copies)
    observed = per_step(observer)
    with capsys.disabled():
        print("\na step of the original problem, in microseconds:")
        print(f"  {none:6.2f}  without a hook")
        print(f"  {empty:6.2f}  with a Python hook that does nothing")
        print(f"  {copy:6.2f}  with a Python hook that copies into a CuPy array (bar: 12)")
        print(f"  {observed:6.2f}  with one that observes, and copies batches into a CuPy array (bar: 1)", end="")
    for rows in snapshots, observer.rows:
        assert np.abs(rows.get()[1:2002] - reference.solve()).max() < 1e-12


@pytest.fixture(params=["svd", "svd_observed"])
def script(request, monkeypatch):
    """A script as a module: a hook object with `start`, `finish`, and `step` or `observe`."""
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(EXAMPLES)
    for name in "svd", "svd_observed":
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module(request.param)
    for name in "svd", "svd_observed":
        sys.modules.pop(name, None)


@pytest.mark.libraries("cupy")
def test_the_svd_script_keeps_its_snapshots_on_the_device(cuda, library, script, tmp_path):
    svd = sys.modules["svd"]
    to_numpy, moved, finishing, matrices = svd.to_numpy, [], [], []
    finish = script.finish

    def counted(array):
        assert finishing, "nothing leaves the device before the run is over"
        moved.append(array.nbytes)
        return to_numpy(array)

    def watched(run):
        finishing.append(True)
        finish(run)
        matrices.append(svd.snapshots.matrix())

    svd.to_numpy, script.finish = counted, watched
    Solver(cuda).run(script, output_dir=tmp_path)
    (matrix,) = matrices
    assert isinstance(matrix, library.cupy.ndarray) and matrix.shape == (2001, 256)
    attributes = library.cupy.cuda.runtime.pointerGetAttributes(matrix.data.ptr)
    assert attributes.type == 2, "cudaMemoryTypeDevice"
    # The singular values, the vectors that are plotted, and the snapshots that are plotted; not the matrix.
    assert sum(moved) < 20 * 256 * 8 < matrix.nbytes
    values = np.loadtxt(tmp_path / "singular_values.txt")
    assert np.allclose(values[:3], SINGULAR_VALUES, atol=0.005), values[:3]
    expected = np.linalg.svd(reference.solve()[:, 1:-1], compute_uv=False)
    assert np.allclose(values, expected, rtol=1e-9, atol=1e-10 * expected[0])
    for name in "Field_evolution.png", "SVD_Eigenvectors.png":
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


@pytest.mark.libraries("cupy")
@pytest.mark.parametrize("name", ["svd", "svd_observed"])
def test_the_svd_script_beside_the_program(cuda, library, burgers, tmp_path, name):
    pytest.importorskip("matplotlib")
    done = burgers("--insitu", EXAMPLES / f"{name}.py", "--output", tmp_path, device="mode=CUDA")
    if done.returncode and "shared library" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    values = np.loadtxt(tmp_path / "singular_values.txt")
    assert np.allclose(values[:3], SINGULAR_VALUES, atol=0.005), values[:3]
    assert (tmp_path / "Field_evolution.png").exists() and (tmp_path / "SVD_Eigenvectors.png").exists()
    with_time = [line for line in done.stdout.splitlines() if "mean" in line]
    print(f"{name}: {with_time}")


@pytest.mark.libraries("cupy")
def test_a_read_only_field_is_copied_on_the_device(cuda, library):
    cupy, rows = library.cupy, []

    def hook(frame):
        assert frame.u.readonly
        with pytest.raises(BufferError, match="read-only"):
            frame.u.array()
        copy = cupy.from_dlpack(frame.u, copy=True)
        rows.append(copy.copy())
        copy[:] = 9.0

    Solver(cuda, final_time=0.05).run(hook, read_only=True)
    assert np.abs(np.array([row.get() for row in rows]) - reference.solve(final_time=0.05)).max() < 1e-12


def test_without_cupy_the_package_is_named(cuda, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(ModuleNotFoundError, match=r"cuda:\d.*install `cupy-cuda1[23]x`"):
        cuda.malloc(3).array()
    with pytest.raises(ModuleNotFoundError, match="cupy-cuda1"):
        Solver(cuda).run(lambda frame: frame.u.array())
    assert ferrocca.Device("mode=Serial").malloc(3).array().shape == (3,)

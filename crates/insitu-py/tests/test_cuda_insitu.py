"""In-situ analysis of a solver that runs on CUDA: views, steering, order of streams, cost, and the SVD script on CuPy."""

import contextlib
import gc
import importlib.util
import pathlib
import statistics
import time

import ferrocca
import numpy as np
import pytest
import reference
from ferrocca.burgers import Solver

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "examples" / "insitu" / "svd.py"

# Of the original problem, to the digits that were published.
SINGULAR_VALUES = 471.26, 104.64, 26.86


def test_every_snapshot_is_that_of_numpy(cuda, library):
    rows = []

    def hook(frame):
        assert frame.u.device.startswith("cuda:")
        rows.append(library.numpy(library.view(frame.u)).copy())

    Solver(cuda).run(hook)
    assert np.abs(np.array(rows) - reference.solve()).max() < 1e-12


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

    none, empty, copy = per_step(None), per_step(lambda frame: None), per_step(copies)
    with capsys.disabled():
        print(f"\na step of the original problem: {none:.2f} us without a hook, {empty:.2f} with one that does nothing, ", end="")
        print(f"{copy:.2f} with one that copies into a CuPy array", end="")
    assert np.abs(snapshots.get()[1:2002] - reference.solve()).max() < 1e-12


@pytest.fixture
def svd():
    pytest.importorskip("matplotlib")
    spec = importlib.util.spec_from_file_location("svd_on_cuda", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.libraries("cupy")
def test_the_svd_script_keeps_its_snapshots_on_the_device(cuda, library, svd, tmp_path):
    """Unchanged, as a hook object: a module has `start`, `step` and `finish`."""
    to_numpy, moved, finishing = svd.to_numpy, [], []
    finish = svd.finish

    def counted(array):
        assert finishing, "nothing leaves the device before the run is over"
        moved.append(array.nbytes)
        return to_numpy(array)

    svd.to_numpy = counted
    svd.finish = lambda run: (finishing.append(True), finish(run))
    Solver(cuda).run(svd, output_dir=tmp_path)
    matrix = svd.snapshots.matrix()
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
def test_the_svd_script_beside_the_program(cuda, library, burgers, tmp_path):
    pytest.importorskip("matplotlib")
    done = burgers("--insitu", SCRIPT, "--output", tmp_path, device="mode=CUDA")
    if "shared library" in done.stderr and done.returncode:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    values = np.loadtxt(tmp_path / "singular_values.txt")
    assert np.allclose(values[:3], SINGULAR_VALUES, atol=0.005), values[:3]
    assert (tmp_path / "Field_evolution.png").exists() and (tmp_path / "SVD_Eigenvectors.png").exists()


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
    import sys

    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(ModuleNotFoundError, match=r"cuda:\d.*install `cupy-cuda1[23]x`"):
        cuda.malloc(3).array()
    with pytest.raises(ModuleNotFoundError, match="cupy-cuda1"):
        Solver(cuda).run(lambda frame: frame.u.array())
    assert ferrocca.Device("mode=Serial").malloc(3).array().shape == (3,)

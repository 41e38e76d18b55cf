"""Decompositions of streams, against full ones."""

import tracemalloc

import numpy as np
import pytest
import reference
from ferrocca.burgers import Solver
from ferrocca.insitu import DMD, POD, StreamingSVD, compose, randomized_svd


@pytest.fixture(scope="module")
def original():
    rows = reference.solve()[:, 1:-1].copy()
    return rows, np.linalg.svd(rows, full_matrices=False)


def outside(vectors, modes):
    """Sine of the largest angle between the space of `vectors` and that of `modes`."""
    return np.linalg.norm(vectors - vectors @ modes.T @ modes, 2)


@pytest.mark.parametrize("block", [1, 7, 16])
def test_the_original_problem_to_1e_10(original, block):
    rows, (_, values, vectors) = original
    svd = StreamingSVD(32, block=block)
    for part in np.array_split(rows, 40 if block > 1 else len(rows)):
        svd.update(part)
    assert svd.count == 2001 and svd.modes.shape == (32, 256) and svd.coefficients.shape == (2001, 32)
    assert np.abs(svd.values[:10] - values[:10]).max() < 1e-10 * values[0]
    assert outside(vectors[:10], svd.modes[:10]) < 1e-10
    assert np.abs(svd.modes @ svd.modes.T - np.eye(32)).max() < 1e-12
    assert np.abs(svd.coefficients @ svd.modes - rows).max() < 1e-9


def test_what_is_cut_off_bounds_the_error(original):
    rows, (_, values, _) = original
    svd = StreamingSVD(6)
    svd.update(rows)
    assert 0 < np.abs(svd.values - values[:6]).max() < values[6]


def test_rank_zero_rows_and_single_precision():
    svd = StreamingSVD(4)
    svd.update(np.zeros((20, 5), np.float32))
    svd.update(np.ones(5, np.float32))
    svd.update(np.ones((30, 5), np.float32))
    assert svd.values.dtype == np.float32 and np.allclose(svd.values[0], np.sqrt(31 * 5)) and (svd.values[1:] < 1e-4).all()
    assert np.isfinite(svd.coefficients).all() and np.allclose((svd.coefficients @ svd.modes)[-1], 1, atol=1e-5)


def test_forgetting_follows_what_is_new():
    old, new = np.eye(8)[:1], np.eye(8)[1:2]
    for forgetting, first in (1.0, 0), (0.9, 1):
        svd = StreamingSVD(4, forgetting=forgetting, block=5)
        for row in 200 * [old] + 50 * [new]:
            svd.update(row)
        assert abs(svd.modes[0][first]) > 0.99, forgetting


def test_memory_is_bounded():
    """Of 400 rows of 50,000 values less than a twentieth is held at any time."""
    points, count, rank = 50_000, 400, 4
    shapes = np.random.default_rng(3).standard_normal((rank, points))
    weights = np.random.default_rng(4).standard_normal((count, rank)) * [8, 4, 2, 1]
    tracemalloc.start()
    svd = StreamingSVD(rank, block=2)
    for weight in weights:
        svd.update(weight @ shapes)
    values, most = svd.values, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 0.05 * points * count * 8, most / (points * count * 8)
    # The singular values of weights @ shapes, from the small factors alone.
    _, triangle = np.linalg.qr(shapes.T)
    expected = np.linalg.svd(weights @ triangle.T, compute_uv=False)
    assert np.allclose(values, expected, rtol=1e-12)


def test_randomized(original):
    rows, (_, values, vectors) = original
    left, found, modes = randomized_svd(rows, 10)
    assert np.abs(found - values[:10]).max() < 1e-10 * values[0] and outside(vectors[:10], modes) < 1e-10
    assert np.abs(left * found @ modes - rows).max() < 10 * values[10]


@pytest.mark.parametrize("device", ["Serial", "mode=OpenCL", "mode=WebGPU", "mode=CUDA"])
def test_pod_beside_the_solver(opened, original, tmp_path, device):
    device = opened(device)
    if device.mode == "CUDA":
        pytest.importorskip("cupy")
    _, (_, values, vectors) = original
    observing, steering = POD(24), POD(24)
    Solver(device).run(observing, output_dir=tmp_path)
    # Beside a hook that steers it gets moments one by one.
    Solver(device).run(compose(steering, lambda frame: None), output_dir=tmp_path)
    with np.load(tmp_path / "pod.npz") as file:
        for found in observing.values, steering.values, file["values"]:
            found = found.get() if hasattr(found, "get") else found
            assert np.abs(found[:8] - values[:8]).max() < 1e-10 * values[0]
        assert outside(vectors[:8], file["modes"][:8]) < 1e-9 and file["coefficients"].shape == (2001, 24)
        assert file["steps"].tolist() == list(range(1, 2002)) and file["times"][-1] == pytest.approx(2.001)


def test_dmd_finds_frequencies_and_growth(tmp_path):
    """A travelling wave that decays and one that grows, sampled at 100 moments."""
    x, times = np.linspace(0, 2 * np.pi, 64, endpoint=False), 0.05 * np.arange(1, 101)

    def wave(t):
        return np.exp(-0.3 * t) * np.sin(x - 4 * t) + 0.1 * np.exp(0.2 * t) * np.cos(3 * x + 7 * t)

    dmd = DMD(4, write="found.npz")
    run = type("Run", (), {"parameters": {}, "output_dir": str(tmp_path)})
    dmd.start(run)
    for step, time in enumerate(times):
        dmd.take((step,), (time,), wave(time))
    omega, modes, amplitudes = dmd.fit()
    order = lambda values: sorted(values, key=lambda w: (w.imag, w.real))  # noqa: E731
    assert np.allclose(order(omega), order([-0.3 - 4j, -0.3 + 4j, 0.2 - 7j, 0.2 + 7j]), atol=1e-8)
    assert modes.shape == (4, 64) and amplitudes.shape == (4,)
    later = np.array([2.0, 5.0, 6.0])
    assert np.allclose(dmd.predict(later), [wave(t) for t in later], atol=1e-7)
    dmd.finish(run)
    assert np.array_equal(np.load(tmp_path / "found.npz")["omega"], omega)
    dmd.take((200,), (11.0,), wave(11.0))
    with pytest.raises(ValueError, match="equally far apart"):
        dmd.fit()
    with pytest.raises(ValueError, match="forgetting = 1"):
        DMD(forgetting=0.9)


def test_a_script_may_be_an_object_with_the_functions(burgers, tmp_path):
    done = burgers("--final-time", 0.1, "--output", tmp_path, script="from ferrocca.insitu import POD\nhook = POD(rank=8)\n")
    assert done.returncode == 0, done.stderr
    assert np.load(tmp_path / "pod.npz")["values"].shape == (8,)


def test_wrong_use():
    for wrong in {"rank": 0}, {"forgetting": 0}, {"forgetting": 1.1}:
        with pytest.raises(ValueError, match="are expected"):
            StreamingSVD(**wrong)
    svd = StreamingSVD(2, coefficients=False)
    svd.update(np.ones((3, 4)))
    with pytest.raises(ValueError, match="coefficients=True"):
        svd.coefficients
    with pytest.raises(ValueError, match="rows of 5 values after rows of 4"):
        svd.update(np.ones(5))


@pytest.mark.parametrize("points", [2 * 16384, 2 * 16384 + 1, 100_003])
def test_tall_blocks_are_decomposed_by_parts(points):
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((24, 5)) @ rng.standard_normal((5, points)) + 1e-9 * rng.standard_normal((24, points))
    svd = StreamingSVD(24, block=4)
    for row in rows:
        svd.update(row)
    values = np.linalg.svd(rows, compute_uv=False)
    assert np.abs(svd.values - values).max() < 1e-12 * values[0]
    assert np.abs(svd.modes @ svd.modes.T - np.eye(24)).max() < 1e-12
    assert np.abs(svd.coefficients @ svd.modes - rows).max() < 1e-12 * values[0]

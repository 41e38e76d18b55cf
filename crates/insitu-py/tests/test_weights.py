"""Weights of histograms, tables of bins, the highest elements, and choices: against NumPy, and the same on every device."""

import ferrocca as fc
import numpy as np
import pytest


@pytest.fixture(scope="module", params=["Serial", "CPU, threads=2", "OpenCL", "WebGPU"])
def device(request):
    from conftest import open_device

    with open_device(request.param) as device:
        yield device


POINTS = np.random.default_rng(9).normal(size=(2, 7000)).astype("f4")
POINTS[:, 5:8] = np.nan, np.inf, -0.0
WEIGHTS = np.random.default_rng(10).uniform(0.5, 2, 7000).astype("f4")


@pytest.mark.parametrize("bins", [1, 7, 300])
def test_weights(device, bins):
    x, weights = fc.asarray(POINTS[0]), fc.asarray(WEIGHTS)
    sums, edges = fc.histogram(x, bins, (-2, 2), weights=weights)
    assert sums.dtype == "float32" and edges.shape == (bins + 1,)
    kept = np.isfinite(POINTS[0])
    expected = np.histogram(POINTS[0][kept], edges.get(), weights=WEIGHTS[kept].astype("f8"))[0]
    np.testing.assert_allclose(sums.get(), expected, rtol=3e-5)
    # The order is defined: the same bits everywhere.
    with fc.Device("Serial"):
        again, _ = fc.histogram(fc.asarray(POINTS[0]), bins, (-2, 2), weights=fc.asarray(WEIGHTS))
        assert (again.get().view("u4") == sums.get().view("u4")).all()
    integers, _ = fc.histogram(x, bins, (-2, 2), weights=fc.ones(7000, dtype="int32"))
    counts, _ = fc.histogram(x, bins, (-2, 2))
    assert integers.dtype == "int64" and (integers.get() == counts.get()).all()


def test_weights_between_edges_and_of_numbers(device):
    x, edges = fc.asarray(POINTS[0]), np.array([-1, -0.25, 0, 3], dtype="f4")
    sums, _ = fc.histogram(x, fc.asarray(edges), weights=fc.asarray(WEIGHTS))
    kept = np.isfinite(POINTS[0])
    expected = np.histogram(POINTS[0][kept], edges, weights=WEIGHTS[kept].astype("f8"))[0]
    np.testing.assert_allclose(sums.get(), expected, rtol=3e-5)
    numbers = np.random.default_rng(1).integers(0, 50, 3000).astype("i4")
    weights = np.arange(3000.0)
    sums = fc.bincount(fc.asarray(numbers), weights=fc.asarray(weights), minlength=60)
    assert (sums.get() == np.bincount(numbers, weights, 60)).all(), "of whole numbers the sums are exact"
    empty = fc.bincount(fc.asarray(numbers[:0]), weights=fc.asarray(weights[:0]), minlength=3)
    assert empty.dtype == "float64" and (empty.get() == 0).all()
    one, _ = fc.histogram(fc.asarray([0.5]), 2, (0, 1), weights=fc.asarray([-0.0]))
    assert (one.get() == 0).all()


def test_a_table_of_bins(device):
    x, y = (fc.asarray(points) for points in POINTS)
    counts, along_x, along_y = fc.histogram2d(x, y, (5, 9), ((-2, 2), (-1, 3)))
    kept = np.isfinite(POINTS).all(axis=0)
    a, b = POINTS[:, kept]
    expected = np.histogram2d(a, b, [along_x.get(), along_y.get()])[0]
    assert counts.shape == (5, 9) and (counts.get() == expected).all()
    sums, *_ = fc.histogram2d(x, y, (5, 9), ((-2, 2), (-1, 3)), weights=fc.asarray(WEIGHTS))
    expected = np.histogram2d(a, b, [along_x.get(), along_y.get()], weights=WEIGHTS[kept].astype("f8"))[0]
    np.testing.assert_allclose(sums.get(), expected, rtol=3e-5)
    edges = fc.asarray(np.array([-1, 0, 2], dtype="f4"))
    counts, *_ = fc.histogram2d(x, y, (edges, 4), (None, (-1, 1)))
    assert (counts.get() == np.histogram2d(a, b, [edges.get(), np.linspace(-1, 1, 5)])[0]).all()


def test_what_is_no_weight_is_refused(device):
    x = fc.asarray(POINTS[0])
    with pytest.raises(TypeError, match="weights are memory"):
        fc.histogram(x, 3, (0, 1), weights=WEIGHTS)
    with pytest.raises(ValueError, match=r"weights of shape \(3,\)"):
        fc.histogram(x, 3, (0, 1), weights=fc.ones(3))
    with pytest.raises(ValueError, match="coordinates of shapes"):
        fc.histogram2d(x, x[1:], 3, ((0, 1), (0, 1)))
    with pytest.raises(ValueError, match="negative number has no bin"):
        fc.bincount(fc.asarray([1, -1]), weights=fc.ones(2))


@pytest.mark.parametrize("n", [1, 6, 9000])
def test_the_highest(device, n):
    x = np.round(np.random.default_rng(2).normal(size=n) * 50).astype("f4")
    if n > 100:
        x[:3] = np.nan, np.inf, -0.0
    for k in {0, 1, n // 9, n}:
        values, indices = fc.top_k(fc.asarray(x), k)
        order = np.lexsort((np.arange(n), -np.where(x == 0, np.copysign(1e-9, x), x)))[:k]
        assert (indices.get() == order).all()
        np.testing.assert_array_equal(values.get(), x[order])
    with pytest.raises(fc.Error, match="of .* keys"):
        fc.top_k(fc.asarray(x), n + 1)
    with pytest.raises(ValueError, match="one axis"):
        fc.top_k(fc.ones((2, 2)), 1)


def test_choices(device):
    rng = fc.random.default_rng(4)
    order = rng.permutation(5000).get()
    assert (np.sort(order) == np.arange(5000)).all() and (order != np.arange(5000)).sum() > 4900
    rows = fc.asarray(np.arange(12.0).reshape(6, 2))
    shuffled = rng.permutation(rows).get()
    assert shuffled.shape == (6, 2) and (np.sort(shuffled[:, 0]) == np.arange(0, 12, 2)).all()
    picked = rng.choice(1000, 400, replace=False).get()
    assert len(set(picked.tolist())) == 400 and picked.min() >= 0 and picked.max() < 1000
    p = fc.asarray([0.0, 1.0, 3.0, 0.0])
    found = np.bincount(rng.choice(4, 40_000, p=p).get(), minlength=4)
    assert found[0] == found[3] == 0 and abs(found[2] / 40_000 - 0.75) < 0.015
    assert rng.choice(rows, (3, 2)).shape == (3, 2, 2) and rng.choice(5).shape == ()
    first = np.array([rng.choice(3, 2, replace=False, p=fc.asarray([1.0, 1.0, 8.0])).get() for _ in range(60)])
    assert (first[:, 0] != first[:, 1]).all() and (first[:, 0] == 2).sum() > 30
    # The same on every device for a seed.
    with fc.Device("Serial"):
        assert (fc.random.default_rng(4).permutation(5000).get() == order).all()
    for arguments, message in [
        ((0,), "nothing to choose"), ((3, 4, False), "4 of 3"), ((2, 1, True, p), "2 floats"),
        ((2, 1, True, fc.asarray([0.0, 0.0])), "add up to 0"), ((2, 1, True, fc.asarray([-1.0, 2.0])), "negative"),
        ((4, 3, False, p), "fewer than 3"),
    ]:
        with pytest.raises(ValueError, match=message):
            rng.choice(*arguments)


def test_scans_by_an_operation(device):
    x = fc.asarray(POINTS[1][:5000])
    highest = fc.ScanKernel("T x", "T y", "x", "a > b ? a : b", "-INFINITY", "running_maximum")
    expected = np.maximum.accumulate(POINTS[1][100:5000])
    assert (highest(x[100:]).get() == expected).all()
    last = fc.ScanKernel("int32 x", "int32 y", "x", "b != 0 ? b : a", 0, inclusive=False)
    values = np.array([0, 3, 0, 0, 5, 0], dtype="i4")
    assert last(fc.asarray(values)).get().tolist() == [0, 0, 3, 3, 3, 5], "the order is kept"
    table = fc.asarray(np.arange(12.0, dtype="f4").reshape(3, 4))
    products = fc.ScanKernel("T x, float32 by", "T y", "x + by", "a * b", 1)
    assert (products(table, 1.0, axis=1).get() == np.cumprod(np.arange(12.0, dtype="f4").reshape(3, 4) + 1, axis=1)).all()
    assert (products(table, 0.5).get()[:3] == np.float32([0.5, 0.75, 1.875])).all()
    out = fc.empty(6, dtype="int32")
    assert last(fc.asarray(values), out=out) is out and last(fc.asarray(values[:0])).size == 0
    with pytest.raises(TypeError, match="takes 1 inputs"):
        last(x, x)
    with pytest.raises(ValueError, match="one output"):
        fc.ScanKernel("T x", "T y, T z", "x", "a + b", 0)

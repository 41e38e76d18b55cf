"""Memory as an array, against NumPy: operators, functions, indices, reductions, on every device there is."""

import threading

import ferrocca as fc
import numpy as np
import pytest

DEVICES = ["CPU, threads=2", "OpenCL", "WebGPU"]


@pytest.fixture(scope="module", params=DEVICES)
def device(request):
    from conftest import open_device

    with open_device(request.param) as device:
        yield device


@pytest.fixture(scope="module")
def serial():
    with fc.Device("Serial") as device:
        yield device


GRID = np.arange(24.0).reshape(4, 6) - 7.5


def same(memory, expected, exact=True):
    expected = np.asarray(expected)
    assert type(memory) is fc.Memory and memory.shape == expected.shape and memory.dtype == expected.dtype.name
    if exact:
        np.testing.assert_array_equal(memory.get(), expected)
    else:
        np.testing.assert_allclose(memory.get(), expected, rtol=1e-14 if expected.dtype == "f8" else 2e-6, atol=1e-14)


def test_arithmetic(device):
    a, b = fc.asarray(GRID), fc.asarray(GRID[::-1, ::2])
    same(a + a, GRID + GRID)
    same(2 * a - 1, 2 * GRID - 1)
    same(a[:, ::2] / b, GRID[:, ::2] / GRID[::-1, ::2])
    same(a[1] * a[:, 2:3], GRID[1] * GRID[:, 2:3])
    same(-a[::-1, 4::-2], -GRID[::-1, 4::-2])
    same(a // 4, GRID // 4)
    same(a % -4, GRID % -4)
    same(1.0 / a.T, 1.0 / GRID.T)
    same(a**2, GRID**2)
    same(abs(a), abs(GRID))
    same((a > 3) & (a <= 9), (GRID > 3) & (GRID <= 9))
    a += 1
    a[1:3, ::5] *= a[1:3, ::5]
    expected = GRID + 1
    expected[1:3, ::5] *= expected[1:3, ::5]
    same(a, expected)


def test_integers_wrap_and_promote_as_in_numpy(serial):
    rng = np.random.default_rng(3)
    kinds = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
    numbers = {kind: rng.integers(np.iinfo(kind).min, np.iinfo(kind).max, 40, kind, True) for kind in kinds}
    with np.errstate(all="ignore"):
        for one, other in [("int8", "int8"), ("uint16", "uint16"), ("int32", "uint32")]:
            x, y = numbers[one], numbers[other]
            a, b = fc.asarray(x), fc.asarray(y)
            for name in ["subtract", "multiply", "floor_divide", "remainder"]:
                same(getattr(fc, name)(a, b), getattr(np, name)(x, y))
            same(a < b, x < y)
            same(a / b, x / y)
    same(fc.asarray(numbers["int32"]) // 0, numbers["int32"] * 0)
    same(fc.asarray([-(2**31)], "int32") // -1, np.array([-(2**31)], "i4"))
    same(fc.pow(fc.asarray([3, -2, 7]), fc.asarray([4, 3, 0])), [81, -8, 1])
    same(fc.asarray([1, 2], "float32") + 0.1, np.array([1, 2], "f4") + np.float32(0.1))
    same(fc.asarray([1, 2], "int32") + 1.5, [2.5, 3.5])
    same(fc.asarray([True, False]) + 1, [2, 1])
    same(fc.asarray([1, 2], "float32") * np.float64(2), np.array([2.0, 4.0]))
    with pytest.raises(OverflowError, match="300"):
        fc.asarray([1], "uint8") + 300
    with pytest.raises(TypeError, match="truth values"):
        fc.asarray([True]) - fc.asarray([False])


FUNCTIONS = ["sqrt", "exp", "log1p", "floor", "sign", "isfinite", "signbit"]


def test_functions(serial):
    x = np.array([0.25, -0.0, 3.5, -2.5, np.nan, np.inf, 1e-8])
    a = fc.asarray(x)
    with np.errstate(all="ignore"):
        for name in FUNCTIONS:
            same(getattr(fc, name)(a), getattr(np, name)(x), exact=False)
        same(fc.round(a), np.round(x))
        same(fc.where(a > 0, a, -1), np.where(x > 0, x, -1))
        same(fc.maximum(a, 1), np.maximum(x, 1))
        same(fc.clip(a, -1, 2), np.clip(x, -1, 2))
        same(fc.atan2(a, a[::-1]), np.arctan2(x, x[::-1]), exact=False)
    out = fc.empty(7)
    assert fc.exp(a, out=out) is out
    same(out, np.exp(x), exact=False)


def test_what_numpy_is_asked_for_stays_on_the_device_or_is_refused(serial):
    a = fc.asarray(GRID)
    same(np.sqrt(abs(a)), np.sqrt(abs(GRID)))
    same(np.add(1, a), 1 + GRID)
    same(np.sum(a, axis=0), GRID.sum(axis=0))
    same(np.add.reduce(a), GRID.sum(axis=0))
    same(np.concatenate([a, a], axis=1), np.concatenate([GRID, GRID], axis=1))
    for refused in [
        lambda: np.linalg.svd(a), lambda: np.spacing(a), lambda: np.add(a, GRID), lambda: GRID + a, lambda: a + GRID,
        lambda: a + [1.0] * 6, lambda: np.add.accumulate(a), lambda: a[np.arange(2)],
    ]:
        with pytest.raises(TypeError, match="to_host\\(\\)|asarray"):
            refused()


def test_views_share_and_copies_do_not(serial):
    a = fc.arange(24).reshape(4, -1)
    view = a[::-2, 1::3]
    assert view.shape == (2, 2) and view.strides == (-96, 24)
    view[...] = -1
    expected = np.arange(24).reshape(4, 6)
    expected[::-2, 1::3] = -1
    same(a, expected)
    same(a.T[2], expected.T[2])
    same(a[None, ..., 0, None], expected[None, ..., 0, None])
    assert np.asarray(a.T).strides == (8, 48) and np.shares_memory(np.asarray(a.T), np.asarray(a))
    same(a.T.copy(), expected.T)
    a.T.reshape(-1)[0] = 99  # a copy, as the strides do not allow a view
    same(a, expected)
    a.reshape(2, 2, 6)[:, 1, ::2].reshape(2, 3)[0, 0] = 7  # a view
    expected[1, 0] = 7
    same(a, expected)
    kernel = serial.build_kernel_from_string(
        "@kernel void k(const int n, long *x) { for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) x[i] = i; }", "k"
    )
    for use in lambda: kernel(4, a[:, 0]), lambda: a[:, 0].copy_from(np.arange(4)), lambda: a.T.fill(1):
        with pytest.raises(ValueError, match="do not lie in a row"):
            use()
    with pytest.raises(IndexError, match="index 6 is out of range for axis 1"):
        a[0, 6]
    with pytest.raises(IndexError, match="too many indices"):
        a[0, 0, 0]


def test_masks_and_index_arrays(device):
    x = np.arange(60.0).reshape(3, 4, 5)
    a = fc.asarray(x)
    rows, columns = np.array([2, 0, -1]), np.array([[1], [3]])
    i, j = fc.asarray(rows), fc.asarray(columns)
    same(a[i], x[rows])
    same(a[:, j], x[:, columns])
    same(a[i, j], x[rows, columns])
    same(a[i, :, 1], x[rows, :, 1])
    same(a[0, :, i], x[0, :, rows])
    same(a[::2, ::-1][:, [3, 0]], x[::2, ::-1][:, [3, 0]])
    same(a[a % 3 == 1], x[x % 3 == 1])
    mask = np.array([True, False, True, False])
    same(a[1, fc.asarray(mask)], x[1, mask])
    a[a > 50] = 0
    x[x > 50] = 0
    a[i[:2], 1] = fc.arange(5.0)
    x[rows[:2], 1] = np.arange(5.0)
    a[0, :, 4] = [9, 8, 7, 6]
    x[0, :, 4] = [9, 8, 7, 6]
    same(a, x)
    for got, expected in zip(fc.nonzero(a > 40), np.nonzero(x > 40)):
        same(got, expected)


def test_every_device_computes_what_serial_does(device):
    x = np.random.default_rng(6).normal(size=(3, 40)).astype("f4")
    a = fc.asarray(x)
    same(fc.cumsum(a, axis=1), np.cumsum(x, axis=1), exact=False)
    same(fc.argsort(a[0]), np.argsort(x[0], kind="stable"))
    same(a.max(axis=0), x.max(axis=0))
    same(a @ a.T, x @ x.T, exact=False)
    same(fc.histogram(a, bins=4, range=(-2, 2))[0], np.histogram(x, bins=4, range=(-2, 2))[0])


def test_an_index_out_of_range_is_an_error_at_the_wait(serial):
    with pytest.raises(IndexError):
        fc.arange(5)[fc.asarray([1, 5])].get()
    serial.finish()


def test_an_index_in_a_list_out_of_range_is_told_at_once(device):
    a = fc.asarray(np.arange(60.0).reshape(3, 20))
    for key, index, axis, length in [
        ([0, 5], 5, 0, 3), ((1, [3, -21]), -21, 1, 20), ((..., [[20], [0]]), 20, 1, 20), ((7, [0]), 7, 0, 3),
        ((None, slice(None), [2**40]), 2**40, 1, 20),
    ]:
        expected = f"index {index} is out of range for axis {axis} with {length} elements$"
        with pytest.raises(fc.OutOfBoundsError, match=expected):
            a[key]
        with pytest.raises(fc.OutOfBoundsError, match=expected):
            a[key] = 0.0
    same(a, np.arange(60.0).reshape(3, 20))


INDEXED = ["Serial", "CPU, threads=2", "Serial, checked=true", "mode=OpenCL", "mode=WebGPU", "mode=CUDA"]


@pytest.mark.parametrize("properties", INDEXED)
def test_an_index_on_the_device_out_of_range_is_told_in_the_same_words(opened, properties):
    with opened(properties) as device:
        a = fc.asarray(np.arange(60.0).reshape(3, 20))
        for index, axis, told in [
            (5, 0, "5"), (-4, 0, "-4"), (20, 1, "20"), (2**32, 1, "4294967296"), (-(2**63), 0, "-1099511627776 or less"),
        ]:
            indices = fc.asarray([0, index])
            key = indices if axis == 0 else (slice(None), indices)
            expected = f"^index {told} is out of range for axis {axis} of the memory that an array of indices was used on$"
            with pytest.raises(fc.OutOfBoundsError, match=expected):
                a[key].to_host()
            with pytest.raises(fc.OutOfBoundsError, match=expected):
                a[key] = 1.0
                device.finish()


@pytest.mark.parametrize("axis", [None, 1, (0, 2)])
def test_reductions(serial, axis):
    x = np.random.default_rng(1).normal(size=(3, 50, 4))
    a = fc.asarray(x)
    for name in ["sum", "mean", "var", "max"]:
        same(getattr(a, name)(axis=axis), getattr(x, name)(axis=axis), exact=name == "max") if axis is not None else None
        assert np.allclose(float(getattr(a, name)()), getattr(x, name)(), rtol=1e-14)
    same((a > 2).any(axis=axis, keepdims=True), (x > 2).any(axis=axis, keepdims=True))
    if axis is None or isinstance(axis, int):
        same(fc.argmin(a, axis=axis), np.argmin(x, axis=axis))
    same(a[:, ::-2].min(axis=axis), x[:, ::-2].min(axis=axis))


def test_sums_have_the_same_bits_in_whatever_order_memory_lies(device):
    x = np.random.default_rng(2).normal(size=(70, 90)).astype("f4")
    straight, turned = fc.asarray(x), fc.asarray(np.ascontiguousarray(x.T)).T
    assert float(straight.sum()) == float(turned.sum())
    for axis in 0, 1:
        same(turned.sum(axis=axis), straight.sum(axis=axis).get())
    same(straight.sum(dtype="f8", axis=0), x.astype("f8").sum(axis=0), exact=False)
    with fc.Device("Serial"):
        assert float(fc.asarray(x).sum()) == float(straight.sum())


def test_scans_sorts_and_searches(serial):
    x = np.random.default_rng(4).integers(0, 50, (6, 40)).astype("f4")
    a = fc.asarray(x)
    same(fc.cumsum(a[0]), np.cumsum(x[0]))
    same(fc.cumsum(a, axis=0), np.cumsum(x, axis=0))
    same(fc.sort(a), np.sort(x))
    same(fc.argsort(a, axis=0), np.argsort(x, axis=0, kind="stable"))
    same(fc.sort(a[1], descending=True), np.sort(x[1])[::-1])
    edges = fc.arange(0.0, 50.0, 7.0).astype("f4")
    same(fc.searchsorted(edges, a[2], side="right"), np.searchsorted(edges.get(), x[2], side="right"))
    values, first, inverse, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    result = fc.unique_all(a)
    same(result.values, values)
    same(result.indices, first)
    same(result.inverse_indices, inverse.reshape(x.shape))
    same(result.counts, counts)
    counts, edges = fc.histogram(a, bins=10, range=(0, 50))
    same(counts, np.histogram(x, bins=10, range=(0, 50))[0])
    same(fc.bincount(a[3].astype("int32")), np.bincount(x[3].astype("i4")))


def test_products(serial):
    x, y = GRID, GRID[:2, :].T
    same(fc.asarray(x) @ fc.asarray(y), x @ y, exact=False)
    same(fc.dot(fc.asarray(x[0]), fc.asarray(x[1])), x[0] @ x[1], exact=False)
    same(fc.tensordot(fc.asarray(x), fc.asarray(x), axes=([0], [0])), np.tensordot(x, x, ([0], [0])), exact=False)


def test_shapes(serial):
    x = np.arange(24).reshape(2, 3, 4)
    a = fc.asarray(x)
    same(fc.moveaxis(a, 0, -1), np.moveaxis(x, 0, -1))
    same(fc.stack([a, a], axis=1), np.stack([x, x], axis=1))
    same(fc.roll(a, (1, -2), axis=(0, 2)), np.roll(x, (1, -2), axis=(0, 2)))
    same(fc.tile(a, (2, 1, 2)), np.tile(x, (2, 1, 2)))
    same(fc.repeat(a, 2, axis=1), np.repeat(x, 2, axis=1))
    same(fc.repeat(a, fc.asarray([0, 2, 1]), axis=1), np.repeat(x, [0, 2, 1], axis=1))
    same(fc.flip(a, axis=(0, 2)), np.flip(x, axis=(0, 2)))
    same(fc.diff(a, axis=1), np.diff(x, axis=1))
    same(fc.broadcast_to(a[:, :1], (2, 3, 4)), np.broadcast_to(x[:, :1], (2, 3, 4)))
    same(fc.tril(a[0], k=1), np.tril(x[0], k=1))
    for got, expected in zip(fc.meshgrid(fc.arange(2), fc.arange(3)), np.meshgrid(np.arange(2), np.arange(3))):
        same(got, expected)
    with pytest.raises(ValueError, match="cannot have the shape"):
        a.reshape(5, -1)
    five = np.arange(32).reshape(2, 2, 2, 2, 2)
    same(fc.asarray(five) + 1, five + 1)
    with pytest.raises(fc.Error, match="more than 4 axes"):
        fc.asarray(five) + fc.asarray(five).T


def test_creation(serial):
    same(fc.asarray([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]]))
    same(fc.asarray(GRID[::-1, ::3]), GRID[::-1, ::3])
    same(fc.asarray(np.arange(3, dtype=">i4")), np.arange(3, dtype="i4"))
    same(fc.asarray(2.5), np.float64(2.5))
    same(fc.zeros((2, 0, 3)), np.zeros((2, 0, 3)))
    same(fc.full(3, True), np.full(3, True))
    same(fc.full_like(fc.asarray(GRID, "f4"), 2), np.full_like(GRID, 2, "f4"))
    same(fc.arange(2, 11, 3), np.arange(2, 11, 3))
    same(fc.arange(5, dtype="float16"), np.arange(5, dtype="f2"))
    assert float(fc.linspace(0, 0.3, 4)[-1]) == 0.3
    same(fc.eye(3, 4, k=1), np.eye(3, 4, k=1))
    same(fc.eye(3, 4, k=-(10**30)), np.zeros((3, 4)))
    owner = np.arange(4.0)
    fc.asarray(owner, copy=False)[0] = 9
    assert owner[0] == 9
    with pytest.raises(BufferError, match="not contiguous"):
        fc.asarray(GRID[:, ::2], copy=False)
    with pytest.raises(TypeError, match="no numbers"):
        fc.asarray(["a", None])


def test_numbers_of_python(serial):
    a = fc.asarray([[3]])
    assert (int(a), float(a), bool(a), a.item(), a.tolist()) == (3, 3.0, True, 3, [[3]])
    assert [float(x) for x in fc.asarray([1.0, 2.0])] == [1.0, 2.0] and [10, 20][fc.asarray(1)] == 20
    assert 2.0 in fc.asarray([1.0, 2.0]) and 3.0 not in fc.asarray([1.0, 2.0])
    for wrong in lambda: bool(fc.arange(2)), lambda: hash(a), lambda: list(fc.asarray(1)), lambda: [1][fc.asarray(0.0)]:
        with pytest.raises(TypeError):
            wrong()


def test_the_default_device_belongs_to_a_thread(monkeypatch):
    outer, inner = fc.Device("Serial"), fc.Device("CPU", threads=2)
    assert inner.info["cores"] == 2 and fc.Device(mode="Serial").mode == "Serial"
    seen = []
    with outer:
        with inner:
            assert fc.default_device() is inner and fc.zeros(1)._is_of(inner)
            thread = threading.Thread(target=lambda: seen.append(fc.default_device() is inner))
            thread.start()
            thread.join()
        assert fc.default_device() is outer
    assert seen == [False]
    monkeypatch.setenv("FERROCCA_DEVICE", "Serial")
    assert fc.Device().mode == "Serial"
    monkeypatch.setenv("FERROCCA_DEVICE", "nonsense")
    with pytest.raises(fc.Error, match="opening `nonsense` .from the environment variable FERROCCA_DEVICE.: mode `nonsense` is"):
        fc.Device()
    monkeypatch.setenv("FERROCCA_DEVICE", "Serial, threads")
    with pytest.raises(fc.Error, match="FERROCCA_DEVICE.: properties, line 1"):
        fc.Device()
    with pytest.raises(fc.Error) as raised:
        fc.Device("nonsense")
    assert "FERROCCA_DEVICE" not in str(raised.value)


def test_elementwise_kernels(device):
    a, b, c = (np.array(x) for x in ([1.0, 2.0, 5.0], [3.0, 5.0, 9.0], [0.5, 0.25, -1.0]))
    memory = [fc.asarray(x) for x in (a, b, c)]
    expected = (-b + np.sqrt(b * b - 4 * a * c)) / (2 * a)
    quadratic = fc.ElementwiseKernel("T a, T b, T c", "T out", "out = (-b + sqrt(b*b - 4*a*c)) / (2*a)", "quadratic")
    same(quadratic(*memory), expected)

    @fc.fuse
    def quad(a, b, c):
        return (-b + fc.sqrt(b**2 - 4 * a * c)) / (2 * a), fc.where(c > 0, c, 0)

    root, positive = quad(*memory)
    same(root, expected)
    same(positive, np.maximum(c, 0))
    table = fc.ElementwiseKernel(
        "raw T table, int64 at, float32 scale", "T out, bool big",
        "T x = half_(table[at % n]); // a comment\nout = x * scale;\nbig = out > 3;", "table",
        preamble="double half_(const double x) { return x / 2; }",
    )
    index = np.array([[0], [3]]) + np.arange(3)
    out, big = table(fc.arange(6.0), fc.asarray([[0], [3]]) + fc.arange(3), 2)
    same(out, index.astype("f8"))
    same(big, index > 3)
    counting = fc.ElementwiseKernel("", "int32 x", "x = i * i")
    same(counting(size=5), np.arange(5, dtype="i4") ** 2)
    with pytest.raises(TypeError, match="`T` is float64, but `b` is memory of float32"):
        quadratic(memory[0], memory[1].astype("f4"), 1.0)
    with pytest.raises(ValueError, match="cannot be called 'n'"):
        fc.ElementwiseKernel("T n", "T b", "b = n")
    with pytest.raises(fc.BuildError, match="`unknown`"):
        fc.ElementwiseKernel("T a", "T b", "b = unknown", "wrong")(memory[0])


def test_a_kernel_that_was_launched_before_takes_whatever_else_comes(device):
    kernel = fc.ElementwiseKernel("T x, T y", "T z", "z = x - y * i", "steps")
    step = np.arange(6.0)

    def launched(x, y, **given):
        values = [np.asarray(value) if isinstance(value, fc.Memory) else value for value in (x, y)]
        expected = values[0] - values[1] * np.arange(np.broadcast(*values).size).reshape(np.broadcast(*values).shape)
        made = kernel(x, y, **given)
        same(made, expected)
        return made

    x, y, out = fc.asarray(step), fc.asarray(step + 1), fc.empty(6, dtype="f8")
    for _ in range(2):
        launched(x, y)
        assert launched(x, y, out=out) is out
        # A number is another kernel, and another number is not.
        launched(x, 2.0)
        launched(x, 3)
        launched(2.5, y)
        # So many elements, rows, and none.
        launched(x[:4], y[2:])
        launched(x.reshape(2, 3), y.reshape(2, 3))
        launched(x[:0], y[:0])
        launched(x[:1], y[:1])
        # Repeated, and not in a row.
        launched(x, y[:1])
        launched(x.reshape(2, 3), y[:3])
        launched(x[::-1], y)
        launched(x[::2], y[::2], out=out[:3])
    # In place, and over a part of itself.
    same(kernel(x, y, out=x), step - (step + 1) * step)
    row = fc.asarray(np.arange(7.0))
    same(kernel(row[:6], y, out=row[1:]), step - (step + 1) * step)
    with pytest.raises(ValueError, match="do not fit"):
        kernel(x, y[:4])
    with pytest.raises(TypeError, match="neither memory nor a number"):
        kernel(x, y, np.zeros(6))
    with pytest.raises(TypeError, match="takes 2 inputs"):
        kernel(x)


def test_arguments_and_defines_by_name(serial):
    source = """
    #ifndef THREADS
    #define THREADS 64
    #endif
    @kernel void scale(const int n, const real a, const real *x, real *y) {
      for (int i = 0; i < n; ++i; @tile(THREADS, @outer, @inner)) y[i] = a * x[i] + THREADS;
    }"""
    kernel = serial.kernel(source, "scale", defines={"real": np.float32})
    x, y = fc.arange(3, dtype="f4"), fc.zeros(3, "f4")
    kernel.launch(n=3, y=y, a=2, x=x)
    same(y, np.array([64, 66, 68], "f4"))
    kernel(3, 2.0, x, y, THREADS=192)
    same(y, np.array([192, 194, 196], "f4"))
    for wrong, text in [
        (lambda: kernel(3, 2.0, x, N=3), "argument 4 `y` is missing; it has no parameter `N`"),
        (lambda: kernel(3, 2.0, x, y, y=y), "`y` is given twice"),
        (lambda: kernel(3, 2.0, x, y, THREADS=[1]), "a define is a number"),
    ]:
        with pytest.raises(TypeError, match=text):
            wrong()


def test_random_numbers(device):
    rng = fc.random.default_rng(1)
    u, i = rng.uniform(5, 10, (50, 40)), rng.integers(10, size=3000)
    again = fc.random.Generator(1, rng.position).normal(2, 3, 1000).get()
    assert np.array_equal(rng.normal(2, 3, 1000).get(), again) and abs(again.mean() - 2) < 0.5
    assert u.shape == (50, 40) and 5 <= float(u.min()) and float(u.max()) < 10 and 7.3 < float(u.mean()) < 7.7
    assert fc.bincount(i, minlength=10).get().min() > 200 and int(i.max()) == 9
    with fc.Device("Serial"):
        assert np.array_equal(fc.random.default_rng(1).uniform(5, 10, (50, 40)).get(), u.get())
    states = fc.random.create_xoroshiro128p_states(3, seed=12345)
    assert states.shape == (3, 2) and len(np.unique(states.get())) >= 4


def test_reduction_kernels(serial):
    x = np.random.default_rng(5).normal(size=(7, 300)).astype("f4")
    norm = fc.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    assert abs(float(norm(fc.asarray(x))) - np.linalg.norm(x)) < 1e-4
    same(norm(fc.asarray(x), axis=1), np.linalg.norm(x, axis=1), exact=False)
    largest = fc.ReductionKernel("T x, float32 scale", "T y", "fabs(x) * scale", "a > b ? a : b", "y = a", "0", "largest")
    assert float(largest(fc.asarray(x), 2.0)) == 2 * abs(x).max()


def test_the_stub_names_every_function():
    import ast
    import pathlib

    import ferrocca._array as arrays

    stub = ast.parse(pathlib.Path(arrays.__file__).with_suffix(".pyi").read_text())
    named = {node.name for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    named |= {target.id for node in stub.body if isinstance(node, ast.Assign) for target in node.targets}
    named |= {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
    assert {name for name in named if not name.startswith("_") or name.startswith("__array_")} == set(arrays.NAMES) - {"DType"}


def test_astype_to_a_device(device):
    a, other = fc.asarray(GRID), fc.Device("Serial")
    there = fc.astype(a, "float32", device=other)
    same(there, GRID.astype("f4"))
    assert (there + 1).get()[0, 0] == GRID[0, 0] + 1 and there.device == fc.empty(1, device=other).device
    same(fc.astype(a, "float64", device=other), GRID)
    assert fc.astype(a, "float64", copy=False, device=a.device) is a
    copied = fc.astype(a, "float64", device=a.device)
    copied += 1
    same(a, GRID)

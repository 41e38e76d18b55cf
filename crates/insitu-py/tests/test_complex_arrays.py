"""Arrays of complex numbers against NumPy: operators, functions, reductions, scans, products, types, refusals."""

import ferrocca as fc
import numpy as np
import pytest

DEVICES = ["Serial", "CPU, threads=2", "Reference", "OpenCL", "WebGPU"]
TYPES = ["complex64", "complex128"]


@pytest.fixture(scope="module", params=DEVICES)
def device(request):
    from conftest import open_device

    with open_device(request.param) as device:
        yield device


@pytest.fixture(scope="module")
def serial():
    with fc.Device("Serial") as device:
        yield device


@pytest.fixture(params=TYPES)
def kind(request):
    return request.param


def same(memory, expected, tolerance=None):
    """Bit for bit, or within so many roundings of the type of the largest value."""
    expected = np.asarray(expected)
    assert type(memory) is fc.Memory and memory.shape == expected.shape and memory.dtype == expected.dtype.name
    if tolerance is None:
        np.testing.assert_array_equal(memory.get(), expected, strict=True)
    else:
        rounding = np.finfo(expected.dtype).eps * tolerance
        np.testing.assert_allclose(memory.get(), expected, rtol=rounding, atol=rounding * max(1, np.abs(expected).max()))


def normal(kind, *shape, seed=1):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(kind)


def eighths(kind, *shape, seed=1):
    """Numbers whose sums and products are exact."""
    return (np.round(normal("complex128", *shape, seed=seed) * 8) / 8).astype(kind)


def test_arithmetic(device, kind):
    x, y = eighths(kind, 4, 6), eighths(kind, 4, 3, seed=2)
    a, b = fc.asarray(x), fc.asarray(y)
    real = x.real.dtype
    scale = fc.asarray(np.arange(4, dtype=real).reshape(4, 1))
    same(a + a, x + x)
    same(a[:, ::2] - b, x[:, ::2] - y)
    same(a[::-1, ::-2] * b, x[::-1, ::-2] * y)
    same(a * scale, x * np.arange(4, dtype=real).reshape(4, 1))
    same(a / (a * a + 100), x / (x * x + 100), tolerance=4)
    same(-a.T, -x.T)
    same(2 * a - 1j, 2 * x - 1j)
    same((1 + 1j) * scale, (x.dtype.type(1 + 1j) * np.arange(4, dtype=real).reshape(4, 1)))
    same(a**2, x**2)
    same(a == b[0, 0], x == y[0, 0])
    same(a != a.T.T, x != x)
    same(fc.where(a == x[0, 0], a, 1j), np.where(x == x[0, 0], x, x.dtype.type(1j)))
    a += 1j
    a[1:3, ::5] *= a[1:3, ::5]
    x = x + x.dtype.type(1j)
    x[1:3, ::5] *= x[1:3, ::5]
    same(a, x)


def test_quotients_by_small_and_large_divisors(serial):
    tiny = np.array([1e-300 + 1e-300j, 1e300 + 1e300j, 3 - 4j, 1, 1j])
    x = np.array([2e-300, 1e300, 25, 1j, -1])
    same(fc.asarray(x) / fc.asarray(tiny), x / tiny, tolerance=2)
    with np.errstate(all="ignore"):
        x = np.array([1 + 1j, 0, 1j])
        same(fc.asarray(x) / 0, x / np.complex128(0))


FUNCTIONS = [
    "exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "arcsinh", "arccosh",
    "arctanh", "expm1", "log1p", "log2", "log10", "exp2", "square", "reciprocal", "sign",
]


# The interpreter's functions are `libm`'s, as are those of Serial's oracle here; one pass is enough of it.
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(device, kind, name):
    x = normal(kind, 200)
    x[:4] = 0.5, -0.5, 0.25j, -0.25j
    expected = getattr(np, name)(x.astype("complex128")).astype(kind)
    same(getattr(fc, name)(fc.asarray(x)), expected, tolerance=20)


def test_branch_cuts_are_numpys(serial):
    sides = [complex(x, y) for x in (-2.0, -0.5, 0.5, 2.0, 0.0, -0.0) for y in (0.0, -0.0)]
    x = np.array(sides + [complex(z.imag, z.real) for z in sides])
    for name in ["sqrt", "log", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"]:
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(x)
        finite = np.isfinite(expected)
        got = getattr(fc, name)(fc.asarray(x)).get()
        np.testing.assert_allclose(got[finite], expected[finite], rtol=1e-14, atol=1e-15, err_msg=name)
        assert (np.signbit(got.real) == np.signbit(expected.real))[finite & (expected.real != 0)].all(), name
        assert (np.signbit(got.imag) == np.signbit(expected.imag))[finite & (expected.imag != 0)].all(), name


def test_powers(device, kind):
    x = normal(kind, 50)
    a = fc.asarray(x)
    same(a**0.5, x**0.5, tolerance=30)
    same(a**-2, x**-2, tolerance=60)
    same(2**a, 2**x, tolerance=30)
    same(fc.pow(a, a[::-1]), np.power(x.astype("c16"), x[::-1].astype("c16")).astype(kind), tolerance=200)
    same(fc.asarray(x.real) ** 1j, np.power(x.real.astype("c16"), 1j).astype(kind), tolerance=30)


def test_parts_and_magnitudes(device, kind):
    x = normal(kind, 3, 40)
    a = fc.asarray(x)
    same(fc.abs(a), np.abs(x), tolerance=2)
    same(abs(a[0, ::2]), np.abs(x[0, ::2]), tolerance=2)
    same(fc.real(a), x.real)
    same(fc.imag(a), x.imag)
    same(fc.conj(a), x.conj())
    same(a.conj(), x.conj())
    same(fc.angle(a), np.angle(x), tolerance=2)
    same(np.conjugate(a), x.conj())
    same(np.abs(a.imag), np.abs(x.imag))
    same(fc.round(a * 4), np.round(x * 4))
    assert fc.imag(a.real).get().any() == False and fc.real(a.real).dtype == x.real.dtype  # noqa: E712
    out = fc.empty((3, 40), x.real.dtype)
    assert fc.abs(a, out=out) is out
    same(out, np.abs(x), tolerance=2)


def test_infinities_and_nans(serial):
    x = np.array([1, np.nan, complex(0, np.nan), np.inf, complex(1, -np.inf), complex(np.nan, np.inf)])
    a = fc.asarray(x)
    for name in ["isnan", "isinf", "isfinite"]:
        same(getattr(fc, name)(a), getattr(np, name)(x))
    same(a == a, x == x)
    same(a != a, x != x)


def test_fused_functions_and_kernels_of_a_line(device, kind):
    x = eighths(kind, 30)
    a = fc.asarray(x)

    @fc.fuse
    def step(z, c):
        z = z * z + c
        return z, fc.abs(z.conj()), fc.where(z.real > 0, z, 1j), fc.asin(z * 0.125)

    z, size, chosen, angle = step(a, 0.5j)
    expected = x * x + x.dtype.type(0.5j)
    same(z, expected)
    same(size, np.abs(expected), tolerance=2)
    same(chosen, np.where(expected.real > 0, expected, x.dtype.type(1j)))
    same(angle, np.arcsin(expected / 8), tolerance=20)
    rotate = fc.ElementwiseKernel("T z, T by", "T out, int32 quarter", "T w = z * by; out = w; quarter = w.re > 0 ? 1 : 0", "rotate")
    out, quarter = rotate(a, 1j)
    same(out, x * x.dtype.type(1j))
    same(quarter, (-x.imag > 0).astype("i4"))
    typed = fc.ElementwiseKernel(f"{kind} z, raw {kind} table", "float32 out", "out = norm(z - table[n - 1 - i])")
    same(typed(a, a), (np.abs(x - x[::-1]) ** 2).astype("f4"), tolerance=4)
    energy = fc.ReductionKernel("T z", f"{x.real.dtype} y", "norm(z)", "a + b", "y = sqrt(a)", "0", "energy")
    assert float(energy(a)) == pytest.approx(np.linalg.norm(x), rel=1e-6)
    product = fc.ScanKernel("T z", "T y", "z", "a * b", "1")
    same(product(a[:6]), np.cumprod(x[:6]), tolerance=4)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2), -1])
def test_reductions(device, kind, axis):
    x = eighths(kind, 3, 50, 4)
    a = fc.asarray(x)
    same(a.sum(axis=axis), x.sum(axis=axis))
    same(a[:, ::-2].sum(axis=axis, keepdims=True), x[:, ::-2].sum(axis=axis, keepdims=True))
    same(a.mean(axis=axis), x.mean(axis=axis), tolerance=4)
    same(a.var(axis=axis), x.var(axis=axis), tolerance=20)
    same(a.std(axis=axis, correction=1), x.std(axis=axis, ddof=1), tolerance=20)
    same(fc.prod(a[:2, :2, :1], axis=axis), x[:2, :2, :1].prod(axis=axis), tolerance=8)
    same((a - x[0, 0, 0]).any(axis=axis), (x - x[0, 0, 0]).any(axis=axis))
    same((a - x[0, 0, 0]).all(axis=axis), (x - x[0, 0, 0]).all(axis=axis))
    same(fc.count_nonzero(a.real * a, axis=axis), np.count_nonzero(x.real * x, axis=axis))


def test_sums_of_many_have_the_same_bits_everywhere(device, kind):
    x = normal(kind, 70, 190)
    a, turned = fc.asarray(x), fc.asarray(np.ascontiguousarray(x.T)).T
    total = complex(a.sum())
    assert total == complex(turned.sum()) and total == pytest.approx(complex(x.sum()), rel=1e-4)
    with fc.Device("Serial"):
        assert complex(fc.asarray(x).sum()) == total
    same(a.sum(dtype="complex128"), x.sum(dtype="c16"), tolerance=100)
    same(fc.sum(a.real, dtype=kind), x.real.sum(dtype=kind), tolerance=1000)
    empty = fc.zeros((0, 3), kind)
    assert complex(empty.sum()) == 0 and complex(empty.prod()) == 1 and empty.sum(axis=0).tolist() == [0j] * 3


def test_scans(device, kind):
    x = eighths(kind, 2, 2600)
    a = fc.asarray(x)
    same(fc.cumsum(a[0]), np.cumsum(x[0]))
    same(fc.cumsum(a), np.cumsum(x))
    same(fc.cumulative_sum(a[:, :30], axis=0, include_initial=True), np.cumulative_sum(x[:, :30], axis=0, include_initial=True))
    same(fc.cumprod(a[0, :5]), np.cumprod(x[0, :5]), tolerance=4)


def test_products(device, kind):
    x, y = eighths(kind, 5, 7), eighths(kind, 7, 3, seed=2)
    a, b = fc.asarray(x), fc.asarray(y)
    same(a @ b, x @ y)
    same(fc.dot(a[0], b[:, 0]), np.dot(x[0], y[:, 0]))
    same(a[0].dot(b[:, 0]), np.dot(x[0], y[:, 0]))
    same(fc.vdot(a, a.real), np.vdot(x, x.real.astype(kind)))
    same(np.vdot(a[0], b[:, 1]), np.vdot(x[0], y[:, 1]))
    same(fc.vecdot(a, a), np.vecdot(x, x))
    same(fc.tensordot(a, b, axes=1), np.tensordot(x, y, 1))
    same(a.real @ b, x.real.astype(kind) @ y)


def test_elements_are_moved(device, kind):
    x = normal(kind, 3, 4, 5)
    a = fc.asarray(x)
    rows = np.array([2, 0, -1])
    same(a[fc.asarray(rows)], x[rows])
    same(a[a.real > 0], x[x.real > 0])
    same(a[a != x[1, 1, 1]], x[x != x[1, 1, 1]])
    a[a.imag > 1] = 2 - 1j
    x[x.imag > 1] = 2 - 1j
    a[fc.asarray(rows[:2]), 1] = 1j
    x[rows[:2], 1] = 1j
    a[0, :, 4] = [9j, 8, 7, 6]
    x[0, :, 4] = [9j, 8, 7, 6]
    a[2, 1:3] = fc.arange(5.0)
    x[2, 1:3] = np.arange(5.0)
    same(a, x)
    same(a[0].T.copy(), x[0].T)
    same(fc.concat([a[0], fc.ones((1, 5))]), np.concatenate([x[0], np.ones((1, 5), x.real.dtype)]).astype(fc.result_type(a, "f8")))
    same(fc.roll(a, 1, axis=1), np.roll(x, 1, axis=1))
    same(fc.tril(a[0], k=1), np.tril(x[0], k=1))
    same(fc.diff(a, axis=2), np.diff(x, axis=2))
    for got, expected in zip(fc.nonzero(a - x[0, 0, 0]), np.nonzero(x - x[0, 0, 0])):
        same(got, expected)


def test_different_elements_are_found(serial, kind):
    parts = np.random.default_rng(5).integers(-2, 3, (2, 60)).astype("f4")
    x = (parts[0] + 1j * parts[1]).astype(kind)
    x[::7] *= -1.0  # zeros of both signs
    values, first, inverse, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    result = fc.unique_all(fc.asarray(x))
    same(result.values + 0, values + 0)
    same(result.indices, first)
    same(result.inverse_indices, inverse)
    same(result.counts, counts)


def test_creation(serial, kind):
    same(fc.asarray([[1j, 2], [3, 4]]), np.array([[1j, 2], [3, 4]]))
    same(fc.asarray(2.5, kind), np.array(2.5, kind))
    same(fc.asarray(1 - 1j), np.array(1 - 1j))
    same(fc.asarray(np.arange(3, dtype=">c8")), np.arange(3, dtype="c8"))
    same(fc.zeros((2, 3), kind), np.zeros((2, 3), kind))
    same(fc.ones(2, kind), np.ones(2, kind))
    same(fc.full(3, 1j), np.full(3, 1j))
    same(fc.full((), 2 - 1j, kind), np.full((), 2 - 1j, kind))
    same(fc.full_like(fc.zeros(3, kind), 1j), np.full(3, 1j, kind))
    same(fc.eye(3, 4, k=1, dtype=kind), np.eye(3, 4, k=1, dtype=kind))
    same(fc.linspace(0, 1 + 2j, 5), np.linspace(0, 1 + 2j, 5), tolerance=2)
    same(fc.linspace(-1, 1, 5, dtype=kind), np.linspace(-1, 1, 5).astype(kind))
    assert fc.linspace(0, 0.3j, 4)[-1].item() == 0.3j
    owner = np.zeros(3, kind)
    fc.asarray(owner, copy=False)[0] = 9j
    assert owner[0] == 9j


def test_numbers_of_python(serial):
    z = fc.asarray([[3 - 4j]])
    assert (complex(z), z.item(), z.tolist(), bool(z)) == (3 - 4j, 3 - 4j, [[3 - 4j]], True)
    assert 1j in fc.asarray([1j, 2]) and 2j not in fc.asarray([1j, 2])
    for wrong in lambda: float(z), lambda: int(z):
        with pytest.raises(TypeError):
            wrong()


NAMES = [
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", *TYPES,
]


@pytest.mark.parametrize("other", NAMES)
def test_types_promote_as_in_numpy(serial, kind, other):
    expected = np.result_type(kind, other).name
    assert fc.result_type(kind, other) == fc.result_type(other, kind) == expected
    a, b = fc.ones(2, kind), fc.ones(2, other)
    assert (a + b).dtype == (b * a).dtype == expected
    assert fc.can_cast(kind, other) == (np.can_cast(kind, other) or kind == other)
    same(fc.asarray([0, 2], other).astype(kind), np.array([0, 2], other).astype(kind))


def test_numbers_promote_as_in_numpy(serial, kind):
    for other, number in [("float32", 1j), ("float64", 1j), ("float16", 1j), (kind, 2), (kind, 0.5), (kind, 1j), (kind, True)]:
        expected = (np.ones(2, other) * number).dtype.name
        expected = "complex64" if (other, number) == ("float16", 1j) else expected
        assert (fc.ones(2, other) * number).dtype == (number * fc.ones(2, other)).dtype == expected, (other, number)
    assert (fc.ones(2, "int32") + 1j).dtype == fc.result_type("int64", 1j) == "complex128"
    assert (fc.ones(2, kind) * np.complex64(1j)).dtype == kind
    assert (fc.ones(2, "float32") * np.complex128(1j)).dtype == "complex128"


def test_what_the_namespace_says(serial):
    assert fc.isdtype(fc.complex64, "complex floating") and fc.isdtype("complex128", "numeric")
    assert not fc.isdtype(fc.complex64, "real floating") and not fc.isdtype(fc.float32, ("complex floating", "integral"))
    assert fc.finfo(fc.complex64).eps == np.finfo("c8").eps and fc.finfo(fc.complex128).dtype == fc.float64
    info = fc.__array_namespace_info__()
    assert info.dtypes(kind="complex floating") == {"complex64": fc.complex64, "complex128": fc.complex128}
    assert info.default_dtypes()["complex floating"] == fc.complex128


@pytest.mark.parametrize(
    "use",
    [
        *[lambda z, name=name: getattr(fc, name)(z, z) for name in ["less", "greater_equal", "minimum", "maximum", "fmax"]],
        *[lambda z, name=name: getattr(fc, name)(z) for name in ["sort", "argsort", "min", "max", "argmin", "argmax", "histogram"]],
        lambda z: z < 1j, lambda z: z.real >= z, lambda z: fc.clip(z, 0, 1), lambda z: z.sort(), lambda z: fc.searchsorted(z, z),
        lambda z: fc.isin(z, z), lambda z: fc.top_k(z, 1), lambda z: fc.bincount(fc.asarray([1, 2]), weights=z),
        lambda z: fc.fuse(lambda a: a < 1)(z),
    ],
)
def test_what_needs_an_order_is_refused(serial, use):
    with pytest.raises(fc.WrongTypeError, match=r"complex numbers, which have no order: take a part.*abs\(x\)"):
        use(fc.asarray([1j, 2]))


@pytest.mark.parametrize(
    "use",
    [
        *[lambda z, name=name: getattr(fc, name)(z) for name in ["floor", "ceil", "trunc", "signbit", "cbrt", "rsqrt", "erf", "gamma"]],
        *[lambda z, name=name: getattr(fc, name)(z, z) for name in ["atan2", "hypot", "copysign", "logaddexp", "fmod"]],
        lambda z: z // 2, lambda z: 2 % z, lambda z: z & z, lambda z: ~z, lambda z: z << 1,
        lambda z: z.astype("float64"), lambda z: fc.asarray(z, "int32"), lambda z: z.sum(dtype="float32"), lambda z: z.mean(dtype="f8"),
        lambda z: fc.cumsum(z, dtype="f4"), lambda z: fc.asarray([1j], "float32"), lambda z: fc.zeros(2).__setitem__(0, z[0]),
        lambda z: fc.zeros(2).__setitem__(0, 1j), lambda z: fc.add(z, z, out=fc.zeros(2)), lambda z: fc.zeros(2).__iadd__(z),
        lambda z: fc.arange(0, 3j), lambda z: fc.linspace(0, 1j, 3, dtype="float32"), lambda z: fc.full(2, 1j, "float64"),
    ],
)
def test_what_is_not_of_complex_numbers_is_refused(serial, use):
    with pytest.raises(fc.WrongTypeError, match="complex|truth values|1j is no float64"):
        use(fc.asarray([1j, 2]))


def test_a_formula_drops_no_imaginary_part(serial):
    drop = fc.ElementwiseKernel("complex64 z", "float32 x", "x = z", "drop")
    with pytest.raises(fc.BuildError, match="expected `float`, got `complex64`"):
        drop(fc.asarray([1j], "complex64"))
    kept = fc.ReductionKernel("complex64 z", "float32 x", "z", "a + b", "x = a", "0", "kept")
    with pytest.raises(fc.BuildError, match="expected `float`, got `complex64`"):
        kept(fc.asarray([1j], "complex64"))

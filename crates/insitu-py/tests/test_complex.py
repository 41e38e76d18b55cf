"""Complex numbers as elements of memory, in every protocol, and as arguments of kernels."""

import ferrocca
import numpy as np
import pytest

TYPES = ["complex64", "complex128"]
NUMBERS = np.array([[1 + 2j, -0.5j, 3], [0, -1.25 + 0.5j, 1e-3 - 8j]])
TURN = """
@kernel void turn(const int n, const NUMBER by, const NUMBER *in, NUMBER *out) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) out[i] = by * in[i];
}"""
DEVICES = ["mode=Serial", "mode=CPU, threads=2", "mode=Reference", "mode=OpenCL", "mode=WebGPU"]


@pytest.fixture(params=DEVICES)
def device(request, opened):
    return opened(request.param)


@pytest.fixture(params=TYPES)
def numbers(request):
    return NUMBERS.astype(request.param)


@pytest.fixture
def serial():
    return ferrocca.Device("mode=Serial")


def turn(device, dtype):
    return device.build_kernel_from_string(TURN, "turn", {"defines": {"NUMBER": dtype}})


def test_numbers_come_back(device, numbers):
    memory = device.malloc_from(numbers)
    assert (memory.dtype, memory.dtype.kind, memory.itemsize) == (numbers.dtype.name, "c", numbers.itemsize)
    assert repr(memory).startswith(f"ferrocca.Memory({numbers.dtype.name} (2, 3) on ")
    for same in [memory, memory.share(), memory.duplicate(), memory[...]]:
        np.testing.assert_array_equal(same.to_host(), numbers, strict=True)
    np.testing.assert_array_equal(memory[1, ::-2].get(), numbers[1, ::-2], strict=True)
    np.testing.assert_array_equal(memory.T.get(), numbers.T, strict=True)
    other = device.malloc((2, 3), numbers.dtype)
    other.copy_from(memory)
    target = np.zeros_like(numbers)
    other.copy_to(target)
    np.testing.assert_array_equal(target, numbers)
    with pytest.raises(TypeError, match=f"cannot copy elements of float64 to memory of {numbers.dtype.name}: copy "):
        other.copy_from(NUMBERS.real.copy())


NAMES = {
    "complex64": ["complex64", "c8", "<c8", "csingle", np.complex64, np.dtype("c8"), ferrocca.complex64],
    "complex128": ["complex128", "c16", "<c16", "complex", complex, np.complex128, np.dtype(complex), ferrocca.complex128],
}


@pytest.mark.parametrize(("name", "given"), [(name, given) for name, all_of in NAMES.items() for given in all_of])
def test_types_have_many_names(serial, name, given):
    made = [serial.malloc(3, given), serial.create_memory_pool().reserve(3, given), ferrocca.empty(3, given, device=serial)]
    assert [memory.dtype for memory in made] == [getattr(ferrocca, name)] * 3


def test_memory_is_filled(device, numbers):
    memory = device.malloc(3, numbers.dtype)
    values = [2 - 3j, 4, 0.5, True, np.complex64(1j), np.complex128(2j), np.float32(0.25), np.array(3 + 1j)]
    for value in values:
        memory.fill(value)
        np.testing.assert_array_equal(memory.to_host(), np.full(3, value, numbers.dtype), strict=True)


def test_what_is_no_complex_number_is_not_filled_in(serial):
    memory = serial.malloc(2, "complex64")
    for wrong, text in [("1j", "not `str`"), (None, "not `NoneType`"), (np.ones(2), r"not an array of shape \(2,\)")]:
        with pytest.raises(ferrocca.WrongTypeError, match=text):
            memory.fill(wrong)
    with pytest.raises(OverflowError, match="too large for `complex64`"):
        memory.fill(1e300j)


# The last ones convert themselves to a float and drop what is imaginary.
@pytest.mark.parametrize("value", [1j, np.complex128(1j), np.complex64(1j), np.array(1j, "c8")])
def test_no_imaginary_part_is_dropped(serial, value):
    source = "@kernel void k(const double a, double *x) { for (int i = 0; i < 1; ++i; @tile(1, @outer, @inner)) x[i] = a; }"
    kernel, x = serial.build_kernel_from_string(source, "k"), serial.malloc(1)
    for drop in [
        lambda: x.fill(value), lambda: kernel(value, x), lambda: serial.malloc(1, bool).fill(value),
        lambda: serial.malloc(1, "int32").fill(value), lambda: x.__setitem__(0, value), lambda: x.__setitem__([0], value),
    ]:
        with pytest.raises(ferrocca.WrongTypeError, match="complex|is no float64"):
            drop()


def test_protocols_say_complex(serial, numbers):
    memory = serial.malloc_from(numbers)
    for view in [memory.array(), np.asarray(memory), np.asarray(memoryview(memory)), np.from_dlpack(memory)]:
        assert view.dtype == numbers.dtype and view.ctypes.data == memory.ptr
        np.testing.assert_array_equal(view, numbers)
    memory.array()[0, 0] = 7j
    assert np.asarray(memory)[0, 0] == 7j
    assert memory.__array_interface__["typestr"] == numbers.dtype.str
    assert memoryview(memory).format == {8: "Zf", 16: "Zd"}[numbers.itemsize]
    turned = np.asarray(memory.T)
    assert turned.strides == (numbers.itemsize, 3 * numbers.itemsize) and turned[0, 0] == 7j


@pytest.mark.parametrize("how", ["DLPack", "a buffer", "an array interface"])
def test_arrays_are_wrapped_in_place(serial, numbers, how):
    class Interface:
        __array_interface__ = numbers.__array_interface__

    source = {"DLPack": numbers, "a buffer": memoryview(numbers), "an array interface": Interface()}[how]
    memory = serial.wrap(source)
    assert memory.dtype == numbers.dtype.name and memory.ptr == numbers.ctypes.data
    memory.fill(2j)
    assert (numbers == 2j).all()


def test_what_is_not_this_machines_is_refused(serial):
    for wrong in [np.zeros(2, ">c8"), memoryview(np.zeros(2, "clongdouble"))]:
        with pytest.raises((BufferError, TypeError), match="byte order|no such type"):
            serial.wrap(wrong)


def test_libraries_exchange_them(serial):
    torch = pytest.importorskip("torch")
    memory = serial.malloc_from(NUMBERS)
    tensor = torch.from_dlpack(memory)
    assert tensor.dtype == torch.complex128 and tensor.data_ptr() == memory.ptr
    back = serial.wrap(torch.zeros(3, dtype=torch.complex64))
    assert back.dtype == "complex64"


def test_arrow_has_none(serial):
    pyarrow = pytest.importorskip("pyarrow")
    parts = NUMBERS.astype("c8").view("f4").reshape(-1)
    pairs = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(parts), 2)
    with pytest.raises(TypeError, match="Arrow has no complex numbers.*view\\('complex64'\\)"):
        serial.wrap(pairs)
    shown = pairs.flatten().to_numpy().view("complex64")
    memory = serial.wrap(shown)
    assert memory.ptr == shown.ctypes.data and memory.readonly
    np.testing.assert_array_equal(memory.to_host(), NUMBERS.astype("c8").ravel())


def test_kernels_take_memory_and_numbers(device, numbers):
    kernel = turn(device, numbers.dtype.name)
    memory, out = device.malloc_from(numbers), device.malloc(6, numbers.dtype)
    values = [0.5 - 2j, 3, True, -0.25, np.complex64(1j), np.complex128(2 + 1j), np.float32(0.5), np.array(1 - 1j)]
    for by in values:
        kernel(6, by, memory, out)
        np.testing.assert_array_equal(out.to_host(), numbers.dtype.type(by) * numbers.ravel(), strict=True)


def test_kernels_take_arrays_of_others_in_place(opened_on_host, numbers):
    device = opened_on_host("mode=CPU")
    out = np.zeros(6, numbers.dtype)
    turn(device, numbers.dtype.name)(6, 1j, numbers, out)
    np.testing.assert_array_equal(out, 1j * numbers.ravel())


def test_kernels_check_types(serial):
    kernel = turn(serial, "complex64")
    assert [kind for _, kind in kernel.parameters] == ["int", "complex64", "const complex64 *", "complex64 *"]
    single, double, pairs = (serial.malloc(4, kind) for kind in ["complex64", "complex128", "float32"])
    for arguments, text in [
        ((4, 1j, double, single), "argument 3 `in`.*complex64.*complex128"),
        ((4, 1j, single, pairs), "argument 4 `out`.*complex64.*f32"),
        ((1j, 1j, single, single), "argument 1 `n`: int takes a real number"),
        ((4, "1j", single, single), "argument 2 `by`: a complex number is expected, not `str`"),
        ((4, np.zeros(2), single, single), r"argument 2 `by`: .*an array of shape \(2,\)"),
    ]:
        with pytest.raises(ferrocca.WrongTypeError, match=text):
            kernel(*arguments)
    with pytest.raises(OverflowError, match=f"{2**24 + 1} does not fit `complex64`"):
        kernel(4, 2**24 + 1, single, single)


def test_defines_and_file_scope_constants(device):
    source = """
    const complex64 START = C;
    @kernel void k(complex64 *x) { for (int i = 0; i < 2; ++i; @tile(2, @outer, @inner)) x[i] = START * (float) i + ONE; }"""
    x = device.malloc(2, "complex64")
    device.kernel(source, "k", defines={"C": -0.5 + 2j, "ONE": np.complex64(1j)})(x)
    assert x.to_host().tolist() == [1j, -0.5 + 3j]


def test_graphs_record_them(device, numbers):
    kernel, memory = turn(device, numbers.dtype.name), device.malloc_from(numbers)
    out, ring = device.malloc(6, numbers.dtype), device.malloc((2, 6), numbers.dtype)
    with device.record() as graph:
        kernel(6, 2j, memory, out)
        graph.snapshot(out, ring)
    graph.replay(2)
    device.finish()
    np.testing.assert_array_equal(ring.to_host(), np.stack([2j * numbers.ravel()] * 2))


def test_parts_are_views(device, numbers):
    memory = device.malloc_from(numbers)
    part = {8: "float32", 16: "float64"}[numbers.itemsize]
    for name in "real", "imag":
        view = getattr(memory, name)
        assert (view.dtype, view.shape, view.strides) == (part, (2, 3), (3 * numbers.itemsize, numbers.itemsize))
        np.testing.assert_array_equal(view.get(), getattr(numbers, name), strict=True)
        np.testing.assert_array_equal(getattr(memory.T[1:], name).get(), getattr(numbers.T[1:], name), strict=True)
        assert float(getattr(memory[1, 2], name)) == getattr(numbers[1, 2], name)
    memory.imag[1:] += 1
    memory.real = 5
    numbers.imag[1:] += 1
    numbers.real = 5
    np.testing.assert_array_equal(memory.to_host(), numbers)
    memory[0, 0].imag[...] = -3
    assert memory.to_host()[0, 0] == 5 - 3j
    real = device.malloc_from(numbers.real.copy())
    assert real.real is real
    with pytest.raises(TypeError, match="no imaginary parts"):
        real.imag

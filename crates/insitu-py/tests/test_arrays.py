"""Memory by every protocol, in place; arrays of others as memory, in place; and what is refused."""

import array
import ctypes
import gc
import sys
import threading
import weakref

import ferrocca
import numpy as np
import pytest

TYPES = ["float64", "float32", "float16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.fixture
def device():
    return ferrocca.Device("mode=Serial")


def address(view):
    return view.__array_interface__["data"][0]


VIEWS = {
    "array": lambda memory: memory.array(),
    "asarray": np.asarray,
    "from_dlpack": np.from_dlpack,
    "memoryview": lambda memory: np.asarray(memoryview(memory)),
    "interface": lambda memory: np.asarray(type("I", (), {"__array_interface__": memory.__array_interface__})()),
}


@pytest.mark.parametrize("how", VIEWS)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(12,), (3, 4), (2, 3, 2), (0,), (3, 0), ()])
def test_every_protocol_shows_the_memory_itself(device, how, dtype, shape):
    memory = device.malloc(shape, dtype)
    memory.fill(1)
    view = VIEWS[how](memory)
    assert (view.shape, view.dtype, str(memory.dtype)) == (shape, np.dtype(dtype), dtype)
    assert (view == 1).all() and view.flags.writeable
    if view.size:
        assert address(view) == memory.ptr
        view[...] = 3
        assert (memory.to_host() == 3).all()
    assert (memory.ndim, memory.size, memory.nbytes) == (view.ndim, view.size, view.nbytes)
    assert memory.strides == view.strides or not view.size


@pytest.mark.parametrize("name", ["float64", "f8", "<f8", "f64", "double", float, np.float64, np.dtype("f8")])
def test_names_of_a_type(device, name):
    assert device.malloc(2, name).dtype == "float64"


@pytest.mark.parametrize("name", ["float16", "f2", "<f2", "half", np.half, np.dtype("f2")])
def test_names_of_half(device, name):
    memory = device.malloc(2, name)
    memory.fill(1 + 2**-11 + 2**-30)
    assert memory.dtype == "float16" and (memory.to_host() == np.float16(1 + 2**-10)).all()


@pytest.mark.parametrize("name", ["u8", "i8", "u4", "u2", "u1", "i1", "f4", "f8", "<u8", "=f8", "|u1"])
def test_names_of_numpy_mean_what_they_mean_there(device, name):
    assert device.malloc(2, name).dtype == np.dtype(name).name


def test_longdouble_is_not_half(device):
    with pytest.raises(ValueError, match="NumPy's `longdouble`, which kernels do not have; half is `float16`"):
        device.malloc(2, "f16")


@pytest.mark.skipif(sys.byteorder != "little", reason="it names the other byte order")
@pytest.mark.parametrize("dtype", [np.dtype(">f8"), np.dtype(">u2"), ">f8", ">i4"])
def test_another_byte_order_is_refused(device, dtype):
    with pytest.raises((TypeError, ValueError), match="another byte order than this machine"):
        device.malloc(2, dtype)
    with pytest.raises((TypeError, BufferError)):
        device.malloc_from(np.ones(2, dtype))
    assert device.malloc(2, np.dtype(">i1")).dtype == "int8", "one byte has no order"


@pytest.mark.parametrize(
    "dtype, largest, beyond",
    [("float32", np.finfo("f4").max, 1e300), ("float16", 65504, 65520), ("bfloat16", 3.3895e38, 3.4e38)],
)
def test_a_finite_number_does_not_become_infinite(device, dtype, largest, beyond):
    memory = device.malloc(2, dtype)
    for value in (beyond, -beyond, 10**400):
        memory.fill(1)
        with pytest.raises(OverflowError):
            memory.fill(value)
    with pytest.raises(OverflowError, match=f"is too large for `{dtype}`"):
        memory.fill(beyond)
    for value in (float(largest), float("inf"), float("-inf"), float("nan")):
        memory.fill(value)


@pytest.mark.parametrize("shape", [(2**61 + 1, 8), (2**62, 2), (2**60, 1), (0, 2**40, 2**40)])
def test_a_shape_that_overflows_is_refused(device, shape):
    data = np.arange(8.0)
    interface = {"shape": shape, "typestr": "<f8", "data": (address(data), False), "version": 3}
    array = type("Liar", (), {"__array_interface__": interface})()
    for take in (device.malloc_from, device.wrap, device.malloc(8).copy_from):
        with pytest.raises(BufferError, match="is too large to address"):
            take(array)


def test_array_is_made_once(device):
    memory = device.malloc(3)
    assert memory.array() is memory.array()


def test_a_view_keeps_the_memory(device):
    for how, view_of in VIEWS.items():
        if how == "interface":
            continue  # such a view holds the object that made the interface, which the lambda drops
        memory = device.malloc(1000)
        memory.fill(2.5)
        before = device.memory_allocated
        view = view_of(memory)
        del memory
        gc.collect()
        assert device.memory_allocated == before and (view == 2.5).all(), how
        del view
        gc.collect()
        assert device.memory_allocated == before - 8000, how


def test_array_and_memory_are_no_cycle_that_stays(device):
    before = device.memory_allocated
    memory = device.malloc(1000)
    memory.array()
    del memory
    assert device.memory_allocated == before, "without a garbage collection"


def test_a_view_may_go_on_any_thread(device):
    before = device.memory_allocated
    views = [np.from_dlpack(device.malloc(1000)) for _ in range(32)]
    threads = [threading.Thread(target=lambda part: part.clear(), args=(views[i::4],)) for i in range(4)]
    views.clear()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    del threads
    assert device.memory_allocated == before


def test_a_capsule_that_nobody_takes_frees_its_tensor(device):
    before = device.memory_allocated
    for version in None, (1, 0):
        capsule = device.malloc(1000).__dlpack__(max_version=version)
        name = "dltensor_versioned" if version else "dltensor"
        assert f'"{name}"' in repr(capsule)
        del capsule
    assert device.memory_allocated == before


def test_dlpack_arguments(device):
    memory = device.malloc(4)
    memory.fill(1)
    assert memory.__dlpack_device__() == (1, 0)
    assert address(np.from_dlpack(memory, device="cpu", copy=False)) == memory.ptr
    copy = np.from_dlpack(memory, copy=True)
    assert address(copy) != memory.ptr and copy.tolist() == [1.0] * 4
    copy[0] = 5
    assert memory.to_host()[0] == 1
    memory.__dlpack__(stream=-1)
    with pytest.raises(BufferError, match="no stream"):
        memory.__dlpack__(stream=1)
    with pytest.raises(BufferError, match=r"device \(1, 0\)"):
        memory.__dlpack__(dl_device=(2, 0))
    with pytest.raises(TypeError):
        memory.__dlpack__(unknown=1)


def test_buffer_requests(device):
    memory = device.malloc((2, 3), "int32")
    view = memoryview(memory)
    assert (view.format, view.shape, view.strides, view.readonly) == ("i", (2, 3), (12, 4), False)
    assert bytes(memory) == bytes(24)
    flat = (ctypes.c_int32 * 6).from_buffer(memory)
    flat[5] = 7
    assert memory.array()[1, 2] == 7
    with pytest.raises((BufferError, TypeError), match="read-only|writable"):
        (ctypes.c_char * 4).from_buffer(device.wrap(b"1234"))


@pytest.mark.parametrize("dtype", TYPES)
def test_wrap_is_in_place_and_keeps_the_array(device, dtype):
    original = np.arange(6, dtype=dtype).reshape(2, 3)
    memory = device.wrap(original)
    assert (memory.ptr, memory.shape, memory.dtype, memory.readonly) == (address(original), (2, 3), dtype, False)
    memory.fill(9)
    assert (original == 9).all()
    assert device.memory_allocated == 0, "wrapped memory is not the device's"


def test_wrap_keeps_its_array_alive(device):
    class Owner(np.ndarray):
        pass

    original = np.arange(100.0).view(Owner)
    gone = weakref.ref(original)
    memory = device.wrap(original)
    part = memory[10:20]
    del original, memory
    gc.collect()
    assert gone() is not None and part.to_host().tolist() == list(range(10, 20))
    del part
    gc.collect()
    device.finish()  # what views let go is freed when the library is entered next
    assert gone() is None


def test_wrap_by_buffer_and_by_interface(device):
    numbers = array.array("d", [1, 2, 3])
    memory = device.wrap(numbers)
    memory.array()[0] = 5
    assert numbers[0] == 5
    with pytest.raises(BufferError):
        numbers.append(4)  # its buffer is in use
    del memory
    gc.collect()
    device.finish()
    numbers.append(4)

    original = np.arange(4.0)
    only_interface = type("I", (), {"__array_interface__": original.__array_interface__, "kept": original})()
    assert device.wrap(only_interface).ptr == address(original)
    raw = bytearray(8)
    device.wrap(raw).fill(3)
    assert raw == b"\3" * 8


def test_read_only_arrays(device):
    original = np.arange(4.0)
    original.flags.writeable = False
    for source in original, memoryview(original), bytes(original.tobytes()):
        memory = device.wrap(source)
        assert memory.readonly and not memory.array().flags.writeable and not np.from_dlpack(memory).flags.writeable
        assert memory[1:2].readonly and memory.share().readonly and not memory.duplicate().readonly
        for write in lambda: memory.fill(1), lambda: memory.copy_from(np.zeros(4)):
            with pytest.raises(ValueError, match="read-only"):
                write()
    with pytest.raises(ValueError, match="read-only"):
        device.malloc(4).copy_to(original)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: np.arange(10.0)[::2], BufferError, "not contiguous"),
        (lambda: np.arange(10.0)[::-1], BufferError, "not contiguous"),
        (lambda: np.zeros((3, 4), order="F"), BufferError, "not contiguous"),
        (lambda: memoryview(np.zeros(3, "longdouble")), TypeError, "no such type"),
        (lambda: memoryview(np.zeros(3, "clongdouble")), TypeError, "no such type"),
        (lambda: np.zeros(3, ">f8"), TypeError, "byte order"),
        (lambda: np.array(["text"]), TypeError, "holds no numbers"),
        (lambda: np.frombuffer(b"0123456789abcdef_", "u1")[1:].view("f8"), ferrocca.Error, "aligned"),
        (lambda: 3.0, TypeError, "is not an array"),
        (lambda: [1.0], TypeError, "is not an array"),
    ],
)
def test_what_cannot_be_wrapped_is_refused_not_copied(device, make, error, text):
    with pytest.raises(error, match=text):
        device.wrap(make())


def test_one_element_axes_have_any_stride(device):
    view = np.arange(12.0).reshape(3, 4)[1:2, :]
    assert device.wrap(view).shape == (1, 4)
    assert device.wrap(np.arange(12.0).reshape(3, 4)[:, 1:2].copy()).shape == (3, 1)


def test_copies(device):
    memory = device.malloc_from(np.arange(6.0).reshape(2, 3))
    assert memory.shape == (2, 3)
    target = np.zeros((2, 3))
    memory.copy_to(target)
    assert target.tolist() == [[0, 1, 2], [3, 4, 5]]
    memory.copy_from(target * 2)
    other = device.malloc(6)
    other.copy_from(memory)
    memory.fill(0)
    assert other.to_host().tolist() == [0, 2, 4, 6, 8, 10]
    other.copy_to(memory)
    assert memory.to_host().tolist() == [[0, 2, 4], [6, 8, 10]]
    with pytest.raises(TypeError, match=r'of float32 to memory of float64: copy `array.astype\("float64"\)`'):
        memory.copy_from(np.zeros(6, "f4"))
    with pytest.raises(ValueError, match=r"cannot copy 5 elements to memory of 6: .* `memory\[:5\]`"):
        memory.copy_from(np.zeros(5))
    with pytest.raises(ValueError, match=r"cannot copy 7 elements to memory of 6: .* `array\[:6\]`"):
        memory.copy_from(np.zeros(7))
    with pytest.raises(ValueError, match=r"cannot copy 6 elements to an array of 7: .* `array\[:6\]`"):
        memory.copy_to(np.zeros(7))
    with pytest.raises(TypeError, match="to an array of float32: give an array of float64"):
        memory.copy_to(np.zeros(6, "f4"))
    with pytest.raises(ferrocca.Error, match="cannot copy 5 elements to memory of 6"):
        memory.copy_from(device.malloc(5))
    memory.reshape(6)[:5].copy_from(np.arange(5.0))
    assert memory.to_host().tolist() == [[0, 1, 2], [3, 4, 10]]


def test_slices_and_shapes(device):
    memory = device.malloc_from(np.arange(24.0))
    grid = memory.reshape(4, 6)
    assert grid.shape == (4, 6) and grid.ptr == memory.ptr and memory.reshape((2, 12)).shape == (2, 12)
    rows = grid[1:3]
    assert rows.shape == (2, 6) and rows.to_host().tolist() == np.arange(24.0).reshape(4, 6)[1:3].tolist()
    rows.fill(0)
    assert memory.to_host().sum() == sum(range(6)) + sum(range(18, 24))
    assert memory[-4:].to_host().tolist() == [20, 21, 22, 23] and len(memory[5:5]) == 0
    assert memory.duplicate().ptr != memory.ptr == memory.share().ptr
    with pytest.raises(IndexError, match="out of range"):
        memory[24]
    with pytest.raises(TypeError, match="indexed by"):
        memory["first"]
    with pytest.raises(ValueError, match="24 elements"):
        memory.reshape(5, 5)


def test_bad_shapes_and_types(device):
    for shape in -1, (2, -3), (2**40, 2**40):
        with pytest.raises(ValueError, match="shape"):
            device.malloc(shape)
    with pytest.raises(TypeError, match="shape"):
        device.malloc("many")
    with pytest.raises(ferrocca.Error, match="too many to address"):
        device.malloc(2**62)
    with pytest.raises(ValueError, match="complex256"):
        device.malloc(3, "complex256")
    with pytest.raises((ValueError, TypeError, OverflowError)):
        device.malloc(3, "int8").fill(1000)


def test_repr(device):
    assert repr(device.malloc((2, 3), "f4")) == "ferrocca.Memory(float32 (2, 3) on cpu)"
    assert repr(device.malloc(2)) == "ferrocca.Memory(float64 (2,) on cpu)"
    assert repr(ferrocca.STOP) == "ferrocca.STOP"

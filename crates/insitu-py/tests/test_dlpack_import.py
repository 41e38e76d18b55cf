"""Tensors of producers that Ferrocca has never seen: unknown devices, odd versions, malformed ones. What is refused is
left to its producer, and what was taken is given back once."""

import ctypes
import gc

import ferrocca
import numpy as np
import pytest


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Versioned(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32 * 2),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


class Legacy(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Producer:
    """Six numbers on a device of the test's choice. It counts how often its tensor was asked for and given back."""

    def __init__(self, device=(1, 0), version=(1, 0), says=None, has_shape=True, flags=0):
        self.numbers = np.arange(6.0)
        self.device, self.version, self.says = device, version, says or device
        self.asked = self.deleted = 0
        self.capsule = None
        self._shape = (ctypes.c_int64 * 1)(6)
        tensor = Tensor(self.numbers.ctypes.data, device, 1, 2, 64, 1, self._shape if has_shape else None, None, 0)
        self._deleter = DELETER(self._delete)
        if version is None:
            self._managed, self._name = Legacy(tensor, None, self._deleter), b"dltensor"
        else:
            self._managed = Versioned(version, None, self._deleter, flags, tensor)
            self._name = b"dltensor_versioned"

    def _delete(self, _):
        self.deleted += 1

    def __dlpack_device__(self):
        return self.says

    def __dlpack__(self, *, stream=None, max_version=None):
        self.asked += 1
        self.capsule = _new(ctypes.addressof(self._managed), self._name, None)
        return self.capsule

    def is_taken(self):
        return b'"used_' in repr(self.capsule).encode()


@pytest.fixture
def device():
    return ferrocca.Device("mode=Serial")


@pytest.mark.parametrize("kind", [0, 4, 7, 8, 10, 12, 14, 15, 16, 99, -1, 2**31 - 1])
def test_an_unknown_device_is_refused_before_anything_is_asked_for(device, kind):
    producer = Producer(device=(kind, 3))
    for take in device.wrap, device.malloc_from, device.malloc(6).copy_from, device.malloc(6).copy_to:
        with pytest.raises(BufferError, match=rf"DLPack device \({kind}, 3\).*copy it to the host"):
            take(producer)
    assert (producer.asked, producer.deleted) == (0, 0)


@pytest.mark.parametrize("kind", [2, 13])
def test_cuda_is_refused_where_the_device_is_none(device, kind):
    producer = Producer(device=(kind, 0))
    with pytest.raises(BufferError, match="CUDA|cuda:0"):
        device.wrap(producer)
    assert (producer.asked, producer.deleted) == (0, 0)


@pytest.mark.parametrize("version", [(0, 8), (2, 0), (2**32 - 1, 7)])
def test_another_major_version_is_left_to_its_producer(device, version):
    producer = Producer(version=version)
    with pytest.raises(BufferError, match=rf"DLPack {version[0]}\.{version[1]}; only version 1"):
        device.wrap(producer)
    assert (producer.asked, producer.deleted, producer.is_taken()) == (1, 0, False)


@pytest.mark.parametrize("version", [None, (1, 0), (1, 3), (1, 2**32 - 1)])
@pytest.mark.parametrize("kind", [1, 3, 11])
def test_what_the_host_addresses_is_used_in_place(device, kind, version):
    producer = Producer(device=(kind, 0), version=version)
    memory = device.wrap(producer)
    assert (memory.ptr, memory.shape, producer.is_taken()) == (producer.numbers.ctypes.data, (6,), True)
    memory.fill(2.0)
    assert (producer.numbers == 2.0).all() and producer.deleted == 0
    del memory
    gc.collect()
    device.finish()
    assert producer.deleted == 1


def test_a_tensor_that_is_not_where_the_array_said_is_given_back(device):
    producer = Producer(device=(99, 0), says=(1, 0))
    with pytest.raises(BufferError, match=r"\(1, 0\), but its tensor lies on \(99, 0\)"):
        device.wrap(producer)
    assert (producer.asked, producer.deleted) == (1, 1)


def test_a_tensor_without_shape_is_given_back(device):
    producer = Producer(has_shape=False)
    with pytest.raises(BufferError, match="1 axes has no shape"):
        device.wrap(producer)
    assert producer.deleted == 1


@pytest.mark.parametrize("says", [7, "cpu", (1,), ("cpu", 0)])
def test_a_device_that_is_no_pair_of_numbers(device, says):
    producer = Producer(says=says)
    with pytest.raises(TypeError, match="`__dlpack_device__` gives"):
        device.wrap(producer)
    assert producer.asked == 0


WRITE = "@kernel void set(double *x) { for (int i = 0; i < 6; ++i; @tile(6, @outer, @inner)) x[i] = 7; }"


def flagged():
    return Producer(flags=1)


def of(module, version):
    return lambda: type("Immutable", (Producer,), {"__module__": module})(version=version)


def tensorflow():
    tensor = pytest.importorskip("tensorflow").constant(np.arange(6.0))
    return type("Kept", (), {"numbers": tensor, "__dlpack__": tensor.__dlpack__, "__dlpack_device__": tensor.__dlpack_device__, "__module__": type(tensor).__module__})()


@pytest.mark.parametrize(
    "source",
    [flagged, of("jaxlib._jax", (1, 0)), of("tensorflow.python.framework.ops", None), tensorflow],
    ids=["flag", "JAX", "TensorFlow's module", "TensorFlow"],
)
def test_immutable_tensors_are_not_written(source):
    device, immutable = ferrocca.Device("mode=Serial"), source()
    kernel = device.build_kernel_from_string(WRITE, "set")
    with pytest.raises(ferrocca.Error, match="argument 1 `x`: .*read-only"):
        kernel(immutable)
    memory = device.wrap(immutable)
    assert memory.readonly and memory[1:3].readonly and memory.reshape(2, 3).readonly and not memory.duplicate().readonly
    attempts = [
        lambda: memory.fill(7.0),
        lambda: memory[1:3].fill(7.0),
        lambda: memory.copy_from(np.ones(6)),
        lambda: device.malloc(6).copy_to(memory),
        lambda: memory.array().__setitem__(0, 7.0),
        lambda: np.from_dlpack(memory).__setitem__(0, 7.0),
        lambda: memoryview(memory).__setitem__(0, 7.0),
    ]
    for attempt in attempts:
        with pytest.raises((ValueError, TypeError), match="read-only"):
            attempt()
    assert memory.__array_interface__["data"][1] is True
    assert np.asarray(immutable.numbers).tolist() == [0, 1, 2, 3, 4, 5]
    del memory, attempts, attempt
    gc.collect()
    device.finish()
    assert not isinstance(immutable, Producer) or immutable.deleted == immutable.asked

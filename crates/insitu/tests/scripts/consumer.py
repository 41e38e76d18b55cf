"""A library that takes DLPack tensors and works on streams, in ctypes alone; the test is its device."""

import ctypes


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


class Versioned(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32 * 2),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


class Legacy(ctypes.Structure):
    _fields_ = [
        ("tensor", Tensor),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    ]


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_rename = ctypes.pythonapi.PyCapsule_SetName
_rename.restype, _rename.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


class Taken:
    """A tensor out of a capsule, as a library holds it: `delete` gives it back."""

    def __init__(self, capsule):
        self.is_versioned = '"dltensor_versioned"' in repr(capsule)
        name, kind = (b"dltensor_versioned", Versioned) if self.is_versioned else (b"dltensor", Legacy)
        self._address = _pointer(capsule, name)
        self._used = b"used_" + name  # Python keeps the pointer
        _rename(capsule, self._used)
        self._managed = kind.from_address(self._address)
        tensor = self._managed.tensor
        self.version = tuple(self._managed.version) if self.is_versioned else None
        self.flags = self._managed.flags if self.is_versioned else 0
        self.address = (tensor.data or 0) + tensor.byte_offset
        self.device, self.dtype = tuple(tensor.device), (tensor.code, tensor.bits, tensor.lanes)
        self.shape, self.strides = tensor.shape[: tensor.ndim], tensor.strides[: tensor.ndim]

    def delete(self):
        self._managed.deleter(self._address)


class Library:
    """Reads and writes on streams of the device that the run's parameters name."""

    def __init__(self, run):
        number = ctypes.c_uint64
        self._context = run.context
        self._read = ctypes.CFUNCTYPE(ctypes.c_double, number, number, number)(run.read)
        self._write = ctypes.CFUNCTYPE(None, number, number, number, ctypes.c_double)(run.write)

    def read(self, stream, address):
        """The number at an address when the stream comes to it."""
        return self._read(self._context, stream, address)

    def write(self, stream, address, value):
        """Queues a write that takes its time, and returns."""
        self._write(self._context, stream, address, value)


def refuses(call, *parts, error=BufferError):
    try:
        call()
    except error as raised:
        for part in parts:
            assert part in str(raised), f"`{part}` is missing in: {raised}"
    else:
        raise AssertionError("this was not refused")

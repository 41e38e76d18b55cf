"""Writing fields and memory from Python, on every device. The extension calls this; scripts do not."""

import operator

from ._errors import WrongTypeError, WrongValueError


def numpy_of(value):
    """`value` on the host, where it is an array somewhere else; else as it is."""
    if hasattr(value, "to_host"):  # ours
        return value.array() if value.in_place and value.device.startswith("cpu") else value.to_host()
    if hasattr(value, "__cuda_array_interface__") and hasattr(value, "get"):  # CuPy
        return value.get()
    if hasattr(value, "__dlpack_device__") and value.__dlpack_device__()[0] != 1:
        import numpy

        return numpy.from_dlpack(value, device="cpu", copy=True)
    return value


def in_place(field):
    """The array of the field's library that shows it; None where there is no such array, or no such library."""
    if not field.in_place:
        return None
    try:
        return field.array()
    except ModuleNotFoundError as error:
        if error.name == "numpy":
            raise
        return None  # the field is on CUDA, and there is no CuPy


def assign(field, index, value):
    """`field[index] = value`."""
    if field.readonly:
        raise WrongValueError(f"{field!r} cannot be written: the solver handed it over as read-only")
    array = in_place(field)
    if array is not None:
        if field.device.startswith("cpu"):
            array[index] = numpy_of(value)
        else:
            parts = tuple(map(cupy_of, index)) if isinstance(index, tuple) else cupy_of(index)
            array[parts] = cupy_of(value)
        return
    import numpy

    if is_all(index):
        host = numpy.empty(field.shape, field.dtype)
        index = Ellipsis
    else:
        host = field.to_host()
    host[index] = numpy_of(value)
    write_back(field, host)


def is_on_host(array):
    """Whether NumPy shows it in place."""
    return array.device.startswith("cpu")


def cupy_of(value):
    """`value` where CuPy takes it, if it is an array or a list somewhere else; else as it is."""
    if hasattr(value, "__cuda_array_interface__") or not hasattr(value, "__len__"):
        return value
    import cupy

    return cupy.asarray(numpy_of(value))


def is_all(index):
    """Whether an index means every element, for certain."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(part is Ellipsis or (isinstance(part, slice) and part == slice(None)) for part in parts)


def write_back(array, host):
    """Copies a NumPy array of the same type and shape to `array`."""
    import numpy

    if hasattr(array, "_write"):
        array._write(numpy.ascontiguousarray(host).reshape(-1).view(numpy.uint8))
    else:
        array.copy_from(numpy.ascontiguousarray(host))


def copy_from(field, source):
    """As `assign` to all, for a source of the same type and shape."""
    if not hasattr(source, "shape"):
        import numpy

        source = numpy.asarray(source)
    # Names of types are those of NumPy: `float64`, also behind `torch.`.
    dtype = str(source.dtype).rpartition(".")[2]
    if dtype != str(field.dtype):
        raise WrongTypeError(f"field `{field.name}` is of {field.dtype}, the source of {dtype}")
    if tuple(source.shape) != field.shape:
        raise WrongValueError(f"field `{field.name}` has the shape {field.shape}, the source {tuple(source.shape)}")
    assign(field, Ellipsis, source)


def fill(field, value):
    """Sets every element to a number."""
    if isinstance(value, complex) or getattr(getattr(value, "dtype", None), "kind", None) == "c":
        if field.dtype.kind != "c":
            raise WrongTypeError(f"field `{field.name}` of {field.dtype} takes a real number, not {value!r}")
        value = complex(value)
    elif hasattr(value, "__index__"):
        value = operator.index(value)
    elif hasattr(value, "__float__"):
        value = float(value)
    else:
        raise WrongTypeError(f"field `{field.name}` is filled with a number, not {value!r}")
    assign(field, Ellipsis, value)


class OnHost:
    """What `array.on_host()` answers: a context whose value is a NumPy array of the elements."""

    def __init__(self, array):
        self._array = array
        self._copy = self._before = None

    def __enter__(self):
        array = self._array
        if is_on_host(array):
            return array.array()
        if self._copy is not None:
            raise RuntimeError("this array is on the host already: ask for another `on_host()`")
        self._copy = array.to_host()
        if array.readonly:
            self._copy.flags.writeable = False
        else:
            self._before = self._copy.copy()
        return self._copy

    def __exit__(self, kind, error, traceback):
        copy, before = self._copy, self._before
        self._copy = self._before = None
        # Bits are compared: NaN is not equal to itself, and -0.0 is to 0.0.
        if before is not None and kind is None and copy.tobytes() != before.tobytes():
            write_back(self._array, copy)
        return False

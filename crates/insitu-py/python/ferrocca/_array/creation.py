"""New memory: from numbers, lists and arrays of others, and of a rule."""

import math

from .. import _native
from .._errors import WrongTypeError, WrongValueError
from . import dtypes
from .devices import device_of
from .dtypes import complex128, dtype as dtype_of, float64, int64
from .elementwise import astype, number

Memory, _map_into = _native.Memory, _native.map_into


def asarray(obj, dtype=None, *, device=None, copy=None):
    """Memory with the elements of a list, a number, or an array: of another library, on the host or on the device.

    Memory of that device and type stays what it is unless `copy` is true. Everything else is copied to the device, whatever
    its strides; with ``copy=False`` it is used in place, and refused where that cannot be."""
    dtype = None if dtype is None else dtype_of(dtype)
    if type(obj) is Memory:
        if device is not None and not isinstance(device, str):
            target = device_of(device)
            if not obj._is_of(target):
                if copy is False:
                    raise WrongValueError("the memory is another device's: it would have to be copied")
                moved = target._malloc_array(obj.shape, obj.dtype)
                moved.copy_from(obj.copy() if not obj._is_contiguous else obj, via_host=True)
                return moved if dtype is None else astype(moved, dtype, copy=False)
        if dtype is not None and dtype != obj.dtype:
            if copy is False:
                raise WrongValueError(f"memory of {obj.dtype} would have to be copied to be {dtype}")
            return astype(obj, dtype)
        return obj.copy() if copy else obj
    target = device_of(device)
    if copy is False:
        return target.wrap(obj)
    if hasattr(obj, "__cuda_array_interface__") or (hasattr(obj, "__dlpack_device__") and obj.__dlpack_device__()[0] != 1):
        made = target._malloc_array_from(obj)
        return made if dtype is None else astype(made, dtype, copy=False)
    return target._malloc_array_from(_on_host(obj, dtype))


def _on_host(obj, dtype):
    """A NumPy array in a row, of a type that kernels have."""
    import numpy

    if isinstance(obj, (list, tuple)) and any(type(item) is Memory for item in obj):
        raise WrongTypeError("a list of memory is joined by `ferrocca.stack` or `ferrocca.concat`")
    dtypes.refuse_unknown_to_numpy(dtype)
    if isinstance(obj, int) and not isinstance(obj, bool) and dtype is None and not -(2**63) <= obj < 2**63:
        raise OverflowError(f"{obj} does not fit `int64`")
    array = numpy.asarray(obj)
    if array.dtype == object:
        raise WrongTypeError(f"`{type(obj).__name__}` has elements that are no numbers")
    wanted = array.dtype.newbyteorder("=") if dtype is None else numpy.dtype(str(dtype))
    if array.dtype.kind == "c" and wanted.kind not in "cb":
        raise WrongTypeError(f"{array.dtype} becomes no {dtype}: take a part, or the magnitude")
    return numpy.require(array, wanted, "C").reshape(array.shape)


def array(obj, dtype=None, *, device=None):
    """As :func:`asarray`, always a copy."""
    return asarray(obj, dtype, device=device, copy=True)


def from_dlpack(x, /, *, device=None, copy=None):
    """Memory that is an array of another library, in place; a copy with ``copy=True``."""
    if type(x) is Memory:
        return x.copy() if copy else x
    target = device_of(device)
    return target._malloc_array_from(x) if copy else target.wrap(x)


def empty(shape, dtype=float64, *, device=None):
    """Memory of unspecified contents."""
    return device_of(device)._malloc_array(shape, dtype_of(dtype or float64))


def full(shape, fill_value, dtype=None, *, device=None):
    """Memory of which every element is a number."""
    value, own = number(fill_value)
    if dtype is None:
        dtype = own or dtype_of(type(value))
    made = empty(shape, dtype, device=device)
    made.fill(value)
    return made


def zeros(shape, dtype=float64, *, device=None):
    """Memory of zeros."""
    return full(shape, 0, dtype or float64, device=device)


def ones(shape, dtype=float64, *, device=None):
    """Memory of ones."""
    return full(shape, 1, dtype or float64, device=device)


def empty_like(x, /, dtype=None, *, device=None):
    """Memory of the shape of `x`, on its device unless another is named."""
    own = x.dtype if dtype is None else dtype_of(dtype)
    return x._empty(x.shape, own) if device is None or isinstance(device, str) else empty(x.shape, own, device=device)


def full_like(x, /, fill_value, dtype=None, *, device=None):
    """As :func:`empty_like`, of a number."""
    made = empty_like(x, dtype, device=device)
    made.fill(number(fill_value)[0])
    return made


def zeros_like(x, /, dtype=None, *, device=None):
    """As :func:`empty_like`, of zeros."""
    return full_like(x, 0, dtype, device=device)


def ones_like(x, /, dtype=None, *, device=None):
    """As :func:`empty_like`, of ones."""
    return full_like(x, 1, dtype, device=device)


def arange(start, /, stop=None, step=1, dtype=None, *, device=None):
    """``start``, ``start + step`` ... before ``stop``; ``arange(n)`` counts from 0."""
    if stop is None:
        start, stop = 0, start
    values = [number(value)[0] for value in (start, stop, step)]
    if any(isinstance(value, complex) for value in values):
        raise WrongTypeError("complex numbers cannot be counted: they have no order")
    if dtype is None:
        dtype = float64 if any(isinstance(value, float) for value in values) else int64
    if values[2] == 0:
        raise WrongValueError("a step of 0")
    count = max(0, math.ceil((values[1] - values[0]) / values[2]))
    made = empty(count, dtype, device=device)
    _progress(made, values[0], values[2])
    return made


def linspace(start, stop, /, num=50, *, dtype=None, device=None, endpoint=True):
    """`num` numbers from `start` to `stop` at equal distances; without `endpoint` the last is one distance before it."""
    start, stop = number(start)[0], number(stop)[0]
    start, stop = ((complex if isinstance(value, complex) else float)(value) for value in (start, stop))
    has_complex = isinstance(start, complex) or isinstance(stop, complex)
    dtype = (complex128 if has_complex else float64) if dtype is None else dtype_of(dtype)
    if has_complex and not dtypes.is_complex(dtype):
        raise WrongTypeError(f"numbers from {start!r} to {stop!r} are complex, and no {dtype}")
    parts = num - 1 if endpoint else num
    made = empty(num, dtype, device=device)
    step = (stop - start) / parts if parts > 0 else 0.0
    if parts > 0 and endpoint:
        kind = dtypes.computed(made.dtype)
        # The last one is `stop` to the bit.
        real = dtypes.c_name(dtypes.part_of(kind))
        _map_into(f"i == n - 1 ? ({dtypes.c_name(kind)})x2 : x0 + ({real})i * x1", kind, made, (start, step, stop))
    else:
        _progress(made, start, step)
    return made


def _progress(made, start, step):
    kind = dtypes.computed(made.dtype)
    if dtypes.is_integer(kind):
        if isinstance(start, float) or isinstance(step, float):
            kind = float64
        else:
            kind = int64 if kind != "uint64" else kind
    _map_into(f"x0 + ({dtypes.c_name(dtypes.part_of(kind))})i * x1", kind, made, (start, step))


def eye(n_rows, n_cols=None, /, *, k=0, dtype=float64, device=None):
    """Ones on the `k`-th diagonal, else zeros."""
    columns = n_rows if n_cols is None else n_cols
    made = empty((n_rows, columns), dtype or float64, device=device)
    # A diagonal beyond the corners has no elements, however far it is.
    _map_into("i % x0 == i / x0 + x1 ? 1 : 0", "int64", made, (columns, max(-n_rows, min(k, columns))))
    return made


def _triangle(x, k, comparison):
    rows, columns = x.shape[-2:]
    # Of each element: its column against its row.
    k = max(-rows - 1, min(k, columns + 1))
    row, column = range_like(x, rows).reshape(rows, 1), range_like(x, columns)
    return _native.map(f"x1 - x2 {comparison} x3 ? x0 : 0", "int64", x.dtype, (x, column, row, k))


def range_like(x, count):
    """The numbers below `count`, on the device of `x`."""
    made = x._empty((count,), int64)
    _progress(made, 0, 1)
    return made


def tril(x, /, *, k=0):
    """The elements up to the `k`-th diagonal; zeros above it."""
    return _triangle(x, k, "<=")


def triu(x, /, *, k=0):
    """The elements from the `k`-th diagonal on; zeros below it."""
    return _triangle(x, k, ">=")


def meshgrid(*arrays, indexing="xy"):
    """Each array repeated along the axes of the others: views."""
    from .manipulation import broadcast_to

    if indexing not in ("xy", "ij"):
        raise WrongValueError(f"`indexing` is 'xy' or 'ij', not {indexing!r}")
    swaps = indexing == "xy" and len(arrays) > 1
    places = list(range(len(arrays)))
    if swaps:
        places[0], places[1] = 1, 0
    shape = [0] * len(arrays)
    for place, x in zip(places, arrays):
        shape[place] = x.size
    grids = []
    for place, x in zip(places, arrays):
        own = [1] * len(arrays)
        own[place] = x.size
        grids.append(broadcast_to(x.reshape(own), tuple(shape)))
    return grids


__all__ = [
    "arange", "array", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like", "linspace", "meshgrid",
    "ones", "ones_like", "tril", "triu", "zeros", "zeros_like",
]

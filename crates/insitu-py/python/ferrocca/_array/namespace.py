"""What the array API standard asks of a namespace beside its functions."""

import math

from .. import _native
from .._errors import WrongTypeError
from . import dtypes
from .dtypes import ALL, complex128, dtype as dtype_of, float64, int64, of_number, promote

Memory = _native.Memory
e, pi, inf, nan, newaxis = math.e, math.pi, math.inf, math.nan, None

__array_api_version__ = "2024.12"

_STANDARD = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
    "complex64", "complex128",
]


def result_type(*values):
    """The type of an operation on memory, types and numbers."""
    common, numbers = None, []
    for value in values:
        if type(value) is Memory:
            own = value.dtype
        elif isinstance(value, (bool, int, float, complex)) and not isinstance(value, str):
            numbers.append(value)
            continue
        else:
            own = dtype_of(value)
        common = own if common is None else promote(common, own)
    for value in numbers:
        common = dtype_of(type(value)) if common is None else promote(common, of_number(value, common))
    if common is None:
        raise WrongTypeError("no types are named")
    return common


def can_cast(from_, to, /):
    """Whether every value of one type has a place in the other."""
    own, to = from_.dtype if type(from_) is Memory else dtype_of(from_), dtype_of(to)
    return promote(own, to) == to


def isdtype(dtype, kind):
    """Whether a type is of a kind, or of one of several."""
    own = dtype_of(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(own, one) for one in kind)
    kinds = {
        "bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f",
        "complex floating": "c", "numeric": "iufc",
    }
    if isinstance(kind, str) and type(kind) is not dtypes.DType and kind in kinds and kind != "bool":
        return own.kind in kinds[kind]
    return own == dtype_of(kind)


class finfo:
    """The limits of a type of floats; of complex numbers those of their parts."""

    def __init__(self, type, /):
        self.dtype = dtypes.part_of(type.dtype if isinstance(type, Memory) else dtype_of(type))
        bits = dtypes.float_bits(self.dtype)
        if bits is None:
            raise WrongTypeError(f"{self.dtype} is no type of floats")
        mantissa, exponent = bits
        highest = 2 ** (exponent - 1)
        self.bits = 1 + mantissa + exponent
        self.eps = 2.0**-mantissa
        self.max = (2.0 - 2.0**-mantissa) * 2.0 ** (highest - 1)
        self.min = -self.max
        self.smallest_normal = 2.0 ** (2 - highest)


class iinfo:
    """The limits of a type of integers."""

    def __init__(self, type, /):
        self.dtype = type.dtype if isinstance(type, Memory) else dtype_of(type)
        if not dtypes.is_integer(self.dtype):
            raise WrongTypeError(f"{self.dtype} is no type of integers")
        self.bits = 8 * self.dtype.itemsize
        is_signed = self.dtype.kind == "i"
        self.min = -(2 ** (self.bits - 1)) if is_signed else 0
        self.max = 2 ** (self.bits - is_signed) - 1


class _Info:
    """What the namespace can do, by the array API standard."""

    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self):
        from .devices import default_device

        return default_device()

    def default_dtypes(self, *, device=None):
        return {"real floating": float64, "complex floating": complex128, "integral": int64, "indexing": int64}

    def dtypes(self, *, device=None, kind=None):
        return {name: ALL[name] for name in _STANDARD if kind is None or isdtype(ALL[name], kind)}

    def devices(self):
        from .devices import default_device

        return [default_device()]


def __array_namespace_info__():
    """What the namespace can do: its types and devices."""
    return _Info()


__all__ = [
    "__array_api_version__", "__array_namespace_info__", "can_cast", "e", "finfo", "iinfo", "inf", "isdtype", "nan", "newaxis", "pi", "result_type",
]

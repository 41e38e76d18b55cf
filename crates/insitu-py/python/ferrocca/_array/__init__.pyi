"""The functions and kernels of arrays, which :mod:`ferrocca` has under their names."""

import builtins
from collections.abc import Callable, Sequence
from typing import Any, Final, overload

from .. import Device, DType, Memory

_Value = Memory | complex
_Shape = int | Sequence[int]
_Axis = int | Sequence[int] | None
_DType = Any

def add(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """The sum. Integers wrap; of truth values, whether either is true."""
def subtract(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """The difference. Integers wrap."""
def multiply(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """The product. Integers wrap; of truth values, whether both are true."""
def divide(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """The quotient, a float: of integers ``float64``."""
def floor_divide(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """The quotient rounded downwards. An integer divided by 0 is 0."""
def remainder(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """What is left of ``a // b``, with the sign of ``b``. For integers 0 where ``b`` is 0."""
def fmod(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """What is left of the quotient cut to an integer."""
def pow(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """``a`` to the power of ``b``, element by element."""
def negative(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """``-a``"""
def positive(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """``+a``"""
def abs(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The absolute value; of the lowest integer, itself; of complex numbers the magnitude."""
def square(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """``a * a``"""
def reciprocal(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """``1 / a``"""
def sign(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """-1, 0 or 1; of a NaN, itself; of complex numbers ``a / abs(a)``, or 0."""
def real(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The real part."""
def imag(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The imaginary part."""
def conj(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The complex conjugate."""
def angle(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The angle of complex numbers, from -pi to pi."""
def equal(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """``a == b``"""
def not_equal(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """``a != b``"""
def less(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """``a < b``"""
def less_equal(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """``a <= b``"""
def greater(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """``a > b``"""
def greater_equal(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """``a >= b``"""
def minimum(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """The lower of two values; a NaN where there is one."""
def maximum(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """The higher of two values; a NaN where there is one."""
def fmin(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """The lower of two values; the other one where one is NaN."""
def fmax(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """The higher of two values; the other one where one is NaN."""
def where(condition: _Value, a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """``a`` where the condition is true, else ``b``."""
def clip(x: Memory, /, min: _Value | None = None, max: _Value | None = None, *, out: Memory | None = None) -> Memory:
    """The elements, or the bound that they pass: `min` below, `max` above."""
def logical_and(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """Whether both are true."""
def logical_or(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """Whether either is true."""
def logical_xor(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """Whether just one is true."""
def logical_not(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """Whether it is false."""
def bitwise_and(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """``a & b``"""
def bitwise_or(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """``a | b``"""
def bitwise_xor(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """``a ^ b``"""
def bitwise_invert(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """``~a``"""
def bitwise_left_shift(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """``a << b``; 0 where ``b`` is the width or more."""
def bitwise_right_shift(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """``a >> b``, which keeps the sign."""
def sqrt(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The square root."""
def rsqrt(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """``1 / sqrt(a)``"""
def cbrt(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The cube root."""
def exp(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """e to the power of ``a``."""
def exp2(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """2 to the power of ``a``."""
def expm1(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """``exp(a) - 1``, exact near 0."""
def log(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The natural logarithm."""
def log2(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The logarithm to base 2."""
def log10(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The logarithm to base 10."""
def log1p(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """``log(1 + a)``, exact near 0."""
def sin(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The sine."""
def cos(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The cosine."""
def tan(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The tangent."""
def asin(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The inverse sine."""
def acos(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The inverse cosine."""
def atan(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The inverse tangent."""
def sinh(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The hyperbolic sine."""
def cosh(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The hyperbolic cosine."""
def tanh(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The hyperbolic tangent."""
def asinh(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The inverse hyperbolic sine."""
def acosh(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The inverse hyperbolic cosine."""
def atanh(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The inverse hyperbolic tangent."""
def erf(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The error function."""
def erfc(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """``1 - erf(a)``"""
def gamma(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The gamma function."""
def lgamma(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The logarithm of the gamma function's absolute value."""
def atan2(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """The angle of the point ``(b, a)``."""
def hypot(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """``sqrt(a * a + b * b)`` without overflow."""
def copysign(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """``a`` with the sign of ``b``."""
def logaddexp(a: _Value, b: _Value, /, *, out: Memory | None = None) -> Memory:
    """``log(exp(a) + exp(b))`` without overflow."""
def floor(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The integer below."""
def ceil(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The integer above."""
def trunc(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The integer nearer to 0."""
def round(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """The nearest integer; of two, the even one. Of complex numbers that of each part."""
def isnan(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """Whether it is NaN, or a part of it is."""
def isinf(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """Whether it is infinite, or a part of it is."""
def isfinite(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """Whether it is neither infinite nor NaN."""
def signbit(a: Memory, /, *, out: Memory | None = None) -> Memory:
    """Whether the sign is negative, that of a zero too."""
true_divide = divide
mod = remainder
power = pow
absolute = abs
invert = bitwise_invert
bitwise_not = bitwise_invert
left_shift = bitwise_left_shift
right_shift = bitwise_right_shift
arcsin = asin
arccos = acos
arctan = atan
arctan2 = atan2
arcsinh = asinh
arccosh = acosh
arctanh = atanh
rint = round
fabs = abs
conjugate = conj
def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    dtype: _DType = None,
    *,
    device: Device | str | None = None,
) -> Memory:
    """``start``, ``start + step`` ... before ``stop``; ``arange(n)`` counts from 0."""
def array(obj: Any, dtype: _DType = None, *, device: Device | str | None = None) -> Memory:
    """As :func:`asarray`, always a copy."""
def asarray(obj: Any, dtype: _DType = None, *, device: Device | str | None = None, copy: builtins.bool | None = None) -> Memory:
    """Memory with the elements of a list, a number, or an array: of another library, on the host or on the device.

    Memory of that device and type stays what it is unless `copy` is true. Everything else is copied to the device, whatever
    its strides; with ``copy=False`` it is used in place, and refused where that cannot be.
    """
def empty(shape: _Shape, dtype: _DType = "float64", *, device: Device | str | None = None) -> Memory:
    """Memory of unspecified contents."""
def empty_like(x: Memory, /, dtype: _DType = None, *, device: Device | str | None = None) -> Memory:
    """Memory of the shape of `x`, on its device unless another is named."""
def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: _DType = "float64",
    device: Device | str | None = None,
) -> Memory:
    """Ones on the `k`-th diagonal, else zeros."""
def from_dlpack(x: Memory, /, *, device: Device | str | None = None, copy: builtins.bool | None = None) -> Memory:
    """Memory that is an array of another library, in place; a copy with ``copy=True``."""
def full(shape: _Shape, fill_value: complex, dtype: _DType = None, *, device: Device | str | None = None) -> Memory:
    """Memory of which every element is a number."""
def full_like(x: Memory, /, fill_value: complex, dtype: _DType = None, *, device: Device | str | None = None) -> Memory:
    """As :func:`empty_like`, of a number."""
def linspace(
    start: complex,
    stop: complex,
    /,
    num: int = 50,
    *,
    dtype: _DType = None,
    device: Device | str | None = None,
    endpoint: builtins.bool = True,
) -> Memory:
    """`num` numbers from `start` to `stop` at equal distances; without `endpoint` the last is one distance before it."""
def meshgrid(*arrays: Memory, indexing: str = "xy") -> list[Memory]:
    """Each array repeated along the axes of the others: views."""
def ones(shape: _Shape, dtype: _DType = "float64", *, device: Device | str | None = None) -> Memory:
    """Memory of ones."""
def ones_like(x: Memory, /, dtype: _DType = None, *, device: Device | str | None = None) -> Memory:
    """As :func:`empty_like`, of ones."""
def tril(x: Memory, /, *, k: int = 0) -> Memory:
    """The elements up to the `k`-th diagonal; zeros above it."""
def triu(x: Memory, /, *, k: int = 0) -> Memory:
    """The elements from the `k`-th diagonal on; zeros below it."""
def zeros(shape: _Shape, dtype: _DType = "float64", *, device: Device | str | None = None) -> Memory:
    """Memory of zeros."""
def zeros_like(x: Memory, /, dtype: _DType = None, *, device: Device | str | None = None) -> Memory:
    """As :func:`empty_like`, of zeros."""
def broadcast_shapes(*shapes: _Shape) -> tuple[int, ...]:
    """The shape that all of these are repeated to."""
def compress(mask: Memory, values: Any) -> Memory:
    """The values where a mask of their shape is true, in their order, as one row."""
def nonzero(x: Memory, /) -> tuple[Memory, ...]:
    """The indices of the elements that are not zero, in their order: an array for each axis."""
def take(x: Memory, indices: Memory, /, *, axis: _Axis = None) -> Memory:
    """The elements at some indices along an axis."""
def take_along_axis(x: Memory, indices: Memory, /, *, axis: _Axis = -1) -> Memory:
    """For each index of the other axes, the elements at its own indices along one."""
def broadcast_arrays(*arrays: Memory) -> list[Memory]:
    """Memory repeated to the shape of all: views."""
def broadcast_to(x: Memory, /, shape: _Shape) -> Memory:
    """The elements repeated to a shape: a view."""
def concat(arrays: Sequence[Memory], /, *, axis: _Axis = 0) -> Memory:
    """Memory joined along an axis that there is; without an axis, as one row."""
def diff(
    x: Memory, /, *, axis: _Axis = -1, n: int = 1, prepend: Memory | None = None, append: Memory | None = None,
) -> Memory:
    """The differences of neighbours along an axis, `n` times."""
def expand_dims(x: Memory, /, axis: _Axis = 0) -> Memory:
    """One more axis of one element, or several: a view."""
def flip(x: Memory, /, *, axis: _Axis = None) -> Memory:
    """The elements in reverse order along some axes, or all: a view."""
def matrix_transpose(x: Memory, /) -> Memory:
    """The last two axes exchanged: a view."""
def moveaxis(x: Memory, source: _Shape, destination: _Shape, /) -> Memory:
    """Axes moved to other places, the others in their order: a view."""
def permute_dims(x: Memory, /, axes: Any) -> Memory:
    """The axes in another order: a view."""
def ravel(x: Memory) -> Memory:
    """All elements as one row."""
def repeat(x: Memory, repeats: int | Memory, /, *, axis: _Axis = None) -> Memory:
    """Each element repeated, along an axis or in one row: as often as a number says, or memory for each."""
def reshape(x: Memory, /, shape: _Shape, *, copy: builtins.bool | None = None) -> Memory:
    """The same elements in another shape, of which one extent may be -1. Memory that does not lie in a row is copied where
    its strides do not allow the shape, but not with ``copy=False``.
    """
def roll(x: Memory, /, shift: _Shape, *, axis: _Axis = None) -> Memory:
    """The elements moved along axes; those that leave at one end come in at the other. Without an axis, as one row."""
def split(x: Memory, parts: int | Sequence[int], axis: _Axis = 0) -> list[Memory]:
    """Equal parts along an axis, or those between some indices: views."""
def squeeze(x: Memory, /, axis: _Axis = None) -> Memory:
    """Without some axes of one element, or all of them: a view."""
def stack(arrays: Sequence[Memory], /, *, axis: _Axis = 0) -> Memory:
    """Memory of one shape joined along an axis of its own."""
def swapaxes(x: Memory, axis1: int, axis2: int) -> Memory:
    """Two axes exchanged: a view."""
def tile(x: Memory, repetitions: _Shape, /) -> Memory:
    """The whole repeated along each axis."""
def transpose(x: Memory, axes: Any = None) -> Memory:
    """As :func:`permute_dims`; the axes in reverse order where none are named."""
def unstack(x: Memory, /, *, axis: _Axis = 0) -> tuple[Memory, ...]:
    """The entries along an axis: views."""
def all(x: Memory, /, *, axis: _Axis = None, keepdims: builtins.bool = False, out: Memory | None = None) -> Memory:
    """Whether no element is zero."""
def any(x: Memory, /, *, axis: _Axis = None, keepdims: builtins.bool = False, out: Memory | None = None) -> Memory:
    """Whether an element is not zero."""
def argmax(x: Memory, /, *, axis: _Axis = None, keepdims: builtins.bool = False) -> Memory:
    """The first index of the highest element, of a NaN where there is one; counted in one row without an axis."""
def argmin(x: Memory, /, *, axis: _Axis = None, keepdims: builtins.bool = False) -> Memory:
    """The first index of the lowest element, of a NaN where there is one; counted in one row without an axis."""
def count_nonzero(x: Memory, /, *, axis: _Axis = None, keepdims: builtins.bool = False) -> Memory:
    """How many elements are not zero."""
def cumprod(x: Memory, axis: _Axis = None, dtype: _DType = None) -> Memory:
    """As :func:`cumulative_prod`; without an axis, of all elements as one row."""
def cumsum(x: Memory, axis: _Axis = None, dtype: _DType = None) -> Memory:
    """As :func:`cumulative_sum`; without an axis, of all elements as one row."""
def cumulative_prod(x: Memory, /, *, axis: _Axis = None, dtype: _DType = None, include_initial: builtins.bool = False) -> Memory:
    """Products from the first element to each, along an axis; types as for :func:`sum`."""
def cumulative_sum(x: Memory, /, *, axis: _Axis = None, dtype: _DType = None, include_initial: builtins.bool = False) -> Memory:
    """Sums from the first element to each, along an axis; types as for :func:`sum`."""
def dot(x1: Memory, x2: Memory, /) -> Memory:
    """The sum of products of two rows; the matrix product of tables; the product with memory of no axes."""
def matmul(x1: Memory, x2: Memory, /) -> Memory:
    """The matrix product of the last two axes, of each index of the others; memory of one axis is a row, then a column."""
def max(x: Memory, /, *, axis: _Axis = None, keepdims: builtins.bool = False, out: Memory | None = None) -> Memory:
    """The highest element, or along axes; NaN where there is one. No elements have none."""
def mean(
    x: Memory, /, *, axis: _Axis = None, dtype: _DType = None, keepdims: builtins.bool = False, out: Memory | None = None,
) -> Memory:
    """The mean of all elements, or along axes; of integers ``float64``."""
def min(x: Memory, /, *, axis: _Axis = None, keepdims: builtins.bool = False, out: Memory | None = None) -> Memory:
    """The lowest element, or along axes; NaN where there is one. No elements have none."""
def prod(
    x: Memory, /, *, axis: _Axis = None, dtype: _DType = None, keepdims: builtins.bool = False, out: Memory | None = None,
) -> Memory:
    """The product of all elements, or along axes; types as for :func:`sum`."""
def std(
    x: Memory,
    /,
    *,
    axis: _Axis = None,
    correction: float = 0.0,
    ddof: float | None = None,
    dtype: _DType = None,
    keepdims: builtins.bool = False,
    out: Memory | None = None,
) -> Memory:
    """The square root of the variance :func:`var`."""
def sum(
    x: Memory, /, *, axis: _Axis = None, dtype: _DType = None, keepdims: builtins.bool = False, out: Memory | None = None,
) -> Memory:
    """The sum of all elements, or along axes; accumulated in `dtype`, for integers a type of 64 bits unless one is named."""
def tensordot(x1: Memory, x2: Memory, /, *, axes: Any = 2) -> Memory:
    """The sum of products over the last `axes` axes of `x1` and the first of `x2`, or over named pairs of them."""
def var(
    x: Memory,
    /,
    *,
    axis: _Axis = None,
    correction: float = 0.0,
    ddof: float | None = None,
    dtype: _DType = None,
    keepdims: builtins.bool = False,
    out: Memory | None = None,
) -> Memory:
    """The variance: squares of differences from the mean, divided by the number of elements less `correction`; of complex
    numbers the squares of their magnitudes, a float."""
def vecdot(x1: Memory, x2: Memory, /, *, axis: _Axis = -1) -> Memory:
    """The sum of products along an axis; of complex numbers those of `x1` are conjugated."""
def vdot(x1: Memory, x2: Memory, /) -> Memory:
    """The sum of products of all elements as one row; of complex numbers those of `x1` are conjugated."""
def argsort(x: Memory, /, *, axis: _Axis = -1, descending: builtins.bool = False, stable: builtins.bool = True) -> Memory:
    """The indices of the elements in ascending order along an axis, or descending; of equals the first one first."""
def bincount(x: Memory, /, weights: Memory | None = None, *, minlength: int = 0) -> Memory:
    """How often each number from 0 on stands in memory of integers, none of which is negative; or the sum of the `weights` of
    each, in their order as :func:`histogram` says."""
def histogram(
    x: Memory,
    bins: int | Memory | Sequence[float] = 10,
    range: tuple[float, float] | None = None,
    weights: Memory | None = None,
) -> tuple[Memory, Memory]:
    """How many elements lie in each bin, or the sum of their `weights`; and the bins' edges.

    `bins` of equal width from ``range[0]`` to ``range[1]``, or from the lowest element to the highest, which the host then
    asks for; or memory of ascending edges. A bin has its lower edge, the last one both. Other elements, NaN among them, are
    left out. Weights are summed in a defined order, so that sums have the same bits on every device: floats in their own
    type, integers as ``int64``.
    """
def histogram2d(
    x: Memory,
    y: Memory,
    bins: int | Memory | Sequence[Any] = 10,
    range: Sequence[tuple[float, float] | None] | None = None,
    weights: Memory | None = None,
) -> tuple[Memory, Memory, Memory]:
    """How many points lie in each bin of a table, or the sum of their `weights`; and the edges along both axes.

    `bins` is a number for both axes, memory of edges for both, or a pair of such; ``range`` a pair of pairs. As
    :func:`histogram` otherwise.
    """
def top_k(x: Memory, k: int, /) -> tuple[Memory, Memory]:
    """The `k` highest elements of one row, the highest first, and their indices. Of equals the first ones are taken, and NaN
    last."""
def isin(x1: Memory, x2: Memory, /, *, invert: builtins.bool = False) -> Memory:
    """Whether each element of `x1` is one of `x2`."""
def searchsorted(x1: Memory, x2: Memory, /, *, side: str = "left", sorter: Memory | None = None) -> Memory:
    """Where in ascending `x1` each element of `x2` would be put: before equals, or behind them with ``side="right"``."""
def sort(x: Memory, /, *, axis: _Axis = -1, descending: builtins.bool = False, stable: builtins.bool = True) -> Memory:
    """The elements in ascending order along an axis, or descending; NaN last, and -0 before 0."""
def unique_all(x: Memory, /) -> Any:
    """The different elements, where each stands first, which of them each element is, and how often each stands."""
def unique_counts(x: Memory, /) -> Any:
    """The different elements, and how often each stands."""
def unique_inverse(x: Memory, /) -> Any:
    """The different elements, and which of them each element is."""
def unique_values(x: Memory, /) -> Memory:
    """The different elements in ascending order, complex numbers by their real parts and then the imaginary ones; each NaN is
    another one."""
def __array_namespace_info__() -> Any:
    """What the namespace can do: its types and devices."""
def can_cast(from_: Any, to: Any, /) -> builtins.bool:
    """Whether every value of one type has a place in the other."""
def isdtype(dtype: _DType, kind: Any) -> builtins.bool:
    """Whether a type is of a kind, or of one of several."""
def result_type(*values: Any) -> DType:
    """The type of an operation on memory, types and numbers."""
def astype(a: _Value, to: Any, *, copy: builtins.bool | None = True, device: Device | str | None = None) -> Memory:
    """The values as another type; the same memory where that is its own and `copy` is false. They are converted where they are, and
    then copied to `device` if that is another one.

    Floats become integers as in C: cut, and undefined where they do not fit. Complex numbers become no real ones: what is meant
    is a part of them or the magnitude.
    """
def default_device() -> Device:
    """The device of the innermost ``with device:`` on this thread; outside of any, one that the first use opens with
    ``Device()``, and that stays open.
    """
concatenate = concat
amin = min
amax = max
cumulative_product = cumulative_prod
__array_api_version__: Final[str]
e: Final[float]
pi: Final[float]
inf: Final[float]
nan: Final[float]
newaxis: Final[None]
bool: Final[DType]
int8: Final[DType]
int16: Final[DType]
int32: Final[DType]
int64: Final[DType]
uint8: Final[DType]
uint16: Final[DType]
uint32: Final[DType]
uint64: Final[DType]
float16: Final[DType]
bfloat16: Final[DType]
float32: Final[DType]
float64: Final[DType]
complex64: Final[DType]
complex128: Final[DType]
class finfo:
    """The limits of a type of floats; of complex numbers those of their parts."""

    dtype: DType
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    def __init__(self, type: Any, /) -> None: ...
class iinfo:
    """The limits of a type of integers."""

    dtype: DType
    bits: int
    max: int
    min: int
    def __init__(self, type: Any, /) -> None: ...
class ElementwiseKernel:
    """Statements of the kernel language for every element::

        squares = ferrocca.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squares")
        z = squares(x, 2.0)

    Inputs are constants of their names and outputs variables that begin as 0; ``i`` is the number of the element and ``n`` how
    many there are. A capital letter is a type, which the arguments say, also in the statements. Memory is repeated to one
    shape, as in arithmetic; ``raw T x`` is the whole memory, ``x[i]`` an element of it. `preamble` has functions that the
    statements call. Outputs may be given behind the inputs; else they are made, in the shape of the inputs that are not raw or
    of `size`. Parameters are not called ``i`` or ``n``, and end without an underscore."""

    def __init__(self, in_params: str, out_params: str, operation: str, name: str = "kernel", preamble: str = "") -> None: ...
    def __call__(self, *arguments: Any, size: _Shape | None = None, out: Memory | tuple[Memory, ...] | None = None) -> Any: ...
class ReductionKernel:
    """Many values combined by an operation::

        norm = ferrocca.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
        norm(x), norm(x, axis=1)

    `map_expr` makes a value of the inputs, `reduce_expr` combines two of them, ``a`` and ``b``, in the type of the output,
    beginning with `identity`; `post_map_expr` makes the output of the last one, ``a``. In which order values are combined is
    defined, and the same on every device; an operation should be commutative."""

    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: object,
        name: str = "reduction",
        preamble: str = "",
    ) -> None: ...
    def __call__(
        self, *arguments: _Value, axis: _Axis = None, keepdims: builtins.bool = False, out: Memory | None = None
    ) -> Memory: ...
class ScanKernel:
    """Every value combined with all before it, by an operation::

        running = ferrocca.ScanKernel("T x", "T y", "x", "max(a, b)", "-INFINITY", "running_maximum")
        running(x), running(table, axis=1)

    `map_expr` makes a value of the inputs, `scan_expr` combines two of them, ``a`` and ``b``, in the type of the output, beginning
    with `identity`. Values keep their order: the operation is associative, and need not be commutative. With
    ``inclusive=False`` a result is what stands before its value. Without an axis all elements are one row. The order in which
    values are combined is defined, and the same on every device."""

    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        scan_expr: str,
        identity: object,
        name: str = "scan",
        *,
        inclusive: builtins.bool = True,
    ) -> None: ...
    def __call__(self, *arguments: _Value, axis: int | None = None, out: Memory | None = None) -> Memory: ...
@overload
def fuse(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes one kernel of a function of arithmetic, comparisons and this package's functions: its arguments are read once, and
    nothing is stored between. The function runs once for each set of types, on values that stand for elements::

        @ferrocca.fuse
        def distance(x, y):
            return ferrocca.sqrt(x**2 + y**2)
    """
@overload
def fuse(*, kernel_name: str | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...

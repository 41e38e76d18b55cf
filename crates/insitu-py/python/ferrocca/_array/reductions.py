"""Many values combined: to one, along axes, or each with those before it."""

from .. import _native
from .._errors import WrongTypeError, WrongValueError
from . import dtypes
from .dtypes import bool_, dtype as dtype_of, float64, int64, is_float, promote, refuse_complex, uint64
from .manipulation import axes_of, axis_of, expand_dims, permute_dims, ravel, reshape

Memory, _reduce, _scan = _native.Memory, _native.reduce, _native.scan


def _run(kind, x, axis, dtype, keepdims, out=None, *, text="x0", operands=None, ddof=0, identity=None):
    """A reduction of `text` over `operands`, which all have the shape of `x`."""
    if axis is None and not keepdims and out is None and x.ndim:
        return _reduce(kind, text, None, dtype, operands or (x,), None, ddof, identity)
    operands = operands or (x,)
    axes = axes_of(axis, x.ndim)
    shape = [1 if place in axes else length for place, length in enumerate(x.shape)]
    if not axes and x.ndim:
        # Along no axis: of one element each.
        made = _reduce(kind, text, None, dtype, tuple(expand_dims(one, 0) for one in operands), 0, ddof, identity)
    elif len(axes) == x.ndim:
        made = _reduce(kind, text, None, dtype, operands, None, ddof, identity)
    else:
        if len(axes) > 1:
            # As one axis, row by row.
            kept = [place for place in range(x.ndim) if place not in axes]
            merged = [x.shape[place] for place in kept]
            operands = tuple(reshape(permute_dims(one, (*kept, *sorted(axes))), (*merged, -1)) if one.size else
                             reshape(one, (*merged, one.size // max(1, _product(merged)))) for one in operands)
            made = _reduce(kind, text, None, dtype, operands, len(kept), ddof, identity)
        else:
            made = _reduce(kind, text, None, dtype, operands, axes[0], ddof, identity)
    if keepdims:
        made = reshape(made, shape)
    if out is not None:
        out[...] = made
        return out
    return made


def _product(lengths):
    product = 1
    for length in lengths:
        product *= length
    return product


def _not_cut(x, dtype):
    """Refuses to drop imaginary parts."""
    if dtypes.is_complex(x.dtype) and not dtypes.is_complex(dtype):
        raise WrongTypeError(f"{x.dtype} becomes no {dtype}: take a part, `real(x)` or `imag(x)`, or the magnitude, `abs(x)`")
    return dtype


def _wide(x, dtype):
    """What sums and products are made in: integers in 64 bits, floats in their own type."""
    if dtype is not None:
        return _not_cut(x, dtype_of(dtype))
    if x.dtype == "bool" or x.dtype.kind == "i":
        return int64
    return uint64 if x.dtype.kind == "u" else x.dtype


def sum(x, /, *, axis=None, dtype=None, keepdims=False, out=None):
    """The sum of all elements, or along axes; accumulated in `dtype`, for integers a type of 64 bits unless one is named."""
    return _run("sum", x, axis, _wide(x, dtype), keepdims, out)


def prod(x, /, *, axis=None, dtype=None, keepdims=False, out=None):
    """The product of all elements, or along axes; types as for :func:`sum`."""
    return _run("prod", x, axis, _wide(x, dtype), keepdims, out)


def min(x, /, *, axis=None, keepdims=False, out=None):
    """The lowest element, or along axes; NaN where there is one. No elements have none."""
    refuse_complex("the lowest element", x.dtype)
    return _run("min", x, axis, x.dtype, keepdims, out)


def max(x, /, *, axis=None, keepdims=False, out=None):
    """The highest element, or along axes; NaN where there is one. No elements have none."""
    refuse_complex("the highest element", x.dtype)
    return _run("max", x, axis, x.dtype, keepdims, out)


def any(x, /, *, axis=None, keepdims=False, out=None):
    """Whether an element is not zero."""
    return _run("any", x, axis, bool_, keepdims, out)


def all(x, /, *, axis=None, keepdims=False, out=None):
    """Whether no element is zero."""
    return _run("all", x, axis, bool_, keepdims, out)


def _mean_type(x, dtype):
    dtype = (x.dtype if x.dtype.kind in "fc" else float64) if dtype is None else dtype_of(dtype)
    if dtype.kind not in "fc":
        raise WrongTypeError(f"means are floats, not {dtype}")
    return _not_cut(x, dtype)


def mean(x, /, *, axis=None, dtype=None, keepdims=False, out=None):
    """The mean of all elements, or along axes; of integers ``float64``."""
    return _run("mean", x, axis, _mean_type(x, dtype), keepdims, out)


def var(x, /, *, axis=None, correction=0.0, ddof=None, dtype=None, keepdims=False, out=None):
    """The variance: squares of differences from the mean, divided by the number of elements less `correction`; of complex
    numbers the squares of their magnitudes, a float."""
    return _moment("var", x, axis, correction if ddof is None else ddof, dtype, keepdims, out)


def std(x, /, *, axis=None, correction=0.0, ddof=None, dtype=None, keepdims=False, out=None):
    """The square root of the variance :func:`var`."""
    return _moment("std", x, axis, correction if ddof is None else ddof, dtype, keepdims, out)


def _moment(kind, x, axis, correction, dtype, keepdims, out):
    dtype = dtypes.part_of(_mean_type(x, None) if dtype is None else dtype_of(dtype))
    if not is_float(dtype):
        raise WrongTypeError(f"variances are floats, not {dtype}")
    if correction == int(correction) and correction >= 0:
        return _run(kind, x, axis, dtype, keepdims, out, ddof=int(correction))
    # Any number may be taken off the count.
    count = _product([x.shape[place] for place in axes_of(axis, x.ndim)])
    variance = _run("var", x, axis, dtype, keepdims) * (count / (count - correction))
    made = variance if kind == "var" else variance**0.5
    if out is not None:
        out[...] = made
        return out
    return made


def argmin(x, /, *, axis=None, keepdims=False):
    """The first index of the lowest element, of a NaN where there is one; counted in one row without an axis."""
    return _extreme("argmin", x, axis, keepdims)


def argmax(x, /, *, axis=None, keepdims=False):
    """The first index of the highest element, of a NaN where there is one; counted in one row without an axis."""
    return _extreme("argmax", x, axis, keepdims)


def _extreme(kind, x, axis, keepdims):
    refuse_complex(f"`{kind}`", x.dtype)
    return _run(kind, x, None if axis is None else axis_of(axis, x.ndim), int64, keepdims)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    """How many elements are not zero."""
    return _run("sum", x, axis, int64, keepdims, text="x0 != 0 ? 1 : 0")


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """Sums from the first element to each, along an axis; types as for :func:`sum`."""
    return _cumulative("sum", x, axis, dtype, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """Products from the first element to each, along an axis; types as for :func:`sum`."""
    return _cumulative("prod", x, axis, dtype, include_initial)


def _cumulative(kind, x, axis, dtype, include_initial):
    if axis is None:
        if x.ndim != 1:
            raise WrongValueError("`axis` is needed for other than one axis")
        axis = 0
    axis, dtype = axis_of(axis, x.ndim), _wide(x, dtype)
    made = _scan(kind, "x0", None, dtype, (x,), None if x.ndim == 1 else axis)
    if not include_initial:
        return made
    shape = list(made.shape)
    shape[axis] += 1
    whole = made._empty(shape, dtype)
    before = (slice(None),) * axis
    whole[before + (slice(0, 1),)] = 0 if kind == "sum" else 1
    whole[before + (slice(1, None),)] = made
    return whole


def cumsum(x, axis=None, dtype=None):
    """As :func:`cumulative_sum`; without an axis, of all elements as one row."""
    if axis is None and x.ndim == 1:
        return _scan("sum", "x0", None, _wide(x, dtype), (x,), None)
    return cumulative_sum(ravel(x) if axis is None else x, axis=0 if axis is None else axis, dtype=dtype)


def cumprod(x, axis=None, dtype=None):
    """As :func:`cumulative_prod`; without an axis, of all elements as one row."""
    return cumulative_prod(ravel(x) if axis is None else x, axis=0 if axis is None else axis, dtype=dtype)


def _numeric(name, *arrays):
    kind = arrays[0].dtype
    for x in arrays[1:]:
        kind = promote(kind, x.dtype)
    if kind == bool_:
        raise WrongTypeError(f"`{name}` is of numbers")
    return kind


def _product_text(kind, conjugated=False):
    """The product of two values in the type of the result."""
    name = dtypes.c_name(dtypes.computed(kind))
    if conjugated and dtypes.is_complex(kind):
        return f"conj(({name})x0) * ({name})x1"
    return f"({name})x0 * ({name})x1"


def matmul(x1, x2, /):
    """The matrix product of the last two axes, of each index of the others; memory of one axis is a row, then a column."""
    kind = _numeric("matmul", x1, x2)
    if not x1.ndim or not x2.ndim:
        raise WrongValueError("`matmul` is of memory with axes")
    a = x1 if x1.ndim > 1 else expand_dims(x1, 0)
    b = x2 if x2.ndim > 1 else expand_dims(x2, 1)
    if a.shape[-1] != b.shape[-2]:
        raise WrongValueError(f"matrices of shape {x1.shape} and {x2.shape} do not fit each other")
    a, b = expand_dims(a, a.ndim), expand_dims(b, b.ndim - 2)
    axis = (a if a.ndim >= b.ndim else b).ndim - 2
    made = _reduce("sum", _product_text(kind), None, kind, (a, b), axis, 0, None)
    if x1.ndim == 1:
        made = made[..., 0, :]
    return made[..., 0] if x2.ndim == 1 else made


def vecdot(x1, x2, /, *, axis=-1):
    """The sum of products along an axis; of complex numbers those of `x1` are conjugated."""
    return _sum_of_products("vecdot", x1, x2, axis, conjugated=True)


def _sum_of_products(name, x1, x2, axis, conjugated=False):
    kind = _numeric(name, x1, x2)
    if x1.ndim == 1 and x1.shape == x2.shape and axis == -1:
        # Two rows, which is most of what is asked for.
        return _reduce("sum", _product_text(kind, conjugated), None, kind, (x1, x2), None, 0, None)
    from .manipulation import broadcast_arrays, moveaxis

    a, b = broadcast_arrays(moveaxis(x1, axis, -1), moveaxis(x2, axis, -1))
    axis = None if a.ndim == 1 else a.ndim - 1
    return _reduce("sum", _product_text(kind, conjugated), None, kind, (a, b), axis, 0, None)


def vdot(x1, x2, /):
    """The sum of products of all elements as one row; of complex numbers those of `x1` are conjugated."""
    return _sum_of_products("vdot", ravel(x1), ravel(x2), -1, conjugated=True)


def dot(x1, x2, /):
    """The sum of products of two rows; the matrix product of tables; the product with memory of no axes."""
    if x1.ndim == 0 or x2.ndim == 0:
        return x1 * x2
    return _sum_of_products("dot", x1, x2, -1) if x1.ndim == x2.ndim == 1 else matmul(x1, x2)


def tensordot(x1, x2, /, *, axes=2):
    """The sum of products over the last `axes` axes of `x1` and the first of `x2`, or over named pairs of them."""
    if isinstance(axes, int):
        ours, theirs = list(range(x1.ndim - axes, x1.ndim)), list(range(axes))
    else:
        ours, theirs = ([one] if isinstance(one, int) else list(one) for one in axes)
    ours, theirs = axes_of(ours, x1.ndim), axes_of(theirs, x2.ndim)
    if [x1.shape[axis] for axis in ours] != [x2.shape[axis] for axis in theirs]:
        raise WrongValueError(f"axes {ours} of {x1.shape} and {theirs} of {x2.shape} do not fit each other")
    kept = [axis for axis in range(x1.ndim) if axis not in ours]
    others = [axis for axis in range(x2.ndim) if axis not in theirs]
    inner = _product([x1.shape[axis] for axis in ours])
    a = reshape(permute_dims(x1, (*kept, *ours)), (_product([x1.shape[axis] for axis in kept]), inner))
    b = reshape(permute_dims(x2, (*theirs, *others)), (inner, _product([x2.shape[axis] for axis in others])))
    return reshape(matmul(a, b), [x1.shape[axis] for axis in kept] + [x2.shape[axis] for axis in others])


__all__ = [
    "all", "any", "argmax", "argmin", "count_nonzero", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "dot",
    "matmul", "max", "mean", "min", "prod", "std", "sum", "tensordot", "var", "vdot", "vecdot",
]

"""Sorting, searching, sets and histograms."""

from .. import _native
from .._errors import WrongTypeError, WrongValueError
from . import dtypes
from .creation import empty_like, linspace, range_like
from .dtypes import bool_, float64, int64, is_complex, is_float, promote, refuse_complex
from .elementwise import astype
from .indexing import compress, nonzero
from .manipulation import axis_of, concat, flip, moveaxis, ravel, reshape

Memory = _native.Memory


def _row(x):
    return x if x._is_contiguous else x.copy()


def sort(x, /, *, axis=-1, descending=False, stable=True):
    """The elements in ascending order along an axis, or descending; NaN last, and -0 before 0."""
    refuse_complex("`sort`", x.dtype)
    axis = axis_of(axis, x.ndim)
    if x.ndim == 1 and not descending:
        return _native.sort(_row(x))
    order = argsort(x, axis=axis, descending=descending)
    from .indexing import take_along_axis

    return take_along_axis(x, order, axis=axis)


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """The indices of the elements in ascending order along an axis, or descending; of equals the first one first."""
    refuse_complex("`argsort`", x.dtype)
    axis = axis_of(axis, x.ndim)
    if descending:
        # What is last of equals comes first in the reverse order, and is reversed again.
        order = argsort(flip(x, axis=axis), axis=axis)
        return flip(x.shape[axis] - 1 - order, axis=axis)
    if x.size == 0:
        return x._empty(x.shape, int64)
    if x.ndim == 1:
        return astype(_native.argsort(_row(x)), int64)
    lines = moveaxis(x, axis, -1)
    length = lines.shape[-1]
    # By value first, then, keeping that order, by line.
    by_value = _native.argsort(ravel(lines.copy()))
    by_line = _native.argsort(by_value // length)
    order = by_value[by_line] % length
    return moveaxis(reshape(astype(order, int64), lines.shape), -1, axis)


_SEARCH = """
out_ = 0;
INDEX end_ = length_;
while (out_ < end_) {
  const INDEX middle_ = ((INDEX)out_ + end_) / 2;
  const bool before_ = sorted_[ORDER_(middle_)] COMPARISON_ value_;
  if (before_) { out_ = middle_ + 1; } else { end_ = middle_; }
}
"""


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """Where in ascending `x1` each element of `x2` would be put: before equals, or behind them with ``side="right"``."""
    if side not in ("left", "right"):
        raise WrongValueError(f"`side` is 'left' or 'right', not {side!r}")
    if sorter is not None:
        x1 = x1[sorter]
    kind = promote(x1.dtype, x2.dtype)
    refuse_complex("`searchsorted`", kind)
    keys, values = _row(astype(x1, kind, copy=False)), astype(x2, kind, copy=False)
    if kind == bool_:
        keys, values = keys._view_as("uint8"), values._view_as("uint8")
    out = values._empty(values.shape, int64)
    body = _SEARCH.replace("ORDER_(middle_)", "middle_").replace("COMPARISON_", "<" if side == "left" else "<=")
    if x1.size == 0:
        out.fill(0)
        return out
    parameters = [
        ("raw", "sorted_", keys, None), ("in", "value_", values, None), ("in", "length_", x1.size, "int64"),
        ("out", "out_", out, None),
    ]
    _native.elementwise(body, "", [], parameters, list(values.shape))
    return out


def _runs(x):
    """The elements of one row in order, their order, and whether each begins a run of equals."""
    row = ravel(x)
    if is_complex(x.dtype):
        # By imaginary part first, then, keeping that order, by real part; a sum with 0 makes one zero of two.
        order = argsort(row.imag + 0)
        order = order[argsort((row.real + 0)[order])]
    else:
        order = argsort(row)
    ordered = row[order]
    begins = empty_like(ordered, bool_)
    begins[:1] = True
    begins[1:] = ordered[1:] != ordered[:-1]
    return order, ordered, begins


def unique_values(x, /):
    """The different elements in ascending order, complex numbers by their real parts and then the imaginary ones; each NaN is
    another one."""
    if x.size == 0:
        return ravel(x).copy()
    _, ordered, begins = _runs(x)
    return compress(begins, ordered)


def unique_counts(x, /):
    """The different elements, and how often each stands."""
    from collections import namedtuple

    values, _, _, counts = unique_all(x)
    return namedtuple("UniqueCounts", "values counts")(values, counts)


def unique_inverse(x, /):
    """The different elements, and which of them each element is."""
    from collections import namedtuple

    values, _, inverse, _ = unique_all(x)
    return namedtuple("UniqueInverse", "values inverse_indices")(values, inverse)


def unique_all(x, /):
    """The different elements, where each stands first, which of them each element is, and how often each stands."""
    from collections import namedtuple

    from .reductions import cumulative_sum

    result = namedtuple("UniqueAll", "values indices inverse_indices counts")
    if x.size == 0:
        none = x._empty((0,), int64)
        return result(ravel(x).copy(), none, x._empty(x.shape, int64), none.copy())
    order, ordered, begins = _runs(x)
    (starts,) = nonzero(begins)
    inverse = empty_like(order)
    inverse[order] = cumulative_sum(begins) - 1
    ends = concat([starts[1:], starts[:1] * 0 + x.size])
    return result(ordered[starts], order[starts], reshape(inverse, x.shape), ends - starts)


def isin(x1, x2, /, *, invert=False):
    """Whether each element of `x1` is one of `x2`."""
    kind = promote(x1.dtype, x2.dtype)
    refuse_complex("`isin`", kind)
    if x2.size == 0:
        found = x1 != x1 if not is_float(x1.dtype) else x1 < x1
        return ~found if invert else found
    ordered = sort(ravel(astype(x2, kind, copy=False)))
    place = searchsorted(ordered, astype(x1, kind, copy=False))
    found = (place < x2.size) & (ordered[place % x2.size] == x1)
    return ~found if invert else found


def bincount(x, /, weights=None, *, minlength=0):
    """How often each number from 0 on stands in memory of integers, none of which is negative; or the sum of the `weights` of
    each, in their order as :func:`histogram` says."""
    if not dtypes.is_integer(x.dtype):
        raise WrongTypeError(f"numbers of bins are integers, not {x.dtype}")
    bins = minlength
    if x.size:
        from .reductions import max as highest, min as lowest

        if int(lowest(x)) < 0:
            raise WrongValueError("a negative number has no bin")
        bins = max(bins, int(highest(x)) + 1)
    own = _weights(weights, x)
    kind = int64 if own is None else own.dtype
    if bins == 0 or x.size == 0:
        return x._empty((bins,), kind) if bins == 0 else _zeros(x, bins, kind)
    if own is not None:
        return _native.bincount(_row(x), bins, kind, own)
    return astype(_native.bincount(_row(x), bins, "int32"), int64)


def _zeros(x, bins, kind):
    made = x._empty((bins,), kind)
    made.fill(0)
    return made


def _weights(weights, x):
    """Weights in a row: integers as ``int64``, and floats of 16 bits as ``float32``."""
    if weights is None:
        return None
    if type(weights) is not Memory:
        raise WrongTypeError(f"weights are memory, not `{type(weights).__name__}`")
    if weights.shape != x.shape:
        raise WrongValueError(f"weights of shape {weights.shape} for elements of shape {x.shape}")
    refuse_complex("weights", weights.dtype)
    kind = dtypes.computed(weights.dtype) if is_float(weights.dtype) else int64
    return _row(astype(weights, kind, copy=False))


def _axis(x, bins, range):
    """What the native histogram takes for an axis, and its edges."""
    refuse_complex("`histogram`", x.dtype)
    kind = dtypes.computed(x.dtype) if is_float(x.dtype) else dtypes.float32
    row = _row(x) if x.dtype != "int64" and x.dtype != "uint64" else _row(astype(x, float64))
    kind = float64 if row.dtype == float64 else kind
    if type(bins) is Memory or not isinstance(bins, int):
        from .creation import asarray

        edges = asarray(bins, kind, device=x._device)
        return (row, edges.size - 1, 0.0, 1.0, _row(edges)), edges
    if range is None:
        from .reductions import max as highest, min as lowest

        low, high = (float(lowest(x)), float(highest(x))) if x.size else (0.0, 1.0)
    else:
        low, high = map(float, range)
    if low == high:
        low, high = low - 0.5, high + 0.5
    return (row, bins, low, high, None), linspace(low, high, bins + 1, dtype=kind, device=x._device)


def _histogram(axes, weights):
    if weights is not None:
        return _native.histogram(axes, weights.dtype, weights)
    return astype(_native.histogram(axes, "int32"), int64)


def histogram(x, bins=10, range=None, weights=None):
    """How many elements lie in each bin, or the sum of their `weights`; and the bins' edges.

    `bins` of equal width from ``range[0]`` to ``range[1]``, or from the lowest element to the highest, which the host then
    asks for; or memory of ascending edges. A bin has its lower edge, the last one both. Other elements, NaN among them, are
    left out. Weights are summed in a defined order, so that sums have the same bits on every device: floats in their own
    type, integers as ``int64``."""
    own = _weights(weights, x)
    axis, edges = _axis(x, bins, range)
    return _histogram([axis], own), edges


def histogram2d(x, y, bins=10, range=None, weights=None):
    """How many points lie in each bin of a table, or the sum of their `weights`; and the edges along both axes.

    `bins` is a number for both axes, memory of edges for both, or a pair of such; ``range`` a pair of pairs. As
    :func:`histogram` otherwise."""
    if x.shape != y.shape:
        raise WrongValueError(f"points have coordinates of shapes {x.shape} and {y.shape}")
    own = _weights(weights, x)
    along = tuple(bins) if isinstance(bins, (tuple, list)) and len(bins) == 2 else (bins, bins)
    limits = (None, None) if range is None else tuple(range)
    axes, edges = zip(*(_axis(values, own_bins, own_range) for values, own_bins, own_range in zip((x, y), along, limits)))
    return _histogram(list(axes), own), *edges


def top_k(x, k, /):
    """The `k` highest elements of one row, the highest first, and their indices. Of equals the first ones are taken, and NaN
    last."""
    refuse_complex("`top_k`", x.dtype)
    if x.ndim != 1:
        raise WrongValueError(f"`top_k` is of memory of one axis, not of shape {x.shape}")
    values, indices = _native.top_k(_row(x), k)
    return values, astype(indices, int64)


__all__ = [
    "argsort", "bincount", "histogram", "histogram2d", "isin", "searchsorted", "sort", "top_k", "unique_all", "unique_counts", "unique_inverse",
    "unique_values",
]

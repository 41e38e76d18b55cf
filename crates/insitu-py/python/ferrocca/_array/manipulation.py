"""Shapes, axes and joins. What can be a view of the same memory is one; the rest copies on the device."""

from .. import _native
from .._errors import WrongTypeError, WrongValueError
from .creation import range_like
from .dtypes import promote
from .elementwise import store
from .indexing import broadcast_shapes

Memory = _native.Memory


def axis_of(axis, ndim):
    """An axis counted from the first one."""
    if not -ndim <= axis < ndim:
        raise WrongValueError(f"axis {axis} is out of range for {ndim} axes")
    return axis % ndim


def axes_of(axis, ndim):
    """One axis or several, counted from the first one; all of them for None."""
    if axis is None:
        return tuple(range(ndim))
    axes = tuple(axis_of(one, ndim) for one in ((axis,) if isinstance(axis, int) else axis))
    if len(set(axes)) != len(axes):
        raise WrongValueError(f"an axis stands twice in {axis}")
    return axes


def _strides(x):
    return [stride // x.itemsize for stride in x.strides]


def _row_major(shape):
    strides, stride = [], 1
    for length in reversed(shape):
        strides.append(stride)
        stride *= max(length, 1)
    return strides[::-1]


def copy(x):
    """A copy in a row, on the same device."""
    if x._is_contiguous:
        return x.duplicate()
    if x.ndim == 2 and x.size and x.T._is_contiguous:
        rows, columns = x.T.shape
        return _native.transpose(x.T, rows, columns)
    return _native.map("x0", None, x.dtype, (x,))


def reshape(x, /, shape, *, copy=None):
    """The same elements in another shape, of which one extent may be -1. Memory that does not lie in a row is copied where
    its strides do not allow the shape, but not with ``copy=False``."""
    shape = [int(length) for length in ((shape,) if isinstance(shape, int) else shape)]
    unknown = [place for place, length in enumerate(shape) if length == -1]
    if unknown:
        known = 1
        for length in shape:
            known *= length if length != -1 else 1
        if len(unknown) > 1 or known == 0 or x.size % known:
            raise WrongValueError(f"memory of {x.size} elements cannot have the shape {tuple(shape)}")
        shape[unknown[0]] = x.size // known
    size = 1
    for length in shape:
        size *= length
    if size != x.size or any(length < 0 for length in shape):
        raise WrongValueError(f"memory of {x.size} elements cannot have the shape {tuple(shape)}")
    if copy:
        x = x.copy()
    if x._is_contiguous:
        return x._strided(shape, _row_major(shape), 0)
    strides = _split(x, shape)
    if strides is not None:
        return x._strided(shape, strides, 0)
    if copy is False:
        raise WrongValueError(f"memory of shape {x.shape} and strides {x.strides} has to be copied for the shape {tuple(shape)}")
    return reshape(x.copy(), shape)


def _split(x, shape):
    """Strides of a view in another shape; None where there are none."""
    if x.size == 0:
        return _row_major(shape)
    old = [(length, stride) for length, stride in zip(x.shape, _strides(x)) if length != 1]
    strides, place = [0] * len(shape), len(shape) - 1
    while old:
        length, stride = old.pop()
        # Axes that lie in a row are one.
        while old and old[-1][1] == length * stride:
            length *= old.pop()[0]
        left = length
        while left > 1 or (place >= 0 and shape[place] == 1):
            if place < 0 or left % shape[place]:
                return None
            strides[place] = stride
            stride *= shape[place]
            left //= shape[place]
            place -= 1
    return strides


def ravel(x):
    """All elements as one row."""
    return reshape(x, (-1,)) if x.size else reshape(x, (0,))


def permute_dims(x, /, axes):
    """The axes in another order: a view."""
    axes = axes_of(tuple(axes), x.ndim)
    if len(axes) != x.ndim:
        raise WrongValueError(f"{len(axes)} axes are named, memory has {x.ndim}")
    strides = _strides(x)
    return x._strided([x.shape[axis] for axis in axes], [strides[axis] for axis in axes], 0)


def transpose(x, axes=None):
    """As :func:`permute_dims`; the axes in reverse order where none are named."""
    return permute_dims(x, tuple(reversed(range(x.ndim))) if axes is None else axes)


def matrix_transpose(x, /):
    """The last two axes exchanged: a view."""
    if x.ndim < 2:
        raise WrongValueError(f"memory of {x.ndim} axes has no matrices")
    return swapaxes(x, -1, -2)


def swapaxes(x, axis1, axis2):
    """Two axes exchanged: a view."""
    axes = list(range(x.ndim))
    one, other = axis_of(axis1, x.ndim), axis_of(axis2, x.ndim)
    axes[one], axes[other] = axes[other], axes[one]
    return permute_dims(x, axes)


def moveaxis(x, source, destination, /):
    """Axes moved to other places, the others in their order: a view."""
    source = axes_of(source, x.ndim)
    destination = axes_of(destination, x.ndim)
    if len(source) != len(destination):
        raise WrongValueError(f"{len(source)} axes cannot be moved to {len(destination)} places")
    order = [axis for axis in range(x.ndim) if axis not in source]
    for place, axis in sorted(zip(destination, source)):
        order.insert(place, axis)
    return permute_dims(x, order)


def expand_dims(x, /, axis=0):
    """One more axis of one element, or several: a view."""
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    axes = axes_of(axes, x.ndim + len(axes))
    shape, strides = list(x.shape), _strides(x)
    for place in sorted(axes):
        shape.insert(place, 1)
        strides.insert(place, 0)
    return x._strided(shape, strides, 0)


def squeeze(x, /, axis=None):
    """Without some axes of one element, or all of them: a view."""
    axes = [place for place, length in enumerate(x.shape) if length == 1] if axis is None else axes_of(axis, x.ndim)
    wrong = [place for place in axes if x.shape[place] != 1]
    if wrong:
        raise WrongValueError(f"axis {wrong[0]} has {x.shape[wrong[0]]} elements, and not one")
    kept = [place for place in range(x.ndim) if place not in axes]
    strides = _strides(x)
    return x._strided([x.shape[place] for place in kept], [strides[place] for place in kept], 0)


def broadcast_to(x, /, shape):
    """The elements repeated to a shape: a view."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if broadcast_shapes(x.shape, shape) != shape:
        raise WrongValueError(f"memory of shape {x.shape} cannot be repeated to {shape}")
    missing = len(shape) - x.ndim
    strides = [0] * missing
    strides += [stride if own == whole else 0 for stride, own, whole in zip(_strides(x), x.shape, shape[missing:])]
    return x._strided(list(shape), strides, 0)


def broadcast_arrays(*arrays):
    """Memory repeated to the shape of all: views."""
    shape = broadcast_shapes(*(x.shape for x in arrays))
    return [broadcast_to(x, shape) for x in arrays]


def flip(x, /, *, axis=None):
    """The elements in reverse order along some axes, or all: a view."""
    axes = axes_of(axis, x.ndim)
    return x[tuple(slice(None, None, -1) if place in axes else slice(None) for place in range(x.ndim))] if x.ndim else x


def roll(x, /, shift, *, axis=None):
    """The elements moved along axes; those that leave at one end come in at the other. Without an axis, as one row."""
    if axis is None:
        return reshape(roll(ravel(x), sum(shift) if isinstance(shift, tuple) else shift, axis=0), x.shape)
    shifts = (shift,) if isinstance(shift, int) else tuple(shift)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    if len(shifts) == 1:
        shifts *= len(axes)
    for by, place in zip(shifts, axes):
        place = axis_of(place, x.ndim)
        length = x.shape[place]
        cut = -by % length if length else 0
        before = (slice(None),) * place
        x = concat([x[before + (slice(cut, None),)], x[before + (slice(0, cut),)]], axis=place)
    return x


def _common(arrays):
    if not arrays or any(type(x) is not Memory for x in arrays):
        raise WrongTypeError("a join is of one memory or more")
    kind = arrays[0].dtype
    for x in arrays[1:]:
        kind = promote(kind, x.dtype)
    return kind


def concat(arrays, /, *, axis=0):
    """Memory joined along an axis that there is; without an axis, as one row."""
    arrays = list(arrays)
    kind = _common(arrays)
    if axis is None:
        arrays, axis = [ravel(x) for x in arrays], 0
    first = arrays[0]
    axis = axis_of(axis, first.ndim)
    shape = list(first.shape)
    for x in arrays[1:]:
        if x.ndim != first.ndim or any(x.shape[place] != shape[place] for place in range(first.ndim) if place != axis):
            raise WrongValueError(f"memory of shape {x.shape} cannot be joined with {first.shape} along axis {axis}")
    shape[axis] = sum(x.shape[axis] for x in arrays)
    out, start = first._empty(shape, kind), 0
    for x in arrays:
        end = start + x.shape[axis]
        if x.size:
            store(out[(slice(None),) * axis + (slice(start, end),)], x)
        start = end
    return out


def stack(arrays, /, *, axis=0):
    """Memory of one shape joined along an axis of its own."""
    arrays = list(arrays)
    _common(arrays)
    if any(x.shape != arrays[0].shape for x in arrays):
        raise WrongValueError(f"memory of the shapes {' and '.join(str(x.shape) for x in arrays)} cannot be stacked")
    return concat([expand_dims(x, axis) for x in arrays], axis=axis_of(axis, arrays[0].ndim + 1))


def unstack(x, /, *, axis=0):
    """The entries along an axis: views."""
    axis = axis_of(axis, x.ndim)
    return tuple(x[(slice(None),) * axis + (place,)] for place in range(x.shape[axis]))


def split(x, parts, axis=0):
    """Equal parts along an axis, or those between some indices: views."""
    axis = axis_of(axis, x.ndim)
    length = x.shape[axis]
    if isinstance(parts, int):
        if parts <= 0 or length % parts:
            raise WrongValueError(f"{length} elements are not {parts} equal parts")
        bounds = [length // parts * place for place in range(parts + 1)]
    else:
        bounds = [0, *parts, length]
    return [x[(slice(None),) * axis + (slice(start, end),)] for start, end in zip(bounds, bounds[1:])]


def tile(x, repetitions, /):
    """The whole repeated along each axis."""
    repetitions = (repetitions,) if isinstance(repetitions, int) else tuple(repetitions)
    missing = max(0, len(repetitions) - x.ndim)
    shape = (1,) * missing + x.shape
    repetitions = (1,) * (len(shape) - len(repetitions)) + repetitions
    paired, target = [], []
    for count, length in zip(repetitions, shape):
        paired += [count, length]
        target.append(count * length)
    spread = reshape(x, [part for length in shape for part in (1, length)])
    return reshape(broadcast_to(spread, tuple(paired)).copy(), target)


def repeat(x, repeats, /, *, axis=None):
    """Each element repeated, along an axis or in one row: as often as a number says, or memory for each."""
    if axis is None:
        x, axis = ravel(x), 0
    axis = axis_of(axis, x.ndim)
    if isinstance(repeats, int):
        spread = expand_dims(x, axis + 1)
        shape = list(spread.shape)
        shape[axis + 1] = repeats
        target = list(x.shape)
        target[axis] *= repeats
        return reshape(broadcast_to(spread, tuple(shape)).copy(), target)
    from .reductions import cumulative_sum
    from .sorting import searchsorted

    repeats = broadcast_to(repeats.astype("int64", copy=False), (x.shape[axis],))
    ends = cumulative_sum(repeats)
    total = int(ends[-1]) if x.shape[axis] else 0
    places = searchsorted(ends, range_like(x, total), side="right")
    return x[(slice(None),) * axis + (places,)]


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """The differences of neighbours along an axis, `n` times."""
    axis = axis_of(axis, x.ndim)
    parts = [part for part in (prepend, x, append) if part is not None]
    if len(parts) > 1:
        x = concat(parts, axis=axis)
    for _ in range(n):
        before = (slice(None),) * axis
        later, earlier = x[before + (slice(1, None),)], x[before + (slice(None, -1),)]
        x = later != earlier if x.dtype == "bool" else later - earlier
    return x


__all__ = [
    "broadcast_arrays", "broadcast_to", "concat", "diff", "expand_dims", "flip", "matrix_transpose", "moveaxis", "permute_dims",
    "ravel", "repeat", "reshape", "roll", "split", "squeeze", "stack", "swapaxes", "tile", "transpose", "unstack",
]

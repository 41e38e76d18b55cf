"""Indices that are masks or arrays, and assignment. What is made of integers and slices alone is a view, made natively."""

from .. import _native
from .._errors import OutOfBoundsError, WrongTypeError, WrongValueError
from . import dtypes
from .creation import asarray, range_like
from .elementwise import as_kind, store

Memory = _native.Memory


def assign(part, value):
    """Writes memory, an array on the host or a number over a view."""
    if type(value) is not Memory and not _is_number(value):
        import numpy

        host = numpy.asarray(value)
        value = part._empty(host.shape, str(host.dtype))
        value.copy_from(numpy.ascontiguousarray(host))
    store(part, value)


def _is_number(value):
    return isinstance(value, (bool, int, float, complex)) or getattr(value, "shape", None) == () and hasattr(value, "item")


def _index_array(memory, entry):
    """An index that is an array: memory, or a list of integers or truth values."""
    if type(entry) is Memory:
        return entry
    if isinstance(entry, (list, tuple)):
        made = asarray(entry if len(entry) else [], None if len(entry) else "int64", device=memory._device)
        return made
    if isinstance(entry, bool):
        return asarray(entry, device=memory._device)
    raise WrongTypeError(
        f"memory is indexed by integers, slices, `...`, None, lists and memory, not by `{type(entry).__name__}`: "
        "`ferrocca.asarray(...)` copies an array of indices to the device"
    )


def _is_basic(entry):
    if entry is None or entry is Ellipsis or isinstance(entry, slice):
        return True
    return False


def _is_integer(entry):
    return isinstance(entry, int) and not isinstance(entry, bool) or (
        type(entry) is not Memory and hasattr(entry, "__index__") and getattr(entry, "shape", ()) == ()
        and not isinstance(entry, bool)
    )


class _Selection:
    """An index as one of the rows of a view: some of its axes are indexed by arrays, which are repeated to one shape."""

    def __init__(self, memory, key):
        given = list(key) if isinstance(key, tuple) else [key]
        entries = [
            entry if _is_basic(entry) or _is_integer(entry) else _index_array(memory, entry) for entry in given
        ]
        lists = {id(made): entry for made, entry in zip(entries, given) if made is not entry}
        used = sum(
            (max(entry.ndim, 0) if entry.dtype == "bool" else 1) if type(entry) is Memory else entry not in (None, Ellipsis)
            for entry in entries
        )
        if used > memory.ndim:
            raise OutOfBoundsError(f"too many indices: memory of {memory.ndim} axes, {used} indices")
        places = [place for place, entry in enumerate(entries) if entry is Ellipsis]
        if len(places) > 1:
            raise OutOfBoundsError("an index can only have a single ellipsis ('...')")
        rest = [slice(None)] * (memory.ndim - used)
        place = places[0] if places else len(entries)
        entries[place:place + len(places)] = rest
        # A basic view first, in which each array indexes an axis of its own; then the arrays.
        basic, arrays, owners, axis, own = [], {}, {}, 0, 0
        for entry in entries:
            if type(entry) is Memory and entry.dtype == "bool":
                expected = memory.shape[own:own + entry.ndim]
                if entry.shape != expected:
                    raise OutOfBoundsError(f"a mask of shape {entry.shape} for axes of shape {expected}")
                if entry.ndim == 0:
                    basic.append(None)
                    arrays[axis], owners[axis] = _nonzero(entry.reshape(1))[0], own
                    axis += 1
                for indices in _nonzero(entry) if entry.ndim else ():
                    basic.append(slice(None))
                    arrays[axis], owners[axis] = indices, own
                    axis, own = axis + 1, own + 1
            elif type(entry) is Memory or _is_integer(entry):
                basic.append(slice(None))
                if type(entry) is Memory and entry.dtype.kind not in "iu":
                    raise OutOfBoundsError(f"indices are integers or truth values, not {entry.dtype}")
                # A list is looked at here; memory on the device is looked at there.
                for index in _integers(lists[id(entry)]) if id(entry) in lists else ():
                    _check_index(index, own, memory.shape[own])
                if type(entry) is not Memory:
                    _check_index(int(entry), own, memory.shape[own])
                arrays[axis], owners[axis] = entry if type(entry) is Memory else int(entry), own
                axis, own = axis + 1, own + 1
            else:
                basic.append(entry)
                axis += 1
                own += entry is not None
        self.view = view = memory[tuple(basic)]
        axes = sorted(arrays)
        shapes = [arrays[axis].shape for axis in axes if type(arrays[axis]) is Memory]
        self.broadcast = broadcast = broadcast_shapes(*shapes)
        adjacent = axes == list(range(axes[0], axes[0] + len(axes)))
        first = axes[0] if adjacent else 0
        kept = [axis for axis in range(view.ndim) if axis not in arrays]
        before = [axis for axis in kept if adjacent and axis < first]
        behind = kept[len(before):]
        self.shape = tuple(
            [view.shape[axis] for axis in before] + list(broadcast) + [view.shape[axis] for axis in behind]
        )
        strides = [stride // view.itemsize for stride in view.strides]
        self.parameters, text, out_of_range = [], ["first_"], []
        self.parameters.append(("in", "first_", view._first, "int64"))
        for place, axis in enumerate(axes):
            entry, length = arrays[axis], view.shape[axis]
            if type(entry) is Memory:
                entry = entry.reshape(entry.shape + (1,) * len(behind))
            self.parameters += [
                ("in", f"index{place}_", entry, "int64"),
                ("in", f"length{place}_", length, "int64"),
                ("in", f"stride{place}_", strides[axis], "int64"),
            ]
            at = f"at{place}_"
            # The access out of range tells which index it was: `bad_index` in `error.rs` reads it. What is beyond `most` is
            # told as that.
            index, most = f"index{place}_", 1 << 40
            told = f"(({index} < 0 ? -1 - 2 * max({index}, -{most}L) : 2 * min({index}, {most}L)) * 64 + {owners[axis]})"
            out_of_range.append(f"{at} < 0 || {at} >= length{place}_ ? -1 - {told} : ")
            text.append(f"{at} * stride{place}_")
        inner = 1
        sizes = {axis: None for axis in behind}
        for axis in reversed(behind):
            sizes[axis] = inner
            inner *= view.shape[axis]
        for length in broadcast:
            inner *= length
        for axis in reversed(before):
            sizes[axis] = inner
            inner *= view.shape[axis]
        for place, axis in enumerate(before + behind):
            self.parameters += [
                ("in", f"inner{place}_", max(sizes[axis], 1), "int64"),
                ("in", f"size{place}_", max(view.shape[axis], 1), "int64"),
                ("in", f"step{place}_", strides[axis], "int64"),
            ]
            text.append(f"i / inner{place}_ % size{place}_ * step{place}_")
        lines = [
            f"const long at{place}_ = index{place}_ < 0 ? index{place}_ + length{place}_ : index{place}_;"
            for place in range(len(axes))
        ]
        # What is out of range is an access that the kernel's checks report.
        self.lines = "\n".join(lines)
        self.place = f"{''.join(out_of_range)}{' + '.join(text)}"


def _integers(entry):
    """The integers in lists of lists; arrays of others in them are asked for theirs."""
    if hasattr(entry, "tolist"):
        entry = entry.tolist()
    if isinstance(entry, (list, tuple)):
        for part in entry:
            yield from _integers(part)
    else:
        yield entry


def _check_index(index, axis, length):
    if not -length <= index < length:
        raise OutOfBoundsError(f"index {index} is out of range for axis {axis} with {length} elements")


def broadcast_shapes(*shapes):
    """The shape that all of these are repeated to."""
    whole = []
    for shape in shapes:
        shape = list(shape)
        if len(shape) > len(whole):
            whole = [1] * (len(shape) - len(whole)) + whole
        for place in range(1, len(shape) + 1):
            a, b = whole[-place], shape[-place]
            if a != b and 1 not in (a, b):
                raise WrongValueError(f"the shapes {' and '.join(map(str, shapes))} do not fit each other")
            whole[-place] = b if a == 1 else a
    return tuple(whole)


def take_at(memory, key):
    """``memory[key]``: a copy of the elements that masks and arrays of indices name."""
    if type(key) is Memory and key.dtype == "bool" and key.shape == memory.shape and key.ndim:
        return compress(key, memory)
    selection = _Selection(memory, key)
    out = memory._empty(selection.shape, memory.dtype)
    body = f"{selection.lines}\nout_ = indexed_[{selection.place}];"
    parameters = [*selection.parameters, ("raw", "indexed_", _bytes(selection.view), None), ("out", "out_", _bytes(out), None)]
    _native.elementwise(body, "", [], parameters, list(selection.shape))
    return out


def put_at(memory, key, value):
    """``memory[key] = value`` for masks and arrays of indices. Where an index stands twice, either value is stored."""
    if type(value) is not Memory and not _is_number(value):
        value = asarray(value, device=memory._device)
    if type(key) is Memory and key.dtype == "bool" and key.shape == memory.shape:
        if type(value) is not Memory or value.size == 1 and value.ndim <= 1:
            if type(value) is Memory:
                text, kind = "x0 != 0 ? x1 : x2", None
                value = value.reshape(()).astype(memory.dtype, copy=False)
            else:
                text, kind, value = "x0 != 0 ? x1 : x2", _number_type(memory), _as_kind(memory, value)
            _native.map_into(text, kind, memory, (key, value, memory))
            return
    selection = _Selection(memory, key)
    kind = None if type(value) is Memory else _number_type(memory)
    value = value.astype(memory.dtype, copy=False) if type(value) is Memory else _as_kind(memory, value)
    if type(value) is Memory and broadcast_shapes(value.shape, selection.shape) != selection.shape:
        raise WrongValueError(f"values of shape {value.shape} for elements of shape {selection.shape}")
    body = f"{selection.lines}\nindexed_[{selection.place}] = value_;"
    value = _bytes(value) if type(value) is Memory else value
    parameters = [*selection.parameters, ("in", "value_", value, kind), ("raw out", "indexed_", _bytes(selection.view), None)]
    _native.elementwise(body, "", [], parameters, list(selection.shape))


def _bytes(memory):
    return memory._view_as("uint8") if memory.dtype == "bool" else memory


def _number_type(memory):
    return "uint8" if memory.dtype == "bool" else dtypes.computed(memory.dtype)


def _as_kind(memory, value):
    value = as_kind(memory.dtype, value)
    return int(value) if memory.dtype == "bool" else value


def compress(mask, values):
    """The values where a mask of their shape is true, in their order, as one row."""
    if mask.shape != values.shape:
        raise WrongValueError(f"a mask of shape {mask.shape} for values of shape {values.shape}")
    if values.size == 0:
        return values._empty((0,), values.dtype)
    taken, count = _native.compact("x0", values.dtype, None, (values,), mask, "int32")
    return taken[:int(count)]


def _nonzero(mask):
    """The indices of what is not zero, an array for each axis."""
    found, inner = [], mask.size
    if mask.size == 0:
        return tuple(mask._empty((0,), "int64") for _ in mask.shape)
    count = None
    for length in mask.shape:
        inner //= length
        taken, counted = _native.compact("index / x1 % x2", "int64", "int64", (mask, inner, length), mask, "int32")
        count = int(counted) if count is None else count
        found.append(taken[:count])
    return tuple(found)


def nonzero(x, /):
    """The indices of the elements that are not zero, in their order: an array for each axis."""
    if x.ndim == 0:
        raise WrongValueError("an array of no axes has no indices")
    return _nonzero(x)


def take(x, indices, /, *, axis=None):
    """The elements at some indices along an axis."""
    if axis is None:
        if x.ndim != 1:
            raise WrongValueError("`axis` is needed for more than one axis")
        axis = 0
    return x[(slice(None),) * (axis % x.ndim) + (indices,)]


def take_along_axis(x, indices, /, *, axis=-1):
    """For each index of the other axes, the elements at its own indices along one."""
    axis %= x.ndim
    shape = list(indices.shape)
    key = []
    for place, length in enumerate(x.shape):
        if place == axis:
            key.append(indices)
        else:
            own = [1] * x.ndim
            own[place] = length
            key.append(range_like(x, length).reshape(own) if shape[place] != 1 or length == 1 else 0)
    return x[tuple(key)]


__all__ = ["broadcast_shapes", "compress", "nonzero", "take", "take_along_axis"]

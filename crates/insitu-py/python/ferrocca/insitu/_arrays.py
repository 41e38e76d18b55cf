"""Fields as arrays of whichever library shows them."""

import sys

import numpy as np


def values(field):
    """The field's elements: its own memory where an array library shows it, else a copy on the host.

    Ferrocca copies nothing that was not asked for; an analysis asks for it here.
    """
    return field.array() if field.in_place else field.to_host()


def kept(field):
    """The field's elements in its own memory, which the solver leaves as it is while the array lives; None where it cannot."""
    if isinstance(field, Rows):
        array = kept(field._field)
        return None if array is None else array[field._rows]
    own = field.keep() if field.in_place and hasattr(field, "keep") else None
    return None if own is None else own.array()


def namespace(array):
    """The array-API namespace of `array`; for libraries without one the module that made it."""
    try:
        return array.__array_namespace__()
    except AttributeError:
        return sys.modules[type(array).__module__.partition(".")[0]]


def to_numpy(array):
    """`array` as a NumPy array: a copy where it is not the host's."""
    if isinstance(array, np.ndarray):
        return array
    if hasattr(array, "get"):  # CuPy
        return array.get()
    if hasattr(array, "detach"):  # PyTorch
        return array.detach().cpu().numpy()
    return np.from_dlpack(array, device="cpu")


def concatenate(xp, arrays, axis=0):
    """`xp.concat`, under whichever name the library has it."""
    return (xp.concat if hasattr(xp, "concat") else xp.concatenate)(arrays, axis=axis)


def interior(rows, points):
    """The last axis of `rows` without the ghost points on both sides."""
    if points is None:
        return rows
    ghosts = (rows.shape[-1] - points) // 2
    return rows[..., ghosts : ghosts + points]


class Rows:
    """Some moments of a field of a batch."""

    def __init__(self, field, rows):
        self._field, self._rows = field, rows
        self.name, self.dtype, self.device, self.in_place = field.name, field.dtype, field.device, field.in_place

    def array(self):
        return self._field.array()[self._rows]

    def to_host(self):
        return self._field.to_host()[self._rows]


class Moments:
    """Some moments of a batch; or a frame, as a batch of one."""

    def __init__(self, steps, times, fields):
        self.steps, self.times, self.fields = steps, times, fields

    @classmethod
    def of_frame(cls, frame):
        fields = {name: Rows(field, None) for name, field in frame.fields.items()}
        return cls((frame.step,), (frame.time,), fields)

    @classmethod
    def of_batch(cls, batch, rows):
        """`rows` are the positions of the moments, in their order."""
        if len(rows) == len(batch.steps):
            return batch
        index = slice(rows[0], rows[-1] + 1) if rows[-1] - rows[0] == len(rows) - 1 else list(rows)
        fields = {name: Rows(field, index) for name, field in batch.fields.items()}
        return cls(tuple(batch.steps[i] for i in rows), tuple(batch.times[i] for i in rows), fields)

    def __len__(self):
        return len(self.steps)

    def __getattr__(self, name):
        try:
            return self.__dict__["fields"][name]
        except KeyError:
            raise AttributeError(f"there is no field `{name}` in {', '.join(self.__dict__.get('fields', ()))}") from None


class Observer:
    """A hook that only looks at one field: subclasses have `take(steps, times, rows)`, whose rows count the moments."""

    def __init__(self, field=None):
        self.field = field

    def start(self, run):
        """The run begins: what an earlier one has left is forgotten."""

    def observe(self, batch):
        """Takes the moments of a batch.

        Raises KeyError where the batch has no field of the name that was given.
        """
        field = batch.fields[self.field] if self.field else next(iter(batch.fields.values()))
        self.take(batch.steps, batch.times, values(field))

    def take(self, steps, times, rows):
        """Takes `rows`, an array of shape (moments, points) with the ghost points, and step and time of each. Its memory may change
        afterwards."""
        raise NotImplementedError

    def finish(self, run):
        """The run is over: results are written into its output directory."""

"""What Python's own protocols ask of the extension's classes: copies, pictures for notebooks, and no pickling."""

from . import _html, _native

#: Handles: a copy is the same device, the same kernel.
HANDLES = (_native.Device, _native.Kernel, _native.Stream, _native.MemoryPool, _native.Graph, _native.Event)
ARRAYS = (_native.Array, _native.Field, _native.Memory)


def itself(self, memo=None):
    return self


def duplicate(self, memo=None):
    """As NumPy's: elements of its own."""
    return self.duplicate()


def refuse(self, protocol):
    what = "an array that can be: `to_host()`" if isinstance(self, _native.Array) else "none that can be"
    raise TypeError(f"a {type(self).__name__} belongs to a device of this process and cannot be pickled; there is {what}")


def prepare():
    for kind in HANDLES:
        kind.__copy__ = kind.__deepcopy__ = itself
        kind.__reduce_ex__ = refuse
    for kind in ARRAYS:
        kind.__reduce_ex__ = refuse
        kind._repr_html_ = _html.array
    _native.Memory.__copy__ = _native.Memory.__deepcopy__ = duplicate
    # STOP is one object, also behind `pickle`: by its name.
    _native.Stop.__reduce__ = lambda self: "STOP"
    _native.Stop.__copy__ = _native.Stop.__deepcopy__ = itself
    _native.Device._repr_html_ = _html.device
    _native.Kernel._repr_html_ = _html.kernel

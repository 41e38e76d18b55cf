"""Portable compute kernels, and Python inside a running simulation without a copy.

In a script that a solver runs: :data:`STOP`, :class:`Run`, :class:`Frame`, :class:`Batch`, :class:`Field`.
As a library: :class:`Device`, :class:`Memory`, :class:`MemoryPool`, :class:`Stream`, :class:`Kernel`, :class:`Graph`,
:class:`Event`, :func:`modes`, :func:`translate`. What to do with a running solver: :mod:`ferrocca.insitu`.
As arrays: :func:`asarray` and its like make memory on the device of ``with device:``, which has NumPy's operators, methods and
indices; :class:`ElementwiseKernel`, :class:`ReductionKernel`, :class:`ScanKernel` and :func:`fuse` make kernels of a line.
Whatever fails raises an :class:`Error`, which is also the built-in exception for such a mistake.
"""

from ._errors import (
    AccessError,
    BuildError,
    DivisionError,
    Error,
    FaultError,
    FileError,
    KernelWarning,
    OutOfBoundsError,
    OutOfMemoryError,
    RangeError,
    WrongTypeError,
    WrongValueError,
)
from ._native import (
    STOP,
    Array,
    Batch,
    Device,
    Event,
    Field,
    Frame,
    Graph,
    Kernel,
    Memory,
    MemoryPool,
    Run,
    Stop,
    Stream,
    __version__,
    modes,
    translate,
)
from ._profile import Profile

__all__ = [
    "STOP",
    "AccessError",
    "Array",
    "Batch",
    "BuildError",
    "Device",
    "DivisionError",
    "Error",
    "Event",
    "FaultError",
    "Field",
    "FileError",
    "Frame",
    "Graph",
    "Kernel",
    "KernelWarning",
    "Memory",
    "MemoryPool",
    "OutOfBoundsError",
    "OutOfMemoryError",
    "Profile",
    "RangeError",
    "Run",
    "Stop",
    "Stream",
    "WrongTypeError",
    "WrongValueError",
    "__version__",
    "modes",
    "translate",
]

from ._classes import prepare as _prepare  # noqa: E402 (after the classes)

_prepare()
del _prepare

# Arrays are imported when they are first used, so that importing the package stays quick.


_LAZY = ("__array_api_version__", "__array_namespace_info__", "_ARRAY_FUNCTIONS")


def __getattr__(name):
    if name.startswith("_") and name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    if name in ("comm", "random"):
        return importlib.import_module(f".{name}", __name__)
    arrays = importlib.import_module("._array", __name__)
    globals().update(arrays.NAMES, _ARRAY_FUNCTIONS=frozenset(arrays.FUNCTION_NAMES))
    if name in globals():
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    from ._array import NAMES

    return sorted({*globals(), *NAMES})

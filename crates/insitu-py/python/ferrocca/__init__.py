"""Portable compute kernels, and Python inside a running simulation without a copy.

In a script that a solver runs: :data:`STOP`, :class:`Run`, :class:`Frame`, :class:`Batch`, :class:`Field`.
As a library: :class:`Device`, :class:`Memory`, :class:`MemoryPool`, :class:`Stream`, :class:`Kernel`, :func:`modes`.
Whatever fails raises an :class:`Error`, which is also the built-in exception for such a mistake.
"""

from ._errors import (
    AccessError,
    BuildError,
    Error,
    FileError,
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
    Field,
    Frame,
    Kernel,
    Memory,
    MemoryPool,
    Run,
    Stop,
    Stream,
    __version__,
    modes,
)

__all__ = [
    "STOP",
    "AccessError",
    "Array",
    "Batch",
    "BuildError",
    "Device",
    "Error",
    "Field",
    "FileError",
    "Frame",
    "Kernel",
    "Memory",
    "MemoryPool",
    "OutOfBoundsError",
    "OutOfMemoryError",
    "RangeError",
    "Run",
    "Stop",
    "Stream",
    "WrongTypeError",
    "WrongValueError",
    "__version__",
    "modes",
]

"""Portable compute kernels, and Python inside a running simulation without a copy.

In a script that a solver runs: :data:`STOP`, :class:`Run`, :class:`Frame`, :class:`Batch`, :class:`Field`.
As a library: :class:`Device`, :class:`Memory`, :class:`MemoryPool`, :class:`Stream`, :class:`Kernel`, :func:`modes`.
"""

from ._native import (
    STOP,
    Array,
    Batch,
    Device,
    Error,
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
    "Array",
    "Batch",
    "Device",
    "Error",
    "Field",
    "Frame",
    "Kernel",
    "Memory",
    "MemoryPool",
    "Run",
    "Stop",
    "Stream",
    "__version__",
    "modes",
]

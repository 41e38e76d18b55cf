"""The Burgers solver as a library: :class:`Solver`."""

from ._native import Solver, _Control  # noqa: F401 (`start` uses it)

__all__ = ["Solver"]

"""The Burgers solver as a library: :class:`Solver`."""

from ._native import Solver

__all__ = ["Solver"]

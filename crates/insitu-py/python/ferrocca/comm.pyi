from collections.abc import Sequence
from types import TracebackType
from typing import Any, Literal, Self, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import Device, Memory

__all__ = ["Comm", "Grid", "HaloPlan", "alone", "from_environment", "from_mpi4py"]

_Operation = Literal["sum", "min", "max"]

def alone() -> Comm:
    """One rank, which is all there are: a program for many runs so without MPI."""

def from_environment() -> Comm:
    """The ranks that ``torchrun`` has started, or any launcher where ``FERROCCA_COMM_ADDRESS`` says where rank 0 listens
    (``host:port``); they are connected by TCP, without MPI. One rank where there is no launcher. All ranks call it.

    Use it in a ``with`` block: its end waits for all ranks, and an exception on one of them ends the others' waiting.
    """

def from_mpi4py(comm: Any) -> Comm:
    """The ranks of a communicator of mpi4py, ``MPI.COMM_WORLD`` say, which is duplicated. All of its ranks call it.

    In the ``with`` block of the result an exception on one rank ends all of them (``MPI_Abort``), after its traceback was
    printed; without a block the others wait for as long as `limit` says.
    """

@final
class Comm:
    """The ranks of a program. In a ``with`` block an exception ends all of them, and its end waits for all."""

    def __new__(cls, transport: Any = None) -> Comm: ...
    @property
    def rank(self) -> int:
        """This rank, counted from 0."""
    @property
    def size(self) -> int: ...
    @property
    def local_rank(self) -> int:
        """This rank among those of its machine."""
    @property
    def limit(self) -> float:
        """Seconds that a rank waits for another before it fails."""
    @limit.setter
    def limit(self, seconds: float) -> None: ...
    def open_device(self, properties: Any = None, **more: Any) -> Device:
        """This rank's device; ``CPU`` where nothing is given.

        ``device_id=auto`` is the rank's number among those of its machine, and ranks with mode ``CPU`` share the cores.
        """
    def barrier(self) -> None: ...
    @overload
    def all_reduce(self, values: float, operation: _Operation = "sum") -> float: ...
    @overload
    def all_reduce(self, values: Sequence[float], operation: _Operation = "sum") -> list[float]: ...
    def grid(
        self,
        shape: Sequence[int],
        halo: int = 1,
        *,
        periodic: bool | Sequence[bool] | None = None,
        parts: Sequence[int] | None = None,
        corners: bool = True,
    ) -> Grid:
        """A grid of so many points along each axis, slowest axis first, which every rank has a part of.

        `halo` is the number of ghosts at either end of each axis, `parts` into how many each axis is cut. Without `corners` the
        ghosts at edges and corners are left out.
        """
    def __enter__(self) -> Self: ...
    def __exit__(
        self, class_: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None, /
    ) -> bool: ...

@final
class Grid:
    """A grid of one to three axes, of which each rank has a box. Made by `Comm.grid`.

    Memory of a field has the shape `local_shape`, or one more along an axis on whose faces its values lie.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """Points along each axis, of all ranks together."""
    @property
    def parts(self) -> tuple[int, ...]: ...
    @property
    def halo(self) -> int: ...
    @property
    def extents(self) -> tuple[int, ...]:
        """Points of this rank along each axis."""
    @property
    def local_shape(self) -> tuple[int, ...]:
        """The same with ghosts: the shape of a field's memory."""
    @property
    def start(self) -> tuple[int, ...]:
        """Global index of this rank's first point along each axis."""
    def global_index(self, axis: int, local: int) -> int: ...
    def owns(self, *index: int) -> int | None:
        """Where in this rank's memory, as a row, the point with these global indices is."""
    def exchange(self, *fields: Memory) -> None:
        """Brings the neighbours' values into the ghosts. In the block of a graph it is recorded. All ranks call it."""
    def plan(self, *fields: Memory) -> HaloPlan: ...
    def reduce(self, field: Memory, operation: _Operation = "sum") -> float:
        """Of a field's points, of all ranks; the same bits for any number of them. All ranks call it."""
    def gather(self, field: Memory) -> NDArray[Any] | None:
        """The values of all points, without ghosts, as a NumPy array on rank 0. All ranks call it."""
    def scatter(self, values: ArrayLike | None, field: Memory) -> None:
        """Gives each rank its points of an array that rank 0 has. Ghosts stay as they are. All ranks call it."""
    def coordinates(self, axis: int, spacing: float = 1.0, origin: float = 0.0) -> NDArray[np.float64]:
        """Where this rank's points lie along an axis, ghosts included, if global point 0 lies at `origin`."""

@final
class HaloPlan:
    """How the ghosts of some fields are exchanged; ``str`` of it tells. Made by `Grid.plan`."""

    @property
    def bytes_sent(self) -> int: ...
    @property
    def messages_sent(self) -> int: ...
    @property
    def is_via_host(self) -> bool: ...

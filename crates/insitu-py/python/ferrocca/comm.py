"""Programs on several devices and machines: ranks of mpi4py, grids that are cut into a part each, the exchange of ghosts.

::

    from mpi4py import MPI
    import ferrocca as fc

    with fc.comm.from_mpi4py(MPI.COMM_WORLD) as comm:
        device = comm.open_device("CPU")
        grid = comm.grid((1000, 1000), halo=1, periodic=True)
        u, v = device.malloc(grid.local_shape), device.malloc(grid.local_shape)
        ...
        grid.exchange(u)
        whole = grid.gather(u)  # a NumPy array on rank 0

``mpirun -n 4 python program.py`` runs it on four ranks, ``python program.py`` on one. Results have the same bits on any number of
ranks, wherever the operations of the kernels have. Without MPI, ``fc.comm.from_environment()`` takes the ranks of ``torchrun``.
"""

import time

from ._array import dtypes
from ._errors import Error, WrongTypeError, WrongValueError
from ._native import Comm, Grid, HaloPlan

__all__ = ["Comm", "Grid", "HaloPlan", "alone", "from_environment", "from_mpi4py"]


def alone():
    """One rank, which is all there are: a program for many runs so without MPI."""
    return Comm()


def from_environment():
    """The ranks that ``torchrun`` has started, or any launcher where ``FERROCCA_COMM_ADDRESS`` says where rank 0 listens
    (``host:port``); they are connected by TCP, without MPI. One rank where there is no launcher. All ranks call it.

    Use it in a ``with`` block: its end waits for all ranks, and an exception on one of them ends the others' waiting."""
    return Comm._from_environment()


def from_mpi4py(comm):
    """The ranks of a communicator of mpi4py, ``MPI.COMM_WORLD`` say, which is duplicated. All of its ranks call it.

    In the ``with`` block of the result an exception on one rank ends all of them (``MPI_Abort``), after its traceback was printed;
    without a block the others wait for as long as `limit` says."""
    return Comm(_Mpi4py(comm))


class _Mpi4py:
    """What the extension sends by: messages of bytes, in pieces, because MPI counts in 31 bits."""

    PIECE = 1 << 30

    def __init__(self, comm):
        try:
            from mpi4py import MPI
        except ImportError as error:
            raise Error(f"a communicator of mpi4py needs mpi4py: {error}") from error
        if not isinstance(comm, MPI.Comm):
            raise WrongTypeError(f"a communicator of mpi4py is expected, such as `MPI.COMM_WORLD`, not {type(comm).__name__}")
        if comm == MPI.COMM_NULL:
            raise WrongValueError("this communicator is `MPI.COMM_NULL`: it was freed, or this process is none of its ranks")
        if comm.Is_inter():
            raise WrongValueError("this communicator is between two groups: `Merge()` makes one group of them")
        if MPI.Query_thread() < MPI.THREAD_SERIALIZED:
            raise Error("this MPI takes calls from one thread alone; `mpi4py.rc.thread_level` must be 'serialized' or 'multiple'")
        self._mpi, self._comm = MPI, comm.Dup()
        self.rank, self.size = comm.Get_rank(), comm.Get_size()

    def _pieces(self, view):
        # A message of no bytes is one piece.
        return [view[at : at + self.PIECE] for at in range(0, max(1, len(view)), self.PIECE)]

    def send(self, to, tag, view):
        return [(self._comm.Isend([piece, self._mpi.BYTE], to, tag), None) for piece in self._pieces(view)]

    def receive(self, sender, tag, view):
        return [(self._comm.Irecv([piece, self._mpi.BYTE], sender, tag), len(piece)) for piece in self._pieces(view)]

    def test(self, message):
        while message:
            request, expected = message[0]
            status = self._mpi.Status()
            if not request.Test(status):
                return False
            del message[0]
            if expected is not None and (sent := status.Get_count(self._mpi.BYTE)) != expected:
                raise Error(f"{sent} bytes were sent where {expected} were expected")
        return True

    def finish(self):
        # Waits here and not in MPI_Finalize, in which a rank cannot be ended safely by another's MPI_Abort (Open MPI 4.1).
        request = self._comm.Ibarrier()
        while not request.Test():
            time.sleep(0.001)

    def abort(self):
        self._mpi.COMM_WORLD.Abort(1)


def _gather(self, field):
    """The values of all points of a field, without ghosts, as a NumPy array on rank 0; ``None`` on the others. All ranks call it."""
    import numpy

    found = self._gather(field)
    if found is None:
        return None
    values, shape = found
    return numpy.frombuffer(values, _host_type(field)).reshape(shape)


def _scatter(self, values, field):
    """Gives each rank its points of an array that rank 0 has; what the others give is left out. Ghosts stay as they are. All ranks
    call it."""
    import numpy

    if values is not None:
        values = numpy.ascontiguousarray(values, _host_type(field)).reshape(-1).view(numpy.uint8)
    self._scatter(values, field)


def _host_type(field):
    dtypes.refuse_unknown_to_numpy(field.dtype)
    return str(field.dtype)


def _coordinates(self, axis, spacing=1.0, origin=0.0):
    """Where this rank's points lie along an axis, ghosts included, if global point 0 lies at `origin`: a NumPy array."""
    import numpy

    first = self.global_index(axis, 0)
    return origin + spacing * numpy.arange(first, first + self.local_shape[axis])


Grid.gather, Grid.scatter, Grid.coordinates = _gather, _scatter, _coordinates
for _method, _name in ((_gather, "gather"), (_scatter, "scatter"), (_coordinates, "coordinates")):
    _method.__name__, _method.__qualname__ = _name, f"Grid.{_name}"

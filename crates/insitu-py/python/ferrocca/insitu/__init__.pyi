"""What to do with a running solver: hooks for ``solver.run(hook)`` and for in-situ scripts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from types import ModuleType
from typing import IO, Any, Final, Literal, final, overload

from numpy import complex128, dtype, float64, ndarray

from .. import Batch, Field, Frame, Run, Stop

__all__ = [
    "DMD",
    "HDF5",
    "POD",
    "VTK",
    "DeviceArray",
    "Live",
    "NetCDF",
    "Pictures",
    "Pull",
    "StreamingSVD",
    "Zarr",
    "beside",
    "compose",
    "interior",
    "legacy",
    "logged",
    "namespace",
    "on",
    "randomized_svd",
    "replayed",
    "to_numpy",
    "values",
    "write_atomically",
]

#: A function of frames, or an object with any of `start(run)`, `step(frame)` or `observe(batch)`, and `finish(run)`.
_Hook = Callable[[Frame], Stop | None] | object
#: An array of whichever library shows the field: NumPy's, CuPy's.
_AnyArray = Any
_Path = str | PathLike[str]

# Arrays.

def values(field: Field) -> _AnyArray:
    """The field's elements: its own memory where an array library shows it, else a copy on the host."""

def namespace(array: _AnyArray) -> ModuleType | Any:
    """The array-API namespace of `array`; for libraries without one the module that made it."""

def to_numpy(array: _AnyArray) -> ndarray[Any, Any]:
    """`array` as a NumPy array: a copy where it is not the host's."""

def interior(rows: _AnyArray, points: int | None) -> _AnyArray:
    """The last axis of `rows` without the ghost points on both sides: `points` are left; all where it is None."""

def write_atomically(path: _Path, write: Callable[[IO[bytes]], object]) -> None:
    """Calls `write(file)` on a temporary file beside `path`, which then takes its place."""

# Decompositions.

class StreamingSVD:
    """The singular values and right singular vectors of rows that come one after the other, in bounded memory."""

    rank: int
    forgetting: float
    tolerance: float
    block: int
    count: int
    """Rows that came."""
    def __init__(
        self,
        rank: int = 32,
        *,
        forgetting: float = 1.0,
        tolerance: float = 1e-14,
        block: int | None = None,
        coefficients: bool = True,
    ) -> None: ...
    def update(self, rows: _AnyArray) -> None:
        """Takes a row, of shape (points,), or several, (count, points); their memory may change afterwards."""
    @property
    def values(self) -> _AnyArray:
        """The singular values, the largest first: shape (r,)."""
    @property
    def modes(self) -> _AnyArray:
        """The right singular vectors, as rows: shape (r, points)."""
    @property
    def coefficients(self) -> _AnyArray:
        """For each row that came its coefficients in `modes`: shape (count, r). ValueError where they were not kept."""

def randomized_svd(
    matrix: _AnyArray, rank: int, *, oversampling: int = 10, iterations: int = 2, seed: int = 0
) -> tuple[_AnyArray, _AnyArray, _AnyArray]:
    """The `rank` largest singular values of a matrix of snapshots (rows): left vectors, values, right vectors as rows."""

class _Observer:
    field: str | None
    def start(self, run: Run) -> None: ...
    def observe(self, batch: Batch) -> None: ...
    def take(self, steps: Sequence[int], times: Sequence[float], rows: _AnyArray) -> None: ...
    def finish(self, run: Run) -> None: ...

class POD(_Observer):
    """Proper orthogonal decomposition while the solver runs: ``solver.run(POD(rank=20))``."""

    svd: StreamingSVD
    steps: list[int]
    times: list[float]
    def __init__(
        self,
        rank: int = 32,
        *,
        field: str | None = None,
        write: _Path | None = "pod.npz",
        forgetting: float = ...,
        tolerance: float = ...,
        block: int | None = ...,
        coefficients: bool = ...,
    ) -> None:
        """`write` names the file in the run's output directory, None none; the rest is :class:`StreamingSVD`'s."""
    @property
    def values(self) -> _AnyArray:
        """The singular values, the largest first: shape (r,)."""
    @property
    def modes(self) -> _AnyArray:
        """The modes, as rows: shape (r, points)."""
    @property
    def coefficients(self) -> _AnyArray:
        """Of each moment in the modes: shape (moments, r)."""

class DMD(POD):
    """Dynamic mode decomposition of the same stream: x(t) = sum of b exp(omega t) phi."""

    dmd_rank: int
    def __init__(
        self,
        rank: int = 10,
        *,
        pod_rank: int | None = None,
        field: str | None = None,
        write: _Path | None = "dmd.npz",
        tolerance: float = ...,
        block: int | None = ...,
    ) -> None: ...
    def fit(
        self,
    ) -> tuple[
        ndarray[tuple[int, ...], dtype[complex128]],
        ndarray[tuple[int, ...], dtype[complex128]],
        ndarray[tuple[int, ...], dtype[complex128]],
    ]:
        """`(omega, modes, amplitudes)` of shapes (r,), (r, points), (r,); omega is per unit of time.

        ValueError for fewer than three moments, or moments that are not equally far apart.
        """
    def predict(self, times: Sequence[float] | ndarray[Any, Any]) -> ndarray[tuple[int, ...], dtype[float64]]:
        """The rows at `times`, by the fitted modes: shape (times, points). Beyond the last moment it extrapolates."""

# When, and how many.

@final
class _Scheduled:
    observes: bool
    def start(self, run: Run) -> None: ...
    def finish(self, run: Run) -> None: ...
    def interrupt(self) -> None: ...

@final
class _Composed:
    observes: bool
    def start(self, run: Run) -> None: ...
    def finish(self, run: Run) -> None: ...
    def interrupt(self) -> None: ...

@final
class _Beside:
    observes: bool
    skipped: int
    """Moments that found the ring full."""
    failed: int
    """Calls that raised."""
    grown: int
    """Slots that were added."""
    def start(self, run: Run) -> None: ...
    def finish(self, run: Run) -> None: ...

def on(
    hook: _Hook,
    *,
    step: int | None = None,
    time: float | None = None,
    times: Iterable[float] | None = None,
    trigger: str | Callable[[Any], bool] | None = None,
    first: bool = False,
) -> _Scheduled:
    """`hook`, for some moments only: those for which any of these holds.

    - `step`: every so many steps, those whose number is a multiple of it;
    - `time`: the first moment at or after each multiple of this time;
    - `times`: the first moment at or after each of these;
    - `trigger`: an expression over reductions of fields that is true, ``"max(abs(u)) > 1.2"``, or a function of a batch of
      one; with `first` only when it becomes true.

    ValueError where none is given.
    """

def compose(*hooks: _Hook) -> _Composed:
    """Several hooks as one, called in their order; one `STOP` stops the run."""

def beside(
    hook: _Hook,
    *,
    slots: int = 4,
    policy: Literal["wait", "skip", "grow"] = "wait",
    share: float = 1.0,
    time_limit: float | None = None,
    on_error: Literal["stop", "log"] = "stop",
) -> _Beside:
    """`hook` in a thread, on moments in a ring of `slots`, while the solver goes on. They are the solver's own memory, which it then
    does without, where none of the run's hooks writes and the moments come one by one; else copies.

    `policy` says what happens when the ring is full. With ``skip`` the analysis works at most `share` of the time, from 0 to 1.
    `time_limit` in seconds.
    """

# Repeated runs.

@final
class _Logged:
    acts: list[dict[str, Any]]
    """What was done: dictionaries with ``step``, ``time`` and ``kind``."""
    arrays: list[tuple[ndarray[Any, Any], ndarray[Any, Any]]]
    def start(self, run: Run) -> None: ...
    def step(self, frame: Frame) -> Stop | None: ...
    def finish(self, run: Run) -> None: ...
    def save(self, path: _Path) -> None:
        """Writes the log to an ``.npz`` file."""

@final
class _Replayed:
    def step(self, frame: Frame) -> Stop | None: ...

def logged(hook: _Hook, path: _Path | None = None) -> _Logged:
    """`hook`, with a log of what it does to the run; written to `path` at the end where that is given."""

def replayed(log: _Logged | _Path) -> _Replayed:
    """A hook that does what a log says, at the same steps: the same solver then has the same bits."""

# Files and pictures.

class _Writer:
    frames: int
    """Frames that were written."""
    def start(self, run: Run) -> None: ...
    def observe(self, batch: Batch) -> None: ...
    def finish(self, run: Run) -> None: ...

class HDF5(_Writer):
    """Chunked, compressed and extendable datasets, which others read while the run goes on. Needs h5py."""

    def __init__(
        self,
        path: _Path,
        *,
        compression: str | None = "gzip",
        fields: Sequence[str] | None = ...,
        ghosts: bool = ...,
        resume: bool = ...,
    ) -> None: ...

class NetCDF(_Writer):
    """NetCDF-4 with the CF conventions' attributes; `units` by the names of variables. Needs netCDF4."""

    def __init__(
        self,
        path: _Path,
        *,
        compression: str | None = "zlib",
        units: Mapping[str, str] | None = None,
        fields: Sequence[str] | None = ...,
        ghosts: bool = ...,
        resume: bool = ...,
    ) -> None: ...

class Zarr(_Writer):
    """A Zarr group: an array for each field. Needs zarr, version 3."""

    def __init__(
        self, path: _Path, *, fields: Sequence[str] | None = None, ghosts: bool = False, resume: bool = False
    ) -> None: ...

class VTK(_Writer):
    """Image data for ParaView and VisIt: a ``.vti`` file for each frame beside ``path``, a ``.pvd`` file that lists them."""

    def __init__(
        self, path: _Path, *, fields: Sequence[str] | None = ..., ghosts: bool = ..., resume: bool = ...
    ) -> None: ...

class Pictures(_Observer):
    """Draws a field of one axis at the end of the run: space and time, energy spectrum, animation. Needs Matplotlib."""

    KINDS: Final = ("space_time", "spectrum", "animation")
    rows: list[ndarray[Any, Any]]
    times: list[float]
    def __init__(
        self,
        *,
        field: str | None = None,
        draw: Sequence[Literal["space_time", "spectrum", "animation"]] = ("space_time", "spectrum", "animation"),
        most: int = 400,
        frames_per_second: float = 25,
        mp4: bool | None = None,
    ) -> None: ...

# The page and the network.

class Live:
    """A hook that serves one page on this machine, which shows the run and steers it."""

    url: str | None
    """The page's address with its token, from `start` on."""
    token: str | None
    def __init__(
        self,
        port: int = 0,
        *,
        field: str | None = None,
        rate: float = 30.0,
        rank: int = 6,
        announce: Callable[[str], object] | None = ...,
    ) -> None:
        """`port` 0 takes any free one; at most `rate` frames a second; `announce` gets the address when the run starts."""
    def start(self, run: Run) -> None: ...
    def step(self, frame: Frame) -> Stop | None: ...
    def interrupt(self) -> None: ...
    def finish(self, run: Run) -> None: ...

class Pull:
    """Fetches a value by HTTP again and again, in a thread; ``pull.value`` is the last one that came."""

    value: Any
    received: int
    failures: int
    error: Exception | None
    def __init__(
        self,
        url: str,
        apply: Callable[[Frame, Any], Stop | None] | None = None,
        *,
        interval: float = 1.0,
        timeout: float = 5.0,
        retries: int = 3,
        pause: float = 0.2,
        initial: Any = None,
        decode: Callable[[bytes], Any] = ...,
        wait: float | None = None,
    ) -> None:
        """`interval`, `timeout`, `pause` and `wait` are seconds."""
    @property
    def age(self) -> float | None:
        """Seconds since the last value came; None before the first one."""
    def start(self, run: Run | None = None) -> None: ...
    def step(self, frame: Frame) -> Stop | None: ...
    def finish(self, run: Run | None = None) -> None: ...

# Modules of the old kind.

class DeviceArray:
    """A field on CUDA as a module of OCCA's mini-application knows it: its data address is the device's."""

    dtype: dtype[Any]
    shape: tuple[int, ...]
    size: int
    strides: tuple[int, ...]
    def __init__(self, field: Field, row: int | None = None) -> None: ...
    @property
    def ndim(self) -> int: ...
    @property
    def itemsize(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    @property
    def __array_struct__(self) -> Any: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __dlpack__(self, **asked: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...

@final
class _Legacy:
    def step(self, frame: Frame) -> None: ...
    def finish(self, run: Run) -> None: ...

@final
class _LegacyObserver:
    def observe(self, batch: Batch) -> None: ...
    def finish(self, run: Run) -> None: ...

@overload
def legacy(
    module: ModuleType | Any,
    collect: str = "collection_func",
    finish: str | Sequence[str] = ("analyses_plotField", "analyses_SVD"),
    *,
    field: str | None = None,
    observe: Literal[True],
) -> _LegacyObserver: ...
@overload
def legacy(
    module: ModuleType | Any,
    collect: str = "collection_func",
    finish: str | Sequence[str] = ("analyses_plotField", "analyses_SVD"),
    *,
    field: str | None = None,
    observe: Literal[False] = False,
) -> _Legacy:
    """A hook that runs a module written for OCCA's Burgers mini-application, unchanged.

    `observe` says that `collect` only reads: it gets an array for each step, in their order, but later and many in a row.

    AttributeError for a function that the module does not have.
    """

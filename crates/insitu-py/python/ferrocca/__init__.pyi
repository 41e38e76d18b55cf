from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Final, SupportsFloat, SupportsIndex, final

# What the package needs of NumPy is its arrays' type; NumPy itself is not required.
from numpy import ndarray

__version__: Final[str]
__all__: list[str]

_Props = str | Mapping[str, Any] | None
_Shape = int | Sequence[int]

@final
class Stop:
    """The type of :data:`STOP`."""

STOP: Final[Stop]
"""What `step` returns to end the run."""

class Error(Exception):
    """A failure of Ferrocca; the text says what and why."""

class Array:
    """A shaped range of memory, on the host or on a device, that array libraries see in place."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one index to the next along each axis."""
    @property
    def dtype(self) -> str:
        """Name of the element type, such as ``float64``."""
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int:
        """Number of elements."""
    @property
    def itemsize(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def readonly(self) -> bool: ...
    @property
    def ptr(self) -> int:
        """Address of the first element, or the native handle where the device has no addresses."""
    @property
    def device(self) -> str:
        """``cpu``, ``cuda:0`` ..."""
    def array(self) -> Any:
        """An array of the device's natural library (NumPy on the host, CuPy on CUDA) that shows this memory.

        Nothing is copied, and the next call gives the same array.
        """
    def to_host(self) -> ndarray[Any, Any]:
        """The elements as a NumPy array of their own: a copy."""
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...

@final
class Field(Array):
    """A field of a frame: memory of the running solver, in place."""

    @property
    def name(self) -> str: ...

@final
class Frame:
    """One moment of a run. ``frame.u`` is ``frame.fields["u"]``."""

    @property
    def step(self) -> int:
        """Number of steps done."""
    @property
    def time(self) -> float:
        """Time reached, in the solver's unit."""
    @property
    def fields(self) -> Mapping[str, Field]: ...
    def __getattr__(self, name: str) -> Field: ...

@final
class Run:
    """A run of a solver. ``run.points`` is ``run.parameters["points"]``."""

    @property
    def name(self) -> str: ...
    @property
    def output_dir(self) -> str:
        """Directory for results."""
    @property
    def mode(self) -> str: ...
    @property
    def device(self) -> str: ...
    @property
    def parameters(self) -> Mapping[str, int | float | str]: ...
    def __getattr__(self, name: str) -> int | float | str: ...

@final
class Memory(Array):
    """Memory of a device."""

    def copy_from(self, source: Any) -> None:
        """Copies from an array on the host, or from memory, of the same type and size."""
    def copy_to(self, destination: Any) -> None:
        """Copies to a writable array on the host, or to memory, of the same type and size."""
    def fill(self, value: SupportsFloat | SupportsIndex) -> None: ...
    def share(self) -> Memory:
        """Another handle of the same memory."""
    def duplicate(self) -> Memory:
        """Memory of its own with the same data."""
    def reshape(self, *shape: _Shape) -> Memory: ...
    def __getitem__(self, key: slice, /) -> Memory:
        """Entries of the first axis; shares, and keeps the whole alive."""

@final
class Kernel:
    """A kernel of a device."""

    @property
    def name(self) -> str: ...
    @property
    def source(self) -> str:
        """The text that the target's compiler was given."""
    @property
    def parameters(self) -> list[tuple[str, str]]:
        """Name and OKL type of each."""
    def launch(self, *arguments: Any) -> None:
        """Numbers, memory, arrays that the device can use in place, and ``None`` for a null pointer."""
    __call__: Callable[..., None]

@final
class Device:
    """An open device: ``Device("mode=CPU, threads=2")``."""

    def __new__(cls, properties: str | Mapping[str, Any]) -> Device: ...
    @property
    def mode(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def info(self) -> dict[str, str | int]: ...
    @property
    def has_separate_memory_space(self) -> bool: ...
    @property
    def memory_allocated(self) -> int:
        """Bytes that were allocated and not freed; wrapped arrays do not count."""
    @property
    def max_memory_allocated(self) -> int: ...
    def malloc(self, shape: _Shape, dtype: Any = None) -> Memory:
        """Memory of unspecified contents; of ``float64`` where no type is given."""
    def malloc_from(self, source: Any) -> Memory:
        """Memory with a copy of an array on the host."""
    def wrap(self, array: Any) -> Memory:
        """Memory that is an array of another library: nothing is copied, and the array stays alive with it."""
    def build_kernel(self, path: str | PathLike[str], name: str, properties: _Props = None) -> Kernel: ...
    def build_kernel_from_string(self, source: str, name: str, properties: _Props = None) -> Kernel: ...
    def finish(self) -> None:
        """Waits for everything that was queued."""

def modes() -> list[dict[str, Any]]:
    """Each mode's ``name``, ``description``, names of ``devices``, and why it is ``unavailable`` (or None)."""

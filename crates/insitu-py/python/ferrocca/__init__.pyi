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

class OutOfMemoryError(Error, MemoryError):
    """The device, or the host, has no memory left."""

class WrongTypeError(Error, TypeError):
    """A value, an array or memory of a type that cannot be used here, or the wrong number of arguments."""

class WrongValueError(Error, ValueError):
    """A value that cannot be used here: a property, a shape, a size, memory of another device, read-only memory."""

class RangeError(Error, OverflowError):
    """A number that the element or the parameter cannot hold."""

class OutOfBoundsError(Error, IndexError):
    """An index or a range outside of memory; also when a kernel would use one."""

class AccessError(Error, BufferError):
    """Memory that cannot be shown or used in place in the way that was asked for."""

class BuildError(Error):
    """A kernel that does not build."""

class FileError(Error, OSError):
    """A file that cannot be read or written."""

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
    def int_ptr(self) -> int:
        """For memory of an OpenCL device: the ``cl_mem``, as ``pyopencl.MemoryObject.from_int_ptr`` takes it."""
    @property
    def offset(self) -> int:
        """Bytes from the start of what ``int_ptr`` names to the first element."""
    @property
    def queue_int_ptr(self) -> int:
        """The ``cl_command_queue`` of the work on this memory, for ``pyopencl.CommandQueue.from_int_ptr``."""
    @property
    def device(self) -> str:
        """``cpu``, ``cuda:0`` ..."""
    @property
    def in_place(self) -> bool:
        """Whether ``array()`` shows this memory in place; where it does not, ``to_host()`` is the copy to ask for.

        It does not for memory that no array library knows, which is OpenCL's and WebGPU's own, and for read-only memory
        on CUDA.
        """
    def array(self) -> Any:
        """An array of the device's natural library (NumPy on the host, CuPy on CUDA) that shows this memory.

        Nothing is copied, and the next call gives the same array. On the host it shows the memory as it is when this
        returns, and until the next work on it is queued: what that writes is there after the next wait, which is
        ``finish()`` or ``array()`` again. On CUDA, what CuPy queues on its current stream from now on comes after the work
        that writes the memory. Refused where ``in_place`` is false.
        """
    def frozen(self) -> Array:
        """The same memory for libraries whose arrays are immutable: ``jax.dlpack.from_dlpack(field.frozen())``.

        Arrays over a field are let go before ``step`` returns; other frozen memory is not written while they live.
        """
    def to_host(self) -> ndarray[Any, Any]:
        """The elements as a NumPy array of their own: a copy."""
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> ndarray[Any, Any]: ...
    def __jax_array__(self) -> Any: ...
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
    """A field of a frame or a batch: memory of the running solver, in place."""

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
    def uses_stream(self, stream: Any) -> None:
        """Says that this step queues work on a stream that nobody else has told: an object of CuPy, PyTorch, Numba or
        cuda.core, or a native handle.

        What is queued there from now on comes after the solver's step, and the solver's next step after what is queued
        there when the hook returns.
        """
    def __getattr__(self, name: str) -> Field: ...

@final
class Batch:
    """Many moments of a run, in their order: what `observe` gets. ``batch.u`` is ``batch.fields["u"]``.

    The first axis of every field counts the moments. The solver overwrites the fields after `observe` returns.
    """

    @property
    def steps(self) -> tuple[int, ...]:
        """Number of steps done, for each moment."""
    @property
    def times(self) -> tuple[float, ...]:
        """Time reached, in the solver's unit, for each moment."""
    @property
    def fields(self) -> Mapping[str, Field]: ...
    def uses_stream(self, stream: Any) -> None:
        """As :meth:`Frame.uses_stream`: the solver overwrites the batch after what is queued on the stream."""
    def __len__(self) -> int:
        """Number of moments."""
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

    def copy_from(self, source: Any, *, via_host: bool = False) -> None:
        """Copies from an array on the host or on the memory's device, or from memory, of the same type and size.

        Between devices that do not reach each other's memory, `via_host=True` copies through the host."""
    def copy_to(self, destination: Any, *, via_host: bool = False) -> None:
        """Copies to a writable array on the host or on the memory's device, or to memory, of the same type and size.

        `via_host` as with `copy_from`."""
    def fill(self, value: SupportsFloat | SupportsIndex) -> None: ...
    def share(self) -> Memory:
        """Another handle of the same memory."""
    def duplicate(self) -> Memory:
        """Memory of its own with the same data."""
    def reshape(self, *shape: _Shape) -> Memory: ...
    def __getitem__(self, key: slice, /) -> Memory:
        """Entries of the first axis; shares, and keeps the whole alive."""

@final
class MemoryPool:
    """Many small memories out of few allocations. Memory and arrays over it keep their place when the pool is gone."""

    def reserve(self, shape: _Shape, dtype: Any = None) -> Memory:
        """Memory of unspecified contents; of ``float64`` where no type is given."""
    @property
    def stats(self) -> dict[str, int]:
        """``chunks``, ``bytes``, ``reserved_bytes``, ``reservations``."""

@final
class Stream:
    """An ordered queue of a device's work."""

    @property
    def ptr(self) -> int:
        """The native handle, 0 where there is none."""
    def wait(self, other: Any) -> None:
        """Later work here comes after what is queued on ``other``, a ``Stream`` or one of another library."""
    def finish(self) -> None:
        """Waits on the host for everything queued here. Ctrl-C ends the wait, and what was queued runs on."""
    def __cuda_stream__(self) -> tuple[int, int]: ...

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
        """Numbers, memory, arrays that the device can use in place, and ``None`` for a null pointer.

        With an array on the host the kernel has run when this returns; without one it is queued.
        """
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
    def malloc(self, shape: _Shape, dtype: Any = None, *, host: bool = False) -> Memory:
        """Memory of unspecified contents; of ``float64`` where no type is given.

        With ``host`` it is pinned memory of the host, which NumPy sees in place.
        """
    def malloc_from(self, source: Any) -> Memory:
        """Memory with a copy of an array on the host or on this device."""
    def wrap(self, array: Any) -> Memory:
        """Memory that is an array of another library: nothing is copied, and the array stays alive with it.

        What this device queues comes after what that library has queued on its current stream.
        """
    def create_memory_pool(self) -> MemoryPool: ...
    def memory_info(self) -> tuple[int, int]:
        """Free and total memory of the device in bytes, whoever uses it."""
    @property
    def stream(self) -> Stream:
        """The calling thread's current stream: the one last given to ``set_stream``, else the default."""
    def create_stream(self, properties: _Props = None) -> Stream: ...
    def wrap_stream(self, stream: Any) -> Stream:
        """A stream of CuPy, PyTorch, Numba or cuda.core, or a native handle, in place."""
    def set_stream(self, stream: Stream) -> None:
        """Makes it the one that copies and launches of the calling thread use."""
    def build_kernel(self, path: str | PathLike[str], name: str, properties: _Props = None) -> Kernel: ...
    def build_kernel_from_string(self, source: str, name: str, properties: _Props = None) -> Kernel: ...
    def finish(self) -> None:
        """Waits for everything that was queued. Ctrl-C ends the wait, and what was queued runs on."""

def modes() -> list[dict[str, Any]]:
    """Each mode's ``name``, ``description``, names of ``devices``, and why it is ``unavailable`` (or None)."""

import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from types import TracebackType
from typing import Any, Final, SupportsComplex, SupportsFloat, SupportsIndex, final

# What the package needs of NumPy is its arrays' type; NumPy itself is not required.
from numpy import ndarray

from . import comm as comm, random as random
from ._array import *

__version__: Final[str]
__all__: list[str]

_Props = str | Mapping[str, Any] | None
_Shape = int | Sequence[int]
_Axis = int | Sequence[int] | None

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

class DivisionError(Error, ZeroDivisionError):
    """A kernel divides integers that have no quotient: by zero, or the least integer by -1."""

class AccessError(Error, BufferError):
    """Memory that cannot be shown or used in place in the way that was asked for."""

class BuildError(Error):
    """A kernel that does not build."""

class FaultError(Error, RuntimeError):
    """A device opened with `checked` found what a kernel did wrong: a race, memory that is read before it was written."""

class FileError(Error, OSError):
    """A file that cannot be read or written."""

class KernelWarning(UserWarning):
    """The compiler built a kernel and has a doubt about it; the text is the one that the command `ferrocca` prints.

    Python's filters apply: ``warnings.simplefilter("error", ferrocca.KernelWarning)`` refuses such kernels. The kernel property
    `warnings` turns single ones off: ``{"warnings": "no-lost-update"}``.
    """

class DType(str):
    """The type of an element: text that is its name, such as ``float64``."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str:
        """``b`` bool, ``i`` signed, ``u`` unsigned, ``f`` float, ``c`` complex: NumPy's letters."""
    @property
    def itemsize(self) -> int:
        """Size of an element in bytes."""

class Array:
    """A shaped range of memory, on the host or on a device, that array libraries see in place."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one index to the next along each axis."""
    @property
    def dtype(self) -> DType:
        """The element type: text, such as ``float64``."""
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
    def readonly(self) -> builtins.bool: ...
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
    def in_place(self) -> builtins.bool:
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
    def on_host(self) -> AbstractContextManager[ndarray[Any, Any]]:
        """``with array.on_host() as a:`` gives a NumPy array of the elements on any device.

        It is their own memory where the host addresses it, else a copy, which is written back at the end of the block when
        it was changed, unless the block raises. Of read-only memory it is read-only.
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
    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> ndarray[Any, Any]: ...
    def __jax_array__(self) -> Any: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: builtins.bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...

@final
class Field(Array):
    """A field of a frame or a batch: memory of the running solver, in place."""

    @property
    def name(self) -> str: ...
    def keep(self) -> Array | None:
        """The field as it is now, without a copy: an array to be read, which the solver leaves as it is for as long as the array,
        or one of a library over it, lives.

        None where the solver has no other memory to go on in, for a hook that may write its fields, and after the hook's function
        has returned.
        """
    def copy_from(self, source: Any) -> None:
        """Copies from an array of the same type and shape, on the host or on the field's device."""
    def fill(self, value: SupportsComplex | SupportsFloat | SupportsIndex) -> None:
        """Sets every element."""
    def __setitem__(self, index: Any, value: Any, /) -> None:
        """As NumPy has it, on every device: in place where an array library shows the field, else by a copy on the host."""

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
    @property
    def parameters(self) -> Mapping[str, int | float | str]:
        """The run's parameters as they are now; ``run.parameters`` is the same mapping."""
    def set(self, **parameters: SupportsFloat) -> None:
        """Changes parameters of the solver from the next step on: ``frame.set(nu=0.02)``.

        The solver says which it lets be changed, and to which values. With an error none is changed: ``WrongValueError`` for
        another name, ``RangeError`` for a value out of its range, ``Error`` once `step` has returned.
        """
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

_Value = Memory | complex

@final
class Memory(Array):
    """Memory of a device: an array, with NumPy's operators and indices. Operators and functions run on its device, in the order
    of its stream; what would have to be copied there is refused."""

    def copy_from(self, source: Any, *, via_host: builtins.bool = False) -> None:
        """Copies from an array on the host or on the memory's device, or from memory, of the same type and size.

        Between devices that do not reach each other's memory, `via_host=True` copies through the host."""
    def copy_to(self, destination: Any, *, via_host: builtins.bool = False) -> None:
        """Copies to a writable array on the host or on the memory's device, or to memory, of the same type and size.

        `via_host` as with `copy_from`."""
    def fill(self, value: SupportsComplex | SupportsFloat | SupportsIndex) -> None: ...
    def share(self) -> Memory:
        """Another handle of the same memory."""
    def duplicate(self) -> Memory:
        """Memory of its own with the same data."""
    def get(self) -> ndarray[Any, Any]:
        """The elements as a NumPy array of their own: a copy, as `to_host`."""
    def to_numpy(self) -> ndarray[Any, Any]:
        """As :meth:`get`."""
    def copy_to_host(self) -> ndarray[Any, Any]:
        """As :meth:`get`."""
    def item(self) -> builtins.bool | int | float | complex:
        """The only element, as a number of Python's: the host waits for it."""
    def tolist(self) -> Any:
        """The elements as lists of numbers of Python's."""
    def to_device(self, device: Device | str, /, *, stream: None = None) -> Memory:
        """The memory on a device: itself where that is its own, else a copy."""
    def copy(self) -> Memory:
        """A copy in a row, on the same device."""
    def astype(self, dtype: Any, *, copy: builtins.bool = True) -> Memory:
        """The values as another type. Floats become integers as in C."""
    def reshape(self, *shape: _Shape, copy: builtins.bool | None = None) -> Memory:
        """The same elements in another shape, of which one extent may be -1: a view where the strides allow it."""
    def transpose(self, *axes: _Shape) -> Memory:
        """The axes in reverse order, or in that of `axes`: a view."""
    @property
    def real(self) -> Memory:
        """The real parts of complex numbers, in place: a view."""
    @real.setter
    def real(self, value: Any) -> None: ...
    @property
    def imag(self) -> Memory:
        """The imaginary parts of complex numbers, in place: a view."""
    @imag.setter
    def imag(self, value: Any) -> None: ...
    def conj(self) -> Memory:
        """The complex conjugate of each element."""
    def conjugate(self) -> Memory:
        """As :meth:`conj`."""
    @property
    def T(self) -> Memory:
        """The axes in reverse order: a view."""
    @property
    def mT(self) -> Memory:
        """The last two axes exchanged: a view."""
    def swapaxes(self, axis1: int, axis2: int) -> Memory: ...
    def squeeze(self, axis: _Shape | None = None) -> Memory: ...
    def ravel(self) -> Memory:
        """All elements as one row: a view where the strides allow it."""
    def flatten(self) -> Memory:
        """A copy of all elements as one row."""
    def repeat(self, repeats: int | Memory, *, axis: int | None = None) -> Memory: ...
    def sum(self, axis: _Axis = None, *, dtype: Any = None, keepdims: builtins.bool = False, out: Memory | None = None) -> Memory: ...
    def prod(self, axis: _Axis = None, *, dtype: Any = None, keepdims: builtins.bool = False, out: Memory | None = None) -> Memory: ...
    def min(self, axis: _Axis = None, *, keepdims: builtins.bool = False, out: Memory | None = None) -> Memory: ...
    def max(self, axis: _Axis = None, *, keepdims: builtins.bool = False, out: Memory | None = None) -> Memory: ...
    def any(self, axis: _Axis = None, *, keepdims: builtins.bool = False, out: Memory | None = None) -> Memory: ...
    def all(self, axis: _Axis = None, *, keepdims: builtins.bool = False, out: Memory | None = None) -> Memory: ...
    def mean(self, axis: _Axis = None, *, dtype: Any = None, keepdims: builtins.bool = False, out: Memory | None = None) -> Memory: ...
    def var(self, axis: _Axis = None, *, correction: float = 0, ddof: float | None = None, **more: Any) -> Memory: ...
    def std(self, axis: _Axis = None, *, correction: float = 0, ddof: float | None = None, **more: Any) -> Memory: ...
    def argmin(self, axis: int | None = None, *, keepdims: builtins.bool = False) -> Memory: ...
    def argmax(self, axis: int | None = None, *, keepdims: builtins.bool = False) -> Memory: ...
    def cumsum(self, axis: int | None = None, dtype: Any = None) -> Memory: ...
    def cumprod(self, axis: int | None = None, dtype: Any = None) -> Memory: ...
    def dot(self, other: Memory) -> Memory: ...
    def sort(self, axis: int = -1) -> None:
        """Sorts the elements along an axis, in place."""
    def argsort(self, *, axis: int = -1, descending: builtins.bool = False, stable: builtins.bool = True) -> Memory: ...
    def __getitem__(self, key: Any, /) -> Memory:
        """Integers, slices, ``...`` and None: another view of the memory, which it keeps alive. Masks, lists and memory of
        indices: a copy of those elements."""
    def __setitem__(self, key: Any, value: Any, /) -> None:
        """Assigns memory, an array on the host, or a number."""
    def __iter__(self) -> Iterator[Memory]: ...
    def __contains__(self, value: complex) -> builtins.bool: ...
    def __bool__(self) -> builtins.bool: ...
    def __int__(self) -> int: ...
    def __float__(self) -> float: ...
    def __complex__(self) -> complex: ...
    def __index__(self) -> int: ...
    def __add__(self, other: _Value, /) -> Memory: ...
    def __radd__(self, other: _Value, /) -> Memory: ...
    def __iadd__(self, other: _Value, /) -> Memory: ...
    def __sub__(self, other: _Value, /) -> Memory: ...
    def __rsub__(self, other: _Value, /) -> Memory: ...
    def __isub__(self, other: _Value, /) -> Memory: ...
    def __mul__(self, other: _Value, /) -> Memory: ...
    def __rmul__(self, other: _Value, /) -> Memory: ...
    def __imul__(self, other: _Value, /) -> Memory: ...
    def __truediv__(self, other: _Value, /) -> Memory: ...
    def __rtruediv__(self, other: _Value, /) -> Memory: ...
    def __itruediv__(self, other: _Value, /) -> Memory: ...
    def __floordiv__(self, other: _Value, /) -> Memory: ...
    def __rfloordiv__(self, other: _Value, /) -> Memory: ...
    def __ifloordiv__(self, other: _Value, /) -> Memory: ...
    def __mod__(self, other: _Value, /) -> Memory: ...
    def __rmod__(self, other: _Value, /) -> Memory: ...
    def __imod__(self, other: _Value, /) -> Memory: ...
    def __pow__(self, other: _Value, /) -> Memory: ...
    def __rpow__(self, other: _Value, /) -> Memory: ...
    def __ipow__(self, other: _Value, /) -> Memory: ...
    def __and__(self, other: _Value, /) -> Memory: ...
    def __rand__(self, other: _Value, /) -> Memory: ...
    def __iand__(self, other: _Value, /) -> Memory: ...
    def __or__(self, other: _Value, /) -> Memory: ...
    def __ror__(self, other: _Value, /) -> Memory: ...
    def __ior__(self, other: _Value, /) -> Memory: ...
    def __xor__(self, other: _Value, /) -> Memory: ...
    def __rxor__(self, other: _Value, /) -> Memory: ...
    def __ixor__(self, other: _Value, /) -> Memory: ...
    def __lshift__(self, other: _Value, /) -> Memory: ...
    def __rlshift__(self, other: _Value, /) -> Memory: ...
    def __ilshift__(self, other: _Value, /) -> Memory: ...
    def __rshift__(self, other: _Value, /) -> Memory: ...
    def __rrshift__(self, other: _Value, /) -> Memory: ...
    def __irshift__(self, other: _Value, /) -> Memory: ...
    def __matmul__(self, other: Memory, /) -> Memory: ...
    def __neg__(self) -> Memory: ...
    def __pos__(self) -> Memory: ...
    def __abs__(self) -> Memory: ...
    def __invert__(self) -> Memory: ...
    def __eq__(self, other: _Value, /) -> Memory: ...  # type: ignore[override]
    def __ne__(self, other: _Value, /) -> Memory: ...  # type: ignore[override]
    def __lt__(self, other: _Value, /) -> Memory: ...
    def __le__(self, other: _Value, /) -> Memory: ...
    def __gt__(self, other: _Value, /) -> Memory: ...
    def __ge__(self, other: _Value, /) -> Memory: ...
    __hash__: None  # type: ignore[assignment]
    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any: ...
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **keywords: Any) -> Any:
        """``numpy.sqrt(memory)`` stays on the device, or is refused."""
    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        """``numpy.concatenate([a, b])`` stays on the device, or is refused."""
    def __copy__(self) -> Memory: ...
    def __deepcopy__(self, memo: Any) -> Memory: ...

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
    def tuning(self) -> str | None:
        """With the property `tune`, a table of its builds and of the times of their launches, by the size of these; the build
        that launches take is marked. Else ``None``."""
    @property
    def parameters(self) -> list[tuple[str, str]]:
        """Name and OKL type of each."""
    def launch(self, *arguments: Any, **keywords: Any) -> None:
        """Numbers, memory, arrays that the device can use in place, and ``None`` for a null pointer.

        With an array on the host the kernel has run when this returns; without one it is queued. In the block of a graph it
        is recorded.

        Keywords are parameters by name; others are defines, with which the kernel is built once.
        """
    __call__: Callable[..., None]

@final
class Graph:
    """Launches, copies, fills and snapshots that are recorded once and replayed many times.

    ::

        with device.record() as g:
            step(n, c1, c2, u_prev, u)
            g.rotate(u, u_prev)
        u, u_prev = g.replay(2001)

    What it uses stays alive with it. A command that is refused makes the graph fail at the end of the block.
    """

    def __enter__(self) -> Graph: ...
    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None, /
    ) -> builtins.bool: ...
    def rotate(self, *buffers: Memory) -> None:
        """In the block: after each repetition these buffers swap roles, as ``rotate_left(1)`` does with a list.

        What the launches call the first one is then the second, and what they call the last is the first.
        """
    def snapshot(self, source: Memory, ring: Memory) -> None:
        """In the block: each repetition copies `source` to the next slot of `ring`; a slot is as long as `source`."""
    def replay(self, times: int = 1, *buffers: Memory, first_slot: int = 0) -> tuple[Any, ...] | None:
        """Queues the list `times` times.

        Where buffers rotate, it answers them in the roles that they have then, in the order of `rotate`; of several
        rotations a tuple of tuples. It goes on from the roles that the last replay has left, or those of `buffers`. The
        first repetition's snapshots go to the slot `first_slot`. Ctrl-C ends it between repetitions.
        """
    def set_argument(self, launch: int, argument: str | int, value: SupportsFloat | SupportsIndex) -> None:
        """Gives a number of a recorded launch another value. Launches count from 0, and so do positions of arguments."""
    def plan(self) -> str:
        """How it is replayed, and why so: ``12 steps a pass: …`` where one pass through memory does several repetitions."""
    @property
    def launches(self) -> int:
        """Number of recorded launches."""
    @property
    def slots(self) -> int | None:
        """Slots of the snapshots' rings, of several the least."""

@final
class Event:
    """A point in a stream."""

    @property
    def is_reached(self) -> builtins.bool: ...
    def wait(self) -> None:
        """Waits on the host until the stream has reached it. Ctrl-C ends the wait."""
    def __sub__(self, earlier: Event, /) -> float:
        """Seconds from `earlier` to this event; waits for both."""

class Profile:
    """Times of launches, per kernel. ``print`` shows a table, and so do notebooks."""

    def __enter__(self) -> Profile: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> builtins.bool: ...
    @property
    def kernels(self) -> list[dict[str, Any]]:
        """``name``, ``count``, ``total_seconds``, ``mean_seconds``, ``min_seconds``, ``max_seconds``, ``bytes``,
        ``gigabytes_per_second``; the kernel that took most time first."""

@final
class Device:
    """An open device: ``Device("mode=CPU, threads=2")``."""

    def __new__(cls, properties: str | Mapping[str, Any] | None = None, **more: Any) -> Device:
        """Without properties what the environment variable ``FERROCCA_DEVICE`` says, else mode ``CPU``; `more` are properties."""
    def __enter__(self) -> Device:
        """The default of the block on this thread: where arrays are made that name no device."""
    def __exit__(self, *exception: object) -> None: ...
    @property
    def mode(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def info(self) -> dict[str, str | int]: ...
    @property
    def has_separate_memory_space(self) -> builtins.bool: ...
    @property
    def memory_allocated(self) -> int:
        """Bytes that were allocated and not freed; wrapped arrays do not count."""
    @property
    def max_memory_allocated(self) -> int: ...
    @property
    def pool_bytes(self) -> int:
        """Bytes of memory that arrays have let go, and that is kept for the next ones; `free_pool()` gives them back."""
    def free_pool(self) -> int:
        """Gives the memory back that arrays have let go; answers how many bytes."""
    def malloc(self, shape: _Shape, dtype: Any = None, *, host: builtins.bool = False) -> Memory:
        """Memory of unspecified contents; of ``float64`` where no type is given.

        With ``host`` it is pinned memory of the host, which NumPy sees in place.
        """
    def malloc_from(self, source: Any, *, constant: builtins.bool = False) -> Memory:
        """Memory with a copy of an array on the host or on this device.

        With ``constant`` it never changes: whatever would write it is refused, and NumPy sees it read-only. Launches know the
        least and the greatest of its integers and prove with them that indices read from it are in range. The array lies on
        the host then.
        """
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
    def kernel(
        self, source: str | PathLike[str], name: str, *, defines: Mapping[str, Any] | None = None, **properties: Any
    ) -> Kernel:
        """Builds a kernel of OKL text, or of a file where `source` is a path. Defines are numbers, text and types:
        ``device.kernel(source, "add", defines={"real": numpy.float32, "N": 64})``.

        ``tune={"TILE": [64, 128, 256]}`` builds the kernel with each value (each combination, where there are several names). The
        first launches of a size take turns and are measured; the others take the fastest build, as later runs of the program do.
        """
    def build_kernel(self, path: str | PathLike[str], name: str, properties: _Props = None) -> Kernel:
        """Builds a kernel of an OKL file. What the compiler warns of is issued as a :class:`KernelWarning`."""
    def build_kernel_from_string(self, source: str, name: str, properties: _Props = None) -> Kernel:
        """As `build_kernel`, of OKL text."""
    def translate(self, path: str | PathLike[str], properties: _Props = None) -> str:
        """What the kernels of an OKL file become on this device: the text that its compiler would get."""
    def record(self) -> Graph:
        """A graph to be recorded: ``with device.record() as g:``.

        Launches, copies and fills of this thread in the block are recorded instead of run. What would copy between memory and
        the host there, such as `to_host`, is refused.
        """
    def event(self) -> Event:
        """Marks this point of the current stream. ``later - earlier`` is the time between two of them in seconds."""
    def profile(self) -> Profile:
        """Times launches in a block: ``with device.profile() as p:``, then ``print(p)``."""
    def synchronize(self) -> None:
        """As `finish`."""
    def finish(self) -> None:
        """Waits for everything that was queued. Ctrl-C ends the wait, and what was queued runs on."""

def translate(mode: str, path: str | PathLike[str], properties: _Props = None) -> str:
    """What the kernels of an OKL file become in a mode, on a machine that need not have such a device."""

def modes() -> list[dict[str, Any]]:
    """Each mode's ``name``, ``description``, names of ``devices``, and why it is ``unavailable`` (or None)."""

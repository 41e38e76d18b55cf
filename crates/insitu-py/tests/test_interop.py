"""Which array library sees which memory: each pair in place, or refused with the line that copies. `docs/interop.md` has the
table; `python -m pytest -s` prints what was found here.

Devices are named, ours and the libraries': what a machine takes for its default does not matter."""

import importlib
import os
import pathlib

import ferrocca
import numpy as np
import pytest
from conftest import promised

DOCUMENT = pathlib.Path(__file__).resolve().parents[3] / "docs" / "interop.md"
VALUES = np.arange(24, dtype=np.float32)


class Unavailable(Exception):
    """The library, or its device, is not here."""


def package(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Unavailable(f"{name}: {error}") from error


class NumPy:
    name, line_out, line_in = "NumPy", "`np.from_dlpack(m)`", "`device.wrap(a)`"
    copy_in = "`device.malloc_from(a)`"

    def out(self, m):
        a = np.from_dlpack(m)
        return a.ctypes.data, a

    def make(self, device):
        a = VALUES.copy()
        return a.ctypes.data, a

    write = staticmethod(lambda a, value: a.__setitem__(Ellipsis, value))
    read = staticmethod(np.asarray)


class CuPy(NumPy):
    name, line_out = "CuPy", "`m.array()`"

    def __init__(self):
        self.xp = package("cupy")
        if not self.xp.cuda.is_available():
            raise Unavailable("CuPy has no GPU")
        self.read = self.xp.asnumpy

    def out(self, m):
        a = self.xp.from_dlpack(m)
        return a.data.ptr, a

    def make(self, device):
        a = self.xp.asarray(VALUES)
        return a.data.ptr, a


class PyTorch(NumPy):
    name, line_out = "PyTorch", "`torch.from_dlpack(m)`"

    def __init__(self):
        self.torch = package("torch")

    def out(self, m):
        a = self.torch.from_dlpack(m)
        return a.data_ptr(), a

    def make(self, device):
        where = "cuda" if device.mode == "CUDA" and self.torch.cuda.is_available() else "cpu"
        a = self.torch.arange(24, dtype=self.torch.float32, device=where)
        return a.data_ptr(), a

    def read(self, a):
        return a.cpu().numpy()


class JAX(NumPy):
    name, line_out, line_in = "JAX", "`jax.dlpack.from_dlpack(m.frozen())`", "`device.wrap(a)`, read-only"
    write = None

    def __init__(self):
        # Else it takes three quarters of a GPU's memory for itself.
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        self.jax, self.dlpack = package("jax"), package("jax.dlpack")

    def out(self, m):
        a = self.dlpack.from_dlpack(m.frozen())
        return a.unsafe_buffer_pointer(), a

    def make(self, device):
        try:
            where = self.jax.devices("cuda" if device.mode == "CUDA" else "cpu")[0]
        except RuntimeError as error:
            pytest.skip(f"JAX: {error}")
        a = self.jax.device_put(VALUES.copy(), where)
        a.block_until_ready()
        return a.unsafe_buffer_pointer(), a


class Numba(NumPy):
    """On the host its arrays are NumPy's; what is tried is a compiled function that writes."""

    name, line_out = "Numba", "`np.asarray(m)` to a function; on CUDA `m` to a kernel"

    def __init__(self):
        # Numba of that time asks for an alias that NumPy 2.5 no longer has.
        if not hasattr(np, "row_stack"):
            np.row_stack = np.vstack
        self.numba = package("numba")

    def out(self, m):
        if m.device.startswith("cuda"):
            from numba import cuda

            a = cuda.as_cuda_array(m)
            return a.device_ctypes_pointer.value, a
        a = np.asarray(m)
        return a.ctypes.data, a

    def make(self, device):
        if device.mode == "CUDA":
            from numba import cuda

            a = cuda.to_device(VALUES)
            return a.device_ctypes_pointer.value, a
        return super().make(device)

    def write(self, a, value):
        if isinstance(a, np.ndarray):
            @self.numba.njit
            def fill(a, value):
                for i in range(a.size):
                    a[i] = value

            fill(a, value)
        else:
            a[:] = np.full(24, value, np.float32)

    def read(self, a):
        return a if isinstance(a, np.ndarray) else a.copy_to_host()


class PyOpenCL(NumPy):
    name, line_out, line_in = "PyOpenCL", "`cl.MemoryObject.from_int_ptr(m.int_ptr)`", "–"
    copy_in = "`device.malloc_from(a.get())`"

    def __init__(self):
        self.cl = package("pyopencl")

    def out(self, m):
        buffer = self.cl.MemoryObject.from_int_ptr(m.int_ptr)
        return buffer.int_ptr, (buffer, self.cl.CommandQueue.from_int_ptr(m.queue_int_ptr), m)

    make = None

    def write(self, a, value):
        buffer, queue, _ = a
        self.cl.enqueue_copy(queue, buffer, np.full(24, value, np.float32))

    def read(self, a):
        buffer, queue, _ = a
        host = np.empty(24, np.float32)
        self.cl.enqueue_copy(queue, host, buffer)
        return host


class Arrow(NumPy):
    name, line_out, line_in = "Arrow", "`pa.py_buffer(m)`", "`device.wrap(a)`, read-only"
    copy_in = "`device.malloc_from(a.to_numpy())`"
    write = None

    def __init__(self):
        self.pa = package("pyarrow")

    def out(self, m):
        buffer = self.pa.py_buffer(m)
        return buffer.address, self.pa.Array.from_buffers(self.pa.float32(), 24, [None, buffer])

    def make(self, device):
        a = self.pa.array(VALUES)
        return a.buffers()[1].address, a

    def read(self, a):
        return a.to_numpy()


LIBRARIES = [NumPy, CuPy, PyTorch, JAX, Numba, PyOpenCL, Arrow]

#: Memory, how such a device is opened, where its memory then says that it lies, the libraries that see it in place, those
#: whose arrays it takes in place. A device whose memory lies elsewhere is of another row.
HOST, GPU = ("NumPy", "PyTorch", "JAX", "Numba", "Arrow"), ("CuPy", "PyTorch", "JAX", "Numba")
ROWS = [
    ("`Serial`, `CPU`", ["Serial", "CPU, threads=2"], "cpu", HOST, HOST),
    ("`OpenCL` on a processor", ["mode=OpenCL, type=cpu"], "cpu", HOST, HOST),
    ("`OpenCL` on a GPU", ["mode=OpenCL, type=cpu, memory=separate", "mode=OpenCL, type=gpu"], "opencl", ("PyOpenCL",), ()),
    ("`WebGPU` on a processor", ["mode=WebGPU"], "cpu", HOST, ()),
    ("`WebGPU` on a GPU", ["mode=WebGPU"], "webgpu", (), ()),
    ("`WebGPU`, `exportable=true`, beside CUDA", ["mode=WebGPU, exportable=true"], "cuda", GPU, ()),
    ("`CUDA`", ["mode=CUDA"], "cuda", GPU, GPU),
]


#: What the tests have found on this machine: `out`, `in`, `copy` by row and library.
FOUND = {}


def found(row, library, way):
    FOUND.setdefault((row, library.name), set()).add(way)


def pairs(ways_of):
    """A table of `ways_of(row, library's name)`."""
    names = [library.name for library in LIBRARIES]
    lines = ["| memory of | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(names)]
    for row, *_ in ROWS:
        cells = []
        for name in names:
            ways = ways_of(row, name)
            in_place = [way for way in ("out", "in") if way in ways]
            cells.append(" + ".join(in_place) or ("copy" if ways else "not here"))
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return lines


def table():
    """The tables of the document."""
    expected = {row: {"out": out, "in": into} for row, _, _, out, into in ROWS}
    lines = pairs(lambda row, name: [way for way, libraries in expected[row].items() if name in libraries] + ["copy"])
    lines += ["", "| library | memory `m` as its array | its array `a` as memory | its array, copied |", "| --- | --- | --- | --- |"]
    lines += [f"| {library.name} | {library.line_out} | {library.line_in} | {library.copy_in} |" for library in LIBRARIES]
    return "\n".join(lines) + "\n"


def test_the_document_has_the_table():
    assert table() in DOCUMENT.read_text(), f"it is\n{table()}"


CELLS = [(spec, row, library) for row in ROWS for spec in row[1] for library in LIBRARIES]


@pytest.fixture
def cell(request, opened):
    spec, row, kind = request.param
    mode, _, wants = spec.partition(", type=")
    if wants:
        opened(mode)  # which is promised or not; a machine need not have each type of such devices
        try:
            device = ferrocca.Device(spec)
        except ferrocca.Error as error:
            pytest.skip(str(error))
    else:
        device = opened(spec)
    memory = device.malloc_from(VALUES)
    if memory.device.partition(":")[0].partition(" ")[0] != row[2]:
        pytest.skip(f"{memory!r} is another row's")
    try:
        library = kind()
    except Unavailable as error:
        if promised("FERROCCA_REQUIRE_LIBRARIES", kind.name):
            raise
        pytest.skip(str(error))
    return row[0], device, memory, library, kind.name in row[3], kind.name in row[4]


@pytest.mark.parametrize("cell", CELLS, indirect=True, ids=lambda c: f"{c[0]}-{c[2].name}" if isinstance(c, tuple) else "")
def test_memory_is_seen_in_place_or_the_copy_is_named(cell):
    row, device, memory, library, in_place, _ = cell
    try:
        pointer, array = library.out(memory)
    except Exception as error:
        assert not in_place, error
        if isinstance(error, ferrocca.Error):
            # PyOpenCL's question has one answer: this memory is no `cl_mem`.
            assert "to_host()" in str(error) or "cl_mem" in str(error), error
        assert np.array_equal(memory.to_host(), VALUES), "the copy that is named"
        found(row, library, "copy")
        return
    if not in_place:
        assert pointer != memory.ptr, f"{library.name} sees {memory!r}: the table says that it does not"
        found(row, library, "copy")  # by the library itself
        return
    assert pointer == memory.ptr and np.array_equal(library.read(array), VALUES)
    memory.fill(7)
    device.finish()
    if library.name != "JAX":  # whose arrays do not change
        assert np.array_equal(library.read(array), np.full(24, 7)), "what is written here is seen there"
    if library.write:
        library.write(array, 3.0)
        if device.mode == "CUDA":
            device.wrap_stream(1).finish()
        assert np.array_equal(memory.to_host(), np.full(24, 3)), "and the other way round"
    found(row, library, "out")


@pytest.mark.parametrize("cell", CELLS, indirect=True, ids=lambda c: f"{c[0]}-{c[2].name}" if isinstance(c, tuple) else "")
def test_arrays_are_memory_in_place_or_the_copy_is_named(cell):
    row, device, _, library, _, in_place = cell
    if library.make is None:
        pytest.skip(f"{library.name} has no protocol for its buffers")
    pointer, array = library.make(device)
    try:
        memory = device.wrap(array)
    except Exception as error:
        assert not in_place, error
        assert isinstance(error, ferrocca.Error) and ("malloc_from" in str(error) or "host first" in str(error)), error
        copied = device.malloc_from(library.read(array))
        assert np.array_equal(copied.to_host(), VALUES)
        found(row, library, "copy")
        return
    assert in_place and memory.ptr == pointer and np.array_equal(memory.to_host(), VALUES)
    assert memory.readonly == (library.write is None)
    if library.write:
        memory.fill(5)
        device.finish()
        assert np.array_equal(library.read(array), np.full(24, 5))
    else:
        with pytest.raises(ValueError, match="read-only"):
            memory.fill(5)
    found(row, library, "in")


def test_what_was_found_here_is_printed():
    print("\n" + "\n".join(pairs(lambda row, name: FOUND.get((row, name), ()))))


ARROW_TYPES = {
    "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64", "uint8": "uint8", "uint16": "uint16",
    "uint32": "uint32", "uint64": "uint64", "halffloat": "float16", "float": "float32", "double": "float64",
}


@pytest.fixture
def arrow():
    try:
        return package("pyarrow")
    except Unavailable as error:
        if promised("FERROCCA_REQUIRE_LIBRARIES", "pyarrow"):
            raise
        pytest.skip(str(error))


def test_arrays_of_arrow_are_memory_that_nobody_writes(arrow):
    device = ferrocca.Device("Serial")
    scale = device.build_kernel_from_string(
        "@kernel void scale(const int n, double *x) { for (int i = 0; i < n; ++i; @tile(8, @outer, @inner)) x[i] *= 2; }", "scale"
    )
    whole = arrow.array(np.arange(10.0))
    part = whole[3:8]
    memory = device.wrap(part)
    assert memory.readonly and memory.ptr == whole.buffers()[1].address + 24 and memory.to_host().tolist() == [3, 4, 5, 6, 7]
    for write in (
        lambda: memory.fill(0.0),
        lambda: memory.copy_from(np.zeros(5)),
        lambda: memory.__setitem__(0, 1.0),
        lambda: scale(5, memory),
        lambda: scale(5, part),
        lambda: device.malloc(5).copy_to(part),
    ):
        with pytest.raises(ValueError, match="read-only"):
            write()
    assert whole.to_pylist() == list(range(10))
    del whole, part
    assert memory.to_host().tolist() == [3, 4, 5, 6, 7], "the memory keeps the array"


@pytest.mark.parametrize("name", ARROW_TYPES)
def test_numbers_of_arrow_have_their_types(arrow, name):
    values = np.arange(5).astype(ARROW_TYPES[name])
    array = arrow.array(values)
    assert str(array.type) == name
    memory = ferrocca.Device("Serial").wrap(array)
    assert str(memory.dtype) == ARROW_TYPES[name] and memory.to_host().tolist() == values.tolist()


def test_what_arrow_has_and_memory_has_not_is_refused(arrow):
    device = ferrocca.Device("Serial")
    with_nulls = arrow.array([1.0, None, 3.0])
    with pytest.raises(BufferError, match="null values"):
        device.wrap(with_nulls)
    assert device.wrap(with_nulls[2:]).to_host().tolist() == [3.0]
    assert device.wrap(arrow.array([], arrow.float64())).size == 0
    for array, what in (
        (arrow.array([True, False]), "format `b`"),
        (arrow.array(["a"]), "format `u`"),
        (arrow.array(["a", "b"]).dictionary_encode(), "dictionary"),
        (arrow.array([{"x": 1}]), r"format `\+s`"),
    ):
        with pytest.raises(TypeError, match=what):
            device.wrap(array)

"""CUDA memory in CuPy, PyTorch, Numba and JAX, and their arrays as memory: in place, in every way that they know."""

import gc

import ferrocca
import gpu_libraries
import numpy as np
import pytest

TYPES = ["float64", "float32", "float16", "int8", "int16", "int32", "int64", "uint8"]

SCALE = """
@kernel void scale(const int n, const double a, const double *x, double *y) {
  for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) y[i] = a * x[i];
}
"""


def test_the_protocols_say_where_the_memory_is(cuda):
    memory = cuda.malloc((3, 4), "float32")
    device = cuda.info["device_id"]
    assert memory.__dlpack_device__() == (2, device) and memory.device == f"cuda:{device}"
    interface = memory.__cuda_array_interface__
    assert interface["shape"] == (3, 4) and interface["typestr"] == "<f4" and interface["strides"] is None
    assert interface["data"] == (memory.ptr, False) and interface["version"] == 3
    assert interface["stream"] == cuda.stream.ptr != 0
    for version, name in ((1, 0), "dltensor_versioned"), (None, "dltensor"):
        assert f'"{name}"' in repr(memory.__dlpack__(max_version=version))
    assert repr(memory) == f"ferrocca.Memory(float32 (3, 4) on cuda:{device})"


def test_the_host_is_refused_with_what_to_do_instead(cuda):
    memory = cuda.malloc_from(np.arange(6.0).reshape(2, 3))
    assert memory.to_host().tolist() == [[0, 1, 2], [3, 4, 5]]
    assert not hasattr(memory, "__array_interface__")
    for call in np.asarray, np.array, lambda m: np.zeros(3) + m, lambda m: np.zeros(3).__setitem__(slice(None), m):
        with pytest.raises(TypeError, match=r"to_host\(\)"):
            call(memory)
    with pytest.raises(BufferError, match=r"to_host\(\)"):
        memoryview(memory)
    with pytest.raises(BufferError, match="copy=True"):
        memory.__dlpack__(dl_device=(1, 0))
    copy = np.from_dlpack(memory, device="cpu", copy=True)
    assert copy.tolist() == memory.to_host().tolist()
    for stream in 0, -2:
        with pytest.raises(BufferError):
            memory.__dlpack__(stream=stream)


def test_pinned_memory_is_numpys_in_place(cuda):
    memory = cuda.malloc(100, host=True)
    kernel = cuda.build_kernel_from_string(SCALE, "scale")
    assert memory.__dlpack_device__()[0] == 3
    view = memory.array()
    assert view.ctypes.data == memory.ptr and view is memory.array()
    view[:] = np.arange(100.0)
    kernel(100, 2.0, memory, memory)
    for seen in memory.array(), np.from_dlpack(memory), np.asarray(memory), memory.to_host():
        assert (seen == 2 * np.arange(100)).all()


@pytest.mark.parametrize("dtype", TYPES)
def test_a_library_views_and_writes_the_memory_itself(cuda, library, dtype):
    for way in library.ways:
        memory = cuda.malloc_from(np.arange(12, dtype=dtype))
        view = library.view(memory, way)
        assert tuple(view.shape) == (12,) and library.pointer(view) == memory.ptr, way
        assert library.numpy(view).dtype == np.dtype(dtype), way
        assert library.numpy(view).tolist() == list(range(12)), way
        if library.writes:
            library.fill(view, 7)
            assert (memory.to_host() == 7).all(), way


def test_views_of_several_axes_and_of_slices(cuda, library):
    whole = cuda.malloc_from(np.arange(240.0).reshape(10, 24))
    for memory in whole, whole[2:5], whole.reshape(4, 6, 10):
        view = library.view(memory)
        assert tuple(view.shape) == memory.shape and (library.numpy(view) == memory.to_host()).all()


@pytest.mark.libraries("cupy")
def test_array_is_made_once_and_is_cupys(cuda, library):
    memory = cuda.malloc(4)
    view = memory.array()
    assert isinstance(view, library.cupy.ndarray) and view is memory.array() and view.data.ptr == memory.ptr
    view[:] = 3
    assert memory.to_host().tolist() == [3.0] * 4
    copy = library.cupy.from_dlpack(memory, copy=True)
    assert copy.data.ptr != memory.ptr and (copy == 3).all()


def test_a_read_only_array_is_refused_where_nobody_keeps_to_it(cuda, library):
    try:
        memory = cuda.wrap(gpu_libraries.load("jax").make(np.arange(4.0)))
    except ImportError as error:
        pytest.skip(f"only JAX makes arrays that are read-only: {error}")
    if library.name == "jax":
        assert library.numpy(library.view(memory)).tolist() == [0, 1, 2, 3]
        return
    assert memory.readonly
    with pytest.raises(BufferError, match=r"read-only.*frozen\(\).*copy=True.*to_host\(\)"):
        memory.__cuda_array_interface__
    for way in library.ways:
        with pytest.raises(Exception):  # noqa: B017  each library words it in its own way
            view = library.view(memory, way)
            library.fill(view, 7)
    assert memory.to_host().tolist() == [0, 1, 2, 3], "nothing was written"


def test_wrap_is_in_place(cuda, library):
    for values in np.arange(6.0).reshape(2, 3), np.arange(5, dtype="int32"):
        original = library.make(values)
        before = cuda.memory_allocated
        memory = cuda.wrap(original)
        assert memory.ptr == library.pointer(original) and memory.shape == values.shape
        assert memory.dtype == values.dtype.name and memory.readonly == (not library.writes)
        assert (memory.to_host() == values).all() and cuda.memory_allocated == before
        if library.writes:
            memory.fill(9)
            assert (library.numpy(original) == 9).all()
        else:
            for write in lambda: memory.fill(1), lambda: memory.copy_from(np.zeros(values.shape, values.dtype)):
                with pytest.raises(ValueError, match="read-only"):
                    write()


def test_wrap_keeps_the_array_alive(cuda, library):
    original = library.make(np.arange(1000.0))
    memory = cuda.wrap(original)
    part = memory[10:20]
    del original, memory
    gc.collect()
    # What was let go would be handed out again.
    others = [library.make(np.full(1000, float(i))) for i in range(8)]
    assert part.to_host().tolist() == list(range(10, 20)), others[0].shape


def test_what_cannot_be_wrapped_is_refused_not_copied(cuda, library):
    for odd in library.odd_arrays():
        with pytest.raises((BufferError, TypeError), match="not contiguous|no such type"):
            cuda.wrap(odd)
    with pytest.raises(BufferError, match="mode `Serial` cannot use"):
        ferrocca.Device("mode=Serial").wrap(library.make(np.zeros(3)))


@pytest.mark.libraries("torch")
def test_what_a_library_refuses_to_give_is_its_own_error(cuda, library):
    with pytest.raises(BufferError, match="(?i)grad"):
        cuda.wrap(library.torch.zeros(3, device="cuda", requires_grad=True))


def test_arrays_as_arguments_of_kernels_and_of_copies(cuda, library):
    scale = cuda.build_kernel_from_string(SCALE, "scale")
    x = library.make(np.arange(100.0))
    y = cuda.malloc(100)
    scale(100, 3.0, x, y)
    assert (y.to_host() == 3 * np.arange(100)).all()
    y.copy_from(x)
    assert (y.to_host() == np.arange(100)).all()
    assert (cuda.malloc_from(x).to_host() == np.arange(100)).all()
    if library.writes:
        scale(100, 2.0, y, x)
        assert (library.numpy(x) == 2 * np.arange(100)).all()
        y.fill(5.0)
        y.copy_to(x)
        assert (library.numpy(x) == 5).all()
    else:
        with pytest.raises(ferrocca.Error, match="`y`.*read-only"):
            scale(100, 2.0, y, x)


def test_another_device_is_refused(cuda, library):
    count = sum(len(mode["devices"]) for mode in ferrocca.modes() if mode["name"] == "CUDA")
    if count < 2:
        pytest.skip("there is one CUDA device")
    if library.name == "numba":
        pytest.skip("Numba's protocol does not say which device an array is on")
    other = ferrocca.Device({"mode": "CUDA", "device_id": 1})
    with pytest.raises(BufferError, match="cuda:0, and this device is cuda:1"):
        other.wrap(library.make(np.zeros(3)))

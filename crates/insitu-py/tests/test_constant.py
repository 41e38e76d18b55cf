"""Constant memory: what reads it goes on as before, and nothing writes it."""

import ferrocca
import numpy as np
import pytest

GATHER = """
@kernel void gather(const int n, const int *idx, const float *from, float *to) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) to[i] = from[idx[i]];
}
@kernel void fill(const int n, int *to) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) to[i] = 1;
}
"""


@pytest.fixture(params=["mode=Serial", "mode=CPU,threads=2", "mode=OpenCL", "mode=WebGPU", "mode=CUDA"])
def device(request, opened):
    return opened(request.param)


def constant(device):
    return device.malloc_from(np.array([3, 0, 2, 1], "i4"), constant=True)


def test_gathers(device):
    gather = device.build_kernel_from_string(GATHER, "gather")
    values = device.malloc_from(np.array([1, 2, 3, 4], "f4"))
    out = device.malloc(4, "f4")
    gather(4, constant(device), values, out)
    assert out.to_host().tolist() == [4, 1, 3, 2]
    gather(2, constant(device)[2:], values, out)
    assert out.to_host().tolist()[:2] == [3, 2]
    beyond = device.malloc_from(np.array([3, 4], "i4"), constant=True)
    with pytest.raises(ferrocca.Error, match="element 4 of `from` is out of range"):
        gather(2, beyond, values, out)
        device.finish()


def test_writes_are_refused(device):
    memory = constant(device)
    ones = device.malloc_from(np.ones(4, "i4"))
    fill = device.build_kernel_from_string(GATHER, "fill")
    for handle in [memory, memory.share(), memory[1:], memory.view("u4") if hasattr(memory, "view") else memory]:
        assert handle.readonly
        with pytest.raises(ValueError, match="this memory is constant, and cannot be written"):
            handle.fill(1)
        with pytest.raises(ValueError, match="constant"):
            handle.copy_from(ones[: handle.size])
        with pytest.raises(ValueError, match="constant"):
            handle[0] = 7
        with pytest.raises(ValueError, match="constant"):
            handle += 1
    with pytest.raises(ferrocca.Error, match="argument 2 `to`: the kernel may write it, and it is constant"):
        fill(4, memory)
    with pytest.raises(ValueError, match="constant"):
        ones.copy_to(memory)
    assert memory.to_host().tolist() == [3, 0, 2, 1]
    for copy in [memory.duplicate(), memory.copy()]:
        assert not copy.readonly
        fill(4, copy)
        copy += 1
        assert copy.to_host().tolist() == [2] * 4


def test_recorded_writes_are_refused(device):
    memory = constant(device)
    fill = device.build_kernel_from_string(GATHER, "fill")
    for write in [lambda: memory.fill(1), lambda: fill(4, memory)]:
        with pytest.raises(ferrocca.Error, match="constant"), device.record():
            write()


def test_operators_read_it(device):
    memory = constant(device)
    assert (memory + 1).to_host().tolist() == [4, 1, 3, 2]
    assert int(memory.max()) == 3


def test_views_are_read_only(opened):
    memory = constant(opened("mode=Serial"))
    array = np.asarray(memory)
    assert array.tolist() == [3, 0, 2, 1] and not array.flags.writeable
    assert memory.__array_interface__["data"][1] is True
    assert memoryview(memory).readonly
    assert not np.from_dlpack(memory).flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 7


def test_types_and_shapes(opened):
    device = opened("mode=Serial")
    for dtype in ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "?"]:
        given = np.arange(6).reshape(2, 3).astype(dtype)
        memory = device.malloc_from(given, constant=True)
        assert memory.readonly and memory.shape == (2, 3)
        assert np.array_equal(memory.to_host(), given)
    assert device.malloc_from(np.zeros(0, "i4"), constant=True).size == 0
    assert not device.malloc_from(np.zeros(1, "i4")).readonly


def test_arrays_on_a_device_are_refused(opened):
    device = opened("mode=CUDA")
    with pytest.raises(BufferError, match="on the host"):
        device.malloc_from(device.malloc_from(np.zeros(4, "i4")), constant=True)

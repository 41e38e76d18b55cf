"""`bool` is a type of its own: a mask stays a mask, in every protocol and in kernels."""

import ferrocca
import numpy as np
import pytest

MASK = np.array([True, False, True, True])
VALUES = np.array([10.0, 20.0, 30.0, 40.0])
NEGATE = """
@kernel void negate(const int n, const bool *in, bool *out) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) out[i] = !in[i];
}"""


@pytest.fixture(params=["mode=Serial", "mode=CPU, threads=2", "mode=OpenCL", "mode=WebGPU"])
def device(request, opened):
    return opened(request.param)


def test_a_mask_comes_back_as_a_mask(device):
    memory = device.malloc_from(MASK)
    assert (memory.dtype, memory.itemsize) == ("bool", 1)
    for same in [memory, memory[0:4], memory.reshape(2, 2), memory.share(), memory.duplicate()]:
        host = same.to_host()
        assert host.dtype == np.bool_, same
        np.testing.assert_array_equal(VALUES[host.ravel()], [10, 30, 40])


@pytest.mark.parametrize("dtype", [bool, "bool", "?", "|b1", np.bool_, np.dtype(bool)])
def test_memory_of_bool_is_filled_with_truth_values(device, dtype):
    for memory in [device.malloc(3, dtype), device.create_memory_pool().reserve(3, dtype)]:
        for value, expected in [(True, True), (False, False), (2, True), (np.True_, True), (0.0, False), (0.5, True)]:
            memory.fill(value)
            np.testing.assert_array_equal(memory.to_host(), np.full(3, expected), strict=True)


def test_protocols_say_bool():
    memory = ferrocca.Device("mode=Serial").malloc_from(MASK)
    for view in [memory.array(), np.asarray(memory), np.asarray(memoryview(memory)), np.from_dlpack(memory)]:
        assert view.dtype == np.bool_ and (view == MASK).all()
    assert memory.__array_interface__["typestr"] == "|b1" and memoryview(memory).format == "?"


@pytest.mark.parametrize("how", ["DLPack", "a buffer", "an array interface"])
def test_a_wrapped_mask_is_bool(how):
    class Interface:
        __array_interface__ = MASK.__array_interface__

    source = {"DLPack": MASK, "a buffer": memoryview(MASK), "an array interface": Interface()}[how]
    memory = ferrocca.Device("mode=Serial").wrap(source)
    assert memory.dtype == "bool" and memory.ptr == MASK.ctypes.data


def test_kernels_have_the_type(device):
    kernel = device.build_kernel_from_string(NEGATE, "negate")
    result = device.malloc(MASK.size, bool)
    kernel(MASK.size, device.malloc_from(MASK), result)
    np.testing.assert_array_equal(result.to_host(), ~MASK, strict=True)


def test_what_is_no_bool_is_not_written_into_one():
    device = ferrocca.Device("mode=Serial")
    mask, numbers = device.malloc_from(MASK), device.malloc_from(MASK.view(np.uint8))
    for copy in [lambda: mask.copy_from(np.uint8([2, 3, 4, 5])), lambda: mask.copy_from(numbers), lambda: numbers.copy_to(mask)]:
        with pytest.raises(TypeError, match="memory of .*bool"):
            copy()
    source = "@kernel void set(unsigned char *x) { for (int i = 0; i < 4; ++i; @tile(4, @outer, @inner)) x[i] = 7; }"
    kernel = device.build_kernel_from_string(source, "set")
    kernel(numbers)
    for argument in [mask, MASK]:
        with pytest.raises(ferrocca.Error, match="argument 1 `x`: .*this is `bool`"):
            kernel(argument)

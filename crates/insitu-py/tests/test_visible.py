"""When the host sees what kernels write: an array that was an argument, at once; a view, after a wait."""

import weakref

import numpy as np
import pytest

SLOW = """
@kernel void slow(const int turns, const double *in, double *out) {
  for (int i = 0; i < 2; ++i; @tile(2, @outer, @inner)) {
    double s = in[i];
    for (int turn = 0; turn < turns; ++turn) s = s * 0.5 + 0.5;
    out[i] = s;
  }
}"""
TURNS = 60_000


@pytest.fixture(params=["mode=Serial", "mode=CPU", "mode=OpenCL"])
def device(request, opened_on_host):
    return opened_on_host(request.param)


def test_an_array_that_is_an_argument_is_written_when_the_call_returns(device):
    kernel = device.build_kernel_from_string(SLOW, "slow")
    for _ in range(20):
        x, y = np.full(2, 3.0), np.zeros(2)
        kernel(TURNS, x, y)
        assert y.tolist() == [1.0, 1.0]


def test_an_array_that_is_read_may_be_changed_when_the_call_returns(device):
    kernel, result = device.build_kernel_from_string(SLOW, "slow"), device.malloc(2)
    queued = device.malloc_from(np.full(2, 3.0))
    for _ in range(20):
        x = np.full(2, 3.0)
        kernel(TURNS, queued, device.malloc(2))  # which the next one waits for
        kernel(0, x, result)
        x[:] = 7.0
        assert result.to_host().tolist() == [3.0, 3.0]


@pytest.mark.parametrize("mode", ["mode=Serial", "mode=CPU", "mode=OpenCL", "mode=WebGPU"])
def test_a_view_from_before_a_launch_shows_it_after_a_wait(opened_on_host, mode):
    device = opened_on_host(mode)
    kernel, x, y = device.build_kernel_from_string(SLOW, "slow"), device.malloc(2), device.malloc(2, host=True)
    waits = [device.finish, device.stream.finish, y.array, lambda: np.asarray(y), lambda: y.to_host()]
    for number, wait in enumerate(waits):
        x.fill(2.0 + number)
        y.fill(0.0)
        view = y.array()
        assert view.tolist() == [0.0, 0.0]
        kernel(0, x, y)
        wait()
        assert view.tolist() == [2.0 + number] * 2, number


class Theirs:
    """An array of another library, which notes when it is gone."""

    def __init__(self, data):
        self.__array_interface__ = data.__array_interface__


def test_an_array_that_was_an_argument_is_let_go_when_the_call_returns(device):
    kernel = device.build_kernel_from_string(SLOW, "slow")
    for _ in range(20):
        array = Theirs(np.zeros(2))
        gone = weakref.ref(array)
        kernel(TURNS, np.full(2, 3.0), array)
        del array
        assert gone() is None

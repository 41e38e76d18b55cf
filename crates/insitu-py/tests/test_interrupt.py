"""Ctrl-C ends a wait soon, and everything stays usable."""

import os
import signal
import sys
import threading
import time

import ferrocca
import numpy as np
import pytest
from ferrocca.burgers import Solver

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send itself Ctrl-C there")

# Each turn needs the one before it.
SLOW = """
@kernel void slow(const int turns, double *x) {
  for (int i = 0; i < 1024; ++i; @tile(16, @outer, @inner)) {
    double s = x[i];
    for (int turn = 0; turn < turns; ++turn) s = s * 0.999999 + 1e-6;
    x[i] = s + 1;
  }
}"""
LIMIT = 0.2


@pytest.fixture(params=["mode=OpenCL", "mode=WebGPU"])
def device(request, opened):
    return opened(request.param)


@pytest.fixture(autouse=True)
def _heeds_ctrl_c():
    """A shell lets what it starts in the background ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Interrupt:
    """Ctrl-C a while after the start of the block; how long the block went on."""

    def __init__(self, after):
        self.after = after

    def _send(self):
        self.sent = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    def __enter__(self):
        self.timer = threading.Timer(self.after, self._send)
        self.timer.start()
        return self

    def __exit__(self, *_):
        self.seconds = time.perf_counter() - getattr(self, "sent", float("inf"))
        self.timer.cancel()


def queue(device, seconds):
    """Queues launches that take about that long at the least; the memory that they write, and how many they are."""
    kernel, memory = device.build_kernel_from_string(SLOW, "slow"), device.malloc(1024)
    turns, fastest = 60_000, float("inf")
    memory.fill(1.0)
    for _ in range(5):
        start = time.perf_counter()
        kernel(turns, memory)
        device.finish()
        fastest = min(fastest, time.perf_counter() - start)
    launches = int(seconds / fastest) + 1
    memory.fill(1.0)
    for _ in range(launches):
        kernel(turns, memory)
    return memory, launches


def expect(memory, launches):
    values = memory.to_host()
    assert (values > 1).all() and np.isfinite(values).all() and launches > 1


@pytest.mark.parametrize("waits", ["device", "stream", "device of two streams"])
def test_a_wait_ends(device, waits):
    if "two" in waits:
        device.create_stream()
    memory, launches = queue(device, 2.5)
    end = device.event()
    with Interrupt(0.3) as interrupt, pytest.raises(KeyboardInterrupt):
        device.stream.finish() if waits == "stream" else device.finish()
    assert interrupt.seconds < LIMIT
    assert not end.is_reached, "the wait ended before the work"
    device.finish()
    assert end.is_reached, "the work went on, and this waited for it"
    expect(memory, launches)


def test_a_launch_with_an_array_of_the_host_ends(opened_on_host):
    device = opened_on_host("mode=OpenCL")
    kernel, x = device.build_kernel_from_string(SLOW, "slow"), np.zeros(1024)
    start = time.perf_counter()
    kernel(100_000, x)
    turns = int(1.5 / (time.perf_counter() - start) * 100_000)
    with Interrupt(0.3) as interrupt, pytest.raises(KeyboardInterrupt):
        kernel(turns, x)
    assert interrupt.seconds < LIMIT
    device.finish()
    assert (x > 1).all()


@pytest.mark.parametrize("mode", ["mode=Serial", "mode=CPU", "mode=CPU, threads=3"])
def test_a_launch_on_the_cpu_ends(opened, mode):
    device = opened(mode)
    kernel, x = device.build_kernel_from_string(SLOW, "slow"), np.zeros(1024)
    start = time.perf_counter()
    kernel(100_000, x)
    turns = int(3 / (time.perf_counter() - start) * 100_000)
    x[:] = 0
    with Interrupt(0.3) as interrupt, pytest.raises(KeyboardInterrupt):
        kernel(turns, x)
    assert interrupt.seconds < LIMIT
    ran = np.count_nonzero(x)
    assert 0 < ran < 1024 and ran % 16 == 0, "groups run to their end"
    kernel(1, x)
    assert (x >= 1).all()


@pytest.mark.parametrize("read", ["to_host", "array", "copy_to"])
def test_reading_ends(device, read):
    memory, launches = queue(device, 2.0)
    target = np.zeros(1024)
    if read == "array" and not memory.in_place:
        pytest.skip("the host does not see this memory")
    ways = {
        "to_host": memory.to_host,
        "array": memory.array,
        "copy_to": lambda: memory.copy_to(target),
    }
    with Interrupt(0.3) as interrupt, pytest.raises(KeyboardInterrupt):
        ways[read]()
    assert interrupt.seconds < LIMIT
    device.finish()
    expect(memory, launches)


def test_a_long_copy_ends(opened):
    device = opened("mode=Serial")
    source = np.full(60_000_000, 1.5)
    memory = device.malloc(source.size)
    memory.copy_from(source)
    for work in (lambda: memory.copy_from(source), lambda: memory.copy_to(source), memory.to_host):
        with Interrupt(0.02) as interrupt, pytest.raises(KeyboardInterrupt):
            while True:
                work()
        assert interrupt.seconds < LIMIT
    assert (memory.to_host() == 1.5).all()


@pytest.mark.parametrize("mode", ["mode=Serial", "mode=CPU", "mode=OpenCL", "mode=WebGPU"])
def test_steps_end(opened, mode):
    device = opened(mode)
    solver = Solver(device, points=50_000, dt=1e-9)
    with Interrupt(0.5) as interrupt, pytest.raises(KeyboardInterrupt):
        solver.step(10_000_000)
    assert interrupt.seconds < LIMIT
    steps = solver.step_count
    assert 0 < steps < 10_000_000 and solver.time == pytest.approx(steps * 1e-9)
    solver.step(3)
    device.finish()
    assert solver.step_count == steps + 3 and solver.is_finite()


@pytest.mark.parametrize("mode", ["mode=Serial", "mode=OpenCL", "mode=WebGPU"])
def test_many_steps_are_single_ones(opened, mode):
    device = opened(mode)
    together, single = Solver(device, points=100_000, dt=1e-9), Solver(device, points=100_000, dt=1e-9)
    together.step(301)
    for _ in range(301):
        single.step()
    assert together.step_count == single.step_count == 301 and together.time == single.time
    np.testing.assert_array_equal(together.u.to_host(), single.u.to_host())


def test_what_a_handler_raises_is_raised(opened):
    device = opened("mode=OpenCL")
    memory, launches = queue(device, 2.0)

    class Stop(Exception):
        pass

    def stop(*_):
        raise Stop

    before = signal.signal(signal.SIGINT, stop)
    try:
        with Interrupt(0.2) as interrupt, pytest.raises(Stop):
            device.finish()
    finally:
        signal.signal(signal.SIGINT, before)
    assert interrupt.seconds < LIMIT
    device.finish()
    expect(memory, launches)


def test_other_threads_wait_as_before(device):
    memory, launches = queue(device, 0.5)
    thread = threading.Thread(target=device.finish)
    thread.start()
    thread.join()
    expect(memory, launches)

"""Other threads run while this library works."""

import threading
import time

import ferrocca
import numpy as np
import pytest

COUNT = 20_000_000
CALLS = {
    "malloc": lambda device, memory, other, pool: device.malloc(COUNT),
    "malloc_from": lambda device, memory, other, pool: device.malloc_from(memory.array()),
    "reserve": lambda device, memory, other, pool: pool.reserve(COUNT),
    "fill": lambda device, memory, other, pool: memory.fill(2.0),
    "duplicate": lambda device, memory, other, pool: memory.duplicate(),
    "copy_from": lambda device, memory, other, pool: memory.copy_from(other),
    "copy_to": lambda device, memory, other, pool: memory.copy_to(other),
    "via_host": lambda device, memory, other, pool: memory.copy_from(other, via_host=True),
}


@pytest.fixture(scope="module")
def ticks():
    """What a thread counts, about twice per millisecond, while it may run."""
    counted, is_over = [0], threading.Event()

    def count():
        while not is_over.is_set():
            counted[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    yield counted
    is_over.set()
    thread.join()


@pytest.fixture(scope="module")
def used():
    device = ferrocca.Device("mode=Serial")
    memory, other = device.malloc(COUNT), device.malloc(COUNT)
    memory.fill(1.0)
    other.fill(2.0)
    return device, memory, other


def counted_while(call, used, ticks):
    """What the thread counts in the time of calls that take 60 ms together, beyond one a call."""
    calls, seconds, counted = 0, 0.0, 0
    while seconds < 0.06:
        pool = used[0].create_memory_pool()
        before, start = ticks[0], time.perf_counter()
        result = call(*used, pool)
        seconds += time.perf_counter() - start
        counted += ticks[0] - before
        calls += 1
        del result, pool
    return counted - calls, seconds


@pytest.mark.parametrize("name", CALLS)
def test_a_thread_counts_during_a_long_call(ticks, used, name):
    # A thread that waits for the lock counts once at the end of a call, however often one tries;
    # one that need not wait may still be given no processor by a busy machine.
    for _ in range(50):
        counted, seconds = counted_while(CALLS[name], used, ticks)
        if counted > seconds * 1000 / 6:
            break
    else:
        pytest.fail(f"{counted} in {seconds * 1000:.0f} ms, the last of 50 times")
    assert np.isfinite(used[1].array()[-1])

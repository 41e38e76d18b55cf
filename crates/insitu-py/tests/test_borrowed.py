"""Arrays of others that kernels use in place: each stays until the work that was queued with it is done."""

import subprocess
import sys
import weakref

import numpy as np
import pytest

SLOW = """@kernel void slow(const long rounds, double *x) {
    for (int group = 0; group < 1; ++group; @outer) {
        for (int item = 0; item < 1; ++item; @inner) {
            double sum = x[0];
            for (long round = 0; round < rounds; ++round) sum = 0.75 * sum + 1.0;
            x[0] = sum;
        }
    }
}"""

DONE = 4.0
"""What `slow` comes to after many rounds, from whatever it began with."""


class Theirs:
    """An array of another library, which notes when it is gone. Its memory outlives it here, for the test to look at."""

    def __init__(self, data):
        self.__array_interface__ = data.__array_interface__


@pytest.fixture
def queue(opened_on_host):
    """A device that computes beside the host on the host's memory, and a kernel that takes its time."""
    device = opened_on_host("mode=OpenCL")
    slow = device.build_kernel_from_string(SLOW, "slow")
    slow(1, device.malloc_from(np.zeros(1)))
    device.finish()
    return device, slow


def wrapped(device, slow, array, rounds):
    slow(rounds, device.wrap(array))


def part_of_a_part(device, slow, array, rounds):
    memory = device.wrap(array)
    part = memory[0:2].share()[:1]
    del memory
    slow(rounds, part)


def on_a_stream_of_its_own(device, slow, array, rounds):
    default = device.stream
    device.set_stream(device.create_stream())
    slow(rounds, device.wrap(array))
    device.set_stream(default)


def copied_behind(device, slow, array, rounds):
    memory = device.malloc(4)
    slow(rounds, memory)
    wrapped = device.wrap(array)
    wrapped.copy_from(memory)


@pytest.mark.parametrize("use", [wrapped, part_of_a_part, on_a_stream_of_its_own, copied_behind])
def test_an_array_stays_until_queued_work_is_done(queue, use):
    device, slow = queue
    rounds = 10**8
    while True:
        data = np.zeros(4)
        array = Theirs(data)
        gone = weakref.ref(array)
        use(device, slow, array, rounds)
        del array
        # An entry of the library at which what is done would be let go.
        _ = device.memory_allocated
        alive, running = gone() is not None, data[0] == 0
        device.finish()
        assert abs(data[0] - DONE) < 1e-9
        if running:
            break
        # This machine was busy elsewhere for longer than the kernel took.
        rounds *= 4
    assert alive, "the array was let go while a kernel used its memory"
    assert gone() is None, "the array was kept when the work was done"


def test_waiting_for_the_stream_is_enough(queue):
    device, slow = queue
    stream = device.create_stream()
    default = device.stream
    array = Theirs(np.zeros(1))
    gone = weakref.ref(array)
    device.set_stream(stream)
    slow(10**7, device.wrap(array))
    device.set_stream(default)
    del array
    stream.finish()
    assert gone() is None


def test_many_launches_keep_few_arrays(queue):
    device, slow = queue
    most, references = 0, []
    for _ in range(1000):
        array = Theirs(np.zeros(1))
        references.append(weakref.ref(array))
        slow(1, device.wrap(array))
        del array
        most = max(most, sum(reference() is not None for reference in references[-200:]))
        if len(references) % 100 == 0:
            device.stream.finish()
            assert not any(reference() for reference in references)
    assert most <= 101


AT_THE_END = """
import ferrocca, numpy as np
device = ferrocca.Device("mode=OpenCL")
slow = device.build_kernel_from_string({source!r}, "slow")
slow(10**8, device.wrap(np.zeros(1)))
print("the end")
"""


def test_the_interpreter_may_end_meanwhile(queue):
    script = AT_THE_END.format(source=SLOW)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "the end\n"), done.stderr


def test_what_runs_at_once_is_let_go_at_once(opened):
    device = opened("mode=CPU")
    slow = device.build_kernel_from_string(SLOW, "slow")
    array = Theirs(np.zeros(1))
    gone = weakref.ref(array)
    slow(3, array)
    del array
    assert gone() is None


def test_what_was_never_used_is_let_go_with_its_memory(queue):
    device, _ = queue
    array = Theirs(np.zeros(1))
    gone = weakref.ref(array)
    memory = device.wrap(array)
    del array
    assert gone() is not None
    del memory
    _ = device.memory_allocated
    assert gone() is None


class TheirStream:
    """A stream of another library."""

    def __init__(self, stream):
        self.stream, self.ptr = stream, stream.ptr


def test_a_stream_of_others_stays_while_it_is_the_current_one(queue):
    device, slow = queue
    default = device.stream
    theirs = TheirStream(device.create_stream())
    gone = weakref.ref(theirs)
    device.set_stream(device.wrap_stream(theirs))
    del theirs
    array = Theirs(np.zeros(1))
    slow(10, array)
    device.finish()
    assert gone() is not None and device.stream.ptr == gone().ptr
    device.set_stream(default)
    assert gone() is None

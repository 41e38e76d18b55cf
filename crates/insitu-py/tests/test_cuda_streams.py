"""Work that is still running when memory changes hands: whoever takes it sees the result, and nobody waits for more."""

import contextlib
import time

import numpy as np
import pytest

N = 64
SLOW = """
@kernel void put_slowly(const long rounds, const double value, double *x) {
  for (int o = 0; o < 1; ++o; @outer) {
    for (int i = 0; i < 64; ++i; @inner) {
      double s = 0.0;
      for (long k = 0; k < rounds; ++k) s = s * 0.999 + 0.001;
      x[i] = (s < 2.0) ? value : s;
    }
  }
}
"""


@contextlib.contextmanager
def current_stream(device, stream):
    """Makes a stream the device's current one."""
    before = device.stream
    device.set_stream(stream)
    try:
        yield stream
    finally:
        device.set_stream(before)


@pytest.fixture(scope="session")
def slow(cuda):
    """Queues a write that takes 60 ms or more on the current stream, and answers the event behind it; has its duration in
    seconds as `seconds`."""
    kernel = cuda.build_kernel_from_string(SLOW, "put_slowly")
    memory = cuda.malloc(N)
    rounds, seconds = 1 << 18, 0.0
    while seconds < 0.06:
        rounds *= 2
        start = time.perf_counter()
        kernel(rounds, 0.0, memory)
        cuda.stream.finish()
        seconds = time.perf_counter() - start

    def put(value, memory, longer=1):
        kernel(rounds * longer, value, memory)
        return cuda.event()

    put.seconds = seconds
    return put


#: What a machine that is busy elsewhere is given: the running work is made longer, until it is seen running.
LONGER = (1, 4, 16)


@pytest.fixture(params=["default", "side"])
def producer_stream(request, cuda):
    """The device's default stream, or one that is ordered with nothing."""
    if request.param == "default":
        return cuda.stream
    return cuda.create_stream({"non_blocking": True})


@pytest.fixture(params=["default", "side"])
def consumer_stream(request):
    return request.param


def on(library, which):
    return library.side_stream() if which == "side" else contextlib.nullcontext()


def test_a_running_producer_never_shows_stale_data(cuda, library, slow, producer_stream, consumer_stream, capsys):
    target = library.make(np.zeros(N))
    for way in library.ways:
        memory = cuda.malloc(N)
        memory.fill(1.0)
        cuda.finish()
        # Once in vain, so that nothing is compiled or allocated while it counts.
        assert (library.numpy(library.copy_into(target, library.view(memory, way))) == 1).all()
        for longer in LONGER:
            with current_stream(cuda, producer_stream), on(library, consumer_stream):
                start = time.perf_counter()
                end = slow(1.0 + longer, memory, longer)
                ran = not end.is_reached
                view = library.view(memory, way)
                handed = time.perf_counter() - start
                seen = library.numpy(library.copy_into(target, view))
            assert (seen == 1.0 + longer).all(), (way, seen[:4])
            if ran:
                break
        assert ran, "the producer was running when the memory changed hands"
        with capsys.disabled():
            print(f"\n{library.name} by {way}: handed over after {handed * 1e3:.1f} of {longer * slow.seconds * 1e3:.0f} ms", end="")


@pytest.mark.libraries("cupy", "torch", "jax")
def test_dlpack_does_not_wait_on_the_host(cuda, library, slow, producer_stream):
    memory = cuda.malloc(N)
    library.view(memory)
    cuda.finish()
    with current_stream(cuda, producer_stream):
        for longer in LONGER:
            end = slow(2.0, memory, longer)
            library.view(memory)
            runs = not end.is_reached
            producer_stream.finish()
            if runs:
                break
    assert runs, "the host waited for the kernel"


@pytest.mark.libraries("cupy")
def test_without_order_a_stale_value_is_seen(cuda, library, slow):
    """That the tests above can fail: DLPack's stream -1 asks for no order."""
    memory, target = cuda.malloc(N), library.make(np.zeros(N))
    memory.fill(1.0)
    cuda.finish()
    with library.side_stream():
        library.copy_into(target, library.view(memory))
    with current_stream(cuda, cuda.create_stream({"non_blocking": True})) as side, library.side_stream():
        slow(2.0, memory)
        view = library.cupy.from_dlpack(memory.__dlpack__(stream=-1, max_version=(1, 0)))
        assert (library.numpy(library.copy_into(target, view)) == 1).all()
        side.finish()
        assert (library.numpy(view) == 2).all()


def test_a_running_producer_of_the_librarys_own_is_waited_for(cuda, library, producer_stream, consumer_stream):
    original = library.make(np.ones(N))
    if library.writes:
        library.slow_fill(original, 3.0)
        library.fill(original, 1.0)
    else:
        library.slow_fill(original, 3.0).block_until_ready()
    cuda.finish()
    with current_stream(cuda, producer_stream), on(library, consumer_stream) as stream:
        start = time.perf_counter()
        made = library.slow_fill(original, 3.0)
        array = original if made is None else made
        if library.name == "numba" and stream is not None:
            array = array.bind(stream)
        memory = cuda.wrap(array)
        behind = cuda.event()  # which comes after the library's work, because the memory does
        ran, queued = not behind.is_reached, time.perf_counter() - start
        seen = memory.to_host()
        assert (seen == 3).all()
    # The work lasts a tenth of a second and more: who was held up for longer than that has seen nothing.
    assert ran or queued > 0.1, "it was running when it was wrapped"


@pytest.mark.libraries("cupy")
def test_streams_are_ordered_by_hand_too(cuda, library, slow):
    cupy = library.cupy
    memory, target = cuda.malloc(N), library.make(np.zeros(N))
    memory.fill(1.0)
    view = library.view(memory)
    cuda.finish()
    ours, theirs = cuda.create_stream({"non_blocking": True}), cupy.cuda.Stream(non_blocking=True)
    with current_stream(cuda, ours):
        slow(2.0, memory)
        cuda.wrap_stream(theirs).wait(ours)
        with theirs:
            assert (library.numpy(library.copy_into(target, view)) == 2).all()
            library.slow_fill(view, 4.0)
        ours.wait(theirs)
        assert (memory.to_host() == 4).all()
    external = cupy.cuda.ExternalStream(ours.__cuda_stream__()[1])
    with external:
        assert (library.numpy(view) == 4).all()
    with pytest.raises(TypeError, match="a stream is"):
        ours.wait("theirs")

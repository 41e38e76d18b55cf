"""OpenCL: what shares memory with the host is a NumPy array in place, what does not is handed on as a `cl_mem`."""

import ferrocca
import numpy as np
import pytest
import reference

SHARED, SEPARATE = "mode=OpenCL", "mode=OpenCL, memory=separate"

SCALE = """@kernel void scale(const int n, const double a, double *x) {
    for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) x[i] *= a;
}"""


def test_shared_memory_is_a_numpy_array_in_place(opened):
    device = opened(SHARED)
    memory = device.malloc_from(np.arange(1000.0))
    if memory.device != "cpu":
        pytest.skip("this device has memory of its own")
    view = memory.array()
    assert np.shares_memory(view, np.asarray(memory)) and np.shares_memory(view, np.from_dlpack(memory))
    scale = device.build_kernel_from_string(SCALE, "scale")
    scale(1000, 3.0, memory)
    # Asking again waits for what is queued.
    assert (memory.array() == 3 * np.arange(1000.0)).all() and memory.array() is view
    view[:] = 1
    scale(1000, 2.0, memory)
    assert (memory[990:].array() == 2).all()
    with pytest.raises(BufferError, match="no `cl_mem`"):
        memory.int_ptr


def test_separate_memory_is_never_copied_silently(opened):
    device = opened(SEPARATE)
    memory = device.malloc_from(np.arange(10.0))
    assert memory.device.startswith("opencl:")
    for attempt in (memory.array, lambda: np.asarray(memory), lambda: memoryview(memory)):
        with pytest.raises((BufferError, TypeError), match=r"to_host\(\)"):
            attempt()
    # NumPy sees the device, and says so in its own words.
    with pytest.raises((BufferError, RuntimeError)):
        np.from_dlpack(memory)
    assert (memory.to_host() == np.arange(10.0)).all()
    assert memory[3:].offset == 24 and memory[3:].int_ptr == memory.int_ptr


class OnCuda:
    """An array that says it lies on a GPU, and notes the stream that it is asked for."""

    asked = None

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **keywords):
        OnCuda.asked = keywords
        raise AssertionError("a queue was taken for a CUDA stream")


def test_a_queue_is_no_cuda_stream(opened):
    device = opened(SEPARATE)
    assert device.stream.ptr != 0
    with pytest.raises(AttributeError, match="`OpenCL` is not a CUDA stream"):
        device.stream.__cuda_stream__()
    with pytest.raises(BufferError, match="lies on cuda:0, which mode `OpenCL` cannot use"):
        device.wrap(OnCuda())
    assert OnCuda.asked is None


def test_pyopencl_takes_the_memory_and_its_queue(opened, pyopencl):
    cl = pyopencl
    device = opened(SEPARATE)
    memory = device.malloc_from(np.arange(1000.0))
    device.build_kernel_from_string(SCALE, "scale")(1000, 3.0, memory)
    part = memory[100:]
    buffer = cl.MemoryObject.from_int_ptr(part.int_ptr)
    queue = cl.CommandQueue.from_int_ptr(part.queue_int_ptr)
    result = np.empty(900)
    cl.enqueue_copy(queue, result, buffer, src_offset=part.offset)
    assert (result == 3 * np.arange(100.0, 1000.0)).all()
    cl.enqueue_fill_buffer(queue, buffer, np.float64(7), part.offset, part.nbytes)
    assert (memory.to_host()[:100] == 3 * np.arange(100.0)).all() and (part.to_host() == 7).all()


@pytest.mark.parametrize("properties", [SHARED, SEPARATE])
def test_a_script_sees_every_step(burgers, opened, tmp_path, properties):
    opened(properties)
    script = """
import os, numpy as np
rows = []
def step(frame):
    rows.append(frame.u.array().copy() if frame.u.device == "cpu" else frame.u.to_host())
def finish(run):
    np.save(os.path.join(run.output_dir, "rows.npy"), rows)
"""
    done = burgers("--output", tmp_path, script=script, device=properties)
    assert done.returncode == 0, done.stderr
    assert "u[10] = 0.0733873" in done.stdout
    assert np.abs(np.load(tmp_path / "rows.npy") - reference.solve()).max() < 1e-12


HAND_OVER = """
import os, numpy as np, pyopencl as cl
rows = []
def step(frame):
    u = frame.u
    assert not u.in_place
    buffer = cl.MemoryObject.from_int_ptr(u.int_ptr)
    queue = cl.CommandQueue.from_int_ptr(u.queue_int_ptr)
    rows.append(np.empty(u.shape))
    cl.enqueue_copy(queue, rows[-1], buffer, src_offset=u.offset)
    if frame.step == 100:
        # Nobody waits here: the queue is the solver's own.
        cl.enqueue_fill_buffer(queue, buffer, np.float64(0.25), u.offset, u.nbytes)
def finish(run):
    np.save(os.path.join(run.output_dir, "rows.npy"), rows)
"""


def test_a_script_hands_the_field_to_pyopencl_and_back(burgers, opened, pyopencl, tmp_path):
    opened(SEPARATE)
    done = burgers("--final-time", 0.2, "--output", tmp_path, script=HAND_OVER, device=SEPARATE)
    assert done.returncode == 0, done.stderr
    rows, expected = np.load(tmp_path / "rows.npy"), reference.solve(final_time=0.2)
    assert rows.shape == expected.shape
    assert np.abs(rows[:100] - expected[:100]).max() < 1e-12
    assert (rows[100:] == 0.25).all(), "a constant field is a steady state"


def test_copies_between_devices_go_by_way_of_the_host_only_on_request(opened):
    one, other = opened(SEPARATE), opened(SEPARATE)
    source, target = one.malloc_from(np.arange(10.0)), other.malloc(10)
    target.fill(7.0)
    for attempt in (lambda: target.copy_from(source), lambda: source.copy_to(target)):
        with pytest.raises(ferrocca.Error, match=r"neither of the two devices reaches.*via_host=True"):
            attempt()
    assert (target.to_host() == 7.0).all(), "a refused copy writes nothing"
    target.copy_from(source, via_host=True)
    assert target.to_host().tolist() == list(range(10))
    source.fill(3.0)
    source.copy_to(target, via_host=True)
    assert (target.to_host() == 3.0).all()
    with pytest.raises(ferrocca.Error, match="cannot copy 9 elements to memory of 10"):
        target.copy_from(one.malloc(9), via_host=True)
    # Memory that the host addresses needs no request.
    target.copy_from(ferrocca.Device("mode=Serial").malloc_from(np.ones(10)))
    assert (target.to_host() == 1.0).all()

"""Memory that nobody holds any more is given back at once, or with the next work, whoever has let it go."""

import ctypes
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import threading
import weakref

import ferrocca
import numpy as np
import pytest

SOURCE = "@kernel void first(const int n, double *x) { for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) x[i] = n; }"


DELETERS = pathlib.Path(__file__).with_name("deleters.py")

READ_AFTER_FREE = """
import ctypes
c = ctypes.CDLL(None)
c.malloc.restype, c.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
address = c.malloc(64)
c.free(address)
ctypes.string_at(address, 64)
"""


def resident_bytes():
    """Memory of this process that lies in RAM now."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory a process has now")
def test_slices_in_a_loop_of_launches_do_not_grow():
    device = ferrocca.Device("mode=Serial")
    kernel, memory = device.build_kernel_from_string(SOURCE, "first"), device.malloc(16)
    for _ in range(2):  # the first round is to warm up
        before = resident_bytes()
        for _ in range(50_000):
            kernel(2, memory[1:3])
    assert resident_bytes() - before < 1 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory a process has now")
def test_dropped_memory_is_freed_at_once():
    device = ferrocca.Device("mode=Serial")
    before = resident_bytes()
    memory = device.malloc(3 * 10**7)
    memory.fill(1.0)
    view = memory[1:5].array()
    assert resident_bytes() - before > 2 * 10**8
    del memory
    assert view.sum() == 4.0
    assert resident_bytes() - before > 2 * 10**8, "a view keeps the whole"
    del view
    assert resident_bytes() - before < 10**7


class Source(np.ndarray):
    """An array that a weak reference can watch."""


@pytest.mark.parametrize("queue", ["launch", "fill", "copy_from", "copy_to", "slice"])
def test_what_another_library_has_dropped_is_let_go_where_work_is_queued(queue):
    device = ferrocca.Device("mode=Serial")
    kernel, memory, other = device.build_kernel_from_string(SOURCE, "first"), device.malloc(16), device.malloc(16)
    other.fill(1.0)
    calls = {
        "launch": lambda: kernel(2, memory),
        "fill": lambda: memory.fill(1.0),
        "copy_from": lambda: memory.copy_from(other),
        "copy_to": lambda: memory.copy_to(other),
        "slice": lambda: memory[1:3],
    }
    source = np.zeros(4).view(Source)
    watched, views = weakref.ref(source), [np.from_dlpack(device.wrap(source))]
    del source
    thread = threading.Thread(target=views.clear)
    thread.start()
    thread.join()
    assert watched() is not None, "a deleter frees nothing"
    calls[queue]()
    assert watched() is None


def test_a_consumer_that_deletes_a_tensor_and_keeps_the_capsules_name_does_no_harm(opened):
    """As PyTorch does for devices that it does not know."""
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    memory = opened("mode=Serial").malloc_from(np.arange(24.0))
    for _ in range(100):
        capsule = memory.__dlpack__()
        managed = pointer_of(capsule, b"dltensor")
        # void *data, device (8), ndim (4), dtype (4), shape, strides, byte_offset, manager_ctx: then the deleter.
        deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ctypes.c_void_p.from_address(managed + 56).value)
        deleter(managed)
        others = [memory.__dlpack__() for _ in range(3)]
        del capsule
        assert all("dltensor" in repr(other) for other in others)
    assert np.from_dlpack(memory).tolist() == memory.tolist()


def run(script, **environment):
    command = [sys.executable, "-X", "faulthandler", script]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})


def test_views_are_let_go_in_every_way():
    done = run(DELETERS)
    assert (done.returncode, done.stderr) == (0, "") and "still held" in done.stdout, done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="the sanitiser is preloaded as Linux does it")
def test_the_address_sanitiser_finds_nothing(tmp_path):
    """It watches what is allocated, freed, copied and read by the C library, with no part of the extension built for it."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("no gcc, whose address sanitiser would be used")
    named = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
    if not os.path.isabs(named):
        pytest.skip("this gcc has no address sanitiser")
    # Leaks are not looked for: Python leaves much to the end of the process.
    watched = {"LD_PRELOAD": os.path.realpath(named), "PYTHONMALLOC": "malloc", "ASAN_OPTIONS": "detect_leaks=0"}
    wrong = tmp_path / "wrong.py"
    wrong.write_text(READ_AFTER_FREE)
    assert "heap-use-after-free" in run(wrong, **watched).stderr, "it does not watch"
    done = run(DELETERS, **watched)
    assert done.returncode == 0 and "AddressSanitizer" not in done.stderr and "still held" in done.stdout, done.stderr

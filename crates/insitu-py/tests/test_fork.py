"""A process that forks: its child has none of its threads."""

import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="this system does not fork")

PROGRAM = """
import os, signal, sys, warnings
import ferrocca

warnings.simplefilter("ignore")  # that this process has threads is what is tested
SOURCE = "@kernel void add(const int n, double *x) { for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) x[i] += 1; }"
COUNT = 10_000_000
device = ferrocca.Device(sys.argv[1])
kernel = device.build_kernel_from_string(SOURCE, "add")
memory = device.malloc(COUNT)
memory.fill(1)
kernel(COUNT, memory)
device.finish()


def attempt(call):
    try:
        call()
        print("ran", flush=True)
    except ferrocca.Error as error:
        print("refused:", " ".join(str(error).splitlines()), flush=True)


def end():
    if "WebGPU" in sys.argv[1]:
        os._exit(0)  # as `multiprocessing` does: in `exit` Mesa waits for threads that only the parent has
    sys.exit()


def use():
    kernel(COUNT, memory)
    device.finish()
    host = memory.to_host()
    assert host[0] == host[-1] == 3, host


def use_another():
    device = ferrocca.Device(sys.argv[1])
    memory = device.malloc(COUNT)
    memory.fill(2)
    device.build_kernel_from_string(SOURCE, "add")(COUNT, memory)
    assert memory.to_host()[-1] == 3


if not (child := os.fork()):
    signal.alarm(60)  # a child that hangs is ended
    for call in [use, lambda: device.malloc(10).fill(1), lambda: memory.fill(2), memory.duplicate, device.finish,
                 lambda: kernel(COUNT, memory), memory.to_host]:
        attempt(call)
    del device, kernel, memory, call
    print("dropped", flush=True)
    end()
print("child:", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)

if not (child := os.fork()):
    signal.alarm(60)
    attempt(use_another)
    end()
print("child:", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
kernel(COUNT, memory)
print("parent:", memory.to_host()[-1])
"""


@pytest.mark.parametrize(
    "properties",
    ["mode=Serial", "mode=CPU", "mode=CPU, threads=3", "mode=CPU, pool=own, threads=3", "mode=OpenCL", "mode=WebGPU", "mode=CUDA"],
)
def test_a_child_computes_or_says_why_not_and_drops_what_it_has(opened, properties):
    device = opened(properties)
    program = textwrap.dedent(PROGRAM)
    done = subprocess.run([sys.executable, "-c", program, properties], capture_output=True, text=True, timeout=300)
    text = done.stdout + done.stderr
    assert done.returncode == 0 and not done.stderr, text
    *outcomes, dropped, child, of_another, other_child, parent = done.stdout.splitlines()
    assert (dropped, child, other_child, parent) == ("dropped", "child: 0", "child: 0", "parent: 3.0"), text
    refuses = any(mode in properties for mode in ("OpenCL", "WebGPU", "CUDA"))
    expected = "the process was forked after" if refuses else "ran"
    assert len(outcomes) == 7 and all(expected in line for line in outcomes), text
    # The drivers of OpenCL and CUDA belong to the process, and not to a device. So do some of Vulkan's, but not Mesa's.
    if "WebGPU" in properties and "llvmpipe" not in device.name:
        assert "ran" in of_another or "the process was forked after" in of_another, text
    else:
        expected = "the process was forked after" if "OpenCL" in properties or "CUDA" in properties else "ran"
        assert expected in of_another, text

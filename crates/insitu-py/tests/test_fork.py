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


def in_child():
    signal.alarm(60)  # a child that hangs is ended
    def use():
        kernel(COUNT, memory)
        device.finish()
        host = memory.to_host()
        assert host[0] == host[-1] == 3, host

    calls = [use, lambda: device.malloc(10).fill(1), lambda: memory.fill(2), memory.duplicate, device.finish,
             lambda: kernel(COUNT, memory), memory.to_host]
    for call in calls:
        try:
            call()
            print("ran")
        except ferrocca.Error as error:
            print("refused:", error)


child = os.fork()
if child == 0:
    in_child()
    del device, kernel, memory  # and so the child ends as any program does
    print("dropped", flush=True)
else:
    _, status = os.waitpid(child, 0)
    kernel(COUNT, memory)
    print("child:", os.waitstatus_to_exitcode(status), "parent:", memory.to_host()[-1])
"""


@pytest.mark.parametrize(
    "properties",
    ["mode=Serial", "mode=CPU", "mode=CPU, threads=3", "mode=CPU, pool=own, threads=3", "mode=OpenCL", "mode=WebGPU"],
)
def test_a_child_computes_or_says_why_not_and_drops_what_it_has(opened, properties):
    opened(properties)
    program = textwrap.dedent(PROGRAM)
    done = subprocess.run([sys.executable, "-c", program, properties], capture_output=True, text=True, timeout=300)
    lines = done.stdout.splitlines()
    assert (done.returncode, lines[-1:]) == (0, ["child: 0 parent: 3.0"]), done.stdout + done.stderr
    assert "dropped" in lines and len(lines) == 9 and not done.stderr, done.stdout + done.stderr
    outcomes = lines[:7]
    if "OpenCL" in properties or "WebGPU" in properties:
        assert all(line.startswith("refused: the process was forked after") for line in outcomes), done.stdout
    else:
        assert outcomes == ["ran"] * 7, done.stdout

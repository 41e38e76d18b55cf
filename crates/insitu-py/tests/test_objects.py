"""What Python asks of any object: weak references, copies, pickling, pictures in notebooks; `python -m ferrocca info`."""

import copy
import gc
import json
import pickle
import shutil
import subprocess
import sys
import weakref

import ferrocca
import numpy as np
import pytest
from ferrocca.burgers import Solver


@pytest.fixture
def device():
    return ferrocca.Device("Serial")


def things(device):
    kernel = device.build_kernel_from_string("@kernel void f(const int n, float *x) { for (int i = 0; i < n; ++i; @outer) for (int j = 0; j < 1; ++j; @inner) x[i] = j; }", "f")
    return [
        device, kernel, device.stream, device.create_memory_pool(), device.event(), device.record(), device.malloc(3),
        Solver(device),
    ]


def test_everything_takes_weak_references(device):
    for thing in things(device):
        reference = weakref.ref(thing)
        assert reference() is thing
    del thing
    gc.collect()
    assert reference() is None


def test_handles_are_copied_as_handles_and_memory_as_numpys(device):
    for thing in things(device)[:6]:
        assert copy.copy(thing) is thing and copy.deepcopy(thing) is thing
    memory = device.malloc_from(np.arange(4.0))
    for copied in copy.copy(memory), copy.deepcopy([memory])[0]:
        copied.fill(0)
        assert memory.to_host().tolist() == [0, 1, 2, 3] and copied.to_host().tolist() == [0] * 4


def test_pickling_is_refused_and_says_what_to_do(device):
    for thing in things(device)[:7]:
        with pytest.raises(TypeError, match=f"{type(thing).__name__} belongs to a device"):
            pickle.dumps(thing)
    with pytest.raises(TypeError, match=r"to_host\(\)"):
        pickle.dumps(device.malloc(3))
    assert pickle.loads(pickle.dumps(ferrocca.STOP)) is ferrocca.STOP and copy.deepcopy(ferrocca.STOP) is ferrocca.STOP


def test_notebooks_show_tables(device):
    memory = device.malloc((1024, 1024), "f4")
    html = memory._repr_html_()
    assert "<td>(1024, 1024)</td>" in html and "<td>4 MiB</td>" in html and "<td>float32</td>" in html
    html = device._repr_html_()
    assert "<td>Serial</td>" in html and "allocated here" in html
    assert "<td>n</td><td>int</td>" in things(device)[1]._repr_html_()


def info(*arguments, **options):
    command = [sys.executable, "-m", "ferrocca", "info", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120, **options).stdout


def test_info_says_what_there_is():
    known = json.loads(info("--json"))
    modes = {mode["name"]: mode for mode in known["modes"]}
    assert known["version"] == ferrocca.__version__ and modes.keys() == {mode["name"] for mode in ferrocca.modes()}
    assert modes["Serial"]["info"]["compiler"]
    text = info()
    assert "Serial: " in text and modes["Serial"]["info"]["compiler"] in text and f"numpy {np.__version__}" in text
    for name, mode in modes.items():
        if mode["unavailable"]:
            reason = mode["unavailable"].removeprefix(f"mode `{name}` is not available: ")
            assert f"not available: {reason}" in text and mode["unavailable"] not in text, name


SAME_BITS = """
import ferrocca, hashlib, sys
from ferrocca.burgers import Solver
device = ferrocca.Device("Serial")
solver = Solver(device)
solver.run()
print(device.info["compiler"])
print(hashlib.sha256(solver.u.to_host().tobytes()).hexdigest())
"""


def test_without_another_compiler_there_is_ziglang(tmp_path):
    pytest.importorskip("ziglang")

    def run(**environment):
        import os

        environment = {**os.environ, "FERROCCA_CACHE_DIR": str(tmp_path / "cache"), **environment}
        environment.pop("CC", None)
        done = subprocess.run([sys.executable, "-c", SAME_BITS], env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    bare = tmp_path / "bin"
    bare.mkdir()
    compiler, bits = run(PATH=str(bare))
    assert "zig" in compiler or "clang" in compiler
    assert (tmp_path / "cache" / "zig").is_dir(), "its caches are inside ours"
    if any(map(shutil.which, ("clang", "gcc", "cc"))):
        other, same = run()
        assert other != compiler and same == bits

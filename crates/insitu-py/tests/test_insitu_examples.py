"""The examples of `examples/insitu` that learn or show: what they reach where their library is, and what they say where it is not."""

import importlib
import importlib.util
import pathlib
import re
import subprocess
import sys

import ferrocca
import pytest
from ferrocca.burgers import Solver

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples" / "insitu"
LIBRARIES = {"autoencoder": "torch", "gradient": "jax", "tensorflow_view": "tensorflow", "rerun_view": "rerun"}

#: The library is not found, wherever it may be installed.
WITHOUT = """
import sys
sys.modules[{library!r}] = None
sys.path.insert(0, {directory!r})
import ferrocca
from ferrocca.burgers import Solver
device = ferrocca.Device("Serial")
import {name} as example
print(Solver(device, final_time=0.3).run(getattr(example, "hook", example)))
"""


@pytest.mark.parametrize("name", LIBRARIES)
def test_without_its_library_it_says_so_and_the_run_goes_on(name):
    script = WITHOUT.format(library=LIBRARIES[name], directory=str(EXAMPLES), name=name)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    told, end = done.stdout.splitlines()
    assert told.startswith(f"{name}: skipped: ") and "pip install" in told and end == "finished"


def run(name, tmp_path, capsys, **options):
    """Runs an example, and answers what it has printed."""
    if importlib.util.find_spec(LIBRARIES[name]) is None:
        pytest.skip(f"{LIBRARIES[name]} is not installed")
    device = ferrocca.Device("Serial")  # before the library is imported
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert Solver(device, **options).run(module.hook, output_dir=tmp_path) == "finished"
    return capsys.readouterr().out


def test_an_autoencoder_learns(tmp_path, capsys):
    if importlib.util.find_spec("torch"):
        importlib.import_module("torch").set_num_threads(1)
    out = run("autoencoder", tmp_path, capsys, points=64, final_time=0.5)
    first, last = map(float, re.search(r"loss (\S+) -> (\S+),", out).groups())
    learnt, best = map(float, re.search(r"error (\S+) with .* rank (\S+)", out).groups())
    assert last < first / 10 and best <= learnt < 0.5 and (tmp_path / "autoencoder.pt").stat().st_size > 1000


def test_a_gradient_steers_the_viscosity(tmp_path, capsys):
    out = run("gradient", tmp_path, capsys, dt=1e-4)
    first, last = map(float, re.search(r"loss (\S+) -> (\S+) after", out).groups())
    assert last < first / 10 and float(out.rpartition("nu = ")[2]) > 0.01


def test_a_front_has_a_wide_spectrum(tmp_path, capsys):
    out = run("tensorflow_view", tmp_path, capsys)
    first, last = map(float, re.search(r"half (\S+) -> (\S+)", out).groups())
    assert first < 1e-9 and 1e-4 < last < 0.1

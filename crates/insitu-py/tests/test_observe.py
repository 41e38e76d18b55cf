"""Hooks that observe: `observe(batch)` in a script of the program, and in an object of this process."""

import pathlib

import ferrocca
import numpy as np
import pytest
import reference
from ferrocca.burgers import Solver

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples" / "insitu"

COLLECT = """
import os, numpy as np
rows, moments, sizes = [], [], []
def observe(batch):
    u = batch.u.array()
    assert u.shape == (len(batch), 258) == (len(batch.steps), 258) and len(batch.times) == len(batch)
    assert batch.fields["u"].array() is u
    rows.append(u.copy())
    moments.extend(zip(batch.steps, batch.times))
    sizes.append(len(batch))
def finish(run):
    np.savez(os.path.join(run.output_dir, "rows.npz"), rows=np.concatenate(rows), moments=moments, sizes=sizes)
"""

STEPS = """
import os, numpy as np
rows = []
def step(frame):
    rows.append(frame.u.array().copy())
def finish(run):
    np.savez(os.path.join(run.output_dir, "steps.npz"), rows=rows)
"""


@pytest.fixture
def device():
    return ferrocca.Device("mode=Serial")


@pytest.mark.parametrize("device", ["mode=Serial", "{mode: 'CPU', threads: 2}"])
def test_batches_have_the_bits_of_the_steps(burgers, tmp_path, device):
    for script in COLLECT, STEPS:
        done = burgers("--output", tmp_path, script=script, device=device)
        assert done.returncode == 0, done.stderr
        assert "u[10] = 0.0733873" in done.stdout
    made, steps = np.load(tmp_path / "rows.npz"), np.load(tmp_path / "steps.npz")
    assert np.array_equal(made["rows"], steps["rows"]) and made["rows"].shape == (2001, 258)
    assert made["moments"][:, 0].tolist() == list(range(1, 2002))
    assert np.allclose(made["moments"][:, 1], 0.001 * np.arange(1, 2002))
    assert made["sizes"].tolist() == [512, 512, 512, 465]


def test_every_third_step(burgers, tmp_path):
    done = burgers("--every", 3, "--final-time", 0.1, "--output", tmp_path, script=COLLECT)
    assert done.returncode == 0, done.stderr
    made = np.load(tmp_path / "rows.npz")
    assert made["moments"][:, 0].tolist() == list(range(3, 101, 3))
    assert np.abs(made["rows"] - reference.solve(final_time=0.1)[2::3]).max() < 1e-12


def test_the_observed_svd_is_the_svd(burgers, tmp_path):
    pytest.importorskip("matplotlib")
    values = {}
    for name in "svd", "svd_observed":
        done = burgers("--insitu", EXAMPLES / f"{name}.py", "--output", tmp_path / name)
        assert done.returncode == 0, done.stderr
        values[name] = (tmp_path / name / "singular_values.txt").read_bytes()
        for picture in "Field_evolution.png", "SVD_Eigenvectors.png":
            assert (tmp_path / name / picture).read_bytes().startswith(b"\x89PNG"), picture
    assert values["svd"] == values["svd_observed"]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("def step(frame): pass\ndef observe(batch): pass\n", "not both"),
        ("observe = 3\n", "`observe` is a int, not a function"),
        ("def observe(batch): raise ValueError(batch.steps[-1])\n", "ValueError: 512"),
        ("import ferrocca\ndef observe(batch): return ferrocca.STOP\n", "the run has already gone on"),
        ("def observe(batch): return 1\n", "`observe` returned 1: None is expected"),
        ("def observe(batch): batch.v\n", "this batch has no field `v`; its fields: u"),
    ],
)
def test_what_is_wrong_is_said(burgers, script, expected):
    done = burgers(script=script)
    assert done.returncode != 0 and expected in done.stderr, done.stderr


def test_an_error_names_the_steps(burgers):
    done = burgers(script="def observe(batch):\n  if 600 in batch.steps: 1 / 0\n")
    assert "`observe` of script.py of steps 513 to 1024" in done.stderr and "line 2, in observe" in done.stderr


def test_a_divergence_is_told_and_never_observed(burgers, tmp_path):
    script = COLLECT.replace("    rows.append", "    assert np.isfinite(u).all()\n    rows.append")
    done = burgers("--dt", 0.05, "--final-time", 100, "--output", tmp_path, script=script)
    alone = burgers("--dt", 0.05, "--final-time", 100)
    assert done.returncode != 0 and "NaN appeared at step" in done.stderr
    assert [line for line in alone.stderr.splitlines() if "NaN" in line][-1] in done.stderr


def test_an_object_that_observes(device):
    class Hook:
        def __init__(self):
            self.rows, self.steps, self.kept = [], [], None

        def observe(self, batch):
            assert repr(batch) == f"ferrocca.Batch({len(batch)} steps, {batch.steps[0]} to {batch.steps[-1]}, u)"
            assert batch.u.shape == (len(batch), 34) and batch.u.dtype == "float64"
            self.rows.append(batch.u.to_host())
            self.steps += batch.steps
            self.kept = batch

        def finish(self, run):
            self.finished = run.points

    hook = Hook()
    solver = Solver(device, points=32, final_time=0.6)
    assert solver.run(hook, every=2) == "finished" and hook.finished == 32
    expected = reference.solve(points=32, final_time=0.6)
    assert hook.steps == list(range(2, solver.step_count + 1, 2))
    assert np.abs(np.concatenate(hook.rows) - expected[1::2]).max() < 1e-12
    # The batch and its memory outlive the run.
    del solver
    assert np.array_equal(hook.kept.u.array(), hook.rows[-1])


def test_an_object_cannot_do_both(device):
    class Both:
        def step(self, frame):
            pass

        def observe(self, batch):
            pass

    with pytest.raises(TypeError, match="not both"):
        Solver(device).run(Both())


def test_an_exception_comes_out_as_itself(device):
    class Hook:
        def observe(self, batch):
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        Solver(device).run(Hook())

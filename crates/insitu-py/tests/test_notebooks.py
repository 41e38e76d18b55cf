"""The notebooks of `examples/notebooks`, cell by cell, as Jupyter runs them; without Jupyter."""

import ast
import json
import pathlib

import numpy as np
import pytest

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[3] / "examples" / "notebooks"


def execute(name, space=None):
    """Runs the code cells in one space; answers it, with what the last expression of each cell was in `shown`."""
    pytest.importorskip("matplotlib").use("agg")
    space = {"shown": [], **(space or {})}
    book = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text())
    assert book["nbformat"] == 4 and book["cells"][0]["cell_type"] == "markdown"
    for number, cell in enumerate(book["cells"]):
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [] and cell["execution_count"] is None, "notebooks are kept without their results"
        tree = ast.parse("".join(cell["source"]), f"cell {number}")
        last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"cell {number}", "exec"), space)
        if last is not None:
            space["shown"].append(eval(compile(last, f"cell {number}", "eval"), space))
    return space


def test_a_kernel_in_five_minutes(capsys):
    space = execute("a_kernel_in_five_minutes")
    plate = space["u"].to_host()
    assert 0 < plate.max() < 1 and plate.sum() == pytest.approx(space["start"].sum(), rel=1e-2), "the heat spreads, and but for the edge it stays"
    assert [kernel["name"] for kernel in space["profile"].kernels] == ["heat"]
    assert all(hasattr(shown, "_repr_html_") for shown in space["shown"] if type(shown).__module__ == "ferrocca")
    said = capsys.readouterr().out
    assert "1000 steps" in said and "kernel `heat`" in said


def test_watch_burgers_form_a_shock(capsys):
    space = execute("watch_burgers_form_a_shock")
    times, slopes = np.array(space["slopes"]).T
    assert len(space["snapshots"]) == 20 and space["pod"].values[0] > space["pod"].values[5] > 0
    # sin x becomes vertical at t = 1; with viscosity the slope is largest some time later.
    assert slopes[0] == pytest.approx(1, abs=0.05) and 1.0 < times[np.argmax(slopes)] < 2.0 and slopes.max() > 20
    said = capsys.readouterr().out
    assert "finished" in said and "nu is now 0.05" in said and "stopped at t = " in said

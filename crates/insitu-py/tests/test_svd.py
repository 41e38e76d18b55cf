"""`examples/insitu/svd.py` with frames made by hand: rows, growth, results, and files that are whole or not there."""

import importlib.util
import os
import pathlib
import types

import numpy as np
import pytest
import reference

pytest.importorskip("matplotlib")

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "examples" / "insitu" / "svd.py"


@pytest.fixture
def svd():
    spec = importlib.util.spec_from_file_location("svd_under_test", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_of(directory, **parameters):
    return types.SimpleNamespace(parameters=parameters, output_dir=str(directory))


def refused():
    raise BufferError("no view, or no copy, was to be asked for")


def field_of(u, in_place=True):
    """A field that gives a view or a copy, and refuses the other."""
    view, copy = (lambda: u, refused) if in_place else (refused, u.copy)
    return types.SimpleNamespace(in_place=in_place, array=view, to_host=copy)


def frame_of(step, time, u, in_place=True):
    return types.SimpleNamespace(step=step, time=time, fields={"u": field_of(u, in_place)})


def is_png(path):
    return path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n") and path.read_bytes().rstrip(b"\0")[-8:-4] == b"IEND"


def analyse(svd, directory, steps, in_place=True, **parameters):
    """Hands the rows over in one buffer that is overwritten each time, as a solver's is."""
    run = run_of(directory, **parameters)
    buffer = np.empty(steps.shape[1])
    svd.start(run)
    for index, row in enumerate(steps):
        buffer[:] = row
        svd.step(frame_of(index + 1, (index + 1) * 0.001, buffer, in_place))
    buffer[:] = np.nan
    svd.finish(run)


@pytest.mark.parametrize(
    "parameters",
    [{"points": 32}, {"points": 32, "final_time": 0.003, "dt": 0.001}, {"points": 32, "in_place": False}],
)
def test_results_are_those_of_numpy(svd, tmp_path, capsys, parameters):
    steps = reference.solve(points=32, nu=0.05, final_time=1.0)
    analyse(svd, tmp_path / "made", steps, **parameters)
    inside = steps[:, 1:-1]
    assert np.array_equal(svd.snapshots.matrix(), inside)
    values = np.loadtxt(tmp_path / "made" / "singular_values.txt")
    expected = np.linalg.svd(inside, compute_uv=False)
    assert np.allclose(values, expected, rtol=1e-12, atol=1e-12 * expected[0])
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == [
        "Field_evolution.png",
        "SVD_Eigenvectors.png",
        "SVD_Values.png",
        "singular_values.txt",
    ]
    assert all(is_png(path) for path in (tmp_path / "made").glob("*.png"))
    assert f"{len(steps)} snapshots of 32 points" in capsys.readouterr().out


def test_vectors_are_right_singular_and_oriented(svd, tmp_path, monkeypatch):
    plotted = {}
    monkeypatch.setattr(svd, "plot_modes", lambda file, x, right, values, problem: plotted.update(x=x, right=right))
    steps = reference.solve(points=32, nu=0.05, final_time=0.5)
    analyse(svd, tmp_path, steps, points=32)
    inside, right = steps[:, 1:-1], plotted["right"]
    assert right.shape == (3, 32) and np.allclose(right @ right.T, np.eye(3), atol=1e-12)
    values = np.linalg.svd(inside, compute_uv=False)
    assert np.allclose(np.linalg.norm(inside @ right.T, axis=0), values[:3])
    for row in right:
        assert row[np.abs(row) >= np.abs(row).max() / 2][0] > 0
    assert np.allclose(plotted["x"], np.arange(32) * 2 * np.pi / 32)


def axes_of(monkeypatch, svd):
    figures = []
    new_figure = svd.new_figure
    monkeypatch.setattr(svd, "new_figure", lambda length: figures.append(new_figure(length)) or figures[-1])
    return figures


def burgers_problem(svd):
    """The class, for runs that have no name of their own."""

    class Burgers(svd.Problem):
        def __init__(self, run, length):
            run.name = "burgers"
            super().__init__(run, length)

    return Burgers


def test_a_fine_grid_and_another_program_have_no_note(svd):
    named = {"points": 320, "nu": 0.01}
    problem = svd.Problem(types.SimpleNamespace(name="burgers", parameters=named), 2 * np.pi)
    assert problem.overshoot() is None and problem.initial(np.array([np.pi / 2]))[0] == 1
    other = svd.Problem(types.SimpleNamespace(name="other", parameters={"points": 16, "nu": 0.01}), 2 * np.pi)
    assert other.overshoot() is None and other.initial(np.zeros(1)) is None
    assert other.subtitle() == r"$\nu$ = 0.01, $N$ = 16"


def test_pictures_say_what_they_show(svd, tmp_path, monkeypatch):
    figures = axes_of(monkeypatch, svd)
    monkeypatch.setattr(svd, "Problem", burgers_problem(svd))
    analyse(svd, tmp_path, reference.solve(), points=256, nu=0.01, dt=0.001)
    (_, evolution), (_, modes) = figures
    of = r"$u_t + u\,u_x = \nu\,u_{xx}$, periodic, $\nu$ = 0.01, $N$ = 256, $\Delta t$ = 0.001, dimensionless"
    assert (evolution.get_xlabel(), evolution.get_ylabel(), evolution.get_title()) == ("x", "u", f"Field evolution\n{of}")
    assert modes.get_title() == f"POD modes (right singular vectors)\n{of}"
    labels = [text.get_text() for text in evolution.get_legend().get_texts()]
    times = [f"t = {0.001 * step:.3f} (step {step})" for step in (1, 401, 801, 1201, 1601, 2001)]
    assert labels == ["t = 0 (initial condition)", *times]
    assert [text.get_text() for text in evolution.texts] == [
        "cell Péclet number 2.45 > 2:\n|u| > 1 at the front is the scheme's overshoot"
    ]
    assert [text.get_text() for text in modes.texts] == [
        "cell Péclet number 2.45 > 2:\nthe spike at the front is the scheme's overshoot"
    ]
    brightness = [sum(line.get_color()[:3]) for line in evolution.lines[1:]]
    assert brightness == sorted(brightness), "later is brighter"
    steps = reference.solve()[:, 1:-1]
    for line, row in zip(evolution.lines[1:], steps[::400], strict=True):
        assert np.array_equal(line.get_ydata(), row)
        assert np.allclose(line.get_xdata(), np.arange(256) * 2 * np.pi / 256)
    assert [line.get_label().split(" (")[0] for line in modes.lines] == ["mode 0", "mode 1", "mode 2"]


def test_a_failing_write_leaves_the_old_file(svd, tmp_path):
    path = tmp_path / "result.txt"
    path.write_text("old")

    def fails(file):
        file.write(b"half")
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        svd.write_atomically(str(path), fails)
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["result.txt"]


def test_no_snapshot_is_no_failure(svd, tmp_path, capsys):
    svd.start(run_of(tmp_path))
    svd.finish(run_of(tmp_path))
    assert "no snapshot" in capsys.readouterr().out and not os.listdir(tmp_path)


def test_any_array_library_by_its_namespace(svd):
    """An array type that NumPy's functions do not know: only its own namespace can make and fill its arrays."""

    class Namespace:
        @staticmethod
        def empty(shape, dtype):
            return Array(np.empty(shape, dtype))

    class Array:
        __array_ufunc__ = None

        def __init__(self, data):
            self.data = data

        shape = property(lambda self: self.data.shape)
        dtype = property(lambda self: self.data.dtype)

        def __array_namespace__(self):
            return Namespace

        def __array__(self, *_, **__):
            raise TypeError("this array is not on the host")

        def __getitem__(self, index):
            return Array(self.data[index])

        def __setitem__(self, index, value):
            assert isinstance(value, Array)
            self.data[index] = value.data

    rows = svd.Snapshots(2)
    for index in range(5):
        rows.append(Array(np.full(3, float(index))))
    assert rows.matrix().data.tolist() == [[float(index)] * 3 for index in range(5)]

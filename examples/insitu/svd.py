"""Proper orthogonal decomposition of a running solver's field `u`.

Collects one snapshot of the interior points per step, where the field lives (host or GPU) if an array library shows it
there and else on the host, and at the end writes into the run's output directory

- ``Field_evolution.png``: the initial condition and snapshots, 400 steps apart, over x in [0, 2 pi);
- ``SVD_Eigenvectors.png``: the first three right singular vectors (POD modes);
- ``SVD_Values.png``: the singular values;
- ``singular_values.txt``: all singular values, the largest first.

The snapshot matrix has one row per collected step and one column per point, so that its right singular vectors are
functions of x. Nothing here names an array library: the field says which one is its own.
"""

import os

import numpy as np
from ferrocca.insitu import interior, namespace, to_numpy, values, write_atomically
from matplotlib import colormaps
from matplotlib.figure import Figure

FIELD = "u"
PLOT_EVERY = 400
MODES = 3
MOST_EXPECTED = 100_000  # rows made room for at once; more are grown when they come


class Snapshots:
    """Rows of equal length in an array that grows by doubling, in the array library of the first row."""

    def __init__(self, expected=1024):
        self.count = 0
        self._capacity = max(1, int(expected))
        self._rows = None

    def append(self, row):
        """Copies `row` into the next row; its memory may change afterwards."""
        if self._rows is None:
            self._rows = namespace(row).empty((self._capacity, row.shape[0]), dtype=row.dtype)
        elif self.count == self._rows.shape[0]:
            grown = namespace(row).empty((2 * self.count, row.shape[0]), dtype=row.dtype)
            grown[: self.count, :] = self._rows
            self._rows = grown
        self._rows[self.count, :] = row
        self.count += 1

    def matrix(self):
        """The rows so far, without a copy."""
        return self._rows[: self.count, :]


def oriented(vectors):
    """The rows of `vectors`, each so that the first of its large components is positive.

    A singular vector is defined up to its sign; this makes pictures of two runs comparable. Large is half of the
    largest and more: an odd function has its largest component twice, and rounding decides which one is found.
    """
    sizes = np.abs(vectors)
    first = (sizes >= sizes.max(axis=1, keepdims=True) / 2).argmax(axis=1)
    signs = np.sign(vectors[np.arange(len(vectors)), first])
    return vectors * np.where(signs == 0, 1, signs)[:, np.newaxis]


snapshots = None
points = None  # without ghost points; None where the run does not say
moments = []  # (step, time) of each snapshot


def start(run):
    global snapshots, points
    points = run.parameters.get("points")
    final_time, dt = run.parameters.get("final_time"), run.parameters.get("dt")
    # One row more than the quotient: the time is summed up, and rounding may cost a step.
    expected = final_time / dt + 2 if final_time and dt else 1024
    snapshots = Snapshots(min(expected, MOST_EXPECTED))
    moments.clear()


def step(frame):
    snapshots.append(interior(values(frame.fields[FIELD]), points))
    moments.append((frame.step, frame.time))


def finish(run):
    if snapshots.count == 0:
        print("svd: no snapshot was collected, so there is nothing to decompose")
        return
    directory = os.path.abspath(run.output_dir or ".")
    os.makedirs(directory, exist_ok=True)
    matrix = snapshots.matrix()
    xp = namespace(matrix)
    _, values, right = xp.linalg.svd(matrix, full_matrices=False)
    values, right = to_numpy(values), oriented(to_numpy(right[:MODES, :]))
    length = run.parameters.get("length", 2 * np.pi)
    x = np.arange(matrix.shape[1]) * (length / matrix.shape[1])

    def path(name):
        return os.path.join(directory, name)

    write_atomically(path("singular_values.txt"), lambda file: np.savetxt(file, values, fmt="%.17g"))
    problem = Problem(run, length)
    write_atomically(path("Field_evolution.png"), lambda file: plot_evolution(file, x, matrix, problem))
    write_atomically(path("SVD_Eigenvectors.png"), lambda file: plot_modes(file, x, right, values, problem))
    write_atomically(path("SVD_Values.png"), lambda file: plot_values(file, values, problem))
    print(f"svd: {snapshots.count} snapshots of {matrix.shape[1]} points; largest singular values:")
    for index, value in enumerate(values[:MODES]):
        print(f"svd:   sigma_{index} = {value:.6e}")
    print(f"svd: wrote Field_evolution.png, SVD_Eigenvectors.png, SVD_Values.png and singular_values.txt to {directory}")


class Problem:
    """What the pictures say of the run; all quantities are dimensionless."""

    def __init__(self, run, length):
        self.length = length
        self.is_burgers = getattr(run, "name", None) == "burgers"
        self.values = {name: run.parameters.get(name) for name in ("points", "nu", "dt")}

    def subtitle(self):
        equation = [r"$u_t + u\,u_x = \nu\,u_{xx}$, periodic"] if self.is_burgers else []
        symbols = {"nu": r"$\nu$", "points": "$N$", "dt": r"$\Delta t$"}
        numbers = [f"{symbols[name]} = {self.values[name]:g}" for name in symbols if self.values[name] is not None]
        return ", ".join(equation + numbers + (["dimensionless"] if self.is_burgers else []))

    def initial(self, x):
        """The field at time 0, where it is known."""
        return np.sin(2 * np.pi * x / self.length) if self.is_burgers else None

    def overshoot(self, what="|u| > 1"):
        """A sentence about what is seen where the grid is too coarse for the front: central differences then overshoot."""
        points, nu = self.values["points"], self.values["nu"]
        if not (self.is_burgers and points and nu):
            return None
        peclet = self.length / points / nu  # the largest speed is 1
        note = f"cell Péclet number {peclet:.2f} > 2:\n{what} at the front is the scheme's overshoot"
        return note if peclet > 2 else None


def plot_evolution(file, x, matrix, problem):
    """The initial condition, the first snapshot, and those that are PLOT_EVERY steps or more after the one drawn before."""
    figure, axes = new_figure(problem.length)
    initial = problem.initial(x)
    if initial is not None:
        # Above the first snapshot, which it all but hides.
        axes.plot(x, initial, color="orangered", linestyle="--", zorder=3, label="t = 0 (initial condition)")
    drawn, due = [], moments[0][0]
    for row, (at_step, time) in enumerate(moments):
        if at_step >= due:
            drawn.append((row, at_step, time))
            due = at_step + PLOT_EVERY
    # Times are ordered, and so are the colours, in grey too; the brightest yellow is not seen on white.
    colours = colormaps["viridis"](np.linspace(0, 0.9, len(drawn)))
    for (row, at_step, time), colour in zip(drawn, colours):
        axes.plot(x, to_numpy(matrix[row, :]), color=colour, label=f"t = {time:.3f} (step {at_step})")
    label(figure, axes, "Field evolution", problem, "x", "u")
    annotate(axes, problem.overshoot())
    figure.savefig(file, format="png", dpi=150)


def plot_modes(file, x, right, values, problem):
    """Right singular vectors over x, with their share of the snapshots' energy."""
    figure, axes = new_figure(problem.length)
    energy = share_of_energy(values)
    for index, (vector, style) in enumerate(zip(right, ("-", "--", ":"))):
        text = f"mode {index} ({100 * energy[index]:.2f} % of the energy)"
        axes.plot(x, vector, style, color=colormaps["viridis"](0.4 * index), label=text)
    label(figure, axes, "POD modes (right singular vectors)", problem, "x", "component of unit vector")
    annotate(axes, problem.overshoot("the spike"))
    figure.savefig(file, format="png", dpi=150)


def plot_values(file, values, problem):
    """Singular values, and the energy that the modes up to each one do not have."""
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    # What rounding leaves of zero says nothing.
    shown = values[values > values[0] * np.finfo(float).eps * len(values)] if values[0] > 0 else values[:1]
    # Summed from the end: small numbers are not lost in 1 - sum.
    rest = (np.cumsum(share_of_energy(values)[::-1])[::-1] - share_of_energy(values))[: len(shown)]
    rest = rest[rest > np.finfo(float).tiny]
    axes.plot(np.arange(len(shown)), shown, "o", markersize=3, color="black", label="singular value")
    axes.plot(np.arange(len(rest)), rest, "-", color=colormaps["viridis"](0.5), label="share of energy in later modes")
    axes.set_yscale("log")
    label(figure, axes, "Singular values of the snapshots", problem, "mode", "singular value, share of energy")
    figure.savefig(file, format="png", dpi=150)


def share_of_energy(values):
    return values**2 / max(float((values**2).sum()), np.finfo(float).tiny)


def annotate(axes, note):
    if note:
        axes.text(0.02, 0.03, note, transform=axes.transAxes, fontsize="small", va="bottom")


def label(figure, axes, title, problem, x, y):
    axes.set_title(title + ("\n" + problem.subtitle() if problem.subtitle() else ""), fontsize="medium")
    axes.set(xlabel=x, ylabel=y)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")


def new_figure(length):
    """A figure, without the global state of pyplot, and its axes over x in [0, length)."""
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlim(0, length)
    if np.isclose(length, 2 * np.pi):
        ticks = np.linspace(0, 2 * np.pi, 5)
        axes.set_xticks(ticks, ["0", r"$\pi/2$", r"$\pi$", r"$3\pi/2$", r"$2\pi$"])
    return figure, axes

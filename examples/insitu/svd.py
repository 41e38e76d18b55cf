"""Proper orthogonal decomposition of a running solver's field `u`.

Collects one snapshot of the interior points per step, where the field lives (host or GPU) if an array library shows it
there and else on the host, and at the end writes into the run's output directory

- ``Field_evolution.png``: snapshots, 400 steps apart, over x in [0, 2 pi);
- ``SVD_Eigenvectors.png``: the first three right singular vectors;
- ``singular_values.txt``: all singular values, the largest first.

The snapshot matrix has one row per collected step and one column per point, so that its right singular vectors are
functions of x. Nothing here names an array library: the field says which one is its own.
"""

import os
import sys
import tempfile

import numpy as np
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
        xp = array_namespace(row)
        if self._rows is None:
            self._rows = xp.empty((self._capacity, row.shape[0]), dtype=row.dtype)
        elif self.count == self._rows.shape[0]:
            grown = xp.empty((2 * self.count, row.shape[0]), dtype=row.dtype)
            grown[: self.count, :] = self._rows
            self._rows = grown
        self._rows[self.count, :] = row
        self.count += 1

    def matrix(self):
        """The rows so far, without a copy."""
        return self._rows[: self.count, :]


def values_of(field):
    """The field's elements: its own memory where an array library shows it, else a copy on the host.

    Memory of OpenCL and WebGPU devices of their own is shown by none. Ferrocca copies nothing that was not asked for, so
    the copy is asked for here.
    """
    return field.array() if field.in_place else field.to_host()


def array_namespace(array):
    """The array-API namespace of `array`; for older libraries the module that made it."""
    try:
        return array.__array_namespace__()
    except AttributeError:
        return sys.modules[type(array).__module__.partition(".")[0]]


def to_numpy(array):
    """`array` as a NumPy array: a copy where it is not the host's."""
    if isinstance(array, np.ndarray):
        return array
    if hasattr(array, "get"):  # CuPy
        return array.get()
    return np.from_dlpack(array, device="cpu")


def interior(array, points):
    """`array` without the ghost points on both sides."""
    ghosts = (array.shape[0] - points) // 2
    return array[ghosts : ghosts + points]


def oriented(vectors):
    """The rows of `vectors`, each so that the first of its large components is positive.

    A singular vector is defined up to its sign; this makes pictures of two runs comparable. Large is half of the
    largest and more: an odd function has its largest component twice, and rounding decides which one is found.
    """
    sizes = np.abs(vectors)
    first = (sizes >= sizes.max(axis=1, keepdims=True) / 2).argmax(axis=1)
    signs = np.sign(vectors[np.arange(len(vectors)), first])
    return vectors * np.where(signs == 0, 1, signs)[:, np.newaxis]


def write_atomically(path, write):
    """Calls `write(file)` on a temporary file beside `path`, which then takes its place."""
    directory, name = os.path.split(path)
    handle, temporary = tempfile.mkstemp(prefix="." + name, dir=directory)
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        # A temporary file is private; a result gets the permissions that any new file would have.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


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
    u = values_of(frame.fields[FIELD])
    snapshots.append(interior(u, points or u.shape[0]))
    moments.append((frame.step, frame.time))


def finish(run):
    if snapshots.count == 0:
        print("svd: no snapshot was collected, so there is nothing to decompose")
        return
    directory = os.path.abspath(run.output_dir or ".")
    os.makedirs(directory, exist_ok=True)
    matrix = snapshots.matrix()
    xp = array_namespace(matrix)
    _, values, right = xp.linalg.svd(matrix, full_matrices=False)
    values, right = to_numpy(values), oriented(to_numpy(right[:MODES, :]))
    length = run.parameters.get("length", 2 * np.pi)
    x = np.arange(matrix.shape[1]) * (length / matrix.shape[1])

    def path(name):
        return os.path.join(directory, name)

    write_atomically(path("singular_values.txt"), lambda file: np.savetxt(file, values, fmt="%.17g"))
    write_atomically(path("Field_evolution.png"), lambda file: plot_evolution(file, x, matrix, length))
    write_atomically(path("SVD_Eigenvectors.png"), lambda file: plot_modes(file, x, right, values, length))
    print(f"svd: {snapshots.count} snapshots of {matrix.shape[1]} points; largest singular values:")
    for index, value in enumerate(values[:MODES]):
        print(f"svd:   sigma_{index} = {value:.6e}")
    print(f"svd: wrote Field_evolution.png, SVD_Eigenvectors.png and singular_values.txt to {directory}")


def plot_evolution(file, x, matrix, length):
    """The first snapshot, and those that are PLOT_EVERY steps or more after the one drawn before."""
    figure, axes = new_figure(length)
    due = moments[0][0]
    for row, (at_step, time) in enumerate(moments):
        if at_step >= due:
            axes.plot(x, to_numpy(matrix[row, :]), label=f"t = {time:.3f} (step {at_step})")
            due = at_step + PLOT_EVERY
    axes.set(title="Field evolution", xlabel="x", ylabel="u")
    axes.legend()
    figure.savefig(file, format="png", dpi=150)


def plot_modes(file, x, right, values, length):
    """Right singular vectors over x, with their share of the snapshots' energy."""
    figure, axes = new_figure(length)
    energy = values**2 / max(float((values**2).sum()), np.finfo(float).tiny)
    for index, vector in enumerate(right):
        axes.plot(x, vector, label=f"mode {index} ({100 * energy[index]:.2f} % of the energy)")
    axes.set(title="SVD eigenvectors", xlabel="x", ylabel="v")
    axes.legend()
    figure.savefig(file, format="png", dpi=150)


def new_figure(length):
    """A figure, without the global state of pyplot, and its axes over x in [0, length)."""
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlim(0, length)
    if np.isclose(length, 2 * np.pi):
        ticks = np.linspace(0, 2 * np.pi, 5)
        axes.set_xticks(ticks, ["0", r"$\pi/2$", r"$\pi$", r"$3\pi/2$", r"$2\pi$"])
    return figure, axes

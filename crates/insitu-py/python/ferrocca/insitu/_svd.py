"""Decompositions of a stream of snapshots, with bounded memory.

The snapshot matrix A has a row for each moment and a column for each point, A = W diag(s) V; the rows of V are the POD
modes. :class:`StreamingSVD` keeps V and s for the rows that have come, and the coefficients W diag(s) of each. A block B of
new rows is split into its part within the modes and the rest, B = M V + R Q, whose QR decomposition gives Q; the
singular value decomposition of the small matrix [[diag(f s), 0], [M, R]] gives the new values and turns (V, Q) into the new
modes (M. Brand, Fast low-rank modifications of the thin singular value decomposition, 2006; A. Levy and M. Lindenbaum,
Sequential Karhunen-Loeve basis extraction, 2000, whose f is the forgetting factor).

Everything is written for the array API: the arrays stay where the first rows are.
"""

import os

import numpy as np

from ._arrays import Observer, concatenate, interior, namespace, to_numpy
from ._atomic import write_atomically

__all__ = ["DMD", "POD", "StreamingSVD", "randomized_svd"]

#: Columns of the modes that are turned at once, so that no second array of their size is needed.
COLUMNS_AT_ONCE = 1 << 14


class StreamingSVD:
    """The singular values and right singular vectors of rows that come one after the other.

    At most `rank` modes are kept, and of them those whose value is more than `tolerance` times the largest. What is cut off
    is lost: values and modes are those of a full decomposition to within about the largest value that was cut off.
    `block` rows are gathered before each update. Before an update everything that was known is multiplied by `forgetting`,
    per row of the block; 1 forgets nothing. Memory: 2 `rank` + 4 `block` rows, and with `coefficients` a row of `rank` numbers
    for each row that came.
    """

    def __init__(self, rank=32, *, forgetting=1.0, tolerance=1e-14, block=None, coefficients=True):
        if rank < 1 or not 0 < forgetting <= 1:
            raise ValueError(f"rank = {rank}, forgetting = {forgetting}: at least 1, and above 0 up to 1 are expected")
        self.rank, self.forgetting, self.tolerance = rank, forgetting, tolerance
        self.block = block or max(1, rank // 2)
        self.count = 0
        self._keeps_coefficients = coefficients
        self._modes = self._values = self._coefficients = None
        self._gathered = None
        self._waiting = 0

    def update(self, rows):
        """Takes a row, of shape (points,), or several, (count, points); their memory may change afterwards."""
        if rows.ndim == 1:
            rows = rows[None, :]
        xp = namespace(rows)
        if self._gathered is None:
            self._gathered = xp.empty((self.block, rows.shape[1]), dtype=rows.dtype)
        elif rows.shape[1] != self._gathered.shape[1]:
            raise ValueError(f"rows of {rows.shape[1]} values after rows of {self._gathered.shape[1]}")
        start = 0
        while start < rows.shape[0]:
            some = min(self.block - self._waiting, rows.shape[0] - start)
            self._gathered[self._waiting : self._waiting + some, :] = rows[start : start + some, :]
            self._waiting += some
            start += some
            if self._waiting == self.block:
                self._absorb()
        self.count += rows.shape[0]

    @property
    def values(self):
        """The singular values, the largest first: shape (r,)."""
        self._absorb()
        return self._values

    @property
    def modes(self):
        """The right singular vectors, as rows: shape (r, points)."""
        self._absorb()
        return self._modes

    @property
    def coefficients(self):
        """For each row that came its coefficients in `modes`, of shape (count, r): `coefficients @ modes` are the rows, but for what
        was cut off."""
        if not self._keeps_coefficients:
            raise ValueError("the coefficients were not kept: coefficients=True keeps them")
        self._absorb()
        return self._coefficients

    def _absorb(self):
        """Updates the decomposition with what was gathered."""
        if self._waiting == 0:
            return
        rows, count = self._gathered[: self._waiting, :], self._waiting
        self._waiting = 0
        xp = namespace(rows)
        if self._modes is None:
            left, values, modes = xp.linalg.svd(rows, full_matrices=False)
            self._cut(left, values, modes)
            return
        known, forget = self._values.shape[0], self.forgetting**count
        inside = _inner(xp, rows, self._modes.T)
        rows -= inside @ self._modes
        # Twice, for the last bits of what is within the modes.
        rest = _inner(xp, rows, self._modes.T)
        rows -= rest @ self._modes
        inside = inside + rest
        outside, triangle = _tall_qr(xp, rows.T)
        # And once with unit vectors: where a row is within the modes, what is left of it is rounding, and its direction may
        # be within them again. Such a direction is dropped; it would make the modes less and less orthogonal.
        drift = _inner(xp, self._modes, outside)
        outside -= self._modes.T @ drift
        inside = inside + (drift @ triangle).T
        outside, again = _tall_qr(xp, outside)
        is_new = xp.abs(xp.diagonal(again)) > 0.5
        outside *= is_new
        triangle = (again * is_new[:, None]) @ triangle
        small = xp.zeros((known + count, known + triangle.shape[0]), dtype=rows.dtype)
        index = xp.arange(known)
        small[index, index] = forget * self._values
        small[known:, :known] = inside
        small[known:, known:] = triangle.T
        left, values, turn = xp.linalg.svd(small, full_matrices=False)
        self._cut(left, values, turn, outside.T)

    def _cut(self, left, values, turn, outside=None):
        xp = namespace(values)
        keep = min(self.rank, int((values > self.tolerance * values[0]).sum()) or 1)
        left, values, turn = left[:, :keep], values[:keep], turn[:keep, :]
        if outside is None:
            self._modes = turn.copy() if hasattr(turn, "copy") else turn + 0
        else:
            self._modes = self._turned(xp, turn, outside)
        if self._keeps_coefficients:
            known = 0 if self._values is None else self._values.shape[0]
            new = left[known:, :] * values
            if known:
                # W diag(s) of the earlier rows, in the new modes.
                turned = self._coefficients @ (left[:known, :] * values / _nonzero(xp, self._values)[:, None])
                new = concatenate(xp, [turned, new])
            self._coefficients = new
        self._values = values

    def _turned(self, xp, turn, outside):
        """`turn @ [modes; outside]`, without both in one array."""
        known, keep = self._modes.shape[0], turn.shape[0]
        within, without = turn[:, :known], turn[:, known:]
        modes = self._modes
        if keep > known:
            modes = xp.empty((keep, modes.shape[1]), dtype=modes.dtype)
        for start in range(0, modes.shape[1], COLUMNS_AT_ONCE):
            part = slice(start, start + COLUMNS_AT_ONCE)
            modes[:keep, part] = within @ self._modes[:, part] + without @ outside[:, part]
        return modes[:keep, :]


def _inner(xp, left, right):
    """`left @ right`, few numbers of long rows: for so few NumPy's `@` keeps Python's lock, and its `dot` lets it go."""
    return xp.dot(left, right) if xp is np else left @ right


def _tall_qr(xp, matrix):
    """The reduced QR decomposition of a matrix of few columns.

    On the processor by blocks that a cache holds, whose triangles are decomposed once more (J. Demmel, L. Grigori, M. Hoemmen,
    J. Langou, Communication-optimal parallel and sequential QR and LU factorizations, 2012); Python's lock is then free now
    and again.
    """
    count, width = matrix.shape
    if xp is not np or count < 2 * COLUMNS_AT_ONCE or width > COLUMNS_AT_ONCE // 16:
        return xp.linalg.qr(matrix)
    starts = range(0, count - COLUMNS_AT_ONCE + 1, COLUMNS_AT_ONCE)
    parts = [slice(start, start + COLUMNS_AT_ONCE) for start in starts]
    parts[-1] = slice(parts[-1].start, count)
    result, triangles = np.empty(matrix.shape, dtype=matrix.dtype), []
    for part in parts:
        result[part], triangle = np.linalg.qr(matrix[part])
        triangles.append(triangle)
    turns, triangle = np.linalg.qr(np.concatenate(triangles))
    for i, part in enumerate(parts):
        result[part] = result[part] @ turns[i * width : (i + 1) * width]
    return result, triangle


def _nonzero(xp, values):
    """Zeros replaced by one: their left singular vectors are multiplied by a coefficient of zero."""
    return xp.where(values == 0, xp.ones_like(values), values)


def randomized_svd(matrix, rank, *, oversampling=10, iterations=2, seed=0):
    """The `rank` largest singular values of a matrix of snapshots (rows), with their vectors: `(left, values, modes)`.

    A random test matrix finds the range, which `iterations` of subspace iteration sharpen (N. Halko, P.-G. Martinsson,
    J. A. Tropp, Finding structure with randomness, 2011, algorithms 4.4 and 5.1).
    """
    xp = namespace(matrix)
    size = min(rank + oversampling, *matrix.shape)
    test = np.random.default_rng(seed).standard_normal((matrix.shape[0], size)).astype(str(matrix.dtype))
    basis, _ = xp.linalg.qr(matrix.T @ xp.asarray(test))
    for _ in range(iterations):
        other, _ = xp.linalg.qr(matrix @ basis)
        basis, _ = xp.linalg.qr(matrix.T @ other)
    left, values, turn = xp.linalg.svd(matrix @ basis, full_matrices=False)
    return left[:, :rank], values[:rank], turn[:rank, :] @ basis.T


class POD(Observer):
    """Proper orthogonal decomposition while the solver runs: ``solver.run(POD(rank=20))``.

    Looks at the interior of `field` (the first one), without its ghost points. Then ``pod.values``, ``pod.modes`` and
    ``pod.coefficients`` are there, ``pod.steps`` and ``pod.times``; `finish` writes ``pod.npz`` into the run's output directory.
    """

    def __init__(self, rank=32, *, field=None, write="pod.npz", **options):
        super().__init__(field)
        self._options = {"rank": rank, **options}
        self._write = write
        self.svd = StreamingSVD(**self._options)
        self.steps, self.times, self._points = [], [], None

    def start(self, run):
        """The run begins: what an earlier one has left is forgotten."""
        self.svd = StreamingSVD(**self._options)
        self.steps, self.times, self._points = [], [], run.parameters.get("points")

    def take(self, steps, times, rows):
        """Adds `rows`, of shape (moments, points) with the ghost points, and step and time of each."""
        self.svd.update(interior(rows, self._points))
        self.steps.extend(steps)
        self.times.extend(times)

    def finish(self, run):
        """Writes ``pod.npz``, or the file that was named, into the run's output directory: the arrays of this object's attributes."""
        if not self._write or not self.steps:
            return
        arrays = {"values": self.values, "modes": self.modes, "steps": self.steps, "times": self.times}
        if self._options.get("coefficients", True):
            arrays["coefficients"] = self.coefficients
        arrays = {name: np.asarray(to_numpy(a) if hasattr(a, "shape") else a) for name, a in arrays.items()}
        path = os.path.join(run.output_dir or ".", self._write)
        write_atomically(path, lambda file: np.savez(file, **arrays))

    values = property(lambda self: self.svd.values, doc="The singular values, the largest first: shape (r,).")
    modes = property(lambda self: self.svd.modes, doc="The modes, as rows without ghost points: shape (r, points).")
    coefficients = property(lambda self: self.svd.coefficients, doc="Of each moment in the modes: shape (moments, r).")


class DMD(POD):
    """Dynamic mode decomposition of the same stream: modes that oscillate and grow, x(t) = Σ b e^(ω t) φ.

    The operator is fitted to the coefficients of :class:`POD` (P. J. Schmid, Dynamic mode decomposition of numerical and
    experimental data, 2010, projected), so it needs no second pass and no snapshots. The moments must be equally far apart.
    `rank` counts the modes of the operator; `pod_rank` those of the decomposition beneath.
    """

    def __init__(self, rank=10, *, pod_rank=None, field=None, write="dmd.npz", **options):
        if options.get("forgetting", 1.0) != 1.0 or not options.get("coefficients", True):
            raise ValueError("DMD needs the coefficients of all moments alike: forgetting = 1, coefficients = True")
        super().__init__(pod_rank or max(2 * rank, 16), field=field, write=None, **options)
        self.dmd_rank, self._write_dmd = rank, write

    def fit(self):
        """`(omega, modes, amplitudes)`: complex, of shapes (r,), (r, points), (r,). ω is per unit of time."""
        steps, times = np.asarray(self.times), np.diff(self.times)
        if len(steps) < 3 or not np.allclose(times, times[0], rtol=1e-6, atol=0):
            raise ValueError("DMD needs three moments or more, equally far apart")
        rows = to_numpy(self.coefficients)
        left, values, right = np.linalg.svd(rows[:-1].T, full_matrices=False)
        keep = min(self.dmd_rank, int((values > values[0] * np.finfo(float).eps * max(rows.shape)).sum()))
        left, values, right = left[:, :keep], values[:keep], right[:keep]
        operator = left.T @ rows[1:].T @ (right.T / values)
        eigenvalues, vectors = np.linalg.eig(operator)
        small = left @ vectors
        amplitudes = np.linalg.lstsq(small, rows[0].astype(complex), rcond=None)[0]
        with np.errstate(divide="ignore"):
            omega = np.log(eigenvalues.astype(complex)) / times[0]
        return omega, small.T @ to_numpy(self.modes), amplitudes

    def predict(self, times):
        """The rows at `times`, by the fitted modes; beyond the last moment it extrapolates."""
        omega, modes, amplitudes = self.fit()
        growth = np.exp(np.outer(np.asarray(times) - self.times[0], omega))
        return ((growth * amplitudes) @ modes).real

    def finish(self, run):
        """Writes ``dmd.npz``, or the file that was named, into the run's output directory: what :meth:`fit` answers. Of fewer than
        three moments nothing is written.

        Raises ValueError where they are not equally far apart.
        """
        if self._write_dmd and len(self.steps) > 2:
            omega, modes, amplitudes = self.fit()
            path = os.path.join(run.output_dir or ".", self._write_dmd)
            write_atomically(path, lambda file: np.savez(file, omega=omega, modes=modes, amplitudes=amplitudes))

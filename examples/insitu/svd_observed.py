"""The decomposition of `svd.py`, fed in batches: the same results, without a stop of the solver after each step.

A script that only looks has `observe(batch)` where one that steers has `step(frame)`. It gets the same steps later and
many at a time: the arrays of `batch` have one axis more than those of a frame, which counts `batch.steps`.
The solver goes on in the meantime, which is what makes a run of many short steps fast.
"""

import svd
from ferrocca.insitu import interior, namespace, values
from svd import FIELD, finish  # noqa: F401 (the program calls `finish`)


class Blocks:
    """Snapshots that come many at a time; otherwise as `svd.Snapshots`."""

    def __init__(self):
        self.count = 0
        self._blocks = []

    def extend(self, rows):
        """Copies `rows`; their memory may change afterwards."""
        self._blocks.append(rows.copy())
        self.count += rows.shape[0]

    def matrix(self):
        """The rows so far."""
        if len(self._blocks) > 1:
            self._blocks = [namespace(self._blocks[0]).concatenate(self._blocks)]
        return self._blocks[0]


def start(run):
    svd.start(run)
    svd.snapshots = Blocks()


def observe(batch):
    svd.snapshots.extend(interior(values(batch.fields[FIELD]), svd.points))
    svd.moments.extend(zip(batch.steps, batch.times))

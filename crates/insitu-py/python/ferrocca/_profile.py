"""Times of launches, per kernel: what `device.profile()` answers."""

from . import _html

COLUMNS = [
    ("kernel", lambda k: k["name"]),
    ("launches", lambda k: f"{k['count']}"),
    ("total ms", lambda k: f"{k['total_seconds'] * 1e3:.3f}"),
    ("mean µs", lambda k: f"{k['mean_seconds'] * 1e6:.3f}"),
    ("min µs", lambda k: f"{k['min_seconds'] * 1e6:.3f}"),
    ("max µs", lambda k: f"{k['max_seconds'] * 1e6:.3f}"),
    ("GB", lambda k: f"{k['bytes'] * 1e-9:.3f}"),
    ("GB/s", lambda k: f"{k['gigabytes_per_second']:.2f}"),
]


class Profile:
    """Times the launches of a block: ``with device.profile() as p: ...``, then ``print(p)``.

    ``p.kernels`` has a dictionary for each kernel, the one that took most time first: ``name``, ``count``, ``total_seconds``,
    ``mean_seconds``, ``min_seconds``, ``max_seconds``, ``bytes``, ``gigabytes_per_second``. A replay of a graph counts as one
    launch. All launches of the device count, whoever makes them; blocks do not nest.
    """

    def __init__(self, device):
        self._device = device
        self._read = None

    def __enter__(self):
        self._read = None
        self._device._set_profiling(True)
        return self

    def __exit__(self, kind, error, traceback):
        self._device._set_profiling(False)
        if kind is None:
            self._read = self._device._profile()
        return False

    @property
    def kernels(self):
        """A dictionary for each kernel, the one that took most time first; inside of the block what there is until now.

        Its entries: ``name``; ``count`` of launches; ``total_seconds``, ``mean_seconds``, ``min_seconds``, ``max_seconds``; ``bytes``
        of the arrays that the launches were given; ``gigabytes_per_second``, which follows from these.
        """
        return (self._read or self._device._profile())[0]

    def __str__(self):
        return (self._read or self._device._profile())[1]

    def __repr__(self):
        return str(self)

    def _repr_html_(self):
        rows = [[cell(kernel) for _, cell in COLUMNS] for kernel in self.kernels]
        return _html.table([name for name, _ in COLUMNS], rows)

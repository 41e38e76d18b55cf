"""What users write, for type checkers: `test_stubs.py` runs mypy over it. It is never run."""

from collections.abc import Mapping

import ferrocca
import numpy as np
from ferrocca.burgers import Solver
from ferrocca.insitu import (
    DMD,
    HDF5,
    POD,
    VTK,
    DeviceArray,
    Live,
    NetCDF,
    Pictures,
    Pull,
    StreamingSVD,
    Zarr,
    beside,
    compose,
    interior,
    legacy,
    logged,
    on,
    randomized_svd,
    replayed,
    to_numpy,
    values,
    write_atomically,
)


def step(frame: ferrocca.Frame) -> ferrocca.Stop | None:
    frame.u[10:20] = 0.0
    with frame.u.on_host() as u:
        u[1:-1] += 0.1
    frame.set(nu=0.02, dt=5e-4)
    parameters: Mapping[str, int | float | str] = frame.parameters
    return ferrocca.STOP if frame.time > 1.0 and parameters else None


class Spectrum:
    """A hook of a user's own."""

    def __init__(self) -> None:
        self.rows: list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = []

    def start(self, run: ferrocca.Run) -> None:
        self.points = int(run.parameters["points"])

    def observe(self, batch: ferrocca.Batch) -> None:
        self.rows.append(to_numpy(interior(values(batch.u), self.points)))


def use(device: ferrocca.Device) -> None:
    solver = Solver(device, points=1000, dt=1e-4)
    pod, dmd = POD(rank=32, forgetting=0.99), DMD(rank=8)
    alarm = on(step, trigger="max(abs(u)) > 1.2", first=True)
    wind = Pull("http://localhost/forcing", lambda frame, value: frame.set(nu=value["nu"]), interval=5)
    ring = beside(pod, slots=4, policy="skip", time_limit=10.0)
    outcome: str = solver.run(compose(ring, on(dmd, step=10), alarm, wind, Live(announce=None), Spectrum()))
    skipped: int = ring.skipped
    omega, modes, amplitudes = dmd.fit()
    predicted = dmd.predict([0.1, 0.2])
    log = logged(step, "acts.npz")
    solver.run(log)
    solver.run(replayed(log), every=2, output_dir="out")
    files = [HDF5("a.h5", compression=None), NetCDF("a.nc", units={"u": "m s-1"}), Zarr("a.zarr", resume=True), VTK("a.pvd")]
    solver.run(compose(*files, Pictures(draw=("spectrum",))))
    svd = StreamingSVD(rank=4)
    svd.update(np.ones((3, 5)))
    left, singular, right = randomized_svd(np.ones((3, 5)), 2)
    write_atomically("x.txt", lambda file: file.write(b"x"))
    run = solver.start(pod)
    fraction: float = run.progress.fraction
    print(outcome, skipped, omega.shape, modes, amplitudes, predicted.shape, svd.values, left, singular, right, fraction, DeviceArray)
    import types

    solver.run(legacy(types.ModuleType("old"), finish="analyses_SVD"))
    solver.run(legacy(types.ModuleType("old"), field="u", observe=True))

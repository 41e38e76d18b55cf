"""Heat in a square plate, whose rim is kept cold: the program `examples/heat2d.rs`, steered from Python.

    python examples/python/heat2d.py [DEVICE] [PICTURE.png]
"""

import pathlib
import sys

import ferrocca
import numpy as np

KERNELS = pathlib.Path(__file__).resolve().parents[1] / "kernels" / "heat2d.okl"
R = 0.25  # kappa dt / h^2: the largest that is stable


def solve(device, start, steps, dtype=np.float64):
    """The plate after so many steps from `start`: n x n points, without the rim."""
    n = len(start)
    name = {np.float32: "float", np.float64: "double"}[dtype]
    step = device.build_kernel(str(KERNELS), "heat_step", {"defines": {"dfloat": name, "TILE": 16}})
    plate = np.zeros((n + 2, n + 2), dtype)
    plate[1:-1, 1:-1] = start
    u, v = device.malloc_from(plate), device.malloc_from(plate)
    for _ in range(steps):
        step(n, R, u, v)
        u, v = v, u
    return u.to_host()[1:-1, 1:-1]


def main(properties="CPU", picture=None):
    device = ferrocca.Device(properties)
    n = 126
    start = np.zeros((n, n))
    start[20:50, 20:50] = start[70:100, 60:110] = 1.0
    times = (0, 100, 1000, 4000)
    plates = [solve(device, start, steps) for steps in times]
    for steps, plate in zip(times, plates):
        print(f"after {steps:5d} steps: hottest {plate.max():.4f}, mean {plate.mean():.4f}")
    if picture:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9, 2.6), layout="constrained")
        all_axes = figure.subplots(1, len(times), sharey=True)
        for axes, steps, plate in zip(all_axes, times, plates):
            image = axes.imshow(plate, origin="lower", extent=(0, 1, 0, 1), vmin=0, vmax=1, cmap="inferno")
            axes.set(title=f"{steps} steps", xlabel="x")
        all_axes[0].set_ylabel("y")
        figure.colorbar(image, ax=all_axes, label="temperature (1 at the start)")
        figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main(*sys.argv[1:])

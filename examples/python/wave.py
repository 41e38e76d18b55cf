"""Two waves on a string, each on a stream of its own, and their sum: the program `examples/wave.rs`, steered from Python.

    python examples/python/wave.py [DEVICE] [PICTURE.png]
"""

import pathlib
import sys

import ferrocca
import numpy as np

KERNELS = pathlib.Path(__file__).resolve().parents[1] / "kernels" / "wave.okl"


class Wave:
    """A standing wave with so many half waves on the string."""

    def __init__(self, device, points, half_waves):
        self.device, self.stream = device, device.create_stream()
        self.kernel = device.build_kernel(str(KERNELS), "wave_step", {"defines": {"dfloat": "double"}})
        k = np.pi * half_waves / (points - 1)
        shape = np.sin(k * np.arange(points))
        # At rest at time 0: one step before, it was where it is one step later.
        self.before, self.now = device.malloc_from(np.cos(k) * shape), device.malloc_from(shape)
        self.next = device.malloc(points)

    def step(self):
        """Queues a step of one cell, c dt = h, for which the scheme is exact."""
        self.device.set_stream(self.stream)
        self.kernel(len(self.now), 1.0, self.before, self.now, self.next)
        self.before, self.now, self.next = self.now, self.next, self.before


def solve(device, points, times):
    """The string after each of `times`, counts of steps: waves of one and of three half waves, added up."""
    main, waves = device.stream, [Wave(device, points, half_waves) for half_waves in (1, 3)]
    add = device.build_kernel(str(KERNELS), "add", {"defines": {"dfloat": "double"}})
    device.finish()  # what was copied is there for both streams
    shapes, done = [], 0
    for steps in times:
        for _ in range(done, steps):
            for wave in waves:
                wave.step()
        done, (first, third) = steps, waves
        # The sum is work of the first stream, and must not begin before the second one is done.
        device.set_stream(first.stream)
        first.stream.wait(third.stream)
        total = device.malloc(points)
        add(points, first.now, third.now, total)
        shapes.append(total.to_host())
        third.stream.wait(first.stream)  # which has read what the second one goes on to write
    device.set_stream(main)
    return shapes


def expected(points, steps):
    """Both waves swing as cosines."""
    k = np.pi / (points - 1) * np.array([[1], [3]])
    return (np.sin(k * np.arange(points)) * np.cos(k * steps)).sum(axis=0)


def main(properties="CPU", picture=None):
    device = ferrocca.Device(properties)
    points, times = 1001, (0, 125, 250, 375, 500)
    shapes = solve(device, points, times)
    for steps, shape in zip(times, shapes):
        print(f"after {steps} steps: off by at most {np.abs(shape - expected(points, steps)).max():.1e}")
    if picture:
        from matplotlib import colormaps
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7, 3.2), layout="constrained")
        axes = figure.subplots()
        for steps, shape, colour in zip(times, shapes, colormaps["viridis"](np.linspace(0, 0.9, len(times)))):
            axes.plot(np.linspace(0, 1, points), shape, color=colour, label=f"t = {steps / (points - 1):g}")
        axes.set(xlabel="x", ylabel="u", title="$u_{tt} = u_{xx}$ from sin $\\pi x$ + sin 3$\\pi x$, at rest at t = 0")
        axes.margins(x=0)
        axes.grid(alpha=0.3)
        figure.legend(loc="outside right center")
        figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main(*sys.argv[1:])

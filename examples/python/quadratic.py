"""The roots of many quadratic equations: one kernel of a line, against NumPy's nine passes.

    python examples/python/quadratic.py [DEVICE] [PICTURE.png]
"""

import sys
import time

import ferrocca as fc
import numpy as np

quadratic = fc.ElementwiseKernel("T a, T b, T c", "T out", "out = (-b + sqrt(b*b - 4*a*c)) / (2*a)", "quadratic")


@fc.fuse
def fused(a, b, c):
    return (-b + fc.sqrt(b**2 - 4 * a * c)) / (2 * a)


def coefficients(n, seed=1):
    rng = fc.random.default_rng(seed)
    return rng.uniform(5, 10, n), rng.uniform(10, 20, n), rng.uniform(-0.1, 0.1, n)


def reference(a, b, c):
    """NumPy's, in its own passes."""
    return (-b + np.sqrt(b * b - 4 * a * c)) / (2 * a)


def fastest(function, times=5):
    """Seconds of the fastest call."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best


def main(properties="CPU", picture=None):
    with fc.Device(properties) as device:
        counts = [10**6, 10**7]
        rows = []
        for n in counts:
            a, b, c = coefficients(n)
            out = quadratic(a, b, c)
            on_host = [x.get() for x in (a, b, c)]
            assert np.array_equal(out.get(), reference(*on_host)) and np.array_equal(fused(a, b, c).get(), out.get())
            device.finish()
            ours = fastest(lambda: (quadratic(a, b, c, out), device.finish()))
            rows.append((n, ours, fastest(lambda: reference(*on_host))))
            print(f"{n:9,d} equations: {ours * 1e3:7.2f} ms, NumPy {rows[-1][2] * 1e3:7.2f} ms; the same bits")
    if picture:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5, 3), layout="constrained")
        axes = figure.subplots()
        places = np.arange(len(rows))
        axes.bar(places - 0.2, [row[1] * 1e3 for row in rows], 0.4, label=f"Ferrocca, {device.mode}")
        axes.bar(places + 0.2, [row[2] * 1e3 for row in rows], 0.4, label="NumPy")
        axes.set(xticks=places, xticklabels=[f"{n:,d}" for n in counts], yscale="log", ylabel="ms", xlabel="equations")
        axes.legend()
        figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Histograms of ten million numbers: 1,200 bins, 75, and one that all of them want to count in.

    python examples/python/histogram.py [DEVICE] [PICTURE.png]
"""

import sys
import time

import ferrocca as fc
import numpy as np

RANGE = (0.0, 120.0)


def numbers(n, seed=1):
    """Normal around 60: the bins of the middle are busier."""
    return fc.random.default_rng(seed).normal(60, 20, n, dtype="f4")


def main(properties="CPU", picture=None):
    with fc.Device(properties) as device:
        x = numbers(10_000_000)
        on_host = x.get()
        drawn = {}
        for bins in 1200, 75, 1:
            counts, edges = fc.histogram(x, bins=bins, range=RANGE)
            drawn[bins] = counts.get(), edges.get()
            best = float("inf")
            for _ in range(3):
                start = time.perf_counter()
                fc.histogram(x, bins=bins, range=RANGE)
                device.finish()
                best = min(best, time.perf_counter() - start)
            start = time.perf_counter()
            expected, _ = np.histogram(on_host, bins=bins, range=RANGE)
            numpy_time = time.perf_counter() - start
            # NumPy computes edges in double: a number on an edge may be one bin further.
            moved = int(np.abs(np.cumsum(drawn[bins][0]) - np.cumsum(expected)).max())
            print(f"{bins:5d} bins: {best * 1e3:7.2f} ms, NumPy {numpy_time * 1e3:7.2f} ms; at most {moved} on another side of an edge")
    if picture:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 2.8), layout="constrained")
        for axes, (bins, (counts, edges)) in zip(figure.subplots(1, 3), drawn.items()):
            axes.stairs(counts, edges, fill=True)
            axes.set(title=f"{bins} bin{'s' if bins > 1 else ''}")
        figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main(*sys.argv[1:])

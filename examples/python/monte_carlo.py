"""Pi from random points: the program `examples/monte_carlo.rs`, with a generator for each item as in `numba.cuda.random`.

    python examples/python/monte_carlo.py [DEVICE]
"""

import pathlib
import sys

import ferrocca as fc

KERNELS = pathlib.Path(__file__).resolve().parents[1] / "kernels" / "monte_carlo.okl"


def count(device, generators, trials):
    """How many of `generators * trials` points lie in the unit circle: the same number on every device."""
    with device:
        states = fc.random.create_xoroshiro128p_states(generators, seed=12345)
        hits = fc.empty(generators, "int32")
        device.kernel(KERNELS, "count_hits")(generators, trials, states, hits)
        return int(hits.sum())


def main(properties="CPU"):
    device = fc.Device(properties)
    for trials, known in (1, 823_184), (10, 8_235_912):
        points = 1024 * 1024 * trials
        hits = count(device, 1024 * 1024, trials)
        print(f"{hits:,d} of {points:,d} points: pi is about {4 * hits / points:.6f}")
        assert hits == known, f"{known} points are known to be in the circle"


if __name__ == "__main__":
    main(*sys.argv[1:])

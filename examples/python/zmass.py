"""Masses of pairs of muons: for each event, the first two of opposite charge; and their histogram.

Events have different numbers of muons. Their properties lie in rows one behind the other, and `offsets` says where each event
begins, as in Awkward Array and Arrow.

    python examples/python/zmass.py [DEVICE] [PICTURE.png]
"""

import sys

import ferrocca as fc
import numpy as np

# A loop within a loop, which a function can leave early.
FIRST_PAIR = """
double first_pair(const long begin, const long end, const float *pt, const float *eta, const float *phi, const int *charge) {
  for (long i = begin; i < end; ++i) {
    for (long j = i + 1; j < end; ++j) {
      if (charge[i] != charge[j]) {
        return sqrt(2.0 * pt[i] * pt[j] * (cosh((double)eta[i] - eta[j]) - cos((double)phi[i] - phi[j])));
      }
    }
  }
  return -1.0;
}
"""
zmass = fc.ElementwiseKernel(
    "raw int64 offsets, raw float32 pt, raw float32 eta, raw float32 phi, raw int32 charge",
    "float64 mass",
    "mass = first_pair(offsets[i], offsets[i + 1], pt, eta, phi, charge)",
    "zmass",
    preamble=FIRST_PAIR,
)


def events(n, seed=1):
    """Made-up events: pairs whose mass is near the Z boson's 91.2 GeV, among others."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(1.7, n)
    total = counts.sum()
    offsets = np.concatenate([[0], np.cumsum(counts)])
    pt, eta = rng.exponential(20, total), rng.normal(0, 1.2, total)
    phi, charge = rng.uniform(-np.pi, np.pi, total), rng.choice([-1, 1], total)
    pairs = offsets[:-1][(counts == 2) & (rng.random(n) < 0.8)]
    momentum = rng.normal(91.2, 2.5, len(pairs)) / 2
    angle = rng.uniform(-0.8, 0.8, len(pairs))
    for place, sign in (pairs, 1), (pairs + 1, -1):
        pt[place], eta[place], charge[place] = momentum, angle, sign
    phi[pairs + 1] = np.where(phi[pairs] > 0, phi[pairs] - np.pi, phi[pairs] + np.pi)
    return offsets, pt.astype("f4"), eta.astype("f4"), phi.astype("f4"), charge.astype("i4")


def masses(columns):
    """The mass of each event's first pair, -1 where it has none; and how many there are for each GeV below 120."""
    memory = [fc.asarray(column) for column in columns]
    mass = zmass(*memory, size=len(columns[0]) - 1)
    return mass, fc.histogram(mass, bins=120, range=(0, 120))


def reference(columns, event):
    """One event's, in plain Python."""
    offsets, pt, eta, phi, charge = columns
    for i in range(offsets[event], offsets[event + 1]):
        for j in range(i + 1, offsets[event + 1]):
            if charge[i] != charge[j]:
                angles = np.cosh(float(eta[i]) - float(eta[j])) - np.cos(float(phi[i]) - float(phi[j]))
                return float(np.sqrt(2 * float(pt[i]) * float(pt[j]) * angles))
    return -1.0


def main(properties="CPU", picture=None):
    with fc.Device(properties):
        columns = events(1_000_000)
        mass, (counts, edges) = masses(columns)
        counts, mass, edges = counts.get(), mass.get(), edges.get()
    peak = counts.argmax()
    print(f"{(mass >= 0).sum():,d} of {len(mass):,d} events have a pair; most masses are from {peak} to {peak + 1} GeV")
    print(f"furthest of 1,000 events from plain Python: {max(abs(mass[e] - reference(columns, e)) for e in range(1000)):.1e} GeV")
    if picture:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6, 3), layout="constrained")
        axes = figure.subplots()
        axes.stairs(counts, edges, fill=True)
        axes.set(xlabel="mass of the first pair of opposite charge, GeV", ylabel="events")
        figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main(*sys.argv[1:])

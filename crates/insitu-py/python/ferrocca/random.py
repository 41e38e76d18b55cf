"""Random numbers on the device: the same on every device, for a seed.

:func:`default_rng` gives a generator with NumPy's methods, whose numbers are Philox4x32-10's. Kernels make numbers of their own
with the functions of ``#include <ferrocca/random.h>``, and :func:`create_xoroshiro128p_states` makes the states that
``numba.cuda.random`` begins with.
"""

import math
import secrets

from . import _array  # noqa: F401 (makes memory an array)
from ._array.creation import empty
from ._array.dtypes import dtype as dtype_of
from ._array.dtypes import float64, int64
from ._array.elementwise import astype
from ._array.functions import FUNCTIONS
from ._array.manipulation import flip, reshape
from ._array.reductions import argmax, count_nonzero, cumsum
from ._array.sorting import argsort, searchsorted
from ._errors import WrongTypeError, WrongValueError
from ._native import Memory, fill_random, xoroshiro128p_states

minimum = FUNCTIONS["minimum"]

__all__ = ["Generator", "create_xoroshiro128p_states", "default_rng"]


class Generator:
    """A sequence of random numbers. Seed and the calls so far say which numbers come; ``position`` is how far the sequence was
    used, and a generator goes on from where another one was when it is given its seed and position."""

    def __init__(self, seed, position=0):
        if not 0 <= seed < 2**64:
            raise WrongValueError(f"a seed is an integer from 0 to 2**64 - 1, not {seed}")
        self.seed, self.position = seed, position

    def _fill(self, kind, a, b, size, dtype, device, out):
        if out is None:
            out = empty(() if size is None else size, dtype_of(dtype), device=device)
        elif type(out) is not Memory:
            raise WrongTypeError(f"`out` is memory, not `{type(out).__name__}`")
        self.position = fill_random(kind, (self.seed, self.position), (a, b), out)
        return out

    def random(self, size=None, dtype=float64, *, device=None, out=None):
        """Numbers of the uniform distribution on [0, 1)."""
        return self._fill("uniform", 0.0, 1.0, size, dtype, device, out)

    def uniform(self, low=0.0, high=1.0, size=None, dtype=float64, *, device=None, out=None):
        """Numbers of the uniform distribution on [low, high)."""
        return self._fill("uniform", low, high, size, dtype, device, out)

    def normal(self, loc=0.0, scale=1.0, size=None, dtype=float64, *, device=None, out=None):
        """Numbers of the normal distribution with mean `loc` and standard deviation `scale`."""
        return self._fill("normal", loc, scale, size, dtype, device, out)

    def standard_normal(self, size=None, dtype=float64, *, device=None, out=None):
        """Numbers of the normal distribution with mean 0 and standard deviation 1."""
        return self._fill("normal", 0.0, 1.0, size, dtype, device, out)

    def exponential(self, scale=1.0, size=None, dtype=float64, *, device=None, out=None):
        """Numbers of the exponential distribution with mean `scale`."""
        return self._fill("exponential", scale, 0.0, size, dtype, device, out)

    def poisson(self, lam=1.0, size=None, dtype=int64, *, device=None, out=None):
        """Numbers of the Poisson distribution with mean `lam`, at most 10,000."""
        return self._fill("poisson", lam, 0.0, size, dtype, device, out)

    def integers(self, low, high=None, size=None, dtype=int64, *, device=None, out=None):
        """Integers from `low` to ``high - 1``, or below `low` from 0 on, each as probable as the others."""
        low, high = (0, low) if high is None else (low, high)
        return self._fill("integers", low, high, size, dtype, device, out)

    def choice(self, a, size=None, replace=True, p=None, *, device=None):
        """Entries of memory along its first axis, or numbers below an integer: each as probable as the others, or with the
        probabilities `p`, memory of floats that are not negative, which need not add up to 1. Without `replace` none comes
        twice."""
        count = a if type(a) is not Memory else a.shape[0] if a.ndim else 0
        device = a._device if type(a) is Memory else p._device if type(p) is Memory else device
        if count < 1:
            raise WrongValueError("there is nothing to choose from")
        places = self._places(count, size, replace, p, device)
        return places if type(a) is not Memory else a[places]

    def _places(self, count, size, replace, p, device):
        if p is None and replace:
            return self.integers(count, size=size, device=device)
        shape = () if size is None else (size,) if isinstance(size, int) else tuple(size)
        wanted = math.prod(shape)
        if not replace and wanted > count:
            raise WrongValueError(f"{wanted} of {count} cannot be chosen without one coming twice")
        if p is None:
            return reshape(self.permutation(count, device=device)[:wanted], shape)
        if type(p) is not Memory or p.shape != (count,) or p.dtype.kind != "f":
            raise WrongValueError(f"`p` is memory of {count} floats")
        if not bool((p >= 0).all()):
            raise WrongValueError("a probability is negative or NaN")
        if replace:
            ends = cumsum(astype(p, float64, copy=False))
            total = float(ends[-1])
            if not 0 < total < math.inf:
                raise WrongValueError("the probabilities add up to 0, or to no number")
            # What rounding brings to the last end is the last entry that has a probability.
            last = count - 1 - int(argmax(flip(p > 0)))
            return minimum(searchsorted(ends, self.uniform(0.0, total, size, device=device), side="right"), last)
        if int(count_nonzero(p)) < wanted:
            raise WrongValueError(f"fewer than {wanted} entries have a probability")
        # The first arrivals of Poisson processes with these rates (Efraimidis and Spirakis, 2006).
        times = self.exponential(1.0, count, device=device) / astype(p, float64, copy=False)
        return reshape(argsort(times)[:wanted], shape)

    def permutation(self, x, *, device=None):
        """The entries of memory along its first axis in a random order, or the numbers below an integer: each order as probable
        as the others."""
        count = x if type(x) is not Memory else x.shape[0]
        # Keys of 53 bits, of which equal ones are hardly ever there.
        order = argsort(self.random(count, device=x._device if type(x) is Memory else device))
        return order if type(x) is not Memory else x[order]

    def __repr__(self):
        return f"ferrocca.random.Generator(seed={self.seed}, position={self.position})"


def default_rng(seed=None):
    """A generator for a seed; without one, for a seed that the operating system gives."""
    return Generator(secrets.randbits(64) if seed is None else int(seed))


def create_xoroshiro128p_states(n, seed, *, device=None):
    """The states of `n` generators, as ``numba.cuda.random.create_xoroshiro128p_states`` makes them: memory of ``uint64`` of shape
    (n, 2), which kernels that include ``<ferrocca/random.h>`` take as ``xoroshiro128p *``."""
    states = empty((n, 2), "uint64", device=device)
    xoroshiro128p_states(int(seed), states)
    return states

"""Mandelbrot's set: how many steps each point takes to leave, in complex numbers of float and of double.

    python examples/python/mandelbrot.py [DEVICE] [PICTURE.png]
"""

import sys
import time

import ferrocca as fc
import numpy as np

steps = fc.ElementwiseKernel(
    "T c, int32 most",
    "int32 steps",
    """
    T z = 0;
    while (steps < most && norm(z) <= 4) {
      z = z * z + c;
      steps += 1;
    }
    """,
    "mandelbrot",
)


def points(rows, columns, dtype="complex128"):
    """The points from -1.5 to 0 and, upwards, from -1 to 0."""
    x = fc.linspace(-1.5, 0, columns, dtype=dtype)
    y = fc.linspace(-1, 0, rows, dtype=dtype).reshape(rows, 1)
    return x + 1j * y


def reference(c, most=20):
    """NumPy's, all points at once; by parts, because its own products of complex numbers may be fused."""
    x, y, n = np.zeros_like(c.real), np.zeros_like(c.real), np.zeros(c.shape, "i4")
    for _ in range(most):
        inside = x * x + y * y <= 4
        x, y = np.where(inside, x * x - y * y + c.real, x), np.where(inside, x * y + y * x + c.imag, y)
        n += inside
    return n


def main(properties="CPU", picture=None):
    with fc.Device(properties) as device:
        for dtype in "complex64", "complex128":
            c = points(2000, 3000, dtype)
            steps(c, 20)
            device.finish()
            start = time.perf_counter()
            n = steps(c, 20)
            device.finish()
            elapsed = time.perf_counter() - start
            stay = int((n == 20).sum())
            print(f"{dtype}: {elapsed * 1e3:6.2f} ms; {stay:,d} of 6,000,000 points stay for 20 steps")
        image = n.get()
    if picture:
        from matplotlib.image import imsave

        imsave(picture, image, cmap="inferno", origin="lower")


if __name__ == "__main__":
    main(*sys.argv[1:])

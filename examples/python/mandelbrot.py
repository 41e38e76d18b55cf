"""Mandelbrot's set: how many steps each point takes to leave, in float and in double.

    python examples/python/mandelbrot.py [DEVICE] [PICTURE.png]
"""

import sys
import time

import ferrocca as fc
import numpy as np

steps = fc.ElementwiseKernel(
    "T cx, T cy, int32 most",
    "int32 steps",
    """
    T x = 0, y = 0;
    while (steps < most && x * x + y * y <= 4) {
      const T next = x * x - y * y + cx;
      y = 2 * x * y + cy;
      x = next;
      steps += 1;
    }
    """,
    "mandelbrot",
)


def mandelbrot(rows, columns, most=20, dtype="float64"):
    """Steps for the points from -1.5 to 0 and, upwards, from -1 to 0."""
    cx = fc.linspace(-1.5, 0, columns, dtype=dtype)
    cy = fc.linspace(-1, 0, rows, dtype=dtype).reshape(rows, 1)
    return steps(cx, cy, most)


def reference(cx, cy, most=20):
    """NumPy's, all points at once."""
    c = cx[None, :], cy[:, None]
    x, y = np.zeros(np.broadcast_shapes(c[0].shape, c[1].shape), cx.dtype), np.zeros((len(cy), len(cx)), cx.dtype)
    n = np.zeros(x.shape, "i4")
    for _ in range(most):
        inside = x * x + y * y <= 4
        x, y = np.where(inside, x * x - y * y + c[0], x), np.where(inside, 2 * x * y + c[1], y)
        n += inside
    return n


def main(properties="CPU", picture=None):
    with fc.Device(properties) as device:
        for dtype in "float32", "float64":
            mandelbrot(2000, 3000, dtype=dtype)
            device.finish()
            start = time.perf_counter()
            n = mandelbrot(2000, 3000, dtype=dtype)
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

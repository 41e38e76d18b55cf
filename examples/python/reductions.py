"""A course's ladder of sums: shared memory, a constant and a device function, many blocks, atomics.

Each is compared, bit for bit, with the same tree in NumPy's float32.

    python examples/python/reductions.py [DEVICE]
"""

import sys

import ferrocca as fc
import numpy as np

SOURCE = """
#ifndef THREADS
#define THREADS 256
#endif

const float SCALE = 2.0f;

float scaled(const float x) { return SCALE * x; }

// Lane l of a block takes the values l, l + THREADS ... of its part; then the lanes are halved.
#define BLOCK_SUM(out, VALUE) \\
  for (int block = 0; block < blocks; ++block; @outer) { \\
    @shared float lanes[THREADS]; \\
    for (int lane = 0; lane < THREADS; ++lane; @inner) { \\
      float sum = 0; \\
      for (int i = block * part + lane; i < min(n, (block + 1) * part); i += THREADS) { sum += VALUE; } \\
      lanes[lane] = sum; \\
    } \\
    for (int half = 512; half > 0; half /= 2) { \\
      for (int lane = 0; lane < THREADS; ++lane; @inner) { \\
        if (lane < half && lane + half < THREADS) { lanes[lane] += lanes[lane + half]; } \\
      } \\
    } \\
    for (int lane = 0; lane < THREADS; ++lane; @inner) { \\
      if (lane == 0) { out; } \\
    } \\
  }

@kernel void sums(const int n, const int blocks, const int part, const float *x, float *out) {
  BLOCK_SUM(out[block] = lanes[0], x[i])
}

@kernel void scaled_sums(const int n, const int blocks, const int part, const float *x, float *out) {
  BLOCK_SUM(out[block] = lanes[0], scaled(x[i]))
}

@kernel void total(const int n, const int blocks, const int part, const float *x, float *out) {
  BLOCK_SUM(@atomic out[0] += lanes[0], x[i])
}
"""


def tree(x, threads):
    """The same sum in NumPy: lanes first, then halves."""
    rows = -(-len(x) // threads)
    padded = np.zeros((rows, threads), np.float32)
    padded.ravel()[: len(x)] = x
    lanes = np.zeros(threads, np.float32)
    for row in padded:
        lanes = lanes + row
    half = 512
    while half > 0:
        count = max(0, min(half, threads - half))
        lanes[:count] += lanes[half : half + count]
        half //= 2
    return lanes[0]


def ladder(device, x):
    """Each step's name, its sum, and NumPy's of the same tree (nothing for atomics, whose order is not defined)."""
    n, blocks = len(x), 16
    part = -(-n // blocks)
    kernels = {name: device.kernel(SOURCE, name) for name in ("sums", "scaled_sums", "total")}
    with device:
        memory, out, zero = fc.asarray(x), fc.empty(blocks, "float32"), fc.zeros(1, "float32")

        def sum_of(name, *arguments, **defines):
            kernels[name](n, *arguments, memory, out, **defines)
            return out.get()

        parts = [tree(x[i * part : (i + 1) * part], 256) for i in range(blocks)]
        kernels["total"](n, blocks, part, memory, zero)
        return [
            ("one block of 256", sum_of("sums", 1, n)[0], tree(x, 256)),
            ("one block of 192", sum_of("sums", 1, n, THREADS=192)[0], tree(x, 192)),
            ("a constant and a function", sum_of("scaled_sums", 1, n)[0], tree(np.float32(2) * x, 256)),
            ("16 blocks, partial sums", sum_of("sums", blocks, part).sum(), np.array(parts).sum()),
            ("16 blocks, atomics", float(zero), None),
            ("ferrocca.sum", float(memory.sum()), None),
        ]


def main(properties="CPU"):
    x = np.random.default_rng(7).random(5_000, np.float32)
    exact = x.astype("f8").sum()
    for name, value, expected in ladder(fc.Device(properties), x):
        same = "" if expected is None else ", the same bits as NumPy's tree" if value == expected else ", NOT NumPy's bits"
        print(f"{name:26s} {value:12.5f}{same}")
    print(f"{'in double':26s} {exact:12.5f}")


if __name__ == "__main__":
    main(*sys.argv[1:])

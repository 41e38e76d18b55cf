#!/usr/bin/env python3
"""Writes functions.txt: values of elementary functions, computed by mpmath with 400 digits.

A line has the function, the bits of its arguments, and those of its value as the sum of two numbers."""

import random
import struct

from mpmath import mp, mpf

mp.dps = 400

UNARY = {
    "exp": (mp.exp, -745, 709), "exp2": (lambda x: mpf(2) ** x, -1074, 1023), "expm1": (mp.expm1, -40, 709),
    "log": (mp.log, 0, 10), "log2": (lambda x: mp.log(x, 2), 0, 10), "log10": (mp.log10, 0, 10),
    "log1p": (mp.log1p, -1, 10), "sin": (mp.sin, -100, 100), "cos": (mp.cos, -100, 100), "tan": (mp.tan, -100, 100),
    "asin": (mp.asin, -1, 1), "acos": (mp.acos, -1, 1), "atan": (mp.atan, -5, 5), "sinh": (mp.sinh, -700, 700),
    "cosh": (mp.cosh, -700, 700), "tanh": (mp.tanh, -20, 20), "cbrt": (mp.cbrt, 0, 10),
}


def bits(x):
    return "%016x" % struct.unpack("<Q", struct.pack("<d", x))[0]


def halves(value):
    high = float(value)
    return high, float(value - mpf(high))


def line(name, arguments, value):
    high, low = halves(value)
    if value == 0 or not 1e-290 < abs(high) < 1e308:
        return None
    return " ".join([name, *map(bits, arguments), bits(high), bits(low)])


def main():
    draw = random.Random(1)
    lines = []
    for name, (function, low, high) in UNARY.items():
        arguments = [low + (high - low) * draw.random() for _ in range(60)]
        small = [draw.uniform(1, 2) * 2.0 ** draw.randint(-40, 0) * draw.choice([1, -1]) for _ in range(40)]
        if name in ("sin", "cos", "tan"):
            # The nearest to a multiple of pi / 2, and angles of all sizes.
            arguments += [6381956970095103.0 * 2.0 ** 797, 5.319372648326541e255, 2.0 ** 20, 1e6, 1e22, 1e300]
            arguments += [draw.uniform(1, 2) * 2.0 ** draw.randint(0, 1023) for _ in range(60)]
            arguments += [float(mp.pi / 2 * draw.randint(1, 2 ** 20)) for _ in range(40)]
        if name in ("log", "log2", "log10"):
            arguments = [abs(x) for x in arguments] + [1 + x / 16 for x in small] + [5e-324, 1e-310, 1e300, 1e-300]
        elif name in ("exp", "exp2", "cosh", "acos"):
            arguments += small
        else:
            arguments += small + [1e-300, -1e-17]
        if name == "cbrt":
            arguments += [1e-310, -1e300, 27.0]
        for x in arguments:
            if not (name in ("asin", "acos") and abs(x) > 1 or name == "log1p" and x <= -1):
                value = -mp.cbrt(-mpf(x)) if name == "cbrt" and x < 0 else function(mpf(x))
                lines.append(line(name, [x], value))
    for _ in range(200):
        x = draw.uniform(1, 2) * 2.0 ** draw.randint(-30, 30)
        y = draw.uniform(-600, 600) / max(1.0, abs(float(mp.log(x))))
        lines.append(line("pow", [x, y], mpf(x) ** mpf(y)))
        near = 1 + draw.uniform(-1, 1) * 2.0 ** -draw.randint(1, 30)
        y = draw.uniform(-600, 600) / abs(float(mp.log(mpf(near))))
        lines.append(line("pow", [near, y], mpf(near) ** mpf(y)))
        y = draw.uniform(1, 2) * 2.0 ** draw.randint(-30, 30)
        lines.append(line("hypot", [x, y], mp.hypot(mpf(x), mpf(y))))
    with open("functions.txt", "w") as out:
        out.writelines(text + "\n" for text in lines if text)


main()

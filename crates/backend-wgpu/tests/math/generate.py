#!/usr/bin/env python3
"""Writes double.txt and single.txt: arguments of the built-in functions and their correctly rounded results.

Each line is `function argument [argument] result`, all numbers as the bits of the type in hexadecimal. Needs mpmath.
"""

import math
import random
import struct
from pathlib import Path

import mpmath

mpmath.mp.prec = 2400
mp = mpmath.mpf
INF, NAN = math.inf, math.nan


class Kind:
    def __init__(self, code, integer, bits, mantissa, bias):
        self.code, self.integer, self.bits, self.mantissa, self.bias = code, integer, bits, mantissa, bias
        self.largest = (2 - 2.0 ** -mantissa) * 2.0**bias
        self.smallest = 2.0 ** (1 - bias)
        self.tiny = 2.0 ** (1 - bias - mantissa)

    def round(self, value):
        """The nearest number of the type to an exact one; ties go to even."""
        if isinstance(value, float) or not mpmath.isfinite(value):
            return float(value)
        if value == 0:
            return 0.0
        sign = -1.0 if value < 0 else 1.0
        value = abs(value)
        exponent = max(int(mpmath.floor(mpmath.log(value, 2))), 1 - self.bias)
        while value >= mp(2) ** (exponent + 1):
            exponent += 1
        while exponent > 1 - self.bias and value < mp(2) ** exponent:
            exponent -= 1
        unit = mp(2) ** (exponent - self.mantissa)
        steps = value / unit
        floor = int(mpmath.floor(steps))
        rest = steps - floor
        if rest > mp(0.5) or (rest == mp(0.5) and floor % 2 == 1):
            floor += 1
        rounded = floor * unit
        return sign * (INF if rounded > mp(self.largest) else float(rounded))

    def text(self, value):
        bits = struct.unpack(self.integer, struct.pack(self.code, value))[0]
        return f"{bits:0{self.bits // 4}x}"

    def near(self, value):
        return struct.unpack(self.code, struct.pack(self.code, value))[0]


DOUBLE = Kind("<d", "<Q", 64, 52, 1023)
SINGLE = Kind("<f", "<I", 32, 23, 127)


def guard(domain, function, otherwise=NAN):
    return lambda x: function(mp(x)) if domain(x) else otherwise


def gamma(x):
    if x == 0:
        return math.copysign(INF, x)
    if x < 0 and x == math.floor(x):
        return NAN
    return mpmath.gamma(mp(x)) if abs(x) < 200 else INF if x > 0 else 0.0 if math.floor(x) % 2 == 0 else -0.0


def log_gamma(x):
    if x <= 0 and x == math.floor(x):
        return INF
    return mpmath.log(abs(mpmath.gamma(mp(x)))) if abs(x) < 1e5 else mpmath.loggamma(mp(x)).real


def exponential(function, least, most, low):
    """Exact evaluation of enormous powers takes for ever, and they are known."""
    return lambda x: low if x < least else INF if x > most else function(mp(x))


# Function, values at -inf and +inf, ordinary range, exact value.
ONE = {
    "exp": (0.0, INF, (-750, 715), exponential(mpmath.exp, -800, 720, 0.0)),
    "exp2": (0.0, INF, (-1080, 1030), exponential(lambda x: mp(2) ** x, -1200, 1100, 0.0)),
    "expm1": (-1.0, INF, (-40, 715), exponential(mpmath.expm1, -800, 720, -1.0)),
    "log": (NAN, INF, (0, 100), guard(lambda x: x > 0, mpmath.log)),
    "log2": (NAN, INF, (0, 100), guard(lambda x: x > 0, lambda x: mpmath.log(x, 2))),
    "log10": (NAN, INF, (0, 100), guard(lambda x: x > 0, mpmath.log10)),
    "log1p": (NAN, INF, (-1, 10), guard(lambda x: x > -1, mpmath.log1p)),
    "sin": (NAN, NAN, (-50, 50), lambda x: mpmath.sin(mp(x))),
    "cos": (NAN, NAN, (-50, 50), lambda x: mpmath.cos(mp(x))),
    "tan": (NAN, NAN, (-50, 50), lambda x: mpmath.tan(mp(x))),
    "asin": (NAN, NAN, (-1, 1), guard(lambda x: abs(x) <= 1, mpmath.asin)),
    "acos": (NAN, NAN, (-1, 1), guard(lambda x: abs(x) <= 1, mpmath.acos)),
    "atan": (-math.pi / 2, math.pi / 2, (-20, 20), lambda x: mpmath.atan(mp(x))),
    "sinh": (-INF, INF, (-715, 715), lambda x: mpmath.sinh(mp(x)) if abs(x) < 800 else math.copysign(INF, x)),
    "cosh": (INF, INF, (-715, 715), lambda x: mpmath.cosh(mp(x)) if abs(x) < 800 else INF),
    "tanh": (-1.0, 1.0, (-25, 25), lambda x: mpmath.tanh(mp(x)) if abs(x) < 100 else math.copysign(1, x)),
    "asinh": (-INF, INF, (-50, 50), lambda x: mpmath.asinh(mp(x))),
    "acosh": (NAN, INF, (1, 50), guard(lambda x: x >= 1, mpmath.acosh)),
    "atanh": (NAN, NAN, (-1, 1), guard(lambda x: abs(x) < 1, mpmath.atanh)),
    "cbrt": (-INF, INF, (-100, 100), lambda x: mpmath.sign(mp(x)) * mpmath.cbrt(abs(mp(x)))),
    "erf": (-1.0, 1.0, (-7, 7), lambda x: mpmath.erf(mp(x)) if abs(x) < 40 else math.copysign(1, x)),
    "erfc": (2.0, 0.0, (-7, 28), lambda x: mpmath.erfc(mp(x)) if abs(x) < 40 else (0.0 if x > 0 else 2.0)),
    "tgamma": (NAN, INF, (-20, 171), gamma),
    "lgamma": (INF, INF, (-20, 200), log_gamma),
}


def special(name, x):
    """Results at zeros and at the ends of domains, where the exact value has no sign or is no number."""
    if x == 0 and name in ("log", "log2", "log10"):
        return -INF
    if x == 0 and name in "expm1 log1p sin tan asin atan sinh tanh asinh atanh cbrt erf".split():
        return x
    if name == "log1p" and x == -1:
        return -INF
    if name == "atanh" and abs(x) == 1:
        return math.copysign(INF, x)
    return None


def arguments(kind, name, span):
    values = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, kind.tiny, -kind.tiny, 5 * kind.tiny, kind.smallest]
    values += [-kind.smallest, kind.largest, -kind.largest, INF, -INF, NAN, 0.25, 3.0, 10.0, -10.0]
    low, high = span
    scale = 1.0 if kind is DOUBLE or abs(high) < 100 else 128 / 1024
    values += [random.uniform(low * scale, high * scale) for _ in range(250)]
    most = kind.bias
    values += [math.copysign(2.0 ** random.uniform(-most, most - 0.1), random.random() - 0.4) for _ in range(150)]
    values += [math.copysign(2.0 ** random.uniform(-30, 8), random.random() - 0.5) for _ in range(150)]
    if name in ("sin", "cos", "tan"):
        values += [float(k * mpmath.pi / 2) for k in [1, 2, 3, 4, 5, 7, 22, 355, 710, 12345, 10**6, 10**9, 10**15]]
        # The double nearest to a multiple of pi / 2, and others that are nearly as near.
        values += [6381956970095103.0 * 2.0**797] if kind is DOUBLE else [16367173.0 * 2.0**72]
        values += [5.0**20, 1e22, 2.0**100] if kind is DOUBLE else [1e10, 2.0**100]
    if name in ("log", "log2", "log10", "acosh", "log1p", "lgamma"):
        base = 0.0 if name == "log1p" else 1.0
        values += [base + math.copysign(2.0 ** -k, random.random() - 0.5) for k in range(1, 30)]
    if name in ("asin", "acos", "atanh"):
        values += [math.copysign(1 - 2.0 ** -k, random.random() - 0.5) for k in range(1, 24)]
    for value in values:
        if abs(value) <= kind.largest or not math.isfinite(value):
            yield kind.near(value)


def exact(name, x):
    if math.isnan(x):
        return NAN
    at_minus, at_plus, _, function = ONE[name]
    if math.isinf(x):
        return at_plus if x > 0 else at_minus
    known = special(name, x)
    return function(x) if known is None else known


def power(x, y):
    if y == 0 or x == 1:
        return 1.0
    if math.isnan(x) or math.isnan(y):
        return NAN
    try:
        if math.isinf(x) or math.isinf(y) or x == 0:
            return math.pow(x, y)
    except (ValueError, ZeroDivisionError):
        odd = y == math.floor(y) and y % 2 == 1
        return math.copysign(INF, x) if odd else INF
    if x < 0 and y != math.floor(y):
        return NAN
    sign = -1 if x < 0 and y % 2 == 1 else 1
    size = y * math.log2(abs(x))
    if abs(size) > 2500:
        return sign * (INF if size > 0 else 0.0)
    return sign * mpmath.power(abs(mp(x)), mp(y))


def pairs(kind):
    most = kind.bias
    ends = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 3.0, -3.0, INF, -INF, NAN, kind.tiny, -kind.tiny, kind.smallest]
    ends += [kind.largest, 2.5, kind.near(-0.7)]
    yield from ((a, b) for a in ends for b in ends)

    def any_size():
        return kind.near(math.copysign(2.0 ** random.uniform(-most, most - 0.1), random.random() - 0.5))

    for _ in range(150):
        yield any_size(), any_size()
    for _ in range(250):
        yield kind.near(random.uniform(-20, 20)), kind.near(random.uniform(-20, 20))


def power_pairs(kind):
    for _ in range(250):
        x = kind.near(2.0 ** random.uniform(-30, 30))
        yield x, kind.near(random.uniform(-1, 1) * kind.bias / abs(math.log2(x) or 1))
    for _ in range(100):
        x = kind.near(1 + random.uniform(-1, 1) * 2.0 ** -random.uniform(5, kind.mantissa - 3))
        yield x, kind.near(random.uniform(-1, 1) * kind.bias / abs(math.log2(x) or 1))
    for _ in range(80):
        yield kind.near(random.uniform(-30, 30)), float(random.randint(-15, 15))


def angle(y, x):
    if math.isnan(x) or math.isnan(y):
        return NAN
    if y == 0 or x == 0 or math.isinf(x) or math.isinf(y):
        right = math.copysign(1, x) > 0
        if y == 0:
            return math.copysign(0.0, y) if right else mpmath.sign(mp(math.copysign(1, y))) * mpmath.pi
        if math.isinf(x) and not math.isinf(y):
            return math.copysign(0.0, y) if right else mpmath.sign(mp(y)) * mpmath.pi
        turns = mp(1) / 2 if not math.isinf(x) else mp(1) / 4 if right else mp(3) / 4
        return mpmath.sign(mp(math.copysign(1, y))) * turns * mpmath.pi
    return mpmath.atan2(mp(y), mp(x))


def hypotenuse(x, y):
    if math.isinf(x) or math.isinf(y):
        return INF
    if math.isnan(x) or math.isnan(y):
        return NAN
    return mpmath.sqrt(mp(x) ** 2 + mp(y) ** 2)


def remainder(x, y):
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0:
        return NAN
    return math.fmod(x, y)


TWO = {"pow": power, "atan2": angle, "hypot": hypotenuse, "fmod": remainder}


def write(kind, path):
    random.seed(20)
    lines = []
    for name, (_, _, span, _) in ONE.items():
        for x in arguments(kind, name, span):
            lines.append(f"{name} {kind.text(x)} {kind.text(kind.round(exact(name, x)))}")
    for name, function in TWO.items():
        more = power_pairs(kind) if name == "pow" else ()
        for x, y in [*pairs(kind), *more]:
            lines.append(f"{name} {kind.text(x)} {kind.text(y)} {kind.text(kind.round(function(x, y)))}")
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    folder = Path(__file__).parent
    write(DOUBLE, folder / "double.txt")
    write(SINGLE, folder / "single.txt")

"""The operations for every element: for each its types, and the expression of the kernel language that computes it.

An expression is made of those of its operands, which are of the type that the operation computes in. So the same operations
serve memory, where an operand is ``x0``, and functions that are fused.
"""

from .._errors import WrongTypeError
from . import complex_functions
from .dtypes import bool_, c_name, computed, float64, is_complex, is_float, part_of, promote, refuse_complex


class Operation:
    """`resolve` makes the types that it computes in and that it results in of its operands' types; `text` makes the
    expression of the type and of the operands' expressions, `complex_text` that of complex numbers, where it is of those."""

    __slots__ = ("complex_text", "doc", "functions", "name", "resolve", "text")

    def __init__(self, name, resolve, text, doc, functions="", complex_text=None):
        self.name, self.resolve, self.text, self.doc, self.functions = name, resolve, text, doc, functions
        self.complex_text = complex_text

    def functions_of(self, kind):
        """The functions that the expression calls, which computes in a type."""
        if is_complex(kind):
            return complex_functions.text_of(self.name, kind) if self.name in complex_functions.NAMES else ""
        return "" if is_float(kind) else self.functions


OPERATIONS = {}


def _add(name, resolve, text, doc, functions="", complex_text=None):
    OPERATIONS[name] = Operation(name, resolve, text, doc, functions, text if complex_text is SAME else complex_text)


# The expression of real numbers is that of complex ones.
SAME = object()
# What needs an order.
ORDERED = {"less", "less_equal", "greater", "greater_equal", "minimum", "maximum", "fmin", "fmax", "clip"}


def cast(text, own, to):
    """An expression of the type `own` as one of the type `to`."""
    if computed(own) == computed(to):
        return text
    if to == bool_:
        return f"(({text}) != 0 ? 1 : 0)"
    if is_complex(own) and not is_complex(to):
        raise WrongTypeError(f"{own} becomes no {to}: take a part, `real(x)` or `imag(x)`, or the magnitude, `abs(x)`")
    return f"({c_name(computed(to))})({text})"


def expression(operation, types, texts):
    """The expression of an operation, and the type that it results in."""
    compute, result = operation.resolve(*types)
    text = operation.text
    if is_complex(compute):
        text = operation.complex_text
        if text is None:
            if operation.name in ORDERED:
                refuse_complex(f"`{operation.name}`", compute)
            raise WrongTypeError(
                f"`{operation.name}` is not of complex numbers: take a part, `real(x)` or `imag(x)`, or the magnitude, `abs(x)`"
            )
    if operation.name == "where":  # the condition keeps its type
        values = [cast(text, own, result) for text, own in zip(texts[1:], types[1:])]
        return f"(({texts[0]}) != 0 ? ({values[0]}) : ({values[1]}))", result
    return text(compute, *(cast(text, own, compute) for text, own in zip(texts, types))), result


# ---- types ----------------------------------------------------------------------------------------------------------


def _numbers(*types):
    """Computes and results in the common type."""
    common = types[0]
    for other in types[1:]:
        common = promote(common, other)
    return common, common


def _floats(*types):
    common, _ = _numbers(*types)
    if not is_float(common) and not is_complex(common):
        common = float64
    return common, common


def _magnitude(*types):
    common, _ = _numbers(*types)
    return common, part_of(common)


def _angle(*types):
    common, _ = _floats(*types)
    return common, part_of(common)


def _truth(*types):
    return _numbers(*types)[0], bool_


def _integers(name):
    def resolve(*types):
        common, _ = _numbers(*types)
        if is_float(common) or is_complex(common):
            raise WrongTypeError(f"`{name}` is of integers and truth values, not of {' and '.join(types)}")
        return common, common

    return resolve


def _no_bool(name):
    def resolve(*types):
        common, _ = _numbers(*types)
        if common == bool_:
            raise WrongTypeError(f"`{name}` is of numbers, not of truth values")
        return common, common

    return resolve


# ---- integers, whose arithmetic wraps --------------------------------------------------------------------------------


def _unsigned(kind):
    return "unsigned long" if c_name(kind).endswith("long") else "unsigned int"


def _wrapping(operator):
    def text(kind, a, b):
        if is_float(kind) or is_complex(kind):
            return f"({a}) {operator} ({b})"
        if kind == bool_:
            return f"(({a}) {'&' if operator == '*' else '|'} ({b}))"
        wide = _unsigned(kind)
        return f"({c_name(kind)})(({wide})({a}) {operator} ({wide})({b}))"

    return text


def _negative(kind, a):
    return f"-({a})" if is_float(kind) or is_complex(kind) else f"({c_name(kind)})(({_unsigned(kind)})0 - ({_unsigned(kind)})({a}))"


def _absolute(kind, a):
    if is_float(kind):
        return f"fabs({a})"
    if c_name(kind).startswith("unsigned") or kind == bool_:
        return a
    return f"(({a}) < 0 ? {_negative(kind, a)} : ({a}))"


def _is_signed(kind):
    return kind.startswith("int")


def _floor_divide(kind, a, b):
    if is_float(kind):
        rest = f"fmod({a}, {b})"
        one = f"({rest} != 0 && ({rest} < 0) != (({b}) < 0) ? 1 : 0)"
        exact = f"(({a}) == 0 || ({b}) == 0 || isinf({a}) || isinf({b}))"
        return f"({exact} ? floor(({a}) / ({b})) : rint((({a}) - {rest}) / ({b}) - {one}))"
    if not _is_signed(kind):
        return f"(({b}) == 0 ? 0 : ({a}) / ({b}))"
    one = f"(({a}) % ({b}) != 0 && (({a}) < 0) != (({b}) < 0) ? 1 : 0)"
    return f"(({b}) == 0 ? 0 : ({b}) == -1 ? {_negative(kind, a)} : ({a}) / ({b}) - {one})"


def _remainder(kind, a, b):
    if is_float(kind):
        rest = f"fmod({a}, {b})"
        return f"({rest} == 0 ? copysign(({c_name(computed(kind))})0, {b}) : ({rest} < 0) != (({b}) < 0) ? {rest} + ({b}) : {rest})"
    if not _is_signed(kind):
        return f"(({b}) == 0 ? 0 : ({a}) % ({b}))"
    rest = f"({a}) % ({b})"
    return f"(({b}) == 0 || ({b}) == -1 ? 0 : {rest} != 0 && (({a}) < 0) != (({b}) < 0) ? {rest} + ({b}) : {rest})"


_INTEGER_POWER = """
unsigned long integer_power_(const unsigned long base, const unsigned long exponent) {
  unsigned long result = 1;
  unsigned long square = base;
  for (unsigned long left = exponent; left > 0; left = left / 2) {
    if (left % 2 == 1) { result = result * square; }
    square = square * square;
  }
  return result;
}
"""


def _power(kind, a, b):
    if is_float(kind):
        return f"pow({a}, {b})"
    power = f"({c_name(kind)})integer_power_((unsigned long)({a}), (unsigned long)({b}))"
    if not _is_signed(kind):
        return power
    # A negative power of an integer is cut to one: 0 but for 1 and -1.
    inverse = f"(({a}) == 1 ? 1 : ({a}) == -1 ? (({b}) % 2 == 0 ? 1 : -1) : 0)"
    return f"(({b}) < 0 ? {inverse} : {power})"


def _shift_left(kind, a, b):
    wide, bits = _unsigned(kind), kind_bits(kind)
    return f"(({b}) < 0 || ({b}) >= {bits} ? 0 : ({c_name(kind)})(({wide})({a}) << (({b}) < 0 || ({b}) >= {bits} ? 0 : ({b}))))"


def _shift_right(kind, a, b):
    bits = kind_bits(kind)
    beyond = f"(({a}) < 0 ? -1 : 0)" if _is_signed(kind) else "0"
    return f"(({b}) < 0 || ({b}) >= {bits} ? {beyond} : ({a}) >> (({b}) < 0 || ({b}) >= {bits} ? 0 : ({b})))"


def kind_bits(kind):
    return int(kind.lstrip("uint"))


_add("add", _numbers, _wrapping("+"), "The sum. Integers wrap; of truth values, whether either is true.",
     complex_text=SAME)
_add("subtract", _no_bool("subtract"), _wrapping("-"), "The difference. Integers wrap.", complex_text=SAME)
_add("multiply", _numbers, _wrapping("*"), "The product. Integers wrap; of truth values, whether both are true.",
     complex_text=SAME)
_add("divide", _floats, lambda kind, a, b: f"({a}) / ({b})", "The quotient, a float: of integers ``float64``.",
     complex_text=SAME)
_add("floor_divide", _no_bool("floor_divide"), _floor_divide,
     "The quotient rounded downwards. An integer divided by 0 is 0.")
_add("remainder", _no_bool("remainder"), _remainder,
     "What is left of ``a // b``, with the sign of ``b``. For integers 0 where ``b`` is 0.")
_add("fmod", _floats, lambda kind, a, b: f"fmod({a}, {b})", "What is left of the quotient cut to an integer.")
_add("pow", _no_bool("pow"), _power, "``a`` to the power of ``b``. Integers wrap, and their negative powers are cut.",
     _INTEGER_POWER, lambda kind, a, b: f"pow({a}, {b})")
_add("negative", _no_bool("negative"), _negative, "``-a``", complex_text=SAME)
_add("positive", _no_bool("positive"), lambda kind, a: a, "``+a``", complex_text=SAME)
_add("abs", _magnitude, _absolute, "The absolute value; of the lowest integer, itself; of complex numbers the magnitude.",
     complex_text=lambda kind, a: f"abs({a})")
_add("square", _numbers, lambda kind, a: _wrapping("*")(kind, a, a), "``a * a``", complex_text=SAME)
_add("reciprocal", _floats, lambda kind, a: f"1 / ({a})", "``1 / a``", complex_text=SAME)


def _sign(kind, a):
    if is_float(kind):
        return f"(({a}) > 0 ? 1 : ({a}) < 0 ? -1 : ({a}) == 0 ? 0 : ({a}))"
    return f"(({a}) > 0 ? 1 : 0)" if not _is_signed(kind) else f"(({a}) > 0 ? 1 : ({a}) < 0 ? -1 : 0)"


_add("sign", _no_bool("sign"), _sign, "-1, 0 or 1; of a NaN, itself; of complex numbers ``a / abs(a)``, or 0.",
     complex_text=lambda kind, a: f"(({a}) == 0 ? ({a}) : ({a}) / abs({a}))")

# ---- complex numbers, and real ones as such --------------------------------------------------------------------------

_add("real", _magnitude, lambda kind, a: a, "The real part.", complex_text=lambda kind, a: f"creal({a})")
_add("imag", _magnitude, lambda kind, a: f"({c_name(computed(kind))})0", "The imaginary part.",
     complex_text=lambda kind, a: f"cimag({a})")
_add("conj", _no_bool("conj"), lambda kind, a: a, "The complex conjugate.", complex_text=lambda kind, a: f"conj({a})")
_add("angle", _angle, lambda kind, a: f"atan2(({c_name(computed(kind))})0, {a})", "The angle of complex numbers, from -pi to pi.",
     complex_text=lambda kind, a: f"arg({a})")

# ---- comparisons -----------------------------------------------------------------------------------------------------

for _name, _operator in [
    ("equal", "=="), ("not_equal", "!="), ("less", "<"), ("less_equal", "<="), ("greater", ">"), ("greater_equal", ">="),
]:
    _add(_name, _truth, lambda kind, a, b, operator=_operator: f"(({a}) {operator} ({b}) ? 1 : 0)", f"``a {_operator} b``",
         complex_text=SAME if _operator in ("==", "!=") else None)


def _lesser(kind, a, b):
    return f"(({a}) <= ({b}) || ({a}) != ({a}) ? ({a}) : ({b}))" if is_float(kind) else f"(({a}) <= ({b}) ? ({a}) : ({b}))"


def _greater(kind, a, b):
    return f"(({a}) >= ({b}) || ({a}) != ({a}) ? ({a}) : ({b}))" if is_float(kind) else f"(({a}) >= ({b}) ? ({a}) : ({b}))"


_add("minimum", _numbers, _lesser, "The lower of two values; a NaN where there is one.")
_add("maximum", _numbers, _greater, "The higher of two values; a NaN where there is one.")
_add("fmin", _floats, lambda kind, a, b: f"fmin({a}, {b})", "The lower of two values; the other one where one is NaN.")
_add("fmax", _floats, lambda kind, a, b: f"fmax({a}, {b})", "The higher of two values; the other one where one is NaN.")


def _resolve_where(condition, a, b):
    common = promote(a, b)
    return common, common


_add("where", _resolve_where, None, "``a`` where the condition is true, else ``b``.", complex_text=True)
_add("clip", _numbers, lambda kind, a, low, high: _lesser(kind, _greater(kind, a, low), high),
     "The value, or the bound that it passes.")

# ---- truth values and bits -------------------------------------------------------------------------------------------


def _resolve_logical(*types):
    return bool_, bool_


_add("logical_and", _resolve_logical, lambda kind, a, b: f"(({a}) & ({b}))", "Whether both are true.")
_add("logical_or", _resolve_logical, lambda kind, a, b: f"(({a}) | ({b}))", "Whether either is true.")
_add("logical_xor", _resolve_logical, lambda kind, a, b: f"(({a}) ^ ({b}))", "Whether just one is true.")
_add("logical_not", _resolve_logical, lambda kind, a: f"(({a}) == 0 ? 1 : 0)", "Whether it is false.")
for _name, _operator in [("bitwise_and", "&"), ("bitwise_or", "|"), ("bitwise_xor", "^")]:
    _add(_name, _integers(_name), lambda kind, a, b, operator=_operator: f"(({a}) {operator} ({b}))", f"``a {_operator} b``")
_add("bitwise_invert", _integers("bitwise_invert"),
     lambda kind, a: f"(({a}) == 0 ? 1 : 0)" if kind == bool_ else f"({c_name(kind)})(~({a}))", "``~a``")
_add("bitwise_left_shift", _no_bool("bitwise_left_shift"), _shift_left, "``a << b``; 0 where ``b`` is the width or more.")
_add("bitwise_right_shift", _no_bool("bitwise_right_shift"), _shift_right, "``a >> b``, which keeps the sign.")

# ---- floats, and complex numbers --------------------------------------------------------------------------------------

# Functions that the kernel language has for complex numbers too.
_OF_COMPLEX = {"sqrt", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh"}
# Those that are others of a multiple, or a multiple of others.
_SCALED = {
    "exp2": lambda kind, a: f"exp(({a}) * {c_float(part_of(kind), 0.6931471805599453)})",
    "log2": lambda kind, a: f"log({a}) * {c_float(part_of(kind), 1.4426950408889634)}",
    "log10": lambda kind, a: f"log({a}) * {c_float(part_of(kind), 0.4342944819032518)}",
}
_SCALED.update({_name: complex_functions.call_of(_name) for _name in complex_functions.NAMES})

for _name, _function, _doc in [
    ("sqrt", "sqrt", "The square root."), ("rsqrt", "rsqrt", "``1 / sqrt(a)``"), ("cbrt", "cbrt", "The cube root."),
    ("exp", "exp", "e to the power of ``a``."), ("exp2", "exp2", "2 to the power of ``a``."),
    ("expm1", "expm1", "``exp(a) - 1``, exact near 0."), ("log", "log", "The natural logarithm."),
    ("log2", "log2", "The logarithm to base 2."), ("log10", "log10", "The logarithm to base 10."),
    ("log1p", "log1p", "``log(1 + a)``, exact near 0."), ("sin", "sin", "The sine."), ("cos", "cos", "The cosine."),
    ("tan", "tan", "The tangent."), ("asin", "asin", "The inverse sine."), ("acos", "acos", "The inverse cosine."),
    ("atan", "atan", "The inverse tangent."), ("sinh", "sinh", "The hyperbolic sine."),
    ("cosh", "cosh", "The hyperbolic cosine."), ("tanh", "tanh", "The hyperbolic tangent."),
    ("asinh", "asinh", "The inverse hyperbolic sine."), ("acosh", "acosh", "The inverse hyperbolic cosine."),
    ("atanh", "atanh", "The inverse hyperbolic tangent."), ("erf", "erf", "The error function."),
    ("erfc", "erfc", "``1 - erf(a)``"), ("gamma", "tgamma", "The gamma function."),
    ("lgamma", "lgamma", "The logarithm of the gamma function's absolute value."),
]:
    _add(_name, _floats, lambda kind, a, function=_function: f"{function}({a})", _doc,
         complex_text=SAME if _name in _OF_COMPLEX else _SCALED.get(_name))
for _name, _function, _doc in [
    ("atan2", "atan2", "The angle of the point ``(b, a)``."), ("hypot", "hypot", "``sqrt(a * a + b * b)`` without overflow."),
    ("copysign", "copysign", "``a`` with the sign of ``b``."),
]:
    _add(_name, _floats, lambda kind, a, b, function=_function: f"{function}({a}, {b})", _doc)
_add("logaddexp", _floats,
     lambda kind, a, b: f"(({a}) == ({b}) ? ({a}) + {c_float(kind, 0.6931471805599453)} : "
     f"{_greater(kind, a, b)} + log1p(exp(-fabs(({a}) - ({b})))))",
     "``log(exp(a) + exp(b))`` without overflow.")


def c_float(kind, number):
    """A number as the kernel language writes it in a type of floats."""
    return f"{number!r}" if kind == float64 else f"{number!r}f"


for _name, _function, _doc in [
    ("floor", "floor", "The integer below."), ("ceil", "ceil", "The integer above."),
    ("trunc", "trunc", "The integer nearer to 0."),
    ("round", "rint", "The nearest integer; of two, the even one. Of complex numbers that of each part."),
]:
    _add(_name, _numbers, lambda kind, a, function=_function: f"{function}({a})" if is_float(kind) else a, _doc,
         complex_text=None if _name != "round" else lambda kind, a: f"{c_name(kind)}(rint(creal({a})), rint(cimag({a})))")


def _test(function, of_integers):
    return lambda kind, a: f"({function}({a}) ? 1 : 0)" if is_float(kind) else of_integers


def _test_parts(function, joined):
    return lambda kind, a: f"({function}(creal({a})) {joined} {function}(cimag({a})) ? 1 : 0)"


_add("isnan", _truth, _test("isnan", "0"), "Whether it is NaN, or a part of it is.", complex_text=_test_parts("isnan", "||"))
_add("isinf", _truth, _test("isinf", "0"), "Whether it is infinite, or a part of it is.",
     complex_text=_test_parts("isinf", "||"))
_add("isfinite", _truth, _test("isfinite", "1"), "Whether it is neither infinite nor NaN.",
     complex_text=_test_parts("isfinite", "&&"))
_add("signbit", _truth, lambda kind, a: f"(copysign(({c_name(computed(kind))})1, {a}) < 0 ? 1 : 0)" if is_float(kind)
     else (f"(({a}) < 0 ? 1 : 0)" if _is_signed(kind) else "0"), "Whether the sign is negative, that of a zero too.")


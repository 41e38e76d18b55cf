"""Functions of complex numbers that the kernel language has not, written in it.

After W. Kahan, Branch Cuts for Complex Elementary Functions (1987): nothing cancels near the branch points, and on a cut the
sign of a zero says which side is meant.
"""

from .dtypes import c_name, part_of

_TEXTS = {
    "log1p": """
T complex_log1p_(const T z) {
  const R x = creal(z);
  const R y = cimag(z);
  const R size = hypot(1 + x, y);
  const bool is_near = size > (R)0.5 && size < (R)2;
  return T(is_near ? (R)0.5 * log1p(x * (2 + x) + y * y) : log(size), atan2(y, 1 + x));
}
""",
    "expm1": """
T complex_expm1_(const T z) {
  const R x = creal(z);
  const R y = cimag(z);
  const R half = sin(y / 2);
  return T(expm1(x) * cos(y) - 2 * half * half, exp(x) * sin(y));
}
""",
    "asin": """
T complex_asin_(const T z) {
  const T below = sqrt(1 - z);
  const T above = sqrt(1 + z);
  return T(atan2(creal(z), creal(below * above)), asinh(cimag(conj(below) * above)));
}
""",
    "acos": """
T complex_acos_(const T z) {
  const T below = sqrt(1 - z);
  const T above = sqrt(1 + z);
  return T(2 * atan2(creal(below), creal(above)), asinh(cimag(conj(above) * below)));
}
""",
    "acosh": """
T complex_acosh_(const T z) {
  const T below = sqrt(z - 1);
  const T above = sqrt(z + 1);
  return T(asinh(creal(conj(below) * above)), 2 * atan2(cimag(below), creal(above)));
}
""",
    "atanh": """
T complex_atanh_(const T z) {
  const R x = fabs(creal(z));
  const R y = cimag(z);
  const R re = log1p(4 * x / ((1 - x) * (1 - x) + y * y)) / 4;
  return T(copysign(re, creal(z)), atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2);
}
""",
    # What a function of a turned argument is, turned back.
    "asinh": """
T complex_asinh_(const T z) {
  const T turned = complex_asin_(T(-cimag(z), creal(z)));
  return T(cimag(turned), -creal(turned));
}
""",
    "atan": """
T complex_atan_(const T z) {
  const T turned = complex_atanh_(T(-cimag(z), creal(z)));
  return T(cimag(turned), -creal(turned));
}
""",
}
_CALLED = {"asinh": "asin", "atan": "atanh"}


def text_of(name, kind):
    """The functions that :func:`call_of` calls, for complex numbers of a type."""
    text = _TEXTS[name] if name not in _CALLED else _TEXTS[_CALLED[name]] + _TEXTS[name]
    # Each type has functions of its own: a fused kernel may need several.
    text = text.replace("complex_", f"{kind}_").replace("(R)", f"({c_name(part_of(kind))})")
    text = text.replace("const R ", f"const {c_name(part_of(kind))} ").replace("const T ", f"const {c_name(kind)} ")
    return text.replace(" T(", f" {c_name(kind)}(").replace("(T(", f"({c_name(kind)}(").replace("\nT ", f"\n{c_name(kind)} ")


def call_of(name):
    """The expression of a function, of the type and of the argument's expression."""
    return lambda kind, a: f"{kind}_{name}_({a})"


NAMES = tuple(_TEXTS)

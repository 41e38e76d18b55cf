"""The operations as functions: ``ferrocca.sqrt(x)``, ``ferrocca.add(x, y, out=z)``."""

from . import elementwise
from .elementwise import apply
from .operations import OPERATIONS
from .tracing import Traced, traced


def _make(name, operation):
    def function(*operands, out=None):
        for operand in operands:
            if type(operand) is Traced:
                return traced(name, operands)
        return apply(name, operands, out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{operation.doc}\n\nElement by element, of memory and numbers; new memory, or `out`."
    function.__module__ = "ferrocca"
    return function


FUNCTIONS = {name: _make(name, operation) for name, operation in OPERATIONS.items()}


def pow(a, b, /, *, out=None):
    """``a`` to the power of ``b``, element by element."""
    if type(a) is Traced or type(b) is Traced:
        return traced("pow", (a, b))
    return elementwise.power(a, b, out)


def clip(x, /, min=None, max=None, *, out=None):
    """The elements, or the bound that they pass: `min` below, `max` above."""
    bounds = [(name, bound) for name, bound in (("maximum", min), ("minimum", max)) if bound is not None]
    if type(x) is not Traced:
        bounds = [(name, bound if type(bound) is not elementwise.Memory else bound.astype(x.dtype, copy=False))
                  for name, bound in bounds]
    if not bounds:
        return x.copy()
    for place, (name, bound) in enumerate(bounds):
        x = FUNCTIONS[name](x, bound, out=out if place == len(bounds) - 1 else None)
    return x


FUNCTIONS.update(pow=pow, clip=clip)
# NumPy's names of the same.
for _new, _old in {
    "true_divide": "divide", "mod": "remainder", "power": "pow", "absolute": "abs", "invert": "bitwise_invert",
    "bitwise_not": "bitwise_invert", "left_shift": "bitwise_left_shift", "right_shift": "bitwise_right_shift",
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "rint": "round", "fabs": "abs", "conjugate": "conj",
}.items():
    FUNCTIONS[_new] = FUNCTIONS[_old]

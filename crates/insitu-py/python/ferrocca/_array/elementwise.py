"""Operations on memory, element by element, and what they take beside it: numbers, and nothing that had to be copied."""

from .. import _native
from .._errors import WrongTypeError, WrongValueError
from . import dtypes, operations
from .dtypes import dtype, float64, of_number, promote

Memory = _native.Memory
_map, _map_into = _native.map, _native.map_into

# What an operation is for operands of some types: the expression, the type of numbers, of the result, functions.
_plans = {}


def number(value):
    """A number as Python's, and its type where it has one of its own: those of NumPy have.

    Anything else is refused: an array of another library is not copied to the device unasked."""
    kind = type(value)
    if kind is float or kind is int or kind is bool or kind is complex:
        return value, None
    own = getattr(value, "dtype", None)
    if own is not None and getattr(value, "shape", None) == () and hasattr(value, "item") and kind is not Memory:
        return value.item(), dtype(own)
    if isinstance(value, (bool, int, float, complex)):
        return value, None
    raise WrongTypeError(
        f"`{kind.__name__}` is neither memory nor a number; `ferrocca.asarray(...)` copies an array to the device"
    )


def types_of(operands):
    """The operands' types, and the operands with numbers as Python's. One that is memory decides what a number is."""
    types, values, weak = [], list(operands), []
    common = None
    for place, operand in enumerate(operands):
        if type(operand) is Memory:
            own = operand.dtype
        else:
            values[place], own = number(operand)
            if own is None:
                weak.append(place)
                types.append(None)
                continue
        types.append(own)
        common = own if common is None else promote(common, own)
    for place in weak:
        types[place] = of_number(values[place], common)
    return types, values


def plan(operation, types):
    """The expression in ``x0``, ``x1`` ..., the types of numbers and of the result, and the functions that it calls."""
    key = (operation.name, *types)
    known = _plans.get(key)
    if known is None:
        texts = [f"x{place}" for place in range(len(types))]
        compute, _ = operation.resolve(*types)
        # A number is given in the type that is computed in.
        text, result = operations.expression(operation, types, texts)
        known = _plans[key] = (text, dtypes.computed(compute), result, operation.functions_of(compute))
    return known


def apply(name, operands, out=None):
    """An operation on memory and numbers: new memory, or `out`."""
    operation = operations.OPERATIONS[name]
    if type(operands[0]) is Memory and (len(operands) == 1 or (len(operands) == 2 and type(operands[1]) is Memory)):
        types, values = [operand.dtype for operand in operands], operands
    else:
        types, values = types_of(operands)
        if not any(type(value) is Memory for value in values):
            raise WrongTypeError(f"`{name}` needs memory among its operands")
    if not all(type(value) is Memory for value in values):
        # Numbers are constants of the type that is computed in.
        compute, _ = operation.resolve(*types)
        types = [own if type(value) is Memory else compute for own, value in zip(types, values)]
    text, numbers, result, functions = plan(operation, types)
    if out is None:
        return _map(text, numbers, result, tuple(values), functions)
    check_out(out, result, name)
    _map_into(text, numbers, out, tuple(values), functions)
    return out


# Kinds of types, by what they hold; signs are the caller's.
_RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def check_out(out, result, name):
    """Refuses memory of a type that does not hold the result's kind."""
    if type(out) is not Memory:
        raise WrongTypeError(f"`out` of `{name}` is memory, not `{type(out).__name__}`")
    if _RANK[out.dtype.kind] < _RANK[result.kind]:
        raise WrongTypeError(f"`{name}` results in {result}, which memory of {out.dtype} does not hold: use `astype`")


def power(a, b, out=None):
    """``a`` to the power of ``b``."""
    if type(b) in (int, float) and type(a) is Memory:
        if b == 2:
            base = a if type(b) is int or a.dtype.kind in "fc" else astype(a, float64)
            return apply("square", (base,), out)
        if type(b) is int and b < 0 and dtypes.is_integer(a.dtype):
            raise WrongValueError("integers to a negative power are no integers: use `astype` first")
    return apply("pow", (a, b), out)


def astype(a, to, *, copy=True, device=None):
    """The values as another type; the same memory where that is its own and `copy` is false. They are converted where they are, and
    then copied to `device` if that is another one.

    Floats become integers as in C: cut, and undefined where they do not fit. Complex numbers become no real ones: what is meant
    is a part of them or the magnitude."""
    to = dtype(to)
    result = a if to == a.dtype else _map(convert_text(a.dtype, to), None, to, (a,))
    if device is not None:
        result = result.to_device(device)
    return _map("x0", None, to, (a,)) if copy and result is a else result


def convert_text(own, to):
    """The expression that converts ``x0``."""
    return operations.cast("x0", own, to) if own != to else "x0"


def store(out, a):
    """Converts memory or a number into memory."""
    if type(a) is Memory:
        _map_into(convert_text(a.dtype, out.dtype), None, out, (a,))
        return
    _map_into("x0", dtypes.computed(out.dtype), out, (as_kind(out.dtype, a),))


def as_kind(dtype, value):
    """A number as one that memory of a type takes."""
    value, _ = number(value)
    if dtype == "bool":
        return bool(value)
    if isinstance(value, complex) and not dtypes.is_complex(dtype):
        raise WrongTypeError(f"{value!r} is no {dtype}: take a part of it, or its magnitude")
    if dtypes.is_integer(dtype) and isinstance(value, float):
        if not value.is_integer():
            raise WrongValueError(f"{value!r} is no {dtype}")
        return int(value)
    return value

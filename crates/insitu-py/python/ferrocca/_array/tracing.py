"""Functions of Python that become one kernel: :func:`fuse`."""

import functools

from .. import _native
from .._errors import WrongTypeError
from . import dtypes, operations
from .dtypes import c_name, computed, of_number, promote
from .elementwise import number

Memory = _native.Memory


class Traced:
    """A value in a function that is being fused: a variable of the kernel."""

    __slots__ = ("dtype", "text", "trace")

    def __init__(self, trace, text, dtype):
        self.trace, self.text, self.dtype = trace, text, dtype

    def __bool__(self):
        raise WrongTypeError("a fused function cannot decide by a value: `ferrocca.where(condition, a, b)` does it by element")

    @property
    def real(self):
        return traced("real", (self,))

    @property
    def imag(self):
        return traced("imag", (self,))

    def conj(self):
        return traced("conj", (self,))

    def astype(self, dtype):
        dtype = dtypes.dtype(dtype)
        return self.trace.variable(operations.cast(self.text, self.dtype, dtype), dtype)


class _Trace:
    def __init__(self):
        self.lines, self.functions = [], []

    def variable(self, text, dtype):
        name = f"t{len(self.lines)}_"
        self.lines.append(f"const {c_name(computed(dtype))} {name} = {text};")
        return Traced(self, name, dtype)


def traced(name, operands):
    """An operation on values of a trace, and numbers."""
    operation = operations.OPERATIONS[name]
    trace = next(operand.trace for operand in operands if type(operand) is Traced)
    types, values, common = [], [], None
    for operand in operands:
        if type(operand) is Memory:
            raise WrongTypeError("a fused function takes memory as an argument only")
        value, own = (operand.text, operand.dtype) if type(operand) is Traced else number(operand)
        values.append(value)
        types.append(own)
        if own is not None:
            common = own if common is None else promote(common, own)
    types = [of_number(value, common) if own is None else own for own, value in zip(types, values)]
    compute, _ = operation.resolve(*types)
    texts = []
    for place, value in enumerate(values):
        if isinstance(value, str):
            texts.append(value)
        else:
            types[place] = compute
            texts.append(_literal(value, compute))
    if name == "pow" and values[1] == 2 and not isinstance(values[1], str):
        return traced("square", operands[:1])
    text, result = operations.expression(operation, types, texts)
    functions = operation.functions_of(compute)
    if functions and functions not in trace.functions:
        trace.functions.append(functions)
    return trace.variable(text, result)


def _literal(value, kind):
    """A number in the kernel language."""
    if dtypes.is_complex(kind):
        value, part = complex(value), dtypes.part_of(kind)
        return f"{c_name(kind)}({_literal(value.real, part)}, {_literal(value.imag, part)})"
    if dtypes.is_float(kind):
        value = float(value)
        if value != value or value in (float("inf"), float("-inf")):
            name = "NAN" if value != value else "INFINITY"
            return f"(({c_name(computed(kind))}){'-' if value < 0 else ''}{name})"
        return f"(({c_name(computed(kind))}){value!r})"
    return f"(({c_name(kind)}){int(value)}{'UL' if kind == 'uint64' else 'L' if kind == 'int64' else ''})"


def _operator(name, reverse=False):
    def method(self, other):
        return traced(name, (other, self) if reverse else (self, other))

    return method


def _unary(name):
    def method(self):
        return traced(name, (self,))

    return method


for _short, _name in {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide", "mod": "remainder",
    "pow": "pow", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}.items():
    setattr(Traced, f"__{_short}__", _operator(_name))
    setattr(Traced, f"__r{_short}__", _operator(_name, reverse=True))
for _short, _name in {
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
}.items():
    setattr(Traced, f"__{_short}__", _operator(_name))
for _short, _name in {"neg": "negative", "pos": "positive", "abs": "abs", "invert": "bitwise_invert"}.items():
    setattr(Traced, f"__{_short}__", _unary(_name))
Traced.__hash__ = None


def fuse(function=None, *, kernel_name=None):
    """Makes one kernel of a function of arithmetic, comparisons and this package's functions: its arguments are read once, and
    nothing is stored between. The function runs once for each set of types, on values that stand for elements::

        @ferrocca.fuse
        def distance(x, y):
            return ferrocca.sqrt(x**2 + y**2)
    """
    if function is None:
        return functools.partial(fuse, kernel_name=kernel_name)
    plans = {}

    @functools.wraps(function)
    def fused(*arguments):
        key = tuple([argument.dtype if type(argument) is Memory else type(argument) for argument in arguments])
        plan = plans.get(key)
        if plan is not None:
            return plan(arguments)
        if Traced in key:
            return function(*arguments)
        memories = [argument for argument in arguments if type(argument) is Memory]
        if not memories:
            raise WrongTypeError(f"`{function.__name__}` needs memory among its arguments")
        types, values = [], []
        for argument in arguments:
            if type(argument) is Memory:
                types.append(argument.dtype)
                values.append(argument)
            else:
                value, own = number(argument)
                values.append(value)
                # A number of Python's is of the type of the first memory, where that holds it.
                types.append(own or of_number(value, memories[0].dtype))
        plan = plans.get(tuple(types))
        if plan is None:
            plan = plans[tuple(types)] = _plan(function, types)
        return plan(tuple(values))

    return fused


def _plan(function, types):
    """The kernel of a function for some types."""
    trace = _Trace()
    made = function(*(Traced(trace, f"in{place}_", kind) for place, kind in enumerate(types)))
    results = made if isinstance(made, tuple) else (made,)
    if not all(type(result) is Traced for result in results):
        raise WrongTypeError(f"`{function.__name__}` returns {made!r}, and not what it computes of its arguments")
    lines = [*trace.lines, *(f"out{place}_ = {result.text};" for place, result in enumerate(results))]
    parameters = [("in", f"in{place}_", kind) for place, kind in enumerate(types)]
    parameters += [("out", f"out{place}_", result.dtype) for place, result in enumerate(results)]
    plan = _native.Statements(function.__name__, "\n".join(lines), "\n".join(trace.functions), [], parameters)
    return plan if not isinstance(made, tuple) or len(results) > 1 else lambda values: (plan(values),)

"""Kernels of a line or two: :class:`ElementwiseKernel` and :class:`ReductionKernel`, with CuPy's arguments, and
:class:`ScanKernel`."""

import re

from .. import _native
from .._errors import WrongTypeError, WrongValueError
from . import dtypes
from .dtypes import c_name, computed, dtype as dtype_of
from .elementwise import number
from .indexing import broadcast_shapes
from .manipulation import axis_of, broadcast_to, ravel

Memory = _native.Memory


class _Parameter:
    """`raw float32 x`, `T y`."""

    def __init__(self, text):
        words = text.split()
        self.raw = words[:1] == ["raw"]
        words = words[self.raw:]
        if len(words) < 2 or not words[-1].isidentifier():
            raise WrongValueError(f"a parameter is written `T x`, `float32 x` or `raw T x`, not {text.strip()!r}")
        self.name, kind = words[-1], " ".join(words[:-1])
        if self.name in ("i", "n") or self.name.endswith("_"):
            raise WrongValueError(f"a parameter cannot be called {self.name!r}: `i` and `n` mean the element, names end without `_`")
        # A single capital letter stands for a type that the arguments say.
        self.letter = kind if len(kind) == 1 and kind.isupper() else None
        self.dtype = None if self.letter else dtype_of(_C_NAMES.get(kind, kind))


_C_NAMES = {"char": "int8", "short": "int16", "unsigned char": "uint8", "unsigned short": "uint16", "unsigned int": "uint32"}
_C_NAMES.update({"unsigned long": "uint64", "long": "int64", "int": "int32", "float": "float32", "double": "float64"})
_C_NAMES.update({"unsigned": "uint32", "half": "float16"})


def _parameters(text):
    return [_Parameter(part) for part in text.split(",") if part.strip()]


def _resolve(parameters, values, name):
    """The types that letters stand for: of memory first, then of numbers."""
    letters = {}
    for is_memory in (True, False):
        for parameter, value in zip(parameters, values):
            if parameter.letter is None or (type(value) is Memory) != is_memory or value is None:
                continue
            own = value.dtype if is_memory else number(value)[1] or dtype_of(type(number(value)[0]))
            known = letters.setdefault(parameter.letter, own)
            if is_memory and known != own:
                raise WrongTypeError(f"`{name}`: `{parameter.letter}` is {known}, but `{parameter.name}` is memory of {own}")
    return letters


class ElementwiseKernel(_native.Planned):
    """Statements of the kernel language for every element::

        squares = ferrocca.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squares")
        z = squares(x, 2.0)

    Inputs are constants of their names and outputs variables that begin as 0; ``i`` is the number of the element and ``n`` how
    many there are. A capital letter is a type, which the arguments say, also in the statements. Memory is repeated to one
    shape, as in arithmetic; ``raw T x`` is the whole memory, ``x[i]`` an element of it. `preamble` has functions that the
    statements call. Outputs may be given behind the inputs; else they are made, in the shape of the inputs that are not raw or
    of `size`. Parameters are not called ``i`` or ``n``, and end without an underscore."""

    def __init__(self, in_params, out_params, operation, name="kernel", preamble=""):
        self.inputs, self.outputs = _parameters(in_params), _parameters(out_params)
        self.name, self.preamble = name, preamble
        self.operation = operation.rstrip()
        if not self.outputs:
            raise WrongValueError(f"`{name}` has no output")
        if not self.operation.endswith((";", "}")):
            self.operation += ";"

    def _plan(self, arguments, size):
        """The arguments as memory and Python's numbers, the statements for their types, and whether types alone decide."""
        expected = len(self.inputs)
        if len(arguments) not in (expected, expected + len(self.outputs)):
            raise WrongTypeError(f"`{self.name}` takes {expected} inputs, and {len(self.outputs)} outputs or none")
        values, outs = arguments[:expected], arguments[expected:]
        declared = self.inputs + self.outputs
        letters = _resolve(declared, [*values, *(outs or [None] * len(self.outputs))], self.name)
        types = []
        for parameter in declared:
            if parameter.letter is not None and parameter.letter not in letters:
                raise WrongTypeError(f"`{self.name}`: no argument says what `{parameter.letter}` is")
            types.append(parameter.dtype or letters[parameter.letter])
        given = [*zip(self.inputs, values, types), *zip(self.outputs, outs, types[expected:])]
        if size is None and not any(type(value) is Memory and not parameter.raw for parameter, value, _ in given):
            raise WrongValueError(f"`{self.name}`: `size` says for how many elements, where all inputs are raw or numbers")
        numbers = [self._checked(place >= expected, *one) for place, one in enumerate(given)]
        parameters = [
            ("raw" if parameter.raw else "in", parameter.name, kind) for parameter, kind in zip(self.inputs, types)
        ] + [
            ("raw out" if parameter.raw else "out", parameter.name, kind)
            for parameter, kind in zip(self.outputs, types[expected:])
        ]
        names = [(letter, kind) for letter, kind in letters.items()]
        statements = _native.Statements(self.name, self.operation, self.preamble, names, parameters)
        types_decide = all(type(value) in (Memory, float, int, bool) for value in arguments)
        if not any(type(value) is Memory for value in arguments):
            from .creation import empty

            shape = (size,) if isinstance(size, int) else tuple(size)
            numbers += [empty(shape, kind) for kind in types[expected:]]
        return tuple(numbers), statements, types_decide

    def _checked(self, is_output, parameter, value, kind):
        """Memory, or a number as Python's."""
        if type(value) is Memory:
            if value.dtype != kind:
                raise WrongTypeError(f"`{self.name}`: `{parameter.name}` is {kind}, not memory of {value.dtype}: use `astype`")
            return value
        if is_output or parameter.raw:
            raise WrongTypeError(f"`{self.name}`: `{parameter.name}` is memory, not `{type(value).__name__}`")
        return number(value)[0]

    def __repr__(self):
        return f"<ferrocca.ElementwiseKernel {self.name!r}>"


class ReductionKernel:
    """Many values combined by an operation::

        norm = ferrocca.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
        norm(x), norm(x, axis=1)

    `map_expr` makes a value of the inputs, `reduce_expr` combines two of them, ``a`` and ``b``, in the type of the output,
    beginning with `identity`; `post_map_expr` makes the output of the last one, ``a``. In which order values are combined is
    defined, and the same on every device; an operation should be commutative."""

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name="reduction", preamble=""):
        self.inputs, outputs = _parameters(in_params), _parameters(out_params)
        if len(outputs) != 1 or not self.inputs:
            raise WrongValueError(f"`{name}` has inputs and one output")
        if any(parameter.raw for parameter in (*self.inputs, *outputs)):
            raise WrongValueError(f"`{name}`: raw parameters are for element-wise kernels")
        if preamble:
            raise WrongValueError(f"`{name}`: a reduction takes expressions, and no preamble")
        (self.output,) = outputs
        self.map_expr, self.reduce_expr, self.name, self.identity = map_expr, reduce_expr, name, str(identity)
        is_plain = re.fullmatch(rf"\s*{self.output.name}\s*=\s*a\s*;?\s*", post_map_expr)
        finish = ElementwiseKernel("A a", f"A {self.output.name}", post_map_expr, name)
        self._finish = None if is_plain else finish

    def __call__(self, *arguments, axis=None, keepdims=False, out=None):
        from .reductions import _run

        kind, text, operands = _mapped(self, arguments)
        made = _run(self.reduce_expr, operands[0], axis, kind, keepdims, text=text, operands=tuple(operands),
                    identity=self.identity)
        if self._finish is not None:
            made = self._finish(made)
        if out is not None:
            out[...] = made
            return out
        return made

    def __repr__(self):
        return f"<ferrocca.ReductionKernel {self.name!r}>"


class ScanKernel:
    """Every value combined with all before it, by an operation::

        running = ferrocca.ScanKernel("T x", "T y", "x", "max(a, b)", "-INFINITY", "running_maximum")
        running(x), running(table, axis=1)

    `map_expr` makes a value of the inputs, `scan_expr` combines two of them, ``a`` and ``b``, in the type of the output, beginning
    with `identity`. Values keep their order: the operation is associative, and need not be commutative. With
    ``inclusive=False`` a result is what stands before its value. Without an axis all elements are one row. The order in which
    values are combined is defined, and the same on every device."""

    def __init__(self, in_params, out_params, map_expr, scan_expr, identity, name="scan", *, inclusive=True):
        self.inputs, outputs = _parameters(in_params), _parameters(out_params)
        if len(outputs) != 1 or not self.inputs:
            raise WrongValueError(f"`{name}` has inputs and one output")
        if any(parameter.raw for parameter in (*self.inputs, *outputs)):
            raise WrongValueError(f"`{name}`: raw parameters are for element-wise kernels")
        (self.output,) = outputs
        self.map_expr, self.scan_expr, self.name, self.identity = map_expr, scan_expr, name, str(identity)
        self.inclusive = inclusive

    def __call__(self, *arguments, axis=None, out=None):
        kind, text, operands = _mapped(self, arguments)
        first = operands[0]
        if first.ndim != 1:
            if axis is None:
                operands = [ravel(operand) for operand in operands]
            else:
                axis = axis_of(axis, first.ndim)
        else:
            axis = None if axis is None else axis_of(axis, 1) or None
        made = _native.scan(self.scan_expr, text, None, kind, tuple(operands), axis, self.inclusive, self.identity)
        if out is not None:
            out[...] = made
            return out
        return made

    def __repr__(self):
        return f"<ferrocca.ScanKernel {self.name!r}>"


def _mapped(kernel, arguments):
    """The type of the output, the expression in the names of operands, and these, which have one shape."""
    if len(arguments) != len(kernel.inputs):
        raise WrongTypeError(f"`{kernel.name}` takes {len(kernel.inputs)} inputs, not {len(arguments)}")
    letters = _resolve(kernel.inputs, arguments, kernel.name)
    if kernel.output.letter is not None and kernel.output.letter not in letters:
        raise WrongTypeError(f"`{kernel.name}`: no argument says what `{kernel.output.letter}` is")
    memory = next((value for value in arguments if type(value) is Memory), None)
    if memory is None:
        raise WrongTypeError(f"`{kernel.name}` needs memory among its arguments")
    shape = broadcast_shapes(*(value.shape for value in arguments if type(value) is Memory))
    text, operands = kernel.map_expr, []
    for place, (parameter, value) in enumerate(zip(kernel.inputs, arguments)):
        own = parameter.dtype or letters[parameter.letter]
        if type(value) is not Memory:
            constant = memory._empty((), own)
            constant.fill(number(value)[0])
            value = constant
        if value.dtype != own:
            raise WrongTypeError(f"`{kernel.name}`: `{parameter.name}` is {own}, not memory of {value.dtype}")
        operands.append(value if value.shape == shape else broadcast_to(value, shape))
        text = re.sub(rf"\b{parameter.name}\b", f"x{place}", text)
    for letter, own in letters.items():
        text = re.sub(rf"\b{letter}\b", c_name(computed(own)), text)
    return kernel.output.dtype or letters[kernel.output.letter], text, operands

"""What makes memory an array: operators and methods, attached to the native class when the package is imported."""

from .. import _native
from .._errors import WrongTypeError
from . import elementwise, manipulation, operations, reductions, sorting
from .devices import enter, leave
from .elementwise import apply, astype
from .launching import kernel

Memory, Device = _native.Memory, _native.Device


def _takes(value):
    return type(value) is Memory or isinstance(value, (bool, int, float, complex)) or elementwise_number(value)


def elementwise_number(value):
    return getattr(value, "shape", None) == () and hasattr(value, "dtype") and hasattr(value, "item")


def _binary(name):
    def forward(self, other):
        return apply(name, (self, other)) if _takes(other) else refuse(name, other)

    def reverse(self, other):
        return apply(name, (other, self)) if _takes(other) else refuse(name, other)

    def in_place(self, other):
        return apply(name, (self, other), self) if _takes(other) else refuse(name, other)

    return forward, reverse, in_place


def refuse(name, other):
    """An array of another library is not copied unasked; what is no array at all may know memory itself."""
    if hasattr(other, "__array__") or hasattr(other, "__array_interface__") or isinstance(other, (list, tuple)):
        raise WrongTypeError(
            f"`{name}` of memory and `{type(other).__name__}`: `ferrocca.asarray(...)` copies an array to the device, "
            "`to_host()` memory to the host"
        )
    return NotImplemented


_OPERATORS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
    "mod": "remainder", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}
_COMPARISONS = {
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
}


def _compare(name):
    def compare(self, other):
        return apply(name, (self, other)) if _takes(other) else refuse(name, other)

    return compare


def _unary(name):
    def method(self):
        return apply(name, (self,))

    method.__doc__ = operations.OPERATIONS[name].doc
    return method


def _power(self, other):
    return elementwise.power(self, other) if _takes(other) else refuse("pow", other)


def _reverse_power(self, other):
    return elementwise.power(other, self) if _takes(other) else refuse("pow", other)


def _in_place_power(self, other):
    return elementwise.power(self, other, self) if _takes(other) else refuse("pow", other)


def _matmul(self, other):
    return reductions.matmul(self, other) if type(other) is Memory else refuse("matmul", other)


def item(self):
    """The only element, as a number of Python's: the host waits for it."""
    if self.size != 1:
        raise WrongTypeError(f"memory of {self.size} elements is no number: only one of one element is")
    return self.to_host().item()


def _scalar(convert):
    def method(self):
        return convert(item(self))

    return method


def _truth(self):
    if self.size != 1:
        raise WrongTypeError(f"the truth value of {self.size} elements: `any()` or `all()` is meant")
    return bool(item(self))


def _index(self):
    if self.ndim or self.dtype.kind not in "iu":
        raise WrongTypeError(f"memory of {self.dtype} and shape {self.shape} is no index")
    return item(self)


def tolist(self):
    """The elements as lists of numbers of Python's."""
    return self.to_host().tolist()


def _iterate(self):
    if not self.ndim:
        raise WrongTypeError("memory of no axes has no entries")
    return (self[place] for place in range(self.shape[0]))


def _contains(self, value):
    return bool(apply("equal", (self, value)).any())


def reshape(self, *shape, copy=None):
    """The same elements in another shape; see :func:`ferrocca.reshape`."""
    given = shape[0] if len(shape) == 1 else shape
    return manipulation.reshape(self, given, copy=copy)


def transpose(self, *axes):
    """The axes in reverse order, or in that of `axes`: a view."""
    given = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
    return manipulation.transpose(self, given or None)


def flatten(self):
    """A copy of all elements as one row."""
    return manipulation.ravel(self.copy())


def method_astype(self, dtype, *, copy=True):
    """The values as another type; see :func:`ferrocca.astype`."""
    return astype(self, dtype, copy=copy)


def to_device(self, device, /, *, stream=None):
    """The memory on a device: itself where that is its own, else a copy."""
    from .creation import asarray

    if stream is not None:
        raise WrongTypeError("a stream is set by `device.set_stream`")
    return self if isinstance(device, str) and device == self.device else asarray(self, device=device)


def _namespace(self, /, *, api_version=None):
    """The module whose functions take memory, by the array API standard."""
    import ferrocca

    if api_version is not None and api_version not in ("2021.12", "2022.12", "2023.12", "2024.12"):
        raise WrongTypeError(f"version {api_version!r} of the array API standard is not known")
    return ferrocca


def _part(imaginary):
    def part(self):
        if self.dtype.kind == "c":
            return self._part(imaginary)
        if imaginary:
            raise WrongTypeError(f"memory of {self.dtype} has no imaginary parts: `ferrocca.imag(x)` makes zeros")
        return self

    def assign(self, value):
        part(self)[...] = value

    return property(part, assign, doc=f"The {'imaginary' if imaginary else 'real'} parts of complex numbers, in place: a view.")


def _conjugate(self):
    """The complex conjugate of each element."""
    return apply("conj", (self,))


def _shallow_copy(self):
    return self.copy()


def _deep_copy(self, memo):
    return self.copy()


def _function(function):
    def method(self, *arguments, **keywords):
        return function(self, *arguments, **keywords)

    method.__doc__, method.__name__ = function.__doc__, function.__name__
    return method


def _with_axis(function):
    def method(self, axis=None, **keywords):
        return function(self, axis=axis, **keywords)

    method.__doc__, method.__name__ = function.__doc__, function.__name__
    return method


def _sort(self, axis=-1):
    """Sorts the elements along an axis, in place."""
    self[...] = sorting.sort(self, axis=axis)


def attach():
    for short, name in _OPERATORS.items():
        forward, reverse, in_place = _binary(name)
        setattr(Memory, f"__{short}__", forward)
        setattr(Memory, f"__r{short}__", reverse)
        setattr(Memory, f"__i{short}__", in_place)
    for short, name in _COMPARISONS.items():
        setattr(Memory, f"__{short}__", _compare(name))
    for short, name in {"neg": "negative", "pos": "positive", "abs": "abs", "invert": "bitwise_invert"}.items():
        setattr(Memory, f"__{short}__", _unary(name))
    for name in ("sum", "prod", "min", "max", "any", "all", "mean", "var", "std", "argmin", "argmax"):
        setattr(Memory, name, _with_axis(getattr(reductions, name)))
    for name, function in {
        "cumsum": reductions.cumsum, "cumprod": reductions.cumprod, "dot": reductions.dot, "ravel": manipulation.ravel,
        "squeeze": manipulation.squeeze, "swapaxes": manipulation.swapaxes, "copy": manipulation.copy,
        "argsort": sorting.argsort, "repeat": manipulation.repeat,
    }.items():
        setattr(Memory, name, _function(function))
    for name, value in {
        "__pow__": _power, "__rpow__": _reverse_power, "__ipow__": _in_place_power, "__matmul__": _matmul,
        "__bool__": _truth, "__int__": _scalar(int), "__float__": _scalar(float), "__complex__": _scalar(complex),
        "__index__": _index, "__iter__": _iterate, "__contains__": _contains, "__hash__": None,
        "__copy__": _shallow_copy, "__deepcopy__": _deep_copy, "__array_namespace__": _namespace,
        "item": item, "tolist": tolist, "reshape": reshape, "transpose": transpose, "flatten": flatten,
        "astype": method_astype, "to_device": to_device, "sort": _sort,
        "get": Memory.to_host, "to_numpy": Memory.to_host, "copy_to_host": Memory.to_host,
        "conj": _conjugate, "conjugate": _conjugate, "real": _part(False), "imag": _part(True),
        "T": property(manipulation.transpose, doc="The axes in reverse order: a view."),
        "mT": property(manipulation.matrix_transpose, doc="The last two axes exchanged: a view."),
    }.items():
        setattr(Memory, name, value)
    Device.__enter__, Device.__exit__, Device.kernel = enter, leave, kernel

"""Types of elements: their names, which type two of them make, and what a type is in the kernel language."""

from .._errors import WrongTypeError, WrongValueError


class DType(str):
    """The type of an element: text that is its name, such as ``float64``, as NumPy and the array API spell it."""

    __slots__ = ()

    @property
    def name(self):
        """The name, such as ``float64``, as plain text."""
        return str(self)

    @property
    def kind(self):
        """``b`` bool, ``i`` signed, ``u`` unsigned, ``f`` float, ``c`` complex: NumPy's letters."""
        return _KINDS[self][0]

    @property
    def itemsize(self):
        """Size of an element in bytes."""
        return _KINDS[self][1]

    def __repr__(self):
        return f"ferrocca.{str(self)}"


# By name: kind, bytes, the kernel language's name.
_KINDS = {
    "bool": ("b", 1, "bool"),
    "int8": ("i", 1, "char"),
    "int16": ("i", 2, "short"),
    "int32": ("i", 4, "int"),
    "int64": ("i", 8, "long"),
    "uint8": ("u", 1, "unsigned char"),
    "uint16": ("u", 2, "unsigned short"),
    "uint32": ("u", 4, "unsigned int"),
    "uint64": ("u", 8, "unsigned long"),
    "float16": ("f", 2, "half"),
    "bfloat16": ("f", 2, "bfloat16"),
    "float32": ("f", 4, "float"),
    "float64": ("f", 8, "double"),
    "complex64": ("c", 8, "complex64"),
    "complex128": ("c", 16, "complex128"),
}

ALL = {name: DType(name) for name in _KINDS}

bool_ = ALL["bool"]
int8, int16, int32, int64 = (ALL[f"int{bits}"] for bits in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (ALL[f"uint{bits}"] for bits in (8, 16, 32, 64))
float16, bfloat16, float32, float64 = (ALL[name] for name in ("float16", "bfloat16", "float32", "float64"))
complex64, complex128 = ALL["complex64"], ALL["complex128"]

_SHORT = {f"{kind}{size}": name for name, (kind, size, _) in _KINDS.items() if name not in ("bool", "bfloat16")}
_SHORT.update({"?": "bool", "bool_": "bool", "b1": "bool", "float": "float64", "double": "float64", "half": "float16"})
_SHORT.update({"int": "int64", "long": "int64", "single": "float32"})
_SHORT.update({"complex": "complex128", "cdouble": "complex128", "csingle": "complex64", "cfloat": "complex64"})
_PYTHON = {bool: bool_, int: int64, float: float64, complex: complex128}


def dtype(given):
    """The :class:`DType` of a name, of Python's ``bool``, ``int``, ``float`` and ``complex``, or of a dtype of an array library."""
    found = ALL.get(given) if isinstance(given, str) else _PYTHON.get(given)
    if found is not None:
        return found
    name = given if isinstance(given, str) else getattr(given, "name", None) or getattr(given, "__name__", str(given))
    if getattr(given, "byteorder", "=") == ">" or str(name).startswith(">"):
        raise WrongValueError(f"dtype {given!r} has another byte order than this machine")
    plain = str(name).rsplit(".", 1)[-1].lstrip("<|=")
    found = ALL.get(_SHORT.get(plain, plain))
    if found is None:
        error = WrongValueError if isinstance(given, str) else WrongTypeError
        raise error(f"dtype `{name}` is not one of {', '.join(ALL)}")
    return found


def c_name(name):
    """What the type is called in the kernel language."""
    return _KINDS[name][2]


def computed(name):
    """The type that values of a type are computed in: half is computed in single."""
    return float32 if name in ("float16", "bfloat16") else name


def float_bits(name):
    """How many bits mantissa and exponent of a type of floats have; ``None`` of other types."""
    return {"float16": (10, 5), "bfloat16": (7, 8), "float32": (23, 8), "float64": (52, 11)}.get(name)


def refuse_unknown_to_numpy(name):
    """Refuses a type that NumPy's arrays cannot have."""
    if name == "bfloat16":
        raise WrongTypeError("NumPy has no bfloat16: make memory of float32, and use `astype`")


def is_float(name):
    return _KINDS[name][0] == "f"


def is_integer(name):
    return _KINDS[name][0] in "iu"


def is_complex(name):
    return _KINDS[name][0] == "c"


def part_of(name):
    """The type of the parts of complex numbers; of others their own."""
    return {"complex64": float32, "complex128": float64}.get(name, name)


def complex_of(name):
    """The complex numbers that a type of numbers is part of: the narrowest that hold its values."""
    if is_complex(name):
        return name
    return complex64 if name in ("bool", "int8", "uint8", "int16", "uint16", "float16", "bfloat16", "float32") else complex128


def refuse_complex(what, *names):
    """Refuses complex numbers where an order is needed."""
    if any(is_complex(name) for name in names):
        raise WrongTypeError(
            f"{what} is not of complex numbers, which have no order: take a part, `real(x)` or `imag(x)`, or the magnitude, `abs(x)`"
        )


_SIGNED = ("int8", "int16", "int32", "int64")
_UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
_promoted = {}


def promote(a, b):
    """The type of an operation on two types, by NumPy's rules: the narrowest that holds both."""
    if a == b:
        return a
    known = _promoted.get((a, b))
    if known is None:
        known = _promoted[a, b] = ALL[_promote(a, b)]
    return known


def _promote(a, b):
    (kind_a, size_a, _), (kind_b, size_b, _) = _KINDS[a], _KINDS[b]
    if kind_a == "b" or kind_b == "b":
        return b if kind_a == "b" else a
    if "c" in (kind_a, kind_b):
        return "complex128" if "complex128" in (complex_of(a), complex_of(b)) else "complex64"
    if kind_a == kind_b:
        if size_a == size_b:  # the two halves
            return "float32"
        return a if size_a > size_b else b
    if "f" in (kind_a, kind_b):
        (real, size), other = ((a, size_a), size_b) if kind_a == "f" else ((b, size_b), size_a)
        if real == "bfloat16":
            real = "bfloat16" if other == 1 else "float32"
        needed = {1: 2, 2: 4}.get(other, 8)
        return real if size >= needed else f"float{needed * 8}"
    signed, unsigned = (size_a, size_b) if kind_a == "i" else (size_b, size_a)
    if signed > unsigned:
        return f"int{signed * 8}"
    return f"int{unsigned * 16}" if unsigned < 8 else "float64"


def of_number(number, other):
    """The type of an operation of a Python number with one of the type ``other``, which keeps its type where it can."""
    kind = _KINDS[other][0]
    if isinstance(number, bool):
        return other
    if isinstance(number, int):
        return int64 if kind == "b" else other
    if isinstance(number, complex):
        return complex_of(other) if kind in "fc" else complex128
    return float64 if kind not in "fc" else other

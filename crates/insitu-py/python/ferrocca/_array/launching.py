"""Kernels by their source or file, with defines of Python's values."""

import collections.abc
import os

from .._errors import WrongTypeError, WrongValueError
from .dtypes import c_name, dtype


def define(value):
    """A define's text: a number, text as it stands, or the kernel language's name of a type."""
    if isinstance(value, bool):
        return str(int(value))
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if isinstance(value, complex):
        return f"complex128({value.real!r}, {value.imag!r})"
    if isinstance(value, (int, float)):
        return repr(value)
    if type(value) is str:
        return value
    try:
        return c_name(dtype(value))
    except TypeError:
        raise WrongTypeError(f"a define is a number, text or a type, not `{type(value).__name__}`") from None


def kernel(self, source, name, *, defines=None, **properties):
    """Builds a kernel of OKL text, or of a file where `source` is a path. Defines are numbers, text and types:
    ``device.kernel(source, "add", defines={"real": numpy.float32, "N": 64})``; ``tune={"TILE": [64, 128]}`` builds each and finds the fastest."""
    for word in ("props", "properties"):
        if word in properties:
            raise WrongValueError(
                f"`kernel` takes each property as a keyword, not `{word}`: `device.kernel(source, name, fp_contract=\"fast\")`, or "
                f"`device.kernel(source, name, **{word})` for those of a dictionary"
            )
    if isinstance(properties.get("tune"), collections.abc.Mapping):
        lists = properties["tune"].items()
        properties["tune"] = {
            key: [define(value) for value in values] if isinstance(values, (list, tuple)) else values for key, values in lists
        }
    if defines:
        properties["defines"] = {key: define(value) for key, value in defines.items()}
    is_text = isinstance(source, str) and ("@kernel" in source or "\n" in source)
    build = self.build_kernel_from_string if is_text else self.build_kernel
    return build(source if is_text else os.fspath(source), name, properties)

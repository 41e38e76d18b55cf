"""NumPy's functions on memory: they stay on the device, or are refused. None of them makes a silent copy on the host."""

from .. import _native
from .._errors import WrongTypeError
from .functions import FUNCTIONS

Memory = _native.Memory
_REDUCE = {"add": "sum", "multiply": "prod", "minimum": "min", "maximum": "max", "logical_and": "all", "logical_or": "any"}


def array_ufunc(self, ufunc, method, *inputs, out=None, **keywords):
    """``numpy.sqrt(memory)`` is ``ferrocca.sqrt(memory)``."""
    from . import reductions

    name = ufunc.__name__
    if out is not None:
        (out,) = out
    for value in inputs:
        if type(value) is not Memory and getattr(value, "shape", ()) != ():
            raise WrongTypeError(
                f"numpy.{name} of memory and `{type(value).__name__}`: `ferrocca.asarray(...)` copies an array to the device, "
                "`to_host()` memory to the host"
            )
    if method == "reduce" and name in _REDUCE:
        keywords.setdefault("axis", 0)
        unknown = set(keywords) - {"axis", "dtype", "keepdims"}
        if not unknown:
            return getattr(reductions, _REDUCE[name])(*inputs, out=out, **keywords)
    elif method == "__call__" and name in FUNCTIONS and not keywords:
        return FUNCTIONS[name](*inputs, out=out)
    elif method == "__call__" and name == "matmul" and not keywords and out is None:
        return reductions.matmul(*inputs)
    raise WrongTypeError(
        f"numpy.{name}{'' if method == '__call__' else '.' + method} is not available on the device: `to_host()` copies the memory "
        "to the host, `array()` shows it there in place"
    )


def array_function(self, function, types, arguments, keywords):
    """``numpy.concatenate([a, b])`` is ``ferrocca.concatenate([a, b])``."""
    import ferrocca

    own = getattr(ferrocca, function.__name__, None)
    is_known = function.__module__ in ("numpy", "numpy.lib") and function.__name__ in ferrocca._ARRAY_FUNCTIONS
    if own is None or not is_known:
        raise WrongTypeError(
            f"{function.__module__}.{function.__name__} is not available on the device: `to_host()` copies the memory to the host, "
            "`array()` shows it there in place"
        )
    return own(*arguments, **keywords)


def attach():
    Memory.__array_ufunc__, Memory.__array_function__ = array_ufunc, array_function

"""Arrays on devices: what :class:`ferrocca.Memory` does beside holding its elements, in terms of the native primitives."""

from . import creation, indexing, interop, kernels, manipulation, methods, namespace, reductions, sorting, tracing
from .devices import default_device
from .dtypes import ALL as _DTYPES
from .dtypes import DType
from .elementwise import astype
from .functions import FUNCTIONS

methods.attach()
interop.attach()

#: Names that are functions of arrays.
FUNCTION_NAMES = [*FUNCTIONS]
NAMES = {
    **FUNCTIONS, **_DTYPES, "DType": DType, "astype": astype, "fuse": tracing.fuse, "default_device": default_device,
    "ElementwiseKernel": kernels.ElementwiseKernel, "ReductionKernel": kernels.ReductionKernel,
    "ScanKernel": kernels.ScanKernel,
}
for _module in (creation, indexing, manipulation, reductions, sorting, namespace):
    NAMES.update({_name: getattr(_module, _name) for _name in _module.__all__})
    FUNCTION_NAMES += _module.__all__
# NumPy's names of the same.
for _new, _old in {"concatenate": "concat", "amin": "min", "amax": "max", "cumulative_product": "cumulative_prod"}.items():
    NAMES[_new] = NAMES[_old]
    FUNCTION_NAMES.append(_new)
for _name, _value in NAMES.items():
    if callable(_value) and getattr(_value, "__module__", "").startswith("ferrocca._array"):
        _value.__module__ = "ferrocca"

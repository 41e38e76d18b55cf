"""Modules that were written for OCCA's Burgers mini-application, as they are: `collection_func(input_array)` for each
step, and functions without arguments for the end."""

import contextlib
import os

__all__ = ["DeviceArray", "legacy"]


class DeviceArray:
    """A field on CUDA as such a module knows it: an array of NumPy's whose data address is the device's.

    Its CuPy code wraps ``__array_interface__["data"][0]``. NumPy itself would read that address on the host, so it is
    refused here. Indices answer with CuPy's arrays, which show the field in place.
    """

    __slots__ = ("_field", "_interface", "dtype", "shape", "size")

    def __init__(self, field):
        import numpy

        self._field = field
        #: NumPy's, with ``name`` and ``itemsize``.
        self.dtype = numpy.dtype(field.dtype)
        self.shape, self.size = field.shape, field.size
        strides = field.strides if _has_gaps(field) else None
        self._interface = {
            "shape": field.shape,
            "typestr": self.dtype.str,
            "descr": [("", self.dtype.str)],
            "data": (field.ptr, field.readonly),
            "strides": strides,
            "version": 3,
        }

    @property
    def __array_interface__(self):
        return self._interface

    @property
    def __array_struct__(self):
        # NumPy asks for this first.
        raise TypeError(
            f"this array is on {self._field.device}, but NumPy arrays are on the host: `cupy.asnumpy(array[:])` makes a copy"
        )

    @property
    def __cuda_array_interface__(self):
        return self._field.__cuda_array_interface__

    def __dlpack__(self, **asked):
        return self._field.__dlpack__(**asked)

    def __dlpack_device__(self):
        return self._field.__dlpack_device__()

    ndim = property(lambda self: len(self.shape), doc="Number of axes.")
    itemsize = property(lambda self: self.dtype.itemsize, doc="Size of an element in bytes.")
    nbytes = property(lambda self: self.size * self.dtype.itemsize, doc="Size of all elements in bytes.")
    strides = property(lambda self: self._field.strides, doc="Bytes from one index to the next, along each axis.")

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, index):
        return self._field.array()[index]

    def __setitem__(self, index, value):
        self._field.array()[index] = value

    def __repr__(self):
        return f"ferrocca.insitu.DeviceArray({self.dtype} {self.shape} on {self._field.device})"


def _has_gaps(field):
    expected = field.itemsize
    for extent, stride in zip(reversed(field.shape), reversed(field.strides)):
        if extent > 1 and stride != expected:
            return True
        expected *= extent
    return False


class _Legacy:
    """The hook that :func:`legacy` makes."""

    def __init__(self, collect, finish, field):
        self._collect, self._finish, self._field = collect, finish, field
        self._arrays = {}

    def step(self, frame):
        fields = frame.fields
        self._collect(self._array(fields[self._field] if self._field else next(iter(fields.values()))))

    def finish(self, run):
        self._arrays.clear()
        with contextlib.chdir(os.path.abspath(run.output_dir or ".")):
            for function in self._finish:
                function()

    def _array(self, field):
        if field.device.startswith("cuda"):
            array = self._arrays.get(field)
            if array is None:
                if len(self._arrays) > 8:  # a solver that allocates its buffers anew
                    self._arrays.clear()
                array = self._arrays[field] = DeviceArray(field)
            return array
        # Memory that no array library shows, of OpenCL and WebGPU, is copied: such a module knows no other array.
        return field.array() if field.in_place else field.to_host()


def legacy(module, collect="collection_func", finish=("analyses_plotField", "analyses_SVD"), *, field=None):
    """A hook that runs a module written for OCCA's Burgers mini-application, unchanged.

    After each step ``module.collect(array)`` gets the field `field` (the first one where none is named): on the host a NumPy
    array that shows it in place; on CUDA a :class:`DeviceArray`, whose ``__array_interface__`` has the device's address; on
    OpenCL and WebGPU a copy on the host. At the end each function that `finish` names is called without arguments, in the
    run's output directory.

    Raises AttributeError for a function that the module does not have.
    """
    names = (finish,) if isinstance(finish, str) else tuple(finish)
    for name in (collect, *names):
        if not callable(getattr(module, name, None)):
            known = ", ".join(name for name, value in vars(module).items() if callable(value) and name[0] != "_")
            raise AttributeError(f"`{module.__name__}` has no function `{name}`; it has: {known or 'none'}")
    return _Legacy(getattr(module, collect), [getattr(module, name) for name in names], field)

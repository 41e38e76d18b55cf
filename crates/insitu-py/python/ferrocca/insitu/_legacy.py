"""Modules that were written for OCCA's Burgers mini-application, as they are: `collection_func(input_array)` for each
step, and functions without arguments for the end."""

import contextlib
import math
import os

__all__ = ["DeviceArray", "legacy"]


class DeviceArray:
    """A field on CUDA as such a module knows it: an array of NumPy's whose data address is the device's.

    Its CuPy code wraps ``__array_interface__["data"][0]``. NumPy itself would read that address on the host, so it is
    refused here. Indices answer with CuPy's arrays, which show the field in place. With `row` it is that row of the field, to
    be read.
    """

    __slots__ = ("_field", "_interface", "_row", "dtype", "shape", "size", "strides")

    def __init__(self, field, row=None):
        import numpy

        self._field, self._row = field, row
        #: NumPy's, with ``name`` and ``itemsize``.
        self.dtype = numpy.dtype(field.dtype)
        axes, address = (0, field.ptr) if row is None else (1, field.ptr + row * field.strides[0])
        self.shape = field.shape[axes:]
        self.size = math.prod(self.shape)
        #: Bytes from one index to the next, along each axis.
        self.strides = field.strides[axes:]
        self._interface = {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "descr": [("", self.dtype.str)],
            "data": (address, field.readonly or row is not None),
            "strides": self.strides if self._has_gaps() else None,
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
        whole = self._field.__cuda_array_interface__
        if self._row is None:
            return whole
        return {**whole, **{name: self._interface[name] for name in ("shape", "data", "strides")}}

    def __dlpack__(self, **asked):
        return (self._field if self._row is None else self._shown()).__dlpack__(**asked)

    def __dlpack_device__(self):
        return self._field.__dlpack_device__()

    ndim = property(lambda self: len(self.shape), doc="Number of axes.")
    itemsize = property(lambda self: self.dtype.itemsize, doc="Size of an element in bytes.")
    nbytes = property(lambda self: self.size * self.dtype.itemsize, doc="Size of all elements in bytes.")

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, index):
        return self._shown()[index]

    def __setitem__(self, index, value):
        if self._interface["data"][1]:
            raise ValueError("this array is read-only")
        self._shown()[index] = value

    def __repr__(self):
        return f"ferrocca.insitu.DeviceArray({self.dtype} {self.shape} on {self._field.device})"

    def _shown(self):
        whole = self._field.array()
        return whole if self._row is None else whole[self._row]

    def _has_gaps(self):
        expected = self.itemsize
        for extent, stride in zip(reversed(self.shape), reversed(self.strides)):
            if extent > 1 and stride != expected:
                return True
            expected *= extent
        return False


class _Functions:
    """The functions of a module, and what they get."""

    def __init__(self, collect, finish, field):
        self._collect, self._finish, self._field = collect, finish, field
        self._arrays = {}

    def finish(self, run):
        self._arrays.clear()
        with contextlib.chdir(os.path.abspath(run.output_dir or ".")):
            for function in self._finish:
                function()

    def _field_of(self, fields):
        return fields[self._field] if self._field else next(iter(fields.values()))

    def _on_device(self, field, make):
        """What `make` makes of a field on CUDA, once for each buffer."""
        arrays = self._arrays.get(field)
        if arrays is None:
            if len(self._arrays) > 8:  # a solver that allocates its buffers anew
                self._arrays.clear()
            arrays = self._arrays[field] = make(field)
        return arrays


def _on_host(field):
    # Memory that no array library shows, of OpenCL and WebGPU, is copied: such a module knows no other array.
    return field.array() if field.in_place else field.to_host()


class _Legacy(_Functions):
    """The hook that :func:`legacy` makes."""

    def step(self, frame):
        field = self._field_of(frame.fields)
        self._collect(self._on_device(field, DeviceArray) if field.device.startswith("cuda") else _on_host(field))


class _LegacyObserver(_Functions):
    """The hook that :func:`legacy` makes of functions that only read."""

    def observe(self, batch):
        field, collect = self._field_of(batch.fields), self._collect
        for row in self._on_device(field, _rows) if field.device.startswith("cuda") else _read_only(_on_host(field)):
            collect(row)


def _rows(field):
    return [DeviceArray(field, row) for row in range(field.shape[0])]


def _read_only(array):
    view = array.view()
    view.flags.writeable = False
    return view


def legacy(
    module, collect="collection_func", finish=("analyses_plotField", "analyses_SVD"), *, field=None, observe=False
):
    """A hook that runs a module written for OCCA's Burgers mini-application, unchanged.

    After each step ``module.collect(array)`` gets the field `field` (the first one where none is named): on the host a NumPy
    array that shows it in place; on CUDA a :class:`DeviceArray`, whose ``__array_interface__`` has the device's address; on
    OpenCL and WebGPU a copy on the host. At the end each function that `finish` names is called without arguments, in the
    run's output directory.

    `observe` says that the function only reads. It still gets an array for each step, in their order, but later and many in a
    row, while the solver goes on, which is what makes a run of short steps fast. The arrays refuse writes, but for those of
    code that wraps the address of a :class:`DeviceArray` by itself; such writes are lost.

    Raises AttributeError for a function that the module does not have.
    """
    names = (finish,) if isinstance(finish, str) else tuple(finish)
    for name in (collect, *names):
        if not callable(getattr(module, name, None)):
            known = ", ".join(name for name, value in vars(module).items() if callable(value) and name[0] != "_")
            raise AttributeError(f"`{module.__name__}` has no function `{name}`; it has: {known or 'none'}")
    hook = _LegacyObserver if observe else _Legacy
    return hook(getattr(module, collect), [getattr(module, name) for name in names], field)

"""Modules that were written for the original mini-application run as they are."""

import types

import ferrocca
import numpy as np
import pytest
import reference
from ferrocca.burgers import Solver
from ferrocca.insitu import DeviceArray, legacy

# As such modules are: rows in a global array, the interior at the end, results in the working directory.
HOST_MODULE = """
import os
import numpy as np

rows = np.zeros((2001, 258))
kinds = set()
row = 0

def collection_func(input_array):
    global row
    kinds.add((input_array.shape, input_array.size, input_array.dtype.name, input_array.dtype.itemsize))
    address, read_only = input_array.__array_interface__["data"]
    assert address and not read_only and input_array.__array_interface__["strides"] is None
    rows[row, :] = input_array[:]
    row += 1
    return input_array

def analyses_plotField():
    np.save("field.npy", rows)

def analyses_SVD():
    values = np.linalg.svd(rows[:, 1:-1], compute_uv=False)
    np.save("values.npy", values)
    assert kinds == {((258,), 258, "float64", 8)}, kinds
    print("analysed", row)
"""

# On CUDA the data address is the device's, and CuPy wraps it.
CUPY_MODULE = """
import cupy

rows = cupy.zeros((2001, 258))
row = 0

def collection_func(input_array):
    global row
    interface = input_array.__array_interface__
    memory = cupy.cuda.UnownedMemory(interface["data"][0], input_array.size * input_array.dtype.itemsize, input_array, 0)
    array = cupy.ndarray(
        interface["shape"][0], cupy.dtype(input_array.dtype.name), cupy.cuda.MemoryPointer(memory, 0), strides=interface["strides"]
    )
    rows[row, :] = array[:]
    row += 1

def analyses_SVD():
    cupy.save("field.npy", rows)
"""


@pytest.mark.parametrize("observe", [(), ("--observe",)], ids=["step", "observe"])
@pytest.mark.parametrize("device", ["mode=Serial", "CPU, threads=2", "mode=OpenCL", "mode=OpenCL, memory=separate", "mode=WebGPU"])
def test_an_old_module_runs_unchanged(program, burgers, opened, tmp_path, device, observe):
    opened(device)
    module = HOST_MODULE.replace("not read_only", "read_only") if observe else HOST_MODULE
    (tmp_path / "python_module.py").write_text(module)
    done = burgers(
        "--insitu", tmp_path / "python_module.py:collection_func", "--then", "analyses_plotField,analyses_SVD",
        "--output", tmp_path / "out", *observe, device=device,
    )
    assert done.returncode == 0, done.stderr
    assert "analysed 2001" in done.stdout and "mean wall time per step: " in done.stdout and "u[10] = 0.0733873" in done.stdout
    rows = np.load(tmp_path / "out" / "field.npy")
    expected = reference.solve()
    assert np.abs(rows - expected).max() < 1e-12
    values = np.linalg.svd(expected[:, 1:-1], compute_uv=False)
    assert np.abs(np.load(tmp_path / "out" / "values.npy") - values).max() < 1e-9 * values[0]


@pytest.mark.libraries("cupy")
@pytest.mark.parametrize("observe", [(), ("--observe",)], ids=["step", "observe"])
def test_an_old_module_of_cupy_runs_unchanged(program, burgers, library, tmp_path, observe):
    (tmp_path / "python_module.py").write_text(CUPY_MODULE)
    done = burgers(
        "--insitu", tmp_path / "python_module.py:collection_func", "--then", "analyses_SVD",
        "--output", tmp_path / "out", *observe, device="mode=CUDA",
    )
    assert done.returncode == 0, done.stderr
    rows, expected = np.load(tmp_path / "out" / "field.npy"), reference.solve()
    # CUDA's + − × are the host's, bit for bit; so are the 2001 rows, and none is a step late.
    assert np.abs(rows - expected).max() < 1e-12


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--insitu", "MODULE:collect"], "has no function `collect`; it has: collection_func, analyses_plotField, analyses_SVD"),
        (["--insitu", "MODULE:collection_func", "--then", "analyses"], "has no function `analyses`"),
        (["--insitu", "MODULE"], "--insitu python_module.py:collection_func --then analyses_plotField,analyses_SVD"),
        (["--insitu", "MODULE", "--then", "analyses_SVD"], "--then is for a module whose function gets the array of each step"),
        (["--insitu", "MODULE", "--observe"], "--observe is for a module whose function gets the array of each step"),
        (["--observe"], "--insitu <FILE.py>"),
        (["--insitu", "MODULE:no-name"], "python_module.py:no-name"),
    ],
)
def test_what_the_module_does_not_have_is_named(burgers, tmp_path, arguments, said):
    (tmp_path / "python_module.py").write_text(HOST_MODULE)
    module = str(tmp_path / "python_module.py")
    done = burgers(*[argument.replace("MODULE", module) for argument in arguments])
    assert done.returncode in (1, 2) and said in done.stderr, done.stderr


def module_of(**functions):
    module = types.ModuleType("old")
    vars(module).update(functions)
    return module


def test_as_a_hook_of_a_python_program(tmp_path):
    seen, ends = [], []
    module = module_of(collection_func=lambda a: seen.append(a[10]), done=lambda: ends.append(len(seen)))
    solver = Solver(ferrocca.Device("Serial"), final_time=0.01)
    solver.run(legacy(module, finish="done"), output_dir=tmp_path)
    assert ends == [10] and len(set(seen)) == 10
    with pytest.raises(AttributeError, match="no function `analyses_plotField`; it has: collection_func, done"):
        legacy(module)


def test_a_function_that_only_reads_may_not_write(tmp_path):
    seen = []

    def collect(array):
        seen.append(array[10])
        if len(seen) == 4:
            array[:] = 0

    with pytest.raises(ValueError, match="read-only"):
        Solver(ferrocca.Device("Serial"), final_time=0.01).run(legacy(module_of(collect=collect), "collect", (), observe=True))
    assert len(set(seen)) == 4


def test_a_row_of_a_field_on_cuda():
    field = OnCuda()
    rows = [DeviceArray(field, row) for row in range(3)]
    for index, row in enumerate(rows):
        like = np.zeros(4)
        for name in "shape", "size", "dtype", "ndim", "itemsize", "nbytes", "strides":
            assert getattr(row, name) == getattr(like, name), name
        assert row.__array_interface__["data"] == row.__cuda_array_interface__["data"] == (0xDEAD000 + 32 * index, True)
        assert row.__cuda_array_interface__["shape"] == (4,) and row.__array_interface__["strides"] is None
        assert row[1] == 4 * index + 1
    with pytest.raises(ValueError, match="read-only"):
        rows[0][0] = 1.0


class OnCuda:
    """What `DeviceArray` asks a field on CUDA."""

    shape, size, strides, dtype, itemsize = (3, 4), 12, (32, 8), "float64", 8
    device, ptr, readonly, in_place = "cuda:0", 0xDEAD000, False, True
    __cuda_array_interface__ = {"data": (0xDEAD000, False)}

    def __init__(self):
        self.values = np.arange(12.0).reshape(3, 4)

    def array(self):
        return self.values


def test_a_device_array_has_numpys_attributes_and_the_devices_address():
    array, like = DeviceArray(OnCuda()), np.zeros((3, 4))
    for name in "shape", "size", "dtype", "ndim", "itemsize", "nbytes", "strides":
        assert getattr(array, name) == getattr(like, name), name
    assert (array.dtype.name, array.dtype.itemsize, len(array)) == ("float64", 8, 3)
    interface = array.__array_interface__
    assert interface["data"] == (0xDEAD000, False) and interface["strides"] is None and interface["version"] == 3
    assert interface["typestr"] == like.__array_interface__["typestr"]
    assert array[1, 2] == 6.0
    array[1] = 0
    assert array[1].tolist() == [0] * 4
    # Not a crash: the address is the device's.
    with pytest.raises(TypeError, match=r"cupy.asnumpy\(array\[:\]\)"):
        np.asarray(array)
    with pytest.raises(TypeError, match="cuda:0"):
        np.zeros((3, 4))[:] = array

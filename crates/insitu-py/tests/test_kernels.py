"""Devices and kernels from Python."""

import inspect
import pathlib
import re
import threading

import ferrocca
import numpy as np
import pytest

SOURCE = """
@kernel void axpy(const int n, const double a, const double *x, double *y) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) y[i] += a * x[i];
}
@kernel void scale(const int n, const float a, float *x) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) x[i] *= a * FACTOR;
}
"""


@pytest.fixture(params=["mode=Serial", "{mode: 'CPU', threads: 2}"])
def device(request):
    return ferrocca.Device(request.param)


@pytest.fixture
def axpy(device):
    return device.build_kernel_from_string(SOURCE, "axpy", {"defines": {"FACTOR": 2}})


def test_memory_and_arrays_as_arguments(device, axpy):
    x, y = np.arange(100.0), np.ones(100)
    axpy(100, 0.5, device.malloc_from(x), device.wrap(y))
    assert np.array_equal(y, 1 + 0.5 * x)
    axpy.launch(np.int64(100), np.float64(0.5), x, y)
    assert np.array_equal(y, 1 + x)
    memory = device.malloc_from(y)
    axpy(50, 2, x, memory[50:])
    assert np.array_equal(memory.to_host(), np.concatenate([y[:50], y[50:] + 2 * x[:50]]))


def test_single_precision(device):
    scale = device.build_kernel_from_string(SOURCE, "scale", "defines: {FACTOR: 2}")
    x = np.ones(10, "f4")
    scale(10, 0.1, x)
    assert (x == np.float32(0.1) * 2).all()


def test_half_precision(device):
    source = """
    @kernel void scale(const int n, const half a, const half *x, half *y) {
      for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) y[i] += a * x[i];
    }"""
    scale = device.build_kernel_from_string(source, "scale")
    assert scale.parameters == [("n", "int"), ("a", "half"), ("x", "const half *"), ("y", "half *")]
    x, y = np.linspace(-3, 3, 33, dtype="f2"), np.ones(33, "f2")
    scale(33, 0.1, x, y)
    expected = (np.float32(np.float16(0.1)) * x.astype("f4") + 1).astype("f2")
    assert y.dtype == np.float16 and np.array_equal(y, expected)
    memory = device.malloc(33, np.float16)
    memory.fill(1 + 2**-11 + 2**-30)
    scale(33, np.float16(0.1), device.malloc_from(x), memory)
    assert memory.dtype == "float16" and np.array_equal(
        memory.to_host(), (np.float32(np.float16(0.1)) * x.astype("f4") + np.float32(1 + 2**-10)).astype("f2")
    )
    with pytest.raises(ferrocca.Error, match=r"takes an array of float16; this is one of float32: pass `array.astype\(\"float16\"\)`"):
        scale(33, 0.1, x.astype("f4"), y)


def test_bfloat16(device):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    source = """
    @kernel void scale(const int n, const bfloat16 a, const bfloat16 *x, bfloat16 *y) {
      for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) y[i] += a * x[i];
    }"""
    scale = device.build_kernel_from_string(source, "scale")
    x = np.linspace(-3, 3, 33).astype(bfloat16)
    memory, y = device.malloc(33, bfloat16), device.malloc(33, "bfloat16")
    # NumPy has no such type: it sees what `ml_dtypes` shows it of its own.
    assert memory.dtype == "bfloat16" and memory.__array_interface__["typestr"] == x.dtype.str
    np.asarray(memory).view(bfloat16)[...] = x
    y.fill(1 + 2**-8 + 2**-30)
    scale(33, 0.1, memory, y)
    expected = (np.float32(bfloat16(0.1)) * x.astype("f4") + np.float32(1 + 2**-7)).astype(bfloat16)
    assert np.array_equal(np.asarray(y).view(bfloat16), expected)
    # NumPy gives such arrays of its own to nobody.
    with pytest.raises(ferrocca.Error, match="DLPack only supports"):
        scale(33, 0.1, x, y)


def test_a_file_and_its_path(device, tmp_path):
    path = tmp_path / "kernels.okl"
    path.write_text(SOURCE)
    for spelled in path, str(path):
        kernel = device.build_kernel(spelled, "axpy", {"defines": {"FACTOR": 1}})
        assert kernel.name == "axpy" and "axpy" in kernel.source
    with pytest.raises(ferrocca.Error, match="nowhere"):
        device.build_kernel(tmp_path / "nowhere.okl", "axpy")


def test_description(axpy):
    assert axpy.parameters == [("n", "int"), ("a", "double"), ("x", "const double *"), ("y", "double *")]
    assert repr(axpy) == "ferrocca.Kernel(axpy(int n, double a, const double * x, double * y))"
    signature = inspect.signature(axpy)
    assert list(signature.parameters) == ["n", "a", "x", "y"] and signature.parameters["y"].annotation == "double *"


def test_a_pool_says_how_full_it_is(device):
    pool = device.create_memory_pool()
    reserved = pool.reserve(1000)
    stats = pool.stats
    expected = f"ferrocca.MemoryPool({stats['reserved_bytes']} of {stats['bytes']} bytes reserved by 1)"
    assert repr(pool) == expected and reserved.size == 1000


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "4"),
        ((1, 2.0, np.zeros(1)), "4"),
        ((1, 2.0, np.zeros(1), np.zeros(1), 5), "4"),
        ((1.5, 2.0, np.zeros(1), np.zeros(1)), "argument 1 `n`"),
        ((2**40, 2.0, np.zeros(1), np.zeros(1)), "argument 1 `n`"),
        (("one", 2.0, np.zeros(1), np.zeros(1)), "argument 1 `n`: int takes a number, not `str`"),
        ((1, 2.0, np.zeros(1, "f4"), np.zeros(1)), "argument 3 `x`"),
        ((1, 2.0, 3.0, np.zeros(1)), "argument 3 `x`: `float` is not an array"),
        ((1, 2.0, np.zeros(1), np.zeros(4)[::2]), "argument 4 `y`: .*not contiguous"),
        ((1, 2.0, np.zeros(1), b"12345678"), "argument 4 `y`"),
    ],
)
def test_wrong_arguments_are_named(axpy, arguments, text):
    with pytest.raises(ferrocca.Error, match=f"axpy.*{text}"):
        axpy(*arguments)


def test_a_read_only_array_is_not_written(axpy):
    x = np.ones(4)
    x.flags.writeable = False
    y = np.zeros(4)
    axpy(4, 1.0, x, y)
    assert y.tolist() == [1] * 4
    with pytest.raises(ferrocca.Error, match="argument 4 `y`: the kernel may write it, and it is read-only"):
        axpy(4, 1.0, y, x)
    assert x.tolist() == [1] * 4


def test_memory_of_another_device(axpy):
    other = ferrocca.Device("mode=Serial").malloc(4)
    with pytest.raises(ferrocca.Error, match="device"):
        axpy(4, 1.0, other, other.duplicate())


def test_a_refused_kernel_shows_the_place(device):
    with pytest.raises(ferrocca.Error, match=r":2:\d+(.|\n)*nothing(.|\n)*\^"):
        device.build_kernel_from_string("@kernel void f(const int n, double *x) {\n  x[0] = nothing;\n}", "f")


def test_launches_find_the_fastest_build(tmp_path):
    source = "@kernel void add(const int n, const real c, real *u) { for (int i = 0; i < n; ++i; @tile(TILE, @outer, @inner)) u[i] += c; }"
    device = ferrocca.Device({"mode": "Serial", "cache_dir": str(tmp_path)})
    add = device.kernel(source, "add", defines={"real": np.float64}, tune={"TILE": [1, 256]})
    u = np.zeros(1000)
    for launch in range(8):
        assert "being measured" in add.tuning or launch == 0
        add(1000, 1.0, u)
    assert (u == 8).all()
    assert re.search(r"\* TILE=(1|256): \d+\.\d+ ms", add.tuning) and "being measured" not in add.tuning
    types = device.kernel(source, "add", tune={"TILE": [16], "real": [np.float32]})
    assert types.parameters[2] == ("u", "float *")
    assert device.kernel(source, "add", defines={"TILE": 1, "real": "double"}).tuning is None
    with pytest.raises(ferrocca.Error, match="takes a list of values"):
        device.kernel(source, "add", tune={"TILE": 3})


def test_bad_devices():
    with pytest.raises(ferrocca.Error, match="Serial"):
        ferrocca.Device("mode=Nonsense")
    with pytest.raises(ferrocca.Error, match="threads"):
        ferrocca.Device({"mode": "CPU", "thread": 2})
    with pytest.raises(TypeError, match="string or a dictionary"):
        ferrocca.Device(3)
    with pytest.raises(TypeError, match="property `threads`.*object"):
        ferrocca.Device({"mode": "CPU", "threads": object()})


def test_modes():
    modes = {mode["name"]: mode for mode in ferrocca.modes()}
    assert modes["Serial"]["devices"] and modes["CPU"]["unavailable"] is None


def test_devices_are_equal_by_identity(device):
    other = ferrocca.Device("mode=Serial")
    assert device == device and device != other and len({device, other}) == 2
    assert device.info["mode"] == device.mode and str(device.mode) in repr(device)


def test_threads_share_a_kernel(device, axpy):
    results = [np.zeros(1000) for _ in range(4)]
    x = np.ones(1000)

    def work(y):
        for _ in range(100):
            axpy(1000, 1.0, x, y)

    threads = [threading.Thread(target=work, args=(y,)) for y in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((y == 100).all() for y in results)


def test_the_stub_names_what_there_is():
    import ast

    stub = ast.parse(pathlib.Path(ferrocca.__file__).with_suffix(".pyi").read_text())
    for node in stub.body:
        if isinstance(node, ast.ClassDef) and node.name != "Stop":
            real = getattr(ferrocca, node.name)
            named = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
            missing = {name for name in named if not hasattr(real, name)} - {"__buffer__", "__getattr__"}
            assert not missing, f"{node.name}: {missing}"
            unnamed = {name for name in vars(real) if not name.startswith("_")} - named
            assert not unnamed, f"{node.name}: {unnamed}"

"""A failure is a `ferrocca.Error` and the built-in exception for such a mistake: one class for it, by every path."""

import ferrocca
import numpy as np
import pytest
from ferrocca.burgers import Solver

SOURCE = """
@kernel void set(const int n, const double *in, double *out) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) out[i] = in[i];
}"""
DEVICE = ferrocca.Device("mode=Serial")
OTHER = ferrocca.Device("mode=Serial")
KERNEL = DEVICE.build_kernel_from_string(SOURCE, "set")
SHARE = DEVICE.build_kernel_from_string(
    """
@kernel void share(const int n, const int m, int *by, int *out) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) out[i] = (i - 2147483647 - 1) / m / by[i];
}""",
    "share",
)
INTEGERS = np.ones(4, "i4")
DOUBLES, SINGLES = np.zeros(4), np.zeros(4, "f4")
QUADRUPLE = memoryview(np.zeros(4, "longdouble"))


def memory(source=DOUBLES):
    return DEVICE.malloc_from(source)


def read_only():
    array = np.zeros(4)
    array.flags.writeable = False
    return array


def recorded():
    with DEVICE.record() as graph:
        KERNEL(4, memory(), memory())
    return graph


class OnCuda:
    def __dlpack__(self, **_):
        raise AssertionError("nobody can use it here")

    def __dlpack_device__(self):
        return (2, 0)


# For each mistake its class, the built-in one, and the paths to it.
MISTAKES = {
    "out of memory": (
        ferrocca.OutOfMemoryError,
        MemoryError,
        [lambda: DEVICE.malloc(2**56), lambda: DEVICE.create_memory_pool().reserve(2**56)],
    ),
    "another type of element": (
        ferrocca.WrongTypeError,
        TypeError,
        [
            lambda: memory().copy_from(SINGLES),
            lambda: memory().copy_from(memory(SINGLES)),
            lambda: memory().copy_from(memory(SINGLES), via_host=True),
            lambda: memory().copy_to(SINGLES),
            lambda: memory().copy_to(memory(SINGLES)),
            lambda: KERNEL(4, SINGLES, DOUBLES),
            lambda: KERNEL(4, memory(SINGLES), memory()),
        ],
    ),
    "no number": (
        ferrocca.WrongTypeError,
        TypeError,
        [
            lambda: KERNEL("4", memory(), memory()),
            lambda: KERNEL(1.5, memory(), memory()),
            lambda: memory().fill("4"),
            lambda: DEVICE.malloc(4, "int32").fill(1.5),
            lambda: DEVICE.malloc(4, bool).fill("4"),
        ],
    ),
    "no array": (
        ferrocca.WrongTypeError,
        TypeError,
        [lambda: memory().copy_from(4), lambda: DEVICE.malloc_from("4"), lambda: DEVICE.wrap(4), lambda: KERNEL(4, 4, 4)],
    ),
    "a type that kernels do not have": (
        ferrocca.WrongTypeError,
        TypeError,
        [
            lambda: DEVICE.malloc_from(QUADRUPLE),
            lambda: DEVICE.wrap(QUADRUPLE),
            lambda: DEVICE.malloc(4, np.dtype("longdouble")),
            lambda: DEVICE.malloc_from(np.array(["a"])),
            lambda: DEVICE.wrap(np.array([object()])),
            lambda: DEVICE.malloc_from(np.zeros(4, "M8[s]")),
            lambda: KERNEL(4, np.zeros(4, ">f8"), DOUBLES),
            lambda: DEVICE.malloc_from(np.zeros(4, ">f8")),
            lambda: KERNEL(4.0, DOUBLES, DOUBLES),
            lambda: Solver(DEVICE, points=1e6),
            lambda: recorded().replay(1.0),
        ],
    ),
    "the wrong number of arguments": (
        ferrocca.WrongTypeError,
        TypeError,
        [lambda: KERNEL(4, DOUBLES), lambda: KERNEL(4, DOUBLES, DOUBLES, DOUBLES)],
    ),
    "another size": (
        ferrocca.WrongValueError,
        ValueError,
        [
            lambda: memory().copy_from(np.zeros(5)),
            lambda: memory().copy_from(DEVICE.malloc(5)),
            lambda: memory().copy_to(np.zeros(5)),
            lambda: memory().copy_to(DEVICE.malloc(5)),
            lambda: memory().reshape(5),
        ],
    ),
    "no shape": (
        ferrocca.WrongValueError,
        ValueError,
        [
            lambda: DEVICE.malloc(-1),
            lambda: DEVICE.malloc((2**40, 2**40)),
            lambda: DEVICE.malloc(2**62),
            lambda: DEVICE.create_memory_pool().reserve(2**62),
        ],
    ),
    "memory that is not to be written": (
        ferrocca.WrongValueError,
        ValueError,
        [
            lambda: DEVICE.wrap(read_only()).fill(1.0),
            lambda: DEVICE.wrap(read_only()).copy_from(DOUBLES),
            lambda: memory().copy_to(read_only()),
            lambda: memory().copy_to(DEVICE.wrap(read_only())),
            lambda: KERNEL(4, DOUBLES, read_only()),
            lambda: KERNEL(4, DOUBLES, DEVICE.wrap(read_only())),
        ],
    ),
    "properties": (
        ferrocca.WrongValueError,
        ValueError,
        [
            lambda: ferrocca.Device("mode=Serial, threads"),
            lambda: ferrocca.Device({"mode": "Serial", "thread": 2}),
            lambda: DEVICE.build_kernel_from_string(SOURCE, "set", "{"),
            lambda: ferrocca.Device("mode=CPU, threads=many"),
            lambda: ferrocca.Device("mode=CPU threads=2"),
            lambda: ferrocca.Device("no such mode"),
            lambda: ferrocca.translate("no such mode", "kernels.okl"),
            lambda: ferrocca.Device("Serial", okl={}),
            lambda: DEVICE.build_kernel_from_string(SOURCE, "set", {"cache_dir": "."}),
            lambda: DEVICE.create_stream("non_blocking=true"),
            lambda: Solver(DEVICE, points=-1),
            lambda: Solver(DEVICE, points=1),
            lambda: Solver(DEVICE, points=2**70),
            lambda: Solver(DEVICE).step(-1),
            lambda: Solver(DEVICE).run(every=0),
            lambda: recorded().replay(-1),
            lambda: recorded().replay(first_slot=-1),
            lambda: DEVICE.kernel(SOURCE, "set", props={"defines": {}}),
            lambda: DEVICE.build_kernel_from_string(SOURCE, "set", "okl/enabled: false"),
        ],
    ),
    "memory of another device": (
        ferrocca.WrongValueError,
        ValueError,
        [lambda: KERNEL(4, OTHER.malloc(4), memory()), lambda: DEVICE.set_stream(OTHER.stream)],
    ),
    "a number that does not fit": (
        ferrocca.RangeError,
        OverflowError,
        [
            lambda: KERNEL(2**31, DOUBLES, DOUBLES),
            lambda: KERNEL(2**70, DOUBLES, DOUBLES),
            lambda: DEVICE.malloc(4, "int32").fill(2**31),
            lambda: DEVICE.malloc(4, "float32").fill(1e300),
            lambda: memory().fill(10**400),
        ],
    ),
    "an index": (
        ferrocca.OutOfBoundsError,
        IndexError,
        [
            lambda: memory()[99],
            lambda: DEVICE.malloc(())[0:1],
            lambda: KERNEL(5, memory(), DEVICE.malloc(5)),
            lambda: KERNEL(5, DOUBLES, np.zeros(5)),
        ],
    ),
    "a division": (
        ferrocca.DivisionError,
        ZeroDivisionError,
        [
            lambda: SHARE(4, 0, INTEGERS, np.zeros(4, "i4")),
            lambda: SHARE(4, 3, np.zeros(4, "i4"), np.zeros(4, "i4")),
            lambda: SHARE(4, -1, INTEGERS, np.zeros(4, "i4")),
        ],
    ),
    "memory that is elsewhere or laid out in another way": (
        ferrocca.AccessError,
        BufferError,
        [
            lambda: DEVICE.wrap(np.zeros((4, 4))[:, 1]),
            lambda: DEVICE.malloc_from(np.zeros((4, 4)).T),
            lambda: KERNEL(4, np.zeros(8)[::2], DOUBLES),
            lambda: KERNEL(4, OnCuda(), DOUBLES),
            lambda: memory().__dlpack__(dl_device=(2, 0)),
        ],
    ),
    "a kernel that does not build": (
        ferrocca.BuildError,
        ferrocca.Error,
        [lambda: DEVICE.build_kernel_from_string("@kernel", "set")],
    ),
    "a name that is not there": (
        ferrocca.WrongValueError,
        ValueError,
        [lambda: DEVICE.build_kernel_from_string(SOURCE, "get"), lambda: DEVICE.malloc(4, "float65")],
    ),
    "a file that is not there": (ferrocca.FileError, OSError, [lambda: DEVICE.build_kernel("no/such.okl", "set")]),
}
CHECKED = ferrocca.Device("mode=Serial, checked=true")
RACE = CHECKED.build_kernel_from_string(
    """
@kernel void race(const int n, int *out) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) out[i / 2] = i;
}""",
    "race",
)
MISTAKES["a race that a checked device finds"] = (
    ferrocca.FaultError,
    RuntimeError,
    [lambda: RACE(4, CHECKED.malloc_from(INTEGERS))],
)
MISTAKES["a bound that has no value"] = (ferrocca.DivisionError, ZeroDivisionError, [lambda: BOUND(0, memory())])
BOUND = DEVICE.build_kernel_from_string(
    "@kernel void bound(const int n, double *x) { for (int i = 0; i < 8 / n; ++i; @tile(16, @outer, @inner)) x[i] = 1; }",
    "bound",
)
PATHS = [(name, index) for name, (_, _, paths) in MISTAKES.items() for index in range(len(paths))]


@pytest.mark.parametrize(("name", "path"), PATHS)
def test_a_mistake_has_one_class_by_every_path(name, path):
    expected, builtin, paths = MISTAKES[name]
    with pytest.raises(ferrocca.Error) as raised:
        paths[path]()
    assert raised.type is expected, repr(raised.value)
    assert issubclass(expected, builtin) and str(raised.value)


def test_classes_are_the_packages():
    for name in ferrocca.__all__:
        member = getattr(ferrocca, name)
        if isinstance(member, type) and issubclass(member, Exception):
            base = UserWarning if issubclass(member, Warning) else ferrocca.Error
            assert member.__module__ == "ferrocca" and member.__doc__ and issubclass(member, base)


# For each mistake what the text must say: the cause first, and what to do.
TEXTS = {
    "a comma": (lambda: ferrocca.Device("mode=CPU threads=2"), ["a comma is missing before `threads=2`: write `CPU, threads=2`"]),
    "kernel property": (lambda: ferrocca.Device("Serial", okl={}), ["`okl` is a property of kernels, not of devices"]),
    "device property": (
        lambda: DEVICE.build_kernel_from_string(SOURCE, "set", {"cache_dir": "."}),
        ["`cache_dir` is a property of devices, not of kernels"],
    ),
    "native": (
        lambda: DEVICE.build_kernel_from_string(SOURCE, "set", "okl/enabled: false"),
        ["Only Rust programs", "`Device::build_native_kernel`", "remove the property"],
    ),
    "stream": (lambda: DEVICE.create_stream("non_blocking=true"), ["is one of mode `CUDA` only", "remove it"]),
    "misspelt stream property": (
        lambda: DEVICE.create_stream("nonblocking=true"),
        ["a stream of mode `Serial` takes no properties, but was given `nonblocking`: remove it; in mode `CUDA` there is `non_blocking`"],
    ),
    "no stream property": (lambda: DEVICE.create_stream("other=1"), ["there are no `Serial` stream properties"]),
    "unneeded": (
        lambda: DEVICE.build_kernel_from_string(SOURCE, "set", {"serial/include_std": True}),
        ["`serial/include_std` is not needed here: remove it"],
    ),
    "keywords": (lambda: DEVICE.kernel(SOURCE, "set", props={"defines": {}}), ["each property as a keyword, not `props`"]),
    "type": (
        lambda: KERNEL(4, SINGLES, DOUBLES),
        ["`double *`", "an array of float64", "one of float32", '`array.astype("float64")`'],
    ),
    "race": (lambda: RACE(4, CHECKED.malloc_from(INTEGERS)), ["race: this write of `out[0]`", "write `@atomic` before each update"]),
    "bound": (lambda: BOUND(0, memory()), ["<string>:1:", "the bound of an `@outer` loop: integer division by zero because `"]),
    "division": (
        lambda: SHARE(4, 3, np.zeros(4, "i4"), np.zeros(4, "i4")),
        ["division by zero in `", "by group [0, 0, 0], item [0, 0, 0]; the kernel ran on with 0 as the result"],
    ),
    "text": (lambda: DEVICE.malloc_from(np.array(["a"])), ["an array of dtype `<U1` holds no numbers that kernels have"]),
    "byte order": (
        lambda: KERNEL(4, np.zeros(4, ">f8"), DOUBLES),
        ["argument 2 `in`: the array has the byte order `>`", "little-endian", 'pass `array.astype("float64")`'],
    ),
    "struct": (
        lambda: DEVICE.malloc_from(np.zeros(4, [("a", "f8")])),
        ["an array of dtype `[('a', '<f8')]`: DLPack only supports"],
    ),
    "float": (
        lambda: KERNEL(4.0, DOUBLES, DOUBLES),
        ["kernel `set`: argument 1 `n`: the kernel has `int`, and 4.0 is a float: pass `int(…)`"],
    ),
    "float of NumPy": (lambda: KERNEL(np.float32(1.5), DOUBLES, DOUBLES), ["has `int`, and 1.5 is a float: pass `int(…)`"]),
    "NaN": (lambda: KERNEL(float("nan"), DOUBLES, DOUBLES), ["has `int`, and nan is a float: pass an integer"]),
    "much memory": (
        lambda: DEVICE.malloc(5 * 10**12),
        ["allocating 5000000000000 elements of float64 (40000 GB): out of memory: 40000000000000 bytes were requested"],
    ),
    "a large array": (
        lambda: ferrocca.zeros(5 * 10**12, "float32", device=DEVICE),
        ["allocating 5000000000000 elements of float32 (20000 GB): out of memory"],
    ),
    "file": (lambda: DEVICE.build_kernel("no/such.okl", "set"), ["no/such.okl: No such file or directory"]),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_message_says_the_cause_and_what_to_do(name):
    mistake, parts = TEXTS[name]
    with pytest.raises(ferrocca.Error) as raised:
        mistake()
    text = str(raised.value)
    assert all(part in text for part in parts) and "os error" not in text, text


def test_an_array_on_the_host_is_copied_to_a_device_that_cannot_use_it(opened):
    device = opened("mode=WebGPU")
    kernel = device.build_kernel_from_string(SOURCE.replace("double", "float"), "set")
    with pytest.raises(ferrocca.AccessError, match=r"argument 2 `in`: the array lies on the host.*`device.malloc_from\(array\)`"):
        kernel(4, SINGLES, SINGLES)
    out = device.malloc_from(SINGLES)
    kernel(4, device.malloc_from(SINGLES + 1), out)
    assert (out.to_host() == 1).all()

"""A failure is a `ferrocca.Error` and the built-in exception for such a mistake: one class for it, by every path."""

import ferrocca
import numpy as np
import pytest

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


def memory(source=DOUBLES):
    return DEVICE.malloc_from(source)


def read_only():
    array = np.zeros(4)
    array.flags.writeable = False
    return array


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
        [lambda: DEVICE.malloc_from(np.zeros(4, complex)), lambda: DEVICE.wrap(np.zeros(4, complex)), lambda: DEVICE.malloc(4, np.dtype(complex))],
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
            assert member.__module__ == "ferrocca" and member.__doc__ and issubclass(member, ferrocca.Error)

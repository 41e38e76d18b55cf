"""What of CuPy the extension touches: `from_dlpack`, and the current stream.

All tests of a program share one interpreter, and with it this module's `made` and `current`: one test uses it, no more.
"""

import sys
import types

from consumer import Taken

made = []


class Stream:
    def __init__(self, ptr):
        self.ptr = ptr

    def __del__(self):
        made.append(("gone", self.ptr))


class ndarray:
    def __init__(self, taken):
        self.taken = taken
        self.address = taken.address

    def __del__(self):
        self.taken.delete()


current = Stream(0)


def get_current_stream(device_id=-1):
    assert device_id == 3, "the memory's device is asked for"
    return current


def from_dlpack(array, *, device=None, copy=None):
    stream = get_current_stream(array.__dlpack_device__()[1]).ptr or 1
    made.append("view")
    return ndarray(Taken(array.__dlpack__(stream=stream, max_version=(1, 0), copy=copy)))


def install():
    """Makes it what `import cupy` finds."""
    cuda = types.ModuleType("cupy.cuda")
    cuda.get_current_stream = get_current_stream
    sys.modules["cupy"] = sys.modules[__name__]
    sys.modules["cupy.cuda"] = cuda

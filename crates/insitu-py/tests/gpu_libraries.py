"""CuPy, PyTorch, Numba and JAX behind one face, each in its own words: views, writes, streams, and work that takes long."""

import contextlib
import functools
import os

import numpy as np

# Iterations of a kernel that runs for a tenth of a second or more on any GPU of today.
CYCLES = 200_000_000


@functools.cache
def load(name):
    return {"cupy": CuPy, "torch": Torch, "numba": Numba, "jax": Jax}[name]()


class CuPy:
    name, writes = "cupy", True
    ways = ("dlpack", "interface", "array")

    def __init__(self):
        import cupy

        self.cupy = cupy
        text = 'extern "C" __global__ void spin(long long n) { long long t = clock64(); while (clock64() - t < n) {} }'
        self._spin = cupy.RawKernel(text, "spin")
        self._spin((1,), (1,), (1,))

    def view(self, memory, way="dlpack"):
        ways = {"dlpack": self.cupy.from_dlpack, "interface": self.cupy.asarray, "array": lambda m: m.array()}
        return ways[way](memory)

    def pointer(self, array):
        return array.data.ptr

    def make(self, values):
        return self.cupy.asarray(values)

    def fill(self, array, value):
        array[...] = value

    def slow_fill(self, array, value):
        self._spin((1,), (1,), (CYCLES,))
        array[...] = value

    def copy_into(self, target, array):
        target[...] = array
        return target

    def numpy(self, array):
        return self.cupy.asnumpy(array)

    @contextlib.contextmanager
    def side_stream(self):
        with self.cupy.cuda.Stream(non_blocking=True) as stream:
            yield stream

    def odd_arrays(self):
        return (self.cupy.zeros((4, 6))[:, ::2],)


class Torch:
    name, writes = "torch", True
    ways = ("dlpack", "interface")

    def __init__(self):
        import torch

        self.torch = torch
        torch.zeros(1, device="cuda")

    def view(self, memory, way="dlpack"):
        if way == "dlpack":
            return self.torch.from_dlpack(memory)
        return self.torch.as_tensor(memory, device="cuda")

    def pointer(self, array):
        return array.data_ptr()

    def make(self, values):
        return self.torch.tensor(values, device="cuda")

    def fill(self, array, value):
        array.fill_(value)

    def slow_fill(self, array, value):
        self.torch.cuda._sleep(CYCLES)
        array.fill_(value)

    def copy_into(self, target, array):
        return target.copy_(array)

    def numpy(self, array):
        return array.cpu().numpy()

    @contextlib.contextmanager
    def side_stream(self):
        stream = self.torch.cuda.Stream()
        with self.torch.cuda.stream(stream):
            yield stream

    def odd_arrays(self):
        zeros = functools.partial(self.torch.zeros, device="cuda")
        return (zeros((4, 6)).t(),)


class Numba:
    name, writes = "numba", True
    ways = ("interface", "kernel")

    def __init__(self):
        # Numba of that time asks for an alias that NumPy 2.5 no longer has.
        if not hasattr(np, "row_stack"):
            np.row_stack = np.vstack
        from numba import cuda

        self.cuda = cuda
        self._stream = 0

        @cuda.jit
        def put(x, value):
            i = cuda.grid(1)
            if i < x.shape[0]:
                x[i] = value

        @cuda.jit
        def put_slowly(x, value, n):
            s = 0.0
            for _ in range(n):
                s = s * 0.999 + 0.001
            i = cuda.grid(1)
            if i < x.shape[0]:
                x[i] = value if s < 2.0 else s

        @cuda.jit
        def copy(to, source):
            i = cuda.grid(1)
            if i < to.shape[0]:
                to[i] = source[i]

        self._put, self._put_slowly, self._copy = put, put_slowly, copy

    def view(self, memory, way="interface"):
        # A kernel takes the memory itself, and looks at its protocols when it is launched.
        return self.cuda.as_cuda_array(memory) if way == "interface" else memory

    def pointer(self, array):
        return array.__cuda_array_interface__["data"][0]

    def make(self, values):
        return self.cuda.to_device(values)

    def fill(self, array, value):
        self._put[_blocks(array), 64, self._stream](_flat(array), value)

    def slow_fill(self, array, value):
        self._put_slowly[_blocks(array), 64, self._stream](_flat(array), value, CYCLES // 20)

    def copy_into(self, target, array):
        self._copy[_blocks(target), 64, self._stream](_flat(target), _flat(array))
        return target

    def numpy(self, array):
        if not hasattr(array, "copy_to_host"):
            array = self.cuda.as_cuda_array(array)
        if not self._stream:
            return array.copy_to_host()
        host = array.copy_to_host(stream=self._stream)
        self._stream.synchronize()
        return host

    @contextlib.contextmanager
    def side_stream(self):
        self._stream = self.cuda.stream()
        try:
            yield self._stream
        finally:
            self._stream = 0

    def odd_arrays(self):
        return (self.cuda.to_device(np.zeros((4, 6)))[:, ::2],)


def _flat(array):
    """Its elements on one axis; memory has no methods of NumPy's, and is flat here."""
    return array.reshape(array.size) if len(array.shape) != 1 else array


def _blocks(array):
    return (array.size + 63) // 64


class Jax:
    name, writes = "jax", False
    ways = ("frozen", "asarray")

    def __init__(self):
        # Else it takes three quarters of the GPU's memory for itself.
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax

        jax.config.update("jax_enable_x64", True)
        if jax.default_backend() not in ("gpu", "cuda"):
            raise ImportError(f"this JAX has no CUDA: its backend is {jax.default_backend()}")
        self.jax = jax
        self._add = jax.jit(lambda x, y: x + y)

        def slowly(x, value):
            # Few and long kernels, so that the host is done long before the device.
            product = jax.numpy.eye(4096, dtype="float32") + (x[0] * 0).astype("float32")
            for _ in range(60):
                product = jax.numpy.matmul(product, product, precision="highest")
            return x * 0 + value + product[0, 1]

        self._slowly = jax.jit(slowly)

    def view(self, memory, way="frozen"):
        if way == "frozen":
            return self.jax.dlpack.from_dlpack(memory.frozen())
        return self.jax.numpy.asarray(memory)

    def pointer(self, array):
        return array.unsafe_buffer_pointer()

    def make(self, values):
        return self.jax.numpy.asarray(values)

    def slow_fill(self, array, value):
        """An array that is still being computed."""
        return self._slowly(array, value)

    def copy_into(self, target, array):
        return self._add(array, 0.0)

    def numpy(self, array):
        return np.asarray(array)

    @contextlib.contextmanager
    def side_stream(self):
        yield None  # it chooses its streams itself

    def odd_arrays(self):
        return ()  # its arrays lie in a row, and are of types that kernels have

"""Arrays of no axes are scalars, which is what reductions of array libraries give."""

import importlib

import ferrocca
import numpy as np
import pytest

SOURCE = """
@kernel void set(const double a, const int k, const bool b, double *x) {
  for (int i = 0; i < 1; ++i; @tile(1, @outer, @inner)) x[i] = b ? a + k : -1;
}"""


@pytest.fixture(scope="module")
def kernel():
    return ferrocca.Device("mode=Serial").build_kernel_from_string(SOURCE, "set")


def numpy_values():
    return np.array(1.5), np.array(3), np.array(True)


def numpy_scalars():
    return np.float32(1.5), np.int64(3), np.bool_(True)


def jax_values():
    jnp = pytest.importorskip("jax.numpy")
    return jnp.array([1.0, 2.0]).mean(), jnp.array(3), jnp.array(True)


def tensorflow_values():
    tf = pytest.importorskip("tensorflow")
    return tf.reduce_mean(tf.constant([1.0, 2.0])), tf.constant(3), tf.constant(True)


def torch_values():
    torch = pytest.importorskip("torch")
    return torch.tensor([1.0, 2.0]).mean(), torch.tensor(3), torch.tensor(True)


@pytest.mark.parametrize("values", [numpy_values, numpy_scalars, jax_values, tensorflow_values, torch_values])
def test_an_array_of_no_axes_is_a_number(kernel, values):
    x = np.zeros(1)
    kernel(*values(), x)
    assert x[0] == 4.5


@pytest.mark.parametrize(
    ("position", "value", "text"),
    [
        (0, np.array([1.5]), r"`a`: double takes a number, not an array of shape \(1,\)"),
        (1, np.array([3]), r"`k`: int takes a number, not an array of shape \(1,\)"),
        (1, np.array(1.5), "`k`: the kernel has `int`, and 1.5 is a float"),
        (2, np.array(2), "`b`"),
        (0, "1", "`a`: double takes a number, not `str`"),
        (0, None, "`a`: double takes a number, not `NoneType`"),
    ],
)
def test_what_is_no_number_is_refused(kernel, position, value, text):
    arguments = [1.5, 3, True, np.zeros(1)]
    arguments[position] = value
    with pytest.raises(ferrocca.Error, match=text):
        kernel(*arguments)

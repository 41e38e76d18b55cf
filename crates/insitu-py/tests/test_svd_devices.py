"""`examples/insitu/svd.py` and `svd_observed.py` beside the program: the same results on every device."""

import pathlib

import numpy as np
import pytest
import reference

pytest.importorskip("matplotlib")

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples" / "insitu"

# For mode CUDA there is `test_cuda_insitu.py`.
DEVICES = [
    "mode=Serial",
    "mode=CPU",
    "mode=OpenCL",
    "mode=OpenCL, memory=separate",
    "mode=WebGPU",
    "mode=WebGPU, memory=separate",
    "mode=WebGPU, exportable=true",
]


def needs_cupy(memory):
    """Memory that WebGPU exports is CUDA's where both have the same GPU."""
    if memory.device.startswith("cuda"):
        pytest.importorskip("cupy")


@pytest.mark.parametrize("properties", DEVICES)
def test_the_scripts_give_the_same_on_every_device(burgers, opened, tmp_path, properties):
    needs_cupy(opened(properties).malloc(1))
    expected = np.linalg.svd(reference.solve()[:, 1:-1], compute_uv=False)
    values = {}
    for name in "svd", "svd_observed":
        done = burgers("--insitu", EXAMPLES / f"{name}.py", "--output", tmp_path / name, device=properties)
        assert done.returncode == 0, done.stderr
        assert "u[10] = 0.0733873" in done.stdout and "2001 snapshots of 256 points" in done.stdout
        values[name] = np.loadtxt(tmp_path / name / "singular_values.txt")
        assert np.allclose(values[name], expected, rtol=1e-9, atol=1e-10 * expected[0])
        for picture in "Field_evolution.png", "SVD_Eigenvectors.png":
            assert (tmp_path / name / picture).read_bytes().startswith(b"\x89PNG"), picture
            assert picture in done.stdout
    # The same snapshots; what computes the decomposition need not repeat its last bits.
    assert np.allclose(values["svd"], values["svd_observed"], rtol=0, atol=1e-12 * expected[0])


@pytest.mark.parametrize("properties", DEVICES)
def test_in_place_says_whether_there_is_an_array(opened, properties):
    memory = opened(properties).malloc_from(np.arange(6.0).reshape(2, 3))
    needs_cupy(memory)
    # What was asked to be apart from the host's memory is; of other devices only the device knows.
    assert not (memory.in_place and "separate" in properties)
    if memory.in_place:
        view = memory.array()
        assert view.shape == (2, 3) and memory.array() is view
        view[0, 0] = 7
    else:
        with pytest.raises(BufferError, match=r"`to_host\(\)` makes a copy.*`in_place`"):
            memory.array()
        memory.to_host()[0, 0] = 7
    assert memory.to_host().tolist() == [[7 if memory.in_place else 0, 1, 2], [3, 4, 5]]
    assert memory[1:].in_place == memory.in_place

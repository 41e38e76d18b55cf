"""The programs of `examples/python`, against what is known of their results."""

import importlib.util
import pathlib

import ferrocca
import numpy as np
import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples" / "python"


def example(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=["Serial", "CPU, threads=2", "OpenCL", "WebGPU", "CUDA"])
def device(request, opened):
    return opened(f"mode={request.param}")


def test_heat_decays_as_its_eigenvector(device):
    n, steps, heat2d = 37, 100, example("heat2d")
    hill = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
    plate = heat2d.solve(device, np.outer(hill, hill), steps)
    factor = 1 - 8 * heat2d.R * np.sin(np.pi / (n + 1) / 2) ** 2
    assert np.allclose(plate, np.outer(hill, hill) * factor**steps, rtol=0, atol=1e-13)


def test_waves_swing_as_cosines(device):
    wave = example("wave")
    for steps, shape in zip((0, 40, 500), wave.solve(device, 301, (0, 40, 500))):
        assert np.abs(shape - wave.expected(301, steps)).max() < 1e-9, steps


def test_bodies_keep_their_energy(device):
    nbody = example("nbody")
    start, moving = nbody.disc(150)
    position, velocity = nbody.solve(device, start, moving, 50, 0.01)
    before, after = nbody.energy(start, moving), nbody.energy(position, velocity)
    assert abs(after - before) < 2e-3 * abs(before) and np.abs(position - start).max() > 0.2
    assert np.allclose(velocity.mean(axis=0), moving.mean(axis=0), atol=1e-5), "momentum"


def test_a_glider_goes_around_the_torus(device):
    life = example("game_of_life")
    board = np.zeros((9, 9), np.uint8)
    board[:3, :3] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
    assert np.array_equal(life.play(device, board, 4), np.roll(board, (1, 1), axis=(0, 1)))
    assert np.array_equal(life.play(device, board, 36), board)


def test_roots_have_numpys_bits(device):
    quadratic = example("quadratic")
    with device:
        memory = quadratic.coefficients(5000)
        expected = quadratic.reference(*(x.get() for x in memory))
        assert np.array_equal(quadratic.quadratic(*memory).get(), expected)
        assert np.array_equal(quadratic.fused(*memory).get(), expected)


def test_pairs_of_muons_have_their_mass(device):
    zmass = example("zmass")
    columns = zmass.events(3000)
    with device:
        mass, (counts, _) = zmass.masses(columns)
        mass, counts = mass.get(), counts.get()
    expected = [zmass.reference(columns, event) for event in range(3000)]
    assert np.allclose(mass, expected, rtol=1e-13) and 85 < counts.argmax() < 97
    assert counts.sum() == ((mass >= 0) & (mass <= 120)).sum()


def test_points_in_the_circle_are_numbas(device):
    with device:
        low, high = ferrocca.random.create_xoroshiro128p_states(3000, seed=12345).get().T

    def coordinate():
        nonlocal low, high
        word, high = low + high, high ^ low
        low = (low << np.uint64(55) | low >> np.uint64(9)) ^ high ^ (high << np.uint64(14))
        high = high << np.uint64(36) | high >> np.uint64(28)
        return np.float32(2) * ((word >> np.uint64(11)) * 2.0**-53).astype("f4") - np.float32(1)

    hits = [int((coordinate() ** 2 + coordinate() ** 2 < 1).sum()) for _ in range(10)]
    assert [example("monte_carlo").count(device, 3000, trials) for trials in (1, 10)] == [hits[0], sum(hits)]


def test_mandelbrots_steps_are_numpys(device):
    mandelbrot = example("mandelbrot")
    with device:
        for dtype in "complex64", "complex128":
            c = mandelbrot.points(40, 60, dtype)
            assert np.array_equal(mandelbrot.steps(c, 20).get(), mandelbrot.reference(c.get()))


def test_a_ladder_of_sums_has_the_bits_of_its_trees(device):
    x = np.random.default_rng(7).random(1_000, np.float32)
    for name, value, expected in example("reductions").ladder(device, x):
        assert np.isclose(value, x.sum() * (2 if "constant" in name else 1), rtol=1e-5), name
        assert expected is None or value == expected, name


def test_two_streams_compute_all_pieces(device):
    x = np.random.default_rng(3).random(1001, np.float32)
    result, line = example("streams").run(device, x, pieces=3, times=60)
    assert np.abs(result - 2).max() < 1e-6 and len(line) == 9 and all(0 <= start <= end for _, _, start, end in line)


@pytest.mark.parametrize("name", ["heat2d", "game_of_life", "wave"])
def test_pictures_are_made(name, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    example(name).main("CPU", str(tmp_path / "picture.png"))
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG") and capsys.readouterr().out


def test_pulls_of_spectra_are_normal():
    spec = importlib.util.spec_from_file_location("example_spectra", EXAMPLES.parent / "spectra" / "spectra.py")
    spectra = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(spectra)
    for device in ("Serial", "CPU, threads=2"):
        _, frame, _, pulls = spectra.solve(device)
        # Of 7,000 normal numbers the width has an error of 0.008, the mean of 0.012.
        assert len(pulls) > 6500 and abs(pulls.std() - 1) < 0.03 and abs(pulls.mean()) < 0.05, (pulls.mean(), pulls.std())
        assert 0 < np.count_nonzero(frame["specmask"]) < 0.1 * frame["specmask"].size

"""One script steers on every device: fields are written and parameters set, and runs can be repeated bit for bit."""

import ferrocca
import ferrocca._write
import numpy as np
import pytest
from ferrocca.burgers import Solver

DEVICES = ["Serial", "CPU, threads=2", "mode=OpenCL", "mode=OpenCL, memory=separate", "mode=WebGPU", "mode=CUDA"]


@pytest.fixture(params=DEVICES)
def device(request, opened):
    return opened(request.param)


def final(device, hook, **options):
    solver = Solver(device, final_time=0.02, **options)
    solver.run(hook)
    return solver.u.to_host()


def with_fill(u):
    u.fill(0.125)


def with_copy(u):
    u.copy_from(np.cos(np.arange(u.size, dtype=str(u.dtype))))


# What is assigned to a NumPy array in the same way is what is expected.
INDICES = {
    "all": (lambda u: Ellipsis, 0.25),
    "colon": (lambda u: slice(None), 0.25),
    "slice": (lambda u: slice(10, 20), np.linspace(0, 1, 10)),
    "strided": (lambda u: slice(None, None, 3), 0.5),
    "index": (lambda u: 7, -2.0),
    "mask": (lambda u: u > 0.5, 0.5),
    "list": (lambda u: slice(0, 3), [1, 2, 3]),
}


@pytest.mark.parametrize("way", [*INDICES, with_fill, with_copy])
def test_what_is_written_is_what_the_next_step_starts_from(device, way):
    if getattr(device, "mode", "") == "CUDA" and way == "mask":
        pytest.importorskip("cupy")
    expected, seen = [], []

    def write(frame):
        if frame.step != 3:
            return
        u = frame.u.to_host()
        if way in INDICES:
            index, value = INDICES[way]
            index = index(u)
            u[index] = value
            frame.u[index] = value
        else:
            way(frame.u)
            u[...] = 0.125 if way is with_fill else np.cos(np.arange(u.size))
        expected.append(u)
        seen.append(frame.u.to_host())

    def write_in_place(frame):
        if frame.step == 3:
            frame.u[...] = expected[0]

    written = final(device, write)
    assert np.array_equal(seen[0], expected[0])
    assert np.array_equal(written, final(device, write_in_place)), "the next steps start from it"
    assert not np.array_equal(written, final(device, None))


@pytest.mark.parametrize("way", [*INDICES, with_fill, with_copy])
def test_memory_that_no_library_shows_is_written_by_a_copy(device, way, monkeypatch):
    """As on the OpenCL and WebGPU devices whose memory is their own."""
    monkeypatch.setattr(ferrocca._write, "in_place", lambda field: None)
    test_what_is_written_is_what_the_next_step_starts_from(device, way)


def test_a_copy_is_written_back_when_it_was_changed(device, monkeypatch):
    monkeypatch.setattr(ferrocca._write, "is_on_host", lambda field: False)
    test_on_host_is_one_script_for_all_devices(device)
    test_read_only_fields_are_refused(device)


def test_on_host_is_one_script_for_all_devices(device):
    def halve(frame):
        with frame.u.on_host() as u:
            assert isinstance(u, np.ndarray)
            u[1:-1] *= 0.5

    def look(frame):
        with frame.u.on_host() as u:
            assert np.isfinite(u).all()

    def fail(frame):
        with pytest.raises(ZeroDivisionError), frame.u.on_host() as u:
            if not ferrocca._write.is_on_host(frame.u):
                u[...] = np.nan
            1 / 0

    plain = final(device, None)
    assert np.array_equal(plain, final(device, look))
    assert np.array_equal(plain, final(device, fail)), "a block that fails writes nothing back"
    host = final(ferrocca.Device("Serial"), halve)
    assert np.array_equal(final(device, halve), host) and np.abs(host).max() < 1e-4


def test_read_only_fields_are_refused(device):
    def write(frame):
        for write in (lambda: frame.u.fill(0), lambda: frame.u.__setitem__(0, 1), lambda: frame.u.copy_from(np.zeros(258))):
            with pytest.raises(ValueError, match="read-only"):
                write()
        with frame.u.on_host() as u:
            assert not u.flags.writeable

    Solver(device, final_time=0.002).run(write, read_only=True)


def test_what_does_not_fit_is_refused(device):
    def write(frame):
        with pytest.raises(ferrocca.WrongTypeError, match="float32"):
            frame.u.copy_from(np.zeros(258, np.float32))
        with pytest.raises(ferrocca.WrongValueError, match="shape"):
            frame.u.copy_from(np.zeros(257))
        with pytest.raises(ferrocca.WrongTypeError):
            frame.u.fill("one")
        with pytest.raises(IndexError):
            frame.u[300] = 1.0

    Solver(device, final_time=0.002).run(write)


def test_parameters_are_set_and_read_back(device):
    runs, moments = [], []

    class Steer:
        def start(self, run):
            runs.append(run)

        def step(self, frame):
            moments.append((frame.time, frame.parameters["nu"]))
            if frame.step == 4:
                frame.set(nu=0.05, dt=0.0005)
                assert runs[0].nu == 0.05 and frame.parameters["dt"] == 0.0005
            if frame.step == 6:
                frame.set(final_time=0.01)

        def finish(self, run):
            runs.append(run)

    solver = Solver(device, final_time=0.02)
    solver.run(Steer())
    assert (runs[1].nu, runs[1].dt, runs[1].final_time) == (0.05, 0.0005, 0.01)
    times = np.array([time for time, _ in moments])
    assert np.allclose(np.diff(times), [0.001] * 3 + [0.0005] * (len(times) - 4)) and abs(times[-1] - 0.01) < 6e-4
    assert [nu for _, nu in moments] == [0.01] * 4 + [0.05] * (len(moments) - 4)
    # From then on it is a solver of those parameters.
    first, second = Solver(device, final_time=0.004), Solver(device, nu=0.05, dt=0.0005, final_time=0.01)
    first.run()
    second.u.copy_from(first.u.to_host())
    second.step(solver.step_count - 4)
    assert np.array_equal(second.u.to_host(), solver.u.to_host())


def test_a_graph_has_the_new_parameters(device):
    """Steps between two calls of a hook are replays of a recorded step."""
    class Steer:
        def step(self, frame):
            if frame.step == 32:
                frame.set(nu=0.05)

    often, seldom = Solver(device, final_time=0.1), Solver(device, final_time=0.1)
    often.run(Steer())
    seldom.run(Steer(), every=16)
    assert np.array_equal(often.u.to_host(), seldom.u.to_host())


def test_bad_parameters_are_refused_where_they_are_set():
    kept = []

    def steer(frame):
        kept.append(frame)
        for values, kind, said in [
            ({"points": 5.0}, ferrocca.WrongValueError, "does not let `points` be changed.*nu, dt, final_time"),
            ({"nu": -1.0}, OverflowError, "nu must be at least 0, not -1"),
            ({"nu": float("nan")}, OverflowError, "nu must be a finite number, not nan"),
            ({"dt": 0.0}, OverflowError, "dt must be greater than 0, not 0"),
            ({"nu": "much"}, TypeError, "nu is a number, not str"),
            ({"nu": 0.5, "mu": 0.5}, ferrocca.WrongValueError, "mu"),
        ]:
            with pytest.raises(kind, match=said):
                frame.set(**values)
        assert frame.parameters["nu"] == 0.01, "with an error none is changed"

    solver = Solver(ferrocca.Device("Serial"), final_time=0.002)
    solver.run(steer)
    assert np.array_equal(solver.u.to_host(), final_of(0.002))
    with pytest.raises(ferrocca.Error, match="step, 1, is over"):
        kept[0].set(nu=0.1)


def final_of(final_time):
    solver = Solver(ferrocca.Device("Serial"), final_time=final_time)
    solver.run()
    return solver.u.to_host()


SCRIPT = """
import ferrocca._write
def start(run): global kept; kept = run
def step(frame):
    if frame.step == 5:
        with frame.u.on_host() as u: u[1:-1] *= 0.5
        frame.set(nu=0.03)
        assert kept.nu == 0.03
    if frame.step == 7: frame.u[3:5] = [0.25, 0.5]
def finish(run):
    print("nu is", run.nu)
"""


COPIES = "ferrocca._write.in_place = lambda field: None\nferrocca._write.is_on_host = lambda field: False\n"


@pytest.mark.parametrize("copies", [False, True])
@pytest.mark.parametrize("device", ["Serial", "mode=OpenCL", "mode=WebGPU", "mode=CUDA"])
def test_a_script_steers_the_program(burgers, opened, tmp_path, device, copies):
    solver = Solver(opened(device), final_time=0.02)
    space = {}
    exec(SCRIPT, space)
    solver.run(type("Script", (), {name: staticmethod(space[name]) for name in ("start", "step", "finish")})())
    done = burgers("--final-time", 0.02, "--output", tmp_path, script=SCRIPT + (COPIES if copies else ""), device=device)
    assert done.returncode == 0 and "nu is 0.03" in done.stdout, done.stderr
    u = np.loadtxt(tmp_path / "u.csv", delimiter=",", skiprows=1)[:, 1]
    host = solver.u.to_host()[1:-1]
    assert np.array_equal(u, host)

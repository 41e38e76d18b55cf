"""The Burgers solver as a library of Python's, with hooks in the same process."""

import ctypes
import signal
import threading
import os
import warnings

import ferrocca
import numpy as np
import pytest
import reference
from ferrocca.burgers import Solver


@pytest.fixture
def device():
    return ferrocca.Device("mode=Serial")


def test_steps_are_those_of_numpy(device):
    solver, expected = Solver(device), reference.solve()
    solver.step(1000)
    assert np.abs(solver.u.array() - expected[999]).max() < 1e-12
    assert solver.run() == "finished" and solver.step_count == 2001
    assert np.abs(solver.u.array() - expected[-1]).max() < 1e-12
    assert solver.time == pytest.approx(2.001) and solver.is_finite()


def heard(make):
    """The texts of the warnings of a call, which are of this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make()
    assert all(one.category is RuntimeWarning and one.filename == __file__ for one in caught)
    return [str(one.message) for one in caught]


def test_an_unstable_time_step_is_warned_of_as_the_program_does(device, burgers):
    (text,) = heard(lambda: Solver(device, dt=1.0, final_time=3.0))
    assert text.startswith("dt = 1 is unstable: it exceeds the CFL limit") and text.endswith("choose dt ≤ 2.0000e-2")
    printed = burgers("--dt", 1.0, "--final-time", 3.0).stderr
    assert f"warning: {text}\n" in printed
    # The program also tells at every run that its usual grid is too coarse for the front.
    assert "Péclet" in printed and heard(lambda: Solver(device)) == heard(lambda: Solver(device, dt=0.02)) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.raises(RuntimeWarning, match="unstable"):
            Solver(device, nu=0.0)


def test_counts_are_whole_numbers_in_their_range(device):
    solver = Solver(device, points=np.int32(16))
    for call, kind, said in [
        (lambda: Solver(device, points=-1), ferrocca.WrongValueError, "points must be between 2 and 2147483645, not -1$"),
        (lambda: Solver(device, points=1), ferrocca.WrongValueError, "points must be between 2 and 2147483645, not 1$"),
        (lambda: Solver(device, points=1e6), ferrocca.WrongTypeError, "points is an integer, not 1000000.0 .`float`.: pass `int"),
        (lambda: solver.step(-1), ferrocca.WrongValueError, "count must be at least 0, not -1$"),
        (lambda: solver.step("2"), ferrocca.WrongTypeError, "count is an integer, not '2' .`str`.$"),
        (lambda: solver.run(every=0), ferrocca.WrongValueError, "every must be at least 1, not 0$"),
    ]:
        with pytest.raises(kind, match=said):
            call()
    solver.step(2)
    solver.step()
    assert solver.step_count == 3


def test_a_function_as_hook(device):
    seen = []

    def hook(frame):
        assert frame.u.array() is frame.fields["u"].array()
        seen.append(frame.step)
        if frame.step == 9:
            return ferrocca.STOP

    assert Solver(device).run(hook, every=3) == "stopped" and seen == [3, 6, 9]


def test_streams_of_every_library_are_known(device):
    """On the host there is nothing to order, but what is no stream is refused as anywhere."""

    class Named:
        def __init__(self, **attributes):
            self.__dict__.update(attributes)

    class Protocol:
        def __cuda_stream__(self):
            return (0, 64)

    streams = [0, 64, Protocol(), Named(cuda_stream=64), Named(ptr=64), Named(handle=ctypes.c_void_p(64))]
    wrong = [("theirs", TypeError), (Named(handle=None), TypeError), (-1, ValueError), (1.5, TypeError)]

    def hook(frame):
        for stream in streams:
            frame.uses_stream(stream)
        for stream, error in wrong:
            with pytest.raises(error):
                frame.uses_stream(stream)
        return ferrocca.STOP

    assert Solver(device).run(hook) == "stopped"


def test_an_object_as_hook(device, tmp_path):
    class Hook:
        def start(self, run):
            assert (run.name, run.points, run.precision) == ("burgers", 32, "f32")
            assert run.output_dir == str(tmp_path / "made") and os.path.isdir(run.output_dir)
            self.rows = []

        def step(self, frame):
            assert not frame.u.array().flags.writeable and frame.u.dtype == "float32"
            self.rows.append(frame.u.to_host())

        def finish(self, run):
            self.finished = True

    hook = Hook()
    solver = Solver(device, points=32, precision="f32", final_time=0.1)
    solver.run(hook, output_dir=tmp_path / "made", read_only=True)
    expected = reference.solve(points=32, final_time=0.1)
    assert hook.finished and np.abs(np.array(hook.rows) - expected).max() < 1e-5


def test_steering(device):
    solver = Solver(device, final_time=0.01)
    solver.u.array()[:] = 0.5
    solver.run()
    assert (solver.u.array() == 0.5).all()


def test_an_exception_comes_out_as_itself(device):
    class OwnError(Exception):
        pass

    def hook(frame):
        raise OwnError("enough")

    solver = Solver(device)
    with pytest.raises(OwnError, match="enough"):
        solver.run(hook)
    assert solver.step_count == 1


def test_a_hook_that_asks_the_solver_gets_an_answer(device):
    solver = Solver(device)
    with pytest.raises(RuntimeError, match="is running"):
        solver.run(lambda frame: solver.time)


def test_bad_arguments(device):
    with pytest.raises(ferrocca.Error, match="points"):
        Solver(device, points=1)
    with pytest.raises(ferrocca.Error, match="precision"):
        Solver(device, precision="f16")
    with pytest.raises(TypeError, match="hook"):
        Solver(device).run(3)
    with pytest.raises(ferrocca.Error, match="at least 1"):
        Solver(device).run(every=0)
    with pytest.raises(TypeError, match="STOP or None"):
        Solver(device).run(lambda frame: 3)
    with pytest.warns(RuntimeWarning, match="unstable"):
        diverging = Solver(device, points=256, dt=0.5, final_time=1000)
    with pytest.raises(ferrocca.Error, match="finite"):
        diverging.run()


@pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")
def test_ctrl_c_is_keyboard_interrupt(device):
    solver = Solver(device, final_time=1e9)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        solver.run()
    assert solver.step_count > 0 and solver.is_finite()


def test_the_field_outlives_the_solver(device):
    solver = Solver(device)
    view = solver.u.array()
    del solver
    assert np.allclose(view[1:-1], np.sin(np.arange(256) * 2 * np.pi / 256))

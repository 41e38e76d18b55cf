"""Fields that a hook keeps without a copy, while the solver goes on in other memory."""

import gc

import ferrocca
import numpy as np
import pytest
from ferrocca.burgers import Solver
from ferrocca.insitu import beside, compose, on


class Keeping:
    """A hook of its own that only looks: it keeps a few fields, and lets the oldest go."""

    _only_looks = True

    def __init__(self, every, most):
        self._every, self._most = every, most
        self.kept, self.addresses, self.rows = [], [], {}

    def step(self, frame):
        self.kept.append((frame.step, frame.u.keep()))
        assert self.kept[-1][1] is not None
        self.addresses.append(frame.u.ptr)
        del self.kept[: -self._most]

    def finish(self, run):
        self.rows = {step: array.to_host() for step, array in self.kept}


@pytest.fixture(scope="module")
def every_row():
    rows = {}
    Solver(ferrocca.Device("Serial"), final_time=0.1).run(lambda frame: rows.update({frame.step: frame.u.to_host()}))
    return rows


@pytest.mark.parametrize("device", ["Serial", "mode=CPU", "mode=OpenCL, memory=separate", "mode=WebGPU", "mode=CUDA"])
@pytest.mark.parametrize("every", [1, 2, 7])
def test_what_is_kept_stays_as_it_is(opened, device, every, every_row):
    device, hook = opened(device), Keeping(every, 100)
    solver = Solver(device, final_time=0.1)
    solver.run(hook)
    assert list(hook.rows) == list(range(every, 101, every))
    for step, row in hook.rows.items():
        assert np.array_equal(row, every_row[step]), step
    # Also what is kept of the last step is not written by the steps that follow.
    end = solver.u.to_host()
    solver.step(3)
    assert np.array_equal(hook.kept[-1][1].to_host(), hook.rows[hook.kept[-1][0]])
    assert np.array_equal(end, every_row[100])


def test_what_is_let_go_is_used_again(every_row):
    hook = Keeping(5, 2)
    Solver(ferrocca.Device("Serial"), final_time=0.1).run(hook)
    assert len(set(hook.addresses)) <= 9, "of 20: two of the hook's, two of the solver's, four that rest, one on its way back"
    assert all(np.array_equal(row, every_row[step]) for step, row in hook.rows.items())


def test_an_array_holds_it_and_cannot_be_written(every_row):
    rows = {}

    class Arrays:
        _only_looks, _every = True, 10

        def step(self, frame):
            rows[frame.step] = frame.u.keep().array()[1:-1]

    Solver(ferrocca.Device("Serial"), final_time=0.1).run(Arrays())
    gc.collect()
    for step, row in rows.items():
        assert np.array_equal(row, every_row[step][1:-1]) and not row.flags.writeable


def test_who_may_write_may_not_keep():
    answers = []

    def steering(frame):
        answers.append((frame.u, frame.u.keep()))

    Solver(ferrocca.Device("Serial"), final_time=0.002).run(steering)
    assert [kept for _, kept in answers] == [None, None]
    seen = Keeping(1, 1)
    with pytest.raises(AssertionError):
        Solver(ferrocca.Device("Serial"), final_time=0.002).run(compose(seen, steering))

    class Late:
        _only_looks = True

        def step(self, frame):
            self.field = frame.u

    late = Late()
    Solver(ferrocca.Device("Serial"), final_time=0.002).run(late)
    assert late.field.keep() is None, "the hook's function has returned"


class Addresses:
    def __init__(self):
        self.addresses, self.steps, self.rows = set(), [], []

    def observe(self, batch):
        self.addresses.add(batch.u.array().ctypes.data)
        self.steps.extend(batch.steps)
        self.rows.append(batch.u.to_host()[0])


def test_few_moments_beside_the_solver_are_not_copied(every_row):
    shown, hook = [], Addresses()

    class Solvers:
        _only_looks = True

        def step(self, frame):
            shown.append(frame.u.ptr)

    Solver(ferrocca.Device("Serial"), final_time=0.1).run(compose(Solvers(), on(beside(hook), step=10)))
    assert hook.steps == list(range(10, 101, 10)) and hook.addresses <= set(shown)
    for step, row in zip(hook.steps, hook.rows):
        assert np.array_equal(row, every_row[step])
    # Beside a hook that steers, and for one that may write, each gets a copy.
    for other in compose(on(beside(hook), step=10), lambda frame: None), beside(on(lambda frame: hook.observe(frame), step=10)):
        shown.clear()
        hook.__init__()
        Solver(ferrocca.Device("Serial"), final_time=0.1).run(compose(lambda frame: shown.append(frame.u.ptr), other))
        assert len(hook.rows) == 10 and not hook.addresses & set(shown)


def test_a_script_keeps_fields_of_its_program(burgers):
    script = """
import numpy as np
class Keeping:
    _only_looks, _every, kept, copies = True, 10, [], []
    def step(self, frame):
        self.kept.append(frame.u.keep())
        self.copies.append(frame.u.to_host())
    def finish(self, run):
        print("same", len(self.kept), all(np.array_equal(k.array(), c) for k, c in zip(self.kept, self.copies)))
        print("places", len({k.ptr for k in self.kept}))
hook = Keeping()
"""
    done = burgers("--final-time", 0.1, script=script)
    assert done.returncode == 0 and "same 10 True" in done.stdout and "places 10" in done.stdout, done.stdout + done.stderr

"""Runs in a thread: progress, an orderly end, results and failures; and where the time of a run went."""

import subprocess
import sys
import threading
import time

import ferrocca
import pytest
from ferrocca.burgers import Solver


@pytest.fixture(params=["Serial", "mode=OpenCL", "mode=WebGPU", "mode=CUDA"])
def device(request, opened):
    return opened(request.param)


def test_a_run_goes_on_beside_its_program_and_is_stopped(device):
    ends = []

    class Hook:
        def step(self, frame):
            ends.append(frame.step)

        def finish(self, run):
            ends.append("finish")

    solver = Solver(device, final_time=1e6)
    run = solver.start(Hook(), every=10)
    try:
        deadline = time.monotonic() + 60
        while run.progress.step == 0:
            assert time.monotonic() < deadline and not run.is_over
            time.sleep(0.01)
        first = run.progress
        # The time so far is a sum, whose rounding may make it one step more or less.
        assert abs(first.steps - 10**9) <= 1 and 0 <= first.fraction < 0.5 and first.time > 0 and "step " in repr(first)
        with pytest.raises(RuntimeError, match="the solver is running"):
            solver.step_count
        with pytest.raises(TimeoutError, match="step "):
            run.result(timeout=0.01)
        assert "running" in repr(run) and "running" in run._repr_html_()
    finally:
        # Whatever is wrong, the run must not go on beside the other tests.
        run.stop()
    assert run.result(timeout=60) == "interrupted" and run.is_over
    assert ends[-1] == "finish" and solver.step_count >= first.step and run.progress.step == solver.step_count
    assert threading.active_count() < 20


def test_results_and_failures_come_back(device):
    def hook(frame):
        if frame.step == 3:
            return ferrocca.STOP

    def failing(frame):
        raise KeyError("three")

    assert Solver(device, final_time=0.1).start(hook).result(60) == "stopped"
    assert Solver(device, final_time=0.01).start().result(60) == "finished"
    run = Solver(device).start(failing)
    for _ in range(2):
        with pytest.raises(KeyError, match="three"):
            run.result(60)
    assert "KeyError" in repr(run)


def test_the_end_of_the_interpreter_ends_the_runs():
    script = """
import ferrocca, time
from ferrocca.burgers import Solver
class Hook:
    def step(self, frame): pass
    def finish(self, run): print("finished in good order")
run = Solver(ferrocca.Device("Serial"), final_time=1e9).start(Hook())
while run.progress.step == 0: time.sleep(0.01)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == "" and "finished in good order" in done.stdout, done.stderr


def test_the_clock_leaves_the_first_call_out(device):
    def hook(frame):
        time.sleep(0.5 if frame.step == 1 else 0.002)

    solver = Solver(device, final_time=0.02)
    assert solver.timing is None
    solver.run(hook)
    timing = solver.timing
    assert timing["steps"] == 20 and timing["set_up"] >= 0.5 and 0.038 <= timing["hook"] <= timing["wall"] < 0.5
    assert timing["mean_step"] == timing["wall"] / 20 and 0.0019 < timing["median_step"] < 0.1

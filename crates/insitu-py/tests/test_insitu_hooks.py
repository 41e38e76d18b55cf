"""Schedules, hooks of hooks, hooks in a thread, logs that repeat a run, and data from the network."""

import http.server
import json
import logging
import threading
import time

import ferrocca
import numpy as np
import pytest
from ferrocca.burgers import Solver
from ferrocca.insitu import POD, Pull, beside, compose, logged, on, replayed

DEVICES = ["Serial", "mode=OpenCL, memory=separate", "mode=WebGPU", "mode=CUDA"]


@pytest.fixture(params=DEVICES)
def device(request, opened):
    return opened(request.param)


class Seen:
    """Which steps an observer got, and what of the field."""

    def __init__(self):
        self.steps, self.rows, self.runs = [], [], []

    def start(self, run):
        self.runs.append("start")

    def observe(self, batch):
        self.steps.extend(batch.steps)
        rows = batch.fields["u"].to_host()
        assert rows.shape == (len(batch.steps), 258) and len(batch.times) == len(batch.steps)
        assert np.array_equal(batch.u.to_host(), rows)
        self.rows.extend(rows)

    def finish(self, run):
        self.runs.append("finish")


@pytest.fixture(scope="module")
def every_row():
    seen = Seen()
    Solver(ferrocca.Device("Serial"), final_time=0.1).run(seen)
    return dict(zip(seen.steps, seen.rows))


@pytest.mark.parametrize("steers", [False, True])
@pytest.mark.parametrize(
    "schedule, expected",
    [
        ({"step": 7}, list(range(7, 101, 7))),
        ({"time": 0.02}, [20, 40, 60, 80, 100]),
        ({"times": [0.0105, 0.05, 0.0501, 0.2]}, [11, 50, 51]),
        ({"step": 50, "times": [0.003]}, [3, 50, 100]),
        ({"trigger": "time > 0.0975"}, [98, 99, 100]),
        ({"trigger": "time > 0.0975", "first": True}, [98]),
        ({"trigger": "max(abs(u)) < 0 or step == 5"}, [5]),
        ({"trigger": lambda moments: moments.steps[0] in (2, 3)}, [2, 3]),
    ],
)
def test_a_schedule_picks_moments(device, every_row, schedule, expected, steers):
    seen = Seen()
    hook = on(seen, **schedule)
    Solver(device, final_time=0.1).run(compose(hook, lambda frame: None) if steers else hook)
    # 100 times 0.001 adds up to a little more than 0.1.
    assert seen.steps == expected and seen.runs == ["start", "finish"]
    for step, row in zip(seen.steps, seen.rows):
        assert np.array_equal(row, every_row[step]), step


def test_a_trigger_sees_the_field(device):
    first = []
    Solver(device, final_time=0.5).run(on(lambda frame: first.append(frame.step), trigger="max(abs(u)) < 0.9999", first=True))
    seen = Seen()
    Solver(device, final_time=0.5).run(seen)
    sizes = np.abs(np.array(seen.rows)).max(axis=1)
    assert first == [seen.steps[int(np.argmax(sizes < 0.9999))]] and sizes[first[0] - 2] >= 0.9999


@pytest.mark.parametrize(
    "trigger", ["__import__('os')", "u.max() > 1", "max(u, 1) > 1", "(lambda: 1)()", "f'{u}'", "u[0] > 1", "open(u)"]
)
def test_a_trigger_is_an_expression_and_nothing_else(trigger):
    with pytest.raises(ValueError, match="trigger"):
        on(print, trigger=trigger)


def test_a_trigger_names_the_fields():
    with pytest.raises(NameError, match="no field `v`; the fields: u"):
        Solver(ferrocca.Device("Serial")).run(on(Seen(), trigger="max(v) > 1"))


def test_hooks_together_are_called_in_order_and_one_stop_stops():
    device, order = ferrocca.Device("Serial"), []

    class Steering:
        def start(self, run):
            order.append("start")

        def step(self, frame):
            order.append(frame.step)
            if frame.step == 2:
                return ferrocca.STOP

        def finish(self, run):
            order.append("finish")

    seen = Seen()
    assert Solver(device).run(compose(seen, Steering(), lambda frame: order.append("last"))) == "stopped"
    assert order == ["start", 1, "last", 2, "last", "finish"] and seen.steps == [1, 2]
    both = compose(Seen(), Seen())
    assert hasattr(both, "observe") and not hasattr(both, "step")
    for wrong in 5, type("Both", (), {"step": print, "observe": print})():
        with pytest.raises(TypeError):
            compose(wrong)


@pytest.mark.parametrize("policy", ["wait", "skip", "grow"])
def test_beside_the_solver(device, every_row, policy):
    if device.mode == "CUDA":
        pytest.importorskip("cupy")
    seen = Seen()
    hook = beside(on(seen, step=2), slots=2, policy=policy)
    Solver(device, final_time=0.1).run(hook)
    assert threading.current_thread() is threading.main_thread() and seen.runs == ["start", "finish"]
    assert hook.failed == 0 and hook.skipped % 1 == 0
    if policy != "skip":
        assert seen.steps == list(range(2, 101, 2)) and hook.skipped == 0
    for step, row in zip(seen.steps, seen.rows):
        assert np.array_equal(row, every_row[step]), step


def slow_batches(hook, count=8):
    """`count` batches of one moment, by hand."""
    batch = lambda i: type("Batch", (), {"steps": (i,), "times": (i / 10,), "fields": {"u": Field(i)}})  # noqa: E731
    hook.start(None)
    for i in range(count):
        hook.observe(batch(i))
    hook.finish(None)


class Field:
    name, dtype, device, in_place = "u", "float64", "cpu", True

    def __init__(self, i):
        self.value = np.full((1, 3), float(i))

    def array(self):
        return self.value


def test_policies_when_the_ring_is_full():
    for policy in "wait", "skip", "grow":
        got = []

        def slow(frame):
            time.sleep(0.02)
            got.append((frame.step, frame.u.array()[0]))

        hook = beside(slow, slots=2, policy=policy)
        slow_batches(hook)
        assert all(step == value for step, value in got)
        if policy == "skip":
            assert 2 <= len(got) < 8 and hook.skipped == 8 - len(got)
        else:
            assert [step for step, _ in got] == list(range(8)) and (hook.grown > 0) == (policy == "grow")


class Kept:
    """Counts what it is given, and how."""

    def __init__(self):
        self.batches, self.steps = 0, []

    def observe(self, batch):
        self.batches += 1
        self.steps.extend(batch.steps)


def test_who_wants_few_steps_costs_nothing_at_the_others(device):
    few, hook = Kept(), Kept()
    Solver(device, final_time=0.1).run(on(few, step=10))
    assert few.steps == list(range(10, 101, 10)) and few.batches == 1, "they come together"
    schedule = on(beside(hook, slots=16), step=10)
    assert hasattr(schedule, "step") and not hasattr(schedule, "observe"), "who copies for itself gets frames, not batches"
    assert hasattr(beside(on(hook, step=10)), "step") and hasattr(beside(hook), "observe")
    Solver(device, final_time=0.1).run(schedule)
    assert hook.steps == list(range(10, 101, 10)) and hook.batches == 10
    # What several want, and what no number says.
    assert compose(on(few, step=10), on(few, step=15))._every == 5 and on(on(few, step=4), step=6)._every == 12
    assert on(few, time=0.1)._every == on(few, step=2, trigger="max(u) > 9")._every == compose(on(few, step=2), few)._every == 1
    assert on(few, step=3)._only_looks and not on(lambda frame: None, step=3)._only_looks


def test_a_script_that_wants_few_steps_gets_them_alone(burgers, tmp_path):
    script = """
from ferrocca.insitu import beside, on
steps = []
class Seen:
    def observe(self, batch): steps.extend(batch.steps)
    def finish(self, run): print("seen", steps)
hook = %s
"""
    for hook in "on(Seen(), step=25)", "beside(on(Seen(), step=25))":
        done = burgers("--final-time", 0.1, script=script % hook)
        assert done.returncode == 0 and "seen [25, 50, 75, 100]" in done.stdout, done.stdout + done.stderr


CHANGING = """
class Changing:
    _every, steps = 1, []
    def start(self, run): self._every = 4
    def step(self, frame):
        self.steps.append(frame.step)
        self._every = 10 if frame.step < 50 else 1 if frame.step < 53 else 25
    def finish(self, run): print("seen", self.steps)
hook = Changing()
"""


def test_a_hook_may_want_other_steps_after_each_call(burgers, device):
    expected = [4, 10, 20, 30, 40, 50, 51, 52, 53, 75, 100]
    space = {}
    exec(CHANGING, space)
    Solver(device, final_time=0.1).run(space["hook"])
    assert space["hook"].steps == expected
    done = burgers("--final-time", 0.1, script=CHANGING)
    assert done.returncode == 0 and f"seen {expected}" in done.stdout, done.stdout + done.stderr


def test_who_takes_any_steps_takes_those_of_the_others():
    hook = lambda every, **more: type("Hook", (), {"_every": every, "step": print, **more})()  # noqa: E731
    live = hook(64, _takes_any=True)
    assert compose(live)._every == 64 and compose(live, live)._takes_any
    assert compose(live, hook(10))._every == 10 and not compose(live, hook(10))._takes_any, "ten is often enough"
    assert compose(live, hook(1000))._every == 8 and compose(live, hook(1))._every == 1
    live._every = 4
    assert compose(compose(live), hook(10))._every == 2


def test_the_share_of_an_analysis_is_bounded():
    calls = []

    def slow(frame):
        calls.append(time.monotonic())
        time.sleep(0.01)

    hook = beside(slow, policy="skip", share=0.1)
    batch = type("Batch", (), {"steps": (1,), "times": (0.1,), "fields": {"u": Field(1)}})
    hook.start(None)
    count, end = 0, time.monotonic() + 1.0
    while time.monotonic() < end:
        hook.observe(batch)
        count += 1
        time.sleep(0.001)
    hook.finish(None)
    # Sleeps last longer on a busy machine, never shorter: of 100 at most 10, and the one that goes on at the end.
    assert 2 <= len(calls) <= 11 and hook.skipped == count - len(calls)
    assert min(later - earlier for earlier, later in zip(calls, calls[1:])) > 0.05, "evenly"


def test_while_an_analysis_rests_the_solver_does_not_stop_for_it():
    calls = []

    def slow(frame):
        calls.append(frame.step)
        time.sleep(0.01)

    hook = beside(on(slow, step=10), policy="skip", share=0.05)
    hook.start(None)
    step, stops, end = 0, 0, time.monotonic() + 1.0
    while time.monotonic() < end:
        step, stops = (step // hook._every + 1) * hook._every, stops + 1
        assert step % 10 == 0
        hook.step(type("Frame", (), {"step": step, "time": step / 10, "fields": {"u": Field(step)}}))
        time.sleep(2e-5 * hook._every)
    hook.finish(None)
    assert 2 <= len(calls) <= 6 and stops < step / 10 / 4, (calls, stops, step)
    # The first step that it was called for is where counting begins.
    assert abs(hook.skipped + len(calls) - step // 10) <= 1


def test_failures_beside_the_solver_stop_the_run_or_are_logged(caplog):
    def failing(frame):
        if frame.step == 3:
            raise ZeroDivisionError("three")

    with pytest.raises(ZeroDivisionError, match="three"):
        slow_batches(beside(failing))
    with pytest.raises(ZeroDivisionError):
        Solver(ferrocca.Device("Serial"), final_time=0.1).run(beside(failing))
    hook = beside(failing, on_error="log")
    with caplog.at_level(logging.ERROR, "ferrocca"):
        slow_batches(hook)
    assert hook.failed == 1 and "three" in caplog.text
    with pytest.raises(TypeError, match="cannot stop it"):
        slow_batches(beside(lambda frame: ferrocca.STOP))
    for wrong in {"slots": 0}, {"policy": "drop"}, {"on_error": "ignore"}, {"share": 0}, {"share": 0.5}:
        with pytest.raises(ValueError):
            beside(print, **wrong)


def test_a_hook_that_hangs_is_seen():
    release = threading.Event()
    before = time.monotonic()
    with pytest.raises(TimeoutError, match="limit of 0.1 s"):
        slow_batches(beside(lambda frame: release.wait(30), time_limit=0.1))
    assert time.monotonic() - before < 10
    release.set()


class Steer:
    def step(self, frame):
        if frame.step == 20:
            frame.set(nu=0.02, dt=0.0005)
        if frame.step % 30 == 0:
            frame.u[40:60] = 0.25
        if frame.step == 45:
            with frame.u.on_host() as u:
                u[1:-1] *= -1.0
        if frame.step == 50 and frame.u.in_place:
            frame.u.array()[100] = -0.0  # by a library, which tells nobody
        if frame.step == 90:
            return ferrocca.STOP


def test_a_run_that_is_replayed_with_its_log_has_the_same_bits(device, tmp_path):
    first, again, plain = (Solver(device, final_time=0.2) for _ in range(3))
    log = logged(Steer(), "acts.npz")
    assert first.run(log, output_dir=tmp_path) == "stopped"
    kinds = [(act["step"], act["kind"], act.get("name")) for act in log.acts]
    assert kinds[:3] == [(20, "parameter", "nu"), (20, "parameter", "dt"), (30, "field", "u")] and kinds[-1] == (90, "stop", None)
    steps = [step for step, kind, _ in kinds if kind == "field"]
    assert steps in ([30, 45, 50, 60, 90], [30, 45, 60, 90]) and (50 in steps or device.has_separate_memory_space)
    # From the file, and every step of it.
    rows = []
    assert again.run(compose(replayed(tmp_path / "acts.npz"), lambda frame: rows.append(frame.u.to_host()))) == "stopped"
    assert again.step_count == first.step_count == 90 and again.time == first.time
    assert again.u.to_host().tobytes() == first.u.to_host().tobytes()
    other = Solver(device, final_time=0.2)
    other.run(replayed(log))
    assert other.u.to_host().tobytes() == first.u.to_host().tobytes()
    plain.run(lambda frame: ferrocca.STOP if frame.step == 90 else None)
    assert plain.u.to_host().tobytes() != first.u.to_host().tobytes()
    with pytest.raises(TypeError, match="observes"):
        logged(POD())


@pytest.fixture
def server():
    """Serves `server.answers`, each once and the last one again; text is JSON, a number is a status."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            answers = self.server.answers
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
            self.server.asked += 1
            if answer == "hang":
                time.sleep(1)
                return
            status, body = (answer, b"") if isinstance(answer, int) else (200, json.dumps(answer).encode())
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked, server.url = 0, f"http://127.0.0.1:{server.server_address[1]}/forcing"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_data_from_the_network_steer_the_run(server):
    server.answers = [{"nu": 0.02}, {"nu": 0.03}]
    seen = []

    def apply(frame, value):
        frame.set(nu=value["nu"])
        seen.append(frame.parameters["nu"])
        time.sleep(0.002)

    pull = Pull(server.url, apply, interval=0.02, wait=10)
    Solver(ferrocca.Device("Serial"), final_time=0.1).run(pull)
    assert seen[0] == 0.02 and seen[-1] == 0.03 and len(seen) == 100 and pull.received >= 2
    asked = server.asked
    time.sleep(0.1)
    assert server.asked <= asked + 1, "nothing is fetched after the end"


def test_failures_keep_the_last_known_value(server):
    server.answers = [{"nu": 1.0}, 500, "hang", 404, {"nu": 2.0}]
    pull = Pull(server.url, interval=0.01, timeout=0.2, retries=1, pause=0.01, initial={"nu": 0.0})
    values = []
    pull.start()
    deadline = time.monotonic() + 20
    while pull.value != {"nu": 2.0}:
        assert time.monotonic() < deadline
        values.append(pull.value["nu"])
        time.sleep(0.005)
    pull.finish()
    assert set(values) <= {0.0, 1.0} and 1.0 in values and pull.failures >= 3 and pull.error is None and pull.age < 20
    server.answers = [503]
    with pytest.raises(TimeoutError, match="503"):
        Pull(server.url, pause=0.01, wait=0.5).start()
    with pytest.raises(ValueError, match="http"):
        Pull("file:///etc/passwd")

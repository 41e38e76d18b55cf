"""The live page: what it is sent, what it may do and who may ask; a run without a page pays nothing for it."""

import http.client
import importlib.resources
import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import threading
import time

import ferrocca
import numpy as np
import pytest
from ferrocca.burgers import Solver
from ferrocca.insitu import Live, compose

PAGE = importlib.resources.files("ferrocca.insitu").joinpath("live.html").read_text()


class Page:
    """What the page's script does, in Python."""

    def __init__(self, url):
        self.host, _, rest = url.removeprefix("http://").partition("/")
        self.token = rest.removeprefix("#")
        self.sequence = 0

    def request(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(self.host, timeout=20)
        connection.request(method, path, body, {"Host": self.host, **(headers or {})})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer, data

    def frame(self):
        """The next frame: its head, the field, the modes. None where none came in time."""
        answer, data = self.request("GET", f"/frame?after={self.sequence}")
        if answer.status == 204:
            return None
        (length,) = struct.unpack("<I", data[:4])
        head, numbers = json.loads(data[4 : 4 + length]), np.frombuffer(data[4 + length :], "<f4")
        assert len(numbers) == head["points"] + head["mode_points"] * head["modes"]
        self.sequence = head["sequence"]
        return head, numbers[: head["points"]], numbers[head["points"] :].reshape(head["modes"], -1)

    def until(self, condition):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            frame = self.frame()
            if frame and condition(frame[0]):
                return frame
        raise AssertionError("the page never saw it")

    def next(self):
        return self.until(lambda head: True)

    def command(self, what, token=None, **headers):
        headers["X-Token"] = self.token if token is None else token
        return self.request("POST", "/control", json.dumps(what), headers)[0].status


@pytest.fixture
def running():
    """A run in a thread with its page; it is stopped at the end."""
    runs = []

    def start(device="Serial", live=None, beside=None, **options):
        live = live or Live(announce=None)
        ready = threading.Event()
        after = compose(live, beside or (lambda frame: None), type("Ready", (), {"start": lambda self, run: ready.set()})())
        run = Solver(ferrocca.Device(device), final_time=1e5, **options).start(after)
        runs.append(run)
        assert ready.wait(30)
        return run, Page(live.url)

    yield start
    for run in runs:
        run.stop()
        run.result(30) if run._error is None else None


@pytest.mark.parametrize("device", ["Serial", "mode=OpenCL", "mode=WebGPU"])
def test_the_page_gets_frames(running, opened, device):
    opened(device)
    seen = {}
    run, page = running(device, beside=lambda frame: seen.__setitem__(frame.step, frame.u.to_host()[1:-1]) if frame.step < 300 else None)
    head, u, modes = page.next()
    for _ in range(4):
        later, *_ = page.next()
        assert later["step"] > head["step"] and later["sequence"] > head["sequence"]
    assert head["name"] == "burgers" and head["points"] == 256 and head["stride"] == 1 and head["parameters"]["nu"] == 0.01
    assert abs(head["time"] - 0.001 * head["step"]) < 1e-9 and np.abs(u).max() <= 1.001 and head["finite"]
    if head["step"] in seen:
        assert np.array_equal(u, seen[head["step"]].astype("f4"))
    assert modes.shape == (1, 256) and abs(np.linalg.norm(modes[0]) - 1) < 1e-5
    assert later["values"] == sorted(later["values"], reverse=True) and later["speed"] >= 0


def test_many_points_are_thinned(running):
    _, page = running(points=100_000, dt=1e-8)
    head, u, _ = page.next()
    assert head["total"] == 100_000 and head["field"] == "u"
    assert head["stride"] == 7 and head["points"] == len(u) == -(-100_000 // 7) and head["mode_points"] == -(-len(u) // 7)


def test_pause_steps_parameters_and_stop(running):
    run, page = running()
    page.next()
    assert page.command({"pause": True}) == 204
    paused, *_ = page.until(lambda head: head["paused"])
    step = run.progress.step
    assert page.frame() is None, "nothing new while it pauses"
    assert page.command({"step": 1}) == 204
    head, *_ = page.until(lambda head: head["step"] > paused["step"])
    assert head["step"] == paused["step"] + 1 and head["paused"]
    assert page.command({"step": 10}) == 204
    head, *_ = page.until(lambda head: head["step"] >= paused["step"] + 11)
    assert head["step"] == paused["step"] + 11
    assert page.command({"set": {"nu": 0.05}}) == 204
    head, *_ = page.until(lambda head: head["parameters"]["nu"] == 0.05)
    assert page.command({"set": {"nu": -1}}) == 204
    head, *_ = page.until(lambda head: head["message"])
    assert "nu must be at least 0, not -1" in head["message"] and head["parameters"]["nu"] == 0.05
    assert page.command({"pause": False}) == 204
    page.until(lambda head: head["step"] > paused["step"] + 100)
    assert not run.is_over and run.progress.step >= step
    kept = http.client.HTTPConnection(page.host, timeout=20)
    kept.request("GET", f"/frame?after={page.sequence}", headers={"Host": page.host})
    assert page.command({"stop": True}) == 204
    assert run.result(30) == "stopped"
    with pytest.raises(OSError):
        page.frame()
    # A connection that was open gets what was left, and then learns that the run is over.
    for _ in range(3):
        answer = kept.getresponse()
        answer.read()
        if answer.status == 410:
            break
        kept.request("GET", f"/frame?after={1 << 40}", headers={"Host": page.host})
    assert answer.status == 410 and answer.will_close


def test_who_may_ask(running):
    run, page = running()
    port = page.host.rpartition(":")[2]
    answer, data = page.request("GET", "/")
    assert answer.status == 200 and data.decode() == PAGE
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "connect-src 'self'" in policy and answer.headers["Cache-Control"] == "no-store"
    assert page.request("GET", "/", headers={"Host": f"localhost:{port}"})[0].status == 200
    for headers in {"Host": "evil.example"}, {"Host": f"evil.example:{port}"}, {"Origin": "http://evil.example"}, {"Origin": "null"}:
        for path in "/", "/frame?after=0":
            assert page.request("GET", path, headers=headers)[0].status == 403, headers
        assert page.command({"stop": True}, **headers) == 403, headers
    assert page.command({"stop": True}, token="") == 403 and page.command({"stop": True}, token=page.token[:-1]) == 403
    assert page.command([1]) == 400 and page.request("POST", "/control", "{", {"X-Token": page.token})[0].status == 400
    assert page.request("GET", "/etc/passwd")[0].status == 404
    assert page.command({"pause": True}, Origin=f"http://{page.host}") == 204, "its own page"
    page.until(lambda head: head["paused"])
    assert not run.is_over
    run.stop()
    assert run.result(30) == "interrupted", "a pause ends with its run"


def test_nothing_is_taken_that_nobody_asks_for():
    taken = []

    class Field:
        name, device, in_place = "u", "cpu", True

        def array(self):
            taken.append(1)
            return np.zeros(10)

    frame = type("Frame", (), {"step": 1, "time": 0.1, "fields": {"u": Field()}, "parameters": {}})()
    live = Live(announce=None)
    live.start(type("Run", (), {"parameters": {}, "name": "x", "mode": "m", "device": "d"}))
    before = time.thread_time()  # whatever else the machine does
    for frame.step in range(1, 100_001):
        live.step(frame)
    seconds = time.thread_time() - before
    assert not taken and seconds < 1.0, seconds
    # One request, one frame, however many steps follow.
    asked = threading.Thread(target=Page(live.url).next)
    asked.start()
    while asked.is_alive():
        frame.step += 1
        live.step(frame)
    for frame.step in range(200_000, 200_100):
        live.step(frame)
    assert len(taken) == 1
    live.finish(None)


def test_the_solver_is_not_stopped_more_often_than_is_looked(running):
    live, calls = Live(announce=None), []
    step = live.step
    live.step = lambda frame: calls.append(frame.step) or step(frame)
    run = Solver(ferrocca.Device("Serial"), dt=1e-9, final_time=1e5).start(live)
    deadline = time.monotonic() + 30
    while live._every < 1024 and time.monotonic() < deadline:
        time.sleep(0.05)
    page = Page(live.url)
    page.next()
    before = len(calls)
    time.sleep(1.0)
    assert len(calls) - before < 500 and calls[-1] - calls[before] > 100 * (len(calls) - before), "some hundred times a second"
    # A pause is exact nevertheless.
    page.command({"pause": True})
    paused = page.until(lambda head: head["paused"])[0]["step"]
    for k in range(1, 4):
        page.command({"step": 1})
        assert page.until(lambda head: head["step"] > paused + k - 1)[0]["step"] == paused + k
    run.stop()
    assert run.result(30) == "interrupted"


def test_the_page_is_small_and_asks_nobody_else():
    assert len(PAGE.encode()) < 100_000
    assert not re.search(r"https?://|//[a-z]|\bimport\b|@import|src=", PAGE)
    # What the script looks up is there.
    ids = set(re.findall(r'id="([a-z]+)"', PAGE))
    assert set(re.findall(r'\$\("([a-z]+)"\)', PAGE)) <= ids


SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "examples" / "insitu" / "live.py"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


@pytest.mark.parametrize("way", ["--live", "--live PORT", "--live beside a script", "--insitu live.py"])
def test_the_program_serves_the_page(program, tmp_path, way):
    (tmp_path / "other.py").write_text("def step(frame): pass\ndef finish(run): print('the other one', run.nu)\n")
    port = str(free_port())
    arguments = {
        "--live": ["--live"],
        "--live PORT": ["--live", port],
        "--live beside a script": ["--insitu", tmp_path / "other.py", "--every", "3", "--live"],
        "--insitu live.py": ["--insitu", SCRIPT],
    }[way]
    environment = {**os.environ, "FERROCCA_PYTHON": sys.executable}
    command = [program, "--device", "Serial", "--final-time", "1e6", *arguments]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        url = next(line.split()[1] for line in process.stdout if line.startswith("live: "))
        assert way != "--live PORT" or f":{port}/" in url
        page = Page(url)
        page.command({"set": {"nu": 0.02}})
        page.until(lambda head: head["parameters"]["nu"] == 0.02)
        assert page.command({"stop": True}) == 204
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0 and "stopped by the script" in err and "u[10] = " in out
    assert way != "--live beside a script" or "the other one 0.02" in out


def test_a_port_that_is_taken_or_none_is_told(burgers):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = burgers("--live", port)
    assert done.returncode == 1 and f"127.0.0.1:{port}" in done.stderr, done.stderr
    assert burgers("--live", "70000").returncode == 2

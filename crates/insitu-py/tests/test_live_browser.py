"""The live page in a browser: every control is clicked, and what it does to the run is seen on the page and in the run.

Chromium is driven by its driver, over HTTP as the WebDriver standard has it. Both are Debian's packages `chromium` and
`chromium-driver`; `FERROCCA_REQUIRE_LIBRARIES=chromium` fails where they are missing. `FERROCCA_LIVE_PICTURE=FILE.png` keeps a
picture of the page."""

import base64
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import threading
import time
import urllib.error
import urllib.request

import ferrocca
import pytest
from conftest import promised
from ferrocca.burgers import Solver
from ferrocca.insitu import Live, compose

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the standard's name of a reference to an element
PATIENCE = 30.0
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1100,860", "--hide-scrollbars"]


class Browser:
    """A session of a driver that listens on a port."""

    def __init__(self, port, binary, profile):
        self._root = f"http://127.0.0.1:{port}"
        options = {"binary": binary, "args": [*FLAGS, f"--user-data-dir={profile}"]}
        session = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}})
        self._root += "/session/" + session["sessionId"]

    def _ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._root + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.read().decode()}") from None

    def open(self, url):
        self._ask("POST", "/url", {"url": "about:blank"})
        self._ask("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self._ask("POST", "/execute/sync", {"script": script, "args": arguments})

    def text(self, name):
        return self.run("return document.getElementById(arguments[0]).textContent", name)

    def click(self, name):
        element = self._ask("POST", "/element", {"using": "css selector", "value": f"#{name}"})[ELEMENT]
        self._ask("POST", f"/element/{element}/click", {})

    def point_at(self, name, x):
        """Moves the pointer over an element, `x` from -1 at its left to 1 at its right."""
        element = self._ask("POST", "/element", {"using": "css selector", "value": f"#{name}"})
        width = self.run("return arguments[0].clientWidth", element)
        move = {"type": "pointerMove", "duration": 0, "origin": element, "x": int(x * width / 2.01), "y": 0}
        self._ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move]}]})

    def slide(self, name, value):
        self.run(
            "const e = document.getElementById(arguments[0]); e.value = arguments[1];"
            "for (const kind of ['input', 'change']) e.dispatchEvent(new Event(kind, {bubbles: true}));",
            name,
            value,
        )

    def until(self, condition, what):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if answer := condition():
                return answer
            time.sleep(0.05)
        raise AssertionError(f"the page never showed {what}: {self.run('return document.body.innerText')}")

    def errors(self):
        """What the page's script complained of."""
        entries = self._ask("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]

    def picture(self):
        return base64.b64decode(self._ask("GET", "/screenshot"))

    def close(self):
        with contextlib.suppress(OSError, AssertionError):
            self._ask("DELETE", "")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    driver = shutil.which("chromedriver")
    binary = shutil.which("chromium") or shutil.which("google-chrome")
    if driver is None or binary is None:
        text = "there is no Chromium with its driver (Debian: chromium, chromium-driver)"
        if promised("FERROCCA_REQUIRE_LIBRARIES", "chromium"):
            pytest.fail(text)
        pytest.skip(text)
    directory = tmp_path_factory.mktemp("chromium")
    with subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            line = next(line for line in process.stdout if "successfully on port" in line)
            port = int(line.rpartition("on port")[2].strip(" .\n"))
            # Its further lines are read, so that it does not wait for a reader.
            threading.Thread(target=process.stdout.read, daemon=True).start()
            browser = Browser(port, binary, directory)
            yield browser
            browser.close()
        finally:
            process.terminate()


@pytest.fixture
def run(request):
    """A run with its page. It is stopped at the end."""
    live, ready = Live(announce=None), threading.Event()
    hook = compose(live, type("Ready", (), {"start": lambda self, run: ready.set(), "step": lambda self, frame: time.sleep(2e-4)})())
    run = Solver(ferrocca.Device("Serial"), points=1000, dt=1e-5, final_time=1e5).start(hook)
    assert ready.wait(30)
    yield run, live
    if not run.is_over:
        run.stop()
    run.result(30)


def number(text):
    return float(text.replace(",", "").replace("–", "nan"))


def test_every_control_does_what_it_says(browser, run):
    run, live = run
    browser.open(live.url)
    browser.until(lambda: browser.text("step") not in ("–", "0"), "a step")
    assert browser.text("name") == "burgers" and browser.text("where").startswith("Serial")
    first = number(browser.text("step"))
    browser.until(lambda: number(browser.text("step")) > first + 10, "that the run goes on")
    browser.until(lambda: number(browser.text("speed")) > 0, "steps a second")
    assert "MiB" in browser.text("memory")

    # Something was drawn on each of the four, and not the same.
    drawn = """return ['field', 'values', 'history', 'modes'].map(id => {
        const canvas = document.getElementById(id), picture = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let at = 3; at < picture.data.length; at += 4) count += picture.data[at] > 0;
        return [count / canvas.width, canvas.toDataURL()];
    })"""
    counts, pictures = zip(*browser.run(drawn))
    assert len(set(pictures)) == 4
    # Curves have a pixel and more in each column, bars and space-time are areas.
    assert counts[0] > 1 and counts[1] > 10 and counts[2] > 100 and counts[3] > 1, counts
    assert browser.text("what") == "u" and browser.text("legend").startswith("1: ") and "%" in browser.text("legend")

    # The value under the cursor.
    browser.point_at("field", 0.5)
    shown = browser.until(lambda: "x = " in browser.text("cursor") and browser.text("cursor"), "a value under the cursor")
    point = int(shown.split(",")[0].removeprefix("point "))
    # Where the pointer is within the axes.
    width = browser.run("return document.getElementById('field').clientWidth")
    inside = (0.75 * width - browser.run("return LEFT")) / (width - browser.run("return LEFT + RIGHT"))
    assert abs(point / 999 - inside) < 0.02 and -1.1 < number(shown.rpartition(":")[2]) < 0, shown

    # Pause, single steps, resume.
    browser.click("pause")
    browser.until(lambda: browser.text("name").endswith("(paused)") and browser.text("pause") == "resume", "the pause")
    held = number(browser.text("step"))
    time.sleep(0.3)
    assert number(browser.text("step")) == held and browser.text("speed") == "0"
    browser.click("one")
    browser.until(lambda: number(browser.text("step")) == held + 1, "one step more")
    browser.click("ten")
    browser.until(lambda: number(browser.text("step")) == held + 11, "ten steps more")

    # Parameters.
    browser.slide("slider-nu", 0.5)
    browser.until(lambda: abs(number(browser.text("shown-nu")) - 0.01 * 10**0.5) < 1e-6, "the new viscosity")
    browser.slide("slider-dt", 2)
    browser.until(lambda: abs(number(browser.text("shown-dt")) - 1e-3) < 1e-9 or browser.text("message"), "the new time step, or why not")

    # Logarithm, and earlier frames.
    linear = browser.run("return document.getElementById('field').toDataURL()")
    browser.click("log")
    browser.until(lambda: browser.run("return document.getElementById('field').toDataURL()") != linear, "the logarithm")
    browser.click("log")
    browser.click("hold")
    assert browser.run("show(); const before = held.range; show(); return before === held.range"), "the range is held"
    browser.click("hold")
    assert browser.run("const before = held.range; show(); return before !== held.range")
    last = browser.run("return +document.getElementById('scrub').max")
    assert last >= 5
    browser.slide("scrub", 1)
    earlier = browser.until(lambda: number(browser.text("step")) < held and number(browser.text("step")), "an earlier frame")
    browser.slide("scrub", last)
    browser.until(lambda: number(browser.text("step")) > earlier, "the newest frame")

    browser.slide("slider-dt", 0)
    browser.click("pause")
    browser.until(lambda: number(browser.text("step")) > held + 30, "that the run goes on")
    if kept := os.environ.get("FERROCCA_LIVE_PICTURE"):
        time.sleep(1)
        browser.point_at("field", -0.4)
        time.sleep(0.3)
        pathlib.Path(kept).write_bytes(browser.picture())
    assert browser.errors() == []
    browser.click("stop")
    assert run.result(PATIENCE) == "stopped"
    browser.until(lambda: "over" in browser.text("message"), "that the run is over")


def test_without_the_token_the_page_only_looks(browser, run):
    run, live = run
    browser.open(live.url.partition("#")[0])
    browser.until(lambda: browser.text("step") not in ("–", "0"), "a step")
    controls = browser.run("return ['pause', 'one', 'ten', 'stop', 'slider-nu', 'slider-dt'].map(id => document.getElementById(id).disabled)")
    assert controls == [True] * 6
    # What a page without it asks for by its own script is refused too.
    status = browser.run("return fetch('/control', {method: 'POST', body: '{\"stop\": true}'}).then(answer => answer.status)")
    assert status == 403 and not run.is_over


def test_a_page_that_is_slow_holds_up_nobody(browser, run):
    """Back-pressure: a frame is made when the page asks for one, and it asks when it has drawn the one before."""
    run, live = run
    browser.open(live.url)
    browser.until(lambda: browser.text("step") not in ("–", "0"), "a step")
    before, sequence = run.progress.step, live._sequence
    browser.run("const end = performance.now() + 1500; while (performance.now() < end);")
    assert live._sequence - sequence <= 4, "frames that nobody draws are not made"
    assert run.progress.step > before, "the run went on"
    shown = number(browser.text("step"))
    browser.until(lambda: number(browser.text("step")) > shown, "the newest frame")

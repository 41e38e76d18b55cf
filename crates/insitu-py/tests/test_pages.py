"""The Python of the pages: what a reader copies from `docs/` and from the package's page runs."""

import http.server
import pathlib
import re
import textwrap
import threading

import ferrocca
import ferrocca.burgers
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = "crates/insitu-py/README.md"


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    """What a page's program writes is left in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def block(page, start):
    """The block of Python of a page that holds `start`."""
    blocks = re.findall(r"^ *```python\n(.*?)^ *```", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    found = [text for text in map(textwrap.dedent, blocks) if start in text]
    assert len(found) == 1, f"{page} has {len(found)} blocks of Python with {start!r}"
    return found[0]


@pytest.mark.parametrize("page", ["docs/guide.md", PACKAGE])
def test_a_kernel_runs(page):
    names = {}
    exec(block(page, "device.build_kernel_from_string"), names)
    assert (names["x"] == 2).all()


def test_arrays_are_computed_and_reduced(capsys):
    exec(block(PACKAGE, "import ferrocca as fc"), {})
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.parametrize(
    ("page", "start"),
    [
        ("docs/tasks.md", "return ferrocca.STOP"),
        (PACKAGE, 'print("points:"'),
        (PACKAGE, "batch.steps[-1]"),
        (PACKAGE, "else frame.u.to_host()"),
        (PACKAGE, "frame.u.on_host()"),
    ],
)
def test_scripts_run_beside_the_program(burgers, page, start):
    done = burgers("--points", 64, "--final-time", 1.5, "--dt", 5e-4, "--nu", 0.05, script=block(page, start))
    assert done.returncode == 0, done.stderr


class Station(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"nu": 0.03}')

    def log_message(self, *_):
        pass


def test_hooks_are_put_together():
    server = http.server.HTTPServer(("127.0.0.1", 0), Station)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def steer(frame):
        frame.u[3:5] = 0.25

    solver, other = (ferrocca.burgers.Solver(ferrocca.Device("Serial"), final_time=0.05) for _ in range(2))
    text = block(PACKAGE, "streaming SVD").replace("http://station/forcing", f"http://127.0.0.1:{server.server_port}")
    first, second = text.split("log = ")
    names = {"ferrocca": ferrocca, "solver": solver, "steer": steer, "other": other}
    try:
        exec(first, names)
    finally:
        server.shutdown()
    assert names["pod"].values[0] > 0
    names["solver"] = ferrocca.burgers.Solver(ferrocca.Device("Serial"), final_time=0.05)
    exec("log = " + second, names)
    assert np.array_equal(names["solver"].u.to_host(), names["other"].u.to_host())

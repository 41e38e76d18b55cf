"""The program that runs a script beside the solver, from outside: results, steering, ends of every kind."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import reference


COLLECT = """
import os, numpy as np
rows, moments = [], []
def step(frame):
    rows.append(frame.u.array().copy())
    moments.append((frame.step, frame.time))
def finish(run):
    np.savez(os.path.join(run.output_dir, "rows.npz"), rows=rows, moments=moments)
"""


@pytest.mark.parametrize("device", ["mode=Serial", "{mode: 'CPU', threads: 2}"])
def test_every_snapshot_is_that_of_numpy(burgers, tmp_path, device):
    done = burgers("--output", tmp_path, script=COLLECT, device=device)
    assert done.returncode == 0, done.stderr
    assert "u[10] = 0.0733873" in done.stdout
    made = np.load(tmp_path / "rows.npz")
    expected = reference.solve()
    assert made["rows"].shape == expected.shape == (2001, 258)
    assert np.abs(made["rows"] - expected).max() < 1e-12
    assert made["moments"][:, 0].tolist() == list(range(1, 2002))
    assert np.allclose(made["moments"][:, 1], 0.001 * np.arange(1, 2002))


def test_every_and_precision(burgers, tmp_path):
    # Before the shock, where rounding does not grow.
    arguments = "--every", 250, "--precision", "f32", "--points", 64, "--final-time", 0.75
    done = burgers(*arguments, "--output", tmp_path, script=COLLECT)
    assert done.returncode == 0, done.stderr
    made = np.load(tmp_path / "rows.npz")
    assert made["moments"][:, 0].tolist() == [250, 500, 750] and made["rows"].dtype == np.float32
    assert np.abs(made["rows"] - reference.solve(points=64)[249:750:250]).max() < 1e-4


def test_steering_changes_the_next_step(burgers, tmp_path):
    script = COLLECT + "\ncollect = step\ndef step(frame):\n    collect(frame)\n    frame.u.array()[:] = 0.25\n"
    assert burgers("--final-time", 0.01, "--output", tmp_path, script=script).returncode == 0
    rows = np.load(tmp_path / "rows.npz")["rows"]
    assert not np.all(rows[0] == 0.25) and np.all(rows[1:] == 0.25), "a constant field is a steady state"


def test_stop(burgers, tmp_path):
    script = (
        "import ferrocca\n"
        "def step(frame):\n    if frame.step == 7: return ferrocca.STOP\n"
        "def finish(run): print('finished', run.nu)\n"
    )
    done = burgers(script=script)
    assert done.returncode == 0 and "finished 0.01" in done.stdout and "step 7" in done.stderr + done.stdout


def test_an_exception_ends_the_run_with_its_traceback(burgers, tmp_path):
    script = "def step(frame):\n    if frame.step == 3: raise RuntimeError('enough')\ndef finish(run): print('no')\n"
    done = burgers("--output", tmp_path / "out", script=script)
    assert done.returncode == 1 and "no" not in done.stdout.splitlines()
    for part in "after step 3", "Traceback (most recent call last)", "line 2, in step", "RuntimeError: enough":
        assert part in done.stderr
    assert list((tmp_path / "out").iterdir()) == [], "nothing half-written"


def test_output_of_script_and_program_stays_in_order(burgers):
    script = "print('loading')\ndef start(run): print('starting')\ndef finish(run): print('finishing')\n"
    lines = burgers("--final-time", 0.01, script=script).stdout.splitlines()
    places = [next(i for i, line in enumerate(lines) if line.startswith(w)) for w in ("loading", "starting", "finishing", "mean")]
    assert places == sorted(places), lines


@pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")
def test_ctrl_c_ends_the_step_and_finish_runs(program, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import os, time\n"
        "def step(frame):\n"
        "    if frame.step == 1: print('running')\n"
        "    time.sleep(0.001)\n"
        "def finish(run): print('finished')\n"
    )
    command = [program, "--device", "mode=Serial", "--final-time", "1e6", "--insitu", script]
    environment = {**os.environ, "FERROCCA_PYTHON": sys.executable}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        for line in running.stdout:
            if line.startswith("running"):
                break
        time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert "finished" in out and "Traceback" not in err and "interrupted at step" in err


def test_without_the_package_the_remedy_is_named(burgers, tmp_path):
    plain = tmp_path / "plain"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", plain], check=True)
    python = plain / ("Scripts/python.exe" if os.name == "nt" else "bin/python3")
    # Whoever runs these tests may name the package's directory there.
    done = burgers(script=COLLECT, env={"FERROCCA_PYTHON": str(python), "PYTHONPATH": ""})
    assert done.returncode == 1
    assert "`ferrocca` is not installed" in done.stderr and f"{python} -m pip install ./crates/insitu-py" in done.stderr


def test_without_numpy_the_remedy_is_named(burgers, tmp_path):
    import ferrocca

    plain = tmp_path / "plain"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", plain], check=True)
    python = plain / ("Scripts/python.exe" if os.name == "nt" else "bin/python3")
    packages = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()
    os.symlink(pathlib.Path(ferrocca.__file__).parent, pathlib.Path(packages) / "ferrocca")
    # The environment of a script is the virtual environment's, not that of the Python below it.
    script = "import sys\ndef start(run): print(sys.prefix)\ndef step(frame): frame.u.array()\n"
    done = burgers(script=script, env={"FERROCCA_PYTHON": str(python)})
    assert done.returncode == 1 and str(plain) in done.stdout
    assert "No module named 'numpy'" in done.stderr and f"{python} -m pip install numpy" in done.stderr
    # What needs no NumPy works without it.
    script = "def step(frame): memoryview(frame.u)[0] = 0.5\ndef finish(run): print('done')\n"
    done = burgers("--final-time", 0.01, script=script, env={"FERROCCA_PYTHON": str(python)})
    assert done.returncode == 0 and "done" in done.stdout, done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="ldd is Linux's")
def test_the_program_links_no_python(program):
    linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    assert "python" not in linked.lower()

"""The stubs say what the package has: mypy's stubtest compares them, mypy checks what users write with them."""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys

import ferrocca
import pytest
from conftest import promised

PACKAGE = pathlib.Path(ferrocca.__file__).parent
TYPING = pathlib.Path(__file__).parent / "typing"


@pytest.fixture
def mypy(tmp_path):
    """Runs a program of mypy's; it finds the package where Python does."""
    if importlib.util.find_spec("mypy") is None:
        if promised("FERROCCA_REQUIRE_LIBRARIES", "mypy"):
            pytest.fail("mypy was promised")
        pytest.skip("mypy is not installed")

    def run(program, *arguments):
        environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent), "MYPY_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-m", program, *map(str, arguments)]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout + done.stderr

    return run


def test_the_stubs_are_those_of_the_package(mypy):
    files = ("--mypy-config-file", TYPING / "mypy.ini", "--allowlist", TYPING / "allowed.txt")
    code, text = mypy("mypy.stubtest", "ferrocca", "--ignore-missing-stub", "--concise", "--ignore-unused-allowlist", *files)
    assert code == 0, text


def test_what_users_write_is_accepted(mypy):
    code, text = mypy("mypy", "--strict", TYPING / "uses.py")
    assert code == 0, text


def test_pyright_accepts_them_too(tmp_path):
    """The package `pyright` brings a Node.js of its own where there is none; `FERROCCA_REQUIRE_LIBRARIES=pyright` promises it."""
    program = shutil.which("pyright", path=os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", "")]))
    if program is None:
        if promised("FERROCCA_REQUIRE_LIBRARIES", "pyright"):
            pytest.fail("pyright was promised")
        pytest.skip("pyright is not installed")
    shutil.copy(TYPING / "uses.py", tmp_path)
    # As sources, which are looked at more closely than what is installed.
    shutil.copytree(PACKAGE, tmp_path / "stubs", ignore=shutil.ignore_patterns("*.py", "*.so", "*.pyd", "__pycache__"))
    settings = {"pythonVersion": "3.11", "typeCheckingMode": "strict", "extraPaths": [str(PACKAGE.parent)], "include": ["uses.py", "stubs"]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [program, "--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_wrong_uses_are_seen(mypy, tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "from ferrocca.insitu import POD, beside, on\n"
        "POD(rank='many')\n"
        "beside(POD(), policy='never')\n"
        "on(POD(), every=3)\n"
        "POD().values = 3\n"
    )
    code, text = mypy("mypy", "--strict", wrong)
    assert code == 1, text
    for line in (2, 3, 4, 5):
        assert f"wrong.py:{line}: error" in text, text

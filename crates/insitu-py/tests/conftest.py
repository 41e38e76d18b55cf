"""What tests share: the Burgers program as its users run it, devices that may be absent, array libraries."""

import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

import ferrocca
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def program():
    """The built `burgers` example: that of `FERROCCA_BURGERS`, else built here with cargo."""
    named = os.environ.get("FERROCCA_BURGERS")
    if named:
        return named
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("there is no cargo to build the program with, and FERROCCA_BURGERS names none")
    command = [cargo, "build", "--quiet", "--example", "burgers", "--message-format", "json"]
    # What maturin or a test of the extension sets for its build would make this one build everything again.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYO3_")}
    built = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    messages = (json.loads(line) for line in built.stdout.splitlines())
    paths = [m["executable"] for m in messages if m.get("executable") and m["target"]["name"] == "burgers"]
    assert paths, built.stdout
    return paths[-1]


@pytest.fixture
def burgers(program, tmp_path):
    """Runs the program with the Python of these tests; returns the completed process."""

    def run(*arguments, script=None, device="mode=Serial", **options):
        if script is not None:
            path = tmp_path / "script.py"
            path.write_text(script)
            arguments = (*arguments, "--insitu", path)
        environment = {**os.environ, "FERROCCA_PYTHON": sys.executable, **options.pop("env", {})}
        return subprocess.run(
            [program, "--device", device, *map(str, arguments)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            **options,
        )

    return run


def promised(variable, name):
    """Whether an environment variable, a list of names, promises one: its absence is then a failure, not a note."""
    return name.lower() in os.environ.get(variable, "").lower().replace(" ", "").split(",")


def open_device(properties):
    mode = properties.partition(",")[0].removeprefix("mode=")
    try:
        return ferrocca.Device(properties)
    except ferrocca.Error as error:
        if promised("FERROCCA_REQUIRE_DEVICES", mode):
            pytest.fail(f"{mode} was promised: {error}")
        pytest.skip(str(error))


@pytest.fixture
def opened():
    """Opens the device of properties that begin with `mode=`. Where there is none the test is skipped, unless
    `FERROCCA_REQUIRE_DEVICES` promises the mode."""
    return open_device


@pytest.fixture
def opened_on_host():
    """As `opened`, for tests whose kernels use memory of the host in place. Of OpenCL that is a processor: the default device
    may be a GPU. Where there is none the test is skipped and says so."""

    def open_on_host(properties):
        if not properties.startswith("mode=OpenCL"):
            return open_device(properties)
        try:
            device = ferrocca.Device(f"{properties}, type=cpu")
        except ferrocca.Error as error:
            open_device(properties)  # which fails where the mode was promised and is not there
            pytest.skip(f"no OpenCL device on a processor: {error}")
        if device.malloc(1).device != "cpu":
            pytest.skip("this OpenCL device has memory of its own")
        return device

    return open_on_host


@pytest.fixture(scope="session")
def cuda():
    """A CUDA device, or none as with `opened`."""
    return open_device("mode=CUDA")


@pytest.fixture(scope="session")
def pyopencl():
    """PyOpenCL, or none as with `library`."""
    try:
        return importlib.import_module("pyopencl")
    except ImportError as error:
        if promised("FERROCCA_REQUIRE_LIBRARIES", "pyopencl"):
            raise
        pytest.skip(f"pyopencl: {error}")


@pytest.fixture(scope="session")
def library(request, cuda):
    """The array library that the test's parameter names. Without it the test is skipped, unless
    `FERROCCA_REQUIRE_LIBRARIES` promises it."""
    import gpu_libraries

    try:
        return gpu_libraries.load(request.param)
    except ImportError as error:
        if promised("FERROCCA_REQUIRE_LIBRARIES", request.param):
            raise
        pytest.skip(f"{request.param}: {error}")


def pytest_generate_tests(metafunc):
    if "library" in metafunc.fixturenames:
        marker = metafunc.definition.get_closest_marker("libraries")
        names = marker.args if marker else ("cupy", "torch", "numba", "jax")
        metafunc.parametrize("library", names, indirect=True)


def pytest_configure(config):
    config.addinivalue_line("markers", "libraries(*names): the array libraries that the test is run with")

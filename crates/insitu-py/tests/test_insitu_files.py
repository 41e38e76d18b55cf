"""Frames in files: what was written is read back, runs go on in the same file, and killed ones leave whole frames."""

import base64
import os
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

import ferrocca
import numpy as np
import pytest
from ferrocca.burgers import Solver
from ferrocca.insitu import HDF5, VTK, NetCDF, Pictures, Zarr, compose, on
from ferrocca.insitu._pictures import spectrum


def read_hdf5(path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "r", swmr=True) as file:
        return {name: file[name][:] for name in ("step", "time", "u")} | {"nu": file.attrs["nu"]}


def read_netcdf(path):
    netCDF4 = pytest.importorskip("netCDF4")
    with netCDF4.Dataset(path) as file:
        whole = ~np.ma.getmaskarray(file["step"][:])
        return {name: np.asarray(file[name][:][whole]) for name in ("step", "time", "u")} | {"nu": file.getncattr("nu")}


def read_zarr(path):
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(path, mode="r")
    whole = np.flatnonzero(group["step"][:] >= 0)
    return {name: group[name][:][whole] for name in ("step", "time", "u")} | {"nu": group.attrs["nu"]}


def read_vtk(path):
    frames, times = [], []
    for entry in xml.parse(path).iter("DataSet"):
        times.append(float(entry.get("timestep")))
        image = xml.parse(os.path.join(os.path.dirname(path), entry.get("file"))).getroot()[0]
        (array,) = image.iter("DataArray")
        data = base64.b64decode(array.text)
        assert int.from_bytes(data[:8], "little") == len(data) - 8 and array.get("type") == "Float64"
        frames.append((int(entry.get("file")[-12:-4]), np.frombuffer(data[8:], "<f8")))
        assert image.get("WholeExtent") == f"0 {len(frames[-1][1]) - 1} 0 0 0 0" == image[0].get("Extent")
        assert float(image.get("Spacing").split()[0]) == pytest.approx(2 * np.pi / 256)
    return {"step": np.array([f[0] for f in frames]), "time": np.array(times), "u": np.array([f[1] for f in frames]), "nu": 0.01}


FORMATS = {"h5": (HDF5, read_hdf5, "h5py"), "nc": (NetCDF, read_netcdf, "netCDF4"), "zarr": (Zarr, read_zarr, "zarr"), "pvd": (VTK, read_vtk, None)}


@pytest.fixture(params=FORMATS)
def file_format(request):
    _, _, library = FORMATS[request.param]
    if library:
        pytest.importorskip(library)
    return request.param


@pytest.fixture(scope="module")
def expected():
    rows = {}
    Solver(ferrocca.Device("Serial"), final_time=0.1).run(lambda frame: rows.__setitem__(frame.step, frame.u.to_host()[1:-1]))
    return rows


def check(made, expected, steps):
    assert made["step"].tolist() == list(steps) and np.allclose(made["time"], 0.001 * np.array(steps))
    assert np.array_equal(made["u"], [expected[step] for step in steps]) and made["nu"] == 0.01


@pytest.mark.parametrize("device", ["Serial", "mode=OpenCL", "mode=WebGPU", "mode=CUDA"])
def test_frames_are_read_back(opened, tmp_path, expected, file_format, device):
    device = opened(device)
    if device.mode == "CUDA":
        pytest.importorskip("cupy")
    writer, read, _ = FORMATS[file_format]
    hook = on(writer(f"run.{file_format}"), step=10)
    Solver(device, final_time=0.1).run(hook, output_dir=tmp_path)
    check(read(str(tmp_path / f"run.{file_format}")), expected, range(10, 101, 10))


def test_a_run_goes_on_in_the_same_file(tmp_path, expected, file_format):
    writer, read, _ = FORMATS[file_format]
    device, name = ferrocca.Device("Serial"), f"run.{file_format}"

    def run(final_time, resume):
        Solver(device, final_time=final_time).run(on(writer(name, resume=resume), step=10), output_dir=tmp_path)
        return read(str(tmp_path / name))

    check(run(0.05, True), expected, range(10, 51, 10))
    # From the beginning: what was there is replaced. From step 40 on: what was there until then stays.
    check(run(0.03, True), expected, range(10, 31, 10))
    check(run(0.0701, True), expected, range(10, 71, 10))
    solver = Solver(device, final_time=0.1)
    solver.step(35)
    solver.run(on(writer(name, resume=True), step=10), output_dir=tmp_path)
    check(read(str(tmp_path / name)), expected, range(10, 101, 10))
    check(run(0.02, False), expected, [10, 20])


KILLED = """
import sys, ferrocca
from ferrocca.burgers import Solver
from ferrocca.insitu import *
device = ferrocca.Device("Serial")
writer = eval(sys.argv[1])(sys.argv[2], resume=True)
written = 0
def tell(frame):
    print(frame.step, flush=True)
Solver(device, final_time=1e3).run(compose(on(writer, step=10), on(tell, step=10)), output_dir=sys.argv[3])
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")
def test_a_killed_run_leaves_every_frame_that_it_had(tmp_path, expected, file_format):
    writer, read, _ = FORMATS[file_format]
    name = f"run.{file_format}"
    for wait in 0.05, 0.1, 0.15:
        command = [sys.executable, "-c", KILLED, writer.__name__, name, str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                if int(line) >= 50:
                    break
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
            told = [int(line) for line in process.stdout if line.endswith("\n") and line.strip()]
        last = told[-1] if told else 50
        # In a process of its own, which knows nothing of the file.
        script = f"import sys; sys.path.insert(0, {str(os.path.dirname(__file__))!r}); import test_insitu_files as t\n"
        script += f"made = t.{read.__name__}({str(tmp_path / name)!r}); print(made['step'][-1], len(made['step']), len(made['u']))\n"
        out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
        assert out.returncode == 0, out.stderr
        made_last, count, rows = map(int, out.stdout.split())
        assert made_last >= last and made_last == 10 * count and rows >= count, (made_last, last, count, rows)
    # And the next run goes on in it.
    Solver(ferrocca.Device("Serial"), final_time=0.1).run(on(writer(name, resume=True), step=10), output_dir=tmp_path)
    check(read(str(tmp_path / name)), expected, range(10, 101, 10))


def test_netcdf_has_the_attributes_of_cf(tmp_path):
    netCDF4 = pytest.importorskip("netCDF4")
    Solver(ferrocca.Device("Serial"), final_time=0.01).run(NetCDF("run.nc", units={"u": "m s-1", "time": "s"}), output_dir=tmp_path)
    with netCDF4.Dataset(tmp_path / "run.nc") as file:
        assert file.Conventions == "CF-1.11" and file.data_model == "NETCDF4" and file["u"].dimensions == ("time", "x")
        assert (file["u"].units, file["time"].units, file["x"].units, file["x"].axis, file["time"].axis) == ("m s-1", "s", "1", "X", "T")
        assert np.allclose(file["x"][:], 2 * np.pi / 256 * np.arange(256)) and file["u"].filters()["zlib"]
        assert all(hasattr(variable, "long_name") for variable in file.variables.values())


def test_netcdf_is_complete_while_the_run_goes_on_and_one_file_in_the_end(tmp_path, monkeypatch):
    netCDF4 = pytest.importorskip("netCDF4")
    seen = []

    def read(frame):
        # A copy: HDF5 lets nobody read a file that is open for writing.
        copy = shutil.copyfile(tmp_path / "run.nc", tmp_path / "copy.nc")
        with netCDF4.Dataset(copy) as file:
            seen.append((frame.step, int(file["step"][-1]), len(file["u"])))

    for resume in False, True:
        seen.clear()
        writer = NetCDF("run.nc", resume=resume)
        Solver(ferrocca.Device("Serial"), final_time=0.004).run(compose(writer, read), output_dir=tmp_path)
        assert seen == [(step, step, step) for step in range(1, 5)]
        assert sorted(os.listdir(tmp_path)) == ["copy.nc", "run.nc"]

    def refuse(source, target):
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    with pytest.warns(UserWarning, match="run.nc is written in place.*no links here"):
        Solver(ferrocca.Device("Serial"), final_time=0.004).run(compose(NetCDF("run.nc", resume=True), read), output_dir=tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["copy.nc", "run.nc"]
    with netCDF4.Dataset(tmp_path / "run.nc") as file:
        assert file["step"][:].tolist() == [1, 2, 3, 4]


def test_hdf5_is_read_while_the_run_goes_on(tmp_path):
    h5py = pytest.importorskip("h5py")
    seen = []

    def read(frame):
        if frame.step in (20, 40):
            script = f"import h5py; f = h5py.File({str(tmp_path / 'run.h5')!r}, 'r', swmr=True); print(f['step'][-1], f['u'].shape)"
            seen.append(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout.strip())

    Solver(ferrocca.Device("Serial"), final_time=0.05).run(compose(HDF5("run.h5", ghosts=True), read), output_dir=tmp_path)
    assert seen == ["20 (20, 258)", "40 (40, 258)"]
    with h5py.File(tmp_path / "run.h5") as file:
        assert file["u"].compression == "gzip" and file["u"].maxshape == (None, 258) and file.attrs["mode"] == "Serial"


def test_vtk_is_told_what_it_cannot_write(tmp_path):
    with pytest.raises(ValueError, match=r"\.pvd"):
        VTK("run.vti")


def test_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    Solver(ferrocca.Device("Serial"), final_time=0.5).run(on(Pictures(most=16), step=10), output_dir=tmp_path)
    for name in "space_time.png", "spectrum.png":
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    image = pytest.importorskip("PIL.Image").open(tmp_path / "animation.gif")
    # 50 moments: every fourth of them is left.
    assert image.n_frames == 13
    pictures = Pictures(most=16)
    pictures.start(type("Run", (), {"parameters": {}, "output_dir": str(tmp_path)}))
    for step in range(1, 101):
        pictures.take((step,), (step / 10,), np.full((1, 4), float(step)))
    steps = [int(row[0]) for row in pictures.rows]
    assert len(steps) <= 16 and np.ptp(np.diff(steps)) == 0, steps
    with pytest.raises(ValueError, match="space_time"):
        Pictures(draw=("video",))


def test_the_spectrum_is_that_of_parseval():
    x = 2 * np.pi / 64 * np.arange(64)
    energy = spectrum(np.sin(x) + 0.5 * np.cos(3 * x))
    assert energy[1] == pytest.approx(0.25) and energy[3] == pytest.approx(0.0625) and energy[2] == pytest.approx(0, abs=1e-30)
    row = np.random.default_rng(1).standard_normal(33)
    assert spectrum(row).sum() == pytest.approx((row**2).mean() / 2)

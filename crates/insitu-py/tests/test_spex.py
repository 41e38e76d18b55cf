"""Spectra: against the definition in plain NumPy, on a bundle that the test simulates; files; what is refused."""

import gc
import os
import pathlib
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest

import spex_oracle as oracle
from conftest import promised
from ferrocca import Device, WrongValueError, spex

FIBRES, DEGREE, HALF = 6, 3, (6, 4)
RANGE = (5000.0, 5100.0)
GRID = (5020.0, 5049.0, 1.0)
SHAPE = dict(bundlesize=6, nsubbundles=2, nwavestep=12, wavepad=5)


class Table(dict):
    def __init__(self, columns, meta):
        super().__init__(columns)
        self.meta = meta


@pytest.fixture(scope="module")
def psf():
    """Traces 7 pixels apart, widths near 1.1 pixels, small terms of Gauss and Hermite."""
    rng = np.random.default_rng(3)
    fibre = np.arange(FIBRES)

    def series(*terms):
        return np.stack([np.broadcast_to(term, FIBRES) for term in terms], axis=1).astype("f8")

    parts = {"GHSIGX": series(1.1 + 0.01 * fibre, 0.05, 0, 0), "GHSIGY": series(1.0, -0.04, 0.01, 0)}
    for i in range(DEGREE + 1):
        for j in range(DEGREE + 1):
            small = 0.03 * rng.normal(size=(FIBRES, 4)) / (1 + i + j)
            parts[f"GH-{i}-{j}"] = series(1, 0, 0, 0) if i == j == 0 else small
    # A row that nothing asks for.
    parts["TAILAMP"] = np.full((FIBRES, 4), np.nan)
    meta = dict(WAVEMIN=RANGE[0], WAVEMAX=RANGE[1], LEGDEG=3, GHDEGX=DEGREE, GHDEGY=DEGREE, HSIZEX=HALF[0], HSIZEY=HALF[1])
    traces = dict(WAVEMIN=RANGE[0] - 1, WAVEMAX=RANGE[1] + 1)
    return {
        "PSF": Table({"PARAM": np.array(list(parts), dtype="S8"), "COEFF": np.stack(list(parts.values()))}, meta),
        "XTRACE": Table({"X": series(20 + 7.1 * fibre, 0.8, 0.1, 0)}, traces),
        "YTRACE": Table({"Y": series(80 + 0.3 * fibre, 70, 0.5, 0)}, traces),
    }


@pytest.fixture(scope="module")
def plain(psf):
    table = psf["PSF"]
    names = [name.decode() for name in table["PARAM"]]
    gh = np.array([[table["COEFF"][names.index(f"GH-{i}-{j}")] for j in range(DEGREE + 1)] for i in range(DEGREE + 1)])
    width = [table["COEFF"][names.index(name)] for name in ("GHSIGX", "GHSIGY")]
    trace = psf["XTRACE"].meta
    meta = table.meta | {"trace_wave": (trace["WAVEMIN"], trace["WAVEMAX"]), "PSFERR": 0.01}
    return oracle.Psf(meta, psf["XTRACE"]["X"], psf["YTRACE"]["Y"], *width, gh)


@pytest.fixture(scope="module")
def img(plain):
    """Continuum and lines with noise; cosmic rays, a dead column, a few pixels that are no numbers. The lowest bins lie off the
    image."""
    rng = np.random.default_rng(5)
    wave = np.arange(*RANGE, 0.5)
    spots, xc, yc = plain.spots(slice(0, FIBRES), wave)
    truth = 40 + 10 * np.sin(wave / 9) + 800 * (rng.random((FIBRES, len(wave))) > 0.97)
    pixels = np.zeros((170, 75))
    for at in np.ndindex(truth.shape):
        y, x = yc[at], xc[at]
        top, bottom = max(y, 0), min(y + spots.shape[2], 170)
        if top < bottom:
            pixels[top:bottom, x : x + spots.shape[3]] += truth[at] * spots[at][top - y : bottom - y]
    ivar = 1 / (pixels + 9)
    pixels = rng.poisson(pixels) + rng.normal(0, 3, pixels.shape)
    ivar[rng.random(ivar.shape) < 0.01] = 0
    ivar[:, 36] = 0
    pixels[50, 36] = np.nan
    return {"image": pixels, "ivar": ivar}


def expected(plain, img, **more):
    return oracle.extract(plain, img["image"], img["ivar"], (0, 0), *GRID, 0, FIBRES, **SHAPE, **more)


def extract(img, psf, **more):
    return spex.extract_frame(img, psf, specmin=0, nspec=FIBRES, wavelength=",".join(map(str, GRID)), model=True, **SHAPE | more)


def compare(frame, other, pull, share):
    good = other["pixmask_fraction"] <= 0.5
    assert good.mean() > 0.9
    pulls = (np.abs(frame["specflux"] - other["specflux"]) * np.sqrt(other["specivar"]))[good]
    assert pulls.max() < pull
    assert np.abs(frame["specivar"] / other["specivar"] - 1)[good].max() < share
    for name in ("wave", "pixmask_fraction", "chi2pix", "modelimage"):
        assert frame[name].shape == other[name].shape, name
        assert np.abs(frame[name] - other[name]).max() < share * np.abs(other[name]).max(), name
    rows = np.moveaxis(np.abs(frame["Rdiags"] - other["Rdiags"]), 1, 2)[good]
    assert rows.max() < share


@pytest.mark.parametrize("precision, pull, share", [("f64", 1e-8, 1e-8), ("f32", 5e-4, 1e-3)])
def test_agrees_with_the_definition(psf, plain, img, precision, pull, share):
    compare(extract(img, psf, precision=precision), expected(plain, img), pull, share)


def test_options_do_what_they_say(psf, plain, img):
    more = dict(regularize=0.01, psferr=0.05, pixpad_frac=0.5, wavepad_frac=0.4)
    compare(extract(img, psf, **more), expected(plain, img, **more), 1e-8, 1e-8)


def test_dealt_over_devices_the_bits_are_the_same(psf, img):
    halves = dict(bundlesize=3, nsubbundles=1)
    one = extract(img, psf, device="mode=CPU, threads=1", **halves)
    two = extract(img, psf, device=["mode=CPU, threads=2", Device("mode=Serial")], **halves)
    for name in one:
        assert np.array_equal(one[name], two[name]), name


class Rank:
    """An MPI communicator of two ranks, one of which is played at a time."""

    size = 2

    def __init__(self, rank, sent):
        self.rank, self.sent, self.calls = rank, sent, 0

    def bcast(self, value, root):
        if self.rank == root:
            self.sent.setdefault("bcast", []).append(value)
        self.calls += 1
        return self.sent["bcast"][self.calls - 1]

    def gather(self, value, root):
        if self.rank != root:
            self.sent["gather"] = value
            return None
        return [value, self.sent["gather"]]


def test_ranks_share_the_bundles(psf, img):
    halves = dict(bundlesize=3, nsubbundles=1)
    whole = extract(img, psf, **halves)
    sent = {"bcast": [img | {"origin": (0, 0)}, psf]}
    assert extract(None, None, comm=Rank(1, sent), **halves) is None
    sent["bcast"].clear()
    shared = extract(img, psf, comm=Rank(0, sent), **halves)
    for name in whole:
        assert np.array_equal(whole[name], shared[name]), name


def test_ranks_of_mpi_give_the_bits_of_one_process(psf, img, tmp_path):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        pytest.skip("there is no mpirun")
    script = tmp_path / "ranks.py"
    script.write_text(
        "import pickle, sys\n"
        "import test_spex\n"
        "from mpi4py import MPI\n"
        "comm = MPI.COMM_WORLD\n"
        "img, psf = pickle.load(open(sys.argv[1], 'rb')) if comm.rank == 0 else (None, None)\n"
        "frame = test_spex.extract(img, psf, comm=comm, bundlesize=2, nsubbundles=1, device='mode=Serial')\n"
        "assert (frame is None) == (comm.rank != 0)\n"
        "if frame: pickle.dump(frame, open(sys.argv[2], 'wb'))\n"
    )
    with open(tmp_path / "given", "wb") as file:
        pickle.dump((img, psf), file)
    paths = [str(pathlib.Path(__file__).parent), str(pathlib.Path(spex.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "OMPI_MCA_rmaps_base_oversubscribe": "1",
                                "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = [mpirun, "-n", "2", sys.executable, str(script), str(tmp_path / "given"), str(tmp_path / "made")]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    with open(tmp_path / "made", "rb") as file:
        shared = pickle.load(file)
    alone = extract(img, psf, bundlesize=2, nsubbundles=1, device="mode=Serial")
    for name in alone:
        assert np.array_equal(alone[name], shared[name]), name


def test_a_time_line_tells_what_was_done_when(psf, img):
    timing = {}
    extract(img, psf, bundlesize=3, nsubbundles=1, device="mode=Serial", timing=timing)
    assert [span[:3] for span in timing["spans"]] == [(0, first, stage) for first in (0, 3) for stage in ("upload", "compute", "download")]
    assert all(0 <= begin <= end for *_, begin, end in timing["spans"])
    assert timing["text"].count("compute") == 2


def test_results_can_be_written_and_live_on(psf, img):
    """They are memory of the library's, which nothing else refers to."""
    frame = extract(img, psf)
    kept = frame["specmask"].copy(), frame["Rdiags"][0].copy()
    mask, rdiags = frame["specmask"], frame["Rdiags"]
    del frame
    gc.collect()
    extract(img, psf)
    assert np.array_equal(mask, kept[0]) and np.array_equal(rdiags[0], kept[1])
    rdiags[0] = 1
    assert (rdiags[0] == 1).all()


def test_a_part_of_the_image_has_an_origin(psf, img):
    part = {"image": img["image"][10:, 4:], "ivar": img["ivar"][10:, 4:], "origin": (10, 4)}
    cut = extract(part, psf)
    rest = extract(img | {"ivar": np.where(np.arange(170)[:, None] >= 10, img["ivar"], 0)}, psf)
    assert np.array_equal(cut["specflux"], rest["specflux"])
    assert np.array_equal(cut["modelimage"], rest["modelimage"][10:, 4:])


def test_masked_bins_are_marked(psf, img):
    dark = img | {"ivar": img["ivar"].copy()}
    dark["ivar"][70:110] = 0
    frame = extract(dark, psf)
    wholly = frame["pixmask_fraction"] >= 1 - 1e-6
    assert wholly.any()
    assert np.array_equal(frame["specmask"] & 2 != 0, wholly)
    assert np.array_equal(frame["specmask"] & 1 != 0, frame["pixmask_fraction"] > 0.5)
    assert not frame["specflux"][wholly].any() and not frame["specivar"][wholly].any()
    assert np.isfinite(frame["specflux"]).all()


def test_pixels_that_are_no_numbers_count_as_masked(psf, img):
    bad = {name: array.copy() for name, array in img.items()}
    masked = img | {"ivar": img["ivar"].copy()}
    for at, pixel, ivar in [((60, 30), np.inf, 1), ((61, 30), 1, -2), ((80, 44), 1, np.nan)]:
        bad["image"][at], bad["ivar"][at], masked["ivar"][at] = pixel, ivar, 0
    with pytest.warns(RuntimeWarning, match="^3 pixels .* row 60, column 30"):
        frame = extract(bad, psf)
    assert np.array_equal(frame["specflux"], extract(masked, psf)["specflux"])


def test_what_cannot_be_meant_is_refused_by_name(psf, img):
    def refused(text, image=img, **more):
        with pytest.raises(WrongValueError, match=text):
            spex.extract_frame(image, psf, **dict(specmin=0, nspec=FIBRES, wavelength=GRID, **SHAPE) | more)

    refused("cannot be cut into 4", nsubbundles=4)
    refused("no whole bundles of 6", nspec=5)
    refused("no whole bundles of 6", specmin=1)
    refused("5 Å beyond the range", wavelength="4900,5049,1")
    refused("not evenly spaced", wavelength=np.array([5020.0, 5021, 5023]))
    refused("margins of 3", wavepad=3, wavepad_frac=0)
    refused("unlike shapes", image=img | {"ivar": img["ivar"][1:]})
    refused("precision", precision="f16")
    refused("no whole bundles of 6", nspec=0)
    refused("no whole bundles of 6", specmin=-6)
    refused("fibres 6 to 12 of a PSF of 6", specmin=6)
    refused("empty list", device=[])
    refused("'first,last,step', not '5020,5049'", wavelength="5020,5049")
    refused("'first,last,step', not 'a,b,c'", wavelength="a,b,c")
    refused("has no two bins", wavelength="5020,5049,0")
    refused("two axes, not 1", image=img | {"image": img["image"][0]})
    lost = psf | {"PSF": Table({"PARAM": psf["PSF"]["PARAM"][1:], "COEFF": psf["PSF"]["COEFF"][1:]}, psf["PSF"].meta)}
    with pytest.raises(WrongValueError, match="no row 'GHSIGX'"):
        extract(img, lost)
    dark = psf | {"PSF": Table(dict(psf["PSF"]), psf["PSF"].meta)}
    dark["PSF"]["COEFF"] = psf["PSF"]["COEFF"].copy()
    dark["PSF"]["COEFF"][2:18, 4] = 0
    with pytest.raises(WrongValueError, match="fibre 4 at .* empty spot"):
        extract(img, dark)
    thin = psf | {"PSF": Table(dict(psf["PSF"]), psf["PSF"].meta)}
    thin["PSF"]["COEFF"] = psf["PSF"]["COEFF"].copy()
    thin["PSF"]["COEFF"][0, 2] = [-1, 0, 0, 0]
    with pytest.raises(WrongValueError, match="fibre 2 at .* widths"):
        extract(img, thin)


@pytest.mark.parametrize("decorrelate", ["signal", "noise"])
def test_stages_of_a_patch(psf, plain, img, decorrelate):
    wave = np.arange(5030.0, 5042)
    found = spex.ex2d_patch(img, psf, 1, 4, wave, decorrelate=decorrelate, device="mode=Serial")
    spots, xc, yc = plain.spots(slice(1, 5), wave)
    box = oracle.window(xc, yc, *HALF, slice(0, 12), 0)
    assert np.array_equal(found["corners"][0], xc) and np.array_equal(found["corners"][1], yc)
    pixels, ivar = (oracle.cut(np.where(img["ivar"] > 0, img[name], 0), (0, 0), *box) for name in ("image", "ivar"))
    a = oracle.projection(spots, xc, yc, *box)
    m, y, phi, x, flux, inverse, r = oracle.patch(a, pixels, ivar, 4, 12, range(4), decorrelate=decorrelate)
    if decorrelate == "signal":
        whole = np.zeros((48, 48))
        for i in range(4):
            whole[12 * i : 12 * i + 12, 12 * i : 12 * i + 12] = r[i]
        r = whole
    for name, other in dict(spots=spots, icov=m, y=y, fluxweight=phi, xflux=x, flux=flux, ivar=inverse, R=r).items():
        assert np.abs(found[name] - other).max() < 1e-9 * np.abs(other).max(), name
    again, corners = spex.get_spots(1, 4, wave, psf, device="mode=Serial")
    assert np.array_equal(again, found["spots"]) and np.array_equal(corners, found["corners"])


def test_from_files_to_files(psf, img, tmp_path, monkeypatch, capsys):
    try:
        from astropy.io import fits
    except ImportError:
        if promised("FERROCCA_REQUIRE_LIBRARIES", "astropy"):
            raise
        pytest.skip("astropy is not installed")
    table = psf["PSF"]
    columns = [fits.Column("PARAM", "8A", array=table["PARAM"]), fits.Column("COEFF", f"{4 * FIBRES}D", dim=f"(4,{FIBRES})", array=table["COEFF"])]
    hdus = [fits.PrimaryHDU(), fits.BinTableHDU.from_columns(columns, name="PSF")]
    hdus += [fits.ImageHDU(psf[name][name[0]], name=name) for name in ("XTRACE", "YTRACE")]
    for hdu in hdus[1:]:
        hdu.header.update(psf[hdu.name].meta)
    fits.HDUList(hdus).writeto(tmp_path / "psf.fits")
    whole = {name: np.where(img["ivar"] > 0, array, 0).astype("f4") for name, array in img.items()}
    mask = (img["ivar"] == 0).astype("i4")
    fibremap = fits.BinTableHDU(np.array([(i, 100 + i) for i in range(9)], dtype=[("FIBER", "i4"), ("TARGETID", "i8")]), name="FIBERMAP")
    image = fits.PrimaryHDU(whole["image"])
    image.name = "IMAGE"
    image.header["CAMERA"] = "r0"
    fits.HDUList([image, fits.CompImageHDU(whole["ivar"], name="IVAR", quantize_level=0, compression_type="GZIP_2"),
                  fits.ImageHDU(mask, name="MASK"), fibremap]).writeto(tmp_path / "image.fits")
    options = ["-i", "image.fits", "-p", "psf.fits", "-o", "frame.fits", "-m", "model.fits", "-w", "5020,5049,1", "-s", "0", "-n", "6"]
    options += ["--bundlesize", "6", "--nsubbundles", "2", "--nwavestep", "12", "--wavepad", "5", "--device", "mode=Serial"]
    monkeypatch.chdir(tmp_path)
    assert spex.main([*options, "--timing"]) == 0
    assert "compute" in capsys.readouterr().out
    direct = extract({name: array.astype("f8") for name, array in whole.items()}, psf, device="mode=Serial")
    with fits.open(tmp_path / "frame.fits") as frame:
        names = ["FLUX", "IVAR", "MASK", "WAVELENGTH", "RESOLUTION", "FIBERMAP", "CHI2PIX"]
        assert [hdu.name for hdu in frame] == names
        assert frame["FLUX"].header["BUNIT"] == "electron/Angstrom" and frame["FLUX"].header["CAMERA"] == "r0"
        assert np.array_equal(frame["FLUX"].data, direct["specflux"].astype("f4"))
        assert np.array_equal(frame["WAVELENGTH"].data, direct["wave"])
        assert frame["RESOLUTION"].data.shape == direct["Rdiags"].shape
        assert frame["MASK"].data.dtype.kind == "u" and list(frame["FIBERMAP"].data["TARGETID"]) == [100, 101, 102, 103, 104, 105]
    with fits.open(tmp_path / "model.fits") as model:
        assert np.array_equal(model["MODEL"].data, direct["modelimage"])
    assert not list(tmp_path.glob("*.tmp"))

    def refused(text, *more):
        written = os.stat("frame.fits").st_mtime_ns
        assert spex.main([*options, *more]) == 1
        assert text in capsys.readouterr().err
        assert os.stat("frame.fits").st_mtime_ns == written, "what cannot be done leaves the frame alone"

    refused("ferrocca-spex: error: there is no file missing.fits", "-i", "missing.fits")
    refused("psf.fits has no HDU IMAGE; it has ", "-i", "psf.fits")
    refused("image.fits has no HDU PSF; it has ", "-p", "image.fits")
    refused("no whole bundles of 6", "-n", "7")
    refused("'first,last,step', not '5020'", "-w", "5020")
    refused("5 Å beyond the range", "-w", "4020,4040,1")
    refused("available", "--device", "mode=Abacus")
    refused("", "-o", "no/such/directory/frame.fits")
    with pytest.raises(SystemExit):
        spex.main(["--precision", "f16"])
    assert "--precision" in capsys.readouterr().err

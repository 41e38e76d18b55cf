"""Spectra of fibres from CCD images by spectroperfectionism, on any device: :func:`extract_frame` takes and gives what
gpu_specter's function of that name does. ``python -m ferrocca.spex`` is its command.

Files are read and written with fitsio or, where that is missing, astropy.
"""

import argparse
import os
import sys
import threading
import warnings

import numpy as np

from ._errors import Error, WrongValueError
from ._native import Device, SpectraExtractor, SpectraPsf

__all__ = ["ex2d_patch", "extract_frame", "get_spots", "main", "read_img", "read_psf", "write_frame", "write_model"]

_ARRAYS = ("specflux", "specivar", "specmask", "Rdiags", "pixmask_fraction", "chi2pix")
_extractors = {}
_lock = threading.Lock()


class _Table(dict):
    """Columns by their names, and the header's cards as ``meta``."""

    def __init__(self, columns, meta):
        super().__init__(columns)
        self.meta = meta


def _text(value):
    return (value.decode() if isinstance(value, bytes) else str(value)).strip()


def _native_psf(psf):
    """A dictionary as :func:`read_psf` makes it, for the library."""
    table, meta = psf["PSF"], psf["PSF"].meta
    names = [_text(name) for name in table["PARAM"]]
    coefficients = np.asarray(table["COEFF"], dtype="f8")
    wave = float(meta["WAVEMIN"]), float(meta["WAVEMAX"])

    def of(name):
        if name not in names:
            raise WrongValueError(f"psf: the table has no row {name!r}")
        return coefficients[names.index(name)]

    def trace(name):
        own = np.ascontiguousarray(psf[name][name[0]], dtype="f8")
        return own, own.shape[1], float(psf[name].meta["WAVEMIN"]), float(psf[name].meta["WAVEMAX"])

    degrees = int(meta["GHDEGX"]), int(meta["GHDEGY"])
    hermite = [of(f"GH-{i}-{j}") for i in range(degrees[0] + 1) for j in range(degrees[1] + 1)]
    hermite = np.ascontiguousarray(np.stack(hermite, axis=1))
    widths = [(np.ascontiguousarray(of(name)), coefficients.shape[2], *wave) for name in ("GHSIGX", "GHSIGY")]
    series = [trace("XTRACE"), trace("YTRACE"), *widths, (hermite, coefficients.shape[2], *wave)]
    half_sizes = int(meta["HSIZEX"]), int(meta["HSIZEY"])
    return SpectraPsf(series, degrees, half_sizes, float(meta.get("PSFERR", 0.01)))


def _host(array):
    """float64 of the host, without a copy where that is what it is."""
    if hasattr(array, "__cuda_array_interface__"):
        array = array.get()
    array = np.ascontiguousarray(array, dtype="f8")
    if array.ndim != 2:
        raise WrongValueError(f"an image has two axes, not {array.ndim}")
    return array


def _native_image(img):
    image, ivar = _host(img["image"]), _host(img["ivar"])
    if image.shape != ivar.shape:
        raise WrongValueError(f"image and ivar have unlike shapes: {image.shape}, {ivar.shape}")
    y, x = img.get("origin", (0, 0))
    return image, ivar, image.shape[1], (int(y), int(x))


def _extractor(devices, precision):
    with _lock:
        key = *devices, precision
        if key not in _extractors:
            _extractors[key] = SpectraExtractor(devices, precision)
        return _extractors[key]


def _devices(device, gpu):
    if device is None:
        device = "mode=CUDA" if gpu else "mode=CPU"
    devices = device if isinstance(device, (list, tuple)) else [device]
    if not devices:
        raise WrongValueError("device is an empty list")
    return [own if isinstance(own, Device) else Device(own) for own in devices]


def _wavelengths(wavelength, psf):
    """First, last, step: of "first,last,step", three numbers, an even grid, or the PSF's range by 0.8."""
    if wavelength is None:
        meta = psf["PSF"].meta
        return float(meta["WAVEMIN"]), float(meta["WAVEMAX"]), 0.8
    if isinstance(wavelength, str):
        try:
            first, last, step = (float(part) for part in wavelength.split(","))
        except ValueError:
            raise WrongValueError(f"wavelength is 'first,last,step', not {wavelength!r}") from None
        return first, last, step
    if isinstance(wavelength, np.ndarray):
        if wavelength.ndim != 1 or len(wavelength) < 2:
            raise WrongValueError("wavelengths are one axis of two or more")
        steps = np.diff(wavelength)
        if not np.allclose(steps, steps[0], rtol=1e-6, atol=0):
            raise WrongValueError(f"the wavelengths are not evenly spaced: steps of {steps.min()} to {steps.max()} Å")
        return float(wavelength[0]), float(wavelength[-1]), float((wavelength[-1] - wavelength[0]) / (len(wavelength) - 1))
    first, last, step = wavelength
    return float(first), float(last), float(step)


def extract_frame(
    img, psf, bundlesize, specmin, nspec, wavelength=None, nwavestep=50, nsubbundles=1, model=None, regularize=0, psferr=None,
    comm=None, gpu=None, loglevel=None, timing=None, wavepad=10, pixpad_frac=0.8, wavepad_frac=0.2, batch_subbundle=True,
    ranks_per_bundle=None, *, device=None, precision="f64",
):
    """Extract spectra of a CCD image.

    img: a dictionary with ``image`` and ``ivar`` [ny, nx], NumPy's or CuPy's, and where they are part of a CCD the ``origin``
    (y, x) of their first pixel. NumPy's float64 arrays are read where they are, so that no thread may write them meanwhile;
    CuPy's are copied to the host. psf: a dictionary as :func:`read_psf` gives. ``wavelength`` is "first,last,step" in Å.
    ``device`` is a device, its properties, or a list of these that bundles are dealt over; ``gpu=True`` means "mode=CUDA". With
    ``comm`` (mpi4py's), every rank calls this, rank 0 gives img and psf and gets the result, others get None; rank r takes
    bundles r, r + size, … ``precision`` is "f64" or "f32". ``timing``, a dictionary, gets "spans" of this rank, a list of
    (number of the device, first fibre of the bundle, "upload", "compute" or "download", seconds of its begin, of its end), and
    "text", these as lines to print. loglevel, batch_subbundle and ranks_per_bundle are accepted and have no effect.

    Returns a dictionary: specflux (electrons/Å), specivar, specmask (uint32: 1 more than half masked, 2 all, 128 bad fit,
    256 no solution), pixmask_fraction and chi2pix [nspec, nwave], wave, Rdiags [nspec, ndiag, nwave], modelimage or None.
    """
    rank, size = (0, 1) if comm is None else (comm.rank, comm.size)
    if comm is not None:
        given = {name: _host(img[name]) for name in ("image", "ivar")} | {"origin": img.get("origin", (0, 0))} if rank == 0 else None
        img, psf = comm.bcast(given, root=0), comm.bcast(psf, root=0)
    if bundlesize < 1 or nspec < 1 or specmin < 0 or nspec % bundlesize or specmin % bundlesize:
        raise WrongValueError(f"specmin {specmin} and nspec {nspec} are no whole bundles of {bundlesize}")
    native, image = _native_psf(psf), _native_image(img)
    grid = _wavelengths(wavelength, psf)
    bundles = list(range(specmin, specmin + nspec, bundlesize))[rank::size]
    extractor = _extractor(_devices(device, gpu), precision)
    own = extractor.extract(
        native, image, grid, bundles, bundlesize=bundlesize, nsubbundles=nsubbundles, nwavestep=nwavestep, wavepad=wavepad,
        wavepad_frac=wavepad_frac, pixpad_frac=pixpad_frac, regularize=float(regularize), psferr=psferr, model=bool(model),
        timing=timing is not None,
    )
    if timing is not None:
        timing["spans"], timing["text"] = own["spans"], own["timeline"]
    wave = np.frombuffer(own["wave"])
    rows = len(bundles) * bundlesize
    part = {}
    for name in _ARRAYS:
        shape = (rows, -1, len(wave)) if name == "Rdiags" else (rows, len(wave))
        values = np.frombuffer(own[name], dtype="u4" if name == "specmask" else "f8")
        # Of a rank without bundles nothing is asked.
        part[name] = values.reshape(shape) if rows else None
    part["modelimage"] = np.frombuffer(own["modelimage"]).reshape(image[0].shape) if model else None
    for text in own["warnings"] if rank == 0 else ():
        warnings.warn(text, RuntimeWarning, stacklevel=2)
    if comm is None:
        return part | {"wave": wave}
    gathered = comm.gather(part if rows else None, root=0)
    if rank != 0:
        return None
    return _joined(gathered, nspec, bundlesize) | {"wave": wave}


def _joined(parts, nspec, bundlesize):
    """The frame of what ranks extracted, bundle by bundle in turn."""
    size, frame = len(parts), {}
    for name in _ARRAYS:
        first = parts[0][name]
        whole = frame[name] = np.empty((nspec, *first.shape[1:]), first.dtype)
        for bundle in range(nspec // bundlesize):
            own = parts[bundle % size][name][bundle // size * bundlesize :][:bundlesize]
            whole[bundle * bundlesize : (bundle + 1) * bundlesize] = own
    models = [part["modelimage"] for part in parts if part is not None]
    frame["modelimage"] = models[0] if len(models) == 1 or models[0] is None else sum(models)
    return frame


def _stages(img, psf, fibres, wavelengths, regularize, decorrelate, device, precision):
    grid = _wavelengths(np.asarray(wavelengths, dtype="f8"), psf)
    extractor = _extractor(_devices(device, None)[:1], precision)
    found = extractor.stages(_native_psf(psf), _native_image(img), grid, fibres, float(regularize), decorrelate)
    n, nwave = fibres[1], len(wavelengths)
    shapes = {"icov": (n * nwave, n * nwave), "R": (n * nwave, n * nwave), "flux": (n, nwave), "ivar": (n, nwave)}
    shapes["spots"] = _shape_of_spots(psf, n, wavelengths)
    stages = {name: np.frombuffer(found[name]).reshape(shapes.get(name, -1)) for name in found if name != "corners"}
    stages["corners"] = _corners(found["corners"], n, wavelengths)
    return stages


def _shape_of_spots(psf, nspec, wavelengths):
    meta = psf["PSF"].meta
    return nspec, len(wavelengths), 2 * int(meta["HSIZEY"]) + 1, 2 * int(meta["HSIZEX"]) + 1


def _corners(corners, nspec, wavelengths):
    """Columns and rows of the first pixels, of pairs of row and column."""
    pairs = np.frombuffer(corners).astype("i8").reshape(nspec, len(wavelengths), 2)
    return pairs[..., 1], pairs[..., 0]


def ex2d_patch(img, psf, specmin, nspec, wavelengths, regularize=0, decorrelate="signal", *, device=None, precision="f64"):
    """Every stage of one patch without margins: spots, corners (x, y), icov, y, fluxweight, xflux, and the decorrelated flux,
    ivar [nspec, nwave] and R [nspec * nwave, nspec * nwave]. ``decorrelate`` is "signal" or "noise"."""
    return _stages(img, psf, (specmin, nspec), wavelengths, regularize, decorrelate, device, precision)


def get_spots(specmin, nspec, wavelengths, psf, *, device=None, precision="f64"):
    """Spots [nspec, nwave, ny, nx], each of sum 1, and the corners (x, y) of their first pixels."""
    extractor = _extractor(_devices(device, None)[:1], precision)
    grid = _wavelengths(np.asarray(wavelengths, dtype="f8"), psf)
    spots, corners = extractor.spots(_native_psf(psf), grid, (specmin, nspec))
    return np.frombuffer(spots).reshape(_shape_of_spots(psf, nspec, wavelengths)), _corners(corners, nspec, wavelengths)


def _astropy():
    try:
        from astropy.io import fits
    except ImportError:
        raise ImportError("FITS files need astropy: pip install 'ferrocca[spex]'") from None
    return fits


def _hdus(path):
    """Data and header of each HDU by its name."""
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file {path}")
    try:
        import fitsio
    except ImportError:
        with _astropy().open(path, memmap=False) as file:
            return {hdu.name: (hdu.data, dict(hdu.header.items())) for hdu in file if hdu.data is not None}
    with fitsio.FITS(str(path)) as file:
        return {hdu.get_extname(): (hdu.read(), dict(hdu.read_header())) for hdu in file if hdu.has_data()}


def _named(path, hdus, name):
    if name not in hdus:
        raise WrongValueError(f"{path} has no HDU {name}; it has {', '.join(map(str, hdus)) or 'none with data'}")
    return hdus[name]


def read_psf(path):
    """A PSF file: tables XTRACE, YTRACE and PSF with their headers as ``meta``."""
    hdus = _hdus(path)
    data, header = _named(path, hdus, "PSF")
    psf = {"PSF": _Table({name: np.asarray(data[name]) for name in ("PARAM", "COEFF")}, header)}
    for name in ("XTRACE", "YTRACE"):
        data, header = _named(path, hdus, name)
        psf[name] = _Table({name[0]: np.asarray(data, dtype="f8")}, header)
    return psf


def read_img(path):
    """A preprocessed image: image, ivar (0 where MASK is not), imagehdr, fibermap, fibermaphdr."""
    hdus = _hdus(path)
    (image, header), (ivar, _), (mask, _) = (_named(path, hdus, name) for name in ("IMAGE", "IVAR", "MASK"))
    ivar = np.array(ivar, dtype="f8")
    if not np.shape(image) == ivar.shape == np.shape(mask):
        raise WrongValueError(f"{path}: IMAGE, IVAR and MASK have unlike shapes: {np.shape(image)}, {ivar.shape}, {np.shape(mask)}")
    ivar[np.asarray(mask) != 0] = 0
    img = {"image": np.array(image, dtype="f8"), "ivar": ivar, "imagehdr": header}
    img["fibermap"], img["fibermaphdr"] = hdus.get("FIBERMAP", (None, None))
    return img


# Cards that describe how an HDU is stored, which its writer makes anew.
_STRUCTURE = ("SIMPLE", "XTENSION", "BITPIX", "NAXIS", "PCOUNT", "GCOUNT", "GROUPS", "TFIELDS", "EXTEND", "EXTNAME", "CHECKSUM",
              "DATASUM", "BSCALE", "BZERO", "BUNIT", "ZIMAGE", "ZCMPTYPE", "ZBITPIX", "ZNAXIS", "ZTILE", "ZQUANTIZ", "COMMENT",
              "HISTORY", "TTYPE", "TFORM", "TUNIT", "TDIM", "THEAP", "")


def _cards(header, **more):
    kept = {key: value for key, value in (header or {}).items() if not any(key == s or s and key.startswith(s) for s in _STRUCTURE)}
    return kept | more


def _write(path, hdus):
    """Writes HDUs beside `path` and moves them there."""
    fits = _astropy()
    file = fits.HDUList([fits.PrimaryHDU()])
    for number, (name, data, cards) in enumerate(hdus):
        is_table = data.dtype.names is not None
        hdu = fits.BinTableHDU(data) if is_table else (fits.PrimaryHDU(data) if number == 0 else fits.ImageHDU(data))
        for key, value in cards.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                hdu.header[key] = value
        hdu.name = name
        if number == 0:
            file[0] = hdu
        else:
            file.append(hdu)
    partial = f"{path}.tmp"
    file.writeto(partial, overwrite=True)
    os.replace(partial, path)


def write_frame(path, frame, dtype=np.float32):
    """Writes a frame: FLUX, IVAR, MASK, WAVELENGTH, RESOLUTION, FIBERMAP, CHI2PIX. The file appears whole, or not at all.
    Besides what :func:`extract_frame` gives, ``frame`` may have imagehdr, fibermap (its extracted rows) and fibermaphdr."""
    cards = _cards(frame.get("imagehdr"), BUNIT="electron/Angstrom")
    hdus = [
        ("FLUX", frame["specflux"].astype(dtype), cards),
        ("IVAR", frame["specivar"].astype(dtype), {}),
        ("MASK", frame["specmask"].astype("u4"), {}),
        ("WAVELENGTH", np.asarray(frame["wave"], dtype="f8"), {}),
        ("RESOLUTION", frame["Rdiags"].astype(dtype), {}),
    ]
    if frame.get("fibermap") is not None:
        hdus.append(("FIBERMAP", np.asarray(frame["fibermap"]), _cards(frame.get("fibermaphdr"))))
    _write(path, [*hdus, ("CHI2PIX", frame["chi2pix"].astype(dtype), {})])


def write_model(path, frame):
    """Writes the image of the extracted light."""
    _write(path, [("MODEL", frame["modelimage"], _cards(frame.get("imagehdr")))])


def main(arguments=None):
    """The command."""
    parser = argparse.ArgumentParser(prog="ferrocca-spex", description="Extract spectra from a preprocessed image.",
                                     formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    add = parser.add_argument
    add("-i", "--input", required=True, help="image")
    add("-p", "--psf", required=True, help="point-spread function")
    add("-o", "--output", required=True, help="frame to write")
    add("-m", "--model", help="image of the extracted light to write")
    add("-w", "--wavelength", help="first,last,step in Å; the PSF's range by 0.8 without it")
    add("-s", "--specmin", type=int, default=0, help="first spectrum")
    add("-n", "--nspec", type=int, default=500, help="number of spectra")
    add("-r", "--regularize", type=float, default=0.0, help="α of the term α² on the diagonal")
    add("--bundlesize", type=int, default=25, help="spectra of a bundle")
    add("--nsubbundles", type=int, default=5, help="parts of a bundle")
    add("--nwavestep", type=int, default=50, help="bins of a patch")
    add("--wavepad", type=int, default=10, help="bins of a patch's margins")
    add("--wavepad-frac", type=float, default=0.2, help="how much of it they have besides")
    add("--pixpad-frac", type=float, default=0.8, help="how much of the rows that only margins see is taken")
    add("--psferr", type=float, help="relative error of the PSF for χ²; the file's without it")
    add("--mpi", action="store_true", help="deal bundles over MPI ranks (mpi4py)")
    add("--use-gpu", "--gpu", action="store_true", help="the device mode=CUDA")
    add("--device", help="a device by its properties: 'mode=OpenCL'")
    add("--precision", choices=("f64", "f32"), default="f64", help="numbers to compute with")
    add("--timing", action="store_true", help="print when each device copied and computed what")
    given = parser.parse_args(arguments)
    comm = None
    try:
        if given.mpi:
            from mpi4py import MPI

            comm = MPI.COMM_WORLD
        _command(given, comm)
    except (OSError, ImportError, Error) as error:
        print(f"{parser.prog}: error: {error}", file=sys.stderr)
        if comm is not None and comm.size > 1:
            # The other ranks wait for this one.
            comm.Abort(1)
        return 1
    return 0


def _command(given, comm):
    is_root = comm is None or comm.rank == 0
    img, psf = (read_img(given.input), read_psf(given.psf)) if is_root else (None, None)
    names = ("bundlesize", "specmin", "nspec", "wavelength", "nwavestep", "nsubbundles", "regularize", "psferr", "wavepad",
             "wavepad_frac", "pixpad_frac", "device", "precision")
    timing = {} if given.timing else None
    frame = extract_frame(img, psf, **{name: getattr(given, name) for name in names}, model=given.model is not None, comm=comm,
                          gpu=given.use_gpu, timing=timing)
    if timing is not None:
        print(timing["text"], end="")
    if not is_root:
        return
    frame |= {name: img[name] for name in ("imagehdr", "fibermap", "fibermaphdr")}
    if frame["fibermap"] is not None and len(frame["fibermap"]) >= given.specmin + given.nspec:
        frame["fibermap"] = frame["fibermap"][given.specmin : given.specmin + given.nspec]
    write_frame(given.output, frame)
    if given.model is not None:
        write_model(given.model, frame)


if __name__ == "__main__":
    sys.exit(main())

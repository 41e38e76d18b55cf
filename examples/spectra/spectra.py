"""A bundle of 25 fibres: a camera is made up, light goes through it onto pixels, and its spectra are extracted.

    python examples/spectra/spectra.py "CPU, threads=4" spectra.png

The camera has bent traces and spots that are no Gaussians and change with fibre and wavelength. Each fibre has a continuum
with absorption lines of its own, under a sky of emission lines that all share. Pixels get Poisson and read noise, a dead column,
a dead block, and cosmic rays. Light is made at the wavelengths of the bins, so that the true spectra are known: an extracted
spectrum is R times the truth, R its resolution, and noise that is independent from bin to bin. So the pulls,
(flux - R truth) / sigma, are normal with a width of 1.

The model is the image of the extracted spectra, which R has blurred already: bright lines leave residuals at their edges.
"""

import sys

import numpy as np
from ferrocca import spex

FIBRES, BINS = 25, 300
WAVE = 6000 + 0.8 * np.arange(BINS)
READ_NOISE = 3.0
RANGE = (5900.0, 6400.0)


class Table(dict):
    """Columns, and the cards of a header as `meta`: what `spex.read_psf` makes of a file."""

    def __init__(self, columns, **meta):
        super().__init__(columns)
        self.meta = meta


def camera():
    """Series of Legendre polynomials: traces 7.3 pixels apart, 1.6 pixels to a bin, spots a pixel wide with tails and a lean."""
    fibre = np.arange(FIBRES)
    edge = (fibre - 12) / 12

    def series(*terms):
        return np.stack([np.broadcast_to(term, FIBRES) for term in terms], axis=1).astype("f8")

    parts = {"GHSIGX": series(1.05 + 0.05 * edge**2, 0.03, 0.01), "GHSIGY": series(1.1, -0.04 * edge, 0.01)}
    small = {(0, 2): 0.03, (2, 0): 0.02, (1, 1): 0.03, (3, 0): 0.01, (4, 0): 0.01, (0, 4): 0.01}
    for i in range(5):
        for j in range(5):
            parts[f"GH-{i}-{j}"] = series(1 if i == j == 0 else small.get((i, j), 0) * (1 + 0.3 * edge), 0, 0)
    wave = dict(WAVEMIN=RANGE[0], WAVEMAX=RANGE[1])
    shape = dict(LEGDEG=2, GHDEGX=4, GHDEGY=4, HSIZEX=8, HSIZEY=5, PSFERR=0.01)
    return {
        "PSF": Table({"PARAM": np.array(list(parts), "S8"), "COEFF": np.stack(list(parts.values()))}, **shape, **wave),
        "XTRACE": Table({"X": series(115 + 7.3 * (fibre - 12), 4 - 0.5 * edge, 3)}, **wave),
        "YTRACE": Table({"Y": series(340 + 4 * edge**2, 500, 3 + edge)}, **wave),
    }


def light(rng):
    """Electrons of each fibre and bin."""
    sky = 60 + sum(a * np.exp(-0.5 * ((WAVE - at) / 0.9) ** 2) for at, a in zip(rng.uniform(6003, 6235, 9), rng.uniform(100, 1000, 9)))
    spectra = []
    for _ in range(FIBRES):
        lines = sum(rng.uniform(0.1, 0.8) * np.exp(-0.5 * ((WAVE - at) / 2.5) ** 2) for at in rng.uniform(6000, 6240, 3))
        spectra.append(sky + rng.uniform(80, 400) * np.exp(0.003 * rng.normal() * (WAVE - 6120)) * (1 - 0.5 * lines))
    return np.array(spectra)


def expose(psf, truth, rng, device):
    """An image of pixels with noise, their inverse variances, 0 where they are masked."""
    spots, (left, top) = spex.get_spots(0, FIBRES, WAVE, psf, device=device)
    height, width = spots.shape[2:]
    rows, columns = np.ix_(np.arange(height), np.arange(width))
    clean = np.zeros((int(top.max()) + height + 4, int(left.max()) + width + 4))
    np.add.at(clean, (top[..., None, None] + rows, left[..., None, None] + columns), truth[..., None, None] * spots)
    pixels = rng.poisson(clean) + rng.normal(0, READ_NOISE, clean.shape)
    ivar = 1 / (clean + READ_NOISE**2)
    ivar[:, 128] = 0
    ivar[260:275, 40:75] = 0
    hits = rng.integers(0, clean.shape, (40, 2))
    pixels[hits[:, 0], hits[:, 1]] += 5000
    ivar[hits[:, 0], hits[:, 1]] = 0
    return {"image": pixels, "ivar": ivar}


def resolved(rdiags, truth):
    """R times the truth, fibre by fibre; rdiags[k][j] = R[j - d + k][j]."""
    d, out = rdiags.shape[1] // 2, np.zeros_like(truth)
    for k in range(2 * d + 1):
        shift = k - d
        own = slice(max(0, -shift), BINS - max(0, shift))
        to = slice(max(0, shift), BINS - max(0, -shift))
        out[:, to] += rdiags[:, k, own] * truth[:, own]
    return out


def solve(device="CPU", seed=7):
    """The image, the frame, R times the truth, and the pulls of the bins that see enough unmasked pixels."""
    rng = np.random.default_rng(seed)
    psf, truth = camera(), light(rng)
    img = expose(psf, truth, rng, device)
    frame = spex.extract_frame(img, psf, FIBRES, 0, FIBRES, WAVE, nsubbundles=5, model=True, device=device)
    expected = resolved(frame["Rdiags"], truth / 0.8)
    good = (frame["specmask"] == 0) & (np.arange(BINS) >= 5) & (np.arange(BINS) < BINS - 5)
    pulls = ((frame["specflux"] - expected) * np.sqrt(frame["specivar"]))[good]
    return img, frame, expected, pulls


def draw(img, frame, expected, pulls, picture):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 7.5), layout="constrained")
    grid = figure.add_gridspec(2, 6, height_ratios=(1.15, 1))
    pixels, sigma = img["image"].T, np.where(img["ivar"] > 0, img["ivar"], np.inf).T ** -0.5
    masked = img["ivar"].T == 0
    shown = np.ma.array(np.arcsinh(pixels / 30), mask=masked)
    model = np.arcsinh(frame["modelimage"].T / 30)
    residual = np.ma.array((pixels - frame["modelimage"].T) / np.where(masked, 1, sigma), mask=masked)
    images = [("pixels", shown, "viridis", (0, 5)), ("model", model, "viridis", (0, 5)), ("residual / σ", residual, "RdBu_r", (-4, 4))]
    for number, (title, values, colours, (low, high)) in enumerate(images):
        axes = figure.add_subplot(grid[0, 2 * number : 2 * number + 2])
        shade = axes.imshow(values, origin="lower", aspect="auto", cmap=colours, vmin=low, vmax=high, interpolation="nearest")
        axes.set(title=title, xlabel="row (wavelength →)", ylabel="column (fibre →)" if number == 0 else "")
        axes.set_facecolor("black" if number < 2 else "0.6")
        if number:
            figure.colorbar(shade, ax=axes, label="asinh(electrons / 30)" if number == 1 else "")
    axes = figure.add_subplot(grid[1, :4])
    for number, fibre in enumerate((2, 12, 21)):
        above = 900 * number
        error = frame["specivar"][fibre].clip(1e-12) ** -0.5
        bad = frame["specmask"][fibre] != 0
        flux = np.where(bad, np.nan, frame["specflux"][fibre])
        axes.fill_between(WAVE, flux - error + above, flux + error + above, color=f"C{number}", alpha=0.3, lw=0)
        axes.plot(WAVE, flux + above, ".", ms=3, color=f"C{number}", label=f"fibre {fibre}")
        axes.plot(WAVE, expected[fibre] + above, "-", lw=0.8, color="black", label="R · truth" if number == 2 else None)
    axes.set(title="spectra, 900 apart", xlabel="wavelength / Å", ylabel="electrons / Å", xlim=(WAVE[0], WAVE[-1]))
    axes.legend(ncols=4, fontsize=8, loc="upper left")
    axes.set_ylim(0, 3900)
    axes = figure.add_subplot(grid[1, 4:])
    at = np.linspace(-5, 5, 201)
    axes.hist(pulls, bins=np.linspace(-5, 5, 41), density=True, color="C0", alpha=0.6)
    axes.plot(at, np.exp(-0.5 * at**2) / np.sqrt(2 * np.pi), "k-", lw=1, label="normal")
    axes.set(title=f"pulls: mean {pulls.mean():+.3f}, σ {pulls.std():.3f}", xlabel="(flux − R · truth) / σ")
    axes.legend()
    figure.savefig(picture, dpi=100)


def main(device="CPU", picture=None):
    img, frame, expected, pulls = solve(device)
    marked = np.count_nonzero(frame["specmask"])
    print(f"{FIBRES} fibres, {BINS} bins: {marked} bins marked, pulls of {len(pulls)}: mean {pulls.mean():+.4f}, sigma {pulls.std():.4f}")
    if picture:
        draw(img, frame, expected, pulls, picture)


if __name__ == "__main__":
    main(*sys.argv[1:])

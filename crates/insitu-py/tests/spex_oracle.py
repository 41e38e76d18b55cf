"""Spectral extraction as it is defined, in plain NumPy: dense matrices, eigen-decompositions, one patch at a time. What the
library does by other ways is compared with this."""

import numpy as np
from numpy.polynomial.hermite_e import hermeval
from numpy.polynomial.legendre import legval
from math import erf

erf = np.vectorize(erf)


def legendre(coeff, wave, wavemin, wavemax):
    """Sum of coeff[..., k] P_k(t) at each wavelength: [..., nwave]."""
    t = 2 * (np.asarray(wave) - wavemin) / (wavemax - wavemin) - 1
    return legval(t, np.moveaxis(coeff, -1, 0))


def basis(x, sigma, h, degree):
    """Integrals of the Gauss-Hermite functions over pixels: [degree + 1, 2h + 1]."""
    delta = (x + 0.5) % 1 - 0.5
    edges = (np.arange(2 * h + 2) - h - 0.5 - delta) / sigma
    gauss = np.exp(-0.5 * edges**2) / np.sqrt(2 * np.pi)
    rows = [0.5 * np.diff(erf(edges / np.sqrt(2)))]
    for k in range(1, degree + 1):
        rows.append(-np.diff(gauss * hermeval(edges, [0] * (k - 1) + [1])))
    return np.array(rows)


class Psf:
    """`psf`: a dictionary with the names of `read_psf`."""

    def __init__(self, meta, xtrace, ytrace, ghsigx, ghsigy, gh):
        self.meta, self.xtrace, self.ytrace, self.ghsigx, self.ghsigy, self.gh = meta, xtrace, ytrace, ghsigx, ghsigy, gh

    def spots(self, fibres, wave):
        """Spots [nspec, nwave, 2hy + 1, 2hx + 1] and their corners."""
        m = self.meta
        trace = m["trace_wave"]
        table = (m["WAVEMIN"], m["WAVEMAX"])
        x, y = (legendre(t[fibres], wave, *trace) for t in (self.xtrace, self.ytrace))
        sx, sy = (legendre(t[fibres], wave, *table) for t in (self.ghsigx, self.ghsigy))
        c = legendre(self.gh[:, :, fibres], wave, *table)
        hx, hy = m["HSIZEX"], m["HSIZEY"]
        spots = np.zeros(x.shape + (2 * hy + 1, 2 * hx + 1))
        for at in np.ndindex(x.shape):
            bx = basis(x[at], sx[at], hx, m["GHDEGX"])
            by = basis(y[at], sy[at], hy, m["GHDEGY"])
            s = np.einsum("ij,jy,ix->yx", c[(slice(None), slice(None)) + at], by, bx).clip(0)
            spots[at] = s / s.sum()
        return spots, np.floor(x - hx + 0.5).astype(int), np.floor(y - hy + 0.5).astype(int)


def window(xc, yc, hx, hy, core, f):
    """First row, one behind the last; first column, one behind the last. `core`: a slice of bins."""
    p0, p1 = yc.min(), yc.max() + 2 * hy + 1
    y0, y1 = yc[:, core].min(), yc[:, core].max() + 2 * hy + 1
    return p0 + int((y0 - p0) * (1 - f)), p0 + int((y1 - p0) + (p1 - y1) * f), xc.min(), xc.max() + 2 * hx + 1


def cut(image, origin, y0, y1, x0, x1):
    """A window; pixels that are not there are 0."""
    out = np.zeros((y1 - y0, x1 - x0))
    ny, nx = image.shape
    top, left = y0 - origin[0], x0 - origin[1]
    a, b, c, d = max(top, 0), min(top + out.shape[0], ny), max(left, 0), min(left + out.shape[1], nx)
    if a < b and c < d:
        out[a - top : b - top, c - left : d - left] = image[a:b, c:d]
    return out


def projection(spots, xc, yc, y0, y1, x0, x1):
    """A [ny, nx, nspec * nwave], spectrum-major."""
    ns, nw, sy, sx = spots.shape
    a = np.zeros((y1 - y0, x1 - x0, ns * nw))
    for i in range(ns):
        for j in range(nw):
            y, x = yc[i, j] - y0, xc[i, j] - x0
            lo, hi = max(y, 0), min(y + sy, y1 - y0)
            if lo < hi:
                a[lo:hi, x : x + sx, i * nw + j] = spots[i, j, lo - y : hi - y]
    return a


def root(matrix, power):
    w, v = np.linalg.eigh(matrix)
    return (v * w**power) @ v.T


def patch(a, p, w, nspec, nwave, core, regularize=0.0, decorrelate="signal"):
    """x, flux, ivar [nspec, nwave] and R [nspec, nwave, nwave] (noise: over all)."""
    flat = a.reshape(-1, a.shape[-1])
    w, p = w.ravel(), np.where(w.ravel() > 0, p.ravel(), 0)
    m = flat.T @ (w[:, None] * flat)
    y = flat.T @ (w * p)
    phi = flat.T @ w
    floor = 1e-4 * phi.max()
    alpha = np.where(phi < floor, floor - phi, regularize)
    m[np.diag_indices_from(m)] += alpha**2 + 1e-15
    x = np.linalg.solve(m, y)
    if decorrelate == "noise":
        q = root(m, 0.5)
        s = q.sum(1)
        r = q / s[:, None]
        return m, y, phi, x, (r @ x).reshape(nspec, nwave), (s**2).reshape(nspec, nwave), r
    cov = np.linalg.inv(m).reshape(nspec, nwave, nspec, nwave)
    flux, ivar, rs = np.zeros((nspec, nwave)), np.zeros((nspec, nwave)), np.zeros((nspec, nwave, nwave))
    for i in core:
        q = root(cov[i, :, i, :], -0.5)
        s = q.sum(1)
        rs[i] = q / s[:, None]
        flux[i] = rs[i] @ x.reshape(nspec, nwave)[i]
        ivar[i] = s**2
    return m, y, phi, x, flux, ivar, rs


def extract(psf, image, ivar, origin, wmin, wmax, dw, specmin, nspec, bundlesize=25, nsubbundles=5, nwavestep=50,
            wavepad=10, wavepad_frac=0.2, pixpad_frac=0.8, regularize=0.0, psferr=None):
    m = psf.meta
    hx, hy = m["HSIZEX"], m["HSIZEY"]
    psferr = m["PSFERR"] if psferr is None else psferr
    nwave = len(np.arange(wmin, wmax + dw / 2, dw))
    pad = wavepad + int(wavepad * wavepad_frac)
    total = nwave + 2 * pad + nwavestep
    wave = wmin + (np.arange(total) - pad) * dw
    good = ivar > 0
    image = np.where(good, image, 0)
    out = {k: np.zeros((nspec, nwave)) for k in ("flux", "ivar", "pixmask_fraction", "chi2pix")}
    rdiags = np.zeros((nspec, 2 * hy + 1, nwave))
    model = np.zeros(image.shape)
    each = bundlesize // nsubbundles
    for bundle in range(specmin, specmin + nspec, bundlesize):
        spots, xc, yc = psf.spots(slice(bundle, bundle + bundlesize), wave)
        for sub in range(nsubbundles):
            c0, c1 = sub * each, (sub + 1) * each
            f0, f1 = max(c0 - 1, 0), min(c1 + 1, bundlesize)
            for first in range(0, nwave, nwavestep):
                bins = slice(first, first + nwavestep + 2 * pad)
                s, x_, y_ = spots[f0:f1, bins], xc[f0:f1, bins], yc[f0:f1, bins]
                box = window(x_, y_, hx, hy, slice(pad, pad + nwavestep), pixpad_frac)
                p, w = cut(image, origin, *box), cut(np.where(good, ivar, 0), origin, *box)
                a = projection(s, x_, y_, *box)
                ns, nw = f1 - f0, nwavestep + 2 * pad
                core = range(c0 - f0, c1 - f0)
                _, _, _, xs, flux, iv, rs = patch(a, p, w, ns, nw, core, regularize)
                flat = a.reshape(-1, ns * nw)
                masked = (flat.T @ (w.ravel() == 0)).reshape(ns, nw)
                mu = flat @ xs
                with np.errstate(divide="ignore"):
                    tau = np.where(w.ravel() > 0, 1 / ((mu * psferr + 1e-32) ** 2 + 1 / w.ravel()), 0)
                num = (flat.T @ ((p.ravel() - mu) ** 2 * tau)).reshape(ns, nw)
                den = (flat.T @ (tau > 0)).reshape(ns, nw)
                chi2 = np.divide(num, den, out=np.zeros_like(num), where=den > 0)
                inside = np.zeros((ns, nw), bool)
                inside[c0 - f0 : c1 - f0, pad : pad + nwavestep] = True
                part = (flat @ np.where(inside, flux, 0).ravel()).reshape(p.shape)
                y0, y1, x0, x1 = box
                t, l = y0 - origin[0], x0 - origin[1]
                aa, bb, cc, dd = max(t, 0), min(t + part.shape[0], model.shape[0]), max(l, 0), min(l + part.shape[1], model.shape[1])
                model[aa:bb, cc:dd] += part[aa - t : bb - t, cc - l : dd - l]
                n = min(nwavestep, nwave - first)
                rows = slice(bundle - specmin + c0, bundle - specmin + c1)
                here = slice(first, first + n)
                mine = slice(pad, pad + n)
                out["flux"][rows, here] = flux[c0 - f0 : c1 - f0, mine]
                out["ivar"][rows, here] = iv[c0 - f0 : c1 - f0, mine]
                out["pixmask_fraction"][rows, here] = masked[c0 - f0 : c1 - f0, mine]
                out["chi2pix"][rows, here] = chi2[c0 - f0 : c1 - f0, mine]
                for i in range(c0, c1):
                    for j in range(n):
                        for k in range(2 * hy + 1):
                            rdiags[bundle - specmin + i, k, first + j] = rs[i - f0, pad + j - hy + k, pad + j]
    grid = wave[pad : pad + nwave]
    width = np.gradient(grid)
    return dict(wave=grid, specflux=out["flux"] / width, specivar=out["ivar"] * width**2, Rdiags=rdiags, modelimage=model,
                pixmask_fraction=out["pixmask_fraction"], chi2pix=out["chi2pix"])

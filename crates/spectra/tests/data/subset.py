"""Makes desi.gz, beside this file, of the full reference arrays: python subset.py DIRECTORY.

A gzip stream of records: the name's length (u32) and the name, the length of a .npy file (u64) and the file. `small` and
`masked` are bins 50 to 100 of the full cases, which are whole patches of these, with the pixels that they see. What is only
compared is rounded to 1e-10 of its maximum.
"""

import gzip
import io
import struct
import sys
from pathlib import Path

import numpy as np

FIBRES = 10
FIRST = 50


def rounded(a):
    unit = 2.0 ** (np.ceil(np.log2(np.abs(a).max())) - 33)
    return np.round(a / unit) * unit


def main(directory):
    def load(case, name):
        return np.load(f"{directory}/{case}/{name}.npy")

    arrays = {f"psf/{n}": load("psf", n)[:FIBRES] for n in ("xtrace", "ytrace", "ghsigx", "ghsigy")}
    arrays["psf/gh"] = load("psf", "gh")[:, :, :FIBRES]
    for name in ("img", "ivar", "xc", "yc"):
        arrays[f"tiny/{name}"] = load("tiny", name)
    for name in ("spots", "icov", "y", "fluxweight", "xflux", "flux_signal", "fluxivar_signal", "R_signal", "flux_noise",
                 "fluxivar_noise", "R_noise"):
        arrays[f"tiny/{name}"] = rounded(load("tiny", name))
    top = ROWS
    for case in ("small", "masked"):
        origin = load(case, "origin_yx")
        arrays[f"{case}/origin_yx"] = origin + [top, 0]
        for name in ("image", "ivar"):
            arrays[f"{case}/{name}"] = load(case, name)[top:]
        arrays[f"{case}/wave"] = load(case, "wave")[FIRST:]
        for name in ("specflux", "specivar", "Rdiags", "pixmask_fraction", "chi2pix"):
            arrays[f"{case}/{name}"] = load(case, name)[..., FIRST:]
        # Rows that no earlier bin reaches.
        arrays[f"{case}/modelimage"] = rounded(load(case, "modelimage")[top + OWN_ROWS:])
    masked = arrays.pop("masked/ivar") > 0
    # Where its pixels are not masked, the image is that of `small`.
    del arrays["masked/image"]
    arrays["masked/good"] = masked
    out = gzip.GzipFile(Path(__file__).with_name("desi.gz"), "wb", 9, mtime=0)
    for name, array in arrays.items():
        file = io.BytesIO()
        np.save(file, array)
        out.write(struct.pack("<I", len(name)) + name.encode() + struct.pack("<Q", len(file.getvalue())))
        out.write(file.getvalue())
    out.close()


# The first row of the image that is kept, which the first patch sees; how many rows later no earlier bin has a spot.
ROWS = 110
OWN_ROWS = 37

if __name__ == "__main__":
    main(sys.argv[1])

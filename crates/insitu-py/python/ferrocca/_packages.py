"""Names of packages where the name to install is not the name to import."""

import ctypes
import sys

DISTRIBUTIONS = {
    "cv2": "opencv-python",
    "PIL": "pillow",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}

# CuPy is built for one major version of CUDA each; a driver serves its own and older ones.
OLDEST_CUDA, NEWEST_CUDA = 12, 13


def package_of(module):
    """What to install for `import module`."""
    if module in ("cupy", "cupyx", "cupy_backends"):
        return f"cupy-cuda{min(max(cuda_major(), OLDEST_CUDA), NEWEST_CUDA)}x"
    return DISTRIBUTIONS.get(module, module)


def cuda_major():
    """Major version of CUDA that this machine's driver serves; the newest known one where no driver says."""
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        version = ctypes.c_int()
        if driver.cuDriverGetVersion(ctypes.byref(version)) == 0:
            return version.value // 1000
    except (OSError, AttributeError):
        pass
    return NEWEST_CUDA


def ziglang():
    """The directory of the package `ziglang`, whose C compiler serves a machine without another; None without it."""
    import importlib.util

    found = importlib.util.find_spec("ziglang")
    return found.submodule_search_locations[0] if found and found.submodule_search_locations else None


def nccl():
    """NCCL's library, of the packages that CuPy and PyTorch install; None without it."""
    import importlib.util
    import pathlib

    try:
        found = importlib.util.find_spec("nvidia.nccl")
    except ModuleNotFoundError:
        return None
    places = [pathlib.Path(place, "lib", "libnccl.so.2") for place in (found and found.submodule_search_locations) or []]
    return next((str(place) for place in places if place.is_file()), None)

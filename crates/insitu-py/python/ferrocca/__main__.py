"""`python -m ferrocca info`: what this installation can do, and what would make it do more."""

import argparse
import json
import sys

from . import Device, Error, __version__, modes


def information():
    """What `info` prints, as data."""
    found = []
    for mode in modes():
        entry = dict(mode)
        if mode["unavailable"] is None:
            try:
                entry["info"] = Device(mode["name"]).info
            except Error as error:
                entry["unavailable"] = str(error)
        found.append(entry)
    return {"version": __version__, "python": sys.version.split()[0], "modes": found, "libraries": libraries()}


def libraries():
    """Versions of the array libraries and file formats that are installed."""
    from importlib.metadata import PackageNotFoundError, version

    known = "numpy cupy-cuda12x cupy-cuda13x torch jax numba pyopencl tensorflow h5py netCDF4 zarr matplotlib ziglang".split()
    versions = {}
    for name in known:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            pass
    return versions


def info(as_json):
    known = information()
    if as_json:
        print(json.dumps(known, indent=2))
        return 0
    print(f"ferrocca {known['version']}, Python {known['python']}")
    for mode in known["modes"]:
        print(f"\n{mode['name']}: {mode['description']}")
        if mode["unavailable"]:
            print(f"  not available: {mode['unavailable'].removeprefix(known_by(mode['name']))}")
            continue
        for name in mode["devices"]:
            print(f"  {name}")
        for name in ("compiler", "driver"):
            if text := mode["info"].get(name):
                print(f"    {name}: {text}")
    print("\nlibraries: " + (", ".join(f"{name} {version}" for name, version in known["libraries"].items()) or "none"))
    if not any(mode["name"] == "CPU" and not mode["unavailable"] for mode in known["modes"]):
        print("\nThe processor's modes need a C compiler: gcc, clang, or `pip install ferrocca[cpu]`.")
    return 0


def known_by(mode):
    """How errors begin that tell of a mode, which stands above the line here."""
    return f"mode `{mode}` is not available: "


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m ferrocca", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("info", help="modes, devices, compilers and libraries")
    command.add_argument("--json", action="store_true", help="as JSON")
    return info(parser.parse_args(arguments).json)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # `| head`
        sys.stderr.close()

"""Frames into files, one class for each format: ``solver.run(HDF5("run.h5"))``.

A file is complete up to the last frame that was handed over: a process that is killed leaves what it had written. (The
solver hands frames over in batches; beside a hook with `step` it does so one by one.) With `resume` a
later run goes on in the same file; frames from its first step on, which an earlier run has left, are replaced.
"""

import base64
import os
import re
import shutil
import struct
import warnings

import numpy as np

from ._arrays import interior, to_numpy, values
from ._atomic import write_atomically

__all__ = ["HDF5", "VTK", "NetCDF", "Zarr"]


class Writer:
    """What the formats have in common: each has `create`, `reopen` and `write`, and `close` where there is something to close."""

    def __init__(self, path, *, fields=None, ghosts=False, resume=False):
        self._path, self._fields, self._keeps_ghosts, self._resume = os.fspath(path), fields, ghosts, resume
        self.frames = 0

    def start(self, run):
        """The run begins: makes the directory of the file. The file itself is opened for the first frames, whose shapes it needs."""
        self.frames = 0
        self._run, self._is_open = run, False
        self._points = None if self._keeps_ghosts else run.parameters.get("points")
        self._file_path = os.path.join(run.output_dir or ".", self._path)
        os.makedirs(os.path.dirname(os.path.abspath(self._file_path)), exist_ok=True)

    def observe(self, batch):
        """Writes the moments of a batch. What the system or the format's library refuses is raised.

        Raises KeyError where the batch lacks a field that was named, ImportError where the format's library is missing.
        """
        names = self._fields or list(batch.fields)
        frames = {name: interior(to_numpy(values(batch.fields[name])), self._points) for name in names}
        steps, times = np.asarray(batch.steps, np.int64), np.asarray(batch.times)
        if not self._is_open:
            self._is_open = True
            if not (self._resume and self.reopen(frames, int(steps[0]))):
                self.create(frames)
        self.write(steps, times, frames)
        self.frames += len(steps)

    def finish(self, run):
        """The run is over: closes the file, if there were frames."""
        if self._is_open:
            self.close()

    def create(self, frames):
        """Makes the file anew. `frames` are by the names of the fields arrays of shape (moments, ...), as :meth:`write` gets them: for
        shapes and types."""
        raise NotImplementedError

    def reopen(self, frames, first_step):
        """Opens the file that an earlier run has left, and drops its frames from `first_step` on; False where there is none."""
        raise NotImplementedError

    def write(self, steps, times, frames):
        """Appends frames: step and time of each, and by the names of the fields arrays of shape (moments, ...)."""
        raise NotImplementedError

    def close(self):
        """Closes the file, which then has all frames."""

    def attributes(self):
        """What the file says of the run."""
        run = self._run
        return {"solver": run.name, "mode": run.mode, "device": run.device, **run.parameters}

    def spacing(self, points):
        """Distance of two points along the last axis, and the first one's coordinate."""
        length, count = self._run.parameters.get("length"), self._run.parameters.get("points")
        if not length or not count:
            return 1.0, 0.0
        ghosts = (points - count) // 2
        return length / count, -ghosts * length / count


def chunk_rows(frame):
    """Frames of a chunk: about 1 MiB of it."""
    return max(1, min(1024, (1 << 20) // max(1, frame.nbytes)))


class HDF5(Writer):
    """Chunked, compressed and extendable datasets: one for each field, whose first axis counts the frames, ``step`` and
    ``time``. Parameters are attributes. While the run goes on others read along (SWMR):
    ``h5py.File(path, "r", swmr=True)``. Needs h5py."""

    def __init__(self, path, *, compression="gzip", **options):
        super().__init__(path, **options)
        self._compression = compression

    def create(self, frames):
        import h5py

        self._file = file = h5py.File(self._file_path, "w", libver="latest")
        file.attrs.update(self.attributes())
        for name, rows in {"step": np.empty(0, np.int64), "time": np.empty(0), **frames}.items():
            shape = rows.shape[1:]
            chunks = (chunk_rows(rows[0]), *shape) if shape else (1024,)
            options = {"compression": self._compression, "shuffle": True} if shape else {}
            file.create_dataset(name, (0, *shape), dtype=rows.dtype, maxshape=(None, *shape), chunks=chunks, **options)
        file.flush()
        file.swmr_mode = True

    def reopen(self, frames, first_step):
        import h5py

        if not os.path.exists(self._file_path):
            return False
        try:
            self._file = h5py.File(self._file_path, "r+", libver="latest")
        except OSError:
            # The process that wrote it was killed, and HDF5 takes the file for open: a copy of it is not.
            copy = self._file_path + ".part"
            with h5py.File(self._file_path, "r", swmr=True) as old, h5py.File(copy, "w", libver="latest") as new:
                new.attrs.update(old.attrs)
                for name in old:
                    old.copy(name, new)
            os.replace(copy, self._file_path)
            self._file = h5py.File(self._file_path, "r+", libver="latest")
        # Rows of all datasets, of those that were written last fewer by one.
        steps = self._file["step"][:]
        keep = min(int(np.searchsorted(steps, first_step)), *(len(self._file[name]) for name in frames))
        for name in ("step", "time", *frames):
            self._file[name].resize(keep, 0)
        self._file.flush()
        self._file.swmr_mode = True
        return True

    def write(self, steps, times, frames):
        # `step` comes last: who reads along finds each step that it has in all the others.
        for name, rows in {**frames, "time": times, "step": steps}.items():
            dataset = self._file[name]
            known = len(dataset)
            dataset.resize(known + len(rows), 0)
            dataset[known:] = rows
            dataset.flush()

    def close(self):
        self._file.close()


class NetCDF(Writer):
    """NetCDF-4 with the CF conventions' attributes: a variable for each field over ``time`` and ``x``, and ``step``.

    netCDF4 changes a file in place, and one that is killed meanwhile cannot be opened again. So there are two copies while the run
    goes on, ``.NAME.0`` and ``.NAME.1``: ``NAME`` is the one that is not being written, and has all frames that were handed over.
    When the run ends one is left. A file system without hard links gets a single file, with a warning. Needs netCDF4."""

    def __init__(self, path, *, compression="zlib", units=None, **options):
        super().__init__(path, **options)
        self._compression, self._units = compression, units or {}

    def create(self, frames):
        import netCDF4

        self._files = [netCDF4.Dataset(path, "w") for path in self._places()]
        for file in self._files:
            self._define(file, frames)

    def _define(self, file, frames):
        file.setncatts({"Conventions": "CF-1.11", "title": f"{self._run.name}, written while it ran"})
        file.setncatts({name: value for name, value in self.attributes().items() if name != "title"})
        file.createDimension("time", None)
        time = file.createVariable("time", "f8", ("time",), chunksizes=(1024,))
        time.setncatts({"long_name": "time", "units": self._units.get("time", "1"), "axis": "T"})
        step = file.createVariable("step", "i8", ("time",), chunksizes=(1024,))
        step.setncatts({"long_name": "number of steps done", "units": "1"})
        for name, rows in frames.items():
            axes = ["x"] if rows.ndim == 2 else [f"{name}_{axis}" for axis in range(rows.ndim - 1)]
            for axis, extent in zip(axes, rows.shape[1:]):
                if axis not in file.dimensions:
                    file.createDimension(axis, extent)
            if axes == ["x"] and "x" not in file.variables:
                spacing, first = self.spacing(rows.shape[1])
                x = file.createVariable("x", "f8", ("x",))
                x.setncatts({"long_name": "position", "units": self._units.get("x", "1"), "axis": "X"})
                x[:] = first + spacing * np.arange(rows.shape[1])
            chunks = (chunk_rows(rows[0]), *rows.shape[1:])
            variable = file.createVariable(
                name, rows.dtype, ("time", *axes), compression=self._compression, shuffle=True, chunksizes=chunks
            )
            variable.setncatts({"long_name": f"field {name}", "units": self._units.get(name, "1")})

    def reopen(self, frames, first_step):
        import netCDF4

        if not os.path.exists(self._file_path):
            return False
        with netCDF4.Dataset(self._file_path) as file:
            steps = np.ma.filled(file["step"][:], -1)  # a single file may have a frame that is not whole, without its step
        keep = int(np.searchsorted(np.append(steps[steps >= 0], first_step), first_step))
        places = self._places()
        if keep == len(steps):
            for place in places:
                if place != self._file_path:
                    shutil.copyfile(self._file_path, place)
            self._files = [netCDF4.Dataset(place, "a") for place in places]
            return True
        # An unlimited dimension does not get shorter, so the rest goes into new files.
        old_path = self._file_path
        if self._file_path in places:
            old_path += ".old"
            os.replace(self._file_path, old_path)
        self.create(frames)
        with netCDF4.Dataset(old_path) as old:
            for start in range(0, keep, 64):
                rows = slice(start, min(keep, start + 64))
                kept = {name: np.ma.getdata(old[name][rows]) for name in (*frames, "time", "step")}
                for file in self._files:
                    self._append(file, kept)
        self._show()
        if old_path != self._file_path:
            os.unlink(old_path)
        return True

    def write(self, steps, times, frames):
        rows = {**frames, "time": times, "step": steps}
        self._append(self._files[0], rows)
        self._show()
        for file in self._files[:-1]:
            self._append(file, rows)

    @staticmethod
    def _append(file, frames):
        known = len(file.dimensions["time"])
        for name, rows in frames.items():
            file[name][known : known + len(rows)] = rows
        file.sync()

    def _places(self):
        """Where the copies lie."""
        directory, name = os.path.split(self._file_path)
        copies = [os.path.join(directory, f".{name}.{number}") for number in (0, 1)]
        self._remove([*copies, self._temporary()])  # of a run that was killed
        try:
            with open(copies[0], "wb"):
                os.link(copies[0], copies[1])
            os.replace(copies[1], self._temporary())
            os.unlink(self._temporary())
            os.unlink(copies[0])
        except OSError as error:
            warnings.warn(f"{self._file_path} is written in place: if the run is killed meanwhile it may be lost ({error})")
            self._remove(copies)
            return [self._file_path]
        return copies

    def _temporary(self):
        directory, name = os.path.split(self._file_path)
        return os.path.join(directory, f".{name}.shown")

    def _show(self):
        """Gives the name of the file to the copy that was written first; the other one is the first from now on."""
        if len(self._files) > 1:
            os.link(self._files[0].filepath(), self._temporary())
            os.replace(self._temporary(), self._file_path)
            self._files.reverse()

    def close(self):
        copies = [file.filepath() for file in self._files if len(self._files) > 1]
        for file in self._files:
            file.close()
        self._remove(copies)

    @staticmethod
    def _remove(paths):
        for path in paths:
            if os.path.lexists(path):
                os.unlink(path)


class Zarr(Writer):
    """A Zarr group: an array for each field, whose first axis counts the frames, ``step`` and ``time``; every chunk is a file
    of its own. A frame whose ``step`` is -1 is not whole: the run was killed while it was written. Needs zarr, version 3."""

    def create(self, frames):
        import zarr

        self._group = zarr.open_group(self._file_path, mode="w")
        self._group.attrs.update(self.attributes())
        for name, rows in {"step": np.empty(0, np.int64), "time": np.empty(0), **frames}.items():
            shape = rows.shape[1:]
            # A chunk is written as a whole: a frame each costs nothing twice.
            chunks, fill = (1, *shape) if shape else (1024,), -1 if name == "step" else 0
            self._group.create_array(name, shape=(0, *shape), chunks=chunks, dtype=rows.dtype, fill_value=fill)

    def reopen(self, frames, first_step):
        import zarr

        if not os.path.isdir(self._file_path):
            return False
        self._group = zarr.open_group(self._file_path, mode="r+")
        steps = self._group["step"][:]
        keep = int(np.searchsorted(steps[steps >= 0], first_step))
        for name in ("step", "time", *frames):
            array = self._group[name]
            array.resize((min(keep, array.shape[0]), *array.shape[1:]))
        return True

    def write(self, steps, times, frames):
        for name, rows in {**frames, "time": times, "step": steps}.items():
            array = self._group[name]
            known = array.shape[0]
            array.resize((known + len(rows), *array.shape[1:]))
            # `step` comes last: until then it is -1.
            array[known:] = rows


VTK_TYPES = {"float32": "Float32", "float64": "Float64", "int32": "Int32", "int64": "Int64", "uint8": "UInt8"}


class VTK(Writer):
    """Image data for ParaView and VisIt: a ``.vti`` file for each frame beside ``path``, a ``.pvd`` file that lists them with
    their times. Fields of up to three axes. Needs nothing."""

    def __init__(self, path, **options):
        super().__init__(path, **options)
        if not self._path.endswith(".pvd"):
            raise ValueError(f"{self._path}: the name of a .pvd file is expected")

    def create(self, frames):
        self._entries = []

    def reopen(self, frames, first_step):
        if not os.path.exists(self._file_path):
            return False
        with open(self._file_path) as file:
            found = re.findall(r'timestep="([^"]+)" file="([^"]+_(\d+)\.vti)"', file.read())
        self._entries = [(float(time), name) for time, name, step in found if int(step) < first_step]
        return True

    def write(self, steps, times, frames):
        stem, directory = os.path.basename(self._path)[:-4], os.path.dirname(os.path.abspath(self._file_path))
        for row, (step, time) in enumerate(zip(steps, times)):
            name = f"{stem}_{step:08d}.vti"
            text = self._image({field: rows[row] for field, rows in frames.items()})
            write_atomically(os.path.join(directory, name), lambda file: file.write(text.encode()))
            self._entries.append((float(time), name))
        lines = "\n".join(f'    <DataSet timestep="{time!r}" file="{name}"/>' for time, name in self._entries)
        text = f'<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1">\n  <Collection>\n{lines}\n  </Collection>\n</VTKFile>\n'
        write_atomically(self._file_path, lambda file: file.write(text.encode()))

    def _image(self, fields):
        shape = next(iter(fields.values())).shape
        if len(shape) > 3 or any(array.shape != shape for array in fields.values()):
            raise ValueError("VTK image data are fields of one shape, of up to three axes")
        # The first axis of VTK is the fastest.
        extents = [*reversed(shape), 1, 1][:3]
        extent = " ".join(f"0 {extent - 1}" for extent in extents)
        spacing, first = self.spacing(shape[-1])
        arrays = ""
        for name, array in fields.items():
            kind = VTK_TYPES.get(str(array.dtype))
            if kind is None:
                raise TypeError(f"field `{name}` of {array.dtype}: VTK takes {', '.join(VTK_TYPES)}")
            little = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
            data = base64.b64encode(struct.pack("<Q", len(little)) + little).decode()
            arrays += f'        <DataArray type="{kind}" Name="{name}" format="binary">{data}</DataArray>\n'
        return (
            '<?xml version="1.0"?>\n'
            '<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n'
            f'  <ImageData WholeExtent="{extent}" Origin="{first!r} 0 0" Spacing="{spacing!r} 1 1">\n'
            f'    <Piece Extent="{extent}">\n      <PointData Scalars="{next(iter(fields))}">\n{arrays}      </PointData>\n'
            "    </Piece>\n  </ImageData>\n</VTKFile>\n"
        )

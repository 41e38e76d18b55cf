"""Pictures of a run: a space-time picture, an energy spectrum, an animation. Needs Matplotlib."""

import os

import numpy as np

from ._arrays import Observer, interior, to_numpy
from ._atomic import write_atomically

__all__ = ["Pictures"]


class Pictures(Observer):
    """Draws a field of one axis at the end of the run, into the run's output directory.

    ``space_time.png``: the field over x and time; ``spectrum.png``: energy |û_k|²/2 over the wave number at some moments;
    ``animation.gif``, and ``animation.mp4`` where ffmpeg is. At most `most` moments are kept: when there are more, every second
    one is let go, so that memory is bounded and those that stay are equally far apart. Leave out what is not wanted:
    ``Pictures(draw=("space_time",))``. In the thread of :func:`beside` only the gathering is beside the run.
    """

    KINDS = ("space_time", "spectrum", "animation")

    def __init__(self, *, field=None, draw=KINDS, most=400, frames_per_second=25, mp4=None):
        super().__init__(field)
        unknown = set(draw) - set(self.KINDS)
        if unknown or most < 2:
            raise ValueError(f"draw = {draw}, most = {most}: some of {self.KINDS}, and at least 2 moments are expected")
        self._draw, self._most, self._rate, self._mp4 = draw, most, frames_per_second, mp4
        self.rows, self.times = [], []

    def start(self, run):
        """The run begins: what an earlier one has left is forgotten."""
        self.rows, self.times = [], []
        self._stride, self._count, self._points = 1, 0, run.parameters.get("points")

    def take(self, steps, times, rows):
        """Copies those of `rows`, of shape (moments, points) with the ghost points, that are drawn."""
        wanted = [i for i in range(len(steps)) if (self._count + i) % self._stride == 0]
        self._count += len(steps)
        if not wanted:
            return
        some = np.array(to_numpy(interior(rows, self._points)[wanted]))
        for row, i in zip(some, wanted):
            self.rows.append(row)
            self.times.append(times[i])
        while len(self.rows) > self._most:
            self.rows, self.times = self.rows[::2], self.times[::2]
            self._stride *= 2

    def finish(self, run):
        """Draws, and writes the files into the run's output directory; of no moments nothing.

        Raises ImportError where Matplotlib is missing, OSError for what the system refuses.
        """
        if not self.rows:
            return
        directory = run.output_dir or "."
        self._length = run.parameters.get("length") or float(len(self.rows[0]))
        for kind in self._draw:
            if kind == "animation":
                self._animate(directory)
            else:
                figure = getattr(self, "_" + kind)(np.array(self.rows))
                path = os.path.join(directory, kind + ".png")
                write_atomically(path, lambda file, figure=figure: figure.savefig(file, format="png", dpi=150))

    def _axes(self, **names):
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7, 4.5), layout="constrained")
        axes = figure.add_subplot()
        axes.set(**names)
        return figure, axes

    def _space_time(self, rows):
        figure, axes = self._axes(xlabel="x", ylabel="t", title=f"{self.field or 'u'}(x, t)")
        size = np.abs(rows).max() or 1.0
        extent = (0, self._length, self.times[0], self.times[-1] if len(rows) > 1 else self.times[0] + 1)
        image = axes.imshow(rows, origin="lower", aspect="auto", extent=extent, cmap="RdBu_r", vmin=-size, vmax=size)
        figure.colorbar(image, ax=axes)
        return figure

    def _spectrum(self, rows):
        figure, axes = self._axes(xlabel="wave number k", ylabel="energy |û|²/2", title="Energy spectrum")
        from matplotlib import colormaps

        shown = sorted({round(i) for i in np.linspace(0, len(rows) - 1, 5)})
        wave_numbers = 2 * np.pi / self._length * np.arange(1, rows.shape[1] // 2 + 1)
        for number, row in enumerate(shown):
            energy = spectrum(rows[row])[1:]
            colour = colormaps["viridis"](0.9 * number / max(1, len(shown) - 1))
            axes.loglog(wave_numbers[: len(energy)], np.maximum(energy, 1e-300), color=colour, label=f"t = {self.times[row]:.3f}")
        axes.set_ylim(bottom=max(1e-20, axes.get_ylim()[0]))
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
        return figure

    def _animate(self, directory):
        from matplotlib.animation import FFMpegWriter, FuncAnimation, PillowWriter

        rows = np.array(self.rows)
        figure, axes = self._axes(xlabel="x", ylabel=self.field or "u")
        low, high = rows.min(), rows.max()
        margin = 0.05 * (high - low) or 1.0
        axes.set(xlim=(0, self._length), ylim=(low - margin, high + margin))
        x = self._length / rows.shape[1] * np.arange(rows.shape[1])
        (line,) = axes.plot(x, rows[0], color="#2a6f97")
        title = axes.set_title("")

        def draw(i):
            line.set_ydata(rows[i])
            title.set_text(f"t = {self.times[i]:.3f}")
            return line, title

        animation = FuncAnimation(figure, draw, frames=len(rows))
        writers = [("gif", PillowWriter(fps=self._rate))]
        if self._mp4 or self._mp4 is None and FFMpegWriter.isAvailable():
            writers.append(("mp4", FFMpegWriter(fps=self._rate)))
        for kind, writer in writers:
            staged = os.path.join(directory, f".animation.part.{kind}")
            animation.save(staged, writer=writer, dpi=80)
            os.replace(staged, os.path.join(directory, f"animation.{kind}"))


def spectrum(row):
    """Energy of each wave number of a periodic row: |û_k|²/2, both signs together; their sum is half the mean square."""
    energy = np.abs(np.fft.rfft(row) / len(row)) ** 2 / 2
    energy[1 : (len(row) + 1) // 2] *= 2
    return energy

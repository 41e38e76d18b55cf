from collections.abc import Callable
from os import PathLike
from typing import Any, Literal, final, type_check_only

from . import Device, Frame, Memory, Stop

@final
class Solver:
    """The viscous Burgers equation u_t + u u_x = nu u_xx on a periodic interval, from u = sin(2 pi x / length)."""

    def __new__(
        cls,
        device: Device,
        *,
        points: int | None = None,
        length: float | None = None,
        nu: float | None = None,
        dt: float | None = None,
        final_time: float | None = None,
        precision: Literal["f32", "f64"] | None = None,
    ) -> Solver:
        """Where nothing is given: 256 points on 2 pi, nu = 0.01, dt = 0.001, until 2, ``f64``.

        A time step that is not stable is warned of, as a :class:`RuntimeWarning`.
        """
    def step(self, count: int = 1) -> None:
        """Does that many steps. Ctrl-C ends it after one of them, and ``step_count`` says after which."""
    @property
    def u(self) -> Memory:
        """The field now, ghosts first and last; after the next step another buffer is current."""
    @property
    def time(self) -> float: ...
    @property
    def step_count(self) -> int: ...
    def is_finite(self) -> bool: ...
    def run(
        self,
        hook: Callable[[Frame], Stop | None] | Any = None,
        *,
        every: int = 1,
        output_dir: str | PathLike[str] | None = None,
        read_only: bool = False,
    ) -> Literal["finished", "stopped", "interrupted"]:
        """Steps until `final_time`, or until a hook sets another one.

        `hook` is a function of frames, or an object with any of `start(run)`, `step(frame)` or `observe(batch)`, and
        `finish(run)`.
        """
    def start(
        self,
        hook: Callable[[Frame], Stop | None] | Any = None,
        *,
        every: int = 1,
        output_dir: str | PathLike[str] | None = None,
        read_only: bool = False,
    ) -> BackgroundRun:
        """:meth:`run` in a thread, for notebooks. The solver is the run's until that is over."""
    @property
    def timing(self) -> dict[str, float] | None:
        """Where the wall time of the last run went, in seconds.

        ``set_up`` (first launches, the hook's `start` and its first call), ``wall`` (the time loop without it), ``hook`` (its
        part of ``wall``), ``median_step``, ``mean_step``; and ``steps``.
        """

@type_check_only
class Progress:
    """How far a run is."""

    step: int
    steps: int | None
    time: float
    wall: float
    @property
    def fraction(self) -> float:
        """From 0 to 1; 0 while the number of steps is not known."""

@type_check_only
class BackgroundRun:
    """A run in a thread."""

    @property
    def progress(self) -> Progress:
        """Renewed ten times a second."""
    @property
    def is_over(self) -> bool: ...
    def stop(self) -> None:
        """Ends the run after the step under way; the hook's `finish` is called. Waits for nothing."""
    def result(self, timeout: float | None = None) -> Literal["finished", "stopped", "interrupted"]:
        """Waits for the end; raises what the hook or the solver has raised, and TimeoutError after `timeout` seconds."""

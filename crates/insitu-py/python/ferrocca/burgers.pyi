from collections.abc import Callable
from os import PathLike
from typing import Any, Literal, final

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
        """Where nothing is given: 256 points on 2 pi, nu = 0.01, dt = 0.001, until 2, ``f64``."""
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
        """Steps until `final_time`.

        `hook` is a function of frames, or an object with any of `start(run)`, `step(frame)` or `observe(batch)`, and
        `finish(run)`.
        """

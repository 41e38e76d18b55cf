from collections.abc import Callable
from os import PathLike
from typing import Any, Literal, final

from . import Device, Frame, Memory, Stop

@final
class Solver:
    """The viscous Burgers equation u_t + u u_x = nu u_xx on a periodic interval, from u = sin(2 pi x / length)."""

    def __init__(
        self,
        device: Device,
        *,
        points: int = 256,
        length: float = ...,
        nu: float = 0.01,
        dt: float = 0.001,
        final_time: float = 2.0,
        precision: Literal["f32", "f64"] = "f64",
    ) -> None: ...
    def step(self, count: int = 1) -> None: ...
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

        `hook` is a function of frames, or an object with any of `start(run)`, `step(frame)` and `finish(run)`.
        """

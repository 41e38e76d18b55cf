"""Runs of a solver in a thread, for notebooks: what `solver.start(hook)` answers."""

import atexit
import threading
import weakref

from . import _html

#: Those that may still run. A thread that computes while the interpreter ends would bring the process down.
_runs = weakref.WeakSet()

#: How long the end of the interpreter waits for each, in seconds.
PATIENCE = 10.0


@atexit.register
def _stop_all():
    for run in list(_runs):
        run.stop()
    for run in list(_runs):
        run._is_over.wait(PATIENCE)


class Progress:
    """How far a run is: ``step`` of about ``steps``, ``time`` reached, ``wall`` seconds since the first step.

    The time is the sum of the steps so far, with its rounding: in a long run ``steps`` may change by one.
    """

    __slots__ = ("step", "steps", "time", "wall")

    def __init__(self, step=0, steps=None, time=0.0, wall=0.0):
        self.step, self.steps, self.time, self.wall = step, steps, time, wall

    @property
    def fraction(self):
        """From 0 to 1; 0 while the number of steps is not known."""
        return self.step / self.steps if self.steps else 0.0

    def __repr__(self):
        of = "" if self.steps is None else f" of {self.steps} ({100 * self.fraction:.0f} %)"
        return f"step {self.step}{of}, t = {self.time:g}, {self.wall:.1f} s"


class BackgroundRun:
    """A run in a thread. The solver is the run's until it is over."""

    def __init__(self, solver, hook, control, options):
        self._control, self._hook = control, hook
        self._outcome = self._error = None
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(solver, hook, options), name="ferrocca run", daemon=True)
        _runs.add(self)
        self._thread.start()

    def _run(self, solver, hook, options):
        try:
            self._outcome = solver.run(hook, _control=self._control, **options)
        except BaseException as error:
            self._error = error
        finally:
            self._is_over.set()

    @property
    def progress(self):
        """A `Progress`, renewed ten times a second."""
        return Progress(*(self._control.progress or ()))

    @property
    def is_over(self):
        """Whether it has ended, in whatever way."""
        return self._is_over.is_set()

    def stop(self):
        """Ends the run after the step under way; the hook's `finish` is called. Waits for nothing.

        A hook that waits for something itself may have `interrupt()`, which is called too.
        """
        self._control.stop()
        interrupt = getattr(self._hook, "interrupt", None)
        if interrupt is not None:
            interrupt()

    def result(self, timeout=None):
        """Waits for the end, and answers ``finished``, ``stopped`` by the hook, or ``interrupted`` by :meth:`stop`.

        Raises what the hook or the solver has raised, and TimeoutError after `timeout` seconds.
        """
        if not self._is_over.wait(timeout):
            raise TimeoutError(f"the run goes on: {self.progress!r}")
        if self._error is not None:
            raise self._error
        return self._outcome

    def _state(self):
        if not self.is_over:
            return "running"
        return self._outcome or f"failed: {type(self._error).__name__}"

    def __repr__(self):
        return f"ferrocca.BackgroundRun({self._state()}, {self.progress!r})"

    def _repr_html_(self):
        return _html.table([], [("run", self._state()), ("progress", repr(self.progress))])


def start(solver, hook, **options):
    from .burgers import _Control

    return BackgroundRun(solver, hook, _Control(), options)

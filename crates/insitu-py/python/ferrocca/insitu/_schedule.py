"""Which moments a hook sees, and several hooks as one."""

import ast
import math

from .. import STOP
from ._arrays import Moments, namespace, values

__all__ = ["compose", "on"]


class Parts:
    """The functions of a hook, whichever way it was written: a function of frames, or an object with any of four."""

    def __init__(self, hook):
        if isinstance(hook, Scheduled | Composed):
            self.start, self.finish, self.observes, self.call = hook.start, hook.finish, hook.observes, hook.call
            self.interrupt, self.only_looks = hook.interrupt, hook._only_looks
            self._hook = hook
            return
        get = lambda name: getattr(hook, name, None)  # noqa: E731
        step, observe = get("step"), get("observe")
        if step is not None and observe is not None:
            raise TypeError(f"{hook!r} has `step` and `observe`: a hook has one of them")
        if not any(map(get, ("start", "step", "observe", "finish"))):
            if not callable(hook):
                raise TypeError(f"{hook!r} is no hook: it has none of `start`, `step`, `observe` and `finish`")
            step = hook
        self.start, self.finish = get("start") or nothing, get("finish") or nothing
        self.interrupt = get("interrupt") or (lambda: None)
        self._hook = hook
        #: Whether it changes no field and no parameter, and does not stop the run.
        self.only_looks = getattr(hook, "_only_looks", False) or step is None
        self.observes = step is None and observe is not None
        self._step, self._observe = step, observe

    @property
    def takes_any(self):
        """Whether `every` is but how often it wants to be called, at steps of anybody's choice."""
        return getattr(self._hook, "_takes_any", False)

    @property
    def every(self):
        """Which steps the hook can want next: the multiples of this number."""
        return getattr(self._hook, "_every", 1)

    def call(self, moments, frame):
        """One call: `frame` where there is one, which `moments` then shows as a batch of one."""
        if self._step is not None:
            return self._step(frame)
        if self._observe is not None:
            self._observe(moments)
        return None


def nothing(run):
    pass


class Hook:
    """A hook made of others. It has `observe` where none of them steers, else `step`."""

    observes = False
    #: The solver is asked for steps that are multiples of this number alone, so that it does not stop for others, or copy them.
    _every = 1
    #: No field and no parameter is changed: the solver does not make sure of its field before each call.
    _only_looks = False

    def __getattr__(self, name):
        # The solver asks which of the two there is.
        if name == "observe" and self.observes:
            return self._observe
        if name == "step" and not self.observes:
            return self._step
        raise AttributeError(name)

    def _observe(self, batch):
        self.call(batch, None)

    def _step(self, frame):
        return self.call(Moments.of_frame(frame), frame)


class Scheduled(Hook):
    """What :func:`on` answers."""

    def __init__(self, hook, condition):
        self._parts = Parts(hook)
        self._condition = condition
        self.observes = self._parts.observes
        self.finish, self.interrupt, self._only_looks = self._parts.finish, self._parts.interrupt, self._parts.only_looks
        # `beside` makes its own copy of few moments, and of none that it skips: a batch would be one more.
        if getattr(hook, "_prefers_frames", False) and self._every > 1:
            self.observes = False

    @property
    def _every(self):
        return math.lcm(self._condition.every, self._parts.every)

    def start(self, run):
        self._condition.start(run)
        self._parts.start(run)

    def call(self, moments, frame):
        due = [i for i in range(len(moments.steps)) if self._condition.is_due(moments, i)]
        if not due:
            return None
        return self._parts.call(Moments.of_batch(moments, due), frame)


class Condition:
    """When a moment is one of the schedule's: any of its parts says so."""

    def __init__(self, step, time, times, trigger, first):
        if step is not None and (step != int(step) or step < 1):
            raise ValueError(f"step = {step}: every how many steps, at least 1")
        if time is not None and not time > 0:
            raise ValueError(f"time = {time}: a distance in time, more than 0")
        self._step, self._distance, self._moments = step, time, sorted(times or ())
        self._trigger = Trigger(trigger) if isinstance(trigger, str) else trigger
        self._first = first
        is_steps_alone = time is None and not self._moments and trigger is None
        self.every = int(step) if is_steps_alone else 1

    def start(self, run):
        self._next = 0  # of the moments
        self._last = None  # number of the last distance that was passed
        self._was_true = False

    def is_due(self, moments, i):
        step, time = moments.steps[i], moments.times[i]
        due = self._step is not None and step % self._step == 0
        if self._distance is not None:
            # Times are added up: what rounding leaves below a multiple belongs to it.
            passed = math.floor(time / self._distance * (1 + 1e-9) + 1e-9)
            due |= self._last is not None and passed > self._last or self._last is None and passed > 0
            self._last = passed
        while self._next < len(self._moments) and time >= self._moments[self._next] * (1 - 1e-9):
            self._next += 1
            due = True
        if self._trigger is not None:
            holds = bool(self._trigger(Moments.of_batch(moments, [i])))
            due |= holds and not (self._first and self._was_true)
            self._was_true = holds
        return due


#: What a trigger may call: on an array of the field's library, where the field is.
REDUCTIONS = {"max": "max", "min": "min", "sum": "sum", "mean": "mean", "any": "any", "all": "all"}
FUNCTIONS = {name: name for name in ("abs", "sqrt", "exp", "log", "sin", "cos", "isfinite", "isnan")}
ALLOWED = (
    ast.Expression, ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Call, ast.Name, ast.Constant, ast.Load,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)


class Trigger:
    """An expression over fields, ``step`` and ``time`` that is true or false: ``max(abs(u)) > 1.2``.

    It is computed by the library that shows the field, on its device; one number comes to the host.
    """

    def __init__(self, text):
        self.text = text
        tree = ast.parse(text.strip(), mode="eval")
        for node in ast.walk(tree):
            if not isinstance(node, ALLOWED):
                raise ValueError(f"trigger `{text}`: {type(node).__name__} is not part of an expression over fields")
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else "?"
                if name not in REDUCTIONS and name not in FUNCTIONS or len(node.args) != 1 or node.keywords:
                    known = ", ".join([*REDUCTIONS, *FUNCTIONS])
                    raise ValueError(f"trigger `{text}`: `{name}` is none of the functions of one array: {known}")
        self._names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - {*REDUCTIONS, *FUNCTIONS}
        self._code = compile(tree, "<trigger>", "eval")

    def __call__(self, moments):
        space = {"step": moments.steps[0], "time": moments.times[0]}
        for name in self._names - {"step", "time"}:
            if name not in moments.fields:
                raise NameError(f"trigger `{self.text}`: no field `{name}`; the fields: {', '.join(moments.fields)}")
            space[name] = values(moments.fields[name])
        for name, function in {**REDUCTIONS, **FUNCTIONS}.items():
            space[name] = lambda array, function=function: getattr(namespace(array), function)(array)
        return bool(eval(self._code, space))


def on(hook, *, step=None, time=None, times=None, trigger=None, first=False):
    """`hook`, for some moments only: those for which any of these holds.

    - `step`: every so many steps, those whose number is a multiple of it;
    - `time`: the first moment at or after each multiple of this time;
    - `times`: the first moment at or after each of these;
    - `trigger`: an expression over reductions of fields that is true, ``"max(abs(u)) > 1.2"``, computed where the field is,
      or a function of a batch of one; with `first` only when it becomes true.
    """
    if step is None and time is None and times is None and trigger is None:
        raise ValueError("a schedule needs one of step, time, times, trigger")
    return Scheduled(hook, Condition(step, time, times, trigger, first))


class Composed(Hook):
    """What :func:`compose` answers."""

    def __init__(self, hooks):
        self._parts = [Parts(hook) for hook in hooks]
        self.observes = bool(self._parts) and all(parts.observes for parts in self._parts)
        self._only_looks = all(parts.only_looks for parts in self._parts)

    @property
    def _every(self):
        wanted = math.gcd(*(parts.every for parts in self._parts if not parts.takes_any))
        often = min((parts.every for parts in self._parts if parts.takes_any), default=wanted)
        # Who takes any steps, if they come often enough, takes those of the others.
        return (math.gcd(wanted, often) if often < wanted or not wanted else wanted) or 1

    @property
    def _takes_any(self):
        return all(parts.takes_any for parts in self._parts)

    def start(self, run):
        for parts in self._parts:
            parts.start(run)

    def call(self, moments, frame):
        answers = [parts.call(moments, frame) for parts in self._parts]
        return STOP if any(answer is STOP for answer in answers) else None

    def finish(self, run):
        for parts in self._parts:
            parts.finish(run)

    def interrupt(self):
        for parts in self._parts:
            parts.interrupt()


def compose(*hooks):
    """Several hooks as one, called in their order; one `STOP` stops the run.

    They get batches when all of them only observe; beside one that has `step`, the others get batches of one moment.
    """
    return Composed(hooks)

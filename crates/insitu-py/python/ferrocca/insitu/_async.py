"""Analyses that run beside the solver, in a thread, on memory of their own: the solver's, which it then does without, or a copy."""

import contextlib
import logging
import math
import queue
import sys
import threading
import time

import numpy as np

from .. import STOP
from ._arrays import Moments, kept, namespace, to_numpy, values
from ._schedule import Hook, Parts

__all__ = ["beside"]

log = logging.getLogger("ferrocca")

#: While moments are skipped the solver is stopped this often, in seconds, so that failures are seen.
LONGEST_REST = 0.1

#: How soon the solver's thread gets Python's lock from the one that analyses, in seconds.
SWITCH_INTERVAL = 5e-4


class Snapshot:
    """A field of a batch, in the solver's memory that it has let go or in a slot of the ring."""

    def __init__(self, field, array):
        self.name, self.dtype, self.device = field.name, field.dtype, field.device
        self.in_place = True
        self._array = array

    def array(self):
        return self._array

    def to_host(self):
        # The caller's own, as a field's is: the memory is used again.
        return self._array.copy() if isinstance(self._array, np.ndarray) else to_numpy(self._array)


class Beside(Hook):
    """What :func:`beside` answers. `skipped`, `failed` and `grown` count moments, calls and slots."""

    _only_looks = True
    _prefers_frames = True

    def __init__(self, hook, slots, policy, share, time_limit, on_error):
        if policy not in ("wait", "skip", "grow"):
            raise ValueError(f"policy = {policy!r}: wait, skip or grow is expected")
        if on_error not in ("stop", "log"):
            raise ValueError(f"on_error = {on_error!r}: stop or log is expected")
        if slots < 1:
            raise ValueError(f"slots = {slots}: at least 1 is expected")
        if not 0 < share <= 1:
            raise ValueError(f"share = {share}: above 0, up to 1 is expected")
        if share < 1 and policy != "skip":
            raise ValueError(f"share = {share} with policy = {policy!r}: who may not work all the time skips; policy='skip' says so")
        self._parts = Parts(hook)
        self._own_every = self._every = self._parts.every
        # Who wants every step gets many at a time, for which the solver does not stop. Moments that are far apart come one by
        # one: they are copied once or, where the solver goes on in other memory, not at all.
        self.observes = self._every == 1
        self._slots, self._policy, self._time_limit, self._on_error = slots, policy, time_limit, on_error
        self._share = share
        self.skipped = self.failed = self.grown = 0

    def start(self, run):
        self.skipped = self.failed = self.grown = 0
        self._free = [{} for _ in range(self._slots)]  # field name: array, made at the first use
        self._condition = threading.Condition()
        self._work = queue.SimpleQueue()
        self._busy_since = self._error = None
        self._pending = 0
        # How long it has worked since when, and when it may again.
        self._worked, self._calls, self._began, self._rests_until = 0.0, 0, time.monotonic(), 0.0
        self._is_abandoned = False
        self._every, self._called_at = self._own_every, None
        self._parts.start(run)
        # The thread of the solver asks for Python's lock at each moment, and gets it sooner.
        self._switch_interval = sys.getswitchinterval()
        sys.setswitchinterval(min(SWITCH_INTERVAL, self._switch_interval))
        self._thread = threading.Thread(target=self._run, name="ferrocca analysis", daemon=True)
        self._thread.start()

    def call(self, moments, frame):
        if self._policy == "skip" and not self.observes:
            self._choose_every(moments.steps[0])
        slot = self._take_slot(len(moments.steps))
        if slot is None:
            return None
        event, fields = None, {}
        for name, field in moments.fields.items():
            # Who only looks may see what the solver goes on from.
            array = kept(field) if self._parts.only_looks else None
            if array is None:
                array = copy_to(slot, name, values(field))
            fields[name] = Snapshot(field, array)
            event = event or record_event(array)
        with self._condition:
            self._pending += 1
        self._work.put((Moments(tuple(moments.steps), tuple(moments.times), fields), slot, event))
        return None

    def finish(self, run):
        with self._condition:
            while self._pending:
                self._wait()
        self._work.put(None)
        self._thread.join()
        sys.setswitchinterval(self._switch_interval)
        self._raise()
        self._parts.finish(run)

    def _choose_every(self, step):
        """The solver does not stop for moments that would be skipped, as far as can be said before."""
        now, before = time.monotonic(), self._called_at
        self._called_at = step, now
        if before is None or step <= before[0]:
            return
        came = (step - before[0]) // self._own_every
        self.skipped += max(0, came - 1)
        with self._condition:
            until, began = self._rests_until, self._busy_since or now
            if self._pending if self._share < 1 else not self._free:
                # What has taken longer than others did is taken to be half done.
                usual = self._worked / max(1, self._calls)
                until = max(until, began + max(usual, 2 * (now - began)) / self._share)
        count = min(until - now, LONGEST_REST) / ((now - before[1]) / max(1, came) or 1e-9)
        # A power of two, so that few of the solver's steps are between two of them.
        self._every = self._own_every * (1 << int(math.log2(count)) if count >= 2 else 1)

    def _take_slot(self, moments):
        with self._condition:
            self._check_time()
            self._raise()
            if self._share < 1 and (self._pending or time.monotonic() < self._rests_until):
                self.skipped += moments
                return None
            while not self._free:
                if self._policy == "skip":
                    self.skipped += moments
                    return None
                if self._policy == "grow":
                    self.grown += 1
                    return {}
                self._wait()
                self._raise()
            return self._free.pop()

    def _wait(self):
        """Waits until the thread has done something, with an eye on the time limit."""
        self._condition.wait(timeout=None if self._time_limit is None else self._time_limit / 4)
        self._check_time()

    def _check_time(self):
        since = self._busy_since
        if self._time_limit is not None and since is not None and time.monotonic() - since > self._time_limit:
            # A thread cannot be ended: it is left behind, and nobody waits for it any more.
            self._is_abandoned = True
            raise TimeoutError(f"the analysis has worked on one batch for more than its limit of {self._time_limit} s")

    def _raise(self):
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _run(self):
        while (work := self._work.get()) is not None:
            moments, slot, event = work
            self._busy_since = time.monotonic()
            try:
                with stream_after(event):
                    self._analyse(moments)
            except BaseException as error:
                self._fail(error)
            # The solver may have its memory back.
            del work, moments
            with self._condition:
                self._rest()
                self._busy_since = None
                self._pending -= 1
                self._free.append(slot)
                self._condition.notify_all()
            if self._is_abandoned:
                return

    def _rest(self):
        """Until when, so that it works no more than its share; evenly, where some of many calls take long."""
        now = time.monotonic()
        self._worked, self._calls = self._worked + now - self._busy_since, self._calls + 1
        of_all, of_each = self._worked / self._share, self._worked / self._calls / self._share
        self._rests_until = max(self._began + of_all, self._busy_since + of_each)

    def _analyse(self, moments):
        if self._parts.observes:
            self._parts.call(moments, None)
            return
        for i in range(len(moments.steps)):
            frame = Frame(moments, i)
            if self._parts.call(frame, frame) is STOP:
                raise TypeError("the run has already gone on: a hook that works beside it cannot stop it")

    def _fail(self, error):
        self.failed += 1
        if self._on_error == "log" and isinstance(error, Exception):
            log.error("an analysis beside the solver failed, and the run goes on", exc_info=error)
        else:
            self._error = error


class Frame:
    """One moment for a hook that was written with `step(frame)`; its fields are copies, which it may write."""

    def __init__(self, moments, i):
        self.step, self.time = moments.steps[i], moments.times[i]
        self.steps, self.times = (self.step,), (self.time,)
        self.fields = {name: Snapshot(field, field.array()[i]) for name, field in moments.fields.items()}

    def __getattr__(self, name):
        try:
            return self.__dict__["fields"][name]
        except KeyError:
            raise AttributeError(f"no field `{name}`") from None


def copy_to(slot, name, array):
    """The elements in the slot's own array, which is made, or made larger, where need be."""
    own = slot.get(name)
    if own is None or own.shape[1:] != array.shape[1:] or own.shape[0] < array.shape[0]:
        own = slot[name] = namespace(array).empty(array.shape, dtype=array.dtype)
    part = own[: array.shape[0]]
    part[...] = array
    return part


def record_event(array):
    """On CUDA: the point behind the copy, on the stream that it was queued on."""
    if not hasattr(array, "__cuda_array_interface__"):
        return None
    import cupy

    event = cupy.cuda.Event(disable_timing=True)
    event.record(cupy.cuda.get_current_stream())
    return event


@contextlib.contextmanager
def stream_after(event):
    """On CUDA: a stream of the thread's own, behind the copy and beside the solver's; done when the block is."""
    if event is None:
        yield
        return
    import cupy

    with cupy.cuda.Stream(non_blocking=True) as stream:
        stream.wait_event(event)
        yield
        stream.synchronize()


def beside(hook, *, slots=4, policy="wait", share=1.0, time_limit=None, on_error="stop"):
    """`hook` in a thread, on memory of its own, while the solver goes on.

    What it is given takes one of `slots` places of a ring: batches where `hook` wants every step, single moments where it wants
    few, ``beside(on(POD(), step=10))``. Such a moment is not copied where `hook` has no `step` and no hook of the run steers: it
    gets the solver's memory, to be read, and the solver goes on in other memory until the analysis has let it go. Batches, and
    what a hook with `step` gets, are copied on their device. When all places are taken, `policy` decides: ``wait`` for the
    analysis, ``skip`` what comes (`skipped` counts moments), or ``grow`` the ring (`grown` counts slots). With ``skip``, `share`
    bounds what the analysis takes of a device or of memory's bandwidth that it has in common with the solver: it works at most
    that part of the time, 0.02 for 2 %, and what comes while it rests is skipped. A hook that works on
    one batch for more than `time_limit` seconds ends the run with TimeoutError. What it raises ends the run at the next batch,
    or with ``on_error="log"`` goes to the logger ``ferrocca``, and `failed` counts. `start` and `finish` are called by the
    run itself.
    """
    return Beside(hook, slots, policy, share, time_limit, on_error)

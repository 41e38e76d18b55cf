"""What a hook did to a run, kept, so that the run can be repeated to the same bits."""

import json
import os

import numpy as np

from .. import STOP
from .._write import assign
from ._atomic import write_atomically
from ._schedule import Parts

__all__ = ["logged", "replayed"]


class Logged:
    """What :func:`logged` answers. `acts` has what was done: dictionaries with ``step``, ``time`` and ``kind``."""

    def __init__(self, hook, path):
        self._parts = Parts(hook)
        if self._parts.observes:
            raise TypeError("a hook that observes does nothing that could be logged")
        self._path = path
        self.acts, self.arrays = [], []

    def start(self, run):
        self.acts, self.arrays = [], []
        self._parts.start(run)

    def step(self, frame):
        before = {name: field.to_host() for name, field in frame.fields.items() if not field.readonly}
        parameters = dict(frame.parameters)
        answer = self._parts.call(None, frame)
        at = {"step": frame.step, "time": frame.time}
        for name, old in before.items():
            new = frame.fields[name].to_host()
            # Whichever way it was written, by an array library too: bits are compared.
            changed = np.flatnonzero((old.view(f"u{old.itemsize}") != new.view(f"u{new.itemsize}")).reshape(-1))
            if len(changed):
                self.acts.append({**at, "kind": "field", "name": name, "array": len(self.arrays)})
                self.arrays.append((changed, new.reshape(-1)[changed]))
        for name, value in frame.parameters.items():
            if value != parameters[name]:
                self.acts.append({**at, "kind": "parameter", "name": name, "value": value})
        if answer is STOP:
            self.acts.append({**at, "kind": "stop"})
        return answer

    def finish(self, run):
        self._parts.finish(run)
        if self._path is not None:
            self.save(os.path.join(run.output_dir or ".", self._path))

    def save(self, path):
        """Writes the log to an ``.npz`` file: the acts as JSON, and what was written into fields, bit for bit."""
        arrays = {}
        for number, (places, elements) in enumerate(self.arrays):
            arrays[f"places_{number}"], arrays[f"elements_{number}"] = places, elements
        write_atomically(path, lambda file: np.savez(file, acts=json.dumps(self.acts), **arrays))


class Replayed:
    """What :func:`replayed` answers."""

    def __init__(self, log):
        if isinstance(log, Logged):
            acts, arrays = log.acts, log.arrays
        else:
            with np.load(log) as file:
                acts = json.loads(str(file["acts"]))
                count = sum(act["kind"] == "field" for act in acts)
                arrays = [(file[f"places_{i}"], file[f"elements_{i}"]) for i in range(count)]
        self._arrays = arrays
        self._acts = {}
        for act in acts:
            self._acts.setdefault(act["step"], []).append(act)

    def step(self, frame):
        for act in self._acts.get(frame.step, ()):
            if act["kind"] == "parameter":
                frame.set(**{act["name"]: act["value"]})
            elif act["kind"] == "field":
                field = frame.fields[act["name"]]
                places, elements = self._arrays[act["array"]]
                host = field.to_host()
                host.reshape(-1)[places] = elements
                assign(field, Ellipsis, host)
            else:
                return STOP
        return None


def logged(hook, path=None):
    """`hook`, with a log of what it does to the run: elements that it writes by whatever way, parameters that it sets, and the
    stop. Where `path` is given it is written into the run's output directory at the end. The fields are copied to the host
    before and after each call, to be compared."""
    return Logged(hook, path)


def replayed(log):
    """A hook that does what a log says, at the same steps: the same solver then has the same bits. `log` is what
    :func:`logged` answered, or the file that it wrote."""
    return Replayed(log)

"""What the scripts of random cases do with the fields that they get, and what they answer. `play` is what each of their functions
does: it never raises but by its answer."""

import copy
import ctypes
import gc
import pickle
import sys
import threading
import weakref

import ferrocca
import numpy as np

SMALL = 1 << 12


def bind(turn_, look_, fault_):
    """Takes the addresses of the host's functions."""
    global turn, _look, _fault
    number = ctypes.c_uint64
    turn = ctypes.CFUNCTYPE(number)(turn_)
    _look = ctypes.CFUNCTYPE(None, number, number, ctypes.c_uint32)(look_)
    _fault = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(fault_)


def fault(text):
    _fault(text.encode("utf-8", "replace"))


def look(interface, fresh=True):
    """Tells the host which bytes an array interface shows, and reads one of them."""
    shape, item = interface["shape"], np.dtype(interface["typestr"]).itemsize
    if 0 in shape:
        return
    strides = interface["strides"]
    if strides is None:
        strides, step = [], item
        for extent in reversed(shape):
            strides.insert(0, step)
            step *= extent
    low = high = interface["data"][0]
    for extent, stride in zip(shape, strides):
        low, high = low + min(0, (extent - 1) * stride), high + max(0, (extent - 1) * stride)
    _look(low % 2**64, (high + item) % 2**64 if high + item < 2**64 else 2**64 - 1, fresh)


def seen(array):
    look(array.__array_interface__)
    return array


def is_small(field):
    return field.size <= SMALL and field.nbytes <= 8 * SMALL


class Evil:
    def __repr__(self):
        raise ValueError("no text")

    __str__ = __repr__


class EvilError(Exception):
    def __str__(self):
        raise SystemExit(5)

    __repr__ = __str__


class Kept:
    """In a cycle with itself."""

    def __init__(self, what):
        self.what, self.me = what, self


def clear_in_thread(kept, join):
    thread = threading.Thread(target=kept.clear)
    thread.start()
    if join:
        thread.join()


def write(field):
    array = np.asarray(field)
    if is_small(field):
        array[...] = 1


def each_attribute(field):
    for name in (
        "shape strides dtype ndim size itemsize nbytes readonly ptr int_ptr offset queue_int_ptr device in_place name "
        "__array_interface__ __cuda_array_interface__ __dict__ __class__ __doc__"
    ).split():
        try:
            getattr(field, name)
        except (BufferError, AttributeError):
            pass


def buffer(field):
    view = memoryview(field)
    assert view.readonly == field.readonly
    seen(np.asarray(view))
    if is_small(field):
        view.tobytes()


def dlpack(field):
    array = seen(np.from_dlpack(field))
    if is_small(field):
        array.tobytes()


def same(field):
    assert field.array() is field.array()
    assert field.to_host().shape == field.shape


def write_through_read_only(field):
    array = np.asarray(field)
    if field.readonly:
        assert not array.flags.writeable
        for way in (lambda: ctypes.c_char.from_buffer(field), lambda: np.frombuffer(field, "u1").__setitem__(0, 1)):
            try:
                way()
            except (BufferError, ValueError, TypeError):
                continue
            raise AssertionError("read-only memory can be written")


FIELD = {
    "asarray": lambda f, kept: is_small(seen(np.asarray(f))) and np.asarray(f).tobytes(),
    "array": lambda f, kept: seen(f.array()),
    "interface": lambda f, kept: look(f.__array_interface__),
    "buffer": lambda f, kept: buffer(f),
    "dlpack": lambda f, kept: dlpack(f),
    "capsule": lambda f, kept: f.__dlpack__(max_version=(1, 0)),
    "old capsule": lambda f, kept: f.__dlpack__(),
    "keep capsule": lambda f, kept: kept.append(f.__dlpack__(max_version=(1, 0), stream=-1)),
    "copied capsule": lambda f, kept: is_small(np.from_dlpack(f, copy=True)),
    "host capsule": lambda f, kept: f.__dlpack__(copy=True, dl_device=(1, 0), max_version=(2, 7)),
    "stream capsule": lambda f, kept: f.__dlpack__(stream=7, max_version=(0, 8), dl_device=(2, 0)),
    "cuda interface": lambda f, kept: f.__cuda_array_interface__,
    "to host": lambda f, kept: f.to_host(),
    "write": lambda f, kept: write(f),
    "read only": lambda f, kept: write_through_read_only(f),
    "fill": lambda f, kept: is_small(f) and f.fill(3),
    "fill odd": lambda f, kept: is_small(f) and f.fill(10**40),
    "assign": lambda f, kept: is_small(f) and f.__setitem__(Ellipsis, 1),
    "assign part": lambda f, kept: is_small(f) and f.__setitem__((0, slice(None)), [1, 2]),
    "copy from": lambda f, kept: is_small(f) and f.copy_from(np.ones(f.shape, str(f.dtype))),
    "copy from itself": lambda f, kept: is_small(f) and f.copy_from(f),
    "write bytes": lambda f, kept: is_small(f) and f._write(np.zeros(f.nbytes, "u1")),
    "write too much": lambda f, kept: f._write(np.zeros(77, "u1")),
    "keep field": lambda f, kept: kept.append(f),
    "keep array": lambda f, kept: kept.append(np.asarray(f)),
    "keep memory": lambda f, kept: kept.append(f.keep()),
    "keep in a cycle": lambda f, kept: kept.append(Kept(np.asarray(f))),
    "keep twice": lambda f, kept: kept.extend([f.keep(), f.keep().array(), memoryview(f)]),
    "frozen": lambda f, kept: f.frozen().__dlpack__(max_version=(1, 0)),
    "frozen array": lambda f, kept: seen(np.from_dlpack(f.frozen())),
    "hold frozen": lambda f, kept: kept.append(f.frozen().__dlpack__(max_version=(1, 0))),
    "on host": lambda f, kept: is_small(f) and f.on_host().__enter__(),
    "attributes": lambda f, kept: each_attribute(f),
    "same": lambda f, kept: is_small(f) and same(f),
    "text": lambda f, kept: (repr(f), str(f), hash(f), f == f, len(f)),
    "copy": lambda f, kept: copy.deepcopy(f),
    "pickle": lambda f, kept: pickle.dumps(f),
    "weak": lambda f, kept: kept.append(weakref.ref(f)),
}

WHOLE = {
    "fields": lambda w, kept: [getattr(w, name) for name in w.fields],
    "text of it": lambda w, kept: (repr(w), dir(w), isinstance(w, int), hash(w)),
    "missing": lambda w, kept: w.no_such_field,
    "set": lambda w, kept: w.set(nu=0.5),
    "set odd": lambda w, kept: w.set(**{"nu": float("nan"), "": 1, "dt": Evil()}),
    "set each": lambda w, kept: [w.set(**{name: value}) for name, value in dict(w.parameters).items()],
    "parameters": lambda w, kept: (repr(w.parameters), w.parameters["nu"]),
    "stream": lambda w, kept: w.uses_stream(7),
    "odd stream": lambda w, kept: w.uses_stream(Evil()),
    "keep it": lambda w, kept: kept.append(w),
    "collect": lambda w, kept: gc.collect(),
    "clear": lambda w, kept: kept.clear(),
    "clear in a thread": lambda w, kept: clear_in_thread(kept, True),
    "clear in the background": lambda w, kept: clear_in_thread(list(kept), False),
    "look again": lambda w, kept: [look(a.__array_interface__, False) for a in kept if isinstance(a, np.ndarray)],
    "nothing": lambda w, kept: None,
}


def deep():
    return deep()


def raising(error):
    raise error


def holding(whole, kept):
    fields = [np.asarray(field) for field in whole.fields.values()]
    error = ValueError("holds arrays", fields)
    error.whole = whole
    try:
        raise error
    except ValueError as cause:
        raise KeyError(Kept(cause)) from cause


ANSWERS = {
    "none": lambda whole, kept: None,
    "stop": lambda whole, kept: ferrocca.STOP,
    "a number": lambda whole, kept: 5,
    "the class of stop": lambda whole, kept: type(ferrocca.STOP),
    "no text": lambda whole, kept: Evil(),
    "half a pair": lambda whole, kept: "\ud800",
    "the fields": lambda whole, kept: whole.fields,
    "value error": lambda whole, kept: raising(ValueError("\ud800 \0")),
    "exit": lambda whole, kept: sys.exit(3),
    "interrupt": lambda whole, kept: raising(KeyboardInterrupt),
    "memory error": lambda whole, kept: raising(MemoryError),
    "recursion": lambda whole, kept: deep(),
    "stop iteration": lambda whole, kept: next(iter(())),
    "generator exit": lambda whole, kept: raising(GeneratorExit()),
    "evil error": lambda whole, kept: raising(EvilError()),
    "group": lambda whole, kept: raising(ExceptionGroup("many", [EvilError(), ValueError(2)])),
    "no module": lambda whole, kept: raising(ModuleNotFoundError("x", name=Evil())),
    "syntax": lambda whole, kept: raising(SyntaxError("x", ("f", -1, 10**30, 5))),
    "decode": lambda whole, kept: b"\xff".decode(),
    "holds": holding,
}
RAISES = list(ANSWERS)[7:]


def play(whole, steps, answer, kept):
    for name in steps:
        try:
            if name in WHOLE:
                WHOLE[name](whole, kept)
            else:
                for field in whole.fields.values():
                    FIELD[name](field, kept)
        except AssertionError as error:
            fault(f"{name}: {error!r}")
        except Exception as error:
            if isinstance(error, ferrocca.Error) and not str(error):
                fault(f"{name}: {type(error).__name__} without a reason")
        except BaseException as error:
            if type(error).__name__ == "PanicException":
                fault(f"{name}: {error!r}")
    return ANSWERS[answer](whole, kept)


class Hook:
    """Of the new kind, with a schedule."""

    def __init__(self, bodies, every, only_looks):
        self.bodies, self.every, self._only_looks, self.kept = bodies, every, only_looks, []

    @property
    def _every(self):
        if self.every == "raises":
            raise LookupError("no number")
        return self.every

    def start(self, run):
        return play_run(run, *self.bodies[turn()], self.kept)

    def step(self, frame):
        return play(frame, *self.bodies[turn()], self.kept)

    finish = start


def play_run(run, steps, answer, kept):
    try:
        repr(run), dict(run.parameters), run.name, run.output_dir, run.mode, run.device, dir(run)
        [getattr(run, name) for name in run.parameters]
        kept.append(run)
    except Exception:
        pass
    return ANSWERS[answer](run, kept) if answer in RAISES and answer != "holds" else None

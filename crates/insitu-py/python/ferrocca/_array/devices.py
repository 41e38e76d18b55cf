"""The device on which arrays are made where none is named."""

import threading

from .._errors import WrongTypeError, WrongValueError
from .._native import Device, Memory

_thread = threading.local()
_lock = threading.Lock()
_opened = None


def enter(device):
    """``with device:`` makes it the default of the block, on the calling thread."""
    if not hasattr(_thread, "devices"):
        _thread.devices = []
    _thread.devices.append(device)
    return device


def leave(device, *exception):
    _thread.devices.pop()


def default_device():
    """The device of the innermost ``with device:`` on this thread; outside of any, one that the first use opens with
    ``Device()``, and that stays open."""
    global _opened
    devices = getattr(_thread, "devices", None)
    if devices:
        return devices[-1]
    with _lock:
        if _opened is None:
            _opened = Device()
        return _opened


def device_of(given):
    """The device that an argument `device` names: None the default, memory's ``device`` that where it lies."""
    if given is None:
        return default_device()
    if isinstance(given, Device):
        return given
    if isinstance(given, str):
        device = default_device()
        if device.malloc(1, "uint8").device == given:
            return device
        raise WrongValueError(f"the default device has no memory on {given!r}: pass the `Device`, or use `with device:`")
    raise WrongTypeError(f"`device` is a Device, not `{type(given).__name__}`")


def is_memory(value):
    return type(value) is Memory

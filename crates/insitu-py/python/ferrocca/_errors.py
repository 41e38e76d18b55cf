"""The exceptions. Each is a :class:`Error`, and also the built-in exception that Python has for such a mistake."""


class Error(Exception):
    """A failure of Ferrocca; the text says what and why."""


class OutOfMemoryError(Error, MemoryError):
    """The device, or the host, has no memory left."""


class WrongTypeError(Error, TypeError):
    """A value, an array or memory of a type that cannot be used here, or the wrong number of arguments."""


class WrongValueError(Error, ValueError):
    """A value that cannot be used here: a property, a shape, a size, memory of another device, read-only memory."""


class RangeError(Error, OverflowError):
    """A number that the element or the parameter cannot hold."""


class OutOfBoundsError(Error, IndexError):
    """An index or a range outside of memory; also when a kernel would use one."""


class DivisionError(Error, ZeroDivisionError):
    """A kernel divides integers that have no quotient: by zero, or the least integer by -1."""


class AccessError(Error, BufferError):
    """Memory that cannot be shown or used in place in the way that was asked for."""


class BuildError(Error):
    """A kernel that does not build."""


class FaultError(Error, RuntimeError):
    """A device opened with `checked` found what a kernel did wrong: a race, memory that is read before it was written."""


class FileError(Error, OSError):
    """A file that cannot be read or written."""


class KernelWarning(UserWarning):
    """The compiler built a kernel and has a doubt about it; the text is the one that the command `ferrocca` prints.

    Python's filters apply: ``warnings.simplefilter("error", ferrocca.KernelWarning)`` refuses such kernels. The kernel property
    `warnings` turns single ones off: ``{"warnings": "no-lost-update"}``.
    """


for _class in [Error, KernelWarning, *Error.__subclasses__()]:
    _class.__module__ = "ferrocca"

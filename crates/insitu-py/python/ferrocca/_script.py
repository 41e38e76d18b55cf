"""Loads an in-situ script, and words what goes wrong in it. The extension calls this; scripts do not."""

import atexit
import gc
import importlib.machinery
import importlib.util
import os
import sys
import traceback

from ._packages import package_of

OLD = "collection_func"
FUNCTIONS = ("start", "step", "observe", "finish")


def load(path, collect="", then="", in_batches=False, arguments=""):
    """Runs the module level of the script.

    `collect` and `then` name functions of a module of the old kind (`ferrocca.insitu.legacy`), those of `then` separated by
    commas, and `in_batches` says that `collect` only reads; `arguments` are those of the script, each followed by a line feed.
    Returns its `start`, `step`, `observe` and `finish`, None for each that it lacks; what a hook of `ferrocca.insitu` says of
    itself: the hook, where it has `_every`, whose multiples are the steps that it can want next, and whether it only looks; and
    the name that `forget` takes.
    """
    directory, file_name = os.path.split(path)
    sys.argv = [path, *arguments.splitlines()]
    # Not for the package's own scripts, whose neighbours are parts of the package.
    if directory not in sys.path and not directory.startswith(os.path.dirname(__file__)):
        sys.path.insert(0, directory)
    for stream in (sys.stdout, sys.stderr):
        # The program that runs the script prints too: whole lines, in the order in which they were printed.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(line_buffering=True)
    name = os.path.splitext(file_name)[0]
    if name in sys.modules:
        name = "ferrocca_script_" + name
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(name, path, loader=loader))
    sys.modules[name] = module
    try:
        # Not `exec_module`: it would leave a `__pycache__` beside the user's script.
        exec(loader.source_to_code(loader.get_data(path), path), module.__dict__)
        if collect:
            from .insitu import legacy

            names = [name.strip() for name in then.split(",") if name.strip()]
            module = legacy(module, collect, names, observe=in_batches)
        elif not any(hasattr(module, function) for function in FUNCTIONS) and hasattr(module, "hook"):
            module = module.hook  # an object that has the functions, such as those of `ferrocca.insitu`
        functions = tuple(getattr(module, function, None) for function in FUNCTIONS)
        for function, value in zip(FUNCTIONS, functions):
            if value is not None and not callable(value):
                raise TypeError(f"`{function}` is a {type(value).__name__}, not a function")
        if all(value is None for value in functions):
            if hasattr(module, OLD):
                after = ",".join(n for n, v in vars(module).items() if n.startswith("analyses") and callable(v))
                raise TypeError(
                    f"this module has `{OLD}(input_array)`, and none of the functions of an in-situ script: as a module of "
                    f"the old kind it runs with --insitu {file_name}:{OLD}" + (f" --then {after}" if after else "")
                )
            raise TypeError(
                "an in-situ script has at least one of the functions start(run), step(frame), observe(batch), finish(run)"
            )
        if hasattr(module, "step") and hasattr(module, "observe"):
            raise TypeError(
                "a script has `step(frame)` or `observe(batch)`, not both: `step` is called before the solver goes on, "
                "and may write fields and end the run; `observe` gets the same steps later, many at a time, and only looks"
            )
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return *functions, (module if hasattr(module, "_every") else None, getattr(module, "_only_looks", False)), name


def describe(error):
    """The traceback of `error` as Python prints it, from the script's own frames on, and a remedy where one is known."""
    frames = error.__traceback__
    while frames is not None and is_ours(frames.tb_frame.f_code.co_filename):
        frames = frames.tb_next
    text = "".join(traceback.format_exception(type(error), error, frames)).rstrip()
    if isinstance(error, ModuleNotFoundError) and error.name:
        missing = error.name.partition(".")[0]
        package = package_of(missing)
        text += (
            f"\n`{missing}` is not installed in the Python that runs this script: "
            f"`{sys.executable} -m pip install {package}`"
        )
    elif isinstance(error, SystemExit):
        text += "\nA script does not exit by itself: `return ferrocca.STOP` from `step` ends the run."
    return text


def is_ours(file_name):
    return file_name == __file__ or file_name.startswith("<frozen importlib")


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            pass  # closed, or None where a program has no console


def forget(name):
    """Lets the script's module go, and with it what its variables hold of the solver's memory."""
    sys.modules.pop(name, None)
    gc.collect()


def close():
    """What Python does at its end, for a process in which it never ends: exit handlers, then the output."""
    atexit._run_exitfuncs()
    flush()

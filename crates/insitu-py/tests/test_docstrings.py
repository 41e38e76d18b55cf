"""Whatever is public says what it does."""

import importlib
import inspect
import pkgutil

import ferrocca


def public_modules():
    yield ferrocca
    for module in pkgutil.walk_packages(ferrocca.__path__, "ferrocca."):
        if "._" not in module.name:
            yield importlib.import_module(module.name)


def members(owner):
    """Functions and properties of a class that have no name for private use, with what `dir` adds from its bases."""
    for name in dir(owner):
        member = inspect.getattr_static(owner, name)
        is_ours = next(base for base in owner.__mro__ if name in vars(base)).__module__.startswith("ferrocca")
        is_told = isinstance(member, property) or callable(getattr(member, "__func__", member)) or inspect.isgetsetdescriptor(member)
        if name[0] != "_" and is_ours and is_told:
            yield name, member if inspect.isgetsetdescriptor(member) or isinstance(member, property) else getattr(owner, name)


def test_every_public_name_has_a_docstring():
    silent = []
    for module in public_modules():
        if not inspect.getdoc(module):
            silent.append(module.__name__)
        for name in getattr(module, "__all__", [name for name in vars(module) if name[0] != "_"]):
            thing = getattr(module, name)
            if not callable(thing) or inspect.ismodule(thing):
                continue
            found = [(name, thing)]
            if inspect.isclass(thing) and not issubclass(thing, BaseException):
                found += [(f"{name}.{member}", value) for member, value in members(thing)]
            silent += [f"{module.__name__}.{path}" for path, value in found if not (inspect.getdoc(value) or "").strip()]
    assert not silent

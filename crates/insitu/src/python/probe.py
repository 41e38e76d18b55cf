# Run by the loader to learn what of this Python can be loaded; prints one line of JSON.
import json
import sys

found = {"version": list(sys.version_info[:3]), "executable": sys.executable or ""}
if sys.version_info >= (3, 11):
    import importlib.machinery
    import importlib.util
    import os
    import sysconfig

    # The working directory is no place to find the package in.
    if sys.path and sys.path[0] == "":
        del sys.path[0]
    variable = sysconfig.get_config_var
    found["implementation"] = sys.implementation.name
    found["free_threaded"] = bool(variable("Py_GIL_DISABLED"))
    names = [variable("INSTSONAME"), variable("LDLIBRARY")]
    if os.name == "nt":
        names = ["python{}{}.dll".format(*sys.version_info[:2])]
    libdir = variable("LIBDIR") or ""
    places = [
        libdir,
        os.path.join(libdir, variable("MULTIARCH") or ""),
        os.path.join(sys.base_prefix, "lib"),
        variable("PYTHONFRAMEWORKPREFIX"),
        variable("LIBPL"),
        sys.base_prefix,
    ]
    libraries = []
    for place in places:
        for name in names:
            if place and name and not name.endswith(".a"):
                path = os.path.join(place, name)
                if os.path.isfile(path) and path not in libraries:
                    libraries.append(path)
    found["libraries"] = libraries
    package = importlib.util.find_spec("ferrocca")
    if package is not None:
        locations = list(package.submodule_search_locations or [])
        found["package"] = package.origin or ", ".join(locations)
        native = importlib.machinery.PathFinder.find_spec("ferrocca._native", locations)
        if native is not None:
            found["extension"] = native.origin
print(json.dumps(found))

"""Packages that only some functions need."""

import importlib


def need(name, what):
    """The module, or an error that names the Debian package."""
    try:
        return importlib.import_module(name)
    except ImportError as e:
        package = "python3-" + name.split(".")[0]
        raise ImportError(f"{what} needs {name.split('.')[0]} (Debian: {package}): {e}") from e

"""The other side of tests/own_interpreter.py: imports a test's file and calls one function of it.

What it imports costs every such test, so pytest itself is imported only by a test that needs more
of it than marks and fixtures, which mean nothing here, or when an assertion fails.
"""

from __future__ import annotations

import importlib
import marshal
import pickle
import sys
import threading
import types

IMPORTING = threading.RLock()  # threads of a test may be the first to use it at once
NAMES = ("_pytest", "_pytest.assertion", "_pytest.assertion.rewrite", "pytest")


class Later(types.ModuleType):
    """Stands for a module of pytest's until something of it is used."""

    def __getattr__(self, name: str):
        if self.__name__ == "pytest" and name in ("fixture", "mark"):
            return Nothing()
        if name.startswith("__") and name != "__path__":  # which says that it is a package
            raise AttributeError(name)
        with IMPORTING:
            for placeholder in NAMES:
                if isinstance(sys.modules.get(placeholder), Later):
                    del sys.modules[placeholder]
            if self.__name__ == "pytest" and name == "raises":
                return importlib.import_module("_pytest.raises").raises
            return getattr(importlib.import_module(self.__name__), name)


class Nothing:
    """A mark or a fixture's decorator: leaves the function as it is."""

    def __getattr__(self, name: str) -> Nothing:
        return self

    def __call__(self, *given: object, **_: object):
        return given[0] if len(given) == 1 and isinstance(given[0], types.FunctionType) else self


def main() -> None:
    """Reads from stdin what to run, and runs it."""
    for name in NAMES:
        sys.modules[name] = Later(name)
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], last, sys.modules[name])
    first, name, path, code, function = pickle.load(sys.stdin.buffer)
    if first:
        importlib.import_module(first)
    module = sys.modules.setdefault(name, types.ModuleType(name))
    module.__file__ = path
    if name == "__main__":
        del sys.argv[0]
    exec(marshal.loads(code), module.__dict__)
    arguments, named, last = pickle.load(sys.stdin.buffer)
    if function:
        getattr(module, function)(*arguments, **named)
    if last:
        last()

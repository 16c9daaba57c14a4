"""The other side of tests/own_interpreter.py: imports a test's file and calls one function of it.

Every such test pays for the imports here. So pytest itself is imported only when an assertion
fails, or when a test needs more of pytest than marks and fixtures, which mean nothing here.
"""

from __future__ import annotations

import importlib
import marshal
import os
import pickle
import sys
import threading
import types

SKIPPED = "tests.child: skipped: "  # starts the line that tells of a skip
running = False  # whether this is such an interpreter
IMPORTING = threading.RLock()  # several threads of a test may be the first to import pytest
NAMES = ("_pytest", "_pytest.assertion", "_pytest.assertion.rewrite", "pytest")


class Later(types.ModuleType):
    """Stands for a module of pytest until an attribute of it is used."""

    def __getattr__(self, name: str):
        if self.__name__ == "pytest" and name in ("fixture", "mark"):
            return Nothing()
        if name.startswith("__") and name != "__path__":  # having __path__ marks a package
            raise AttributeError(name)
        with IMPORTING:
            for placeholder in NAMES:
                if isinstance(sys.modules.get(placeholder), Later):
                    del sys.modules[placeholder]
            if self.__name__ == "pytest" and name == "raises":
                return importlib.import_module("_pytest.raises").raises
            return getattr(importlib.import_module(self.__name__), name)


class Nothing:
    """Stands for a mark or a fixture's decorator: leaves the function unchanged."""

    def __getattr__(self, name: str) -> Nothing:
        return self

    def __call__(self, *given: object, **_: object):
        return given[0] if len(given) == 1 and isinstance(given[0], types.FunctionType) else self


def main() -> None:
    """Reads from stdin what to run, and runs it."""
    global running
    running = True
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
    last = None
    try:
        exec(marshal.loads(code), module.__dict__)
        arguments, named, last = pickle.load(sys.stdin.buffer)
        if function:
            getattr(module, function)(*arguments, **named)
    except BaseException as error:
        outcomes = sys.modules.get("_pytest.outcomes")
        if not outcomes or not isinstance(error, outcomes.Skipped):
            raise
        os.write(2, f"{SKIPPED}{error!s:.500}".replace("\n", " ").encode() + b"\n")
    if last:
        last()

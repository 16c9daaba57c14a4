"""Tests and programs that run in an interpreter of their own.

A fixture gives an `Interpreter`: the environment in which Python starts. A whole test runs there
if it is marked so,

    @own_interpreter("on_host", PYGPU_HOST_DEVICES="2")
    def test_a_device_is_chosen(library): ...

or a test starts functions of its file, or programs, and checks their output:

    def test_leaks_are_listed(on_host):
        assert "1 piece" in on_host(leaks, PYGPU_HOST_LEAKS="1").stderr

The interpreter imports the test's file, with its assertions rewritten, and calls the function. If
the function skips, so does the test, unless something else went wrong.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import io
import marshal
import os
import pathlib
import pickle
import subprocess
import sys
import textwrap
import threading
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests import child, forked

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Whether this is such an interpreter. Test files use it for objects that only exist there.
IN_CHILD = child.running

# Objects that a test puts here live until the interpreter clears its modules.
AT_EXIT: list[object] = []

Done = subprocess.CompletedProcess[str]


class Marks(list):
    """Marks for a test or, as `pytestmark`, for all tests of a file."""

    def __call__(self, test: Callable[..., None]) -> Callable[..., None]:
        for mark in self:
            test = mark(test)
        return test


def own_interpreter(
    where: str = "python", prints: str | None = None, **environment: str | None
) -> Marks:
    """Runs a test's body in the interpreter of the fixture `where`, with more variables.

    The test's arguments are passed on and must pickle. `prints` is the expected text on stdout.
    """
    mark = pytest.mark.own_interpreter(where, prints, **environment)
    return Marks([pytest.mark.usefixtures(where), mark])


# Python 3.11 fails now and then where two threads build syntax trees:
# github.com/python/cpython/issues/106905.
_one_tree = threading.Lock()


def rewritten(path: pathlib.Path) -> bytes:
    """The code of a file, with its assertions rewritten as pytest does."""
    with _one_tree:
        return _rewritten(path)


@functools.cache
def _rewritten(path: pathlib.Path) -> bytes:
    import ast

    from _pytest.assertion.rewrite import rewrite_asserts

    source = path.read_bytes()
    tree = ast.parse(source, str(path))
    rewrite_asserts(tree, source, str(path))
    return marshal.dumps(compile(tree, str(path), "exec", dont_inherit=True))


class Pickler(pickle.Pickler):
    """Passes a module by its name: the other interpreter imports its own."""

    def reducer_override(self, value: object) -> Any:
        if isinstance(value, types.ModuleType):
            return importlib.import_module, (value.__name__,)
        return NotImplemented


def pickled(value: object) -> bytes:
    file = io.BytesIO()
    Pickler(file).dump(value)
    return file.getvalue()


@dataclass(frozen=True)
class Interpreter:
    """Runs Python in a separate process, with no PYGPU_* variable except the given ones."""

    environment: Mapping[str, str | None] = field(default_factory=dict)  # None removes one
    clean: bool = False  # whether anything on stderr fails the test
    expected: str = ""  # a line of stderr with this text is allowed, though
    first: str = ""  # a module that is imported before everything else
    last: Callable[[], object] | None = None  # called after a test's function has returned

    def having(self, **environment: str | None) -> Interpreter:
        """The same interpreter with more variables."""
        return replace(self, environment={**self.environment, **environment})

    def __call__(
        self, what: Callable[..., object] | pathlib.Path | str, *arguments: Any,
        check: bool = True, **environment: str | None,
    ) -> Done:  # fmt: skip
        """Run a function of a test's file, a program's file, or a line of Python.

        Programs and lines get the arguments as sys.argv. With `check` an exit code other than 0
        fails the test and shows both streams.
        """
        if callable(what):
            return self.call(what, arguments, {}, check, environment)
        if isinstance(what, pathlib.Path):
            run = self.first, "__main__", str(what), rewritten(what), ""
            given = pickle.dumps(run) + pickle.dumps(((), {}, None))
            return self.start(given, (str(what), *arguments), check, environment)
        return self.start(b"", arguments, check, environment, code=textwrap.dedent(what))

    def call(
        self, function: Callable[..., object], arguments: tuple[Any, ...], named: dict[str, Any],
        check: bool = True, environment: Mapping[str, str | None] | None = None,
    ) -> Done:  # fmt: skip
        """Run a function of a test's file with any arguments that pickle."""
        path = pathlib.Path(inspect.unwrap(function).__code__.co_filename)
        run = self.first, function.__module__, str(path), rewritten(path), function.__name__
        given = pickle.dumps(run) + pickled((arguments, named, self.last))
        return self.start(given, (), check, environment or {})

    def start(
        self, given: bytes, arguments: tuple[str, ...], check: bool,
        variables: Mapping[str, str | None], code: str = "from tests.child import main; main()",
    ) -> Done:  # fmt: skip
        env = {name: value for name, value in os.environ.items() if not name.startswith("PYGPU_")}
        env["PYTHONDONTWRITEBYTECODE"] = "1"
        for name, value in {**self.environment, **variables}.items():
            env.pop(name, None)
            if value is not None:
                env[name] = value
        started = [sys.executable, "-c", code, *arguments]
        if given and not arguments and not self.first and forked.serves(env):
            status, out, err = forked.run(env, given, timeout=240)
        else:
            ran = subprocess.run(
                started,
                env=env,
                cwd=ROOT,
                input=given,
                capture_output=True,
                timeout=240,
                check=False,
            )
            status, out, err = ran.returncode, ran.stdout, ran.stderr
        result = Done(started, status, out.decode(), err.decode())
        reports = [
            line
            for line in result.stderr.splitlines()
            if not (self.expected and self.expected in line) and not line.startswith(child.SKIPPED)
        ]
        if check and (result.returncode or (self.clean and reports)):
            shown = f"exit code {result.returncode}\n{result.stdout}{result.stderr}"
            pytest.fail(shown, pytrace=False)
        if not result.returncode:
            for line in result.stderr.splitlines():
                if line.startswith(child.SKIPPED):
                    pytest.skip(line.removeprefix(child.SKIPPED))
        return result

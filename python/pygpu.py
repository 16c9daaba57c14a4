"""A plugin for pytest that runs the tests on the host runtime: `python -m pytest -p pygpu`.

Programs find the host runtime as CUDA's libraries only if it is there before Python starts. So the
plugin starts pytest once more, as `pygpu host run -- python -m pytest …` does. The variables
PYGPU_HOST_… say what the devices are like.
"""

from __future__ import annotations

import os
import sys

import pytest

_MARK = "PYGPU_HOST_COMPILERS"  # `pygpu host run` sets it, and children inherit it
_WAY_OUT = "start the tests by `pygpu host run -- python -m pytest`"


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """Start pytest again, before it captures output. UsageError where that can't be done."""
    if _MARK in os.environ:
        return
    if pluginmanager.hasplugin("capturemanager"):
        raise pytest.UsageError(
            f"pygpu: name the plugin by `-p pygpu` or in addopts, or {_WAY_OUT}"
        )
    program = sys.argv[0].removesuffix("/__main__.py")
    if os.path.basename(program) not in ("pytest", "py.test") or not sys.orig_argv[1:]:
        raise pytest.UsageError(f"pygpu: pytest is no program of its own here: {_WAY_OUT}")
    from PyGPU._programs import run

    command = [sys.executable, *sys.orig_argv[1:]]
    try:
        environment = run.environment(command, os.environ)
        sys.stdout.flush()
        sys.stderr.flush()
        os.execve(sys.executable, command, environment)
    except OSError as error:
        raise pytest.UsageError(f"pygpu: {error.strerror}") from None

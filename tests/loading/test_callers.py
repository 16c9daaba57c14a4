"""Warnings name the user's line, whatever lies between: imports, PyGPU's own code."""

from __future__ import annotations

import importlib
import sys
import threading
import warnings

import pytest

from tests.own_interpreter import own_interpreter


def by_import() -> int:
    import PyGPU.autoinit  # noqa: F401

    return sys._getframe().f_lineno - 2


def by_from_import() -> int:
    from PyGPU import autoinit  # noqa: F401

    return sys._getframe().f_lineno - 2


def by_import_module() -> int:
    importlib.import_module("PyGPU.autoinit")
    return sys._getframe().f_lineno - 1


def by_array() -> int:
    import PyGPU

    PyGPU.zeros(3)
    return sys._getframe().f_lineno - 1


def by_call() -> int:
    import PyGPU

    PyGPU.cudaGetDeviceCount()
    return sys._getframe().f_lineno - 1


def by_pycudas_name() -> int:
    from PyGPU import driver

    driver.init()
    return sys._getframe().f_lineno - 1


@pytest.mark.parametrize(
    "use", [by_import, by_from_import, by_import_module, by_array, by_call, by_pycudas_name]
)
@own_interpreter()
def test_the_warning_of_the_host_runtime_names_the_users_line(use):
    """This is the first that a newcomer sees; an own line of PyGPU would tell nothing."""
    from PyGPU import _backend

    _backend._name, _backend._asked_for = "host", False
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        line = use()
    (one,) = caught
    assert "PyGPU runs on the CPU" in str(one.message)
    assert (one.filename, one.lineno) == (__file__, line)


def warn_here(seen: list[str]) -> None:
    from PyGPU._base import caller

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        caller.warn("text", RuntimeWarning)
    seen += [one.filename for one in caught]


@own_interpreter()
def test_a_warning_of_a_thread_is_shown_too():
    seen: list[str] = []
    thread = threading.Thread(target=warn_here, args=(seen,))
    thread.start()
    thread.join()
    assert seen == [__file__]

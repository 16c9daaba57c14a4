"""A plugin for pytest: a test fails if the host runtime reports anything while it runs.

    PYGPU_BACKEND=host python -m pytest -p PyGPU.pytest_plugin

or `pytest_plugins = ["PyGPU.pytest_plugin"]` in the top conftest.py. The reports are those of
PYGPU_HOST_CHECK, which the plugin turns on (unless the variable is set), of strict mode where that
is on, and failures of kernels. They count for the test, or the fixture, that queued the work: the
plugin waits for it. A test that expects reports takes them by `PyGPU.host.reports()`. After a fault
that is fatal on a card, the plugin resets the device, so that later tests can use it.

On a GPU there are no reports, and the plugin does nothing.
"""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

os.environ.setdefault("PYGPU_HOST_CHECK", "1")  # before the runtime reads it

import PyGPU
from PyGPU import host
from PyGPU._host import library

__all__: list[str] = []


def _watched(item: pytest.Item, when: str) -> Generator[None, object, object]:
    with host.reports(strict=False) as reports:
        try:
            result = yield
        except BaseException:
            _finish()
            if reports:
                item.add_report_section(when, "reports of the host runtime", "\n".join(reports))
            raise
        _finish()
    if reports:
        pytest.fail("\n".join(reports), pytrace=False)
    return result


def _finish() -> None:
    """Wait for queued work, whose reports belong to this test."""
    if library.finish():
        PyGPU.cudaDeviceReset()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _watched(item, "setup"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _watched(item, "call"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _watched(item, "teardown"))

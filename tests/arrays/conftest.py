"""Fixtures for arrays: a Python of its own on the strict host runtime."""

from __future__ import annotations

import functools

import pytest

NO_ROOM = "AddressSanitizer failed to allocate"  # where memory runs out on purpose
# Python 3.12 warns of every fork beside threads; the host runtime's own are stopped in a child.
WARNINGS = "ignore:This process:DeprecationWarning"


@pytest.fixture
def on_host(python, host_library):
    """Runs code in an interpreter of its own on three strict devices of the host runtime.

    Misuse that the runtime reports (on stderr) fails the test.
    """
    run = functools.partial(
        python, PYGPU_BACKEND="host", PYGPU_HOST_DEVICES="3", PYGPU_HOST_STRICT="1"
    )

    def run_clean(code: str, **environment: str):
        result = run(code, **{"PYTHONWARNINGS": WARNINGS} | environment)
        reports = [line for line in result.stderr.splitlines() if NO_ROOM not in line]
        assert not reports, result.stderr
        return result

    return run_clean

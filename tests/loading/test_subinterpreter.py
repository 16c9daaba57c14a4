"""A subinterpreter is refused with a message, and doesn't hang."""

from __future__ import annotations

import importlib

import pytest

SCRIPT = """
try:
    import PyGPU
except ImportError as error:
    print('refused:', error, flush=True)
"""


def in_subinterpreters(used_before):
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    if used_before:
        importlib.import_module("PyGPU").cudaGetDeviceCount()
    for one in [interpreters.create() for _ in range(2)]:
        interpreters.run_string(one, SCRIPT)
    assert importlib.import_module("PyGPU").cudaGetDeviceCount() == (1, 0)


@pytest.mark.parametrize("used_before", [False, True])
def test_import_is_refused(python, used_before):
    """In each of several, also while the main interpreter uses PyGPU, which keeps working."""
    refusal = "refused: PyGPU can't be used in a subinterpreter: import it in the main one"
    printed = python(in_subinterpreters, used_before, PYGPU_BACKEND="host").stdout
    assert printed.splitlines() == [refusal, refusal]

"""No lock of PyGPU's is held over a call that may wait: who holds it could be who is waited for.

The sanitizer builds check it at every call into a runtime or Python (python/lock.hpp).
"""

from __future__ import annotations

import pathlib

import pytest

PROGRAM = pathlib.Path(__file__).with_name("locked.py")


@pytest.mark.parametrize(
    "case",
    [
        "an_upload_in_a_host_function_while_the_ring_is_full",
        "uploads_while_another_is_held_up",
        "uploads_from_many_threads",
        "memory_is_trimmed_while_others_upload",
        "a_pool_is_made_by_two_threads",
    ],
)
def test_nobody_waits_for_a_lock_that_waits(behind, case):
    behind("held_calls.cpp", PROGRAM.read_text(), case)

"""free(), close() and with: memory that is given back at once, and arrays that say so."""

from __future__ import annotations

import pathlib

import pytest

PROGRAM = pathlib.Path(__file__).with_name("freed.py")
IN_CAPTURES = pathlib.Path(__file__).with_name("freed_in_captures.py")


@pytest.mark.parametrize(
    "case",
    [
        "an_array_gives_its_memory_back",
        "memory_gives_itself_back",
        "blocks_end_with_the_memory",
        "every_later_use_says_so",
        "empty_arrays",
        "views_and_bases",
        "memory_of_others",
        "host_memory_that_is_lent",
        "work_that_is_under_way_ends_first",
        "an_address_that_was_read",
        "two_threads_free_at_once",
        "free_in_a_host_function",
        "after_a_reset",
        "what_ctypes_takes",
    ],
)
def test_memory_is_given_back(program, case):
    program(PROGRAM, case)


@pytest.mark.parametrize("case", ["what_a_graph_uses_stays_for_it", "free_breaks_no_capture"])
def test_free_leaves_captures_whole(behind, case):
    behind("captures.cpp", IN_CAPTURES.read_text(), case)

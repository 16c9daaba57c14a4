"""Cycles through memory are collected: allocators, streams and bases that refer back to arrays."""

from __future__ import annotations

import pathlib

import pytest

PROGRAM = pathlib.Path(__file__).with_name("collected.py")


@pytest.mark.parametrize(
    "case",
    [
        "an_array_and_its_allocator",
        "an_allocators_memory_that_knows_the_array",
        "views_of_an_array",
        "an_array_and_its_base",
        "a_resource",
        "memory_of_a_resource",
        "memory_and_what_an_allocator_gave",
        "a_stream_that_used_the_memory",
        "a_stream_of_the_memory",
        "a_stream_of_anothers",
        "a_device_array",
        "a_registration",
        "page_locked_memory",
        "a_chain_of_bases",
        "a_collection_while_another_thread_works",
        "an_array_that_is_revived",
        "cycles_that_end_in_a_host_function",
    ],
)
def test_a_cycle_is_collected(program, case):
    program(PROGRAM, case)

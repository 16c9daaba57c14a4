"""Memory that PyGPU keeps goes back before an allocation fails, and its pieces are joined."""

from __future__ import annotations

import pathlib

import pytest

PROGRAM = pathlib.Path(__file__).with_name("short.py")


@pytest.mark.parametrize(
    "case",
    [
        "pieces_are_joined",
        "small_pieces_that_are_kept_go_back",
        "parked_pieces_go_back",
        "managed_memory_gets_what_was_kept",
        "a_copy_gets_what_was_kept",
        "other_streams_pieces_go_back",
        "garbage_in_cycles_goes_back",
    ],
)
def test_what_is_kept_goes_back(program, case):
    program(PROGRAM, case, PYGPU_HOST_DEVICES="1", PYGPU_HOST_MEMORY="64MiB")

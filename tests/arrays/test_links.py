"""Copies between devices: peers get access at the first one, and rectangles go in one call."""

from __future__ import annotations

import pathlib

import pytest

PROGRAM = pathlib.Path(__file__).with_name("linked.py")
BY_HIP = pathlib.Path(__file__).with_name("linked_by_hip.py")


@pytest.mark.parametrize(
    "case",
    [
        "pool_memory_is_opened_once",
        "plain_memory_is_enabled_once",
        "what_others_enabled_stays",
        "devices_that_are_no_peers",
        "access_that_fails",
        "after_a_reset",
        "no_capture_is_spoilt",
        "rectangles_go_in_one_call",
        "narrow_rows_are_packed",
        "every_pattern_is_numpys",
        "order_and_lifetime",
        "two_threads_copy",
    ],
)
def test_copies_between_devices(behind, case):
    behind("linked_devices.cpp", PROGRAM.read_text(), case)


def test_hip_sends_rectangles_between_peers_alone(program, host_library):
    program(BY_HIP, PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY=str(host_library))

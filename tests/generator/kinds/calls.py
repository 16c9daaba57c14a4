"""Calls of told's library: test_kinds_called.py builds it and runs this file with pytest."""

from __future__ import annotations

import ctypes
import inspect
import sys

import numpy as np
import pytest
import told

from PyGPU import GPUError, _libraries


def one(value: int = 4) -> object:
    made, error = told.told_create(value)
    assert error == told.TOLD_OK
    return made


def test_the_asking_call_may_fail_with_a_code() -> None:
    assert told.checked.told_numbers(one(4)) == [0, 1, 4, 9]
    assert told.checked.told_numbers(one(0)) == []
    assert told.told_numbers(one(4), count=2)[1] == told.TOLD_TOO_SMALL
    assert told.told_numbers(one(-1)) == (None, told.TOLD_WRONG)


def test_a_count_that_c_ignores_is_always_asked_for() -> None:
    """A caller's smaller count would let C write beyond the array."""
    assert told.checked.told_all(one(5)) == [0, 1, 4, 9, 16]
    assert told.checked.told_all(one(0)) == []
    with pytest.raises(TypeError, match="count"):
        told.told_all(one(5), count=1)
    assert told.checked.told_whole(one(5)) == [0, 1, 4, 9, 16]
    with pytest.raises(TypeError, match="count"):
        told.told_whole(one(5), count=1)


def test_a_count_by_value_is_asked_for_through_another_parameter() -> None:
    assert told.checked.told_ids() == [10, 11, 12]
    assert told.checked.told_ids(num_entries=2) == [10, 11]
    assert told.checked.told_ids(num_entries=5) == [10, 11, 12]
    assert told.checked.told_pair() == ([10, 11, 12], [0, -1, -2])


def test_texts_and_bytes_are_as_long_as_c_says() -> None:
    assert told.checked.told_name(one()) == "a name"
    assert told.told_name(one(), size=3)[1] == told.TOLD_WRONG
    assert told.told_name(one(-1)) == (None, told.TOLD_WRONG)
    assert told.checked.told_info(one(5)) == (5).to_bytes(4, sys.byteorder)
    assert told.checked.told_binary() == b"\1\0\2"
    assert told.checked.told_some(8) == b"ab"
    assert told.checked.told_some(1) == b"a"


def test_a_list_gets_its_end() -> None:
    assert told.checked.told_sum([2, 3, 4, 5]) == 26
    assert told.checked.told_sum([]) == 0
    assert told.checked.told_sum(None) == -1
    assert "a 0 is added" in (told.told_sum.__doc__ or "")


def test_a_status_may_come_out_of_a_parameter() -> None:
    assert list(inspect.signature(told.told_create).parameters) == ["value"]
    made, error = told.told_create(1)
    assert isinstance(made, told.told_t)
    assert error == told.TOLD_OK
    assert told.told_create(13) == (None, told.TOLD_WRONG)
    with pytest.raises(GPUError, match="TOLD_WRONG"):
        told.checked.told_create(13)
    assert told.told_check(4) == (8, told.TOLD_OK)
    assert told.checked.told_check(4) == 8
    with pytest.raises(GPUError):
        told.checked.told_check(-1)


def test_a_number_lies_here_or_there() -> None:
    scale = told.checked.told_scale
    assert scale(0.5, 2 + 3j, 4) == 0.5 + 20 + 300 + 4000
    assert scale(1, 1, 1) == 1 + 10 + 1000
    there = ctypes.c_float(0.25)
    assert scale(ctypes.pointer(there), None, ctypes.c_void_p(0)) == 0.25
    assert scale((ctypes.c_float * 1)(8.0), None, None) == 8
    assert scale(None, (ctypes.c_float * 2)(1, 2), None) == 210
    with pytest.raises(TypeError):
        scale((ctypes.c_double * 1)(8.0), None, None)
    with pytest.raises(TypeError):
        scale("1", None, None)
    with pytest.raises(OverflowError):
        scale(0, 0, 2**40)


def test_a_default_is_whatever_the_field_can_hold() -> None:
    left_out = (-70000.0, 0.25, -1e100, 2**64 - 1, 374095)
    assert told.checked.told_apply({}) == left_out
    assert told.checked.told_apply(told.told_options()) == left_out
    given = told.told_options(least=1, scale=2.0, exact=3.0, mask=4, kind=0, mode=5, width=6)
    assert told.checked.told_apply(given) == (1, 2, 3, 4, 500006)
    assert "scale=0.25, exact=-1e+100" in str(inspect.signature(told.told_options))


def test_a_library_without_a_release_has_the_one_that_is_said() -> None:
    told.checked.told_ids()
    found = _libraries.installed("told")
    assert found is not None
    assert found["release"] == "1.0"


def test_arrays_of_addresses() -> None:
    assert told.checked.told_addresses([0x1000, 0x2000], 2) == 0x3000
    held = (ctypes.c_float * 4)()
    assert told.checked.told_addresses([held], 1) == ctypes.addressof(held)
    with pytest.raises(ValueError):
        told.checked.told_addresses([0x1000], 2)


def test_an_array_of_pointers_is_memory_where_the_rule_says_so() -> None:
    held = (ctypes.c_size_t * 2)(0x1000, 0x2000)
    assert told.checked.told_pointers(held, 2) == 0x3000
    assert told.checked.told_pointers(ctypes.addressof(held), 1) == 0x1000
    with pytest.raises(ValueError, match="'pointers' is too short: 24 needed, 16 given"):
        told.told_pointers(held, 3)
    with pytest.raises(TypeError, match="pointers"):
        told.told_pointers([0x1000], 1)
    assert told.checked.told_batches(held, held, 2) == 0x6000
    with pytest.raises(ValueError, match="'others' is too short: 24 needed, 16 given"):
        told.told_batches(None, held, 3)


def test_numbers_of_another_type_where_c_has_only_their_width() -> None:
    halves = np.array([0.5, 0.5], np.float16)
    assert told.checked.told_halves(halves, 2) == 2 * int(halves.view(np.uint16)[0])
    assert told.checked.told_halves(np.ones(1, np.uint16), 1) == 1
    with pytest.raises(ValueError, match="'halves' is too short: 6 needed, 4 given"):
        told.told_halves(halves, 3)


def test_what_c_returns_is_how_much_it_wrote() -> None:
    assert told.told_packed(8, 65) == (3, b"AAA")
    assert told.told_packed(2, 65) == (0, b"")
    assert told.checked.told_read(5) == (3, b"bbb")
    assert told.told_read(0)[-1] == told.TOLD_WRONG
    assert told.told_squares(9) == (4, [0, 1, 4, 9])
    assert told.told_squares(2) == (2, [0, 1])


def test_an_enumerator_counts_as_its_number_in_a_length() -> None:
    held = bytes(range(23))
    assert told.told_matrix(told.TOLD_BY_ROWS, 3, 5, 9, held) == 2 * 9 + 4
    assert told.told_matrix(told.TOLD_BY_COLUMNS, 3, 3, 10, held) == 2 * 10 + 2
    with pytest.raises(ValueError, match="'bytes' is too short: 39 needed, 23 given"):
        told.told_matrix(told.TOLD_BY_COLUMNS, 3, 5, 9, held)
    said = " ".join((told.told_matrix.__doc__ or "").split())
    assert "((columns if order else rows) - 1) * pitch + (rows if order else columns) bytes" in said


def test_the_size_of_a_typed_value_is_that_of_its_type() -> None:
    assert told.checked.told_set(told.TOLD_WIDTH, 65535) == 65535
    assert told.checked.told_set(told.TOLD_RATIO, 0.25) == 0.25
    assert told.checked.told_set(told.TOLD_WHERE, 0x1234) == 0x1234
    assert told.checked.told_set(told.TOLD_WHERE, None) == 0
    held = (ctypes.c_float * 4)()
    assert told.checked.told_set(told.TOLD_WHERE, held) == ctypes.addressof(held)
    with pytest.raises(OverflowError):
        told.told_set(told.TOLD_WIDTH, 65536)


def test_a_status_has_a_text_though_its_name_is_a_local_s() -> None:
    assert told.told_text(told.TOLD_WRONG) == "this is wrong"
    assert told.told_text(status=told.TOLD_OK)  # C gives none


def test_a_handle_for_which_nothing_is_given() -> None:
    box = told.told_box_t()
    assert told.told_boxes() == 1
    del box
    assert told.told_boxes() == 0


if __name__ == "__main__":
    raise SystemExit(
        pytest.main(["-q", "-c/dev/null", "--noconftest", "-pno:cacheprovider", __file__])
    )

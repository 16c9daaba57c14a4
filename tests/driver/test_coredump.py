"""Attributes of core dumps: bools, texts and flags. Their size stands behind a pointer."""

from __future__ import annotations

import ctypes
import os
import pathlib

import pytest

from PyGPU import cu
from tests.own_interpreter import IN_CHILD, own_interpreter

pytestmark = own_interpreter("on_coredump")

HERE = pathlib.Path(__file__).parent
SETTINGS = cu.CUcoredumpSettings
FLAGS = cu.CUCoredumpGenerationFlags

if IN_CHILD:
    c = ctypes.CDLL(os.environ["PYGPU_CU_LIBRARY"])
    c.size_given.restype = ctypes.c_size_t


@pytest.fixture
def on_coredump(python, compile_library):
    source = (HERE / "coredump.cpp").read_text()
    return python.having(PYGPU_CU_LIBRARY=compile_library("libcuda.so.1", source))


CALLS = [
    (cu.cuCoredumpSetAttribute, cu.cuCoredumpGetAttribute),
    (cu.cuCoredumpSetAttributeGlobal, cu.cuCoredumpGetAttributeGlobal),
]
VALUES = [
    (SETTINGS.CU_COREDUMP_ENABLE_ON_EXCEPTION, True, 1),
    (SETTINGS.CU_COREDUMP_TRIGGER_HOST, False, 1),
    (SETTINGS.CU_COREDUMP_LIGHTWEIGHT, True, 1),
    (SETTINGS.CU_COREDUMP_ENABLE_USER_TRIGGER, True, 1),
    (SETTINGS.CU_COREDUMP_FILE, "/tmp/core.%h.%p", 1024),
    (SETTINGS.CU_COREDUMP_PIPE, "x" * 1023, 1024),
    (SETTINGS.CU_COREDUMP_GENERATION_FLAGS, FLAGS.CU_COREDUMP_SKIP_ABORT, 4),
]


@pytest.mark.parametrize("where", range(2))
@pytest.mark.parametrize(("attribute", "value", "size"), VALUES)
def test_values_are_of_the_type_that_the_attribute_says(where, attribute, value, size):
    """They were bare addresses, with the size as a number that the caller had to know."""
    set_, get = CALLS[where]
    assert set_(attribute, value) == 0
    assert c.size_given(where, int(attribute)) == size
    assert get(attribute) == (value, 0)
    assert type(get(attribute)[0]) is type(value)


def test_flags_without_a_name_are_an_int():
    set_, get = CALLS[0]
    flags = FLAGS.CU_COREDUMP_SKIP_ABORT | FLAGS.CU_COREDUMP_SKIP_GLOBAL_MEMORY
    assert set_(SETTINGS.CU_COREDUMP_GENERATION_FLAGS, flags) == 0
    assert get(SETTINGS.CU_COREDUMP_GENERATION_FLAGS) == (flags, 0)


def test_an_attribute_that_nobody_knows_has_bytes():
    set_, get = CALLS[0]
    assert set_(9, b"12345678") == 0
    assert c.size_given(0, 9) == 8
    value, err = get(9, size=8)
    assert (value, err) == (b"12345678", 0)
    assert int(get(12)[-1]) == 1


@pytest.mark.parametrize(
    ("attribute", "value", "kind"),
    [
        (SETTINGS.CU_COREDUMP_ENABLE_ON_EXCEPTION, "yes", TypeError),
        (SETTINGS.CU_COREDUMP_FILE, "x" * 1024, ValueError),
        (SETTINGS.CU_COREDUMP_FILE, 5, TypeError),
        (SETTINGS.CU_COREDUMP_GENERATION_FLAGS, 2**40, OverflowError),
    ],
)
def test_values_of_another_type(attribute, value, kind):
    with pytest.raises(kind, match=r"^cuCoredumpSetAttribute\(\): parameter 'value'"):
        cu.cuCoredumpSetAttribute(attribute, value)

"""The text of a CType is read back as the same type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.model import CType

NAMES = st.sampled_from(
    [
        "void",
        "int",
        "unsigned long long",
        "size_t",
        "cudaStream_t",
        "cudaResourceDesc.res",
        "const_t",
    ]
)
TYPES = st.builds(
    CType,
    NAMES,
    st.booleans(),
    st.lists(st.booleans(), max_size=4).map(tuple),
    st.lists(st.integers(0, 4096), max_size=3).map(tuple),
)


@given(TYPES)
def test_the_text_is_read_back(type_: CType) -> None:
    assert CType.parse(str(type_)) == type_


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (CType("void", True, (False,)), "const void *"),
        (CType("void", False, (True, False)), "void *const *"),
        (CType("char", False, (), (64,)), "char[64]"),
    ],
)
def test_the_text_is_c(type_: CType, text: str) -> None:
    assert str(type_) == text


def test_the_outermost_pointer_tells_who_may_write() -> None:
    assert CType("void", True, (False,)).points_to_const
    assert not CType("void", True, (False, False)).points_to_const
    assert CType("void", False, (True, False)).points_to_const
    assert CType("void", False, (True, False)).pointee == CType("void", False, (True,))

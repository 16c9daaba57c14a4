"""Which older forms of a function C can be given what is made for today's."""

from __future__ import annotations

import pytest

from generator.plan.releases import Passed, takes

FIRST, SECOND, OTHER = (0, "unsigned int"), (64, "pointer"), (64, "float")


def struct(name: str, *members: tuple[int, str]) -> tuple[Passed, ...]:
    """The shape of a form that takes a pointer to a struct."""
    return (Passed("enum"), Passed("pointer", name, members))


@pytest.mark.parametrize(
    ("older", "today", "served"),
    [
        (struct("a_v1", FIRST), struct("a_v2", FIRST, SECOND), True),  # it grew at its end
        (struct("a_v1", FIRST, SECOND), struct("a_v2", FIRST), False),  # C would go beyond it
        (struct("a_v1", FIRST, OTHER), struct("a_v2", FIRST, SECOND), False),
        (struct("a", FIRST, OTHER), struct("a", FIRST), True),  # the loader knows its layouts
        (struct("a", FIRST), (Passed("enum"), Passed("pointer")), True),  # opaque by now
        (struct("a", FIRST), (Passed("enum"), Passed("int")), False),
        (struct("a", FIRST), struct("a", FIRST)[:1], False),
    ],
)
def test_a_form_takes_no_less_than_it_reads(
    older: tuple[Passed, ...], today: tuple[Passed, ...], served: bool
) -> None:
    assert takes(older, today) == served

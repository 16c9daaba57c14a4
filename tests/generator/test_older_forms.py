"""Which older forms of a C function can take arguments made for today's form."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from generator.decide.decision import Decision
from generator.merge import merge_all
from generator.plan.ctypes import Types
from generator.plan.releases import Passed, takes, with_older_structs
from generator.rules import Rules
from tests.generator.headers import parse_text

FIRST, SECOND, OTHER = (0, "unsigned int"), (64, "pointer"), (64, "float")


def struct(name: str, *members: tuple[int, str]) -> tuple[Passed, ...]:
    """The shape of a form that takes a pointer to that struct."""
    return (Passed("enum"), Passed("pointer", name, members))


@pytest.mark.parametrize(
    ("older", "today", "served"),
    [
        (struct("a_v1", FIRST), struct("a_v2", FIRST, SECOND), True),  # it grew at its end
        # C would read beyond the end.
        (struct("a_v1", FIRST, SECOND), struct("a_v2", FIRST), False),
        (struct("a_v1", FIRST, OTHER), struct("a_v2", FIRST, SECOND), False),
        (struct("a", FIRST, OTHER), struct("a", FIRST), True),  # the loader knows its layouts
        (struct("a", FIRST), (Passed("enum"), Passed("pointer")), True),  # opaque today
        (struct("a", FIRST), (Passed("enum"), Passed("int")), False),
        (struct("a", FIRST), struct("a", FIRST)[:1], False),
    ],
)
def test_a_form_takes_no_less_than_it_reads(
    older: tuple[Passed, ...], today: tuple[Passed, ...], served: bool
) -> None:
    assert takes(older, today) == served


OLDER = """
typedef struct gpuNode_v1_st { int x; void *data; } gpuNode_v1;
int gpuAdd(const gpuNode_v1 *node);
int gpuGet(const gpuNode_v1 *node);
"""
TODAY = """
typedef struct gpuNode_v1_st { int x; void *data; } gpuNode_v1;
typedef struct gpuNode_v2_st { int x; void *data; int more; } gpuNode_v2;
int gpuAdd(const gpuNode_v2 *node);
int gpuGet(const gpuNode_v1 *node);
"""


def test_a_struct_has_the_layout_of_the_one_that_a_release_takes_instead(tmp_path: Path) -> None:
    """So a field that C wouldn't read there is refused."""
    releases = [
        replace(parse_text(tmp_path, text), version=version)
        for version, text in (("1.0", OLDER), ("1.1", OLDER), ("2.0", TODAY))
    ]
    api = merge_all(releases)
    decided = dict.fromkeys(api.functions, dict.fromkeys(["node"], Decision("struct", "type")))
    forms = with_older_structs(api, Types.of(api), Rules("gpu"), decided).structs["gpuNode_v2_st"]
    assert [(one.since, one.until, len(one.node.fields)) for one in forms] == [
        ("1.0", "1.0", 2),
        ("1.1", "1.1", 2),
        ("2.0", "2.0", 3),
    ]
    assert {one.node.name for one in forms} == {"gpuNode_v2_st"}

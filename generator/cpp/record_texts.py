"""The texts of a record in C++: what binding/docstring.cpp composes a docstring of."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from generator.cpp.text import literal
from generator.plan.binding import BindingPlan
from generator.plan.doc import Doc
from generator.plan.phrases import PHRASES

_WIDTH = 96


def texts(doc: Doc, name: str) -> Iterator[str]:
    """The texts of the record of a function, as lines of literals."""
    yield _ended([*(one.name for one in doc.parameters), ""])
    yield _ended([*(one.name for one in doc.results), ""])
    if doc.defaults:
        yield _ended(doc.defaults)
    prototype = doc.prototype.replace(f"{name}(", "{}(", 1)
    for text in (doc.summary, doc.bare, prototype, doc.releases, doc.errors):
        yield from _broken(text)
    for value in (*doc.parameters, *doc.results):
        parts = [text for name, holes in value.description.parts for text in (name, *holes)]
        yield from _broken(*parts, "")


def phrases(plan: BindingPlan) -> Iterator[str]:
    """The phrases that an API's records use, each with its name, as lines of literals."""
    wrappers = [one.doc for group in plan.groups.values() for one in group]
    docs = [*wrappers, *(one.doc for one in plan.helpers)]
    values = [value for doc in docs for value in (*doc.parameters, *doc.results)]
    used = {name for value in values for name, _ in value.description.parts}
    for name in (name for name in PHRASES if name in used):
        yield from _broken(name, PHRASES[name])


def _ended(parts: Iterable[str]) -> str:
    """A literal in which each text ends with a NUL."""
    text = "".join(f"{literal(one)[1:-1]}\\0" for one in parts)
    for digit in "01234567":  # else it would belong to the NUL's number
        text = text.replace(f"\\0{digit}", f'\\0" "{digit}')
    return f'"{text}"'


def _broken(*parts: str) -> Iterator[str]:
    """The literals of some texts, a long one in lines."""
    whole = _ended(parts)
    if len(whole) <= _WIDTH:
        yield whole
        return
    for one in parts:
        *lines, last = textwrap.wrap(
            one, _WIDTH, break_long_words=False, break_on_hyphens=False
        ) or [""]
        yield from (literal(f"{line} ") for line in lines)
        yield _ended([last])

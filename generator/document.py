"""What a TOML or JSON document has to look like: checks that say where it doesn't."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from generator.errors import GeneratorError

# A check takes a value and its place in the document, and raises DocumentError.
Check = Callable[[Any, str], None]


class DocumentError(GeneratorError):
    """A wrong value in a document. The text starts with the value's place."""


def _refuse(where: str, due: str, value: object) -> DocumentError:
    shown = repr(value)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    return DocumentError(f"{where or 'the document'}: {due} is needed, not {shown}")


def matching(pattern: str, due: str) -> Check:
    """A text of that form; `due` calls it."""
    form = re.compile(pattern, re.ASCII)

    def check(value: Any, where: str) -> None:
        if not isinstance(value, str) or not form.fullmatch(value):
            raise _refuse(where, due, value)

    return check


text = matching(r"[^\x00-\x1f]+", "a text on one line")
words = matching(r"[\w\s]*", "names and spaces")
name = matching(r"[A-Za-z_]\w*", "a name of C")


def pattern(value: Any, where: str) -> None:
    """A regular expression."""
    text(value, where)
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError) as error:
        raise DocumentError(f"{where}: {value!r} is no pattern: {error}") from None


def number(low: int, high: int) -> Check:
    """A whole number in that range, both ends included."""

    def check(value: Any, where: str) -> None:
        if type(value) is not int or not low <= value <= high:
            raise _refuse(where, f"a number from {low} to {high}", value)

    return check


def true(value: Any, where: str) -> None:
    """Only true: a key that would be false is left out."""
    if value is not True:
        raise _refuse(where, "true", value)


def one_of(*choices: object) -> Check:
    """One of some values."""

    def check(value: Any, where: str) -> None:
        if not any(type(value) is type(one) and value == one for one in choices):
            raise _refuse(where, " or ".join(map(repr, choices)), value)

    return check


def either(*kinds: tuple[type, Check]) -> Check:
    """Another check for each type of value."""

    def check(value: Any, where: str) -> None:
        for kind, inner in kinds:
            if type(value) is kind:
                return inner(value, where)
        raise _refuse(where, " or ".join(f"a {kind.__name__}" for kind, _ in kinds), value)

    return check


def items(check: Check, least: int = 0) -> Check:
    """A list, at least so long."""

    def of_list(value: Any, where: str) -> None:
        if not isinstance(value, list) or len(value) < least:
            raise _refuse(where, "a list" if not least else f"a list of {least} or more", value)
        for index, one in enumerate(value):
            check(one, f"{where}[{index}]")

    return of_list


def each(check: Check, key: Check = text) -> Check:
    """A table with keys of its own choice."""

    def of_each(value: Any, where: str) -> None:
        if not isinstance(value, Mapping):
            raise _refuse(where, "a table", value)
        for one, inner in value.items():
            at = f"{where}.{one}" if where else one
            key(one, at)
            check(inner, at)

    return of_each


def table(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """A table with these keys and no others."""
    known = {**required, **(optional or {})}

    def of_table(value: Any, where: str) -> None:
        if not isinstance(value, Mapping):
            raise _refuse(where, "a table", value)
        for key, one in value.items():
            at = f"{where}.{key}" if where else key
            if key not in known:
                raise DocumentError(f"{at}: unknown key; known here: {', '.join(sorted(known))}")
            known[key](one, at)
        if missing := sorted(required.keys() - value.keys()):
            raise DocumentError(f"{where or 'the document'}: {', '.join(missing)} is missing")

    return of_table

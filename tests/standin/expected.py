"""The reviewed table: what every function takes and returns, as a Python caller sees it."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent / "expected"
_SLOT = re.compile(
    r"(?P<name>\w+)"
    r"(?:(?P<text>\")(?P<room>\w*)|(?P<mark>@|\^|)\[(?P<count>[^]]+)\]|(?P<sign>@|\{\}|\*|\(\)|#)"
    r"|\((?P<type>[^)]+)\)|~(?P<by>\w+))?"
    r"(?P<changed>&?)(?P<kept>!?)(?P<code>\d*)"
)


@dataclass(frozen=True, slots=True)
class Slot:
    """One input or output. `kind` is a mark that the head of the table explains, "" for a value."""

    name: str
    kind: str = ""
    count: str = ""  # the parameter that counts it, a number, or a formula over parameters
    type: str = ""  # the true type where C has void *
    changed: bool = False
    kept: bool = False  # valid after failures
    code: int = 0  # only of failures with this status

    @property
    def python_name(self) -> str:
        """The name in Python; C's name may be a keyword there."""
        return f"{self.name}_" if keyword.iskeyword(self.name) else self.name


@dataclass(frozen=True, slots=True)
class Expected:
    """One function. `returns` is "status", "nothing" or "value"."""

    name: str
    inputs: tuple[Slot, ...]
    keywords: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    returns: str
    # A formula for the bytes behind an input.
    lengths: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """One API: its functions, and the functions that keep the GIL.

    `older` maps the parameters of older forms to today's, by function. `refused` has the releases
    whose form nothing serves.
    """

    functions: dict[str, Expected]
    keeps: frozenset[str]
    older: Mapping[str, Mapping[str, str]]
    refused: Mapping[str, Sequence[str]]


def read(api: str) -> Table:
    """Read an API's table. ValueError for what can't be read."""
    document = tomllib.loads((FOLDER / f"{api}.toml").read_text(encoding="utf-8"))
    return Table(
        {
            name: replace(parse(name, text), lengths=document["lengths"].get(name, {}))
            for name, text in document["functions"].items()
        },
        frozenset(document["gil"]["keeps"]),
        document.get("older", {}),
        document.get("refused", {}),
    )


def parse(name: str, text: str) -> Expected:
    """Read one line of the table."""
    before, _, after = text.partition("->")
    inputs, _, keywords = f", {before}".partition(", *, ")
    given = [part.strip() for part in after.split(",") if part.strip()]
    returns = "status"
    if given and given[-1] in ("return", "nothing"):
        returns = {"return": "value"}.get(given[-1], "nothing")
        given.pop()
    return Expected(
        name, _slots(inputs), _slots(keywords), tuple(_slot(one) for one in given), returns
    )


def _slots(text: str) -> tuple[Slot, ...]:
    return tuple(_slot(part.strip()) for part in text.split(",") if part.strip())


def _slot(text: str) -> Slot:
    found = _SLOT.fullmatch(text)
    if found is None:
        raise ValueError(f"no entry of the table: {text}")
    kind, count = found["sign"] or "", found["count"] or ""
    if found["text"]:
        kind, count = '"', found["room"]
    elif count:
        kind = f"{found['mark']}[]"
    elif found["type"]:
        kind = "void"
    elif found["by"]:
        kind, count = "~", found["by"]
    changed, kept = bool(found["changed"]), bool(found["kept"])
    code = int(found["code"] or 0)
    return Slot(found["name"], kind, count, found["type"] or "", changed, kept, code)

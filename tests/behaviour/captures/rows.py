"""The calls that are asked beside a capture: the rows of cuda.toml and cu.toml.

The fields of a row:

- `call`: an expression, and `before`: statements that run before the capture begins. The group's
  run before them. `s` is the stream that the call gets, `captured` the one that captures.
- `about`: what tells this row from others with the same call.
- `refused`: whether an H200 refused the call beside the capture of another thread, both in the
  default mode. Rows without it wait for a card's answer.
- `legacy`: the number of the error by which an H200 refused the call on the legacy stream, beside
  the capture of a blocking stream.
- `after`: statements that run once the capture has ended, if the call succeeded; `v` are its
  values.
- `needs`: the least number of devices. `since`: the first version of the driver or runtime.
- `differs`: why the host runtime answers otherwise than a card.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover
    import tomli as tomllib

FOLDER = Path(__file__).resolve().parent
FIELDS = {"call", "before", "about", "refused", "legacy", "after", "needs", "since", "differs"}
GLOBAL, THREAD_LOCAL, RELAXED = range(3)
BLOCKING, NON_BLOCKING = range(2)


@dataclass(frozen=True)
class Situation:
    """Who captures, in the global mode, and who makes the call, in which mode and on what stream.

    The call is made on the legacy stream, if `legacy`, or on a stream that waits for no other.
    """

    by_other_thread: bool
    mode: int
    legacy: bool = False


# A blocking stream captures where the legacy stream is asked, which would wait for it.
SITUATIONS = {
    "beside": Situation(True, GLOBAL),
    "thread-local": Situation(True, THREAD_LOCAL),
    "relaxed": Situation(True, RELAXED),
    "same thread": Situation(False, GLOBAL),
    "legacy": Situation(True, GLOBAL, legacy=True),
    "legacy relaxed": Situation(True, RELAXED, legacy=True),
}


@dataclass(frozen=True)
class Row:
    """One row."""

    call: str
    about: str
    before: tuple[str, ...]
    after: str
    refused: bool | None
    legacy: int | None
    needs: int
    since: int
    differs: str

    @property
    def key(self) -> str:
        """The row's name in stored answers."""
        return f"{self.call} {self.about}".rstrip()

    @property
    def function(self) -> str:
        """The function that the row is about, the last one named."""
        return self.call.split("(")[-2 if self.call.endswith("[1]") else 0].split()[-1]


def load(api: str) -> list[Row]:
    """Load all rows of "cuda" or "cu"; an unknown field or two equal keys are an error."""
    groups = tomllib.loads((FOLDER / f"{api}.toml").read_text(encoding="utf-8"))["group"]
    rows = [_row(group, fields) for group in groups for fields in group["rows"]]
    keys = [row.key for row in rows]
    if twice := {key for key in keys if keys.count(key) > 1}:
        raise ValueError(f"{api}.toml: asked twice: {', '.join(sorted(twice))}")
    return rows


def _row(group: dict, fields: dict) -> Row:
    if unknown := set(fields) - FIELDS:
        raise ValueError(f"{fields['call']}: {', '.join(sorted(unknown))}")
    return Row(
        call=fields["call"],
        about=fields.get("about", ""),
        before=(*group.get("before", []), *fields.get("before", [])),
        after=fields.get("after", ""),
        refused=fields.get("refused"),
        legacy=fields.get("legacy"),
        needs=fields.get("needs", 1),
        since=fields.get("since", 0),
        differs=fields.get("differs", ""),
    )

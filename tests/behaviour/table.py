"""The behaviour table: rows of all .toml files here, for CUDA and, renamed, for HIP.

The rows of driver*.toml are only for the driver API.

The fields of a row:

- `call`: an expression, and `code`: the status that it must return.
- `before`: statements that run first; the statements of the row's group run before them.
- `holds`: a condition on `v`, the values beside the status.
- `after`: a condition on the state after the call.
- `needs`: the least number of devices.
- `forget`: the call ends what `before` made.
- `doubt`: why the code is a guess until a card has answered.
- `card`: the code of NVIDIA's runtime, where the host runtime can't or needn't return the same one;
  "varies" if it changes from run to run. `differs` is the reason.
- `hip`: another expression for HIP, or false. `hip_code`: another status for HIP; `holds` and
  `after` don't count then.
- `cuda = false`: a row only for HIP. A group may set this, or `doubt`, for all its rows.
- `since`: the first version of the runtime that has the function.
"""

from __future__ import annotations

import hashlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover
    import tomli as tomllib

FOLDER = Path(__file__).resolve().parent
DRIVER = "driver"
FIELDS = {"call", "code", "hip_code", "before", "holds", "after", "needs", "forget", "doubt"}
FIELDS |= {"card", "differs", "hip", "cuda", "since"}


@dataclass(frozen=True)
class Row:
    """One row, in the form in which one API's runtime is asked it."""

    key: str
    about: str
    call: str
    code: int
    before: tuple[str, ...]
    holds: str
    after: str
    needs: int
    forget: bool
    doubt: str
    since: int
    card: int | str | None
    differs: str

    @property
    def function(self) -> str:
        """The function that the row is about; empty where its condition names none."""
        match = re.search(r"\b((?:cuda|hip|cu)[A-Z]\w*)\(?", self.call)
        return match.group(1) if match else ""


def load(api: str) -> list[Row]:
    """Load all rows of "cuda", "hip" or "cu"; an unknown field is an error."""
    rows = []
    for path in sorted(FOLDER.glob("*.toml")):
        if path.stem.startswith(DRIVER) != (api == "cu"):
            continue
        groups = tomllib.loads(path.read_text(encoding="utf-8"))["group"]
        for group in groups:
            for fields in group["rows"]:
                if unknown := set(fields) - FIELDS:
                    raise ValueError(f"{path.name}: {fields['call']}: {', '.join(unknown)}")
                if fields.get(api, group.get(api, True)) is not False:
                    rows.append(_row(api, path.stem, group, fields))
    return rows


def _row(api: str, stem: str, group: dict, fields: dict) -> Row:
    before = [*group.get("before", []), *fields.get("before", [])]
    call = fields["call"]
    if api == "hip" and fields.get("hip_code", fields["code"]) != fields["code"]:
        fields = {name: text for name, text in fields.items() if name not in ("holds", "after")}
    if api == "hip" and isinstance(fields.get("hip"), str):
        call = fields["hip"]
    texts = [call, fields.get("holds", ""), fields.get("after", ""), *before]
    if api == "hip":
        texts = [_to_hip(text) for text in texts]
    call, holds, after, *before = texts
    return Row(
        key=f"{stem}-{_digest(call, holds, *before)}",
        about=f"{stem}: {group['about']}",
        call=call,
        code=fields.get("hip_code", fields["code"]) if api == "hip" else fields["code"],
        before=tuple(before),
        holds=holds,
        after=after,
        needs=fields.get("needs", group.get("needs", 1)),
        forget=fields.get("forget", False),
        doubt=fields.get("doubt", group.get("doubt", "")),
        since=fields.get("since", 0),
        card=fields.get("card"),
        differs=fields.get("differs", ""),
    )


def _digest(*texts: str) -> str:
    """A name for a row that stays the same when other rows are added or removed."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:8]


def _to_hip(text: str) -> str:
    return re.sub(r"\bcuda(?=[A-Z])", "hip", text)

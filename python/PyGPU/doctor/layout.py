"""What the short and the whole text of a report have in common: verdict, tables, wrapped lines."""

from __future__ import annotations

import textwrap
from typing import Any

from PyGPU._apis import APIS
from PyGPU._base import terminal


def headline(report: dict[str, Any], width: int) -> list[str]:
    """The verdict: whether a GPU works (green), the CPU stands in (yellow), or nothing works."""
    working = [APIS[api].label for api, facts in report["apis"].items() if facts["works"]]
    text = f"{' and '.join(working)} work{'s' if len(working) == 1 else ''}"
    if not working:
        text, style = "No backend works on this machine.", "bad"
    elif report["backend"]["name"] == "host":
        text += " on the host runtime: this is the CPU, no GPU is in use."
        style = "notice"
    else:
        text, style = f"{text}.", "good"
    return [terminal.styled(line, style) for line in wrapped(text, width)]


def advice(report: dict[str, Any], width: int) -> list[str]:
    """Each problem and what to do about it, below a heading; nothing if there is no problem."""
    lines = ["", "What to do"] if report["advice"] else []
    for entry in report["advice"]:
        label = f"{APIS[entry['api']].label}: " if entry["api"] in APIS else ""
        lines += wrapped(f"- {label}{entry['problem']}.", width, 2, 4)
        lines += wrapped(f"-> {entry['todo']}", width, 4, 7)
    return lines


def table(rows: list[tuple[str, str]], width: int, indent: int = 0) -> list[str]:
    """Labels and texts in two columns; texts are wrapped within theirs."""
    left = indent + max(len(label) for label, _ in rows) + 2
    lines = []
    for label, text in rows:
        # A path that is wider than its column begins beside its label all the same.
        first, *others = wrapped(text, max(width - left, 1)) or [""]
        lines.append(f"{' ' * indent + label:{left}}{first}".rstrip())
        lines += [" " * left + line for line in others]
    return lines


def wrapped(text: str, width: int, first: int = 0, rest: int = 0) -> list[str]:
    """The lines of a text, the first indented by `first`, the others by `rest`. No word is cut."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=" " * first,
        subsequent_indent=" " * rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def printable(value: Any) -> Any:
    """A report whose texts have escapes for the characters that a terminal would obey."""
    if isinstance(value, dict):
        return {key: printable(one) for key, one in value.items()}
    if isinstance(value, list):
        return [printable(one) for one in value]
    if isinstance(value, str) and not value.isprintable():
        return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in value)
    return value


def size(number: int) -> str:
    """A number of bytes in GiB, or in MiB below one."""
    return f"{number / 2**30:.1f} GiB" if number >= 2**30 else f"{number / 2**20:.0f} MiB"

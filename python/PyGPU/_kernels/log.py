"""What a compiler's log says: messages with their places, and the lines that they name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from PyGPU._kernels._vendors import COMPILERS


class Diagnostic(NamedTuple):
    """One message of a compiler. `text` is all of it, with the line of source and a caret."""

    severity: str  # "error", "warning", "remark", "note"
    message: str
    file: str = ""
    line: int = 0  # 0: of no line
    column: int = 0
    code: str = ""  # the compiler's own number of the message
    text: str = ""


_SEVERITY = (
    r"(?P<severity>(?:catastrophic |internal |fatal |command-line )?error|warning|remark|note)"
)
_TOOLS = "|".join(re.escape(tool) for one in COMPILERS.values() for tool in one.tools)
_TOOL = rf"(?P<file>{_TOOLS})"
_FORMS = [
    # NVRTC: source.cu(3): warning #177-D: ...
    re.compile(
        rf"(?P<file>.+?)\((?P<line>\d+)\): {_SEVERITY}(?: #(?P<code>[\w-]+))?: (?P<message>.*)"
    ),
    # hipRTC, which is clang: source.hip:3:5: error: ...
    re.compile(rf"(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): {_SEVERITY}: (?P<message>.*)"),
    # a part of the compiler: ptxas error   : ...
    re.compile(rf"{_TOOL}\s*:?\s+(?P<severity>error|warning|fatal)\s*:\s*(?P<message>.*)"),
]
_CARET = re.compile(r"[\s~]*\^[~^ ]*$")


def diagnostics(log: str, sources: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """The messages of a log. Where it shows no line of source, that of `sources` is added."""
    return tuple(message for message, _ in _blocks(log, sources) if message)


def annotated(log: str, sources: Mapping[str, str]) -> str:
    """The log with each line of source that it names; newer compilers show them by themselves."""
    parts = [message.text if message else text for message, text in _blocks(log, sources)]
    return "\n".join(parts) + ("\n" if log.endswith("\n") else "")


def _blocks(log: str, sources: Mapping[str, str]) -> list[tuple[Diagnostic | None, str]]:
    """The log in pieces: a message with the lines that belong to it, or lines between messages."""
    blocks: list[list[str]] = []
    inside = False
    for line in log.splitlines():
        starts = _matched(line) is not None
        if starts or not inside or not line.strip():
            blocks.append([line])
        else:
            blocks[-1].append(line)
        inside = starts or (inside and bool(line.strip()))
    return [(_diagnostic(lines, sources), "\n".join(lines)) for lines in blocks]


def _matched(line: str) -> re.Match[str] | None:
    return next((match for form in _FORMS if (match := form.fullmatch(line))), None)


def _diagnostic(lines: list[str], sources: Mapping[str, str]) -> Diagnostic | None:
    match = _matched(lines[0])
    if match is None:
        return None
    parts = match.groupdict()
    severity = parts["severity"].rpartition(" ")[2]
    caret = next((at for at, line in enumerate(lines) if at and _CARET.match(line)), 0)
    following = lines[1 : max(caret - 1, 1)] if caret else lines[1:]
    message = " ".join([parts["message"], *(line.strip() for line in following)])
    number = int(parts.get("line") or 0)
    column = int(parts.get("column") or 0)
    if caret and not column and caret > 1:
        shown = lines[caret - 1]
        column = lines[caret].index("^") - (len(shown) - len(shown.lstrip())) + 1
        column += _indentation(sources.get(parts["file"], ""), number)
    elif not caret and number:
        excerpt, at = _excerpt(_line(sources.get(parts["file"], ""), number), message)
        lines, column = lines + excerpt, column or at
    return Diagnostic(
        "error" if severity == "fatal" else severity,
        message,
        parts["file"] if number else "",
        number,
        max(column, 0),
        parts.get("code") or "",
        "\n".join(lines),
    )


def _line(source: str, number: int) -> str:
    lines = source.splitlines()
    return lines[number - 1] if 0 < number <= len(lines) else ""


def _indentation(source: str, number: int) -> int:
    line = _line(source, number)
    return len(line) - len(line.lstrip())


def _excerpt(line: str, message: str) -> tuple[list[str], int]:
    """A line with a caret below what the message quotes, else below its first word; the column."""
    if not line.strip():
        return [], 0
    at = len(line) - len(line.lstrip())
    for quoted in re.findall(r'"([^"]+)"', message):
        if match := re.search(rf"(?<!\w){re.escape(quoted)}(?!\w)", line):
            at = match.start()
            break
    blank = re.sub(r"[^\t]", " ", line[:at])
    return ["  " + line, "  " + blank + "^"], at + 1

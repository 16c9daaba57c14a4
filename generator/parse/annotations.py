"""What stands beside a declaration's parameters: trailing tags, SAL, GCC's attributes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from generator.parse.comments import ParameterNote, read_note, tag_of

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_TRAILING = re.compile(r"/(?:\*[*!]|/[/!])<")
# Any number of [words] at the beginning: [in,out][optional][range(0, *pCount)].
_TAGS = re.compile(r"\W*?((?:\[[^\]\n]*\]\s*)+)")
_TAG = re.compile(r"\[([^\]\n]*)\]")
_RANGE = re.compile(r"range\s*\(\s*0\s*,\s*\*?\s*(\w+)\s*\)")
# SAL: _In_, _Out_opt_, _In_reads_(n), _Out_writes_bytes_(*size), and the older __in, __out_opt.
_SAL = re.compile(
    r"\b_(?P<way>In|Out|Inout)(?P<rest>_\w*?)?_(?!\w)(?:\s*\(\s*\*?\s*(?P<count>\w+)\s*\))?"
    r"|\b__(?P<old>inout|in|out)(?P<opt>_opt)?\b(?=\s+\w)"
)
_ACCESS = re.compile(
    r"access\w*\s*\(+\s*_*(?P<mode>read_only|write_only|read_write)_*\s*,\s*(?P<which>\d+)"
    r"\s*(?:,\s*(?P<count>\d+)\s*)?\)"
)
_MODES = {"read_only": "in", "write_only": "out", "read_write": "inout"}


@dataclass(frozen=True, slots=True)
class ParameterExtent:
    """A parameter's place in the header's text, and its name."""

    name: str
    start: int
    end: int


def beside(
    text: str, start: int, parameters: Sequence[ParameterExtent]
) -> Mapping[str, ParameterNote]:
    """What stands beside the parameters of a declaration that begins at `start`, by name."""
    notes: dict[str, ParameterNote] = {}
    end = _end(text, parameters[-1].end if parameters else start)
    names = [one.name for one in parameters]
    stops = [*(one.start for one in parameters[1:]), end]
    before = start
    for one, stop in zip(parameters, stops, strict=True):
        seen = _tagged(text[one.end : stop]) or _annotated(_bare(text[before : one.end]))
        if seen and (seen.count is None or seen.count in names):
            notes[one.name] = seen
        before = one.end
    for name, access in _accesses(_head(text, start) + text[start:end], names):
        notes.setdefault(name, access)
    return notes


def _end(text: str, after: int) -> int:
    """The place behind a declaration, and behind a comment on its last line."""
    for match in re.compile(r"/\*.*?\*/|//[^\n]*|[;{]", re.S).finditer(text, after):
        if match.group() in ";{":
            return match.start()
    return len(text)


def _head(text: str, start: int) -> str:
    """What stands on a declaration's first line before it."""
    return text[text.rfind("\n", 0, start) + 1 : start]


def _bare(text: str) -> str:
    return _COMMENT.sub(" ", text)


def _tagged(text: str) -> ParameterNote | None:
    """What the comments behind a parameter say, if they are for what stands before them."""
    comments = [one.group() for one in _COMMENT.finditer(text)]
    if not comments or not _TRAILING.match(comments[0]):
        return None
    # A comment goes on in the next lines.
    body = "\n".join(re.sub(r"^/(?:\*[*!]|/[/!])<?|\*/$", "", one) for one in comments)
    match = _TAGS.match(body)
    tags = _TAG.findall(match.group(1)) if match else []
    tag = next(filter(None, map(tag_of, tags)), None)
    if {"in", "out"} <= {tag_of(one) for one in tags}:
        tag = "inout"
    counts = [size[1] for one in tags if (size := _RANGE.fullmatch(one.strip()))]
    return replace(
        read_note(body[match.end() :] if match else body),
        tag=tag,
        count=counts[0] if counts else None,
        optional="optional" in tags,
    )


def _annotated(text: str) -> ParameterNote | None:
    """What SAL says of a parameter."""
    for match in _SAL.finditer(text):
        way = (match["way"] or match["old"]).lower()
        rest = match["rest"] or match["opt"] or ""
        counted = any(one in rest for one in ("reads", "writes", "updates", "bytecount", "count"))
        unclear = (counted and match["count"] is None) or "to" in rest.split("_")
        return ParameterNote(
            way,
            several=unclear,
            count=None if unclear else match["count"],
            optional="opt" in rest,
            bytes="bytes" in rest,
        )
    return None


def _accesses(text: str, names: Sequence[str]) -> Iterator[tuple[str, ParameterNote]]:
    """What GCC's attribute `access` says; it counts parameters from 1."""
    for match in _ACCESS.finditer(_bare(text)):
        places = [int(match[one]) - 1 for one in ("which", "count") if match[one]]
        if all(0 <= place < len(names) for place in places):
            which, *count = (names[place] for place in places)
            yield which, ParameterNote(_MODES[match["mode"]], count=count[0] if count else None)

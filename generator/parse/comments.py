"""What doxygen comments vote for: groups, directions, error codes. No text is kept."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field, replace

_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|(?://[^\n]*\n?(?:[ \t]*//[^\n]*\n?)*)', re.S)
_GROUP = re.compile(r"[\\@](?:defgroup|addtogroup)\s+(\w+)")
_IN_GROUP = re.compile(r"[\\@]ingroup\s+(\w+)")
_BRACKET = re.compile(r"[\\@][{}]")
_PARAMETER = re.compile(r"[\\@]param\b\s*(?:\[([^\]]*)\])?\s*(\w+)")
_RETURNED = re.compile(
    r"\W*(?:the\s+)?(?:returns?\b|returned\b|(?:pointer|address)\s+(?:to|of)\s+(?:the\s+)?returned?\b"
    r"|output\b|location\s+to\s+(?:return|store|write))"
    # "Reference in which to return the name", "Structure into which the name is written"
    r"|[^.;]*?\b(?:in|into|to|at)\s+which\s+(?:to\s+(?:return|store|write|place)"
    r"|[^.;]*?\b(?:is|are|be)\s+(?:returned|stored|written|placed))",
    re.I,
)
# What the caller gives as well.
_GIVEN = re.compile(r"\b(?:provide|suppl(?:y|ied)|given?\s|pass(?:ed)?|set)\b", re.I)
_SEVERAL = re.compile(
    r"\b(?:arrays?\s+of|list\s+of|one\s+(?:\w+\s+)?(?:per|for\s+each)|per)\b", re.I
)
# What lies on the device, or may, or is more than one number.
_PLACED = re.compile(
    r"\b(?:device\s+(?:memory|pointers?|arrays?|or\s+host)|(?:or|on|in|at)\s+(?:the\s+)?(?:device|gpu)"
    r"|arrays?|vectors?|matri(?:x|ces)|tensors?|buffers?|workspace|elements)\b",
    re.I,
)
_ON_DEVICE = re.compile(r"\b(?:device|gpu)\s+(?:memory|buffers?|pointers?|arrays?|address)\b", re.I)
_COMMAND = re.compile(r"[\\@](?:param|returns?|retval|sa|see|note\w*|warning|brief|ref\b)")
_TAGS = {"in": "in", "out": "out", "in,out": "inout", "inout": "inout", "out,in": "inout"}


@dataclass(frozen=True, slots=True)
class ParameterNote:
    """What the header says about one parameter, besides its type.

    `count` is the parameter that it names as the number of elements, or of `bytes`.
    """

    tag: str | None = None
    returned: bool = False
    several: bool = False
    count: str | None = None
    optional: bool = False
    bytes: bool = False
    placed: bool = False
    on_device: bool = False


@dataclass(frozen=True, slots=True)
class Votes:
    """What one function's comment says. `parameters` maps a name to what is said of it."""

    group: str | None = None
    parameters: dict[str, ParameterNote] = field(default_factory=dict)
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Comment:
    start: int
    end: int
    text: str
    group: str | None


class Comments:
    """All comments of one header, with the doxygen group that is open behind each."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._comments: list[_Comment] = []
        stack: list[str | None] = []
        for match in _COMMENT.finditer(text):
            body = match.group()
            if body.startswith('"'):
                continue
            if body.startswith(("/**", "/*!", "///")) or "@{" in body or "@}" in body:
                named = _GROUP.search(body)
                for bracket in _BRACKET.findall(body):
                    if bracket[1] == "{":
                        stack.append(named.group(1) if named else (stack[-1] if stack else None))
                    elif stack:
                        stack.pop()
            group = stack[-1] if stack else None
            self._comments.append(_Comment(match.start(), match.end(), _plain(body), group))
        self._ends = [comment.end for comment in self._comments]

    def before(self, offset: int, codes: str) -> Votes:
        """The votes of the comment that belongs to the declaration that begins at `offset`.

        `codes` is a pattern for the names of status codes.
        """
        index = bisect_left(self._ends, offset + 1) - 1
        if index < 0:
            return Votes()
        group = self._comments[index].group
        end = offset
        while index >= 0:
            comment = self._comments[index]
            if not _only_preprocessor(self._text[comment.end : end]):
                return Votes(group)
            if "param" in comment.text or "return" in comment.text or "brief" in comment.text:
                own = _IN_GROUP.search(comment.text)
                return Votes(
                    own.group(1) if own else group,
                    _parameters(comment.text),
                    _errors(comment.text, codes),
                )
            end = comment.start
            index -= 1
        return Votes(group)


def group_name(group: str | None, prefix: str) -> str:
    """A doxygen group as a file name: CUDART_STREAM is "stream", PeerToPeer "peer_to_peer"."""
    if not group:
        return "other"
    name = group.removeprefix(prefix).strip("_")
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _plain(comment: str) -> str:
    """A comment without its stars and slashes."""
    body = re.sub(r"^/\*+<?|\*+/$", "", comment)
    return re.sub(r"(?m)^[ \t]*(?:\*(?!/)|//[/!]?<?)", "", body)


def _only_preprocessor(text: str) -> bool:
    return all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines())


def _parameters(text: str) -> dict[str, ParameterNote]:
    votes: dict[str, ParameterNote] = {}
    for match in _PARAMETER.finditer(text):
        stop = _COMMAND.search(text, match.end())
        entry = text[match.end() : stop.start() if stop else len(text)]
        votes.setdefault(
            match.group(2), replace(read_note(entry), tag=tag_of(match.group(1) or ""))
        )
    return votes


def tag_of(written: str) -> str | None:
    """The direction that a tag in brackets means."""
    return _TAGS.get(written.replace(" ", "").lower())


def read_note(entry: str) -> ParameterNote:
    """What the text of a parameter's entry says."""
    about = entry.split("\n\n")[0]
    return ParameterNote(
        returned=bool(_RETURNED.match(entry)) and not _GIVEN.search(about),
        several=bool(_SEVERAL.search(about)),
        placed=bool(_PLACED.search(about)),
        on_device=bool(_ON_DEVICE.search(about)),
    )


def _errors(text: str, codes: str) -> tuple[str, ...]:
    """The codes that the paragraphs of @return and @retval name, in their order."""
    names: dict[str, None] = {}
    pattern = re.compile(rf"\b(?:{codes})")
    for start in re.finditer(r"[\\@](?:returns?|retval)\b", text):
        stop = _COMMAND.search(text, start.end())
        for match in pattern.finditer(text, start.end(), stop.start() if stop else len(text)):
            names[match.group()] = None
    return tuple(names)

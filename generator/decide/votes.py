"""Heuristics for output pointers: each vote comes from one concern and is for or against.

A documentation tag is only one vote: both vendors' tags are wrong in places. [in,out] leaves a
direction open, for it is written on outputs, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from generator.decide.shape import Shape, resolve, shape
from generator.model import Api, Function, Parameter
from generator.scalars import SCALARS

# Words in a function's name that say what it does with the memory behind its pointers. Only the
# words of _READS say that it fills a struct.
_MAKES = re.compile(
    "Get|Create|Open|Import|Malloc|Alloc|Clone|Find|Instantiate|Load|Register|Reserve|Retain|Choose"
    "|Query|Elapsed|Can|Is|Max|Begin|End|Total|Compute"
)
_READS = re.compile("Get|Query|Malloc|Alloc|Export")
_TAKES = re.compile("Set|Add|Update|Launch|Signal|Wait|Free|Destroy|Unmap|Map|Bind|Copy|Exchange")

# Names in the plural, and names that only look so: units, bits, numbers of something, biases.
_PLURAL = re.compile(r"[a-z0-9]*[^su]s")
_SINGLE = re.compile(r"([pP]?[nN]um[A-Z]\w*)|\w*([fF]lags|[bB]ytes|[bB]ias|ms)")
# What is several numbers as a rule.
_COMPOUND = re.compile(
    r"(?i)(colou?r|rgba?|vector|matrix|quaternion|uuid|guid|luid|data|buffer|array|list|table)$"
)
_OUT = re.compile(r"(_out|Out|_ret|Ret|_ptr|Ptr)$")
# Endings of a type's name without a meaning here.
_TAIL = re.compile(r"(_t|_st|_?[vV]\d+)+$")

# Names of a parameter that counts what stands in arrays.
_COUNTS = re.compile(
    r"p?([nN]um|nb)(_\w+|[A-Z]\w*)|[cC]ounts?|\w+(Count|_count|_cnt|Cnt|Num|_num)s?|\w+MaskSize|len|n"
    r"|n[A-Z]\w*|num|length|n?(elem|element|item)s|nelem|nitem"
)


@dataclass(frozen=True, slots=True)
class Vote:
    """One vote: `out` is its side, `text` is its reason in words.

    `concern` is "documentation", "name" or "type".
    """

    out: bool
    concern: str
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of the votes: True for an output, None if they disagree or don't suffice."""

    out: bool | None
    text: str


def counts(function: Function, besides: str) -> list[Parameter]:
    """The parameters of a function that look like counts of an array."""
    return [
        parameter
        for parameter in function.parameters
        if parameter.name != besides and counting(parameter.name)
    ]


def may_count(api: Api, function: Function, parameter: Parameter) -> list[Parameter]:
    """The parameters that may count another one's elements: for numbers, a bare `size` as well."""
    result = counts(function, besides=parameter.name)
    if resolve(api, parameter.type).base in SCALARS:
        others = [one for one in function.parameters if one is not parameter]
        result += [one for one in others if one.name == "size"]
    return result


def counting(name: str) -> bool:
    """Whether a name is that of a count."""
    return _COUNTS.fullmatch(name) is not None


def size_function_of(api: Api, function: Function) -> str | None:
    """The function that, by its name, gives the size that this one writes: GetLogSize for GetLog.

    GetThingCount is for GetThings, not for GetThing, which gives one of them.
    """
    before, get, what = function.name.partition("Get")
    if not what:
        return None
    one = what.removesuffix("s")
    spelled = [f"Num{what}", f"Num{what}s", f"{what}Size", f"{what}Length"]
    if one != what:
        spelled += [f"{one}Count", f"{one}Num"]
    asked = (f"{before}{get}{each}" for each in spelled)
    return next((name for name in asked if name in api.functions), None)


def weigh(
    api: Api, function: Function, parameter: Parameter, others: Iterable[Parameter]
) -> Verdict:
    """The verdict on a pointer that C may write through (shape SLOT or ROOM).

    `others` is the same parameter in other releases. For an output at least two concerns must say
    so, one of them in words (documentation or name), and none may say the opposite.
    """
    votes = _votes(api, function, parameter, others)
    text = ", ".join(dict.fromkeys(vote.text for vote in votes)) or "nothing speaks for a direction"
    if counted := may_count(api, function, parameter):
        names = ", ".join(count.name for count in counted)
        return Verdict(None, f"may be an array of {names} items ({text})")
    if many := several(api, function, parameter):
        return Verdict(None, f"may be an array: {many} ({text})")
    if parameter.tag == "inout" and changes(api, parameter):
        return Verdict(None, f"tagged [in,out] ({text})")
    if all(vote.out for vote in votes):
        concerns = {vote.concern for vote in votes}
        return Verdict(True if len(concerns) > 1 else None, text)
    return Verdict(None, f"the evidence disagrees: {text}" if any(v.out for v in votes) else text)


def changes(api: Api, parameter: Parameter) -> bool:
    """Whether [in,out] is to be believed: it is written on outputs, too, above all on handles."""
    seen = resolve(api, parameter.type)
    known = (SCALARS, api.enums, api.structs)
    return len(seen.pointers) == 1 and any(seen.base in kind for kind in known)


def reads(function: Function) -> bool:
    """Whether a function's name says that it fills a struct."""
    return any(map(_READS.fullmatch, re.findall(r"[A-Z][a-z]*", function.name)))


def opposed(function: Function) -> bool:
    """Whether a function's name says that it takes what its pointers lead to."""
    words = re.findall(r"[A-Z][a-z]*", function.name)
    return "Get" not in words and any(map(_TAKES.fullmatch, words))


def several(api: Api, function: Function, parameter: Parameter) -> str | None:
    """Why an output may be the first of many, although no parameter counts them; else None."""
    if parameter.several:
        return "documented as one of many"
    stem, type = _OUT.sub("", parameter.name), _TAIL.sub("", parameter.type.base)
    if is_plural(stem) and not is_plural(type):
        return f"{parameter.name} is a plural"
    if size_function := size_function_of(api, function):
        return f"{size_function} gives a size"
    kind, seen = shape(api, parameter.type), resolve(api, parameter.type)
    if kind is Shape.SLOT and seen.base in SCALARS and _COMPOUND.search(stem):
        return f"{parameter.name} may be several numbers"
    if kind is Shape.ROOM and any(one.node.kind == "union" for one in api.structs[seen.base]):
        return f"another parameter may say which member of the {seen.base} it is"
    return None


def is_plural(name: str) -> bool:
    """Whether a name is that of several things."""
    words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name)
    return (
        bool(words) and bool(_PLURAL.fullmatch(words[-1].lower())) and not _SINGLE.fullmatch(name)
    )


def _votes(
    api: Api, function: Function, parameter: Parameter, others: Iterable[Parameter]
) -> Sequence[Vote]:
    votes = []
    for release, seen in enumerate((parameter, *others)):
        where = " in another release" if release else ""
        if seen.tag in ("in", "out"):
            votes.append(Vote(seen.tag == "out", "documentation", f"tagged [{seen.tag}]{where}"))
        if seen.returned:
            votes.append(Vote(True, "documentation", f"documented as returned{where}"))
    slot = shape(api, parameter.type) is Shape.SLOT
    if re.search(r"(_out|Out)$", parameter.name):
        votes.append(Vote(True, "name", f"named {parameter.name}"))
    words = re.findall(r"[A-Z][a-z]*", function.name)
    if verbs := list(filter((_MAKES if slot else _READS).fullmatch, words)):
        votes.append(Vote(True, "name", f"{verbs[0]} in the function's name"))
    # "Get" in a name outweighs the verbs before it: cudaGraphEventWaitNodeGetEvent.
    if "Get" not in words and (taken := list(filter(_TAKES.fullmatch, words))):
        votes.append(Vote(False, "name", f"{taken[0]} in the function's name"))
    if slot:
        votes.append(Vote(True, "type", f"a pointer to one {parameter.type.pointee}"))
    elif _rooms(api, function) == 1:
        votes.append(Vote(True, "type", "the only pointer to a struct"))
    return votes


def _rooms(api: Api, function: Function) -> int:
    writable = (Shape.ROOM, Shape.SLOT)
    return sum(shape(api, parameter.type) in writable for parameter in function.parameters)

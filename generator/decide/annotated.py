"""What the header itself says of a parameter: tags, annotations, and texts on what is returned.

The words of a header are believed only where they agree with the type, and with each other: a tag
says nothing of a void *, and a pointer that may be the first of many is left to a rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from generator.decide.decision import Decision
from generator.decide.relations import BYTES, begun, counters, fillable, size_behind, unexplained
from generator.decide.shape import Shape, is_integer, resolve, shape
from generator.decide.votes import changes, opposed, reads, several
from generator.model import Api, Function, Parameter


def by_annotation(
    api: Api, function: Function, parameter: Parameter, others: Iterable[Parameter] = ()
) -> Decision | None:
    """The decision that the header's words lead to; None if they lead to none.

    `others` is the same parameter in other releases: where their tags say something else, none is
    believed.
    """
    tags = {one.tag for one in (parameter, *others)} - {None}
    if len(tags) > 1:
        return None
    if parameter.counted and not parameter.placed:
        return next(_counted(api, function, parameter, parameter.counted), None)
    tag, kind = _direction(parameter), shape(api, parameter.type)
    if tag is None:
        return None
    reason = f"tagged [{parameter.tag}]" if parameter.tag else "documented as returned"
    match kind:
        case Shape.MEMORY if parameter.type.points_to_const and parameter.tag == "in":
            return Decision("readable", "evidence", f"const, and {reason}")
        case Shape.ROOM if tag == "in" and begun(api, parameter.type) and not reads(function):
            return Decision("struct", "evidence", reason)
        case Shape.CHARS if tag == "out" and (size := size_behind(api, function, parameter)):
            if size.type.is_pointer:
                return None
            return Decision("out_text", "evidence", reason, {"capacity": size.name})
        case Shape.SLOT | Shape.ROOM if tag != "in" and not _open(api, function, parameter):
            if kind is Shape.ROOM and begun(api, parameter.type):
                return Decision("inout", "evidence", f"{reason}, and it begins with its version")
            if beside := fillable(api, function, parameter):
                return _two_call(api, function, parameter, beside)
            if tag == "out" and opposed(function):
                return None
            if tag == "inout":
                return Decision("inout", "evidence", reason) if changes(api, parameter) else None
            return Decision("out", "evidence", reason)
    return None


def _two_call(
    api: Api, function: Function, count: Parameter, arrays: Sequence[Parameter]
) -> Decision | None:
    """A count beside arrays that C may fill: it goes in and out, if it is an array's.

    Beside an array that C lends it only comes out, so that its direction stays open.
    """
    for one in arrays:
        behind = shape(api, one.type) is Shape.CHARS and size_behind(api, function, one) is count
        own = behind or one.counted == count.name or count in counters(api, function, one)
        if own and len(resolve(api, one.type).pointers) == 1:
            return Decision("inout", "evidence", f"it counts {one.name}")
    return None


def _direction(parameter: Parameter) -> str | None:
    """What the words say: the tag, else that the value is returned."""
    return parameter.tag or ("out" if parameter.returned else None)


def _open(api: Api, function: Function, parameter: Parameter) -> bool:
    """Whether a pointer may lead to more than one value, or elsewhere than to the host's memory."""
    resolved = resolve(api, parameter.type)
    plain = len(resolved.pointers) == 1 and resolved.base not in api.handles
    return (
        (plain and parameter.placed)
        or (len(resolved.pointers) > 1 and resolved.base not in ("void", "char"))
        or several(api, function, parameter) is not None
        or bool(unexplained(api, function, parameter))
        or any(parameter in fillable(api, function, one) for one in function.parameters)
    )


def _counted(api: Api, function: Function, parameter: Parameter, name: str) -> Iterator[Decision]:
    """An array whose count the header names, if that is a number."""
    count = next((one for one in function.parameters if one.name == name), None)
    if count is None or not is_integer(api, count.type.base) or len(count.type.pointers) > 1:
        return
    tag, kind, const = parameter.tag, shape(api, parameter.type), parameter.type.points_to_const
    reason = f"{name} is said to count it"
    if count.type.is_pointer:  # a first call with NULL asks for it
        if tag in ("out", "inout") and parameter.optional:
            yield from _asked(api, parameter, name, reason)
        return
    options: dict[str, object] = {"count": name}
    match kind:
        case Shape.VALUES if resolve(api, parameter.type).base in BYTES:
            yield Decision("readable", "evidence", reason, {"length": name})
        case Shape.VALUES | Shape.STRUCT:
            yield Decision("array", "evidence", reason, options)
        case Shape.SLOT | Shape.ROOM if tag == "in":
            yield Decision("array", "evidence", reason, options)
        case Shape.SLOT | Shape.ROOM if tag == "out" and not begun(api, parameter.type):
            yield Decision("out_array", "evidence", reason, options)
        case Shape.ROOM if tag in ("out", "inout"):
            yield Decision("inout", "evidence", reason, options)
        case Shape.MEMORY | Shape.TEXT if const:
            yield Decision("readable", "evidence", reason, {"length": name})
        case Shape.MEMORY if tag in ("out", "inout"):
            yield Decision("writable", "evidence", reason, {"length": name})
        case Shape.CHARS if tag == "out":
            yield Decision("out_text", "evidence", reason, {"capacity": name})


def _asked(api: Api, parameter: Parameter, count: str, reason: str) -> Iterator[Decision]:
    """What C fills, after a call with NULL that gives the size."""
    kind, seen = shape(api, parameter.type), resolve(api, parameter.type)
    if kind is Shape.SLOT and len(seen.pointers) == 1 and seen.base in BYTES:
        yield Decision("out_bytes", "evidence", reason, {"capacity": count, "asks": True})
    elif kind is Shape.CHARS:
        yield Decision("out_text", "evidence", reason, {"capacity": count, "asks": True})
    elif kind is Shape.SLOT or (kind is Shape.ROOM and not begun(api, parameter.type)):
        yield Decision("out_array", "evidence", reason, {"count": count})

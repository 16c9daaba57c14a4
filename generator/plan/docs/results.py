"""What each result of a function is."""

from __future__ import annotations

from collections.abc import Mapping

from generator.handles import class_of
from generator.model import CType
from generator.plan.docs.typed import typed
from generator.plan.draft import Context
from generator.plan.phrases import NOTHING, Description, phrase
from generator.plan.shapes import Result, ShapeKind, Valid
from generator.scalars import COMPLEX, REAL

# Buffers that become a plain value of Python.
_PLAIN: Mapping[ShapeKind, str] = {
    "text buffer": "str",
    "lent text": "text or None",
    "byte buffer": "bytes",
    "code text": "code",
}


def result(context: Context, output: Result) -> Description:
    """What a result is, and after which failures it is valid."""
    return _shown(context, output) + _kept(output.valid)


def _shown(context: Context, output: Result) -> Description:
    match output.shape.kind:
        case "list":
            return phrase("list") + value(context, output.shape.value)
        case "record":
            return phrase("words", "a copy of the struct there, by the number at its start")
        case "received":
            return phrase("new", str(output.shape.value))
        case "optional":
            return value(context, output.shape.value) + phrase("or None")
        case "typed out" | "typed outs":
            parameter = next(one for one in context.function.parameters if one.name == output.name)
            return typed(context, parameter, context.decisions[parameter.name])
    plain = _PLAIN.get(output.shape.kind)
    return phrase(plain) if plain else value(context, output.shape.value)


def value(context: Context, type: CType) -> Description:
    """What a single value of a C type is in Python."""
    resolved = context.types.resolve(type)
    name = type.base
    if str(resolved) in ("const char *", "char *"):
        return phrase("text or None")
    if resolved.is_pointer:
        view = resolved.base in context.types.structs
        return phrase("view", resolved.base) if view else phrase("address")
    if name in context.types.handles:
        return phrase("not owned", class_of(name))
    if resolved.base in context.types.structs or resolved.base in context.types.enums:
        return phrase("words", name)
    if resolved.base in REAL:
        return phrase("float")
    if resolved.base in COMPLEX:
        return phrase("complex")
    return phrase("int") if resolved.base == "int" else phrase("number", name)


def _kept(valid: Valid | None) -> Description:
    """After which failures a result is valid."""
    if valid is None:
        return NOTHING
    if valid.since:
        return phrase("since", f"{valid.since // 100}.{valid.since % 100}")
    if not valid.codes:
        return phrase("always valid")
    return phrase("valid", ", ".join(name for _, name in valid.codes))

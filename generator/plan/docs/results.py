"""What each result of a function is."""

from __future__ import annotations

from collections.abc import Mapping

from generator.handles import class_of
from generator.model import CType
from generator.plan.docs.typed import typed
from generator.plan.draft import Context
from generator.plan.shapes import Kind, Result, Valid
from generator.scalars import COMPLEX, REAL

# Buffers that become a plain value of Python.
_PLAIN: Mapping[Kind, str] = {
    "text buffer": "str",
    "lent text": "str or None",
    "byte buffer": "bytes",
    "code text": "bytes, without the NUL behind them",
}


def result(context: Context, given: Result) -> str:
    """What a result is, and after which failures it is valid."""
    return f"{_shown(context, given)}{_kept(given.valid)}"


def _shown(context: Context, given: Result) -> str:
    match given.shape.kind:
        case "list":
            return f"a list of {value(context, given.shape.value)}"
        case "received":
            return f"a new {given.shape.value}"
        case "optional":
            return f"{value(context, given.shape.value)} or None"
        case "typed out" | "typed outs":
            found = next(one for one in context.function.parameters if one.name == given.name)
            return typed(context, found, context.decisions[found.name])
    return _PLAIN.get(given.shape.kind) or value(context, given.shape.value)


def value(context: Context, type: CType) -> str:
    """What a single value of a C type is in Python."""
    resolved = context.types.resolve(type)
    name = type.base
    if str(resolved) in ("const char *", "char *"):
        return "str or None"
    if resolved.is_pointer:
        view = resolved.base in context.types.structs
        return f"a view on C's own {resolved.base}, or None" if view else "int, an address"
    if name in context.types.handles:
        return f"{class_of(name)}, not owned"
    if resolved.base in context.types.structs or resolved.base in context.types.enums:
        return name
    if resolved.base in REAL:
        return "float"
    if resolved.base in COMPLEX:
        return "complex"
    return "int" if resolved.base == "int" else f"int ({name})"


def _kept(valid: Valid | None) -> str:
    """After which failures a result is valid."""
    if valid is None:
        return ""
    if valid.since:
        return f"; None before {valid.since // 100}.{valid.since % 100}"
    if not valid.codes:
        return "; holds after failures too"
    return f"; holds after {', '.join(name for _, name in valid.codes)}, too"

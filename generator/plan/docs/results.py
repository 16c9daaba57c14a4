"""What each result of a function is."""

from __future__ import annotations

from generator.model import CType
from generator.plan.docs.typed import typed
from generator.plan.draft import Context, Draft
from generator.plan.spelling import python_name
from generator.plan.wrapped import split

# Buffers that are a value of Python's.
_PLAIN = {
    "TextBuffer": "str",
    "LentText": "str or None",
    "ByteBuffer": "bytes",
    "CodeText": "bytes, without the NUL behind them",
}


def result(context: Context, draft: Draft, name: str, type: str, expression: str) -> str:
    """What a result is, and after which failures it holds."""
    template, inner = split(type)
    if template == "ValidOnError":
        return f"{result(context, draft, name, inner, expression)}{_kept(expression)}"
    if template == "vector":
        return f"a list of {value(context, inner)}"
    if template == "Received":
        return f"a new {inner}"
    if template == "optional":
        return f"{value(context, inner)} or None"
    if type in ("TypedOut", "TypedOuts"):
        found = next(one for one in context.function.parameters if python_name(one.name) == name)
        return typed(context, found, context.decisions[found.name])
    if plain := _PLAIN.get(type):
        return plain
    return value(context, type)


def value(context: Context, type: str) -> str:
    """What a single value of a C type is in Python."""
    parsed = CType.parse(type)
    resolved = context.types.resolve(parsed)
    name = parsed.base
    if str(resolved) in ("const char *", "char *"):
        return "str or None"
    if resolved.is_pointer:
        view = resolved.base in context.types.structs
        return f"a view on C's own {resolved.base}, or None" if view else "int, an address"
    if name in context.types.handles:
        return f"{name}, not owned"
    if resolved.base in context.types.structs or resolved.base in context.types.enums:
        return name
    if resolved.base in ("float", "double"):
        return "float"
    return "int" if resolved.base == "int" else f"int ({name})"


def _kept(expression: str) -> str:
    """What the wrapper says about its lasting: codes, releases, or every failure."""
    if expression.startswith("always_valid"):
        return "; holds after failures too"
    if expression.startswith("valid_since"):
        number = int(expression.split(", ")[1])
        return f"; None before {number // 100}.{number % 100}"
    codes = [part.partition(" */")[0] for part in expression.split("/* ")[1:]]
    return f"; holds after {', '.join(codes)}, too"

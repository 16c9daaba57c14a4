"""Adaptors in C++: functions of today's form that call an older form."""

from __future__ import annotations

from generator.cpp.types import declare, spell
from generator.plan.binding import Adaptor, Given


def adaptor_parameters(adaptor: Adaptor) -> str:
    """The adaptor's parameters; unused ones have no name."""
    return ", ".join(
        declare(one.type, one.name if one.name in adaptor.used else "").rstrip()
        for one in adaptor.parameters
    )


def older_argument(given: Given) -> str:
    """The argument that the older form gets."""
    if given.converted:
        return f"*{given.name}"
    if not given.value:
        return f"&{given.name}"
    return f"const_cast<{spell(given.type)}>({given.value})" if given.cast else given.value


def older_local(given: Given) -> str:
    """The variable that an argument needs; "" for an argument that is passed on."""
    if given.converted:
        return f"const auto {given.name} = older_value<{spell(given.type)}>({given.value})"
    return "" if given.value else f"{declare(given.type, given.name)}{{}}"


def inexpressible(adaptor: Adaptor) -> str:
    """The condition on which the older form can't express a call; empty if it always can."""
    missing = [f"!{one.name}" for one in adaptor.arguments if one.converted]
    return " || ".join((*missing, *adaptor.refused))

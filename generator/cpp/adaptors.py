"""Adaptors in C++: functions of today's form that call an older form."""

from __future__ import annotations

from generator.cpp.types import declare, spell
from generator.plan.binding import Adaptor, OlderArgument


def adaptor_parameters(adaptor: Adaptor) -> str:
    """The adaptor's parameters; unused ones have no name."""
    return ", ".join(
        declare(one.type, one.name if one.name in adaptor.used else "").rstrip()
        for one in adaptor.parameters
    )


def older_argument(argument: OlderArgument) -> str:
    """The argument that the older form gets."""
    if argument.converted:
        return f"*{argument.name}"
    if not argument.value:
        return f"&{argument.name}"
    return (
        f"const_cast<{spell(argument.type)}>({argument.value})" if argument.cast else argument.value
    )


def older_local(argument: OlderArgument) -> str:
    """The variable that an argument needs; "" for an argument that is passed on."""
    if argument.converted:
        return f"const auto {argument.name} = older_value<{spell(argument.type)}>({argument.value})"
    return "" if argument.value else f"{declare(argument.type, argument.name)}{{}}"


def inexpressible(adaptor: Adaptor) -> str:
    """The condition on which the older form can't express a call; empty if it always can."""
    missing = [f"!{one.name}" for one in adaptor.arguments if one.converted]
    return " || ".join((*missing, *adaptor.refused))

"""Which type each enumerator decides, in words."""

from __future__ import annotations

from generator.decide.decision import Decision
from generator.model import CType, Parameter
from generator.plan.draft import Context
from generator.plan.phrases import Description, phrase
from generator.plan.spelling import python_name
from generator.plan.typed import table_name


def typed(context: Context, parameter: Parameter, decision: Decision) -> Description:
    """The types of a value that the enumerator in another parameter decides."""
    table = context.typed[table_name(context.types, context.function, decision)]
    names: dict[str, list[str]] = {}
    for one in table.cases:
        if one.type:
            names.setdefault(_short(one.type) + "[]" * one.array, []).append(one.name)
    listed = "; ".join(f"{type} for {', '.join(names[type])}" for type in names)
    rest = "bytes" if decision.is_output else "a buffer or an address"
    name = "each typed" if decision.options.get("count") else "typed"
    return phrase(name, python_name(str(decision.options["by"])), listed, rest)


def _short(type: CType) -> str:
    """A type's name; for the type of a member without the owner's name."""
    return str(type).rpartition(".")[2]

"""The exports of the host runtime in C++."""

from __future__ import annotations

from generator.cpp.types import declare, spell
from generator.plan.host import Export, HostPlan


def host_parameters(export: Export) -> str:
    """The parameters of an exported function, without names where nothing uses them."""
    if export.call:
        return ", ".join(declare(one.type, one.name) for one in export.parameters)
    return ", ".join(spell(one.type) for one in export.parameters)


def host_call(plan: HostPlan, export: Export) -> str:
    """The call of the implementation, its arguments in the neutral form."""
    arguments = ", ".join(f"as({one.name})" for one in export.parameters)
    return f"host::{plan.namespace}::{export.call}({arguments})"

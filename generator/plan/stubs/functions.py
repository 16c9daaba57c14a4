"""Functions in stubs: with the error last, and in the raising form."""

from __future__ import annotations

from generator.plan.binding import BindingPlan, Helper, Input, Wrapper
from generator.plan.function import shown_default
from generator.plan.stubs.annotations import Annotations, union
from generator.plan.stubs.lines import filled
from generator.plan.stubs.names import class_name
from generator.plan.stubs.structs import field_taken
from generator.plan.wrapped import split

WIDTH = 100


def plain(annotations: Annotations, wrapper: Wrapper, error: str) -> str:
    """`(value, …, error)`, each value None after a failure."""
    if not wrapper.returns_status:
        return _define(annotations, wrapper, _bare(annotations, wrapper))
    given = [union([one, "None"]) for one in _given(annotations, wrapper)]
    result = f"tuple[{', '.join([*given, error])}]" if given else error
    return _define(annotations, wrapper, result)


def checked(annotations: Annotations, wrapper: Wrapper, error: str) -> str:
    """The values alone: none, one or a tuple."""
    if not wrapper.returns_status:
        return _define(annotations, wrapper, _bare(annotations, wrapper))
    given = [
        union([one, "None"]) if expression.startswith("kept_since") else one
        for one, expression in zip(_given(annotations, wrapper), wrapper.results, strict=True)
    ]
    if given:
        result = given[0] if len(given) == 1 else f"tuple[{', '.join(given)}]"
    else:
        result = {"ready": "bool", "status": error}.get(wrapper.checked, "None")
    return _define(annotations, wrapper, result)


def _given(annotations: Annotations, wrapper: Wrapper) -> list[str]:
    return [
        annotations.given(type) if table is None else _typed(annotations, type, table)
        for type, table in zip(wrapper.result_types, wrapper.result_tables, strict=True)
    ]


def _typed(annotations: Annotations, type: str, table: str) -> str:
    one = annotations.typed_out(table)
    return f"list[{one}]" if "TypedOuts" in type else one


def _bare(annotations: Annotations, wrapper: Wrapper) -> str:
    """The value of a function without a status; text is always there where PyGPU has it too."""
    if wrapper.result_type == "void":
        return "None"
    given = annotations.given(split(wrapper.result_type)[1])
    return "str" if wrapper.substitute else given


def maker(helper: Helper, plan: BindingPlan, annotations: Annotations) -> str:
    """An inline function that makes a struct; its parameters take what the fields take."""
    struct = plan.struct_types[helper.index]
    fields = [one for one in struct.layouts[-1].fields if one.positional]
    parts = [
        f"{name}: {field_taken(plan, annotations, field)}"
        for name, field in zip(helper.parameters, fields, strict=False)
    ]
    return _definition(helper.name, parts, class_name(struct))


def _define(annotations: Annotations, wrapper: Wrapper, result: str) -> str:
    parts = []
    for one in wrapper.inputs:
        if one.keyword_only and "*" not in parts:
            parts.append("*")
        parts.append(_parameter(annotations, one))
    return _definition(wrapper.name, parts, result)


def _definition(name: str, parts: list[str], result: str) -> str:
    line = f"def {name}({', '.join(parts)}) -> {result}: ..."
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"def {name}(", *filled(parts, WIDTH), f") -> {result}: ..."])


def _parameter(annotations: Annotations, one: Input) -> str:
    default = shown_default(one)
    return f"{one.python_name}: {annotations.taken(one.type)}" + (
        f" = {default}" if default is not None else ""
    )

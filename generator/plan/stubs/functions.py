"""Functions in stubs: with the error last, and in the raising form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from generator.plan.binding import BindingPlan, Helper, Wrapper
from generator.plan.shapes import Input
from generator.plan.signature import shown_default
from generator.plan.stubs.annotations import Annotations, union
from generator.plan.stubs.lines import filled
from generator.plan.stubs.literals import decided
from generator.plan.stubs.names import class_name
from generator.plan.stubs.structs import field_taken

WIDTH = 100
EMPTY: Mapping[str, str] = MappingProxyType({})


def plain(annotations: Annotations, wrapper: Wrapper, error: str) -> str:
    """`(value, …, error)`, each value None after a failure."""

    def result(given: list[str]) -> str:
        values = [union([one, "None"]) for one in given]
        return f"tuple[{', '.join([*values, error])}]" if values else error

    return _forms(annotations, wrapper, result)


def checked(annotations: Annotations, wrapper: Wrapper, error: str) -> str:
    """The values alone: none, one or a tuple."""

    def result(given: list[str]) -> str:
        if not given:
            return {"ready": "bool", "status": error, "success": error}.get(wrapper.checked, "None")
        values = [
            union([text, "None"]) if one.lacks else text
            for text, one in zip(given, wrapper.results, strict=True)
        ]
        return values[0] if len(values) == 1 else f"tuple[{', '.join(values)}]"

    return _forms(annotations, wrapper, result)


def _forms(annotations: Annotations, wrapper: Wrapper, result: Callable[[list[str]], str]) -> str:
    """The definition; or one for each type that an enumerator decides, and the general one last."""
    if not wrapper.returns_status:
        return _define(annotations, wrapper, _bare(annotations, wrapper))
    whole = _define(annotations, wrapper, result(_given(annotations, wrapper)))
    if not (found := decided(annotations, wrapper)):
        return whole
    name, literals = found
    forms = [
        _define(annotations, wrapper, result([one.given]), {name: one.name}) for one in literals
    ]
    return "\n".join(f"@overload\n{form}" for form in [*forms, whole])


def _given(annotations: Annotations, wrapper: Wrapper) -> list[str]:
    return [annotations.given(one) for one in wrapper.results]


def _bare(annotations: Annotations, wrapper: Wrapper) -> str:
    """What a function without a status gives. Text is never None if PyGPU has a table of it."""
    if wrapper.substitute:
        return "str"
    given = _given(annotations, wrapper)
    if wrapper.returns_value:
        given.insert(0, annotations.value(wrapper.result))
    if len(given) > 1:
        return f"tuple[{', '.join(given)}]"
    return given[0] if given else "None"


def maker(helper: Helper, plan: BindingPlan, annotations: Annotations) -> str:
    """An inline function that makes a struct; its parameters take what the fields take."""
    struct = plan.struct_types[helper.index]
    fields = [one for one in struct.layouts[-1].fields if one.positional]
    parts = [
        f"{name}: {field_taken(plan, annotations, field)}"
        for name, field in zip(helper.parameters, fields, strict=False)
    ]
    return _definition(helper.name, parts, class_name(struct))


def _define(
    annotations: Annotations, wrapper: Wrapper, result: str, given: Mapping[str, str] = EMPTY
) -> str:
    """`given` are annotations of parameters in place of the usual ones."""
    parts = []
    for one in wrapper.inputs:
        if one.keyword_only and "*" not in parts:
            parts.append("*")
        parts.append(parameter(annotations, one, given.get(one.python_name)))
    return _definition(wrapper.name, parts, result)


def _definition(name: str, parts: list[str], result: str) -> str:
    line = f"def {name}({', '.join(parts)}) -> {result}: ..."
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"def {name}(", *filled(parts, WIDTH), f") -> {result}: ..."])


def parameter(annotations: Annotations, one: Input, given: str | None = None) -> str:
    """A parameter with its annotation (`given`, if that is more exact) and its default."""
    default = shown_default(one)
    taken = given or annotations.taken(one.shape)
    return f"{one.python_name}: {taken}" + (f" = {default}" if default else "")

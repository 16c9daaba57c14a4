"""Functions in stubs: with the error last, and in the raising form."""

from __future__ import annotations

from collections.abc import Callable

from generator.plan.binding import BindingPlan, Helper, Wrapper
from generator.plan.defaults import shown_default
from generator.plan.shapes import Input
from generator.plan.spelling import public_name
from generator.plan.stubs.annotations import Annotations
from generator.plan.stubs.definition import Definition, Form, Parameter
from generator.plan.stubs.literals import decided
from generator.plan.stubs.names import class_name
from generator.plan.stubs.structs import field_taken
from generator.plan.stubs.types import BOOL, NONE, STR, Annotation, named, several


def plain(annotations: Annotations, wrapper: Wrapper, error: str) -> Definition:
    """`(value, …, error)`, each value None after a failure."""

    def result(outputs: list[Annotation]) -> Annotation:
        values = [one | NONE for one in outputs]
        return several(*values, named(error)) if values else named(error)

    return _define(annotations, wrapper, result)


def checked(annotations: Annotations, wrapper: Wrapper, error: str) -> Definition:
    """The values alone: none, one or a tuple."""

    def result(outputs: list[Annotation]) -> Annotation:
        if not outputs:
            alone = {"ready": BOOL, "status": named(error), "success": named(error)}
            return alone.get(wrapper.checked, NONE)
        values = [
            one | NONE if result.lacks else one
            for one, result in zip(outputs, wrapper.results, strict=True)
        ]
        return values[0] if len(values) == 1 else several(*values)

    return _define(annotations, wrapper, result)


def _define(
    annotations: Annotations, wrapper: Wrapper, result: Callable[[list[Annotation]], Annotation]
) -> Definition:
    """One form; or one for each type that an enumerator decides, and the general one last."""
    name = public_name(wrapper.name)
    parameters = tuple(parameter(annotations, one) for one in wrapper.inputs)
    outputs = [annotations.returned(one) for one in wrapper.results]
    if not wrapper.returns_status:
        return Definition(name, (Form(parameters, _bare(annotations, wrapper, outputs)),))
    forms = [Form(parameters, result(outputs))]
    if choice := decided(annotations, wrapper):
        at, literals = choice
        before, after = parameters[:at], parameters[at + 1 :]
        for one in reversed(literals):
            deciding = parameter(annotations, wrapper.inputs[at], named(one.name))
            forms.insert(0, Form((*before, deciding, *after), result([one.annotation])))
    return Definition(name, tuple(forms))


def _bare(annotations: Annotations, wrapper: Wrapper, outputs: list[Annotation]) -> Annotation:
    """What a function without a status gives. Text is never None if PyGPU has a table of it."""
    if wrapper.substitute:
        return STR
    if wrapper.returns_value:
        outputs = [annotations.value(wrapper.result), *outputs]
    if len(outputs) > 1:
        return several(*outputs)
    return outputs[0] if outputs else NONE


def maker(helper: Helper, plan: BindingPlan, annotations: Annotations) -> Definition:
    """An inline function that makes a struct; its parameters take what the fields take."""
    struct = plan.struct_types[helper.index]
    fields = [one for one in struct.layouts[-1].fields if one.positional]
    parameters = (
        Parameter(name, field_taken(plan, annotations, field))
        for name, field in zip(helper.parameters, fields, strict=False)
    )
    result = annotations.of_class(class_name(struct))
    return Definition(helper.name, (Form(tuple(parameters), result),))


def parameter(annotations: Annotations, one: Input, taken: Annotation | None = None) -> Parameter:
    """A parameter with its annotation; `taken` is one that is more exact."""
    taken = taken or annotations.taken(one.shape)
    return Parameter(one.python_name, taken, shown_default(one), one.keyword_only)

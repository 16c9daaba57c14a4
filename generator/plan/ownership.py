"""Handles that Python can own: their constructors from the functions that create them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from generator.errors import GeneratorError
from generator.model import CType
from generator.plan.binding import HandleType, Ownership, Wrapper
from generator.plan.shapes import Input, Shape, value
from generator.rules import HandleRule

# The types for which 0 is a sensible default in a constructor; other values must be given.
NUMBERS = ("int", "unsigned int", "unsigned long long", "size_t")
MOST_KEYWORDS = 8  # types/handles/handle_class.hpp has room for these


def owned(
    handles: Sequence[HandleType], rules: Mapping[str, HandleRule], wrappers: Mapping[str, Wrapper]
) -> tuple[HandleType, ...]:
    """The handles, with owners by the rules. GeneratorError for a rule that can't be right."""
    names = {one.name for one in handles}
    for rule in rules.values():
        if rule.name not in names:
            raise GeneratorError(f"handle.{rule.name}: no function takes or gives such a handle")
    return tuple(_owned(one, rules.get(one.name), wrappers) for one in handles)


def _owned(
    handle: HandleType, rule: HandleRule | None, wrappers: Mapping[str, Wrapper]
) -> HandleType:
    if rule is None:
        return handle
    for key, name in (("create", rule.create), ("destroy", rule.destroy)):
        if name not in wrappers:
            raise GeneratorError(f"handle.{handle.name}.{key}: no function {name} is bound")
    create, destroy = wrappers[rule.create], wrappers[rule.destroy]
    shapes = [value(CType(one)) for one in handle.types]
    if not _gives(create, shapes):
        raise GeneratorError(f"handle.{handle.name}.create: {rule.create} gives something else")
    if not _ends(destroy, shapes):
        raise GeneratorError(f"handle.{handle.name}.destroy: {rule.destroy} takes something else")
    for name in rule.ends:
        if name not in wrappers or not _ends(wrappers[name], shapes):
            raise GeneratorError(f"handle.{handle.name}.ends: no bound function {name} ends one")
    ending = destroy.inputs[0].shape
    registers = ending.kind == "unregistered"
    ended = ending.inner if registers else ending
    names = {one.python_name for one in create.inputs}
    if unknown := [one for one in rule.optional if one not in names]:
        raise GeneratorError(f"handle.{handle.name}.optional: {rule.create} takes no {unknown[0]}")
    owned = Ownership(
        rule.create,
        rule.destroy,
        tuple(_keywords(create, rule.optional)),
        rule.optional,
        by_pointer=ended.kind == "ended",
        void=destroy.result.is_void,
        registers=registers,
    )
    if len(owned.keywords) > MOST_KEYWORDS:
        raise GeneratorError(
            f"handle.{handle.name}.create: {rule.create} takes {len(owned.keywords)} arguments, a "
            f"constructor at most {MOST_KEYWORDS}"
        )
    return replace(handle, special=rule.special, own=rule.own, owned=owned)


def _gives(create: Wrapper, shapes: Sequence[Shape]) -> bool:
    """Whether a function's only value, besides a status, is a handle of one of the shapes."""
    results = [one.shape for one in create.results]
    if create.returns_value:
        results.append(value(create.result))
    return len(results) == 1 and results[0] in shapes


def _ends(destroy: Wrapper, shapes: Sequence[Shape]) -> bool:
    """Whether a function takes nothing but a handle of one of the shapes, and ends it."""
    if len(destroy.inputs) != 1:
        return False
    ending = destroy.inputs[0].shape
    ended = ending.inner if ending.kind == "unregistered" else ending
    return ended.kind in ("destroyed", "ended") and ended.of in shapes


def _keywords(create: Wrapper, optional: Sequence[str]) -> Iterator[Input]:
    for one in create.inputs:
        left_out = _is_number(one.shape) or one.python_name in optional
        yield replace(one, default=0) if left_out and one.default is None else one


def _is_number(shape: Shape) -> bool:
    return shape.kind == "value" and str(shape.type) in NUMBERS

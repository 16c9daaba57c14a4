"""Enumerators that decide a result's type: one name for all that decide the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from generator.plan.binding import Wrapper
from generator.plan.stubs.annotations import Annotations
from generator.plan.stubs.types import Annotation


@dataclass(frozen=True, slots=True)
class Literals:
    """A name for some enumerators of an enum, and what they decide."""

    name: str
    enum: str
    enumerators: tuple[str, ...]
    annotation: Annotation


def decided(annotations: Annotations, wrapper: Wrapper) -> tuple[int, tuple[Literals, ...]] | None:
    """The index of the parameter that decides the type of the one result, and its choices."""
    if len(wrapper.results) != 1 or wrapper.results[0].shape.kind != "typed out":
        return None
    table = str(wrapper.results[0].shape.table)
    for at, one in enumerate(wrapper.inputs):
        if enum := annotations.enum(one.shape.value):
            return at, tuple(_literals(annotations, enum, table))
    return None


def _literals(annotations: Annotations, enum: str, table: str) -> Iterator[Literals]:
    for annotation, enumerators in annotations.typed_forms(table).items():
        words = "_".join(one.name for one in annotation.types()).lstrip("_")
        yield Literals(f"_{enum}_{words}", enum, enumerators, annotation)

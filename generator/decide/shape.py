"""What a C type alone says about a parameter, with the API's typedefs looked through."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto

from generator.model import Api, CType
from generator.scalars import INTEGERS, SCALARS


class Shape(Enum):
    """How a parameter is passed, as far as its type shows."""

    VALUE = auto()
    """By value."""
    CALLBACK = auto()
    """A function pointer."""
    TEXT = auto()
    """const char *"""
    CHARS = auto()
    """char *"""
    MEMORY = auto()
    """A void *, const or not: anything. So is a struct that ends in an array of any length."""
    STRUCT = auto()
    """One or more structs that C only reads."""
    OPAQUE = auto()
    """A struct that no header defines: the pointer is all that there is."""
    VALUES = auto()
    """Scalars, enumerators, handles or pointers that C only reads: an array, or why a pointer?"""
    SLOT = auto()
    """Room for scalars, enumerators, handles or pointers."""
    ROOM = auto()
    """Room for structs."""


def resolve(api: Api, written: CType) -> CType:
    """The type with typedefs of scalars and pointers to void replaced by their targets.

    A typedef of a pointer to a struct stays: it is a handle, even if the struct is defined.
    """
    seen = written
    while (forms := api.aliases.get(seen.base)) and seen.base not in api.handles:
        target = resolve(api, forms[-1].node.type)
        if target.pointers and target.base != "void":
            return seen
        if target.pointers:  # the typedef's const belongs to its pointer
            inner = (*target.pointers[:-1], seen.const)
            return replace(target, pointers=inner + seen.pointers)
        seen = CType(target.base, seen.const or target.const, seen.pointers, seen.extents)
    return seen


def is_small(api: Api, base: str) -> bool:
    """Whether a type is usually passed by value: a scalar, an enumerator or a handle."""
    return (
        base in SCALARS
        or base in api.enums
        or base in api.handles
        or base in api.aliases
        or base in api.callbacks
    )


def is_integer(api: Api, base: str) -> bool:
    """Whether a type, with its typedefs looked through, is a number that can count."""
    return resolve(api, CType(base)).base in INTEGERS


def is_signed(api: Api, type: CType) -> bool:
    """Whether a type, with its typedefs looked through, is an integer that may be below 0."""
    seen = resolve(api, type)
    return not seen.is_pointer and SCALARS.get(seen.base, ("", 0))[0].startswith("i")


def shape(api: Api, written: CType) -> Shape:
    """The shape of a parameter's type."""
    if not written.is_pointer and written.base in api.callbacks:
        return Shape.CALLBACK
    seen = resolve(api, written)
    if not seen.is_pointer:
        return Shape.VALUE
    if len(seen.pointers) > 1:
        return Shape.VALUES if seen.points_to_const else Shape.SLOT
    if seen.base == "void":
        return Shape.MEMORY
    if seen.base == "char":
        return Shape.TEXT if seen.const else Shape.CHARS
    if is_small(api, seen.base):
        return Shape.VALUES if seen.const else Shape.SLOT
    if seen.base not in api.structs:
        return Shape.OPAQUE
    if ends_open(api, seen.base):
        return Shape.MEMORY
    return Shape.STRUCT if seen.const else Shape.ROOM


def ends_open(api: Api, struct: str) -> bool:
    """Whether a struct's last member is an array of any length: `int items[]`."""
    fields = [form.node.fields[-1:] for form in api.structs.get(struct, ())]
    return any(one.type.extents[:1] == (0,) for last in fields for one in last)

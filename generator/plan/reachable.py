"""Which types the wrappers need declared, and in which order C++ wants them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from generator.handles import class_of
from generator.model import CType, Function, Struct
from generator.plan.binding import EntryPoint
from generator.plan.ctypes import Types
from generator.scalars import BUILTIN


def reachable(
    types: Types, functions: Iterable[Function | EntryPoint], structs: Iterable[str] = ()
) -> tuple[str, ...]:
    """All types that the functions' prototypes lead to, each after the types that it needs.

    Those of the `structs` come last.
    """
    order: dict[str, None] = {}
    for function in functions:
        for type in (function.result, *(one.type for one in function.parameters)):
            _visit(types, type.base, order, set())
    for struct in structs:
        _visit(types, struct, order, set())
    return tuple(order)


def opaque(types: Types, names: Iterable[str]) -> tuple[str, ...]:
    """Structs that are only pointed to: those behind handles, and those that no header defines."""
    structs: dict[str, None] = {}
    for name in names:
        if handle := types.handles.get(name):
            structs[handle.struct] = None
        for base in (name, *_parts(types, name)):
            if _is_unknown(types, base):
                structs[base] = None
    return tuple(sorted(structs))


def _is_unknown(types: Types, base: str) -> bool:
    known = (types.structs, types.enums, types.aliases, types.handles, types.callbacks)
    return base not in BUILTIN and not any(base in kind for kind in known)


def _visit(types: Types, name: str, order: dict[str, None], active: set[str]) -> None:
    if name in order or name in active or name in BUILTIN:
        return
    active.add(name)
    for part in _parts(types, name):
        _visit(types, part, order, active)
    order[name] = None


def _parts(types: Types, name: str) -> Iterator[str]:
    if struct := types.structs.get(name):
        for member in members(types, struct):
            yield member.base
    elif alias := types.aliases.get(name):
        yield alias.type.base
    elif name in types.handles and name.endswith("*"):
        yield class_of(name)  # a typedef of the struct, or its tag
    elif callback := types.callbacks.get(name):
        yield callback.result.base
        yield from (one.type.base for one in callback.parameters)


def members(types: Types, struct: Struct) -> Iterator[CType]:
    """The types of a struct's members, with those of its anonymous parts."""
    for field in struct.fields:
        nested = types.structs.get(field.type.base)
        if nested and is_anonymous(field.type.base):
            yield from members(types, nested)
        else:
            yield field.type


def is_anonymous(name: str) -> bool:
    """Whether a struct has no name of its own in C ("cudaResourceDesc.res")."""
    return "." in name

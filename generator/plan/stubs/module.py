"""The content of the stub of one API's module."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from generator.manifest import OWN_CODES
from generator.plan.binding import BindingPlan, HandleType, Wrapper
from generator.plan.spelling import OWN_NAMES, public_name
from generator.plan.stubs import functions
from generator.plan.stubs.annotations import Annotations
from generator.plan.stubs.definition import Definition, Form
from generator.plan.stubs.imports import OF_CHECKED, OF_MODULE, Imports
from generator.plan.stubs.literals import Literals, decided
from generator.plan.stubs.names import Names, class_name, enum_name
from generator.plan.stubs.structs import StubStruct, structs
from generator.plan.stubs.types import Type, shared

# The bases of classes, and what constructors of handles take.
_BASES = [one for name in ("Handle", "Int", "Status", "Struct") for one in shared(name).types()]


@dataclass(frozen=True, slots=True)
class StubEnum:
    """An IntEnum class with its members."""

    name: str
    tag: str
    members: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class StubHandle:
    """A handle's class; `keywords` are the constructor's parameters, None if it creates none."""

    name: str
    keywords: Form | None
    is_stream: bool

    def types(self) -> Iterator[Type]:
        """All types that it names."""
        return self.keywords.types() if self.keywords else iter(())


@dataclass(frozen=True, slots=True)
class StubModule:
    """A module: classes, aliases of them, typed values, and both forms of its functions.

    `imports` are those of the module's stub, `imports_of_checked` those of the raising form's.
    """

    error_class: str
    errors: tuple[str, ...]
    own_errors: tuple[str, ...]
    enums: tuple[StubEnum, ...]
    handles: tuple[StubHandle, ...]
    structs: tuple[StubStruct, ...]
    aliases: tuple[tuple[str, str], ...]
    literals: tuple[Literals, ...]
    values: tuple[tuple[str, str, bool], ...]
    functions: tuple[Definition, ...]
    checked: tuple[Definition, ...]
    imports: Imports
    imports_of_checked: Imports


def stub_module(plan: BindingPlan) -> StubModule:
    """The stub of an API's modules."""
    annotations = Annotations(Names.of(plan))
    wrappers = [one for group in plan.groups.values() for one in group]
    makers = [functions.maker(one, plan, annotations) for one in plan.helpers]
    error = plan.error_class
    literals = tuple(_literals(annotations, wrappers))
    enums, values = tuple(_enums(plan)), tuple(_values(plan, literals))
    handles = tuple(_handle(annotations, one) for one in plan.handles if one.home is None)
    classes, aliases = tuple(structs(plan, annotations)), tuple(_aliases(plan))
    plain = _sorted(makers + [functions.plain(annotations, one, error) for one in wrappers])
    checked = _sorted(makers + [functions.checked(annotations, one, error) for one in wrappers])
    names = [error, *OWN_NAMES, *(one[0] for one in aliases), *(one[0] for one in values)]
    for kind in (enums, handles, classes, literals, plain):
        names += (one.name for one in kind)
    return StubModule(
        error_class=error,
        errors=tuple(dict.fromkeys(one.name for one in plan.names if one.kind == "error")),
        own_errors=tuple(name for _, name in plan.errors if name in OWN_CODES.values()),
        enums=enums,
        handles=handles,
        structs=classes,
        aliases=aliases,
        literals=literals,
        values=values,
        functions=plain,
        checked=checked,
        imports=Imports.of(
            OF_MODULE,
            chain(
                _BASES,
                [Type(plan.detail.name, plan.detail.module)] if plan.detail else [],
                *(one.types() for one in plain),
                *(one.types() for one in classes),
                *(one.types() for one in handles),
            ),
            names,
        ),
        imports_of_checked=Imports.of(
            OF_CHECKED,
            chain.from_iterable(one.types() for one in checked),
            (one.name for one in checked),
            plan.imported_as,
        ),
    )


def _sorted(definitions: list[Definition]) -> tuple[Definition, ...]:
    return tuple(sorted(definitions, key=lambda one: one.name))


def _enums(plan: BindingPlan) -> Iterator[StubEnum]:
    for index, enum in enumerate(plan.enums):
        if enum.name != plan.status and enum.name not in plan.homes:
            newest = {name: span.value for name, span in plan.enumerators[enum.name]}
            yield StubEnum(enum_name(plan, index), enum.name, tuple(newest.items()))


def _handle(annotations: Annotations, handle: HandleType) -> StubHandle:
    keywords = None
    if handle.owned:
        keywords = Form(
            tuple(
                replace(functions.parameter(annotations, one), keyword_only=True)
                for one in handle.owned.keywords
            )
        )
    return StubHandle(public_name(handle.name), keywords, handle.role == "stream")


def _aliases(plan: BindingPlan) -> Iterator[tuple[str, str]]:
    """Further names of classes, each with the class's own name."""
    for name in plan.error_aliases:
        yield name, plan.error_class
    for one in plan.names:
        target = {
            "enum_type": lambda index: enum_name(plan, index),
            "handle_type": lambda index: public_name(plan.handles[index].name),
            "struct_type": lambda index: class_name(plan.struct_types[index]),
        }.get(one.kind)
        if target and (name := target(one.index)) != one.name:
            yield one.name, name


def _literals(annotations: Annotations, wrappers: list[Wrapper]) -> Iterator[Literals]:
    result = {
        one.name: one
        for wrapper in wrappers
        if (known := decided(annotations, wrapper))
        for one in known[1]
    }
    yield from (result[name] for name in sorted(result))


def _values(plan: BindingPlan, literals: tuple[Literals, ...]) -> Iterator[tuple[str, str, bool]]:
    """Enumerators and macros with their types, and whether one is a literal that decides a type."""
    deciding = {name for one in literals for name in one.enumerators}
    types: dict[str, tuple[str, bool]] = {}
    for one in plan.names:
        match one.kind:
            case "error":
                types[one.name] = plan.error_class, False
            case "enumerator":
                types[one.name] = enum_name(plan, one.index), one.name in deciding
            case "constant" | "large":
                types[one.name] = "int", False
            case "handle":
                types[one.name] = public_name(plan.handles[one.index].name), False
    for name, (type, decides) in types.items():
        yield name, type, decides

"""The content of the stub of one API's module."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from generator.manifest import OWN_CODES
from generator.plan.binding import BindingPlan, HandleType, Wrapper
from generator.plan.stubs import functions
from generator.plan.stubs.annotations import Annotations
from generator.plan.stubs.literals import Literals, decided
from generator.plan.stubs.names import Names, class_name, enum_name
from generator.plan.stubs.structs import StubStruct, structs


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
    keywords: tuple[str, ...] | None
    is_stream: bool


@dataclass(frozen=True, slots=True)
class StubModule:
    """A module: classes, aliases of them, typed values, and both forms of its functions."""

    api: str
    namespace: str
    package: str
    imported_as: str
    error_class: str
    errors: tuple[str, ...]
    own_errors: tuple[str, ...]
    enums: tuple[StubEnum, ...]
    handles: tuple[StubHandle, ...]
    structs: tuple[StubStruct, ...]
    aliases: tuple[tuple[str, str], ...]
    literals: tuple[Literals, ...]
    values: tuple[tuple[str, str], ...]
    functions: tuple[str, ...]
    checked: tuple[str, ...]
    homes: Mapping[str, str]

    def foreign(self, *, checked: bool = False) -> Mapping[str, list[str]]:
        """The classes of other APIs that the whole module uses, or its raising form, by module."""
        words = _words(self.checked) if checked else self._all_words()
        found: dict[str, list[str]] = {}
        for name in sorted(self.homes.keys() & words):
            found.setdefault(self.homes[name], []).append(name)
        return found

    def classes_of_checked(self) -> list[str]:
        """The classes that the functions of the raising form name."""
        return sorted(self._classes() & _words(self.checked))

    def shared_by_checked(self) -> list[str]:
        """The names of _core's stub that the functions of the raising form use."""
        return sorted(filter(_is_shared, _words(self.checked) - self._classes()))

    def shared(self) -> list[str]:
        """The names of _core's stub that the whole module uses."""
        bases = {"_Handle", "_Int", "_Status", "_Struct"}
        return sorted({*filter(_is_shared, self._all_words() - self._classes()), *bases})

    def _all_words(self) -> set[str]:
        fields = [descriptor for one in self.structs for _, descriptor in one.fields]
        constructors = [one.constructor for one in self.structs]
        keywords = [text for one in self.handles for text in one.keywords or ()]
        return _words([*self.functions, *constructors, *fields, *keywords])

    def _classes(self) -> set[str]:
        named = {self.error_class, *(one.name for one in self.enums)}
        named |= {one.name for one in self.literals}
        return named | {one.name for one in self.handles} | {one.name for one in self.structs}


def _words(texts: Iterable[str]) -> set[str]:
    return set(re.findall(r"\w+", "\n".join(texts)))


def _is_shared(word: str) -> bool:
    return len(word) > 1 and word[0] == "_" and word[1].isupper()


def stub_module(plan: BindingPlan) -> StubModule:
    """The stub of an API's modules."""
    annotations = Annotations(Names.of(plan))
    wrappers = [one for group in plan.groups.values() for one in group]
    makers = [functions.maker(one, plan, annotations) for one in plan.helpers]
    error = plan.error_class
    literals = tuple(_literals(annotations, wrappers))
    return StubModule(
        api=plan.api,
        namespace=plan.namespace,
        package=plan.package,
        imported_as=plan.imported_as,
        error_class=error,
        errors=tuple(dict.fromkeys(one.name for one in plan.names if one.kind == "error")),
        own_errors=tuple(name for _, name in plan.errors if name in OWN_CODES.values()),
        enums=tuple(_enums(plan)),
        handles=tuple(_handle(annotations, one) for one in plan.handles if one.home is None),
        structs=tuple(structs(plan, annotations)),
        homes={
            **{
                enum_name(plan, at): plan.homes[one.name]
                for at, one in enumerate(plan.enums)
                if one.name in plan.homes
            },
            **{one.name: one.home for one in plan.handles if one.home},
            **{class_name(one): one.home for one in plan.struct_types if one.home},
        },
        aliases=tuple(_aliases(plan)),
        literals=literals,
        values=tuple(_values(plan, literals)),
        functions=_sorted(makers + [functions.plain(annotations, one, error) for one in wrappers]),
        checked=_sorted(makers + [functions.checked(annotations, one, error) for one in wrappers]),
    )


def _sorted(definitions: list[str]) -> tuple[str, ...]:
    return tuple(sorted(definitions, key=lambda text: text.partition("(")[0]))


def _enums(plan: BindingPlan) -> Iterator[StubEnum]:
    for index, enum in enumerate(plan.enums):
        if enum.name != plan.status and enum.name not in plan.homes:
            newest = {name: span.value for name, span in plan.enumerators[enum.name]}
            yield StubEnum(enum_name(plan, index), enum.name, tuple(newest.items()))


def _handle(annotations: Annotations, handle: HandleType) -> StubHandle:
    keywords = None
    if handle.owned:
        keywords = tuple(functions.parameter(annotations, one) for one in handle.owned.keywords)
    return StubHandle(handle.name, keywords, handle.role == "stream")


def _aliases(plan: BindingPlan) -> Iterator[tuple[str, str]]:
    """Further names of classes, each with the class's own name."""
    for name in plan.error_aliases:
        yield name, plan.error_class
    for one in plan.names:
        target = {
            "enum_type": lambda index: enum_name(plan, index),
            "handle_type": lambda index: plan.handles[index].name,
            "struct_type": lambda index: class_name(plan.struct_types[index]),
        }.get(one.kind)
        if target and (name := target(one.index)) != one.name:
            yield one.name, name


def _literals(annotations: Annotations, wrappers: list[Wrapper]) -> Iterator[Literals]:
    found = {
        one.name: one
        for wrapper in wrappers
        if (known := decided(annotations, wrapper))
        for one in known[1]
    }
    yield from (found[name] for name in sorted(found))


def _values(plan: BindingPlan, literals: tuple[Literals, ...]) -> Iterator[tuple[str, str]]:
    """Enumerators and macros with their types; enumerators that decide a type are literals."""
    deciding = {name for one in literals for name in one.enumerators}
    types: dict[str, str] = {}
    for one in plan.names:
        match one.kind:
            case "error":
                types[one.name] = plan.error_class
            case "enumerator":
                enum = enum_name(plan, one.index)
                literal = f"Final = {enum}.{one.name}"
                types[one.name] = literal if one.name in deciding else enum
            case "constant":
                types[one.name] = "int"
            case "handle":
                types[one.name] = plan.handles[one.index].name
    yield from types.items()

"""How C and C++ spell the model's types, also those without a name in the headers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from generator.cpp.text import identifier
from generator.model import CType, Function, Parameter, Release, Struct


@dataclass(frozen=True, slots=True)
class StructLocation:
    """How a struct is reached: the type to name in C, and where the struct lies in it.

    The type of a member without a name can't be written. Its fields count as the owner's, from
    `offset` on.
    """

    type: str
    offset: int = 0


class Spelling:
    """Spells the types of one release. `tags` are the names that need their keyword in C.

    `inner` are the structs that C++ knows only inside of the struct that declares them: they are
    spelled as the type of a member. `namespace` is that of our own declarations.
    """

    def __init__(
        self,
        release: Release,
        tags: Collection[str] = (),
        inner: Collection[str] = (),
        namespace: str = "",
    ) -> None:
        self._release = release
        self._tags = tags
        self._inner = inner
        self._namespace = namespace
        self._locations: dict[str, StructLocation] = {}
        for struct in release.structs.values():
            if "." not in struct.name:
                self._visit(struct, StructLocation(self._base(struct.name)))

    def location(self, struct: str) -> StructLocation:
        """Where a struct is found; also one without a name."""
        return self._locations[struct]

    def type(self, type: CType) -> str:
        """A type as text."""
        return str(CType(self._base(type.base), type.const, type.pointers, type.extents))

    def pointer_to(self, function: Function) -> str:
        """The type of a pointer to the function."""
        return f"{self.type(function.result)} (*)({self.parameters(function.parameters)})"

    def parameters(self, parameters: tuple[Parameter, ...]) -> str:
        """A list of parameter types."""
        return ", ".join(self.type(parameter.type) for parameter in parameters)

    def _base(self, name: str) -> str:
        if name in self._inner and (member := self._member_of(name)):
            return member
        if "." not in name and self._namespace:
            return f"{self._namespace}::{identifier(name)}"
        if "." not in name:
            return f"{self._keyword(name)} {name}" if name in self._tags else name
        if name in self._locations:
            return self._locations[name].type
        owner, _, field = name.rpartition(".")
        if name in self._release.enums:
            return f"__typeof__({owner})"
        if owner in self._locations:
            return _member(self._locations[owner].type, field)
        callback = self._release.callbacks[name]
        listed = self.parameters(callback.parameters)
        return f"__typeof__({self.type(callback.result)} (*)({listed}))"

    def _member_of(self, name: str) -> str | None:
        """A struct's type, spelled as the type of a member that has it."""
        for owner in self._release.structs.values():
            for field in owner.fields:
                if field.type.base == name and field.name and not field.type.pointers:
                    element = field.name + "[0]" * len(field.type.extents)
                    return _member(self._base(owner.name), element)
        return None

    def _keyword(self, name: str) -> str:
        return self._release.structs[name].kind if name in self._release.structs else "enum"

    def _visit(self, struct: Struct, location: StructLocation) -> None:
        self._locations[struct.name] = location
        for field in struct.fields:
            inner = self._release.structs.get(field.type.base)
            if inner is None or "." not in inner.name:
                continue
            if field.name:
                element = field.name + "[0]" * len(field.type.extents)
                self._visit(inner, StructLocation(_member(location.type, element)))
            else:
                self._visit(inner, StructLocation(location.type, location.offset + field.offset))


def _member(type: str, name: str) -> str:
    return f"__typeof__((({type} *)0)->{name})"

"""What kind of type a name is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from generator.manifest import NO_HANDLES, Handles
from generator.merge import form_of
from generator.model import Alias, Api, Callback, CType, Enum, Field, Handle, Struct, Variant
from generator.review import is_reviewed

TYPES = ("structs", "enums", "aliases", "handles", "callbacks")


@dataclass(frozen=True)
class Types:
    """One form of every type of an API, by name."""

    structs: Mapping[str, Struct]
    enums: Mapping[str, Enum]
    aliases: Mapping[str, Alias]
    handles: Mapping[str, Handle]
    callbacks: Mapping[str, Callback]
    known: Handles = NO_HANDLES

    @classmethod
    def of(cls, api: Api, known: Handles = NO_HANDLES) -> Types:
        """The newest form of each type; `known` are the handles that mean something to PyGPU."""
        return cls._of(known, *(_newest(getattr(api, kind)) for kind in TYPES))

    def at(self, api: Api, release: str) -> Types:
        """The forms that a release has; types that it lacks keep the form of this object."""
        there = [_forms(getattr(api, kind), release) for kind in TYPES]
        # _of() turns aliases with the names of handles into handles again.
        known = [self.structs, self.enums, self.aliases, self.handles, self.callbacks]
        named = {name for kind in there for name in kind}
        besides = [{name: one for name, one in kind.items() if name not in named} for kind in known]
        return self._of(self.known, *(new | old for new, old in zip(there, besides, strict=True)))

    def sized(self, api: Api, reviewed: Sequence[str]) -> Types:
        """These types, with structs of the same size as in C.

        A struct of an unreviewed release may hold another struct in that release's layout, of which
        this object has an older layout. The outer one is then a block of its size, without fields.
        """
        structs = {
            name: node
            if any(is_reviewed(one, reviewed) for one in api.structs[name])
            else self._sized(api, node, api.structs[name][-1].until)
            for name, node in self.structs.items()
        }
        return replace(self, structs=structs)

    def _sized(self, api: Api, node: Struct, release: str) -> Struct:
        for field in node.fields:
            type = self.resolve(field.type)
            inner = None if type.is_pointer else self.structs.get(type.base)
            if inner and form_of(api.structs[inner.name], release) not in (None, inner):
                return _block(node)
        return node

    @classmethod
    def _of(
        cls,
        known: Handles,
        structs: Mapping[str, Struct],
        enums: Mapping[str, Enum],
        aliases: Mapping[str, Alias],
        handles: Mapping[str, Handle],
        callbacks: Mapping[str, Callback],
    ) -> Types:
        # A typedef of a pointer to a struct is a handle, too, if it ends with _t
        # (hipMipmappedArray_t).
        pointers = {
            name: Handle(name, _renamed(aliases, alias.type.base), alias.source, alias.type.const)
            for name, alias in aliases.items()
            if len(alias.type.pointers) == 1 and name.endswith("_t") and alias.type.base != "void"
        }
        return cls(
            structs,
            enums,
            {name: alias for name, alias in aliases.items() if name not in pointers},
            {**handles, **pointers},
            callbacks,
            known,
        )

    @cached_property
    def typedefs(self) -> Mapping[str, tuple[str, ...]]:
        """The sorted typedefs of each type, by its tag; without typedefs of pointers or arrays."""
        result: dict[str, list[str]] = {}
        for name, alias in sorted(self.aliases.items()):
            type = self.resolve(alias.type)
            if type == CType(type.base):
                result.setdefault(type.base, []).append(name)
        return {tag: tuple(names) for tag, names in result.items()}

    def is_stream(self, type: CType) -> bool:
        """Whether the type is the API's stream."""
        return self.known.role(type.base) == "stream"

    def is_node(self, type: CType) -> bool:
        """Whether the type is the API's node of a graph."""
        return self.known.role(type.base) == "node"

    def is_kernel(self, type: CType) -> bool:
        """Whether a value of the type is a kernel's handle."""
        return self.known.role(type.base) == "kernel" and not type.is_pointer

    def resolve(self, type: CType) -> CType:
        """The type with aliases of scalars and pointers replaced by their targets."""
        while alias := self.aliases.get(type.base):
            target = alias.type
            # A const alias of a pointer is a const pointer: that makes no difference for a value.
            const = target.const if target.pointers else target.const or type.const
            type = CType(target.base, const, target.pointers + type.pointers, type.extents)
        return type

    def is_struct(self, type: CType) -> bool:
        """Whether the type, without its pointers, is a struct or union that the headers define."""
        return self.resolve(type).base in self.structs


def is_block(node: Struct) -> bool:
    """Whether a struct is only a block of C's size, without C's fields."""
    return [one.name for one in node.fields] == ["bytes"]


def _block(node: Struct) -> Struct:
    """A struct of the same size and alignment, without its fields."""
    unit = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t"}.get(node.align)
    if unit is None:
        return node
    type = CType(unit, extents=(node.size // node.align,))
    return replace(node, kind="struct", fields=(Field("bytes", type, 0),))


def _renamed(aliases: Mapping[str, Alias], name: str) -> str:
    """The struct that a typedef of a struct stands for (hipGraphicsResource)."""
    while (alias := aliases.get(name)) and not alias.type.is_pointer:
        name = alias.type.base
    return name


def _forms(declarations: Mapping[str, tuple[Variant, ...]], release: str) -> dict:  # type: ignore[type-arg]
    forms = ((name, form_of(variants, release)) for name, variants in declarations.items())
    return {name: one for name, one in forms if one is not None}


def _newest(declarations: Mapping[str, tuple[Variant, ...]]) -> dict:  # type: ignore[type-arg]
    return {name: variants[-1].node for name, variants in declarations.items()}

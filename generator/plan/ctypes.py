"""How the generated C++ spells the model's types, and what kind of type a name is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generator.manifest import NO_HANDLES, Handles
from generator.model import Alias, Api, Callback, CType, Enum, Handle, Struct, Variant

BUILTIN = frozenset(
    {
        "void", "char", "signed char", "unsigned char", "short", "unsigned short", "int",
        "unsigned int", "long", "unsigned long", "long long", "unsigned long long", "float",
        "double", "bool", "size_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t",
        "uint32_t", "int64_t", "uint64_t", "uintptr_t",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Types:
    """The newest form of every type of an API, by name."""

    structs: Mapping[str, Struct]
    enums: Mapping[str, Enum]
    aliases: Mapping[str, Alias]
    handles: Mapping[str, Handle]
    callbacks: Mapping[str, Callback]
    known: Handles = NO_HANDLES

    @classmethod
    def of(cls, api: Api, known: Handles = NO_HANDLES) -> Types:
        aliases = _newest(api.aliases)
        # A typedef of a pointer to a struct is a handle too if named so (hipMipmappedArray_t).
        pointers = {
            name: Handle(name, _renamed(aliases, alias.type.base), alias.type.const, alias.source)
            for name, alias in aliases.items()
            if len(alias.type.pointers) == 1 and name.endswith("_t") and alias.type.base != "void"
        }
        return cls(
            _newest(api.structs),
            _newest(api.enums),
            {name: alias for name, alias in aliases.items() if name not in pointers},
            _newest(api.handles) | pointers,
            _newest(api.callbacks),
            known,
        )

    def is_stream(self, type: CType) -> bool:
        """Whether the type is the API's stream."""
        return self.known.role(type.base) == "stream"

    def resolve(self, type: CType) -> CType:
        """The type with scalar and pointer aliases replaced by what they stand for."""
        while alias := self.aliases.get(type.base):
            target = alias.type
            # A const alias of a pointer is a const pointer, which changes nothing for a value.
            const = target.const if target.pointers else target.const or type.const
            type = CType(target.base, const, target.pointers + type.pointers, type.extents)
        return type

    def is_struct(self, type: CType) -> bool:
        """Whether the type, without its pointers, is a struct or union that the headers define."""
        return self.resolve(type).base in self.structs


def _renamed(aliases: Mapping[str, Alias], name: str) -> str:
    """The struct that a typedef of a struct stands for (hipGraphicsResource)."""
    while (alias := aliases.get(name)) and not alias.type.is_pointer:
        name = alias.type.base
    return name


def _newest(declarations: Mapping[str, tuple[Variant, ...]]) -> dict:  # type: ignore[type-arg]
    return {name: variants[-1].node for name, variants in declarations.items()}


def spell(type: CType) -> str:
    """A type in the generated C++: as the model spells it, with the star beside the name."""
    return str(type)


def declare(type: CType, name: str) -> str:
    """A declaration: `int *device`, `char name[256]`."""
    head = str(CType(type.base, type.const, type.pointers))
    bounds = "".join(f"[{extent}]" for extent in type.extents)
    return f"{head}{'' if head.endswith('*') else ' '}{name}{bounds}"

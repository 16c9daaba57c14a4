"""What the names of an API are in Python: which are classes, and the targets of aliases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from generator.manifest import Handles
from generator.model import Callback, CType
from generator.plan.binding import BindingPlan, StructType, TypedTable
from generator.plan.spelling import public_name


@dataclass(frozen=True, slots=True)
class Names:
    """The types of an API by all their names in C."""

    status: str
    error_class: str
    enums: Mapping[str, str]
    structs: Mapping[str, StructType]
    handles: Mapping[str, str]
    known: Handles
    aliases: Mapping[str, CType]
    callbacks: Mapping[str, Callback]
    typed: Mapping[str, TypedTable]
    homes: Mapping[str, str]

    @classmethod
    def of(cls, plan: BindingPlan) -> Names:
        """The names of a plan."""
        handles = {type: public_name(one.name) for one in plan.handles for type in one.types}
        homes = {
            enum_name(plan, at): plan.homes[one.name]
            for at, one in enumerate(plan.enums)
            if one.name in plan.homes
        }
        homes |= {public_name(one.name): one.home for one in plan.handles if one.home}
        homes |= {class_name(one): one.home for one in plan.struct_types if one.home}
        return cls(
            status=plan.status,
            error_class=plan.error_class,
            enums={one.name: enum_name(plan, index) for index, one in enumerate(plan.enums)}
            | {
                one.name: enum_name(plan, one.index)
                for one in plan.names
                if one.kind == "enum_type"
            },
            structs={one.tag: one for one in plan.struct_types}
            | {
                one.name: plan.struct_types[one.index]
                for one in plan.names
                if one.kind == "struct_type"
            },
            handles=handles,
            known=Handles(
                next((one.name for one in plan.handles if one.role == "stream"), None),
                next((one.name for one in plan.handles if one.role == "event"), None),
                kernels=tuple(one.name for one in plan.handles if one.role == "kernel"),
            ),
            aliases={one.name: one.type for one in plan.aliases},
            callbacks={one.name: one for one in plan.callbacks},
            typed={one.name: one for one in plan.typed},
            homes=homes,
        )

    def resolve(self, type: CType) -> CType:
        """The type with aliases replaced by their targets."""
        while target := self.aliases.get(type.base):
            type = CType(target.base, target.const, target.pointers + type.pointers, type.extents)
        return type


def enum_name(plan: BindingPlan, index: int) -> str:
    """The class of an enum."""
    name = plan.enums[index].name
    return plan.error_class if name == plan.status else public_name(name)


def class_name(struct: StructType) -> str:
    """The class of a struct; for a nested struct without a name, a private class."""
    name = struct.name
    return "_" + name.replace(".", "_") if "." in name else public_name(name)


def public_names(plan: BindingPlan) -> Iterator[str]:
    """All names that a script may ask an API's module for."""
    yield from (public_name(one.name) for group in plan.groups.values() for one in group)
    yield from (one.name for one in plan.names)
    yield from (one.name for one in plan.helpers)
    yield from (plan.error_class, *plan.error_aliases)

"""Checks of api.json that span several declarations: all readers can trust a loaded model."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from generator.model import Api, CType, Struct
from generator.scalars import BUILTIN
from generator.schema import SchemaError


def check_model(api: Api) -> None:
    """Check that names are unique, and that all types are known and finite."""
    known = {*BUILTIN, *api.structs, *api.enums, *api.aliases, *api.handles, *api.callbacks}
    for where, names in _named(api):
        if twice := {one for one in names if names.count(one) > 1}:
            raise SchemaError(f"{where}: {', '.join(sorted(twice))} is there twice")
    held: dict[str, set[str]] = {}
    for alias, forms in api.aliases.items():
        held.setdefault(alias, set()).update(one.node.type.base for one in forms)
    for struct, variants in api.structs.items():
        for one in variants:
            _check_layout(one.node, f"structs.{struct}", api.structs)
            inner = {field.type.base for field in one.node.fields if not field.type.is_pointer}
            held.setdefault(struct, set()).update(inner)
    _refuse_circles(held)
    for where, type in _types(api):
        while not type.is_pointer and type.base in api.aliases:
            type = api.aliases[type.base][-1].node.type
        if not type.is_pointer and type.base not in known:
            raise SchemaError(f"{where}: unknown type {type}")
        if not type.is_pointer and type.base == "void" and not where.endswith(".result"):
            raise SchemaError(f"{where}: nothing is of type void")


def _named(api: Api) -> Iterator[tuple[str, list[str]]]:
    for kind, declared in (("functions", api.functions), ("callbacks", api.callbacks)):
        for named, forms in declared.items():
            for form in forms:
                yield f"{kind}.{named}", [one.name for one in form.node.parameters if one.name]
    for named, structs in api.structs.items():
        for struct in structs:
            yield f"structs.{named}", [one.name for one in struct.node.fields if one.name]
    for named, enums in api.enums.items():
        for enum in enums:
            yield f"enums.{named}", [one.name for one in enum.node.enumerators]


def _types(api: Api) -> Iterator[tuple[str, CType]]:
    for kind, declared in (("functions", api.functions), ("callbacks", api.callbacks)):
        for named, forms in declared.items():
            for form in forms:
                yield f"{kind}.{named}.result", form.node.result
                for one in form.node.parameters:
                    yield f"{kind}.{named}.{one.name}", one.type
    for named, structs in api.structs.items():
        for struct in structs:
            for field in struct.node.fields:
                yield f"structs.{named}.{field.name}", field.type


def _check_layout(struct: Struct, where: str, structs: Container[str]) -> None:
    for index, field in enumerate(struct.fields):
        holds_more = not field.type.is_pointer and field.type.base in structs
        if not field.name and field.bits is None and not holds_more:
            raise SchemaError(f"{where}.fields[{index}]: a field without a name is a struct")
        begin = field.offset if field.bits is None else field.offset // 8
        if begin > struct.size:
            raise SchemaError(f"{where}.{field.name}: lies behind the struct's {struct.size} bytes")


def _refuse_circles(held: Mapping[str, set[str]]) -> None:
    """Refuse types that are made of themselves."""
    done: set[str] = set()
    for start in held:
        path: list[str] = []
        stack: list[tuple[str, bool]] = [(start, False)]
        while stack:
            one, left = stack.pop()
            if left:
                path.pop()
                done.add(one)
            elif one in path:
                raise SchemaError(f"{one}: a type that is made of itself")
            elif one in held and one not in done:
                path.append(one)
                stack.append((one, True))
                stack += [(inner, False) for inner in held[one]]

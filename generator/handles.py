"""Pointers to structs that no header defines, as handles: `db_t *` is one value.

C names such a handle by a typedef of the pointer, or not at all. The model has the handles with a
typedef. The others get their own spelling as their name: "db_t *", "const db_t *".
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any

from generator.model import Alias, Api, Callback, CType, Function, Handle, Source, Struct, Variant
from generator.scalars import BUILTIN


def as_handles(api: Api) -> Api:
    """The API with such pointers as handles. Nothing changes if that is done already."""
    return _Rewriter(api).run()


def class_of(name: str) -> str:
    """The class of a handle without a typedef of its own: that of "const db_t *" is db_t."""
    return name.removeprefix("const ").removesuffix(" *")


def parse(text: str, handles: Container[str]) -> CType:
    """A type as a rule spells it; `handles` are the names of an API's handles."""
    head = text.rstrip("*").rstrip()
    stars = text.count("*") if " *" in text else 0
    if f"{head} *" in handles and head != text:
        return CType(f"{head} *", pointers=(False,) * (stars - 1))
    return CType.parse(text)


class _Rewriter:
    def __init__(self, api: Api) -> None:
        self._api = api
        self._defined = (api.structs, api.enums, api.callbacks, api.handles)
        self._handles: dict[str, Handle] = {}

    def run(self) -> Api:
        api = self._api
        kinds: dict[str, Any] = {
            kind: self._all(getattr(api, kind))
            for kind in ("functions", "structs", "aliases", "callbacks")
        }
        if not self._handles:
            return api
        span = (api.releases[0], api.releases[-1])
        handles = {name: (Variant(*span, one),) for name, one in self._handles.items()}
        for name, forms in [*kinds["aliases"].items()]:
            if all(one.node.type == CType(one.node.type.base) for one in forms) and all(
                one.node.type.base in handles for one in forms
            ):
                handles[name] = tuple(replace(one, node=self._named(one.node)) for one in forms)
                del kinds["aliases"][name]
        return replace(api, **kinds, handles={**api.handles, **handles})

    def _named(self, alias: Alias) -> Handle:
        """The handle that a typedef of the pointer names."""
        pointed = self._handles[alias.type.base]
        return Handle(alias.name, pointed.struct, alias.source, pointed.const)

    def _all(self, declared: Mapping[str, tuple[Variant[Any], ...]]) -> dict[str, Any]:
        return {
            name: tuple(replace(one, node=self._node(one.node)) for one in forms)
            for name, forms in declared.items()
        }

    def _node(self, node: Any) -> Any:
        match node:
            case Function() | Callback():
                result = self._type(node.result, node.source)
                types = [self._type(one.type, node.source) for one in node.parameters]
                if result is node.result and all(
                    one.type is type for one, type in zip(node.parameters, types, strict=True)
                ):
                    return node
                parameters = tuple(
                    replace(one, type=type)
                    for one, type in zip(node.parameters, types, strict=True)
                )
                return replace(node, result=result, parameters=parameters)
            case Struct():
                fields = tuple(
                    replace(one, type=self._type(one.type, node.source)) for one in node.fields
                )
                return node if fields == node.fields else replace(node, fields=fields)
            case Alias():
                return replace(node, type=self._type(node.type, node.source))
        return node

    def _type(self, type: CType, source: Source) -> CType:
        if not type.pointers or (tag := self._tag(type.base)) is None:
            return type
        name = f"{'const ' if type.const else ''}{type.base} *"
        self._handles.setdefault(name, Handle(name, tag, source, type.const))
        return CType(name, type.pointers[0], type.pointers[1:], type.extents)

    def _tag(self, base: str) -> str | None:
        """The struct that a name stands for if no header defines it; None for all other types."""
        while forms := self._api.aliases.get(base):
            type = forms[-1].node.type
            if type != CType(type.base, type.const):
                return None
            base = type.base
        known = base in BUILTIN or any(base in kind for kind in self._defined)
        return None if known else base

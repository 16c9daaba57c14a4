"""Every struct of both APIs, with its declaration in the model and a ctypes twin made from it."""

from __future__ import annotations

import ctypes
import os
import types as python
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import PyGPU
from generator import store
from generator.emit import SPECS
from generator.model import Api, CType, Field, Struct
from generator.plan.ctypes import Types

SCALARS: Mapping[str, type] = {
    "bool": ctypes.c_bool,
    "char": ctypes.c_int8,
    "signed char": ctypes.c_int8,
    "unsigned char": ctypes.c_uint8,
    "short": ctypes.c_int16,
    "unsigned short": ctypes.c_uint16,
    "int": ctypes.c_int32,
    "unsigned int": ctypes.c_uint32,
    "uint32_t": ctypes.c_uint32,
    "long": ctypes.c_int64,
    "unsigned long": ctypes.c_uint64,
    "long long": ctypes.c_int64,
    "unsigned long long": ctypes.c_uint64,
    "size_t": ctypes.c_uint64,
    "uint64_t": ctypes.c_uint64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
}


@dataclass(frozen=True)
class Known:
    """A struct: the module that has it, its tag, and its newest declaration."""

    module: str
    tag: str
    struct: Struct

    @property
    def type(self) -> type:
        return getattr(getattr(PyGPU, self.module), self.tag)

    @property
    def twin(self) -> type:
        return twin(self.module, self.tag)

    def __str__(self) -> str:
        return f"{self.module}.{self.tag}"


@cache
def api_of(module: str) -> tuple[Api, Types]:
    api = store.load(SPECS / f"{module}_runtime" / "api.json")
    return api, Types.of(api)


@cache
def twin(module: str, tag: str) -> type:
    """The struct in ctypes, which computes offsets by itself from the types alone."""
    types = api_of(module)[1]
    struct = types.structs[tag]
    base = ctypes.Union if struct.kind == "union" else ctypes.Structure
    fields, anonymous = [], []
    for at, field in enumerate(struct.fields):
        name = field.name or f"_anonymous_{at}"
        if not field.name:
            anonymous.append(name)
        kind = _kind(module, types, field)
        fields.append((name, kind) if field.bits is None else (name, kind, field.bits))
    body = {"_anonymous_": anonymous, "_fields_": fields} if anonymous else {"_fields_": fields}
    return type(tag, (base,), body)


def _kind(module: str, types: Types, field: Field) -> type:
    type = types.resolve(field.type)
    kind = _element(module, types, type)
    for extent in reversed(type.extents):
        kind = kind * extent
    return kind


def _element(module: str, types: Types, type: CType) -> type:
    if type.is_pointer or type.base in types.handles or type.base in types.callbacks:
        return ctypes.c_void_p
    if type.base in types.structs:
        return twin(module, type.base)
    if type.base in types.enums:
        return SCALARS[types.enums[type.base].underlying]
    return SCALARS[type.base]


def members(module: str, struct: Struct) -> Iterator[Field]:
    """The fields that Python shows: those of anonymous members among them."""
    types = api_of(module)[1]
    for field in struct.fields:
        if field.name:
            yield field
        else:
            yield from members(module, types.structs[field.type.base])


def every_struct() -> list[Known]:
    return [
        Known(module, tag, struct)
        for module in ("cuda", "hip")
        for tag, struct in sorted(api_of(module)[1].structs.items())
        if "." not in tag
    ]


def plain(value: object, other: object) -> tuple[object, object]:
    """A PyGPU value and its ctypes twin in one form to compare: numbers and nested lists."""
    return _ours(value), _theirs(other)


def _ours(value: object) -> object:
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, str):
        return ["text", *os.fsencode(value)]
    if isinstance(value, float):
        return _number(value)
    if hasattr(type(value), "sizeof"):
        return [_ours(getattr(value, name)) for name in _names(type(value))]
    if hasattr(value, "__len__"):
        return [_ours(one) for one in value]  # type: ignore[attr-defined]
    return int(value)  # type: ignore[call-overload]


def _theirs(value: object) -> object:
    if value is None:
        return 0
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, ctypes.Array):
        items = [_theirs(one) for one in value]
        if value._type_ in (ctypes.c_int8, ctypes.c_uint8):
            return [one % 256 for one in items]  # type: ignore[operator]
        return items
    if isinstance(value, (ctypes.Structure, ctypes.Union)):
        return [_theirs(getattr(value, name)) for name in _twin_names(type(value))]
    return int(value)  # type: ignore[call-overload]


def _number(value: float) -> object:
    return "nan" if value != value else value


def _names(type: type) -> list[str]:
    """The field attributes of a struct type, in C's order."""
    return [
        name
        for name, one in vars(type).items()
        if isinstance(one, python.GetSetDescriptorType) and name != "address"
    ]


def _twin_names(type: type) -> list[str]:
    names = []
    for name, kind, *_ in type._fields_:  # type: ignore[attr-defined]
        names += _twin_names(kind) if name.startswith("_anonymous_") else [name]
    return names

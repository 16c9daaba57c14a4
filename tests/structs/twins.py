"""Every struct of the runtimes and the driver, with its declaration and a ctypes twin of it."""

from __future__ import annotations

import ctypes
import os
import types as python
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

import PyGPU
from generator import store
from generator.emit import SPECS
from generator.model import Api, CType, Field, Struct
from generator.plan.ctypes import Types
from generator.plan.renamed import follow_renames
from generator.plan.span import number
from PyGPU import _libraries

# The API's folder for each module, and a call that finds the library.
APIS = {
    "cuda": ("cuda_runtime", "cudaRuntimeGetVersion"),
    "hip": ("hip_runtime", "hipRuntimeGetVersion"),
    "cu": ("cuda_driver", "cuDriverGetVersion"),
}
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


PLACE = PyGPU.cuda.dim3.address.__doc__  # of the `address` attribute, which is no field


@dataclass(frozen=True)
class Known:
    """A struct: its module and tag, and its declaration in a release ("" for the newest)."""

    module: str
    tag: str
    struct: Struct
    release: str = ""

    @property
    def type(self) -> type:
        return getattr(getattr(PyGPU, self.module), self.tag)

    @property
    def twin(self) -> type:
        return twin(self.module, self.tag, self.release)

    @property
    def members(self) -> list[Field]:
        return list(members(self.module, self.struct, self.release))

    def __str__(self) -> str:
        return f"{self.module}.{self.tag}"


@cache
def api_of(module: str) -> Api:
    return follow_renames(store.load(SPECS / APIS[module][0] / "api.json"))


@cache
def types_of(module: str, release: str = "") -> Types:
    """The newest types, except that structs are those of a release if one is named."""
    api = api_of(module)
    if not release:
        return Types.of(api)
    order = api.releases.index
    structs = {
        name: form.node
        for name, forms in api.structs.items()
        for form in forms
        if order(form.since) <= order(release) <= order(form.until)
    }
    return replace(Types.of(api), structs=structs)


@cache
def twin(module: str, tag: str, release: str = "") -> type:
    """The struct in ctypes, which computes the offsets itself, from the types alone."""
    types = types_of(module, release)
    struct = types.structs[tag]
    base = ctypes.Union if struct.kind == "union" else ctypes.Structure
    fields, anonymous = [], []
    for at, field in enumerate(struct.fields):
        name = field.name or f"_anonymous_{at}"
        if not field.name:
            anonymous.append(name)
        kind = _kind(module, release, field)
        fields.append((name, kind) if field.bits is None else (name, kind, field.bits))
    body = {"_anonymous_": anonymous, "_fields_": fields} if anonymous else {"_fields_": fields}
    return type(tag, (base,), body)


def _kind(module: str, release: str, field: Field) -> type:
    type = types_of(module, release).resolve(field.type)
    kind = _element(module, release, type)
    for extent in reversed(type.extents):
        kind = kind * extent
    return kind


def _element(module: str, release: str, type: CType) -> type:
    types = types_of(module, release)
    if type.is_pointer or type.base in types.handles or type.base in types.callbacks:
        return ctypes.c_void_p
    if type.base in types.structs:
        return twin(module, type.base, release)
    if type.base in types.enums:
        return SCALARS[types.enums[type.base].underlying]
    return SCALARS[type.base]


def members(module: str, struct: Struct, release: str = "") -> Iterator[Field]:
    """The fields that Python shows, including those of anonymous members."""
    types = types_of(module, release)
    for field in struct.fields:
        if field.name:
            yield field
        else:
            yield from members(module, types.structs[field.type.base], release)


def every_struct() -> list[Known]:
    return [one for module in APIS for one in structs_of(module, loaded_release(module))]


@cache
def loaded_release(module: str) -> str:
    """The listed release whose layouts this process uses: the library's, or the one before it.

    A call asks for it, so the layouts stay the same from here on.
    """
    getattr(getattr(PyGPU, module), APIS[module][1])()
    library = _libraries.installed(module)
    if not library or not library["release"]:
        return ""
    loaded = number(library["release"])
    older = [one for one in api_of(module).releases if number(one) <= loaded]
    return older[-1] if older else api_of(module).releases[0]


def structs_of(module: str, release: str = "") -> list[Known]:
    """The named structs of an API, in the newest form or in a release's form.

    A struct that newer releases lack holds other structs in the form of its own last release.
    """
    api = api_of(module)
    found = []
    for tag, struct in sorted(types_of(module, release).structs.items()):
        last = api.structs[tag][-1].until
        own = release or ("" if last == api.newest else last)
        if "." not in tag:
            found.append(Known(module, tag, struct, own))
    return found


def plain(value: object, other: object) -> tuple[object, object]:
    """A PyGPU value and its ctypes twin in one form for comparing: numbers and nested lists."""
    return _ours(value), _theirs(other)


def _ours(value: object) -> object:
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, str):
        return ["text", *os.fsencode(value)]
    if isinstance(value, float):
        return _number(value)
    if hasattr(type(value), "sizeof"):
        return [_ours(one) for one in _shown(value)]
    # Not an array behind a pointer.
    if hasattr(value, "__len__") and not hasattr(value, "__index__"):
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


def _shown(value: object) -> list[object]:
    """The values of a struct's fields, in C's order; fields of other releases have none."""
    names = [
        name
        for name, one in vars(type(value)).items()
        if isinstance(one, python.GetSetDescriptorType) and one.__doc__ != PLACE
    ]
    return [getattr(value, name) for name in names if hasattr(value, name)]


def _twin_names(type: type) -> list[str]:
    names = []
    for name, kind, *_ in type._fields_:  # type: ignore[attr-defined]
        names += _twin_names(kind) if name.startswith("_anonymous_") else [name]
    return names

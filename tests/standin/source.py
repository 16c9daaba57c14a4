"""The C source of a stand-in for a vendor's library, from one release's C prototypes alone."""

from __future__ import annotations

from collections.abc import Iterator

from generator.model import CType, Function, Release, Struct

SCALARS = {
    "char": 1, "signed char": 1, "unsigned char": 1, "bool": 1, "short": 2, "unsigned short": 2,
    "int": 4, "unsigned int": 4, "long": 8, "unsigned long": 8, "long long": 8,
    "unsigned long long": 8, "float": 4, "double": 8, "size_t": 8, "uint8_t": 1, "int8_t": 1,
    "uint16_t": 2, "int16_t": 2, "uint32_t": 4, "int32_t": 4, "uint64_t": 8, "int64_t": 8,
    "uintptr_t": 8,
}  # fmt: skip


class Layout:
    """The sizes and C spellings of one release's types."""

    def __init__(self, release: Release) -> None:
        self.release = release

    def resolve(self, type: CType) -> CType:
        """A type without aliases; handles and callbacks become pointers to void."""
        release = self.release
        while True:
            if type.base in release.handles or type.base in release.callbacks:
                return CType("void", False, (False, *type.pointers), type.extents)
            alias = release.aliases.get(type.base)
            if alias is None:
                return type
            type = CType(
                alias.type.base,
                alias.type.const or (type.const and not alias.type.pointers),
                alias.type.pointers + type.pointers,
                alias.type.extents + type.extents,
            )

    def struct(self, type: CType) -> Struct | None:
        """The struct that a type is by value; None if it isn't one."""
        resolved = self.resolve(type)
        return None if resolved.pointers else self.release.structs.get(resolved.base)

    def size(self, type: CType) -> int:
        """The size of a value of the type; 0 for void and for types that no header defines."""
        resolved = self.resolve(type)
        size = 8
        if not resolved.pointers:
            if struct := self.release.structs.get(resolved.base):
                size = struct.size
            elif resolved.base in self.release.enums:
                size = SCALARS[self.release.enums[resolved.base].underlying]
            else:
                size = SCALARS.get(resolved.base, 0)
        for extent in resolved.extents:
            size *= extent
        return size

    def spell(self, type: CType) -> str:
        """A type in C, as far as it matters for the calling convention."""
        resolved = self.resolve(type)
        if resolved.pointers:
            return "void *"
        if resolved.base in self.release.structs:
            kind = self.release.structs[resolved.base].kind
            return f"{kind} {_tag(resolved.base)}"
        if resolved.base in self.release.enums:
            return self.release.enums[resolved.base].underlying
        return resolved.base

    def definition(self, struct: Struct, done: dict[str, str]) -> None:
        """The struct's C definition; before it those of structs that it holds by value."""
        if struct.name in done:
            return
        members = []
        for at, field in enumerate(struct.fields):
            if (inner := self.struct(CType(field.type.base))) and not field.type.pointers:
                self.definition(inner, done)
            resolved = self.resolve(field.type)
            bounds = "".join(f"[{extent}]" for extent in resolved.extents)
            bits = "" if field.bits is None else f" : {field.bits}"
            members.append(f"{self.spell(field.type)} m{at}{bounds}{bits};")
        done[struct.name] = f"{struct.kind} {_tag(struct.name)} {{ {' '.join(members)} }};"


def source(release: Release, status: str, version: int, version_call: str) -> str:
    """A C file that exports every function of a release.

    `status` is the type of its statuses. `version_call` tells `version` while the library is
    loaded.
    """
    layout = Layout(release)
    status = layout.resolve(CType(status)).base
    functions: dict[str, Function] = {}
    for one in release.functions.values():
        for symbol in (one.symbol, one.per_thread):
            if symbol:
                functions.setdefault(symbol, one)
    structs: dict[str, str] = {}
    for one in functions.values():
        for type in (one.result, *(parameter.type for parameter in one.parameters)):
            if struct := layout.struct(type):
                layout.definition(struct, structs)
    lines = [
        f'#include "recorder.c"\n#include <stdbool.h>\nconst int standin_version = {version};',
        f'const char *const standin_version_function = "{version_call}";',
        *structs.values(),
    ]
    for symbol, one in sorted(functions.items()):
        lines += _function(layout, symbol, one, status)
    return "\n".join(lines) + "\n"


def _function(layout: Layout, symbol: str, function: Function, status: str) -> Iterator[str]:
    rows = ", ".join(
        f'{{"{one.name}", {layout.size(one.type)}, {pointee(layout, one.type)}, '
        f"{passing(layout, one.type)}}}"
        for one in function.parameters
    )
    result = layout.resolve(function.result)
    size = layout.size(function.result)
    returns = 3
    if not result.pointers and result.base == status:
        returns = 1
    elif result.base == "char" and result.pointers:
        returns = 2
    elif not size:
        returns = 0
    parameters = ", ".join(
        f"{layout.spell(one.type)} a{at}" for at, one in enumerate(function.parameters)
    )
    count = len(function.parameters)
    if rows:
        yield f"static const struct parameter parameters_{symbol}[] = {{{rows}}};"
    table = f"parameters_{symbol}" if rows else "0"
    yield (
        f"static const struct function function_{symbol} = "
        f'{{"{symbol}", {count}, {size}, {returns}, {table}}};'
    )
    addresses = ", ".join(f"&a{at}" for at in range(count)) or "0"
    spelled = layout.spell(function.result) if size else "void"
    give, back = (f"{spelled} result; ", " return result;") if size else ("", "")
    yield (
        f"EXPORT {spelled} {symbol}({parameters or 'void'}) {{ "
        f"{give}void *arguments[] = {{{addresses}}}; "
        f"standin_call(&function_{symbol}, arguments, {'&result' if size else '0'});{back} }}"
    )


def pointee(layout: Layout, type: CType) -> int:
    """The size behind a pointer by C's type; 0 if the type doesn't tell."""
    resolved = layout.resolve(type)
    return layout.size(resolved.pointee) if resolved.pointers else 0


def passing(layout: Layout, type: CType) -> str:
    """How C passes a parameter: whether C may write through it, and whether it writes a text."""
    resolved = layout.resolve(type)
    if not resolved.pointers:
        return "VALUE"
    if type.base in layout.release.handles and not type.pointers:
        return "VALUE"
    if resolved.points_to_const:
        return "IN_POINTER"
    if resolved.base == "char" and len(resolved.pointers) == 2:
        return "OUT_TEXT"
    return "OUT_POINTER"


def _tag(name: str) -> str:
    return "s_" + name.replace(".", "__")

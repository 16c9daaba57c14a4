"""The types of wrappers in C++, and the declarations of C's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from generator.cpp.text import identifier, member, parameter
from generator.model import Alias, Callback, CType, Field, Struct
from generator.plan.alignment import Aligned, alignments
from generator.plan.binding import BindingPlan, EntryPoint
from generator.plan.reachable import is_anonymous
from generator.plan.shapes import MEMORY, Shape, ShapeKind
from generator.scalars import BUILTIN

# The templates and classes of convert/, types/ and call/ for what a wrapper takes and gives.
SHAPES: Mapping[ShapeKind, str] = {
    "boolean": "Boolean",
    "destroyed": "Destroyed",
    "ended": "Ended",
    "unregistered": "Unregistered",
    "address": "Address",
    "readable": "Readable",
    "writable": "Writable",
    "image": "Image",
    "freed": "Freed",
    "function": "Code",
    "text": "Text",
    "text item": "TextItem",
    "arguments": "LaunchArguments",
    "packed": "Packed",
    "user data": "UserData",
    "callback": "Callback",
    "struct": "In",
    "itself": "Itself",
    "scalar": "OneNumber",
    "received": "Received",
    "optional": "std::optional",
    "array": "Array",
    "items": "Items",
    "changed array": "Changed",
    "count": "Count",
    "record": "Record",
    "typed in": "TypedIn",
    "typed ins": "TypedIns",
    "list": "std::vector",
    "text buffer": "TextBuffer",
    "byte buffer": "ByteBuffer",
    "code text": "CodeText",
    "lent text": "LentText",
    "typed out": "TypedOut",
    "typed outs": "TypedOuts",
}


def shape(one: Shape) -> str:
    """The type of an input, a local or a result."""
    if one.kind == "value":
        return spell(one.value)
    arguments = [shape(one.of)] if one.of else []
    if one.type:
        arguments.append(spell(one.type))
    if one.kind in ("typed in", "typed ins", "record"):
        arguments.append(f"typed_{one.table}")
    if one.end is not None and one.kind == "packed":
        arguments.append(str(one.end))
    if one.kept and one.kept.slot:
        memory = f"CallbackMemory::{one.kept.memory}"
        return f"Replaced<{arguments[0]}, struct {identifier(one.kept.slot)}, {memory}>"
    if one.kept:
        arguments.append(f"Lives::{one.kept.lives}")
        if one.kept.carrier is not None:
            arguments += [str(one.kept.carrier), str(one.kept.failed)]
        if one.kept.lent:
            at, by = one.kept.lent
            arguments.append(f"LentBy<typed_{one.table}, {at}, {by}>")
    if one.kind == "array" and one.end is not None:
        return f"Terminated<{', '.join(arguments)}>"
    name = SHAPES[one.kind] + ("Of" if one.kind in MEMORY and one.type else "")
    return f"{name}<{', '.join(arguments)}>" if arguments else name


def spell(type: CType) -> str:
    """A type in C++; types without a name in C have the model's name, made of their place."""
    return str(_own(type))


def declare(type: CType, name: str) -> str:
    """A declaration: `int *device`, `char name[256]`."""
    return declare_as(type, member(name))


def declare_as(type: CType, name: str) -> str:
    """A declaration of a name that is C++ already."""
    return _own(type).declare(name)


def _own(type: CType) -> CType:
    return type if type.base in BUILTIN else replace(type, base=identifier(type.base))


def beside(type: str, name: str) -> str:
    """A declaration of a name, with a type that is spelled already."""
    return f"{type}{name}" if type.endswith("*") else f"{type} {name}"


def entry_type(entry: EntryPoint) -> str:
    """The prototype of an entry point: `cudaError_t(int *device)`."""
    parameters = ", ".join(declare(one.type, parameter(one.name)) for one in entry.parameters)
    return f"{spell(entry.result)}({parameters})"


def declarations(plan: BindingPlan) -> Iterator[str]:
    """Aliases, callbacks and struct definitions, each after what it needs."""
    waiting: dict[str, Alias | Callback] = {one.name: one for one in plan.aliases}
    waiting |= {one.name: one for one in plan.callbacks}
    waiting.pop("size_t", None)
    for name in [*waiting]:
        yield from _named(name, waiting)
    aligned = alignments(plan)
    for struct in plan.structs:
        if not is_anonymous(struct.name):
            yield _definition(plan, struct, "", identifier(struct.name), aligned) + ";"


def _named(name: str, waiting: dict[str, Alias | Callback]) -> Iterator[str]:
    """An alias or callback that still waits, behind those that it needs."""
    match waiting.pop(name, None):
        case Alias() as alias:
            yield from _named(alias.type.base, waiting)
            yield f"using {identifier(name)} = {spell(alias.type)};"
        case Callback() as callback:
            types = [callback.result, *(one.type for one in callback.parameters)]
            for type in types:
                yield from _named(type.base, waiting)
            listed = ", ".join(
                declare(one.type, parameter(one.name)).strip() for one in callback.parameters
            )
            yield f"using {identifier(name)} = {spell(callback.result)} (*)({listed});"


def _definition(
    plan: BindingPlan, struct: Struct, indent: str, name: str, aligned: Mapping[str, Aligned]
) -> str:
    how = aligned[struct.name]
    head = " ".join(filter(None, (struct.kind, how.whole, name)))
    body = "".join(
        f"{indent}    {before}{_member(plan, one, indent, aligned)};\n"
        for one, before in zip(struct.fields, how.fields, strict=True)
    )
    return f"{head} {{\n{body}{indent}}}"


def _member(plan: BindingPlan, field: Field, indent: str, aligned: Mapping[str, Aligned]) -> str:
    nested = plan.anonymous.get(field.type.base)
    if nested:
        bounds = "".join(f"[{extent}]" for extent in field.type.extents)
        text = _definition(plan, nested, indent + "    ", "", aligned)
        return f"{text} {member(field.name)}{bounds}".rstrip()
    # A const member couldn't be assigned; what is behind a pointer stays const.
    type = replace(field.type, const=field.type.const and field.type.is_pointer)
    if type.is_pointer:
        type = replace(type, pointers=(*type.pointers[:-1], False))
    text = declare(type, field.name)
    return text if field.bits is None else f"{text} : {field.bits}"

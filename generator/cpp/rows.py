"""Rows of the tables of structs, typed values, names and statuses in C++."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from generator.cpp.formula import formula
from generator.cpp.text import identifier, literal, wrapped
from generator.manifest import CODES
from generator.model import Enum
from generator.plan.binding import (
    BindingPlan,
    FieldRow,
    HandleType,
    NumberAt,
    Ownership,
    PublicName,
    StructField,
    StructLength,
    TypedCase,
)
from generator.plan.span import NEWEST, OLDEST, Span
from generator.scalars import CHARACTER, SCALARS

# How C++ reads a number of each kind.
READ = {
    "boolean": "bool",
    CHARACTER: "char",
    **{f"i{bits}": f"std::int{bits}_t" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"std::uint{bits}_t" for bits in (8, 16, 32, 64)},
}


def limits(one: PublicName | Span | FieldRow) -> str:
    """The releases that have a name; "" if all have it."""
    return "" if (one.since, one.until) == (OLDEST, NEWEST) else f", {one.since}, {one.until}"


def layout_limits(span: Span, lengths: str | None) -> str:
    """The releases that have a layout, unless all have it; then its lengths."""
    if lengths or span.until != NEWEST:
        return f", {span.since}, {span.until}" + (f", {lengths}" if lengths else "")
    return "" if span.since == OLDEST else f", {span.since}"


def struct_length(plan: BindingPlan, one: StructLength) -> str:
    """One statement about a pointer in a struct, or about a member with such pointers."""
    path = literal(one.path)
    when = over_fields(one, one.when)
    if one.nested:
        struct, layout = one.nested
        inner = f"lengths_{identifier(plan.struct_types[struct].tag)}_{layout}"
        text = f"it.enter({one.offset}, {path}, {inner});"
        return f"if (bool({when})) {text}" if when else text
    known = "size != Memory::unknown" + (f" && {when}" if when else "")
    need = f"it.need({path}, size, {wrapped(over_fields(one, one.bytes), 16)});"
    return f"if (const auto size = it.bytes_behind({one.offset}); {known})\n        {need}"


def over_fields(one: StructLength, text: str | None) -> str:
    """A formula over a struct's fields."""

    def spell(name: str) -> str:
        source = one.names[name]
        if isinstance(source, NumberAt):
            return f"it.number<{READ[source.scalar]}>({source.offset})"
        return str(source)

    return formula(text, spell) if text else ""


def name_row(plan: BindingPlan, one: PublicName) -> str:
    """A row of the public names; the newest release lacks `FORMER` enumerators, or changed them."""
    if one.kind in ("enumerator", "error"):
        form = "STATUS" if one.kind == "error" else "ENUMERATOR"
        form = f"FORMER_{form}" if one.until != NEWEST else form
        type = identifier(plan.enums[one.index].name)
        return f"{form}({type}, {one.name}, {_signed(one.value)}, {one.order}{limits(one)})"
    at = place(plan, one.kind, one.index)
    rest = f", 0{limits(one)}" if limits(one) else ""
    return f"NAME({one.kind}, {at}, {one.name}, {_signed(one.value)}{rest})"


def _signed(value: int) -> str:
    """The 64 bits of a number as a number with a sign."""
    if value >= 1 << 63:
        value -= 1 << 64
    return str(value) if value > -(1 << 63) else f"{value + 1} - 1"


def is_large(enum: Enum) -> bool:
    """Whether an enum has values of 64 bits and no sign."""
    scalar, size = SCALARS[enum.underlying]
    return size == 8 and scalar.startswith("u")


def place(plan: BindingPlan, kind: str, index: int) -> str:
    """The index of an enum, handle or struct by name, so that a new one changes no other line."""
    match kind.removesuffix("_type"):
        case "enum" | "enumerator" | "enumeration" | "error":
            return f"enum_at::{identifier(plan.enums[index].name)}"
        case "handle":
            return f"handle_at::{identifier(plan.handles[index].name)}"
        case "struct" | "nested":
            return f"struct_at::{identifier(plan.struct_types[index].tag)}"
        case _:
            return "0"


def pointed(handle: HandleType) -> str:
    """The tags of the structs that a handle may point to."""
    tags = ", ".join(map(literal, handle.also))
    return f"{{{literal(handle.struct)}, {{{tags}}}}}" if tags else f"{{{literal(handle.struct)}}}"


def keywords(owned: Ownership) -> str:
    """Names with their defaults, where they have one."""
    return ", ".join(
        f"{literal(one.python_name)}" if one.default is None
        else f"Keyword{{{literal(one.python_name)}, nullptr}}" if one.python_name in owned.optional
        else f"Keyword{{{literal(one.python_name)}, {one.default}}}"
        for one in owned.keywords
    )  # fmt: skip


def field_row(plan: BindingPlan, row: FieldRow) -> str:
    """One row of a struct's table, with the releases that have it so."""
    return f"{{{{{_facts(plan, row.field, row.counter)}}}{limits(row)}}}"


def field_texts(rows: Iterable[FieldRow]) -> Iterator[str]:
    """For each row a literal with its name and its type, each ended by a NUL."""
    for row in rows:
        yield f'{literal(row.field.name)[:-1]}\\0{literal(str(row.field.type))[1:-1]}\\0"'


def _field(plan: BindingPlan, field: StructField) -> str:
    """A field with its name and type."""
    named = f"{literal(field.name)}, {literal(str(field.type))}"
    return f"{{{_facts(plan, field)}}}, {named}"


def _bits(field: StructField) -> str | int:
    """A default as C++ stores it: the bits that the field gets."""
    if field.scalar in ("f32", "f64") and field.default:
        size, whole = ("<f", "<I") if field.scalar == "f32" else ("<d", "<Q")
        (bits,) = struct.unpack(whole, struct.pack(size, field.default))
        return f"0x{bits:x}"
    held = int(field.default) % 2**64
    return f"0x{held:x}" if held >= 2**63 else held


def _facts(plan: BindingPlan, field: StructField, counter: int | None = None) -> str:
    """The facts of a field; facts with their usual value are left out."""
    members = [f".default_value = {_bits(field)}"] if field.default else []
    members += [f".offset = {field.offset}", f".size = {field.size}"]
    usual = {"count": 0, "index": "0", "layout": 0, "bit": 0, "bits": 0}
    shown = {
        "count": field.count,
        "index": place(plan, field.role, field.index),
        "layout": field.layout,
        "bit": field.bit,
        "bits": field.bits,
    }
    members += [f".{key} = {value}" for key, value in shown.items() if value != usual[key]]
    if field.scalar != "u64":
        members.append(f".scalar = Scalar::{field.scalar}")
    if field.role != "plain":
        members.append(f".role = Role::{field.role}")
    if field.boolean:
        members.append(".boolean = true")
    if not field.positional:
        members.append(".positional = false")
    if counter is not None:
        members.append(f".counted_by = {counter}")
        members.append(f".item_role = Role::{field.item_role}")
        members.append(f".item_index = {place(plan, field.item_role, field.item_index)}")
        members.append(f".item_size = {field.item_size}")
    elif field.item_role != "plain":
        members.append(f".item_role = Role::{field.item_role}")
        if field.item_index:
            members.append(f".item_index = {field.item_index}")
    if field.other:
        members.append(f".other = {field.other}")
    if field.lent:
        members.append(".lent = true")
    return wrapped(", ".join(members), 10)


def typed_case(plan: BindingPlan, one: TypedCase) -> str:
    """One row of a table of typed values; parts with their usual value are left out."""
    members = [f"{one.enumerator}, {literal(one.name)}"]
    if one.field:
        members.append(f"{{{' '.join(_field(plan, one.field).split())}}}")
    else:
        members.append("{}")
    flags = {"by_value": one.by_value, "array": one.array, "written": one.written}
    last = max((at for at, flag in enumerate(flags.values()) if flag), default=-1)
    values = ["true" if flag else "false" for flag in flags.values()]
    if (one.since, one.until) != (OLDEST, NEWEST):
        members += [*values, str(one.size_of), str(one.since), str(one.until)]
    elif one.size_of:
        members += [*values, str(one.size_of)]
    else:
        members += values[: last + 1]
    return wrapped(", ".join(members), 5)


def statuses(plan: BindingPlan) -> str:
    """The codes that mean something to PyGPU itself."""
    meanings = (one for one in CODES if one in plan.codes)
    listed = [f".{meaning} = {plan.codes[meaning]}" for meaning in meanings]
    if plan.successes:
        listed.append(".successes = successes")
    if plan.detail:
        listed += [
            f".detailed = {plan.detail.code}",
            f".detail_module = {literal(plan.detail.module)}",
            f".detail_class = {literal(plan.detail.name)}",
        ]
    if any(one.counts for group in plan.groups.values() for one in group):
        listed.append(".errnos = true")
    return ", ".join(listed)


def release_call(plan: BindingPlan) -> str:
    """How the library reports its release, where it is asked."""
    how = plan.manifest.release
    if how is None:
        return ""
    call = literal(how.call) if how.call else "nullptr"
    members = [call, str(how.major), str(how.minor), str(how.constant_from)]
    last = how.otherwise or how.unnamed
    if how.exports or how.gives != "outputs" or last:
        members.append("exported" if how.exports else "{}")
    if how.gives != "outputs" or last:
        members.append(f"ReleaseCall::Gives::{how.gives}")
    if last:
        members.append(literal(how.otherwise))
    if how.unnamed:
        members.append("true")
    return ", ".join(members)


def driver_call(plan: BindingPlan) -> str:
    """How the driver reports its version, where it can."""
    driver = plan.manifest.driver
    if driver is None or driver.version is None:
        return ""
    return f"{literal(driver.library)}, {literal(driver.version)}"

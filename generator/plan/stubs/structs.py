"""Structs in stubs: a constructor with C's fields as keywords, and an attribute for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from generator.plan.binding import BindingPlan, StructField, StructType
from generator.plan.stubs.annotations import Annotations
from generator.plan.stubs.lines import filled
from generator.plan.stubs.names import class_name, enum_name


@dataclass(frozen=True, slots=True)
class StubStruct:
    """A struct's class: its constructor, and its attributes with their descriptors."""

    name: str
    doc: str
    constructor: str
    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Shape:
    """A field: the descriptor of its attribute, and what the constructor takes."""

    descriptor: str
    taken: str


def structs(plan: BindingPlan, annotations: Annotations) -> Iterator[StubStruct]:
    """The classes of all structs but other APIs'."""
    for one in plan.struct_types:
        if one.home:
            continue
        shapes = {field.name: _shape(plan, annotations, field) for field in _fields(one)}
        placed = {field.name: field.positional for field in one.layouts[-1].fields}
        yield StubStruct(
            name=class_name(one),
            doc=f"{one.kind} {one.tag} of C.",
            constructor=_constructor(shapes, placed),
            fields=tuple((name, shape.descriptor) for name, shape in shapes.items()),
        )


def field_taken(plan: BindingPlan, annotations: Annotations, field: StructField) -> str:
    """What a field takes."""
    return _shape(plan, annotations, field).taken


def _fields(struct: StructType) -> list[StructField]:
    """The newest form of each field: the newest layout's in C's order, then removed fields."""
    found: dict[str, StructField] = {}
    for layout in reversed(struct.layouts):
        for field in layout.fields:
            found.setdefault(field.name, field)
    return list(found.values())


def _constructor(shapes: dict[str, _Shape], placed: dict[str, bool]) -> str:
    """The newest layout's fields: by position where C's order is plain, the others by name."""
    first = [f"{name}: {shapes[name].taken} = ..." for name in placed if placed[name]]
    rest = [f"{name}: {shapes[name].taken} = ..." for name in placed if not placed[name]]
    parts = ["cls", *first, *(["*", *rest] if rest else [])]
    line = f"    def __new__({', '.join(parts)}) -> Self: ..."
    if len(line) <= 100:
        return line
    body = [f"    {one}" for one in filled(parts, 96)]
    return "\n".join(["    def __new__(", *body, "    ) -> Self: ..."])


def _shape(plan: BindingPlan, annotations: Annotations, field: StructField) -> _Shape:
    if field.role == "bytes":
        return _Shape("_BytesField", "_Bytes")
    if field.role == "text":
        return _Shape("_TextField", "str | _Bytes")
    got, taken, descriptor = _item(plan, annotations, field)
    if field.count:
        return _Shape(f"_ArrayField[{got}, {taken}]", f"_Items[{taken}]")
    if field.counted_by:
        got, settable = _element(plan, annotations, field)
        taken = "_Memory" if field.lent else f"_Memory | _Items[{settable}]"
        return _Shape(f"_Field[_CountedArray[{got}, {settable}], {taken}]", taken)
    if field.item_role == "arguments":
        return _Shape("_ArgumentsField", "_Memory | _Items[Any]")
    return _Shape(descriptor, taken)


def _element(plan: BindingPlan, annotations: Annotations, field: StructField) -> tuple[str, str]:
    """What an item is read as, and what it takes, for an array that a pointer leads to."""
    item = replace(
        field, role=field.item_role, index=field.item_index, counted_by=None, item_role="plain"
    )
    return _item(plan, annotations, item)[:2]


def _item(plan: BindingPlan, annotations: Annotations, field: StructField) -> tuple[str, str, str]:
    """What one value is read as, what it takes, and the descriptor of a field with one value."""
    match field.role:
        case "enumeration":
            name = enum_name(plan, field.index)
            return name, f"{name} | _Int", f"_EnumField[{name}]"
        case "handle":
            name = plan.handles[field.index].name
            return name, annotations.handle(name), f"_HandleField[{name}]"
        case "pointer" if field.item_role == "code":
            taken = annotations.code()
            return "int", taken, f"_Field[int, {taken}]"
        case "pointer":
            return "int", "_Memory", "_PointerField"
        case "callable":
            return "Any", "Callable[[Any], object] | _Memory", "_CallableField"
        case "user_data":
            return "Any", "object", "_ObjectField"
        case "nested":
            name = class_name(plan.struct_types[field.index])
            return name, f"{name} | _Fields", f"_StructField[{name}]"
    if field.scalar in ("f32", "f64"):
        return "float", "_Real", "_RealField"
    if field.scalar == "boolean":
        return "bool", "_Int", "_BoolField"
    return "int", "_Int", "_IntField"

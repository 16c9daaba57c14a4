"""Structs in stubs: a constructor with C's fields as keywords, and an attribute for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from generator.plan.binding import BindingPlan, StructField, StructType
from generator.plan.spelling import public_name
from generator.plan.stubs.annotations import Annotations
from generator.plan.stubs.definition import Form, Parameter, filled
from generator.plan.stubs.names import class_name, enum_name
from generator.plan.stubs.types import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    MEMORY,
    NONE,
    NUMBER,
    OBJECT,
    REAL,
    STR,
    Annotation,
    Spelling,
    Type,
    function,
    shared,
)


@dataclass(frozen=True, slots=True)
class StubStruct:
    """A struct's class: its constructor, and its attributes with their descriptors."""

    name: str
    doc: str
    new: Form
    fields: tuple[tuple[str, Annotation], ...]

    def types(self) -> Iterator[Type]:
        """All types that it names."""
        yield from self.new.types()
        for _, descriptor in self.fields:
            yield from descriptor.types()

    def constructor(self, spelling: Spelling) -> str:
        """`__new__` in Python."""
        parameters = self.new.parts(spelling)
        named = any(one.startswith("cls:") for one in parameters)
        parts = ["_cls" if named else "cls", *parameters]
        result = spelling("Self", "typing_extensions")
        line = f"    def __new__({', '.join(parts)}) -> {result}: ..."
        if len(line) <= 100:
            return line
        body = [f"    {one}" for one in filled(parts, 96)]
        return "\n".join(["    def __new__(", *body, f"    ) -> {result}: ..."])


@dataclass(frozen=True, slots=True)
class _Shape:
    """A field: the descriptor of its attribute, and what the constructor takes."""

    descriptor: Annotation
    taken: Annotation


def structs(plan: BindingPlan, annotations: Annotations) -> Iterator[StubStruct]:
    """The classes of all structs but other APIs'."""
    for one in plan.struct_types:
        if one.home:
            continue
        shapes = {field.name: _attribute(plan, annotations, field) for field in _fields(one)}
        yield StubStruct(
            name=class_name(one),
            doc=f"{one.kind} {one.tag} of C.",
            new=_constructor(one, shapes),
            fields=tuple((name, shape.descriptor) for name, shape in shapes.items()),
        )


def field_taken(plan: BindingPlan, annotations: Annotations, field: StructField) -> Annotation:
    """What a field takes."""
    return _shape(plan, annotations, field).taken


def _fields(struct: StructType) -> list[StructField]:
    """The newest form of each field: the newest layout's in C's order, then removed fields."""
    result: dict[str, StructField] = {}
    for layout in reversed(struct.layouts):
        for field in layout.fields:
            result.setdefault(field.name, field)
    return list(result.values())


def _constructor(struct: StructType, shapes: dict[str, _Shape]) -> Form:
    """The newest layout's fields: by position where C's order is plain, the others by name."""
    placed = sorted(struct.layouts[-1].fields, key=lambda one: not one.positional)
    return Form(
        tuple(
            Parameter(one.name, shapes[one.name].taken, "...", keyword_only=not one.positional)
            for one in placed
        )
    )


def _attribute(plan: BindingPlan, annotations: Annotations, field: StructField) -> _Shape:
    """A field's shape. What hides the struct's own `address`, an int, is read as Any."""
    shape = _shape(plan, annotations, field)
    if field.name != "address" or shape.descriptor in (shared("IntField"), shared("PointerField")):
        return shape
    return _Shape(shared("Field", ANY, shape.taken), shape.taken)


def _shape(plan: BindingPlan, annotations: Annotations, field: StructField) -> _Shape:
    if field.role == "bytes":
        return _Shape(shared("BytesField"), shared("Bytes"))
    if field.role == "text":
        return _Shape(shared("TextField"), STR | shared("Bytes"))
    got, taken, descriptor = _item(plan, annotations, field)
    if field.count:
        return _Shape(shared("ArrayField", got, taken), shared("Items", taken))
    if field.counted_by:
        got, settable = _element(plan, annotations, field)
        taken = MEMORY if field.lent else MEMORY | shared("Items", settable)
        return _Shape(shared("Field", shared("CountedArray", got, settable), taken), taken)
    if field.item_role == "text":
        taken = STR | shared("Bytes") | MEMORY
        return _Shape(shared("Field", STR | NONE, taken), taken)
    if field.item_role == "arguments":
        return _Shape(shared("ArgumentsField"), MEMORY | shared("Items", ANY))
    return _Shape(descriptor, taken)


def _element(
    plan: BindingPlan, annotations: Annotations, field: StructField
) -> tuple[Annotation, Annotation]:
    """What an item is read as, and what it takes, for an array that a pointer leads to."""
    item = replace(
        field, role=field.item_role, index=field.item_index, counted_by=None, item_role="plain"
    )
    return _item(plan, annotations, item)[:2]


def _item(
    plan: BindingPlan, annotations: Annotations, field: StructField
) -> tuple[Annotation, Annotation, Annotation]:
    """What one value is read as, what it takes, and the descriptor of a field with one value."""
    match field.role:
        case "enumeration":
            enum = annotations.of_class(enum_name(plan, field.index))
            return enum, enum | NUMBER, shared("EnumField", enum)
        case "handle":
            name = public_name(plan.handles[field.index].name)
            handle = annotations.of_class(name)
            return handle, annotations.handle(name), shared("HandleField", handle)
        case "pointer" if field.item_role == "code":
            return INT, annotations.code, shared("Field", INT, annotations.code)
        case "pointer":
            return INT, MEMORY, shared("PointerField")
        case "callable":
            return ANY, function((ANY,), OBJECT) | MEMORY, shared("CallableField")
        case "user_data":
            return ANY, OBJECT, shared("ObjectField")
        case "nested":
            struct = annotations.of_class(class_name(plan.struct_types[field.index]))
            return struct, struct | shared("Fields"), shared("StructField", struct)
    if field.scalar in ("f32", "f64"):
        return FLOAT, REAL, shared("RealField")
    if field.scalar == "boolean":
        return BOOL, NUMBER, shared("BoolField")
    return INT, NUMBER, shared("IntField")

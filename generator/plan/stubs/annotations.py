"""Annotations for what the generated wrappers take and give."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from generator.errors import GeneratorError
from generator.model import CType
from generator.plan.shapes import Result, Shape, ShapeKind
from generator.plan.stubs.names import Names, class_name
from generator.plan.stubs.types import (
    ADDRESS,
    ANY,
    BOOL,
    BYTES,
    COMPLEX_NUMBER,
    FLOAT,
    INT,
    MEMORY,
    NONE,
    NUMBER,
    OBJECT,
    REAL,
    STR,
    Annotation,
    function,
    listed,
    named,
    several,
    shared,
    union,
)
from generator.scalars import COMPLEX, SCALARS
from generator.scalars import REAL as REALS

USER_DATA = CType("void", pointers=(False,))


class Annotations:
    """Python's types for the C++ types of an API's wrappers."""

    def __init__(self, names: Names) -> None:
        self._names = names
        handles = set(names.handles.values())
        kernels = sorted(one for one in handles if names.known.role(one) == "kernel")
        self.code = union(MEMORY, *map(self.of_class, kernels), shared("Kernel"))
        """A kernel, a function or a symbol."""

    def of_class(self, name: str) -> Annotation:
        """A class of this API, or of the API whose headers declare the type."""
        return named(name, home=self._names.homes.get(name, ""))

    def taken(self, shape: Shape) -> Annotation:
        """What a parameter takes."""
        if plain := _TAKEN.get(shape.kind):
            return plain
        if annotate := _TAKEN_SHAPES.get(shape.kind):
            return annotate(self, shape)
        raise GeneratorError(
            f"stubs: parameters that are {shape.kind!r} have no annotation;"
            " generator/plan/stubs/annotations.py lists them"
        )

    def returned(self, result: Result) -> Annotation:
        """What a result is after a success."""
        shape = result.shape
        match shape.kind:
            case "value" | "received":
                return self.value(shape.value)
            case "optional":
                return self.value(shape.value) | NONE
            case "list":
                return listed(self.value(shape.value))
            case "text buffer":
                return STR
            case "lent text":
                return STR | NONE
            case "byte buffer" | "code text":
                return BYTES
            case "typed out":
                return self.typed_out(str(shape.table))
            case "record":
                return self.record(shape)
            case "typed outs":
                return listed(self.typed_out(str(shape.table)))
        raise GeneratorError(
            f"stubs: results that are {shape.kind!r} have no annotation;"
            " generator/plan/stubs/annotations.py lists them"
        )

    def typed_forms(self, table: str) -> Mapping[Annotation, tuple[str, ...]]:
        """The annotations of results that a table decides, each with its enumerators."""
        forms: dict[Annotation, tuple[str, ...]] = {}
        for one in self._names.typed[table].cases:
            if one.type:
                annotation = self.value(one.type)
                annotation = listed(annotation) if one.array else annotation
                forms[annotation] = (*forms.get(annotation, ()), one.name)
        return forms

    def typed_out(self, table: str) -> Annotation:
        """A value of any type in the table, or bytes for an unknown enumerator."""
        return union(*self.typed_forms(table), BYTES)

    def record(self, shape: Shape) -> Annotation:
        """A struct of any type in the table, or the one that C declares."""
        return union(*self.typed_forms(str(shape.table)), self.value(shape.value))

    def enum(self, type: CType) -> str | None:
        """The class of an enum, None for other types."""
        return self._names.enums.get(self._names.resolve(type).base)

    def typed_in(self, shape: Shape) -> Annotation:
        """A value whose type an enumerator decides."""
        known = self._names.typed[str(shape.table)]
        taken = [self.taken_value(one.type) for one in known.cases if one.type]
        if known.union:
            taken.append(self.of_class(class_name(self._names.structs[known.union])))
        return union(*taken, MEMORY)

    def taken_value(self, type: CType) -> Annotation:
        """What a value of a C type takes."""
        resolved = self._names.resolve(type)
        if handle := self._names.handles.get(type.base, self._names.handles.get(resolved.base)):
            return self.handle(handle)
        if type.base == self._names.status:
            return named(self._names.error_class) | NUMBER
        if resolved.is_pointer:
            return MEMORY
        if enum := self._names.enums.get(resolved.base):
            return self.of_class(enum) | NUMBER
        if struct := self._names.structs.get(resolved.base):
            taken = self.of_class(class_name(struct)) | shared("Fields")
            return (
                taken | NUMBER if all(one.default for one in struct.layouts[-1].fields) else taken
            )
        if resolved.base in SCALARS:
            if resolved.base in COMPLEX:
                return COMPLEX_NUMBER
            return REAL if resolved.base in REALS else NUMBER
        raise GeneratorError(f"stubs: no annotation for a parameter of type {type}")

    def handle(self, name: str) -> Annotation:
        """What stands for a handle."""
        role = self._names.known.role(name)
        other = {"stream": shared("Stream"), "kernel": ADDRESS | shared("Kernel")}
        return self.of_class(name) | other.get(role or "", ADDRESS)

    def value(self, type: CType) -> Annotation:
        """What a value of a C type is in Python."""
        resolved = self._names.resolve(type)
        if handle := self._names.handles.get(type.base, self._names.handles.get(resolved.base)):
            return INT if resolved.is_pointer else self.of_class(handle)
        if type.base == self._names.status:
            return named(self._names.error_class)
        if resolved.base == "char" and resolved.is_pointer:
            return STR | NONE
        struct = self._names.structs.get(resolved.base)
        if resolved.is_pointer:
            return self.of_class(class_name(struct)) | NONE if struct else INT
        if struct:
            return self.of_class(class_name(struct))
        if enum := self._names.enums.get(resolved.base):
            return self.of_class(enum)
        if resolved.base in self._names.callbacks:
            return INT
        if resolved.base in COMPLEX:
            return COMPLEX_NUMBER
        if resolved.base in SCALARS:
            return BOOL if resolved.base == "bool" else FLOAT if resolved.base in REALS else INT
        raise GeneratorError(f"stubs: no annotation for a result of type {type}")

    def array(self, shape: Shape) -> Annotation:
        """A sequence of values; for structs, a single one is taken, too."""
        items = shared("Array", self.taken(shape.inner))
        struct = self._names.structs.get(shape.value.base)
        return self.of_class(class_name(struct)) | items if struct else items

    def itself(self, shape: Shape) -> Annotation:
        """A struct that C knows by its address."""
        return self.of_class(class_name(self._names.structs[shape.value.base])) | MEMORY

    def scalar(self, shape: Shape) -> Annotation:
        """A number, or memory that holds one."""
        complex = self._names.resolve(shape.value).base in self._names.structs
        return (COMPLEX_NUMBER if complex else self.taken_value(shape.value)) | MEMORY

    def callback(self, shape: Shape) -> Annotation:
        """A callable with the arguments that C passes, or a C function."""
        callback = self._names.callbacks[shape.value.base]
        parameters = tuple(
            ANY if one.type == USER_DATA else self.value(one.type) for one in callback.parameters
        )
        result = OBJECT if callback.result.is_void else INT | NONE
        kept = shape.kept
        if kept and kept.lent:
            at = kept.lent[0]
            lent = union(*self.typed_forms(str(shape.table)), INT, NONE)
            parameters = (*parameters[:at], lent, *parameters[at + 1 :])
        if kept and kept.memory == "asked":
            numbers = several(*(INT for _ in callback.parameters[1:]))
            parameters, result = (), INT | numbers | NONE
        if kept and kept.memory == "given":
            parameters = tuple(
                BYTES if self._names.resolve(one.type) in BUFFERS else known
                for one, known in zip(callback.parameters, parameters, strict=True)
            )
        return function(parameters, result) | MEMORY


# The memory that C gives back to a callback.
BUFFERS = tuple(CType(one, pointers=(False,)) for one in ("uint8_t", "unsigned char"))

_TAKEN: Mapping[ShapeKind, Annotation] = {
    **dict.fromkeys(("readable", "writable", "address", "freed", "image", "packed"), MEMORY),
    "text": shared("Text"),
    "text item": shared("TextItem"),
    "arguments": shared("Arguments"),
    "user data": OBJECT,
    "count": NUMBER | NONE,
}
_TAKEN_SHAPES: Mapping[ShapeKind, Callable[[Annotations, Shape], Annotation]] = {
    "value": lambda self, shape: self.taken_value(shape.value),
    **dict.fromkeys(
        ("boolean", "destroyed", "ended", "unregistered"),
        lambda self, shape: self.taken(shape.inner),
    ),
    "function": lambda self, shape: self.code,
    "array": Annotations.array,
    "items": lambda self, shape: shared("Items", self.taken(shape.inner)) | NONE,
    "changed array": lambda self, shape: shared("Array", self.taken(shape.inner)) | NONE,
    "struct": lambda self, shape: self.taken_value(shape.value) | MEMORY,
    "scalar": Annotations.scalar,
    "itself": Annotations.itself,
    "received": lambda self, shape: self.taken_value(shape.value) | NONE,
    "optional": lambda self, shape: self.taken_value(shape.value) | NONE,
    "callback": Annotations.callback,
    "record": lambda self, shape: self.record(shape) | INT | NONE,
    "typed in": Annotations.typed_in,
    "typed ins": lambda self, shape: shared("Array", self.typed_in(shape)) | MEMORY,
}

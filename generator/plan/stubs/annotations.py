"""Annotations for what the generated wrappers take and give.

The names that begin with an underscore are those of templates/stubs/_core.pyi.j2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from generator.errors import GeneratorError
from generator.model import CType
from generator.plan.binding import TypedCase
from generator.plan.structs import SCALARS
from generator.plan.stubs.names import Names, class_name
from generator.plan.wrapped import split

REAL = ("float", "double")
USER_DATA = CType("void", pointers=(False,))


def union(parts: Iterable[str]) -> str:
    """`A | B` without repetitions, None last."""
    found = dict.fromkeys(part for text in parts for part in _members(text))
    last = ["None"] if found.pop("None", 0) != 0 or "None" in found else []
    return " | ".join([*found, *last])


def _members(text: str) -> list[str]:
    """The members of a union; those inside of brackets stay together."""
    members, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "[(") - (char in "])")
        if not depth and text.startswith(" | ", at):
            members.append(text[start:at])
            start = at + 3
    return [*members, text[start:]]


class Annotations:
    """Python's types for the C++ types of an API's wrappers."""

    def __init__(self, names: Names) -> None:
        self._names = names
        handles = set(names.handles.values())
        self._code = sorted(one for one in handles if names.known.role(one) == "kernel")

    def taken(self, type: str) -> str:
        """What a parameter takes."""
        template, inner = split(type)
        if plain := _TAKEN.get(type):
            return plain
        if shape := _TAKEN_SHAPES.get(template):
            return shape(self, inner)
        if type == "Code":
            return self.code()
        if template:
            raise GeneratorError(
                f"stubs: parameters of type {type} have no annotation;"
                " generator/plan/stubs/annotations.py lists them"
            )
        return self._taken_value(type)

    def code(self) -> str:
        """A kernel, a function or a symbol."""
        return union(["_Memory", *self._code])

    def given(self, type: str) -> str:
        """What a result is after a success."""
        template, inner = split(type)
        match template or type:
            case "ValidOnError" | "Received":
                return self.given(inner)
            case "optional":
                return union([self.given(inner), "None"])
            case "vector":
                return f"list[{self.given(inner)}]"
            case "TextBuffer":
                return "str"
            case "LentText":
                return "str | None"
            case "ByteBuffer" | "CodeText":
                return "bytes"
        if template:
            raise GeneratorError(
                f"stubs: results of type {type} have no annotation;"
                " generator/plan/stubs/annotations.py lists them"
            )
        return self._given_value(CType.parse(type))

    def typed_forms(self, table: str) -> Mapping[str, tuple[str, ...]]:
        """What the enumerators of a table decide, given: annotations with their enumerators."""
        forms: dict[str, tuple[str, ...]] = {}
        for one in self._names.typed[table].cases:
            if one.type:
                given = self._given_value(self._typed(one))
                given = f"list[{given}]" if one.array else given
                forms[given] = (*forms.get(given, ()), one.name)
        return forms

    def typed_out(self, table: str) -> str:
        """A value of any of them, or of an enumerator that nothing is known of."""
        return union([*self.typed_forms(table), "bytes"])

    def enum(self, type: str) -> str | None:
        """The class of an enum, None for other types."""
        return self._names.enums.get(self._names.resolve(CType.parse(type)).base)

    def _typed(self, case: TypedCase) -> CType:
        return CType.parse(str(case.type))

    def _typed_in(self, table: str) -> str:
        known = self._names.typed[table.removeprefix("typed_")]
        taken = [self._taken_value(str(self._typed(one))) for one in known.cases if one.type]
        whole = [class_name(self._names.structs[known.union])] if known.union else []
        return union([*taken, *whole, "_Memory"])

    def _taken_value(self, type: str) -> str:
        parsed = CType.parse(type)
        base = parsed.base
        if handle := self._names.handles.get(base):
            return self.handle(handle)
        if base == self._names.status:
            return f"{self._names.error_class} | _Int"
        resolved = self._names.resolve(parsed)
        if resolved.is_pointer:
            return "_Memory"
        if enum := self._names.enums.get(resolved.base):
            return f"{enum} | _Int"
        if struct := self._names.structs.get(resolved.base):
            short = " | _Int" if all(one.default for one in struct.layouts[-1].fields) else ""
            return f"{class_name(struct)} | _Fields{short}"
        if resolved.base in SCALARS:
            return "_Real" if resolved.base in REAL else "_Int"
        raise GeneratorError(f"stubs: no annotation for a parameter of type {type}")

    def handle(self, name: str) -> str:
        """What stands for a handle."""
        return (
            f"{name} | _Stream"
            if self._names.known.role(name) == "stream"
            else f"{name} | _Address"
        )

    def _given_value(self, type: CType) -> str:
        if handle := self._names.handles.get(type.base):
            return handle if not type.is_pointer else "int"
        if type.base == self._names.status:
            return self._names.error_class
        resolved = self._names.resolve(type)
        if resolved.base == "char" and resolved.is_pointer:
            return "str | None"
        struct = self._names.structs.get(resolved.base)
        if resolved.is_pointer:
            return f"{class_name(struct)} | None" if struct else "int"
        if struct:
            return class_name(struct)
        if enum := self._names.enums.get(resolved.base):
            return enum
        if resolved.base in SCALARS:
            return (
                "bool" if resolved.base == "bool" else ("float" if resolved.base in REAL else "int")
            )
        raise GeneratorError(f"stubs: no annotation for a result of type {type}")

    def array(self, inner: str) -> str:
        """A sequence of values; of structs also one alone."""
        element = self.taken(inner)
        struct = self._names.structs.get(CType.parse(inner).base)
        alone = f"{class_name(struct)} | " if struct and inner not in _TAKEN else ""
        return f"{alone}_Array[{element}]"

    def by_pointer(self, inner: str) -> str:
        """A struct that C reads through a pointer."""
        return union([self._taken_value(inner), "_Memory"])

    def itself(self, inner: str) -> str:
        """A struct that C knows by its address."""
        return f"{class_name(self._names.structs[inner])} | _Memory"

    def changed(self, inner: str) -> str:
        """A value that C reads and replaces."""
        return union([self._taken_value(inner), "None"])

    def callback(self, inner: str) -> str:
        """A callable with the arguments that C passes, or a C function."""
        callback = self._names.callbacks[inner]
        given = ", ".join(
            "Any" if one.type == USER_DATA else self._given_value(one.type)
            for one in callback.parameters
        )
        result = "object" if callback.result == CType("void") else "int | None"
        return f"Callable[[{given}], {result}] | _Memory"

    def typed_in(self, inner: str) -> str:
        """A value whose type an enumerator decides."""
        return self._typed_in(inner)

    def typed_ins(self, inner: str) -> str:
        """Such values, one for each enumerator."""
        return f"_Array[{self._typed_in(inner)}] | _Memory"


_TAKEN: Mapping[str, str] = {
    "Readable": "_Memory",
    "Writable": "_Memory",
    "Address": "_Memory",
    "Freed": "_Memory",
    "Image": "_Memory",
    "Text": "_Text",
    "TextItem": "_TextItem",
    "Arguments": "_Arguments",
    "UserData": "object",
}
_TAKEN_SHAPES: Mapping[str, Callable[[Annotations, str], str]] = {
    "Array": Annotations.array,
    "Boolean": Annotations.taken,
    "Items": lambda self, inner: f"_Items[{self.taken(inner)}] | None",
    "Changed": lambda self, inner: f"_Array[{self.taken(inner)}] | None",
    "In": Annotations.by_pointer,
    "Itself": Annotations.itself,
    "Packed": lambda self, inner: "_Memory",
    "Received": Annotations.changed,
    "optional": Annotations.changed,
    "Count": lambda self, inner: "_Int | None",
    "Destroyed": Annotations.taken,
    "Ended": Annotations.taken,
    "Unregistered": Annotations.taken,
    "Callback": Annotations.callback,
    "TypedIn": Annotations.typed_in,
    "TypedIns": Annotations.typed_ins,
}

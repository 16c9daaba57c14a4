"""Annotations for what the generated wrappers take and give.

Names with an underscore at the begin come from python/PyGPU/_core.pyi.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from generator.errors import GeneratorError
from generator.model import CType
from generator.plan.shapes import Kind, Result, Shape
from generator.plan.stubs.names import Names, class_name
from generator.scalars import REAL, SCALARS

USER_DATA = CType("void", pointers=(False,))


def union(parts: Iterable[str]) -> str:
    """`A | B` without repetitions, None last."""
    found = dict.fromkeys(part for text in parts for part in _members(text))
    last = ["None"] if "None" in found else []
    found.pop("None", None)
    return " | ".join([*found, *last])


def _members(text: str) -> list[str]:
    """The members of a union; a part in brackets stays whole."""
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

    def taken(self, shape: Shape) -> str:
        """What a parameter takes."""
        if plain := _TAKEN.get(shape.kind):
            return plain
        if made := _TAKEN_SHAPES.get(shape.kind):
            return made(self, shape)
        raise GeneratorError(
            f"stubs: parameters that are {shape.kind!r} have no annotation;"
            " generator/plan/stubs/annotations.py lists them"
        )

    def code(self) -> str:
        """A kernel, a function or a symbol."""
        return union(["_Memory", *self._code, "_Kernel"])

    def given(self, result: Result) -> str:
        """What a result is after a success."""
        shape = result.shape
        match shape.kind:
            case "value" | "received":
                return self.value(shape.value)
            case "optional":
                return union([self.value(shape.value), "None"])
            case "list":
                return f"list[{self.value(shape.value)}]"
            case "text buffer":
                return "str"
            case "lent text":
                return "str | None"
            case "byte buffer" | "code text":
                return "bytes"
            case "typed out":
                return self.typed_out(str(shape.table))
            case "typed outs":
                return f"list[{self.typed_out(str(shape.table))}]"
        raise GeneratorError(
            f"stubs: results that are {shape.kind!r} have no annotation;"
            " generator/plan/stubs/annotations.py lists them"
        )

    def typed_forms(self, table: str) -> Mapping[str, tuple[str, ...]]:
        """The annotations of results that a table decides, each with its enumerators."""
        forms: dict[str, tuple[str, ...]] = {}
        for one in self._names.typed[table].cases:
            if one.type:
                given = self.value(one.type)
                given = f"list[{given}]" if one.array else given
                forms[given] = (*forms.get(given, ()), one.name)
        return forms

    def typed_out(self, table: str) -> str:
        """A value of any type in the table, or bytes for an unknown enumerator."""
        return union([*self.typed_forms(table), "bytes"])

    def enum(self, type: CType) -> str | None:
        """The class of an enum, None for other types."""
        return self._names.enums.get(self._names.resolve(type).base)

    def typed_in(self, shape: Shape) -> str:
        """A value whose type an enumerator decides."""
        known = self._names.typed[str(shape.table)]
        taken = [self.taken_value(one.type) for one in known.cases if one.type]
        whole = [class_name(self._names.structs[known.union])] if known.union else []
        return union([*taken, *whole, "_Memory"])

    def taken_value(self, type: CType) -> str:
        """What a value of a C type takes."""
        if handle := self._names.handles.get(type.base):
            return self.handle(handle)
        if type.base == self._names.status:
            return f"{self._names.error_class} | _Int"
        resolved = self._names.resolve(type)
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
        others = {"stream": "_Stream", "kernel": "_Address | _Kernel"}
        return f"{name} | {others.get(self._names.known.role(name) or '', '_Address')}"

    def value(self, type: CType) -> str:
        """What a value of a C type is in Python."""
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

    def array(self, shape: Shape) -> str:
        """A sequence of values; for structs, a single one is taken, too."""
        struct = self._names.structs.get(shape.value.base)
        alone = f"{class_name(struct)} | " if struct else ""
        return f"{alone}_Array[{self.taken(shape.inner)}]"

    def by_pointer(self, shape: Shape) -> str:
        """A struct that C reads through a pointer."""
        return union([self.taken_value(shape.value), "_Memory"])

    def itself(self, shape: Shape) -> str:
        """A struct that C knows by its address."""
        return f"{class_name(self._names.structs[shape.value.base])} | _Memory"

    def changed(self, shape: Shape) -> str:
        """A value that C reads and replaces."""
        return union([self.taken_value(shape.value), "None"])

    def callback(self, shape: Shape) -> str:
        """A callable with the arguments that C passes, or a C function."""
        callback = self._names.callbacks[shape.value.base]
        given = ", ".join(
            "Any" if one.type == USER_DATA else self.value(one.type) for one in callback.parameters
        )
        result = "object" if callback.result == CType("void") else "int | None"
        return f"Callable[[{given}], {result}] | _Memory"

    def typed_ins(self, shape: Shape) -> str:
        """Values whose types enumerators decide, one for each enumerator."""
        return f"_Array[{self.typed_in(shape)}] | _Memory"


_TAKEN: Mapping[Kind, str] = {
    **dict.fromkeys(("readable", "writable", "address", "freed", "image", "packed"), "_Memory"),
    "text": "_Text",
    "text item": "_TextItem",
    "arguments": "_Arguments",
    "user data": "object",
    "count": "_Int | None",
}
_TAKEN_SHAPES: Mapping[Kind, Callable[[Annotations, Shape], str]] = {
    "value": lambda self, shape: self.taken_value(shape.value),
    **dict.fromkeys(
        ("boolean", "destroyed", "ended", "unregistered"),
        lambda self, shape: self.taken(shape.inner),
    ),
    "function": lambda self, shape: self.code(),
    "array": Annotations.array,
    "items": lambda self, shape: f"_Items[{self.taken(shape.inner)}] | None",
    "changed array": lambda self, shape: f"_Array[{self.taken(shape.inner)}] | None",
    "struct": Annotations.by_pointer,
    "itself": Annotations.itself,
    "received": Annotations.changed,
    "optional": Annotations.changed,
    "callback": Annotations.callback,
    "typed in": Annotations.typed_in,
    "typed ins": Annotations.typed_ins,
}

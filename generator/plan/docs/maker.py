"""What the docstring of an inline function says that makes a struct."""

from __future__ import annotations

from collections.abc import Sequence

from generator.plan.binding import StructType
from generator.plan.doc import Doc, Value
from generator.plan.phrases import phrase


def maker(struct: StructType, arguments: str, prototype: str, parameters: Sequence[str]) -> Doc:
    """What the docstring says. `arguments` are the struct's fields with their values."""
    fields = [one for one in struct.bound.fields if one.positional]
    taken = zip(parameters, fields, strict=False)
    return Doc(
        tuple(Value(name, phrase("field", f"{struct.name}.{field.name}")) for name, field in taken),
        (),
        (),
        "",
        f"{struct.name}({arguments})",
        f"{prototype}; inline in the header: no library is called.",
        f"those of {struct.name}.",
        "",
        ("overflow_error",) if parameters else (),
    )

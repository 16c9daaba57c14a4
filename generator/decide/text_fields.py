"""Proposes rules for fields of structs that are texts in C and bytes in Python."""

from __future__ import annotations

from collections.abc import Iterator

from generator.model import Api
from generator.rules import Rules


def tables(api: Api, rules: Rules) -> Iterator[str]:
    """Rules for structs' char arrays, which are bytes in Python until a rule says that it is text.

    What C calls bytes has another type as a rule: `unsigned char` or `uint8_t`.
    """
    for name, variants in api.structs.items():
        fields = [
            one.name
            for one in variants[0].node.fields
            if one.name and (one.type.base, len(one.type.extents)) == ("char", 1)
            if not one.type.pointers and one.type.extents[0] > 1
        ]
        if (
            fields
            and "." not in name
            and not any(one in rules.of_struct(name, name) for one in fields)
        ):
            why = "without a rule it is bytes of the whole array"
            lines = [f'# {one}: {why}\nfield.{one} = {{ kind = "text" }}' for one in fields]
            yield "\n".join([f"[struct.{name}]", *lines])

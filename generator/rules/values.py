"""The values that a rule's key may have; messages and docs/rules.md call them by the same words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import MISSING, field
from math import isfinite
from typing import Annotated, Any

from generator import formula
from generator.errors import GeneratorError
from generator.model import CType
from generator.schema import Check, Name, Release, SchemaError, matching, one_of

_C_TYPE = re.compile(r"(const )?[A-Za-z_][\w ]*(?<! )( ?\*( ?const)?)*", re.ASCII)
_C_TEXT = re.compile(r"char\[[1-9]\d{0,5}\]", re.ASCII)
_NAME = r"[A-Za-z_]\w*"


class RulesError(GeneratorError):
    """A wrong rule. The text starts with the file and the TOML key."""


def key(means: str, default: Any = MISSING) -> Any:
    """A field that is a key of a table; `means` stands in docs/rules.md."""
    return field(default=default, metadata={"means": means})


def choice(*choices: str) -> Any:
    """One of some words."""
    return Annotated[str, one_of(*choices)]


def _fits(value: float) -> bool:
    if not -(2**63) <= value < 2**64:
        raise SchemaError(f"{value} doesn't fit into 64 bits")
    return True


def _is_default(value: object) -> bool:
    if isinstance(value, str):
        return bool(re.fullmatch(_NAME, value, re.ASCII))
    return isfinite(value) if isinstance(value, float) else _fits(int(str(value)))


def _is_length(value: object) -> bool:
    if isinstance(value, int):
        return 0 < value < 2**63
    return _is_formula(formula.parameters)(str(value))


def _is_formula(names: Callable[[str], object]) -> Callable[[str], bool]:
    def is_formula(text: str) -> bool:
        try:
            names(text)
        except formula.FormulaError as error:
            raise SchemaError(str(error)) from None
        return True

    return is_formula


def _names_errors(value: object) -> bool:
    return value == "any" or (isinstance(value, list) and value != [])


def _spelled(text: str) -> str:
    """A C type, as the model spells it."""
    return text if _C_TEXT.fullmatch(text) else str(CType.parse(text))


Text = Annotated[
    str, Check("a text on one line", lambda text: bool(text.strip()) and text.isprintable())
]
Number = Annotated[int, Check("a number", _fits)]
Default = Annotated[
    int | float | str,
    Check("a number, or the name of an enumerator or a macro", _is_default),
]
Parameter = Annotated[str, matching(_NAME, "a parameter's name")]
FieldName = Annotated[str, matching(_NAME, "a field's name")]
FunctionName = Annotated[str, matching(_NAME, "a C function's name")]
CName = Annotated[str, matching(_NAME, "a C name")]
CTypeName = Annotated[str, Check("a C type", _C_TYPE.fullmatch, _spelled)]
# An array of char, too, which is a text.
TypedCType = Annotated[
    str,
    Check("a C type", lambda text: _C_TEXT.fullmatch(text) or _C_TYPE.fullmatch(text), _spelled),
]
Length = Annotated[int | str, Check("a number, or a formula over parameters", _is_length)]
OfFields = Annotated[str, Check("a formula over fields", _is_formula(formula.fields))]
Codes = Annotated[str | tuple[str, ...], Check("a list of error names, or 'any'", _names_errors)]
Releases = Annotated[tuple[Release, ...], Check("a list of releases")]
Names = Annotated[tuple[Name, ...], Check("a list of names")]
Numbers = Annotated[tuple[int | str, ...], Check("a list of numbers and enumerators")]
NAMING = (Parameter, Length)  # what names other parameters of the function

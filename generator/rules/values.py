"""The values that a rule's key may have: their checks, and their names in docs/rules.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite

from generator import formula
from generator.errors import GeneratorError
from generator.model import CType

_RELEASE = re.compile(r"\d+\.\d+")
_C_TYPE = re.compile(r"(const )?[A-Za-z_][\w ]*(?<! )( ?\*( ?const)?)*")
_C_TEXT = re.compile(r"char\[[1-9]\d{0,5}\]")


class RulesError(GeneratorError):
    """A wrong rule. The text starts with the file and the TOML key."""


@dataclass(frozen=True, slots=True)
class Value:
    """A type of values. `read` takes the value and its TOML key, and may raise RulesError.

    `names_parameter`: the text names other parameters of the function.
    """

    told: str
    read: Callable[[object, str], object]
    names_parameter: bool = False


def table(value: object, where: str) -> Mapping[str, object]:
    """A TOML table."""
    if not isinstance(value, Mapping):
        raise RulesError(f"{where}: a table is needed, not {value!r}")
    return value


def text(value: object, where: str) -> str:
    """A text on one line that isn't blank."""
    if not isinstance(value, str) or not value.strip():
        raise RulesError(f"{where}: a text is needed, not {value!r}")
    if not value.isprintable():
        raise RulesError(f"{where}: a text on one line is needed, not {value!r}")
    return value


def texts(value: object, where: str) -> tuple[str, ...]:
    """A list of texts."""
    if not isinstance(value, list):
        raise RulesError(f"{where}: is a list of texts")
    return tuple(text(one, where) for one in value)


def number(value: object, where: str) -> int:
    """A number that fits into 64 bits."""
    if type(value) is not int:
        raise RulesError(f"{where}: a number is needed, not {value!r}")
    if not -(2**63) <= value < 2**64:
        raise RulesError(f"{where}: {value} doesn't fit into 64 bits")
    return value


def _default(value: object, where: str) -> int | float | str:
    """A number, or what C calls one."""
    if type(value) is float and isfinite(value):
        return value
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z_]\w*", value, re.ASCII):
        return value
    return number(value, where)


def _name(value: object, where: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*", name := text(value, where), re.ASCII):
        raise RulesError(f"{where}: a name of C is needed, not {name!r}")
    return name


def c_type(value: object, where: str) -> str:
    """A C type, as the model spells it."""
    if not _C_TYPE.fullmatch(written := text(value, where)):
        raise RulesError(f"{where}: a C type is needed, not {written!r}")
    return str(CType.parse(written))


def typed_value(value: object, where: str) -> str:
    """A C type, or an array of char, which is a text."""
    if _C_TEXT.fullmatch(written := text(value, where)):
        return written
    return c_type(value, where)


def _true(value: object, where: str) -> bool:
    if value is not True:
        raise RulesError(f"{where}: true, or leave it out")
    return True


def _length(value: object, where: str) -> object:
    if type(value) is int and 0 < value < 2**63:
        return value
    try:
        formula.parameters(text(value, where))
    except formula.FormulaError as error:
        raise RulesError(f"{where}: {error}") from None
    return value


def _of_fields(value: object, where: str) -> str:
    try:
        formula.fields(written := text(value, where))
    except formula.FormulaError as error:
        raise RulesError(f"{where}: {error}") from None
    return written


def _codes(value: object, where: str) -> object:
    names = isinstance(value, list) and value and all(isinstance(one, str) for one in value)
    if value != "any" and not names:
        raise RulesError(f'{where}: a list of error names is needed, or "any"')
    return value


def releases(value: object, where: str) -> tuple[str, ...]:
    """A list of releases."""
    for one in (found := texts(value, where)):
        if not _RELEASE.fullmatch(one):
            raise RulesError(f"{where}: a release such as 12.4 is needed, not {one!r}")
    return found


def _numbers(value: object, where: str) -> tuple[int | str, ...]:
    if not isinstance(value, list) or not all(type(one) in (int, str) for one in value):
        raise RulesError(f"{where}: a list of numbers and enumerators is needed")
    return tuple(value)


def _names(value: object, where: str) -> tuple[str, ...]:
    return tuple(_name(one, where) for one in texts(value, where))


def choice(*choices: str) -> Value:
    """One of some words."""

    def read(value: object, where: str) -> str:
        if value not in choices:
            raise RulesError(f"{where}: {value!r} is none of {', '.join(choices)}")
        return str(value)

    return Value(" or ".join(f'`"{one}"`' for one in choices), read)


TEXT = Value("a text", text)
TRUE = Value("`true`", _true)
DEFAULT = Value("a number, or the name of an enumerator or a macro", _default)
NUMBER = Value("a number", number)
PARAMETER = Value("a parameter's name", _name, names_parameter=True)
FIELD = Value("a field's name", _name)
FUNCTION = Value("a C function's name", _name)
NAME = Value("a C name", _name)
C_TYPE = Value("a C type", c_type)
LENGTH = Value("a number, or a formula over parameters", _length, names_parameter=True)
OF_FIELDS = Value("a formula over fields", _of_fields)
CODES = Value('a list of error names, or `"any"`', _codes)
RELEASES = Value("a list of releases", releases)
NAMES = Value("a list of names", _names)
NUMBERS = Value("a list of numbers and enumerators", _numbers)

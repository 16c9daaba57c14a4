"""What files of api_specs/ may say: annotated classes are the schema; cattrs reads and writes them.

A class has a field for each key; the field's name may end in _ where the key is a word of Python.
`Annotated[str, matching(...)]` narrows a type. Nothing is converted: 1 is no text, and no list is
a tuple of letters. A mistake is one line that begins with its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass, make_dataclass
from difflib import get_close_matches
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from cattrs import Converter
from cattrs.cols import homogenous_tuple_structure_factory, mapping_structure_factory
from cattrs.errors import (
    AttributeValidationNote,
    BaseValidationError,
    ForbiddenExtraKeysError,
    IterableValidationNote,
)
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from generator.errors import GeneratorError

Hook = Callable[[Any, Any], Any]
T = TypeVar("T")


class SchemaError(GeneratorError):
    """A wrong value in a document. The text begins with the value's place."""


@dataclass(frozen=True, slots=True)
class Check:
    """What a value of the right type must be, too; `due` calls it, and `becomes` rewrites it.

    `holds` may raise SchemaError to say more.
    """

    due: str
    holds: Callable[[Any], object] = lambda _: True
    becomes: Callable[[Any], Any] | None = None


def matching(pattern: str, due: str) -> Check:
    """A text of that form."""
    return Check(due, re.compile(pattern, re.ASCII).fullmatch)


def number(low: int, high: int) -> Check:
    """A whole number in that range, both ends included."""
    return Check(f"a number from {low} to {high}", lambda value: low <= value <= high)


def one_of(*choices: object) -> Check:
    """One of some values."""
    return Check(" or ".join(map(repr, choices)), lambda value: value in choices)


def least(count: int) -> Check:
    """A list that is at least so long."""
    return Check(f"a list of {count} or more", lambda value: len(value) >= count)


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


Text = Annotated[str, matching(r"[^\x00-\x1f]+", "a text on one line")]
Words = Annotated[str, matching(r"[\w\s]*", "names and spaces")]
Name = Annotated[str, matching(r"[A-Za-z_]\w*", "a name of C")]
TypeName = Annotated[str, matching(r"[A-Za-z_]\w*(\.\w+)*", "a type's name")]
Release = Annotated[str, matching(r"\d{1,6}\.\d{1,6}", "a release such as 13.0")]
Pattern = Annotated[str, Check("a regular expression", _is_pattern)]
Flag = Annotated[bool, Check("true", bool)]  # a key that would be false is left out


def read(kind: type[T], document: object, where: str = "", /, **known: object) -> T:
    """An object of a document, which stands at `where`. SchemaError if it isn't like the class.

    `known` are fields that the document doesn't say, and must not say.
    """
    try:
        if not known:
            return _converter.structure(document, kind)
        part: Any = kind
        partial: Any = _converter.structure(document, _without(part, frozenset(known)))
        return kind(**known, **vars(partial))
    except (BaseValidationError, SchemaError) as error:
        raise _placed(error, where) from None


@cache
def _without(kind: type, known: frozenset[str]) -> type:
    """A class with the other fields of a class."""
    hints = get_type_hints(kind, include_extras=True)
    keys = [
        (one.name, hints[one.name], field(default=one.default, default_factory=one.default_factory))
        for one in fields(kind)
        if one.name not in known
    ]
    return make_dataclass(kind.__name__, keys, kw_only=True)


def write(value: object) -> dict[str, Any]:
    """An object as a document, without what is as by default: required keys, then others."""
    written: dict[str, Any] = _converter.unstructure(value)
    return written


def as_text(kind: type, form: Check, parse: Callable[[str], object]) -> None:
    """Have objects of a class stand in documents as the text that str() gives."""
    hook = _converter.get_structure_hook(Annotated[str, form])
    _converter.register_structure_hook(kind, lambda value, _: parse(hook(value, str)))
    _converter.register_unstructure_hook(kind, str)


# What a type is in a document, and what a message calls it.
_DUE = {
    str: "a text",
    int: "a number",
    float: "a number with a point",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


def _shapes(kind: Any) -> tuple[type, ...]:
    origin = get_origin(kind)
    if origin is Annotated:
        return _shapes(kind.__origin__)
    if origin in (Union, UnionType):
        return tuple(one for part in get_args(kind) for one in _shapes(part))
    if origin is tuple:
        return (list,)
    return (dict,) if origin is Mapping or is_dataclass(kind) else (kind,)


def _checks(kind: Any) -> list[Check]:
    return [one for one in getattr(kind, "__metadata__", ()) if isinstance(one, Check)]


def due(kind: Any) -> str:
    """What a message calls the values of a type."""
    if checks := _checks(kind):
        return checks[-1].due
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(sorted(due(one) for one in get_args(kind) if one is not NoneType))
    return _DUE[_shapes(kind)[0]]


def _refused(what: str, value: object) -> SchemaError:
    shown = repr(value)
    text = f"{what} is needed, not {shown if len(shown) <= 60 else shown[:57] + '...'}"
    choices = re.findall(r"'(\w+)'", what) if isinstance(value, str) else []
    meant = get_close_matches(str(value), choices, 1)
    return SchemaError(f"{text}. Did you mean {meant[0]!r}?" if meant else text)


def _typed(kind: Any, inner: Hook | None) -> Hook:
    """A hook that takes only what stands for the type in a document, and converts nothing."""
    shapes = frozenset(_shapes(kind)) - {NoneType}  # None is only a default
    what = due(kind)
    checks = _checks(kind)
    conversions = [one.becomes for one in checks if one.becomes]

    def of_type(value: Any, _: Any) -> Any:
        if type(value) not in shapes:
            raise _refused(what, value)
        for check in checks:
            if not check.holds(value):
                raise _refused(what, value)
        if inner:
            value = inner(value, kind)
        for becomes in conversions:
            value = becomes(value)
        return value

    return of_type


def _bare(kind: Any, converter: Converter) -> Hook | None:
    """What reads an annotated type without its checks; nothing is left to do for a plain one."""
    origin = kind.__origin__
    return None if origin in _DUE else converter.get_structure_hook(origin)


def _union(kind: Any, converter: Converter) -> Hook:
    """One of several types, told apart by what stands there."""
    hooks = {
        shape: converter.get_structure_hook(part)
        for part in get_args(kind)
        if part is not NoneType
        for shape in _shapes(part)
    }
    return lambda value, _: hooks[type(value)](value, kind)


def _class(kind: type, converter: Converter) -> Hook:
    hints = get_type_hints(kind, include_extras=True)
    each: Any = {
        one.name: override(
            rename=_key(one), struct_hook=converter.get_structure_hook(hints[one.name])
        )
        for one in fields(kind)
    }
    return make_dict_structure_fn(kind, converter, _cattrs_forbid_extra_keys=True, **each)


def _written(kind: type, converter: Converter) -> Callable[[Any], dict[str, Any]]:
    each: Any = {one.name: override(rename=_key(one)) for one in fields(kind)}
    return make_dict_unstructure_fn(kind, converter, _cattrs_omit_if_default=True, **each)


def _key(one: Field[Any]) -> str:
    return one.name.removesuffix("_")


_converter = Converter(unstruct_collection_overrides={tuple: list})
for _plain in (str, int, float, bool):
    _converter.register_structure_hook(_plain, _typed(_plain, None))


def _register(is_meant: Callable[[Any], bool], hook: Callable[[Any, Converter], Any]) -> None:
    def typed(kind: Any, converter: Converter) -> Hook:
        return _typed(kind, hook(kind, converter))

    _converter.register_structure_hook_factory(is_meant, typed)


_origin: Callable[[Any], Any] = get_origin
_register(lambda kind: _origin(kind) is tuple, homogenous_tuple_structure_factory)
_register(lambda kind: _origin(kind) is Mapping, mapping_structure_factory)
_register(lambda kind: _origin(kind) is Annotated, _bare)
_register(lambda kind: _origin(kind) in (Union, UnionType), _union)
_register(is_dataclass, _class)
_converter.register_unstructure_hook_factory(is_dataclass, _written)


def _joined(where: str, key: object) -> str:
    if isinstance(key, int):
        return f"{where}[{key}]"
    shown = str(key) if str(key).isprintable() else repr(key)
    return f"{where}.{shown}" if where else shown


def _placed(error: Exception, where: str) -> SchemaError:
    """The first of cattrs' errors as one line. A misspelt key comes before the one it should be."""
    while isinstance(error, BaseValidationError):
        inner = error.exceptions
        for one in inner:
            if isinstance(one, ForbiddenExtraKeysError):
                at = _joined(where, min(one.extra_fields))
                known = ", ".join(sorted(map(_key, fields(one.cl))))
                return SchemaError(f"{at}: unknown key; known here: {known}")
        if missing := [str(one.args[0]) for one in inner if isinstance(one, KeyError)]:
            partial = f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
            return SchemaError(f"{where or 'the document'}: {partial}")
        error = inner[0]
        for note in getattr(error, "__notes__", ()):
            if isinstance(note, AttributeValidationNote):
                where = _joined(where, note.name.removesuffix("_"))
            elif isinstance(note, IterableValidationNote):
                where = _joined(where, note.index)
    return SchemaError(f"{where or 'the document'}: {error}")

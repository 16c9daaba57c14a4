"""libclang's types as CType, with typedef names kept and macro renames undone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from clang.cindex import Cursor, Type, TypeKind

from generator.model import CType
from generator.parse.clang import FREESTANDING, ParseError
from generator.scalars import BUILTIN

_ARRAYS = (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY, TypeKind.VARIABLEARRAY)
_FUNCTIONS = (TypeKind.FUNCTIONPROTO, TypeKind.FUNCTIONNOPROTO)
_NAMED = (TypeKind.ELABORATED, TypeKind.TYPEDEF, TypeKind.RECORD, TypeKind.ENUM)


class InexpressibleError(ParseError):
    """The model can't express a declaration. The text has its header and line."""


class Types:
    """Reads types. `renames` maps a name as the compiler saw it to the name that users write."""

    def __init__(self, renames: Mapping[str, str]) -> None:
        self._renames = renames
        # Anonymous records and untyped function pointers get the name of their place.
        self.anonymous: dict[int, str] = {}

    def public(self, name: str) -> str:
        return self._renames.get(name, name)

    def read(self, type_: Type, place: str, *, parameter: bool = False) -> CType:
        """A type as CType. `place` names it in errors; `parameter` lets arrays decay.

        InexpressibleError for what CType can't: volatile, pointers to arrays, long double, …
        """
        extents: list[int] = []
        while type_.kind in _ARRAYS:
            count = type_.element_count if type_.kind == TypeKind.CONSTANTARRAY else 0
            extents.append(count)
            type_ = type_.element_type
        pointers: list[bool] = []
        while type_.kind == TypeKind.POINTER:
            pointers.append(type_.is_const_qualified())
            self._refuse_volatile(type_, place)
            type_ = type_.get_pointee()
            if type_.kind in _ARRAYS:
                raise InexpressibleError(f"{place}: a pointer to an array can't be expressed")
        pointers.reverse()
        self._refuse_volatile(type_, place)
        if parameter and extents:
            if len(extents) > 1:
                raise InexpressibleError(f"{place}: a pointer to an array can't be expressed")
            pointers.append(False)
            extents = []
        base = self._base(type_, place)
        return CType(base, type_.is_const_qualified(), tuple(pointers), tuple(extents))

    def _base(self, type_: Type, place: str) -> str:
        if type_.kind in _NAMED:
            declaration = type_.get_declaration()
            # Types of the C library that no other part knows are replaced by their target.
            if is_standard(declaration) and declaration.spelling not in BUILTIN:
                canonical = type_.get_canonical()  # off_t is long
                if canonical.kind in (*_ARRAYS, *_NAMED, TypeKind.POINTER):
                    raise InexpressibleError(
                        f"{place}: the type '{type_.spelling}' can't be expressed"
                    )
                return self._base(canonical, place)
            known = self.anonymous.get(declaration.hash)
            return known or self.public(tag_name(declaration))
        if type_.kind in (*_FUNCTIONS, TypeKind.UNEXPOSED, TypeKind.VECTOR, TypeKind.EXTVECTOR):
            raise InexpressibleError(f"{place}: the type '{type_.spelling}' can't be expressed")
        name = str(type_.spelling).removeprefix("const ")
        if (name := "bool" if name == "_Bool" else name) not in BUILTIN:  # long double, __int128
            raise InexpressibleError(f"{place}: the type '{name}' can't be expressed")
        return name

    @staticmethod
    def _refuse_volatile(type_: Type, place: str) -> None:
        if type_.is_volatile_qualified():
            raise InexpressibleError(f"{place}: volatile can't be expressed")


@contextmanager
def known_kinds(place: str) -> Iterator[None]:
    """InexpressibleError for a type such as _Float16, of a kind that libclang's Python lacks."""
    try:
        yield
    except ValueError as error:
        raise InexpressibleError(f"{place}: a type can't be expressed: {error}") from None


def is_standard(declaration: Cursor) -> bool:
    """Whether one of our own freestanding headers declares it."""
    file = declaration.location.file
    return file is not None and FREESTANDING in Path(file.name).parents


def tag_name(cursor: Cursor) -> str:
    """A record's or enum's tag; empty when it has neither tag nor typedef."""
    name = str(cursor.spelling)
    return "" if "(" in name or " " in name else name


def function_pointee(type_: Type) -> Type | None:
    """The function type behind a pointer to function, or a function type itself; else None."""
    if type_.kind == TypeKind.POINTER:
        type_ = type_.get_pointee()
    # Parentheses around a declarator make the type an unexposed one that still knows its result.
    possible = type_.kind in (*_FUNCTIONS, TypeKind.UNEXPOSED)
    return type_ if possible and type_.get_result().kind != TypeKind.INVALID else None

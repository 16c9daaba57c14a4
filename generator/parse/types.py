"""libclang's types as CType, with typedef names kept and macro renames undone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property

from clang.cindex import Cursor, CursorKind, Type, TypeKind

from generator.model import CType
from generator.parse.clang import ParseError, Tree
from generator.scalars import BUILTIN

_ARRAYS = (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY, TypeKind.VARIABLEARRAY)
_FUNCTIONS = (TypeKind.FUNCTIONPROTO, TypeKind.FUNCTIONNOPROTO)
_NAMED = (TypeKind.ELABORATED, TypeKind.TYPEDEF, TypeKind.RECORD, TypeKind.ENUM)
_VECTORS = (TypeKind.VECTOR, TypeKind.EXTVECTOR)
_TAGGED = {
    CursorKind.STRUCT_DECL: "struct",
    CursorKind.UNION_DECL: "union",
    CursorKind.ENUM_DECL: "enum",
}
# libclang's spelling of types that C spells otherwise.
_SPELLED = {
    "_Bool": "bool",
    "_Complex float": "float _Complex",
    "_Complex double": "double _Complex",
}
ADDRESS = CType("void", pointers=(False,))
CONST_ADDRESS = CType("void", const=True, pointers=(False,))


class InexpressibleError(ParseError):
    """The model can't express a declaration. The text has its header and line."""


class Types:
    """Reads types. `renames` maps a name as the compiler saw it to the name that users write."""

    def __init__(self, tree: Tree, renames: Mapping[str, str]) -> None:
        self._tree = tree
        self._renames = renames
        # Anonymous records and untyped function pointers get the name of their place.
        self.anonymous: dict[int, str] = {}
        # Typedefs that no CType can stand for.
        self.inexpressible: set[str] = set()
        # The C library's records that declarations name, if these are for everybody's use.
        self.standard: dict[str, Cursor] = {}

    def public(self, name: str) -> str:
        return self._renames.get(name, name)

    def tag(self, cursor: Cursor) -> str:
        """The name of a record or an enum; "" without one.

        C has separate names for tags. A tag that is also the name of something else gets the
        keyword before it: `struct_job`.
        """
        name = self.public(tag_name(cursor))
        while name in self._ordinary:
            name = f"{_TAGGED[cursor.kind]}_{name}"
        return name

    @cached_property
    def _ordinary(self) -> frozenset[str]:
        """The names of functions, variables, enumerators, and of types that aren't their tags."""
        names: set[str] = set()
        for cursor, _ in self._tree.declarations():
            if self._tree.place_of(cursor) is None:
                continue
            name = str(cursor.spelling)
            if cursor.kind in (CursorKind.FUNCTION_DECL, CursorKind.VAR_DECL):
                names.add(self.public(name))
            elif cursor.kind == CursorKind.ENUM_DECL:
                names.update(str(one.spelling) for one in cursor.get_children())
            elif cursor.kind == CursorKind.TYPEDEF_DECL:
                with known_kinds(name):
                    target = cursor.underlying_typedef_type.get_canonical()
                    own = tag_name(target.get_declaration()) == name
                    if not own or target.kind not in (TypeKind.RECORD, TypeKind.ENUM):
                        names.add(self.public(name))
        return frozenset(names)

    def read(self, type_: Type, place: str, *, parameter: bool = False) -> CType:
        """A type as CType. `place` names it in errors; `parameter` lets arrays decay.

        A pointer to what CType can't express is a pointer to void, and one to an array a pointer
        to its elements. InexpressibleError for values of such types: vectors, __int128, …
        """
        extents: list[int] = []
        type_, const = self._through(type_, place)
        while type_.kind in _ARRAYS:
            extents.append(type_.element_count if type_.kind == TypeKind.CONSTANTARRAY else 0)
            type_, inner = self._through(type_.element_type, place)
            const = const or inner  # a const array has const elements
        outer: list[bool] = []
        if parameter and extents:
            outer, extents = [False], []
        pointers: list[bool] = []
        try:
            while type_.kind == TypeKind.POINTER:
                pointers.insert(0, const)
                type_ = type_.get_pointee()
                const = type_.is_const_qualified()
                with known_kinds(place):
                    type_, const = self._through(type_, place)
                    while type_.kind in _ARRAYS:
                        type_, inner = self._through(type_.element_type, place)
                        const = const or inner
            with known_kinds(place):
                base = self._base(type_, place, pointed=bool(outer or pointers))
                if pointers and type_.get_canonical().kind in _FUNCTIONS:
                    del pointers[0]  # a typedef of a function stands for a pointer to it
        except InexpressibleError:
            if not outer and not pointers:
                raise
            base = "void"
        return CType(base, const, (*pointers, *outer), tuple(extents))

    def _through(self, type_: Type, place: str) -> tuple[Type, bool]:
        """The target of the C library's typedefs that no other part knows: off_t is long.

        Typedefs of pointers to char are looked through as well, since what they name are texts, and
        typedefs of arrays. And whether the type is const, before and after.
        """
        const = type_.is_const_qualified()
        while type_.kind in (TypeKind.ELABORATED, TypeKind.TYPEDEF):
            declaration = type_.get_declaration()
            name = str(declaration.spelling)
            if declaration.kind != CursorKind.TYPEDEF_DECL:
                break
            target = declaration.underlying_typedef_type
            if not (self._is_standard(declaration) or _is_text(target) or _is_array(target)):
                break
            if name.endswith("va_list"):
                raise InexpressibleError(f"{place}: {name} can't be expressed")
            if name in BUILTIN or target.get_canonical().kind == TypeKind.RECORD:
                break
            type_, const = target, const or target.is_const_qualified()
        return type_, const

    def _is_standard(self, declaration: Cursor) -> bool:
        """Whether a header of the C library, or none at all, has the declaration."""
        return self._tree.place_of(declaration) is None

    def _base(self, type_: Type, place: str, *, pointed: bool) -> str:
        canonical = type_.get_canonical()
        if canonical.kind == TypeKind.VOID:
            return "void"
        if canonical.kind in _VECTORS:
            raise InexpressibleError(f"{place}: the type '{type_.spelling}' can't be expressed")
        if type_.kind in _NAMED:
            declaration = type_.get_declaration()
            name = str(declaration.spelling)
            if declaration.kind == CursorKind.TYPEDEF_DECL and name in BUILTIN:
                # A header's own `bool` may be an int.
                return name if self._is_standard(declaration) else self._scalar(canonical, place)
            if self._is_standard(declaration):
                return self._standard(type_, canonical, place, pointed=pointed)
            known = self.anonymous.get(declaration.hash)
            if declaration.kind in _TAGGED:
                known = known or self.tag(declaration)
            if known and known.endswith(".enum"):  # only its enumerators have names
                return self._scalar(declaration.enum_type, place)
            known = known or self.public(tag_name(declaration))
            if not known or known in self.inexpressible:
                what = f"the type '{known}'" if known else "a type without a name"
                raise InexpressibleError(f"{place}: {what} can't be expressed")
            return known
        return self._scalar(type_, place)

    def _scalar(self, type_: Type, place: str) -> str:
        name = " ".join(
            word for word in str(type_.spelling).split() if word not in ("const", "volatile")
        )
        if (name := _SPELLED.get(name, name)) not in BUILTIN:  # __int128, functions
            raise InexpressibleError(f"{place}: the type '{name}' can't be expressed")
        return name

    def _standard(self, type_: Type, canonical: Type, place: str, *, pointed: bool) -> str:
        """The name of a type of the C library's: a struct, or a whole number."""
        declaration = canonical.get_declaration()
        if canonical.kind == TypeKind.ENUM:
            return self._scalar(declaration.enum_type, place)
        if canonical.kind != TypeKind.RECORD:
            return self._scalar(canonical, place)
        shown = tag_name(type_.get_declaration())
        name = tag_name(declaration) or shown
        fields = [str(one.spelling) for one in canonical.get_fields()]
        if not fields or all(one.startswith("_") or not one for one in fields):
            if pointed:
                return shown
            raise InexpressibleError(f"{place}: the type '{shown}' is the C library's own")
        self.standard.setdefault(name, declaration)
        return name


def _is_text(type_: Type) -> bool:
    canonical = type_.get_canonical()
    pointee = canonical.get_pointee() if canonical.kind == TypeKind.POINTER else None
    return pointee is not None and pointee.kind in (TypeKind.CHAR_S, TypeKind.CHAR_U)


def _is_array(type_: Type) -> bool:
    return type_.get_canonical().kind in _ARRAYS


@contextmanager
def known_kinds(place: str) -> Iterator[None]:
    """InexpressibleError for a type such as _Float16, of a kind that libclang's Python lacks."""
    try:
        yield
    except ValueError:
        raise InexpressibleError(f"{place}: a type such as _Float16 can't be expressed") from None


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


def prototype(type_: Type) -> tuple[Type, Cursor | None]:
    """A function's type, and the typedef that gives it if a function is declared by one."""
    typedef = None
    while type_.kind in (TypeKind.ELABORATED, TypeKind.TYPEDEF):
        typedef = type_.get_declaration()
        type_ = typedef.underlying_typedef_type
    return type_, typedef


def is_variadic(type_: Type) -> bool:
    """Whether a function takes any number of arguments."""
    return type_.kind == TypeKind.FUNCTIONPROTO and bool(type_.is_function_variadic())

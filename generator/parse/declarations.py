"""The declarations of one syntax tree as nodes of the model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from clang.cindex import AvailabilityKind, Cursor, CursorKind, LinkageKind, Type, TypeKind

from generator.model import (
    Alias,
    Callback,
    CType,
    Enum,
    Enumerator,
    Field,
    Function,
    Handle,
    Parameter,
    Source,
    Struct,
)
from generator.parse.annotations import ParameterExtent, beside
from generator.parse.clang import Tree, evaluate, is_exported
from generator.parse.comments import Comments, ParameterNote, Votes, group_name
from generator.parse.forwards import Forwards, called
from generator.parse.types import (
    ADDRESS,
    CONST_ADDRESS,
    InexpressibleError,
    Types,
    function_pointee,
    is_variadic,
    known_kinds,
    prototype,
    tag_name,
)
from generator.scalars import SCALARS

_VARIADIC = (
    'it takes a variable number of arguments ("..."), whose types Python can\'t know; a function'
    " with fixed parameters that calls it can be bound"
)
_RECORDS = (CursorKind.STRUCT_DECL, CursorKind.UNION_DECL)
_UNSIGNED_LONG = (TypeKind.ULONG, TypeKind.ULONGLONG)
_FUNCTIONS = (CursorKind.FUNCTION_DECL, CursorKind.VAR_DECL)
NOTHING = Votes()
# What a size in bytes counts the elements of.
BYTES = ("void", "char", "unsigned char", "signed char", "uint8_t", "int8_t")


class Conventions(NamedTuple):
    """What an API's names look like.

    Functions begin with `prefix`, doxygen groups with `group_prefix`. `codes` is a pattern for the
    names of status codes, None for those of CUDA's kind. `handles` are typedefs of `void *` that
    are handles, each with the struct that they shall lead to.
    """

    prefix: str
    group_prefix: str
    codes: str | None = None
    handles: Mapping[str, str] = MappingProxyType({})

    @property
    def status_codes(self) -> str:
        """The pattern by which comments are searched."""
        return self.codes or re.escape(self.prefix) + r"(?:Success|Error[A-Z]\w*)"


@dataclass(slots=True)
class Declarations:
    """Everything that a tree declares, by name.

    `inline` are the API's functions that the header defines, so no library needs to export them;
    without those of headers that declare nothing else. `forwards` are those that only call another.
    `left_out` are functions, and `opaque` types, that the model can't express, with the reasons.
    `approximate` are structs of the right layout, but with bytes in the place of a field's type:
    C++ may pass them otherwise than C does. `undefined` are tags of structs that have no definition
    so far. `further` are types of other headers.
    """

    functions: dict[str, Function] = field(default_factory=dict)
    structs: dict[str, Struct] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    aliases: dict[str, Alias] = field(default_factory=dict)
    handles: dict[str, Handle] = field(default_factory=dict)
    callbacks: dict[str, Callback] = field(default_factory=dict)
    inline: set[str] = field(default_factory=set)
    forwards: Forwards = field(default_factory=Forwards)
    left_out: dict[str, str] = field(default_factory=dict)
    opaque: dict[str, str] = field(default_factory=dict)
    approximate: dict[str, str] = field(default_factory=dict)
    undefined: set[str] = field(default_factory=set)
    further: set[str] = field(default_factory=set)


def read_declarations(tree: Tree, conventions: Conventions, types: Types) -> Declarations:
    """The vendor's declarations in a tree, and the types of other headers that they may need."""
    return _Reader(tree, conventions, types).run()


def is_excluded(name: str, exclude: Iterable[str]) -> bool:
    """Whether one of the globs is for a name."""
    return any(fnmatchcase(name, glob) for glob in exclude)


def macro_renames(tree: Tree, macros: frozenset[str]) -> dict[str, str]:
    """Names that a macro changes at their declaration: the compiler's name -> the header's.

    `macros` are the names of the object-like macros that the headers define.
    """
    renames: dict[str, str] = {}
    kinds = (CursorKind.FUNCTION_DECL, CursorKind.ENUM_DECL, *_RECORDS)
    for cursor, _ in tree.declarations():
        if cursor.kind in kinds and tree.place_of(cursor):
            word = tree.word_at(cursor)
            if word != cursor.spelling and word in macros:
                renames[cursor.spelling] = word
    return renames


def defaults(tree: Tree, prefix: str) -> dict[str, dict[str, str]]:
    """The default arguments of the extern "C" functions of a C++ tree: function -> name -> text."""
    result: dict[str, dict[str, str]] = {}
    for cursor, extern in tree.declarations():
        if (
            cursor.kind == CursorKind.FUNCTION_DECL
            and extern
            and tree.header_of(cursor)
            and cursor.spelling.startswith(prefix)
            and is_exported(cursor)
        ):
            # From the last parameter backwards: a parameter before one without a default has none.
            for parameter in reversed(list(cursor.get_arguments())):
                text = _default(parameter)
                if text is None:
                    break
                result.setdefault(cursor.spelling, {})[parameter.spelling] = text
    return result


class _Reader:
    def __init__(self, tree: Tree, conventions: Conventions, types: Types) -> None:
        self._tree = tree
        self._conventions = conventions
        self._types = types
        self._comments: dict[str, Comments] = {}
        self._declared = Declarations()
        self._inline: dict[str, str] = {}

    def run(self) -> Declarations:
        own: set[str] = set()
        for cursor, _ in self._tree.declarations():
            place = self._tree.place_of(cursor)
            if place is not None and place.own:
                own.add(place.header)
                self._declaration(cursor)
            elif place is not None and cursor.kind not in _FUNCTIONS:
                self._declaration(cursor)
        read: set[str] = set()
        while waiting := self._types.standard.keys() - read:
            for name in sorted(waiting):
                read.add(name)
                cursor = self._types.standard[name].get_definition()
                with suppress(InexpressibleError), known_kinds(name):
                    self._record(cursor, name)
        for kind in self._kinds():
            self._declared.further.update(
                name for name, one in kind.items() if one.source.header not in own
            )
        functions = {one.source.header for one in self._declared.functions.values()}
        self._declared.inline.update(
            name for name, header in self._inline.items() if header in functions or not functions
        )
        return self._declared

    def _kinds(self) -> tuple[Mapping[str, Any], ...]:
        read = self._declared
        return (read.structs, read.enums, read.aliases, read.handles, read.callbacks)

    def _declaration(self, cursor: Cursor) -> None:
        name = self._types.public(str(cursor.spelling))
        typedef = cursor.kind == CursorKind.TYPEDEF_DECL
        if is_excluded(name, self._tree.headers.exclude):
            self._declared.opaque.setdefault(name, f"{self._source(cursor)}: {name}: excluded")
            if typedef:
                self._types.inexpressible.add(name)
            return
        try:
            with known_kinds(f"{self._source(cursor)}: {name}"):
                self._read(cursor)
        except InexpressibleError as error:
            declared = self._declared
            left = declared.left_out if cursor.kind in _FUNCTIONS else declared.opaque
            left.setdefault(name, str(error))
            if typedef:
                self._types.inexpressible.add(name)

    def _read(self, cursor: Cursor) -> None:
        if cursor.kind in _RECORDS and cursor.is_definition():
            if name := self._types.tag(cursor):
                self._record(cursor, name)
        elif cursor.kind in _RECORDS:
            self._declared.undefined.add(self._types.tag(cursor))
        elif cursor.kind == CursorKind.ENUM_DECL and cursor.is_definition():
            self._enum(cursor)
        elif cursor.kind == CursorKind.TYPEDEF_DECL:
            self._typedef(cursor)
        elif cursor.kind == CursorKind.FUNCTION_DECL:
            self._function(cursor)
        elif cursor.kind == CursorKind.VAR_DECL and cursor.linkage == LinkageKind.EXTERNAL:
            name = str(cursor.spelling)
            if name.startswith(self._conventions.prefix):
                place = f"{self._source(cursor)}: {name}"
                raise InexpressibleError(f"{place}: a global variable can't be bound")

    def _source(self, cursor: Cursor) -> Source:
        place = self._tree.place_of(cursor) or Path(cursor.location.file.name).name
        return Source(str(place), cursor.location.line)

    # Functions

    def _function(self, cursor: Cursor) -> None:
        name = self._types.public(str(cursor.spelling))
        symbol = _symbol(cursor)
        exported = is_exported(cursor)
        type_text = str(cursor.type.get_canonical().spelling)
        if exported:  # a header calls a function by the name that a macro changes, too
            for spelled in (name, str(cursor.spelling)):
                self._declared.forwards.exported[spelled] = symbol, type_text
        if not name.startswith(self._conventions.prefix):
            return
        if not exported:
            self._inline[name] = self._source(cursor).header
            if not (target := self._called(cursor)):
                return
        place = f"{self._source(cursor)}: {name}"
        type_, typedef = prototype(cursor.type)
        # C's f() without a prototype is meant as f(void), as it is in C++.
        if is_variadic(type_):
            raise InexpressibleError(f"{place}: {_VARIADIC}")
        votes = self._votes(cursor)
        function = Function(
            name,
            symbol,
            self._types.read(type_.get_result(), place),
            self._parameters(typedef or cursor, name, place, votes),
            group_name(votes.group, self._conventions.group_prefix),
            self._source(cursor),
            errors=votes.errors,
            deprecated=cursor.availability == AvailabilityKind.DEPRECATED,
        )
        if not exported:
            self._declared.forwards.inline[name] = function, target, type_text
            return
        known = self._declared.functions.get(name)
        if known is None:
            self._declared.functions[name] = function
        elif len(function.errors) > len(known.errors):
            # A second declaration of the same function: the documented one counts.
            self._declared.functions[name] = replace(function, source=known.source)

    def _called(self, cursor: Cursor) -> str:
        """The function that an inline one calls, if it does nothing else; else ""."""
        end = cursor.extent.end
        text = self._tree.text(end.file.name) if end.file else b""
        body = text[end.offset : text.find(b"}", end.offset) + 1].decode("latin-1")
        return called(body, [str(one.spelling) for one in cursor.get_arguments()])

    def _parameters(
        self, cursor: Cursor, name: str, place: str, votes: Votes
    ) -> tuple[Parameter, ...]:
        children = _own_parameters(cursor)
        named = {str(one.spelling) for one in children}
        parameters = []
        beside = self._beside(cursor, children) if votes is not NOTHING else {}
        for index, child in enumerate(children):
            own = str(child.spelling) or f"arg{index}"
            while not child.spelling and own in named:
                own += "_"
            type_ = self._value_type(child, child.type, f"{name}.{own}", place, parameter=True)
            parameters.append(_parameter(own, type_, beside.get(own) or votes.parameters.get(own)))
        return tuple(parameters)

    def _beside(self, cursor: Cursor, children: Sequence[Cursor]) -> Mapping[str, ParameterNote]:
        """What stands beside a function's parameters, if all are in the text of one header."""
        start = cursor.extent.start
        extents = [one.extent for one in children]
        files = {one.file.name for one in (start, *(e.start for e in extents)) if one.file}
        if len(files) != 1 or not children:
            return {}
        places = [
            ParameterExtent(str(one.spelling), extent.start.offset, extent.end.offset)
            for one, extent in zip(children, extents, strict=True)
        ]
        if any(one.end > other.start for one, other in pairwise(places)):
            return {}  # a macro made several of them
        return beside(self._text(files.pop()), start.offset, places)

    def _value_type(
        self, cursor: Cursor, type_: Type, name: str, place: str, *, parameter: bool = False
    ) -> CType:
        """A parameter's or field's type; a function pointer without a typedef gets one here."""
        function = function_pointee(type_)
        if function is None:
            return self._types.read(type_, f"{place}({name})", parameter=parameter)
        try:
            self._callback(cursor, function, name)
        except InexpressibleError:
            return ADDRESS
        return CType(name)

    def _votes(self, cursor: Cursor) -> Votes:
        file = cursor.location.file.name
        if file not in self._comments:
            self._comments[file] = Comments(self._text(file))
        return self._comments[file].before(
            cursor.extent.start.offset, self._conventions.status_codes
        )

    def _text(self, file: str) -> str:
        return self._tree.text(file).decode("latin-1")

    # Types

    def _record(self, cursor: Cursor, name: str) -> None:
        """A struct or union and, under names made from its own, the anonymous ones inside it."""
        place = f"{self._source(cursor)}: {name}"
        members: list[Field] = []
        anonymous: dict[int, Cursor] = {}
        for child in cursor.get_children():
            if child.kind in _RECORDS and child.is_definition():
                if _nameless(child):
                    anonymous[child.hash] = child
                elif (inner := self._types.tag(child)) not in self._declared.structs:
                    self._record(child, inner)
            elif child.kind == CursorKind.ENUM_DECL and child.is_definition():
                self._enum(child)
        unnamed = 0
        for child in cursor.type.get_fields():
            own = "" if _nameless(child) else str(child.spelling)
            record = _record_of(child)
            if record is not None and record.hash in anonymous:
                inner = f"{name}.{own or unnamed}"
                unnamed += not own
                self._types.anonymous[record.hash] = inner
                self._record(anonymous[record.hash], inner)
            bits = child.get_bitfield_width() if child.is_bitfield() else None
            offset = child.get_field_offsetof()
            if offset < 0:
                raise InexpressibleError(f"{place}.{own}: no offset (error {offset})")
            if type_ := self._field_type(child, name, own, place):
                members.append(Field(own, type_, offset // 8 if bits is None else offset, bits))
        size = cursor.type.get_size()
        if size <= 0:
            raise InexpressibleError(f"{place}: it is empty; its size differs in C and C++")
        self._declared.structs[name] = Struct(
            name,
            "union" if cursor.kind == CursorKind.UNION_DECL else "struct",
            size,
            cursor.type.get_align(),
            tuple(members),
            self._source(cursor),
        )

    def _field_type(self, child: Cursor, name: str, own: str, place: str) -> CType | None:
        """A field's type: bytes of the same size for what the model can't express.

        None for what has no size.
        """
        try:
            with known_kinds(f"{place}({name}.{own})"):
                type_ = self._value_type(child, child.type, f"{name}.{own}", place)
            if type_.is_pointer or self._is_value(type_.base):
                return type_
            raise InexpressibleError(f"{place}({name}.{own}): the type '{type_.base}' is opaque")
        except InexpressibleError as error:
            size = max(child.type.get_size(), 0)
            if size or not child.is_bitfield():
                self._declared.approximate.setdefault(name, str(error))
            return CType("unsigned char", extents=(size,)) if size and own else None

    def _is_value(self, base: str) -> bool:
        """Whether values of a type can be declared: all that a field needs stands before it."""
        known = (SCALARS, self._types.standard, *self._kinds())
        return any(base in kind for kind in known)

    def _enum(self, cursor: Cursor) -> None:
        constants = [c for c in cursor.get_children() if c.kind == CursorKind.ENUM_CONSTANT_DECL]
        # An enum without a name is known by its first enumerator.
        name = self._types.tag(cursor) or f"{constants[0].spelling}.enum"
        # libclang's Python takes a value for signed if a typedef hides that its type isn't.
        modulus = 1 << 64 if cursor.enum_type.get_canonical().kind in _UNSIGNED_LONG else 0
        enumerators = [
            Enumerator(
                c.spelling,
                c.enum_value % modulus if modulus else c.enum_value,
                c.availability == AvailabilityKind.DEPRECATED,
            )
            for c in constants
        ]
        # By value; equal values in the order of declaration: the first is the value's main name.
        enumerators.sort(key=lambda enumerator: enumerator.value)
        self._types.anonymous[cursor.hash] = name
        self._declared.enums[name] = Enum(
            name, str(cursor.enum_type.spelling), tuple(enumerators), self._source(cursor)
        )

    def _typedef(self, cursor: Cursor) -> None:
        name = self._types.public(str(cursor.spelling))
        target = cursor.underlying_typedef_type
        source = self._source(cursor)
        function = function_pointee(target)
        if function is not None:
            try:
                self._callback(cursor, function, name)
            except InexpressibleError:
                self._declared.aliases[name] = Alias(name, ADDRESS, source)
            return
        type_ = self._types.read(target, f"{source}: {name}")
        if type_ == CType(name) or type_.is_void or name in SCALARS:
            return
        record = target.get_pointee().get_declaration() if len(type_.pointers) == 1 else None
        if record is not None and record.kind in _RECORDS and record.get_definition() is None:
            self._declared.handles[name] = Handle(name, type_.base, source, type_.const)
        elif name in self._conventions.handles and type_ in (ADDRESS, CONST_ADDRESS):
            struct = self._conventions.handles[name]
            handle = Handle(name, struct, source, type_.const, untyped=True)
            # The first counts: headers repeat such types of APIs that they depend on.
            self._declared.handles.setdefault(name, handle)
        else:
            self._declared.aliases[name] = Alias(name, type_, source)

    def _callback(self, cursor: Cursor, function: Type, name: str) -> None:
        place = f"{self._source(cursor)}: {name}"
        if is_variadic(function):
            raise InexpressibleError(f"{place}: {_VARIADIC}")
        if len(_own_parameters(cursor)) != len(list(function.get_canonical().argument_types())):
            raise InexpressibleError(f"{place}: a returned function can't be expressed")
        self._declared.callbacks[name] = Callback(
            name,
            self._types.read(function.get_result(), place),
            self._parameters(cursor, name, place, NOTHING),
            self._source(cursor),
        )


def _parameter(name: str, type_: CType, note: ParameterNote | None) -> Parameter:
    """A parameter with what is said of it. Bytes are elements only where an element is a byte."""
    note = note or ParameterNote()
    comes_out = type_.is_pointer and (note.returned or note.tag in ("out", "inout"))
    placed = note.placed and comes_out and not note.several
    placed = placed or (note.on_device and note.tag == "in" and len(type_.pointers) == 1)
    odd = note.bytes and (len(type_.pointers) != 1 or type_.base not in BYTES)
    return Parameter(
        name,
        type_,
        tag=note.tag,
        returned=note.returned,
        several=note.several or odd,
        counted=None if odd else note.count,
        optional=note.optional,
        placed=placed and type_.base != "void",
    )


def _own_parameters(cursor: Cursor) -> list[Cursor]:
    """The parameters of a function or of a typedef of one; not those of what it returns."""
    if cursor.kind == CursorKind.FUNCTION_DECL:
        return list(cursor.get_arguments())
    return [one for one in cursor.get_children() if one.kind == CursorKind.PARM_DECL]


def _symbol(cursor: Cursor) -> str:
    """What the library exports for a function: its name, unless the header gives it another."""
    labels = (one for one in cursor.get_children() if one.kind == CursorKind.ASM_LABEL_ATTR)
    return next((str(one.spelling) for one in labels), str(cursor.spelling))


def _nameless(cursor: Cursor) -> bool:
    return not tag_name(cursor)


def _record_of(field: Cursor) -> Cursor | None:
    """The record that a field, or an array of it, holds; None for a type of another kind."""
    try:
        type_ = field.type
        while type_.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
            type_ = type_.element_type
        return type_.get_declaration()
    except ValueError:  # a type that libclang's Python doesn't know
        return None


def _default(parameter: Cursor) -> str | None:
    """A default as an enumerator's name or an integer's text.

    None if there is none, or if it is of another kind; then the argument must always be given.
    """
    for child in parameter.get_children():
        if not child.kind.is_expression():
            continue
        inners = list(child.walk_preorder())
        value = evaluate(child)
        targets = [one.referenced for one in inners if one.kind == CursorKind.DECL_REF_EXPR]
        if len(targets) == 1 and targets[0].kind == CursorKind.ENUM_CONSTANT_DECL:
            exactly = value in (None, targets[0].enum_value)  # and not negated or the like
            return str(targets[0].spelling if exactly else value)
        if value is None and parameter.type.get_canonical().kind == TypeKind.POINTER:
            # A null pointer has no integer value of its own, the literal inside it has.
            null = (0 if one.kind == CursorKind.GNU_NULL_EXPR else evaluate(one) for one in inners)
            value = next((one for one in null if one is not None), None)
        return None if value is None else str(value)
    return None

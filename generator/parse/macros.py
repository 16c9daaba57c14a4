"""The vendor's object-like macros: the integers with their values, and the names of types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from clang.cindex import Cursor, CursorKind, TypeKind, conf

from generator.model import Alias, CType, Macro, Source
from generator.parse.clang import HeaderSet, Tree, evaluate, without_parentheses
from generator.parse.types import Types

# Braces, strings and statements can't be part of an integer expression, and would break the probe.
_EXPRESSION = re.compile(r"[\w\s()+\-*/%<>=!&|^~?:,.']+")
_UNSIGNED = {
    TypeKind.UCHAR: 8,
    TypeKind.USHORT: 16,
    TypeKind.UINT: 32,
    TypeKind.ULONG: 64,
    TypeKind.ULONGLONG: 64,
}
_INTEGERS = {
    *_UNSIGNED,
    *(TypeKind.BOOL, TypeKind.CHAR_S, TypeKind.CHAR_U, TypeKind.SCHAR, TypeKind.SHORT),
    *(TypeKind.INT, TypeKind.LONG, TypeKind.LONGLONG, TypeKind.ENUM, TypeKind.POINTER),
}


@dataclass(frozen=True, slots=True)
class MacroText:
    """An object-like macro as the header has it. `own`: the header is one of the API's."""

    name: str
    body: str
    source: Source
    own: bool = True


def read_macros(tree: Tree) -> dict[str, MacroText]:
    """The object-like macros with a body that the headers define, by name; other APIs' too.

    Names with an underscore at the begin are left out: guards, markers of compilers.
    """
    result: dict[str, MacroText] = {}
    for cursor in tree.root.get_children():
        if cursor.kind != CursorKind.MACRO_DEFINITION or cursor.spelling.startswith("_"):
            continue
        if conf.lib.clang_Cursor_isMacroFunctionLike(cursor):
            continue
        place = tree.place_of(cursor)
        if place is None:
            continue
        extent = cursor.extent
        text = tree.text(cursor.location.file.name)[extent.start.offset : extent.end.offset]
        body = re.sub(r"\\\n|/\*.*?\*/", " ", text.decode("latin-1")[len(cursor.spelling) :])
        if body.strip():
            result[cursor.spelling] = MacroText(
                cursor.spelling,
                body.strip(),
                Source(str(place), cursor.location.line),
                place.own,
            )
    return result


def evaluate_macros(
    headers: HeaderSet, texts: Mapping[str, MacroText], types: Types
) -> dict[str, Macro]:
    """The macros that are integer constant expressions; a constant is initialised by each."""
    names = sorted(name for name, text in texts.items() if _EXPRESSION.fullmatch(text.body))
    tail = "\n".join(
        f"static const long long pygpu_{index} = (long long)({name});"
        for index, name in enumerate(names)
    )
    tree = Tree(headers, tail=tail, tolerate_tail=True)
    macros: dict[str, Macro] = {}
    for cursor in tree.root.get_children():
        if cursor.kind != CursorKind.VAR_DECL or not cursor.spelling.startswith("pygpu_"):
            continue
        if cursor.location.line in tree.bad_lines:
            continue
        name = names[int(cursor.spelling.removeprefix("pygpu_"))]
        probe = list(cursor.get_children())[-1]
        expression = _operand(probe)
        value = evaluate(probe)
        kind = expression.type.get_canonical().kind if expression else TypeKind.INVALID
        if expression is None or value is None or kind not in _INTEGERS:
            continue
        if kind in _UNSIGNED:
            value %= 1 << _UNSIGNED[kind]
        cast = None
        if expression.kind == CursorKind.CSTYLE_CAST_EXPR:
            cast = str(types.read(expression.type, f"{texts[name].source}: {name}"))
        macros[name] = Macro(name, value, texts[name].source, cast)
    return macros


def type_macros(texts: Mapping[str, MacroText], types: Set[str]) -> dict[str, Alias]:
    """The macros that stand for one of the named types: `#define hipKernelNodeAttrID …`."""
    return {
        name: Alias(name, CType(text.body), text.source)
        for name, text in texts.items()
        if text.body in types and name not in types
    }


def called_symbols(headers: HeaderSet, define: str, names: Iterable[str]) -> dict[str, str]:
    """The symbol that a user's call of each function reaches when `define` is defined."""
    ordered = sorted(names)
    tail = "\n".join(
        f"static void (*pygpu_{index})(void) = (void (*)(void)){name};"
        for index, name in enumerate(ordered)
    )
    tree = Tree(headers, defines=(define,), tail=tail)
    symbols: dict[str, str] = {}
    for cursor in tree.root.get_children():
        if cursor.kind == CursorKind.VAR_DECL and cursor.spelling.startswith("pygpu_"):
            name = ordered[int(cursor.spelling.removeprefix("pygpu_"))]
            for inner in cursor.walk_preorder():
                if inner.kind == CursorKind.DECL_REF_EXPR:
                    symbols[name] = str(inner.referenced.spelling)
    return symbols


def _operand(probe: Cursor) -> Cursor | None:
    """The operand of the probe's own cast to long long."""
    cast = without_parentheses(probe)
    if cast.kind != CursorKind.CSTYLE_CAST_EXPR:
        return None
    inner = [child for child in cast.get_children() if child.kind.is_expression()]
    return without_parentheses(inner[-1]) if inner else None

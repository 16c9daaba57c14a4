"""From headers to the model of one release: three parses, and one more to evaluate macros."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from generator.model import Alias, Callback, CType, Function, Release, Struct
from generator.parse.clang import HeaderSet, ParseError, Tree
from generator.parse.declarations import (
    Conventions,
    Declarations,
    defaults,
    macro_renames,
    read_declarations,
)
from generator.parse.macros import (
    MacroText,
    called_symbols,
    evaluate_macros,
    read_macros,
    type_macros,
)
from generator.parse.types import Types
from generator.scalars import BUILTIN

__all__ = ["Conventions", "HeaderSet", "ParseError", "ParseRequest", "parse_release"]

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class ParseRequest:
    """What to parse: the API and release, its headers, and the API's conventions.

    `per_thread` is the macro that makes calls take the per-thread default stream, if there is one.
    """

    api: str
    version: str
    headers: HeaderSet
    conventions: Conventions
    per_thread: str | None = None


def parse_release(request: ParseRequest) -> Release:
    """Everything that the headers declare.

    Parsing as C gives types and layouts. Parsing as C++ gives the defaults of extern "C" functions.
    Parsing as C with the per-thread macro gives the symbols behind that macro. ParseError with
    header and line for a diagnostic of error severity. A function that the model can't express is
    left out, and so is a function whose type it can't express.
    """
    tree = Tree(request.headers)
    texts = read_macros(tree)
    renames = macro_renames(tree, frozenset(texts))
    texts = {name: one for name, one in texts.items() if one.source.owner is None}
    found = read_declarations(tree, request.conventions, renames)
    leave_out(found)
    keep_used(found)
    functions = found.functions

    rename_by_macros(functions, texts)

    given: dict[str, dict[str, str]] = {}
    if tree.mentions(b"__cplusplus"):  # else C++ may not even read it
        given = defaults(Tree(request.headers, language="c++"), request.conventions.prefix)
    for name, function in functions.items():
        functions[name] = _with_defaults(function, given.get(function.symbol, {}))

    if request.per_thread is not None:
        symbols = called_symbols(request.headers, request.per_thread, functions)
        owners: dict[str, str] = {}
        for name, symbol in symbols.items():
            if symbol != functions[name].symbol:
                functions[name] = replace(functions[name], per_thread=symbol)
                owners[symbol] = functions[name].group
        # A per-thread form with a declaration of its own belongs to the group of its function.
        for name, function in functions.items():
            if function.group == "other" and name in owners:
                functions[name] = replace(function, group=owners[name])

    macros = evaluate_macros(request.headers, texts, Types(renames))
    named = {*found.structs, *found.enums, *found.aliases, *found.handles, *found.callbacks}
    aliases = {**found.aliases, **type_macros(texts, named)}
    return Release(
        request.api,
        request.version,
        _sorted(functions),
        _sorted(found.structs),
        _sorted(found.enums),
        _sorted(macros),
        _sorted(aliases),
        _sorted(found.handles),
        _sorted(found.callbacks),
        tuple(sorted(found.inline - functions.keys())),
        _sorted(found.left_out),
    )


def keep_used(found: Declarations) -> None:
    """Remove other APIs' types, unless this API's declarations lead to them."""
    kinds: tuple[dict[str, Any], ...] = (
        *(found.structs, found.enums, found.aliases, found.handles, found.callbacks),
    )
    waiting = [*_bases(found.functions.values())]
    for kind in kinds:
        waiting += (name for name, one in kind.items() if one.source.owner is None)
    used: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            waiting += _bases(kind[name] for kind in kinds if name in kind)
    for kind in kinds:
        for name in [name for name in kind if name not in used]:
            del kind[name]


def leave_out(found: Declarations) -> None:
    """Leave out what has a value of a type that the model can't express, and say why.

    What only stands inside of something left out, under a name made of that one's, goes with it.
    """
    kinds: tuple[dict[str, Any], ...] = (
        *(found.functions, found.callbacks, found.structs, found.aliases),
    )
    incomplete: set[str] = set()  # aliases of structs without a definition: pointers have them
    left: list[str] = ["at first"]
    while left:
        types = {*BUILTIN, *found.enums, *found.handles, *found.callbacks}
        types |= {*found.structs, *found.aliases} - incomplete
        known = types | found.functions.keys()
        left = []
        for kind in kinds:
            for name, node in [*kind.items()]:
                owner = name.rpartition(".")[0]
                missing = next((one for one in _values((node,)) if one not in types), None)
                if missing is None and (not owner or owner in known):
                    continue
                if kind is found.aliases and missing is not None and missing not in found.opaque:
                    left += [] if name in incomplete else [name]
                    incomplete.add(name)
                    continue
                left.append(name)
                del kind[name]
                if missing is not None:
                    why = found.opaque.get(missing, "it isn't defined")
                    text = f"the type '{missing}' can't be expressed ({why})"
                    into = found.left_out if kind is found.functions else found.opaque
                    into[name] = f"{node.source}: {name}: {text}"


def _bases(nodes: Iterable[Any]) -> Iterator[str]:
    """The types that declarations name."""
    return (type.base for type in _types(nodes))


def _values(nodes: Iterable[Any]) -> Iterator[str]:
    """The types of which declarations have values, not only pointers."""
    return (type.base for type in _types(nodes) if not type.is_pointer)


def _types(nodes: Iterable[Any]) -> Iterator[CType]:
    for node in nodes:
        match node:
            case Function() | Callback():
                yield node.result
                yield from (one.type for one in node.parameters)
            case Struct():
                yield from (one.type for one in node.fields)
            case Alias():
                yield node.type


def rename_by_macros(functions: dict[str, Function], texts: Mapping[str, MacroText]) -> None:
    """Bind functions under the name of a macro: `#define cublasSgemm cublasSgemm_v2`.

    If the function's own name begins with the macro's, it only adds a version, and is removed. Any
    other name stays beside the macro's.
    """
    named = {
        name: functions[text.body]
        for name, text in texts.items()
        if text.body in functions and name not in functions
    }
    for name, function in named.items():
        functions[name] = replace(function, name=name)
        if function.name.startswith(name):
            functions.pop(function.name, None)


def _with_defaults(function: Function, given: dict[str, str]) -> Function:
    if not given:
        return function
    parameters = tuple(
        replace(parameter, default=given.get(parameter.name)) for parameter in function.parameters
    )
    return replace(function, parameters=parameters)


def _sorted(nodes: dict[str, Item]) -> dict[str, Item]:
    return dict(sorted(nodes.items()))

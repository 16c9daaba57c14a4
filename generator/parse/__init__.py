"""From headers to the model of one release: three parses, and one more to evaluate macros."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from generator.model import Alias, Callback, CType, Function, Release, Struct
from generator.parse.clang import HeaderSet, ParseError, Tree, first_tree, includes
from generator.parse.declarations import (
    Conventions,
    Declarations,
    defaults,
    is_excluded,
    macro_renames,
    read_declarations,
)
from generator.parse.forwards import bind_forwards, of_headers
from generator.parse.macros import (
    MacroText,
    called_symbols,
    evaluate_macros,
    read_macros,
    type_macros,
)
from generator.parse.types import ADDRESS, Types
from generator.scalars import BUILTIN

__all__ = ["Conventions", "HeaderSet", "ParseError", "ParseRequest", "includes", "parse_release"]

Item = TypeVar("Item")
_VERSION = re.compile(r"_v\d+(?=_|$)")


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
    tree = first_tree(request.headers)
    headers = tree.headers
    texts = read_macros(tree)
    types = Types(tree, macro_renames(tree, frozenset(texts)))
    texts = {
        name: one
        for name, one in texts.items()
        if one.own and not is_excluded(name, headers.exclude)
    }
    declared = read_declarations(tree, request.conventions, types)
    functions = declared.functions
    bind_forwards(functions, declared.forwards)
    leave_out(declared)
    keep_used(declared)

    rename_by_macros(functions, texts)

    default_values: dict[str, dict[str, str]] = {}
    notes: tuple[str, ...] = ()
    if tree.mentions(b"__cplusplus"):  # else C++ may not even read it
        cpp = Tree(headers, language="c++", strict=False)
        if cpp.errors:  # it is only a second opinion
            notes = (f"No defaults of parameters are known: read as C++, {cpp.message()}",)
        else:
            default_values = defaults(cpp, request.conventions.prefix)
    for name, function in functions.items():
        functions[name] = _with_defaults(function, default_values.get(function.symbol, {}))

    if request.per_thread is not None:
        symbols = called_symbols(headers, request.per_thread, of_headers(functions))
        owners: dict[str, str] = {}
        for name, symbol in symbols.items():
            if symbol != functions[name].symbol:
                functions[name] = replace(functions[name], per_thread=symbol)
                owners[symbol] = functions[name].group
        # A per-thread form with a declaration of its own belongs to the group of its function.
        for name, function in functions.items():
            if function.group == "other" and name in owners:
                functions[name] = replace(function, group=owners[name])

    macros = evaluate_macros(headers, texts, types)
    named = {
        *declared.structs,
        *declared.enums,
        *declared.aliases,
        *declared.handles,
        *declared.callbacks,
    }
    aliases = {**declared.aliases, **type_macros(texts, named)}
    return Release(
        request.api,
        request.version,
        _sorted(functions),
        _sorted(declared.structs),
        _sorted(declared.enums),
        _sorted(macros),
        _sorted(aliases),
        _sorted(declared.handles),
        _sorted(declared.callbacks),
        tuple(sorted(declared.inline - functions.keys())),
        _sorted(declared.left_out),
        notes,
    )


def keep_used(declared: Declarations) -> None:
    """Remove types of other headers, unless the API's own declarations lead to them."""
    kinds: tuple[dict[str, Any], ...] = (
        *(declared.structs, declared.enums, declared.aliases, declared.handles, declared.callbacks),
    )
    waiting = [*_bases(declared.functions.values())]
    for kind in kinds:
        waiting += (name for name in kind if name not in declared.further)
    used: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            waiting += _bases(kind[name] for kind in kinds if name in kind)
    for kind in kinds:
        for name in [name for name in kind if name not in used]:
            del kind[name]


def leave_out(declared: Declarations) -> None:
    """Leave out what has a value of a type that the model can't express, and say why.

    A callback with such a value is an address. What only stands inside of something left out, under
    a name made of that one's, goes with it.
    """
    kinds: tuple[dict[str, Any], ...] = (declared.functions, declared.callbacks, declared.aliases)
    types = {*BUILTIN, *declared.enums, *declared.handles, *declared.structs}
    otherwise = _approximate(declared)
    left = True
    while left:
        left = False
        hollow = _hollow(declared)
        values = types | declared.callbacks.keys() | (declared.aliases.keys() - hollow)
        for kind in kinds:
            for name, node in [*kind.items()]:
                owner = name.rpartition(".")[0]
                alone = not owner or owner in values or owner in declared.functions
                if name in hollow or (
                    not (why := _why(declared, node, values, otherwise)) and alone
                ):
                    continue
                left = True
                del kind[name]
                if why and kind is declared.callbacks:
                    declared.aliases[name] = Alias(name, ADDRESS, node.source)
                elif why:
                    into = declared.left_out if kind is declared.functions else declared.opaque
                    into[name] = f"{node.source}: {name}: {why}"


def _why(declared: Declarations, node: Any, values: Set[str], otherwise: Mapping[str, str]) -> str:
    """Why the model can't express a declaration; "" if it can."""
    for one in _values((node,)):
        if one not in values:
            why = declared.opaque.get(one, "it isn't defined")
            return f"the type '{one}' can't be expressed ({why})"
        if one in otherwise and not isinstance(node, Alias):
            return f"'{one}' can't be passed by value ({otherwise[one]})"
    return ""


def _hollow(declared: Declarations) -> set[str]:
    """The typedefs of structs that aren't defined: only pointers to them can be used."""
    hollow: set[str] = set()
    while more := {
        name
        for name, one in declared.aliases.items()
        if name not in hollow
        and not one.type.is_pointer
        and (
            one.type.base in hollow or one.type.base in declared.undefined - declared.structs.keys()
        )
    }:
        hollow |= more
    return hollow


def _approximate(declared: Declarations) -> dict[str, str]:
    """The types that C++ may pass otherwise than C, because a field has another type there."""
    reasons = dict(declared.approximate)
    held = {**declared.structs, **declared.aliases}
    while more := {
        name: reasons[base]
        for name, node in held.items()
        if name not in reasons
        and (base := next((b for b in _values((node,)) if b in reasons), None))
    }:
        reasons |= more
    return reasons


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

    If the function's own name only adds a version to the macro's, as cublasSnrm2_v2_64 does to
    cublasSnrm2_64, it is removed: a function has one name. Any other name stays beside the macro's.
    An older function of the macro's name is out of reach below the macro, as hipblasCgemm is.
    """
    named = {
        name: functions[text.body]
        for name, text in texts.items()
        if text.body in functions and (name not in functions or _plain(text.body) == name)
    }
    for name, function in named.items():
        functions[name] = replace(function, name=name)
        if function.name.startswith(name) or _plain(function.name) == name:
            functions.pop(function.name, None)


def _plain(name: str) -> str:
    """A function's name without its version."""
    return _VERSION.sub("", name)


def _with_defaults(function: Function, default_values: dict[str, str]) -> Function:
    if not default_values:
        return function
    parameters = tuple(
        replace(parameter, default=default_values.get(parameter.name))
        for parameter in function.parameters
    )
    return replace(function, parameters=parameters)


def _sorted(nodes: dict[str, Item]) -> dict[str, Item]:
    return dict(sorted(nodes.items()))

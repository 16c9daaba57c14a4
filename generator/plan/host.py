"""The plan of the host runtime's exports: every function of the newest release."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from generator.errors import GeneratorError
from generator.manifest import Manifest, Status
from generator.merge import form_of
from generator.model import Api, CType, Enum, Function, Parameter, Variant
from generator.plan.api import error_names
from generator.plan.binding import COMMANDS
from generator.plan.host_library import Library
from generator.plan.renamed import follow_renames
from generator.releases import VersionMacro
from generator.schema import Name, Release, Text, Words, least, matching
from generator.toml import load_toml


@dataclass(frozen=True, slots=True)
class Export:
    """One exported symbol; `call` is None without an implementation.

    `result` and `parameters` are C's; `guard` is "bare" or one of hostgpu's `Guard`.
    `since` is the first release that can be called so, as a number, 0 if all listed releases can.
    `attribute` is the parameter that says which attribute is meant, if there is one to check.
    """

    symbol: str
    name: str
    result: CType
    parameters: tuple[Parameter, ...]
    guard: str
    per_thread: bool
    call: Call | None
    since: int
    attribute: Attribute | None


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter of the exported function. `type` is hostgpu's where C's own doesn't say it."""

    parameter: str
    type: CType | None


@dataclass(frozen=True, slots=True)
class Call:
    """The function of hostgpu that does what the exported one does.

    An argument is one of the exported function's, or the name of a constant of hostgpu.
    """

    function: str
    arguments: tuple[Argument | str, ...]


@dataclass(frozen=True, slots=True)
class Attribute:
    """A parameter that names an attribute; `known` are the attributes, as ranges with both ends."""

    parameter: str
    known: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class HostPlan:
    """All exports of one API, and its codes."""

    api: str
    namespace: str
    release: str
    version: int
    exports: tuple[Export, ...]
    errors: tuple[tuple[int, str, str], ...]
    command: str = COMMANDS[False]  # the one that writes the files


@dataclass(frozen=True, slots=True)
class Implemented:
    """api_specs/host.toml: which functions are implemented for which release, and their guards."""

    written_for: Mapping[str, str]
    names: Mapping[str, frozenset[str]]
    own: Mapping[str, frozenset[str]]
    shared: frozenset[str]
    sharing: frozenset[str]
    bare: frozenset[str]
    pure: Mapping[str, frozenset[str]]
    light: Mapping[str, frozenset[str]]
    unsafe: Mapping[str, frozenset[str]]
    unsafe_late: Mapping[str, frozenset[str]]
    messages: Mapping[str, Mapping[int, str]]
    forwards: Mapping[str, Mapping[str, str]]
    types: Mapping[str, Mapping[str, str]]

    @classmethod
    def load(cls, specs: Path, namespaces: Collection[str]) -> Implemented:
        """The functions of the host runtime's APIs, by namespaces. GeneratorError if wrong."""
        data: Any = load_toml(_host(namespaces), specs / "host.toml")
        tables: Mapping[str, _Functions] = {api: getattr(data, api) for api in namespaces}
        shared, sharing = _words(data.shared.functions), frozenset(data.shared.namespaces)
        if unknown := sharing - set(namespaces):
            raise GeneratorError(f"host.toml: shared: no API is called {', '.join(unknown)}")
        own = {}
        for api, one in tables.items():
            functions = _words(one.functions)
            if twice := functions & one.forwards.keys():
                listed = ", ".join(sorted(twice))
                raise GeneratorError(f"host.toml: {api}: listed and forwarded: {listed}")
            if api in sharing and (twice := shared & functions):
                listed = ", ".join(sorted(twice))
                raise GeneratorError(f"host.toml: both shared and {api}: {listed}")
            own[api] = functions | one.forwards.keys()
        texts: Any = load_toml(_texts(namespaces), specs / "error_messages.toml")
        return cls(
            {api: getattr(data.written_for, api) for api in namespaces},
            {api: own[api] | (shared if api in sharing else set()) for api in namespaces},
            own,
            shared,
            sharing,
            _words(data.guard.bare),
            {api: _guarded(data.guard, api, "pure") for api in namespaces},
            {api: _guarded(data.guard, api, "light") for api in namespaces},
            {api: _words(getattr(data.guard, api).unsafe) for api in namespaces},
            {api: _words(getattr(data.guard, api).unsafe_late) for api in namespaces},
            {
                api: _by_code({**texts.messages, **getattr(texts, api), **data.messages})
                for api in namespaces
            },
            {api: one.forwards for api, one in tables.items()},
            {api: one.types for api, one in tables.items()},
        )


def _guarded(guard: Any, api: str, how: str) -> frozenset[str]:
    """The functions that all APIs guard in this way, and those of this API."""
    return _words(getattr(guard, how)) | _words(getattr(getattr(guard, api), how))


_Forward = Annotated[
    str,
    matching(
        r"\w+(\((\$[1-9]|\w+)(, (\$[1-9]|\w+))*\))?", "a function of hostgpu, or a call of one"
    ),
]
_ByCode = Mapping[Annotated[str, matching(r"\d{1,9}", "an error's number")], Text]


@dataclass(frozen=True, slots=True)
class _Functions:
    """The functions of one API."""

    functions: Words
    forwards: Mapping[Name, _Forward] = field(default_factory=dict)
    types: Mapping[Name, Text] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Shared:
    functions: Words
    namespaces: Annotated[tuple[Name, ...], least(1)]


@dataclass(frozen=True, slots=True)
class _Guarded:
    pure: Words = ""
    light: Words = ""
    unsafe: Words = ""
    unsafe_late: Words = ""


def _host(namespaces: Collection[str]) -> type:
    """What host.toml has to look like."""
    words: dict[str, Any] = dict.fromkeys(("bare", "pure", "light"), Words)
    guarded = [(one, _Guarded, field(default=_Guarded())) for one in namespaces]
    tables = {
        "written_for": _table(dict.fromkeys(namespaces, Release)),
        "shared": _Shared,
        "guard": make_dataclass("Guard", [*words.items(), *guarded], frozen=True),
        "messages": _ByCode,
        "libraries": Mapping[Name, Library],
    }
    return _table(tables | dict.fromkeys(namespaces, _Functions))


def _texts(namespaces: Collection[str]) -> type:
    """What error_messages.toml has to look like."""
    own: Any = [(one, _ByCode, field(default_factory=dict)) for one in namespaces]
    return make_dataclass("Texts", [("messages", _ByCode), *own], frozen=True)


def _table(keys: Mapping[str, Any]) -> type:
    return make_dataclass("Table", keys.items(), frozen=True)


def plan(
    api: Api, manifest: Manifest, version: VersionMacro | None, implemented: Implemented
) -> HostPlan:
    """The exports of the newest release; a listed function that no header has is an error."""
    if version is None:
        raise GeneratorError(f"{api.name}: the host runtime needs the version macro's number")
    api = follow_renames(api)
    prefix = manifest.namespace
    functions = [v[-1] for v in api.functions.values() if v[-1].until == api.newest]
    _check_unsafe(api, prefix, implemented)
    calls = _calls(api, prefix, implemented)
    # A numbered symbol may be older than its present name: cuDeviceGetUuid_v2 was a function of its
    # own before it became the symbol of cuDeviceGetUuid. It exists from its first release on.
    oldest: dict[str, str] = {}
    for form in (one for variants in api.functions.values() for one in variants):
        oldest[form.node.symbol] = min(
            oldest.get(form.node.symbol, form.since), form.since, key=api.releases.index
        )
    by_symbol: dict[str, Export] = {}
    for form in functions:
        symbol = form.node.symbol
        first = oldest[symbol]
        if not re.search(r"_v\d+$", symbol):
            first = _first_alike(api.functions[form.node.name])
        since = 0 if first == api.releases[0] else version.number(first)
        attribute = _attribute(api, form.node)
        for export in _exports(form.node, since, attribute, manifest, implemented, calls):
            by_symbol.setdefault(export.symbol, export)
    return HostPlan(
        api=api.name,
        namespace=prefix,
        release=api.newest,
        version=version.number(api.newest),
        exports=tuple(by_symbol[symbol] for symbol in sorted(by_symbol)),
        errors=_errors(api, manifest.status, implemented.messages[prefix]),
    )


def check_shared(plans: Iterable[HostPlan], implemented: Implemented) -> None:
    """Check that each function listed as shared is one of some API. GeneratorError otherwise."""
    exported = {
        export.name.removeprefix(plan.namespace)
        for plan in plans
        if plan.namespace in implemented.sharing
        for export in plan.exports
    }
    if unknown := implemented.shared - exported:
        raise GeneratorError(f"host.toml: no API has the shared {', '.join(sorted(unknown))}")


def _check_unsafe(api: Api, prefix: str, implemented: Implemented) -> None:
    """Check that the unsafe functions exist and are listed once. GeneratorError otherwise."""
    unsafe, late = implemented.unsafe[prefix], implemented.unsafe_late[prefix]
    if twice := unsafe & late:
        listed = ", ".join(sorted(twice))
        raise GeneratorError(f"host.toml: guard.{prefix}: unsafe and unsafe_late: {listed}")
    if late_light := late & implemented.light[prefix]:
        listed = ", ".join(sorted(late_light))
        raise GeneratorError(f"host.toml: guard.{prefix}: light and unsafe_late: {listed}")
    known = {name.removeprefix(prefix).removesuffix("_spt") for name in api.functions}
    if unknown := (unsafe | late) - known:
        listed = ", ".join(sorted(unknown))
        raise GeneratorError(f"host.toml: guard.{prefix}: no function {prefix}: {listed}")


def _calls(api: Api, prefix: str, implemented: Implemented) -> frozenset[str]:
    """The implemented functions whose newest form takes the types that they are written for."""
    listed, release = implemented.names[prefix], implemented.written_for[prefix]
    written = {
        name.removeprefix(prefix): form
        for name, variants in api.functions.items()
        if (form := form_of(variants, release))
    }
    if unknown := implemented.own[prefix] - written.keys():
        raise GeneratorError(
            f"host.toml: no function {prefix}: {', '.join(sorted(unknown))} in {release}"
        )
    return frozenset(
        name
        for name in listed & written.keys()
        if _types(written[name]) == _types(api.functions[prefix + name][-1].node)
    )


def _first_alike(variants: Sequence[Variant[Function]]) -> str:
    """The first release from which on a function could be called as today.

    Another name or default of a parameter is a form of its own, but the same function to a library.
    """
    newest = variants[-1]
    since = newest.since
    for form in reversed(variants):
        if form.node.symbol != newest.node.symbol or _types(form.node) != _types(newest.node):
            break
        since = form.since
    return since


def _types(function: Function) -> list[CType]:
    """What a function gives and takes, without const: headers correct that at times."""
    types = (function.result, *(one.type for one in function.parameters))
    return [CType(one.base, False, (False,) * len(one.pointers), one.extents) for one in types]


def _exports(
    function: Function,
    since: int,
    attribute: Attribute | None,
    manifest: Manifest,
    implemented: Implemented,
    calls: frozenset[str],
) -> Iterator[Export]:
    twin = function.name.endswith("_spt")  # HIP declares these as functions of their own, too
    public = function.name.removesuffix("_spt") if twin else function.name
    name = public.removeprefix(manifest.namespace)
    guard = _guard(name, function.result, manifest, implemented)
    # These look at the device first, as a card does, and know their attributes themselves.
    checked = guard == "bare" or (name in calls and name.startswith("DeviceGet"))
    common = {
        "name": function.name,
        "result": function.result,
        "parameters": function.parameters,
        "guard": guard,
        "since": since,
        "call": _call(name, function, manifest.namespace, implemented) if name in calls else None,
        "attribute": None if checked else attribute,
    }
    if function.per_thread:
        yield Export(symbol=function.per_thread, per_thread=True, **common)  # type: ignore[arg-type]
    yield Export(symbol=function.symbol, per_thread=twin, **common)  # type: ignore[arg-type]


def _guard(name: str, result: CType, manifest: Manifest, implemented: Implemented) -> str:
    if name in implemented.bare or str(result) != manifest.status.type:
        return "bare"
    if name in implemented.pure[manifest.namespace]:
        return "pure"
    unsafe = name in implemented.unsafe[manifest.namespace]
    if name in implemented.light[manifest.namespace]:
        return "light_unsafe" if unsafe else "light"
    if name in implemented.unsafe_late[manifest.namespace]:
        return "unsafe_late"
    return "unsafe" if unsafe else "full"


def _call(name: str, function: Function, namespace: str, implemented: Implemented) -> Call:
    """The call of an implemented function: of its own name, or of the one it is forwarded to."""
    types = implemented.types[namespace]
    own = [
        Argument(one.name, _ours(one.type, types.get(one.type.base))) for one in function.parameters
    ]
    forward = implemented.forwards[namespace].get(name, name)
    target, _, listed = forward.rstrip(")").partition("(")
    if not listed:
        return Call(target, tuple(own))
    arguments: list[Argument | str] = []
    for one in listed.split(", "):
        if not one.startswith("$"):
            arguments.append(one)
        elif (place := int(one[1:])) <= len(own):
            arguments.append(own[place - 1])
        else:
            raise GeneratorError(f"host.toml: {namespace}: {name}: it has no parameter {one}")
    return Call(target, tuple(arguments))


def _ours(type_: CType, named: str | None) -> CType | None:
    """hostgpu's type for a type that has such a name there."""
    if named is None:
        return None
    stars = named.count("*")
    base = named.rstrip("* ")
    if not stars:
        return replace(type_, base=base)
    return CType(base, False, (False,) * (stars - 1) + (type_.const, *type_.pointers))


def _attribute(api: Api, function: Function) -> Attribute | None:
    """The parameter that names an attribute. What any release calls an attribute is one."""
    for one in function.parameters:
        forms = _enum(api, one.type.base)
        if one.name.startswith("attr") and forms and not one.type.is_pointer:
            values = {
                each.value
                for form in forms
                for each in form.node.enumerators
                if not re.search(r"(Max|_MAX)$", each.name)  # how many there are
            }
            return Attribute(one.name, _ranges(values))
    return None


def _ranges(values: Collection[int]) -> tuple[tuple[int, int], ...]:
    """The same values as ranges, both ends included."""
    firsts = sorted(one for one in values if one - 1 not in values)
    lasts = sorted(one for one in values if one + 1 not in values)
    return tuple(zip(firsts, lasts, strict=True))


def _enum(api: Api, name: str) -> Sequence[Variant[Enum]]:
    """The forms of an enumeration, by its name or a typedef's; none of other types."""
    while name in api.aliases and name not in api.enums:
        name = api.aliases[name][-1].node.type.base
    return api.enums.get(name, ())


def _errors(
    api: Api, status: Status, messages: Mapping[int, str]
) -> tuple[tuple[int, str, str], ...]:
    """Codes with name and text; the text of a code without one is its name in words."""
    forms = _enum(api, status.class_) or _enum(api, str(status.type))
    if not forms:
        raise GeneratorError(f"api_specs/{api.name}/api.toml: status: {status.class_} is no enum")
    return tuple(
        (code, name, messages.get(code) or _in_words(name.removeprefix(status.class_)))
        for code, name in error_names(forms[-1].node)
    )


def _in_words(name: str) -> str:
    """ "RuntimeMemory" and "RUNTIME_MEMORY" are "runtime memory"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name).lower()


def _by_code(texts: Mapping[str, str]) -> dict[int, str]:
    return {int(code): text for code, text in texts.items()}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())

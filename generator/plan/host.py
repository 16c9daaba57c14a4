"""The plan of the host runtime's exports: every function of the newest release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from generator.errors import GeneratorError
from generator.merge import form_of
from generator.model import Api, CType, Enum, Function
from generator.plan.api import NAMESPACES, error_names
from generator.plan.ctypes import declare
from generator.plan.renamed import follow_renames
from generator.toml import tomllib


@dataclass(frozen=True, slots=True)
class Export:
    """One exported symbol; `call` is the implementation's name, None where there is none.

    `result` and `parameters` are C's; `guard` is "bare", "pure", "light" or "full". What launches
    kernels can only refuse, whether it is written or not.
    """

    symbol: str
    name: str
    result: str
    parameters: str
    arguments: tuple[str, ...]
    guard: str
    per_thread: bool
    call: str | None
    launches: bool


@dataclass(frozen=True, slots=True)
class HostPlan:
    """All exports of one API, its enumerators and its codes."""

    api: str
    namespace: str
    release: str
    version: int
    exports: tuple[Export, ...]
    enums: tuple[Enum, ...]
    errors: tuple[tuple[int, str, str], ...]


@dataclass(frozen=True, slots=True)
class Implemented:
    """api_specs/host.toml: which functions are implemented for which release, and their guards."""

    written_for: Mapping[str, str]
    names: Mapping[str, frozenset[str]]
    bare: frozenset[str]
    pure: frozenset[str]
    light: frozenset[str]
    launches: frozenset[str]
    messages: Mapping[str, Mapping[int, str]]

    @classmethod
    def load(cls, specs: Path) -> Implemented:
        data = tomllib.loads((specs / "host.toml").read_text(encoding="utf-8"))
        tables = {"written_for", "shared", "launches", "guard", "messages", *NAMESPACES.values()}
        if data.keys() != tables:
            wrong = ", ".join(sorted(data.keys() ^ tables))
            raise GeneratorError(f"api_specs/host.toml: unknown or missing tables: {wrong}")
        shared = _words(data["shared"]["functions"])
        names = {api: shared | _words(data[api]["functions"]) for api in NAMESPACES.values()}
        for api in NAMESPACES.values():
            if twice := shared & _words(data[api]["functions"]):
                listed = ", ".join(sorted(twice))
                raise GeneratorError(f"host.toml: both shared and {api}: {listed}")
        guard = data["guard"]
        told = (specs / "error_messages.toml").read_text(encoding="utf-8")
        texts = tomllib.loads(told)
        messages = {
            api: _by_code(texts["messages"] | texts.get(api, {}) | data["messages"])
            for api in NAMESPACES.values()
        }
        return cls(
            data["written_for"],
            names,
            _words(guard["bare"]),
            _words(guard["pure"]),
            _words(guard["light"]),
            _words(data["launches"]["functions"]),
            messages,
        )


def plan(api: Api, implemented: Implemented) -> HostPlan:
    """The exports of the newest release; a listed function that no header has is an error."""
    api = follow_renames(api)
    prefix = NAMESPACES[api.name]
    functions = [v[-1].node for v in api.functions.values() if v[-1].until == api.newest]
    calls = _calls(api, prefix, implemented)
    by_symbol: dict[str, Export] = {}
    for function in functions:
        for export in _exports(function, prefix, implemented, calls):
            by_symbol.setdefault(export.symbol, export)
    enums = [variants[-1].node for variants in api.enums.values()]
    return HostPlan(
        api=api.name,
        namespace=prefix,
        release=api.newest,
        version=_version(prefix, api),
        exports=tuple(by_symbol[symbol] for symbol in sorted(by_symbol)),
        enums=tuple(sorted(enums, key=lambda one: one.name)),
        errors=_errors(api, prefix, implemented.messages[prefix]),
    )


def _calls(api: Api, prefix: str, implemented: Implemented) -> frozenset[str]:
    """The implemented functions whose newest form takes the types that they are written for."""
    listed, release = implemented.names[prefix], implemented.written_for[prefix]
    written = {
        name.removeprefix(prefix): form
        for name, variants in api.functions.items()
        if (form := form_of(variants, release))
    }
    # Names that are shared are CUDA's; HIP hasn't got all of them.
    if prefix == "cuda" and (unknown := listed - written.keys()):
        raise GeneratorError(
            f"host.toml: no function {prefix}: {', '.join(sorted(unknown))} in {release}"
        )
    return frozenset(
        name
        for name in listed & written.keys()
        if _types(written[name]) == _types(api.functions[prefix + name][-1].node)
    )


def _types(function: Function) -> list[CType]:
    """What a function gives and takes; const is no part of it, which headers put right at times."""
    types = (function.result, *(one.type for one in function.parameters))
    return [CType(one.base, False, (False,) * len(one.pointers), one.extents) for one in types]


def _exports(
    function: Function, prefix: str, implemented: Implemented, calls: frozenset[str]
) -> Iterator[Export]:
    twin = function.name.endswith("_spt")  # HIP declares these as functions of their own too
    public = function.name.removesuffix("_spt") if twin else function.name
    name = public.removeprefix(prefix)
    given = {
        "name": function.name,
        "result": str(function.result),
        "parameters": ", ".join(declare(one.type, one.name) for one in function.parameters),
        "arguments": tuple(one.name for one in function.parameters),
        "guard": _guard(name, function.result, prefix, implemented),
        "call": name if name in calls else None,
        "launches": name in implemented.launches,
    }
    if function.per_thread:
        yield Export(symbol=function.per_thread, per_thread=True, **given)  # type: ignore[arg-type]
    yield Export(symbol=function.symbol, per_thread=twin, **given)  # type: ignore[arg-type]


def _guard(name: str, result: CType, prefix: str, implemented: Implemented) -> str:
    if name in implemented.bare or str(result) != f"{prefix}Error_t":
        return "bare"
    if name in implemented.pure:
        return "pure"
    return "light" if name in implemented.light else "full"


def _errors(api: Api, prefix: str, messages: Mapping[int, str]) -> tuple[tuple[int, str, str], ...]:
    """Codes with name and text; a code without a text of its own says its name in words."""
    enum = next(api.enums[name][-1].node for name in _status_enums(prefix) if name in api.enums)
    return tuple(
        (code, name, messages.get(code) or _in_words(name.removeprefix(f"{prefix}Error")))
        for code, name in error_names(enum)
    )


def _status_enums(prefix: str) -> tuple[str, str]:
    return f"{prefix}Error", f"{prefix}Error_t"


def _in_words(name: str) -> str:
    """ "RuntimeMemory" is "runtime memory"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


def _version(prefix: str, api: Api) -> int:
    """The newest release as the version call gives it: 13000 for CUDA 13.0."""
    major, minor, *rest = (int(part) for part in api.newest.split("."))
    if prefix == "cuda":
        return major * 1000 + minor * 10
    return major * 10_000_000 + minor * 100_000 + (rest[0] if rest else 0)


def _by_code(texts: Mapping[str, str]) -> dict[int, str]:
    return {int(code): text for code, text in texts.items()}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())

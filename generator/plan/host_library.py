"""The plan of a library that the host runtime has beside its own: all functions of one API."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.errors import GeneratorError
from generator.manifest import Manifest
from generator.model import Api, CType, Parameter
from generator.plan.api import error_names
from generator.plan.binding import COMMANDS
from generator.plan.renamed import follow_renames
from generator.toml import read_toml


@dataclass(frozen=True, slots=True)
class LibraryExport:
    """One exported symbol. `function` is what hostgpu calls it."""

    symbol: str
    function: str
    result: CType
    parameters: tuple[Parameter, ...]
    implemented: bool


@dataclass(frozen=True, slots=True)
class LibraryPlan:
    """All exports of one API, and its codes with their texts."""

    api: str
    namespace: str
    exports: tuple[LibraryExport, ...]
    errors: tuple[tuple[int, str], ...]
    command: str = COMMANDS[False]  # the one that writes the files


def plan(api: Api, manifest: Manifest, implemented: Collection[str]) -> LibraryPlan:
    """Every symbol of the newest release. GeneratorError for a listed one that it lacks."""
    api = follow_renames(api)
    prefix = manifest.namespace
    forms = [v[-1].node for v in api.functions.values() if v[-1].until == api.newest]
    by_symbol = {one.symbol: one for one in forms}
    if unknown := set(implemented) - {one.removeprefix(prefix) for one in by_symbol}:
        listed = ", ".join(sorted(unknown))
        raise GeneratorError(f"host.toml: libraries: {prefix} {api.newest} exports no {listed}")
    exports = tuple(
        LibraryExport(
            symbol,
            symbol.removeprefix(prefix),
            by_symbol[symbol].result,
            by_symbol[symbol].parameters,
            symbol.removeprefix(prefix) in implemented,
        )
        for symbol in sorted(by_symbol)
    )
    return LibraryPlan(api.name, prefix, exports, _errors(api, manifest))


def load(specs: Path, namespaces: Collection[str]) -> dict[str, frozenset[str]]:
    """The implemented symbols, without their prefixes, of these APIs: host.toml's libraries."""
    data: dict[str, Any] = read_toml(specs / "host.toml") if namespaces else {}
    lists = data.get("libraries", {})
    if wrong := sorted(set(namespaces) ^ set(lists)):
        raise GeneratorError(f"host.toml: libraries: {', '.join(wrong)}: listed, or a host_library")
    return {name: frozenset(text.split()) for name, text in lists.items()}


def _errors(api: Api, manifest: Manifest) -> tuple[tuple[int, str], ...]:
    """Codes with texts: their names as words."""
    forms = api.enums.get(str(manifest.status.class_)) or api.enums.get(
        api.aliases[str(manifest.status.class_)][-1].node.type.base, ()
    )
    names = error_names(forms[-1].node)
    prefix = f"{manifest.namespace.upper()}_"
    return tuple(
        (code, name.removeprefix(prefix).removeprefix("ERROR_").replace("_", " ").title())
        for code, name in names
    )

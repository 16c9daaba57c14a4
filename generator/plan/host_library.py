"""The plan of a library that the host runtime has beside its own: all functions of one API."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from generator.errors import GeneratorError
from generator.manifest import Manifest
from generator.merge import form_of
from generator.model import Api, CType, Function, Parameter
from generator.plan.api import error_names
from generator.plan.binding import COMMANDS
from generator.plan.renamed import follow_renames
from generator.schema import Release, Words
from generator.toml import as_object, read_toml


@dataclass(frozen=True, slots=True)
class Library:
    """host.toml's table of one: the implemented symbols, and the release that they are for."""

    written_for: Release
    functions: Words


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


def plan(api: Api, manifest: Manifest, library: Library) -> LibraryPlan:
    """Every symbol of the newest release. GeneratorError for a listed one that was never there."""
    api = follow_renames(api)
    prefix = manifest.namespace
    newest, written = {}, {}
    for variants in api.functions.values():
        if variants[-1].until == api.newest:
            newest[variants[-1].node.symbol] = variants[-1].node
        if form := form_of(variants, library.written_for):
            written[form.symbol] = form
    listed = {prefix + one for one in library.functions.split()}
    if unknown := listed - written.keys():
        names, release = ", ".join(sorted(unknown)), library.written_for
        raise GeneratorError(f"host.toml: libraries: {prefix} {release} exports no {names}")
    implemented = {one for one in listed & newest.keys() if _alike(newest[one], written[one])}
    exports = tuple(
        LibraryExport(
            symbol,
            symbol.removeprefix(prefix),
            newest[symbol].result,
            newest[symbol].parameters,
            symbol in implemented,
        )
        for symbol in sorted(newest)
    )
    return LibraryPlan(api.name, prefix, exports, _errors(api, manifest))


def load(specs: Path, namespaces: Collection[str]) -> Mapping[str, Library]:
    """What is implemented of these APIs: host.toml's libraries. GeneratorError if wrong."""
    path = specs / "host.toml"
    data = read_toml(path) if namespaces else {}
    libraries = {
        name: as_object(Library, table, path, GeneratorError)
        for name, table in data.get("libraries", {}).items()
    }
    if wrong := sorted(set(namespaces) ^ set(libraries)):
        listed = ", ".join(wrong)
        raise GeneratorError(f"host.toml: libraries: {listed}: not both listed and a host_library")
    return libraries


def _alike(function: Function, other: Function) -> bool:
    def types(one: Function) -> list[CType]:
        return [one.result, *(parameter.type for parameter in one.parameters)]

    return types(function) == types(other)


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

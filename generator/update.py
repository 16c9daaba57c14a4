"""Adds a release: merges its headers into the model, lists it, shows changes. Writes nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from generator import rules
from generator.diff import Change, diff_releases
from generator.errors import GeneratorError
from generator.merge import KINDS, merge, release_of
from generator.model import Api, Release
from generator.parse import Conventions, HeaderSet, ParseRequest, parse_release
from generator.plan.spelling import beside, changeable, public_name
from generator.releases import ApiReleases, ReleasesError, release_added, release_name
from generator.schema import SchemaError
from generator.store import document, dumps, load, loads


@dataclass(frozen=True, slots=True)
class Update:
    """The result of an update. `changes` are those since the release `base`, if there is one.

    `noted` are other declarations of which api.json says something else now: sources, groups,
    documentation, or releases. `after` is the listed release that follows it. `notes` are lines on
    functions that are left out though no rule excludes them, and on names that Python spells
    otherwise. `files` are the new texts of api.json and releases.toml.
    """

    api: Api
    release: str
    base: str | None
    changes: list[Change]
    noted: tuple[str, ...]
    notes: tuple[str, ...]
    after: str | None
    files: Mapping[Path, str]

    def checked_files(self) -> Mapping[Path, str]:
        """`files`, if a later run can read them. GeneratorError for what no api.json may hold."""
        try:
            loads(dumps(self.api))
        except SchemaError as error:
            raise GeneratorError(f"{self.api.name}: no model can hold this: {error}") from None
        return self.files


def parse_headers(specs: Path, settings: ApiReleases, version: str, include: Path) -> Release:
    """Parse a release's include folder, and check that it is of that release.

    Further declarations from the API's folder in `specs` count as the vendor's.
    """
    also = specs / settings.name / settings.also.declared if settings.also else None
    release = parse_release(
        ParseRequest(
            settings.name,
            release_name(version),
            HeaderSet(
                include,
                settings.header,
                settings.defines,
                also,
                settings.depends,
                tuple(specs.parent / one for one in settings.include),
                settings.exclude,
                more=settings.more_headers,
            ),
            Conventions(settings.prefix, settings.group_prefix, settings.codes, settings.handles),
            settings.per_thread,
        )
    )
    settings.check_version(version, release.macros)
    if not release.functions:
        raise ReleasesError(
            f"{settings.name}: {settings.header} declares no function"
            + (f" whose name begins with {settings.prefix!r}" if settings.prefix else "")
            + ", so nothing would be generated"
            + (f"; it defines {len(release.inline)} inline" if release.inline else "")
            + "".join(f"; {why}" for why in [*release.left_out.values()][:1])
        )
    return release


def update(
    root: Path,
    settings: ApiReleases,
    version: str,
    include: Path,
    *,
    packaged: bool,
    read: Release | None = None,
) -> Update:
    """Parse a release and merge it into the model; list it, with its headers' folder.

    `packaged`: the headers are those of a package, which needs no folder. `read` is the release if
    these headers were parsed before.
    """
    specs = root / "api_specs"
    release = read or parse_headers(specs, settings, version, include)
    folder = specs / settings.name
    path, listed = folder / "api.json", folder / "releases.toml"
    before = load(path) if os.path.lexists(path) else None
    api = merge(before, release)
    base = _neighbour(api, release.version, before)
    old = release_of(before, base) if before is not None and base is not None else None
    where = None if packaged else _seen_from(root, settings.folders.get(version), include)
    files = {path: dumps(api), listed: release_added(listed, version, where)}
    changes = diff_releases(old, release)
    noted = _noted(before, api, {change.name for change in changes}) if before else ()
    with beside(changeable(api)):
        notes = tuple(_notes(specs, release))
    index = api.releases.index(release.version)
    after = api.releases[index + 1 :]
    return Update(
        api,
        release.version,
        base,
        changes,
        noted,
        notes,
        after[0] if after else None,
        files,
    )


def _notes(specs: Path, release: Release) -> Iterator[str]:
    """What is left out, and how to change that or to say why; which names are others in Python."""
    known = rules.load(release.api, specs)
    place = f"api_specs/{release.api}"
    if inline := [name for name in release.inline if known.exclude(name) is None]:
        yield (
            f"Not bound, because the header defines them inline: {', '.join(inline)}. If the"
            f" library exports them: `defines` or `also` in {place}/releases.toml may bring their"
            " declarations."
        )
    yield from release.notes
    for name, why in release.left_out.items():
        if known.exclude(name) is None:
            rule = f'[function.{name}] exclude = "…"'
            yield f"Not bound: {why}. To accept that, write into {place}/rules.toml: {rule}"
    names = {name for kind in KINDS for name in getattr(release, kind)}
    names |= {one.name for enum in release.enums.values() for one in enum.enumerators}
    if others := sorted(public_name(one) for one in names if public_name(one) != one):
        listed = ", ".join(others)
        yield f"Names that got an underscore, because Python or the module uses them: {listed}."


def _noted(before: Api, after: Api, reported: set[str]) -> tuple[str, ...]:
    """The declarations that api.json has in another form, without those reported already."""
    old, new = document(before), document(after)
    changed: set[str] = set()
    for kind in KINDS:
        changed |= {
            name for name in {*old[kind], *new[kind]} if old[kind].get(name) != new[kind].get(name)
        }
    reported |= {
        name
        for name, forms in after.enums.items()
        if any(one.name in reported for form in forms for one in form.node.enumerators)
    }
    return tuple(sorted(changed - reported))


def _seen_from(root: Path, recorded: str | None, include: Path) -> str:
    """An include folder's path in releases.toml: as before, else relative."""
    if recorded and (root / recorded).resolve() == include.resolve():
        return recorded
    return seen_from(root, include)


def seen_from(root: Path, folder: Path) -> str:
    """A folder's path, relative to the tree unless the two have nothing in common, as /usr."""
    root, folder = root.resolve(), folder.resolve()
    if os.path.commonpath((root, folder)) == os.sep:
        return str(folder)
    return os.path.relpath(folder, root)


def _neighbour(api: Api, version: str, before: Api | None) -> str | None:
    """The release itself if it was known, else the one before it, else the one after it."""
    if before is None:
        return None
    if version in before.releases:
        return version
    index = api.releases.index(version)
    return api.releases[index - 1] if index else api.releases[1]

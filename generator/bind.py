"""`pygpu bind`: a user's own header as a Python package in a folder of its own."""

from __future__ import annotations

import keyword
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata, util
from pathlib import Path

from generator import emit, manifest, project, rules, specs
from generator.decide import advice, declared, text_fields
from generator.decide.fits import RefusedError
from generator.diff import Change
from generator.errors import GeneratorError
from generator.files import is_over, only_writer, write_files
from generator.glue import built_glue
from generator.headers.fetch import installed_headers
from generator.headers.find import near_header, with_depends
from generator.manifest import Manifest
from generator.model import Release
from generator.parse import HeaderSet, includes
from generator.plan import api as api_plan
from generator.releases import find_api, release_name
from generator.scalars import INTEGERS
from generator.toml import read_toml, tomllib
from generator.update import Update, parse_headers, seen_from, update

_SCRATCH = ".pygpu-bind-"
_ROOT = Path(__file__).resolve().parent.parent
_PROJECT = _ROOT / "pyproject.toml"
_TOOLS = {"scikit_build_core": "scikit-build-core", "cmake": "cmake", "ninja": "ninja"}


class BindError(GeneratorError):
    """What was asked for can't be bound."""


@dataclass(frozen=True, slots=True)
class Header:
    """A header to bind: the package's name, its library's stem, and how it is read.

    `uses` are PyGPU's own APIs whose types it uses; None for those whose headers it includes.
    `defines` are macros, `include` more folders to search, `exclude` globs of what is left out. The
    default release is the newest that was read so far, or 1.0. The default library is "lib" and the
    name.
    """

    path: Path
    name: str
    release: str | None = None
    library: str | None = None
    uses: tuple[str, ...] | None = None
    defines: tuple[str, ...] = ()
    include: tuple[Path, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bound:
    """The result of bind(). `open` counts parameters that are bare addresses until a rule decides.

    `notes` are lines on what is left out, named otherwise, or else to be known. `changes` are those
    of the release that was read since the release `base`, if there is one.
    """

    functions: int
    open: int
    notes: tuple[str, ...]
    release: str
    base: str | None
    changes: list[Change]


def name_of(header: Path) -> str:
    """The name of the package where none is given: the header's, as an identifier."""
    return re.sub(r"\W", "_", header.name.partition(".")[0], flags=re.ASCII)


def bind(header: Header, folder: Path) -> Bound:
    """Write the package of a header to `folder`; if it is there, write the generated files anew.

    A first run writes all files, or none if the header can't be read. If the rest fails, it writes
    the files that the user edits, to be corrected. Later runs keep these. GeneratorError for a
    header that can't be read, a name that no package can have, a folder that holds something else,
    and for wrong settings or rules.
    """
    _check(header)
    if (folder / "api_specs" / header.name).is_dir():
        if changed := ", ".join(_changed(header, folder)):
            raise BindError(
                f"{folder} is there already, with another {changed}: change it in the files of"
                f" {folder / 'api_specs' / header.name}"
            )
        return _generate(header, folder)
    if (folder.is_dir() and any(folder.iterdir())) or folder.is_file():
        raise BindError(f"{folder} holds something else; --folder names another place")
    folder.parent.mkdir(parents=True, exist_ok=True)
    _remove_left(folder.parent)
    with tempfile.TemporaryDirectory(
        dir=folder.parent, prefix=f"{_SCRATCH}{os.getpid()}-"
    ) as scratch:
        tree = Path(scratch) / header.name
        tree.mkdir()
        try:
            read = _begin(header, tree, folder)
            tree.rename(folder)
        except GeneratorError as error:
            raise BindError(str(error).replace(str(tree), str(folder))) from None
        except OSError as error:
            raise BindError(f"{folder}: {error.strerror}") from None
    try:
        bound = _generate(header, folder, read)
    except GeneratorError as error:
        place = folder / "api_specs" / header.name
        raise BindError(f"{error}; the files to correct are in {place}") from None
    return replace(bound, notes=(*bound.notes, *_clashes(header.name, folder.resolve())))


def commands(folder: Path) -> Iterator[str]:
    """The commands that build and install a project, with what is there: no index has PyGPU."""
    needed = [
        name
        for module, name in _TOOLS.items()
        if util.find_spec(module) is None and shutil.which(name) is None
    ]
    if util.find_spec("PyGPU") is None:  # only in a checkout
        needed.append(shlex.quote(str(_ROOT)))
    if needed:
        yield f"python -m pip install {' '.join(needed)}"
    options = "--no-build-isolation"
    if _PROJECT.is_file():  # a checkout, which no package's metadata names
        places = {"PyGPUGlue_DIR": _ROOT / "cmake"}
        if glue := next(built_glue(_ROOT), None):
            places["PYGPU_GLUE"] = glue
        settings = (f"--config-settings=cmake.define.{key}={at}" for key, at in places.items())
        options += f" --no-deps {shlex.join(settings)}"
    yield f"python -m pip install {options} {shlex.quote(os.path.join('.', folder))}"


def _remove_left(parent: Path) -> None:
    """Remove the scratch folders of runs that were killed."""
    for left in parent.glob(f"{_SCRATCH}*"):
        process = left.name.removeprefix(_SCRATCH).partition("-")[0]
        if process.isdecimal() and is_over(int(process)):
            shutil.rmtree(left, ignore_errors=True)


def _check(header: Header) -> None:
    name = header.name
    if (
        not (name.isascii() and name.isidentifier())
        or keyword.iskeyword(name)
        or "_" in (name[0], name[-1])
    ):
        raise BindError(f"{name!r} can't be a package's name; --name gives another")
    own = manifest.names(specs.OWN)
    taken = {
        *own,
        *(manifest.load(one, specs.OWN).namespace for one in own),
        "pygpu",
        "pygpu_generator",
    }
    if name.lower() in taken or name in sys.stdlib_module_names:
        raise BindError(f"{name!r} is the name of another module; --name gives another")
    if unknown := [one for one in header.uses or () if one not in own]:
        raise BindError(f"--uses {unknown[0]}: PyGPU has no such API; it has {', '.join(own)}")
    if not header.path.is_file():
        raise BindError(f"{header.path}: no such header")
    if not header.path.name.isprintable():
        raise BindError(f"{header.path.name!r} can't be a header's name")
    if missing := [one for one in header.include if not one.is_dir()]:
        raise BindError(f"--include {missing[0]}: no such folder")


def _clashes(name: str, folder: Path) -> Iterator[str]:
    """What to know of a name that this Python has already."""
    try:
        spec = util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    ours = spec is not None and [*(spec.submodule_search_locations or ())] == [str(folder)]
    if spec is not None and not ours and "pygpu" not in " ".join(_requirements(name)).lower():
        yield (
            f"This Python has a module {name} already ({spec.origin or 'a folder'}): one of the"
            " two would hide the other. --name gives another name."
        )
    else:
        yield f"Before you publish it, see whether PyPI has another's package {name}."


def _requirements(name: str) -> Sequence[str]:
    try:
        return metadata.requires(name) or ()
    except metadata.PackageNotFoundError:
        return ()


def _begin(header: Header, tree: Path, place: Path) -> Release:
    """A new project in an empty folder, without what is generated; returns what was read.

    The folder becomes `place`.
    """
    folder = tree / "api_specs" / header.name
    uses = {one: _newest(one) for one in _used(header)}
    library = header.library or f"lib{header.name}"
    include = [seen_from(place, one) for one in header.include]

    def write(status: Mapping[str, str] | None, tables: Sequence[str]) -> None:
        name, shown = header.name, header.path.name
        files = {
            "api.toml": project.manifest(name, shown, library, status, uses),
            "releases.toml": project.releases(shown, header.defines, include, header.exclude),
            "rules.toml": project.rules(shown, tables),
        }
        write_files({folder / path: text for path, text in files.items()})

    write(None, ())
    settings = replace(
        find_api(tree / "api_specs", header.name),
        include=tuple(str(one.resolve()) for one in header.include),
    )
    settings = with_depends(tree, settings, header.path.parent)
    read = parse_headers(tree / "api_specs", settings, _release(header), header.path.parent)
    status = _status(read)
    write(status, ())
    done = update(tree, settings, _release(header), header.path.parent, packaged=False, read=read)
    done.checked_files()
    write(status, _proposals(done, header.name, tree))
    version = _version()
    cmake = emit.make_environment().get_template("project/CMakeLists.txt.j2")
    write_files(
        {
            tree / "CMakeLists.txt": cmake.render(name=header.name, header=header.path.name),
            tree / "pyproject.toml": project.package(header.name, header.path.name, version),
            tree / "python" / header.name / "py.typed": "",
        }
    )
    return read


def _changed(header: Header, tree: Path) -> Iterator[str]:
    """The options that say something else than a project's files."""
    specs_ = tree / "api_specs"
    settings, own_manifest = find_api(specs_, header.name), manifest.load(header.name, specs_)
    include = tuple(seen_from(tree, one) for one in header.include)
    written = {
        "--library": (header.library, own_manifest.library.stem),
        "--uses": (header.uses, tuple(own_manifest.depends)),
        "--include": (include, settings.include),
        "--define": (header.defines, settings.defines),
        "--exclude": (header.exclude, settings.exclude),
    }
    return (option for option, (value, known) in written.items() if value and value != known)


def _used(header: Header) -> Sequence[str]:
    """PyGPU's own APIs whose types a header uses: those given, else those whose headers it reads.

    An API's header may need its macros, so one that is found near is read with them.
    """
    if header.uses is not None:
        return header.uses
    known = {one: find_api(specs.OWN, one) for one in manifest.names(specs.OWN)}
    headers = HeaderSet(
        header.path.parent, header.path.name, header.defines, further=header.include
    )
    read = includes(headers)
    used = []
    for name, settings in known.items():
        place = near_header(read.folders, settings.header) if read.folders else None
        if place is None or header.path.resolve() == (place / settings.header).resolve():
            continue
        of_api = includes(HeaderSet(place, settings.header, settings.defines)).files
        if read.files & of_api and header.path.resolve() not in of_api:
            used.append(name)
    return used


def _proposals(done: Update, name: str, tree: Path) -> Sequence[str]:
    """Tables for rules.toml that the generator itself takes."""
    api_specs = tree / "api_specs"
    known = rules.load(name, api_specs)
    owners = [*declared.owners(done.api, known)]
    kinds = {key: kind for one in owners for key, kind in one.kinds.items()}
    advised = advice.advise(done.api, known, done.release, known=kinds)
    later = [str(one) for one in owners if one.status]
    handles = (str(one) for one in owners if not one.status)
    tables = [*handles, *advice.tables(advised), *text_fields.tables(done.api, known)]
    return [*later, *_accepted(done, manifest.load(name, api_specs), api_specs, tables)]


def _accepted(
    done: Update, own_manifest: Manifest, api_specs: Path, tables: Sequence[str]
) -> Sequence[str]:
    """The tables without those that the generator would refuse."""
    depends = {one: manifest.load(one, api_specs) for one in own_manifest.depends}
    left = {one: tomllib.loads(one) for one in tables}
    for _ in tables:
        merged: dict[str, dict[str, object]] = {}
        for document in left.values():
            for kind, named in document.items():
                merged.setdefault(kind, {}).update(named)
        try:
            api_plan.plan(done.api, rules.parse(done.api.name, merged), own_manifest, depends)
        except GeneratorError as error:
            texts = error.every if isinstance(error, RefusedError) else (str(error),)
            if not (wrong := {one for one in left if any(_is_of(one, text) for text in texts)}):
                return []
            left = {one: document for one, document in left.items() if one not in wrong}
        else:
            break
    return [*left]


def _is_of(table: str, error: str) -> bool:
    """Whether an error names the function or the handle of a table."""
    match = re.search(r"^\[\w+\.(\w+)\]", table, re.M)
    return match is not None and re.search(rf"\b{match[1]}\b", error) is not None


def _generate(header: Header, tree: Path, read: Release | None = None) -> Bound:
    """Read the header, and write the model and all that is generated from it.

    `read` is what was read of the header before, if it was.
    """
    api_specs = tree / "api_specs"
    settings = with_depends(tree, find_api(api_specs, header.name), header.path.parent)
    if settings.header != header.path.name:
        raise BindError(f"{tree} is of {settings.header}, not of {header.path.name}")
    release = _release(header, settings.releases)
    with only_writer(tree):
        done = update(tree, settings, release, header.path.parent, packaged=False, read=read)
        files = emit.render(api_specs, {header.name: done.api})
        touched = emit.write(files, tree, done.checked_files())
    known = rules.load(header.name, api_specs)
    advised = list(advice.advise(done.api, known, done.release, []))
    bound = sum(known.exclude(name) is None for name in done.api.functions)
    notes = (*done.notes, *(f"removed {one}" for one in touched if one not in files))
    return Bound(bound, len(advised), notes, done.release, done.base, done.changes)


def _release(header: Header, listed: Sequence[str] = ()) -> str:
    return header.release or (listed[-1] if listed else "1.0")


# The names of codes that mean success.
_SUCCESS = re.compile(r"(?i)(\w+_)?(success|ok|no_?error)")


def _status(release: Release) -> Mapping[str, str] | None:
    """The table of the type that most functions return, if it is that of statuses: 0 is success.

    An enum with the value 0, by whatever name; or a typedef of an integer, if a macro or an
    enumerator with the value 0 is called as success is.
    """
    returned = Counter(str(one.result) for one in release.functions.values())
    name, count = returned.most_common(1)[0]
    base = name
    while (alias := release.aliases.get(base)) and not alias.type.is_pointer:
        base = alias.type.base
    if 2 * count < len(release.functions):
        return None
    if enum := release.enums.get(base):
        known = any(one.value == 0 for one in enum.enumerators)
        return {"type": name, "class": name} if known else None
    codes = {one.name: one.value for one in release.macros.values()}
    codes |= {one.name: one.value for enum in release.enums.values() for one in enum.enumerators}
    named = any(value == 0 and _SUCCESS.fullmatch(code) for code, value in codes.items())
    plain = base != name and base in INTEGERS and named
    return {"type": name, "class": f"{release.api}Status"} if plain else None


def _newest(api: str) -> str:
    """The release of one of PyGPU's own APIs to read a header with.

    The newest whose headers a package has installed, else the newest that a package has.
    """
    settings = find_api(specs.OWN, api)
    packages = {one: settings.find_package(one) for one in settings.releases}
    packaged = [one for one, package in packages.items() if package]
    installed = [
        one for one, package in packages.items() if package and installed_headers(package, one)
    ]
    return release_name((installed or packaged or list(packages))[-1])


def _version() -> str:
    """The generator's version of PyGPU: the project's, else that of the installed package."""
    if _PROJECT.is_file():
        return str(read_toml(_PROJECT, BindError)["project"]["version"])
    return metadata.version("pygpu-generator")

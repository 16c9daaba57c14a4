"""`pygpu bind`: a user's own header as a Python package in a folder of its own."""

from __future__ import annotations

import keyword
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from generator import emit, manifest, rules, specs
from generator.decide import advice
from generator.errors import GeneratorError
from generator.files import is_over, only_writer, write_files
from generator.headers.fetch import installed_headers
from generator.headers.find import with_depends
from generator.model import Release
from generator.releases import find_api, release_name
from generator.toml import read_toml
from generator.update import parse_headers, update

_SCRATCH = ".pygpu-bind-"
_PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


class BindError(GeneratorError):
    """What was asked for can't be bound."""


@dataclass(frozen=True, slots=True)
class Header:
    """A header to bind: the package's name, its library's stem, and how it is read.

    `uses` are PyGPU's own APIs whose headers it includes; `defines` are macros. The default release
    is the newest that was read so far, or 1.0. The default library is "lib" and the name.
    """

    path: Path
    name: str
    release: str | None = None
    library: str | None = None
    uses: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bound:
    """The result of bind(). `open` counts parameters that are bare addresses until a rule decides.

    `tables` are guesses at such rules. `notes` are lines on what is left out or named otherwise.
    """

    folder: Path
    functions: int
    notes: tuple[str, ...]
    open: int
    tables: tuple[str, ...]


def name_of(header: Path) -> str:
    """The name of the package where none is given: the header's, as an identifier."""
    return re.sub(r"\W", "_", header.name.partition(".")[0], flags=re.ASCII)


def bind(header: Header, folder: Path) -> Bound:
    """Write the package of a header to `folder`; if it is there, write the generated files anew.

    A first run writes all files or none. Later runs keep the files that the user edits.
    GeneratorError for a header that can't be read, a name that no package can have, a folder that
    holds something else, and for wrong settings or rules.
    """
    _check(header)
    if (folder / "api_specs" / header.name).is_dir():
        if header.library or header.uses or header.defines:
            raise BindError(
                f"{folder} is there already: --library, --uses and --define stand in the files of"
                f" {folder / 'api_specs' / header.name} now"
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
            bound = _begin(header, tree)
            tree.rename(folder)
        except GeneratorError as error:
            raise BindError(str(error).replace(str(tree), str(folder))) from None
        except OSError as error:
            raise BindError(f"{folder}: {error.strerror}") from None
    _generate(header, folder)  # again, for the header's path as seen from the final folder
    return Bound(folder, bound.functions, bound.notes, bound.open, bound.tables)


def _remove_left(parent: Path) -> None:
    """Remove the scratch folders of runs that were killed."""
    for left in parent.glob(f"{_SCRATCH}*"):
        process = left.name.removeprefix(_SCRATCH).partition("-")[0]
        if process.isdecimal() and is_over(int(process)):
            shutil.rmtree(left, ignore_errors=True)


def _check(header: Header) -> None:
    name = header.name
    if not (name.isascii() and name.isidentifier()) or keyword.iskeyword(name) or name[0] == "_":
        raise BindError(f"{name!r} can't be a package's name; --name gives another")
    own = manifest.names(specs.OWN)
    taken = {
        *own,
        *(manifest.load(one, specs.OWN).namespace for one in own),
        "pygpu",
        "pygpu_generator",
    }
    if name.lower() in taken or name in sys.stdlib_module_names:
        raise BindError(f"{name!r} is the name of something else; --name gives another")
    if unknown := [one for one in header.uses if one not in own]:
        raise BindError(f"--uses {unknown[0]}: PyGPU has no such API; it has {', '.join(own)}")
    if not header.path.is_file():
        raise BindError(f"{header.path}: no such header")


def _begin(header: Header, tree: Path) -> Bound:
    """A new project in an empty folder."""
    folder = tree / "api_specs" / header.name
    uses = {one: _newest(one) for one in header.uses}
    known = {
        "name": header.name,
        "header": header.path.name,
        "library": header.library or f"lib{header.name}",
        "uses": uses,
        "defines": header.defines,
        "version": _version(),
    }
    _write(tree, {f"api_specs/{header.name}/api.toml": "api.toml"}, status=None, **known)
    _write(tree, {f"api_specs/{header.name}/releases.toml": "releases.toml"}, **known)
    settings = with_depends(tree, find_api(tree / "api_specs", header.name))
    read = parse_headers(tree / "api_specs", settings, _release(header), header.path.parent)
    _write(tree, {f"api_specs/{header.name}/api.toml": "api.toml"}, status=_status(read), **known)
    _write(tree, {"CMakeLists.txt": "CMakeLists.txt", "pyproject.toml": "pyproject.toml"}, **known)
    (tree / "python" / header.name).mkdir(parents=True)
    (tree / "python" / header.name / "py.typed").touch()
    bound = _generate(header, tree)
    rules_file = {f"{folder.relative_to(tree)}/rules.toml": "rules.toml"}
    _write(tree, rules_file, tables=bound.tables, **known)
    return bound


def _generate(header: Header, tree: Path) -> Bound:
    """Read the header, and write the model and all that is generated from it."""
    found = tree / "api_specs"
    settings = with_depends(tree, find_api(found, header.name))
    if settings.header != header.path.name:
        raise BindError(f"{tree} is of {settings.header}, not of {header.path.name}")
    release = _release(header, settings.releases)
    with only_writer(tree):
        done = update(tree, settings, release, header.path.parent, packaged=False)
        emit.write(emit.render(found, {header.name: done.api}), tree, done.checked_files())
    known = rules.load(header.name, found)
    advised = list(advice.advise(done.api, known, done.release, []))
    bound = sum(known.exclude(name) is None for name in done.api.functions)
    return Bound(tree, bound, done.notes, len(advised), tuple(advice.tables(advised)))


def _release(header: Header, listed: Sequence[str] = ()) -> str:
    return header.release or (listed[-1] if listed else "1.0")


def _status(release: Release) -> str | None:
    """The enum that most functions return, if one has the value 0: that is success."""
    returned = Counter(str(one.result) for one in release.functions.values())
    name, count = returned.most_common(1)[0]
    enum = release.enums.get(name)
    has_success = enum is not None and any(one.value == 0 for one in enum.enumerators)
    return name if has_success and 2 * count >= len(release.functions) else None


def _newest(api: str) -> str:
    """The release of one of PyGPU's own APIs to read a header with.

    The newest whose headers a package has installed, else the newest that a package has.
    """
    settings = find_api(specs.OWN, api)
    packages = {one: settings.packages.get(one.split(".")[0]) for one in settings.releases}
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


def _write(tree: Path, templates: Mapping[str, str], **given: object) -> None:
    environment = emit.make_environment()
    files = {
        tree / path: environment.get_template(f"project/{name}.j2").render(**given)
        for path, name in templates.items()
    }
    write_files(files)

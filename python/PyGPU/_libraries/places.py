"""Gathers the candidates: looks at every place where a runtime library may lie; opens none.

What is found through the current directory is listed but never taken: whoever can write there
could run code in this process. Only the user's own PYGPU_*_LIBRARY may name such a path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from PyGPU._apis import APIS
from PyGPU._apis.api import Api

from . import ldcache
from .candidates import (
    HOME,
    LOADED,
    PIP,
    PREFIX,
    SYSTEM,
    USUAL,
    VARIABLE,
    Candidate,
    Surroundings,
    inspect_file,
    major_of,
)

_UNTRUSTED = "is not trusted, since it is found through the current directory; {} can name it"


def gather(api: str, around: Surroundings) -> list[Candidate]:
    """Every library that could be the runtime of `api`, in the order of the places, each once."""
    known = APIS[api]
    problem = _UNTRUSTED.format(known.library.variable)
    trusted: list[Candidate] = []
    others: list[Candidate] = []
    for candidate in _all(known, around):
        if os.path.isabs(candidate.path) or candidate.place in (VARIABLE, LOADED):
            trusted.append(candidate)
        else:
            others.append(candidate._replace(problem=problem))
    gathered: list[Candidate] = []
    seen: set[object] = set()
    for candidate in trusted + others:  # a file that is found in both ways is trusted
        key = _identity(candidate.path)
        if key not in seen:
            seen.add(key)
            gathered.append(candidate)
    return gathered


def _all(api: Api, around: Surroundings) -> Iterator[Candidate]:
    yield from _from_variable(api, around)
    yield from _already_loaded(api, around)
    yield from _from_pip(api, around)
    yield from _from_prefix(api, around)
    yield from _from_loader(api, around)
    yield from _from_homes(api, around)
    yield from _from_usual(api, around)


def _from_variable(api: Api, around: Surroundings) -> Iterator[Candidate]:
    value = around.environ.get(api.library.variable, "")
    if not value:
        return
    path = os.path.expanduser(value)
    if os.path.isdir(path):
        yield Candidate(
            path, api.library.variable, VARIABLE, problem="is a folder; name the library's file"
        )
    elif "/" in path:
        yield inspect_file(path, api.library.variable, VARIABLE)
    else:  # a bare name, which is the system loader's to find
        yield Candidate(path, api.library.variable, VARIABLE, "", major_of(path))


def _already_loaded(api: Api, around: Surroundings) -> Iterator[Candidate]:
    for path in around.loaded:
        if api.library.matches(os.path.basename(path)):
            candidate = inspect_file(path, "already loaded", LOADED)
            # It is in the process, so whatever its file looks like now is no obstacle.
            major = candidate.major or major_of(path)
            yield candidate._replace(problem="", major=major)


def _from_pip(api: Api, around: Surroundings) -> Iterator[Candidate]:
    for site in _sites(around):
        for pattern, package in api.library.packages.items():
            for folder in _expanded(site, pattern):
                for candidate in _in_folder(api, folder, "pip package", PIP):
                    wheel = api.library.wheel(package, candidate.major)
                    yield candidate._replace(origin=f"pip package {wheel}")


def _sites(around: Surroundings) -> Iterator[str]:
    """The entries of sys.path; entries that depend on the current directory are given as relative.

    Python itself makes some of them absolute: the folder of `python -m`, and those of PYTHONPATH.
    """
    relative = ["", *around.environ.get("PYTHONPATH", "").split(":")]
    spelled = {_identity(entry or "."): entry for entry in relative if not os.path.isabs(entry)}
    spelled.pop(_identity(around.package), None)  # PyGPU's own code comes from there
    for entry in around.sys_path:
        yield spelled.get(_identity(entry), entry)


def _from_prefix(api: Api, around: Surroundings) -> Iterator[Candidate]:
    """A conda environment keeps its libraries beside its Python, which finds them there.

    In a virtual environment Intel's wheels put theirs there, too.
    """
    for mark, origin in (
        ("conda-meta", "conda environment"),
        ("pyvenv.cfg", "virtual environment"),
    ):
        if around.prefix and os.path.exists(os.path.join(around.prefix, mark)):
            yield from _under(api, around.prefix, origin, PREFIX)
            break


def _from_loader(api: Api, around: Surroundings) -> Iterator[Candidate]:
    named = around.environ.get("LD_LIBRARY_PATH", "")
    for folder in re.split("[:;]", named) if named else ():
        yield from _in_folder(api, folder, "LD_LIBRARY_PATH", SYSTEM)
    for stem in api.library.stems:
        for path in ldcache.cached(stem + ".so", around.root + "/etc/ld.so.cache"):
            if os.path.exists(around.root + path):
                yield inspect_file(around.root + path, "system loader", SYSTEM)
    for folder in around.folders:
        yield from _in_folder(api, folder, "system loader", SYSTEM)


def _from_homes(api: Api, around: Surroundings) -> Iterator[Candidate]:
    for variable in api.library.homes:
        if home := around.environ.get(variable, ""):
            yield from _under(api, os.path.expanduser(home), variable, HOME)


def _from_usual(api: Api, around: Surroundings) -> Iterator[Candidate]:
    yield from _in_folder(api, around.root + "/usr/local/lib", "usual folder", USUAL)
    for pattern in api.library.usual:
        for home in _expanded(around.root + "/", pattern):
            yield from _under(api, home, "usual folder", USUAL)


def _under(api: Api, home: str, origin: str, place: int) -> Iterator[Candidate]:
    """The libraries of an installation."""
    for pattern in api.library.folders:
        for folder in _expanded(home, pattern):
            yield from _in_folder(api, folder, origin, place)


def _expanded(base: str, pattern: str) -> list[str]:
    """The folders below `base` that a pattern names; a `*` stands for the rest of a step."""
    folders = [base]
    for step in pattern.strip("/").split("/"):
        if step.endswith("*"):
            start = step[:-1]
            folders = [os.path.join(one, name) for one in folders for name in _names(one, start)]
        else:
            folders = [os.path.join(one, step) for one in folders]
    return folders


def _in_folder(api: Api, folder: str, origin: str, place: int) -> Iterator[Candidate]:
    """The libraries of one folder. If a file has several names, its SONAME is preferred."""
    files: dict[object, list[str]] = {}
    for name in _names(folder):
        if api.library.matches(name):
            path = os.path.join(folder, name)
            files.setdefault(_identity(path), []).append(path)
    for paths in files.values():
        candidate = inspect_file(paths[0], origin, place)
        named = os.path.join(folder, candidate.soname)
        yield candidate._replace(path=named) if named in paths else candidate


def _names(folder: str, prefix: str = "") -> list[str]:
    """The names in a folder that start with `prefix`, sorted; none where it can't be read."""
    try:
        return sorted(name for name in os.listdir(folder or ".") if name.startswith(prefix))
    except (OSError, ValueError):  # ValueError: a NUL in the path, say
        return []


def _identity(path: str) -> object:
    """What two names of one file share."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return path
    return status.st_dev, status.st_ino

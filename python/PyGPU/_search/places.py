"""Gathers the candidates: looks at every place where a runtime library may lie; opens none.

What is found through the current directory is listed but never taken: whoever can write there
could run code in this process. Only the user's own PYGPU_*_LIBRARY may name such a path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from . import ldcache
from .candidates import (
    FAMILIES,
    HOME,
    LOADED,
    PIP,
    PREFIX,
    SYSTEM,
    USUAL,
    VARIABLE,
    Candidate,
    Family,
    Surroundings,
    inspect_file,
    major_of,
)

_UNTRUSTED = "is not trusted, since it is found through the current directory; {} can name it"
_ROCM_FOLDERS = ("lib", "lib64")
_CUDA_FOLDERS = ("lib64", "lib")


def gather(api: str, around: Surroundings) -> list[Candidate]:
    """Every library that could be the runtime of `api`, in the order of the places, each once."""
    family = FAMILIES[api]
    problem = _UNTRUSTED.format(family.variable)
    trusted: list[Candidate] = []
    others: list[Candidate] = []
    for candidate in _all(family, around):
        if os.path.isabs(candidate.path) or candidate.place in (VARIABLE, LOADED):
            trusted.append(candidate)
        else:
            others.append(replace(candidate, problem=problem))
    found: list[Candidate] = []
    seen: set[object] = set()
    for candidate in trusted + others:  # a file that is found in both ways is trusted
        key = _identity(candidate.path)
        if key not in seen:
            seen.add(key)
            found.append(candidate)
    return found


def _all(family: Family, around: Surroundings) -> Iterator[Candidate]:
    yield from _from_variable(family, around)
    yield from _already_loaded(family, around)
    yield from _from_pip(family, around)
    yield from _from_prefix(family, around)
    yield from _from_loader(family, around)
    yield from _from_homes(family, around)
    yield from _from_usual(family, around)


def _from_variable(family: Family, around: Surroundings) -> Iterator[Candidate]:
    value = around.environ.get(family.variable, "")
    if not value:
        return
    path = os.path.expanduser(value)
    if os.path.isdir(path):
        yield Candidate(
            path, family.variable, VARIABLE, problem="is a folder; name the library's file"
        )
    elif "/" in path:
        yield inspect_file(path, family.variable, VARIABLE)
    else:  # a bare name, which is the system loader's to find
        yield Candidate(path, family.variable, VARIABLE, "", major_of(path))


def _already_loaded(family: Family, around: Surroundings) -> Iterator[Candidate]:
    for path in around.loaded:
        if family.matches(os.path.basename(path)):
            candidate = inspect_file(path, "already loaded", LOADED)
            # It is in the process, so whatever its file looks like now is no obstacle.
            major = candidate.major or major_of(path)
            yield replace(candidate, problem="", major=major)


def _from_pip(family: Family, around: Surroundings) -> Iterator[Candidate]:
    for site in _sites(around):
        if family.api == "cuda":
            # A namespace package: its parts may lie in several folders, and none is imported.
            for part in _names(os.path.join(site, "nvidia")):
                for candidate in _in_folder(
                    family, os.path.join(site, "nvidia", part, "lib"), "pip package", PIP
                ):
                    yield replace(candidate, origin=f"pip package {_nvidia_package(candidate)}")
        else:
            for part in _names(site, "_rocm_sdk"):
                yield from _in_folder(
                    family, os.path.join(site, part, "lib"), "pip package rocm-sdk-core", PIP
                )
        yield from _in_folder(family, os.path.join(site, "torch", "lib"), "pip package torch", PIP)


def _sites(around: Surroundings) -> Iterator[str]:
    """The entries of sys.path; those that the current directory decides are relative.

    Python itself makes some of them absolute: the folder of `python -m`, and PYTHONPATH's.
    """
    relative = ["", *around.environ.get("PYTHONPATH", "").split(":")]
    spelled = {_identity(entry or "."): entry for entry in relative if not os.path.isabs(entry)}
    spelled.pop(_identity(around.package), None)  # PyGPU's own code comes from there
    for entry in around.sys_path:
        yield spelled.get(_identity(entry), entry)


def _nvidia_package(candidate: Candidate) -> str:
    old = candidate.major is not None and candidate.major < 13
    return f"nvidia-cuda-runtime-cu{candidate.major}" if old else "nvidia-cuda-runtime"


def _from_prefix(family: Family, around: Surroundings) -> Iterator[Candidate]:
    """A conda environment keeps its libraries beside its Python, which finds them there."""
    if around.prefix and os.path.isdir(os.path.join(around.prefix, "conda-meta")):
        yield from _under(family, around.prefix, ("lib",), "conda environment", PREFIX)


def _from_loader(family: Family, around: Surroundings) -> Iterator[Candidate]:
    named = around.environ.get("LD_LIBRARY_PATH", "")
    for folder in re.split("[:;]", named) if named else ():
        yield from _in_folder(family, folder, "LD_LIBRARY_PATH", SYSTEM)
    for path in ldcache.cached(family.stem + ".so", around.root + "/etc/ld.so.cache"):
        if os.path.exists(around.root + path):
            yield inspect_file(around.root + path, "system loader", SYSTEM)
    for folder in around.folders:
        yield from _in_folder(family, folder, "system loader", SYSTEM)


def _from_homes(family: Family, around: Surroundings) -> Iterator[Candidate]:
    folders = _CUDA_FOLDERS if family.api == "cuda" else _ROCM_FOLDERS
    for variable in family.homes:
        if home := around.environ.get(variable, ""):
            yield from _under(family, os.path.expanduser(home), folders, variable, HOME)


def _from_usual(family: Family, around: Surroundings) -> Iterator[Candidate]:
    root = around.root
    yield from _in_folder(family, root + "/usr/local/lib", "usual folder", USUAL)
    if family.api == "cuda":
        homes = [f"{root}/usr/local/{n}" for n in _names(root + "/usr/local", "cuda")]
        homes += [f"{root}/opt/{n}" for n in _names(root + "/opt", "cuda")]
        homes.append(root + "/usr/lib/cuda")
        folders = _CUDA_FOLDERS
    else:
        homes = [f"{root}/opt/{n}" for n in _names(root + "/opt", "rocm")]
        homes += [f"{root}/opt/rocm/{n}" for n in _names(root + "/opt/rocm", "core")]
        folders = _ROCM_FOLDERS
    for home in homes:
        yield from _under(family, home, folders, "usual folder", USUAL)


def _under(
    family: Family, home: str, folders: Iterable[str], origin: str, place: int
) -> Iterator[Candidate]:
    for folder in folders:
        yield from _in_folder(family, os.path.join(home, folder), origin, place)
    if family.api == "cuda":
        for target in _names(os.path.join(home, "targets")):
            yield from _in_folder(
                family, os.path.join(home, "targets", target, "lib"), origin, place
            )


def _in_folder(family: Family, folder: str, origin: str, place: int) -> Iterator[Candidate]:
    """The libraries of one folder; of several names for one file the one that is its SONAME."""
    files: dict[object, list[str]] = {}
    for name in _names(folder, family.stem):
        if family.matches(name):
            path = os.path.join(folder, name)
            files.setdefault(_identity(path), []).append(path)
    for paths in files.values():
        candidate = inspect_file(paths[0], origin, place)
        named = os.path.join(folder, candidate.soname)
        yield replace(candidate, path=named) if named in paths else candidate


def _names(folder: str, prefix: str = "") -> list[str]:
    """The names in a folder that start with `prefix`, sorted; none where it can't be read."""
    try:
        return sorted(name for name in os.listdir(folder or ".") if name.startswith(prefix))
    except (OSError, ValueError):  # ValueError: no path can be spelled so
        return []


def _identity(path: str) -> object:
    """What two names of one file share."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return path
    return status.st_dev, status.st_ino

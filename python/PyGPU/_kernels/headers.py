"""Where the vendors' own headers lie: beside the compiler's library, in wheels, in toolkits."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from PyGPU._apis import APIS
from PyGPU._kernels import files
from PyGPU._kernels._vendors import COMPILERS
from PyGPU._kernels.vendor import Headers

T = TypeVar("T")

# PyGPU's own: small headers of C's library. All others come before them.
OWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "include")

_OF_HOSTS = re.compile(r"\w+|(errno|fcntl|locale|pthread|setjmp|signal|unistd|wchar)\.h|sys/\w+\.h")


def folders(
    api: str, library: str, major: int, environ: Mapping[str, str] = os.environ,
    path: Sequence[str] | None = None, prefix: str = sys.prefix, root: str = "",
) -> list[str]:  # fmt: skip
    """The folders of a compiler's headers, of its major. Its library lies at `library`.

    `root` stands before the usual folders of the system.
    """
    known = COMPILERS[api].headers
    sites = [one for one in (sys.path if path is None else path) if os.path.isabs(one)]
    candidates = _candidates(api, known, library, major, environ, sites, prefix, root)
    return _first_with(known.files, (one for one in candidates if _fits(known, one, major)))


def advice(name: str, api: str, major: int) -> str:
    """How to get a header that wasn't found."""
    known, label = COMPILERS[api].headers, APIS[api].label
    if not known.packages:
        return (
            f"{label} has no header {name}: pass its folder in include_dirs=[folder], or its text "
            f"in headers={{{name!r}: text}}"
        )
    if known.standard and re.fullmatch(known.standard.headers, name):
        instead = known.standard.instead.format(name=name)
        return (
            f"{label} has no standard library; <{instead}> is in {known.standard.holder}: "
            f"pip install {_wheel(known, instead, major)}"
        )
    if wheel := _wheel(known, name, major):
        return f"{name} comes with pip install {wheel}, or with {known.toolkit.format(major=major)}"
    if _OF_HOSTS.fullmatch(name):
        return (
            f"{name} is for host code, and a kernel can't use it: remove the #include, or pass "
            f"a text of your own in headers={{{name!r}: text}}. Device code can include <stdio.h>, "
            "<math.h>, <stdint.h> and the like"
        )
    return (
        f"pass the folder of {name} in include_dirs=[folder], or its text in "
        f"headers={{{name!r}: text}}"
    )


def _wheel(known: Headers, name: str, major: int) -> str:
    """The package that has a header; "" if none is known."""
    names = (one.names for one in known.packages if re.fullmatch(one.headers, name))
    return next((_since(one, major).format(major=major) for one in names), "")


def _since(by_major: Mapping[str, T], major: int) -> T:
    """What counts for a major, of what is new with each of some majors."""
    first = sorted(by_major, key=int)
    return by_major[next((one for one in reversed(first) if int(one) <= major), first[0])]


def _candidates(
    api: str, known: Headers, library: str, major: int, environ: Mapping[str, str],
    sites: Sequence[str], prefix: str, root: str,
) -> Iterator[str]:  # fmt: skip
    yield from _of_home(known, _above(library))
    for site in sites if known.sites else ():
        for folder in _since(known.sites, major):
            yield os.path.join(site, folder.format(major=major))
    if os.path.isdir(os.path.join(prefix, "conda-meta")):
        yield from _of_home(known, prefix)
    for name in APIS[api].library.homes:
        yield from _of_home(known, os.path.expanduser(environ.get(name, "")))
    for pattern in APIS[api].library.usual:
        for home in sorted(glob.glob(root + pattern), reverse=True):
            yield from _of_home(known, home)


def _of_home(known: Headers, home: str) -> Iterator[str]:
    """The folders of an installation."""
    for folder in known.folders if home else ():
        yield from sorted(glob.glob(os.path.join(glob.escape(home), folder)))


def _above(library: str) -> str:
    """The folder of an installation, by the place of its library; "" where it has no path."""
    if "/" not in library:
        return ""
    folder = os.path.dirname(os.path.realpath(library))
    return os.path.dirname(folder) if os.path.basename(folder) in ("lib", "lib64") else folder


def _fits(known: Headers, folder: str, major: int) -> bool:
    """Whether headers are of that major. Folders that don't tell their release fit always."""
    version = known.version
    if version is None:
        return True
    try:
        home = next(one for one in (folder, os.path.dirname(folder)) if _has(one, version.file))
        text = files.read(os.path.join(home, version.file), 16 << 20)
    except (OSError, StopIteration):
        return True
    macro = re.search(rf"(?m)^#define\s+{version.macro}\s+(\d+)".encode(), text[: 1 << 15])
    return macro is None or int(macro[1]) // version.major == major


def _has(folder: str, name: str) -> bool:
    return os.path.exists(os.path.join(folder, name))


def _first_with(files: Sequence[str], folders: Iterator[str]) -> list[str]:
    """In their order, the folders with at least one of the files that no earlier folder has."""
    left = set(files)
    taken: list[str] = []
    for folder in folders:
        if not left:
            break
        if folder in taken or not os.path.isdir(folder):
            continue
        new = {name for name in left if _has(folder, name)}
        if new:
            left -= new
            taken.append(folder)
    return taken

"""`python -m PyGPU new`: writes a project of a user's own kernels from the files in `template`.

The template's files end with `.in`, which is removed. `@NAME@` in names and texts becomes the
project's name.
"""

from __future__ import annotations

import keyword
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "template")
_NEEDED = "scikit-build-core pybind11 cmake ninja pytest"


def project(name: str, folder: str | None = None) -> str:
    """Write the project to `folder`, by default a new one of its name. Returns what to do next.

    ValueError for a name that no package can have. FileExistsError if something is there already;
    it stays as it is. OSError.
    """
    _check(name)
    into = name if folder is None else folder
    if os.path.lexists(into) and not (os.path.isdir(into) and not os.listdir(into)):
        raise FileExistsError(f"{into} exists already: choose another folder by --folder")
    for path, text in _files(name):
        place = os.path.join(into, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "x", encoding="utf-8") as file:
            file.write(text)
    python, place = _shell(sys.executable or "python3"), _shell(os.path.join(".", into))
    return (
        f"Wrote {into}. Next:\n"
        f"  {python} -m pip install {_NEEDED}\n"
        f"  {python} -m pip install --no-build-isolation {place}\n"
        f"  {python} -m pytest {place}"
    )


def _check(name: str) -> None:
    if not (name.isascii() and name.isidentifier()) or keyword.iskeyword(name):
        raise ValueError(f"{name!r} can't be a package's name: it must be a Python identifier")
    if "_" in (name[0], name[-1]):
        raise ValueError(f"{name!r} can't be a package's name: pip wants a letter at both ends")
    if name in sys.stdlib_module_names or name.lower() in ("pygpu", "tests", "src"):
        raise ValueError(f"{name!r} is the name of another module; choose another name")


def _files(name: str) -> Iterator[tuple[str, str]]:
    for folder, _, files in os.walk(_TEMPLATE):
        for file in files:
            if not file.endswith(".in"):
                continue
            path = os.path.join(folder, file)
            with open(path, encoding="utf-8") as template:
                text = template.read()
            place = os.path.relpath(path, _TEMPLATE).removesuffix(".in")
            yield place.replace("@NAME@", name), text.replace("@NAME@", name)


def _shell(path: str) -> str:
    from shlex import quote

    return quote(path)

"""Adding an API changes nothing in the other APIs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.apis import adding


def test_nothing_else_changes(added: Path) -> None:
    """Only its own files and the lists of APIs of the package and the type checkers change."""
    assert changes(added, adding.APIS) == adding.LISTS
    for name in adding.APIS:
        assert (added / "generated" / name / "extension.cpp").is_file()


def test_a_runtime_changes_nothing_else(added_runtime: Path) -> None:
    """The same, and the lists of runtimes, of what the doctor says, and of compilers."""
    lists = {
        "generated/apis.cpp",
        "python/PyGPU/_kernels/_vendors.py",
        "python/PyGPU/doctor/_vendors.py",
    }
    assert changes(added_runtime, adding.RUNTIME) == adding.LISTS | lists


def changes(tree: Path, apis: Iterable[str]) -> set[str]:
    """The files that differ from this tree's, without those of the APIs themselves."""
    own = tuple(
        f"{place}{name}{end}"
        for name in apis
        for place, end in (("generated/", "/"), ("python/PyGPU/", "/"), ("python/PyGPU/_", "."))
    )
    changed = set()
    for folder in ("api_specs", "docs", "generated", "python"):
        for path in (tree / folder).rglob("*"):
            name = path.relative_to(tree).as_posix()
            if path.is_file() and not path.is_symlink() and not name.startswith(own):
                there = adding.ROOT / name
                if not there.is_file() or there.read_bytes() != path.read_bytes():
                    changed.add(name)
    mine = tuple(f"api_specs/{name}/" for name in apis)
    return {name for name in changed if not name.startswith(mine)}

"""Adding an API changes nothing in the other APIs."""

from __future__ import annotations

from pathlib import Path

from tests.apis import adding


def test_nothing_else_changes(added: Path) -> None:
    """Only its own files and the lists of APIs of the package and the type checkers change."""
    own = tuple(
        f"{place}{name}{end}"
        for name in adding.APIS
        for place, end in (("generated/", "/"), ("python/PyGPU/", "/"), ("python/PyGPU/_", "."))
    )
    changed = set()
    for folder in ("api_specs", "docs", "generated", "python"):
        for path in (added / folder).rglob("*"):
            name = path.relative_to(added).as_posix()
            if path.is_file() and not path.is_symlink() and not name.startswith(own):
                there = adding.ROOT / name
                if not there.is_file() or there.read_bytes() != path.read_bytes():
                    changed.add(name)
    mine = tuple(f"api_specs/{name}/" for name in adding.APIS)
    assert {name for name in changed if not name.startswith(mine)} == adding.LISTS
    for name in adding.APIS:
        assert (added / "generated" / name / "extension.cpp").is_file()

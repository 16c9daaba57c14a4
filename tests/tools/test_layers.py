"""tools/check_layers.py finds an include in the wrong direction, in every layer."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("check_layers", ROOT / "tools" / "check_layers.py")
assert SPEC
assert SPEC.loader
check_layers = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_layers)


def problems(folder: Path, **files: str) -> list[str]:
    """The messages about files that each include the given file."""
    for included in files.values():
        (folder / included).parent.mkdir(parents=True, exist_ok=True)
        (folder / included).touch()
    for name, included in files.items():
        path = folder / (name.replace("__", "/") + ".cpp")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'// A file.\n#include "{included}"\n', encoding="utf-8")
    return list(check_layers.problems(folder))


def test_the_tree_has_its_layers() -> None:
    assert list(check_layers.problems(ROOT / "src" / "handwritten")) == []


@pytest.mark.parametrize(
    ("file", "included"),
    [
        ("call__call", "call/row.hpp"),
        ("call__call", "python/gil.hpp"),
        ("arrays__memory__pool", "arrays/base/layout.hpp"),
        ("arrays__memory__pool", "types/handles/stream.hpp"),
        ("host__core__stream", "host/core/queue.hpp"),
        ("host__core__stream", "runtime/entry.hpp"),
        ("types__by_enumerator__outputs", "types/results.hpp"),
    ],
)
def test_down_is_allowed(tmp_path: Path, file: str, included: str) -> None:
    assert problems(tmp_path, **{file: included}) == []


@pytest.mark.parametrize(
    ("file", "included", "why"),
    [
        ("binding__context", "module/portable.hpp", "module stands above binding"),
        ("python__gil", "runtime/api.hpp", "runtime stands above python"),
        ("arrays__streams__stream", "arrays/memory/buffer.hpp", "memory stands above streams"),
        ("types__handles__class", "types/structs/object.hpp", "structs stands above handles"),
        ("host__core__stream", "python/gil.hpp", "the host runtime stands apart"),
        ("call__call", "host/core/stream.hpp", "nothing includes the host runtime"),
        ("call__call", "misc/things.hpp", "misc is no layer; there are python, runtime"),
    ],
)
def test_up_and_elsewhere_is_not(tmp_path: Path, file: str, included: str, why: str) -> None:
    found = problems(tmp_path, **{file: included})
    assert len(found) == 1
    assert found[0].startswith(f"{file.replace('__', '/')}.cpp includes {included}: {why}")

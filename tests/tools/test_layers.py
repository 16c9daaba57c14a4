"""tools/check_layers.py finds an include in the wrong direction, in every layer."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
check_layers = importlib.import_module("check_layers")


def problems(root: Path, *rows: tuple[str, str, str]) -> list[str]:
    """The messages about files of a house that include another file, of the same or another one."""
    for house, file, included in rows:
        of, _, name = included.rpartition(":")
        other = root / (of or house) / name
        path = root / house / file
        for one in (other, path):
            one.parent.mkdir(parents=True, exist_ok=True)
            one.touch()
        path.write_text(path.read_text() + f'#include "{name}"\n', encoding="utf-8")
    return list(check_layers.problems(root))


def test_the_tree_has_its_layers() -> None:
    assert list(check_layers.problems(ROOT)) == []


BINDINGS, HOST = "src/handwritten", "hostgpu"


@pytest.mark.parametrize(
    "row",
    [
        (BINDINGS, "call/call.cpp", "call/record.hpp"),
        (BINDINGS, "call/call.cpp", "python/gil.hpp"),
        (BINDINGS, "arrays/memory/pool.cpp", "arrays/base/layout.hpp"),
        (BINDINGS, "arrays/memory/pool.cpp", "types/handles/stream.hpp"),
        (BINDINGS, "types/by_enumerator/outputs.cpp", "types/results.hpp"),
        (BINDINGS, "runtime/api.cpp", "src:common/checked_int.hpp"),
        (HOST, "streams/stream.cpp", "streams/queue.hpp"),
        (HOST, "streams/stream.cpp", "src:common/checked_int.hpp"),
        (HOST, "streams/stream.cpp", "streams/stream.hpp"),
        ("src/common", "elf.hpp", "src:common/bytes.hpp"),
    ],
)
def test_down_is_allowed(tmp_path: Path, row: tuple[str, str, str]) -> None:
    assert problems(tmp_path, row) == []


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ((BINDINGS, "binding/context.cpp", "module/portable.hpp"), "module stands above binding"),
        ((BINDINGS, "python/gil.cpp", "runtime/api.hpp"), "runtime stands above python"),
        (
            (BINDINGS, "arrays/streams/stream.cpp", "arrays/memory/buffer.hpp"),
            "memory stands above streams",
        ),
        (
            (BINDINGS, "types/handles/class.cpp", "types/structs/object.hpp"),
            "structs stands above handles",
        ),
        ((BINDINGS, "call/call.cpp", "misc/things.hpp"), "misc is no layer; there are base"),
        ((BINDINGS, "call/call.cpp", "hostgpu:streams/event.hpp"), "the houses stand apart"),
        ((HOST, "streams/stream.cpp", "src/handwritten:python/gil.hpp"), "the houses stand apart"),
        ((HOST, "memory/pool.cpp", "streams/stream.hpp"), "streams stands above memory"),
        (("src/common", "checked_int.hpp", "hostgpu:base/status.hpp"), "the houses stand apart"),
    ],
)
def test_up_and_elsewhere_is_not(tmp_path: Path, row: tuple[str, str, str], why: str) -> None:
    found = problems(tmp_path, row)
    assert len(found) == 1
    house, file, included = row
    assert found[0].startswith(f"{house}/{file} includes {included.rpartition(':')[2]}: {why}")


def test_files_in_a_circle_are_found_by_header_and_source_together(tmp_path: Path) -> None:
    rows = [
        (HOST, "streams/event.hpp", "streams/stream.hpp"),
        (HOST, "streams/stream.cpp", "streams/queue.hpp"),
        (HOST, "streams/queue.cpp", "streams/event.hpp"),
    ]
    assert problems(tmp_path / "two", *rows[:2]) == []
    (found,) = problems(tmp_path / "all", *rows)
    assert found.startswith("hostgpu: ")
    assert found.endswith(" include each other")
    assert {"streams/event", "streams/stream", "streams/queue"} <= set(found.split())
    shared = [("src/common", one, f"src:common/{other}") for one, other in ("ab", "ba")]
    shared = [(house, f"{one}.hpp", f"{other}.hpp") for house, one, other in shared]
    (found,) = problems(tmp_path / "shared", *shared)
    assert found.startswith("src/common: ")

"""Which files clang-tidy checks if some are named."""

from __future__ import annotations

import json
import pathlib

import pytest

from tools.tidy import commands


@pytest.mark.parametrize(
    ("names", "asked"),
    [
        ([], ["memory", "dtype"]),
        (["arrays/memory"], ["memory"]),
        (["memory/pool.cpp"], ["memory"]),
        (["types/dtype.cpp"], ["dtype"]),
        (["none.cpp"], []),
    ],
)
def test_a_name_means_what_is_compiled_together_with_it(
    tmp_path: pathlib.Path, names: list[str], asked: list[str]
) -> None:
    """A build compiles some files together, under another name, with folders but no slashes."""
    own = tmp_path / "src" / "handwritten" / "arrays"
    files = {
        "memory": tmp_path / "Unity" / "unity_unit_1_cxx.cxx",
        "dtype": own / "types" / "dtype.cpp",
        "other": tmp_path / "batches" / "generated_1.cpp",
    }
    for file in files.values():
        file.parent.mkdir(parents=True)
        file.write_text(f'#include "{own}/memory/pool.cpp"\n' if "Unity" in str(file) else "")
    entries = [{"file": str(file), "command": f"g++ {name}"} for name, file in files.items()]
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    assert [one["command"] for one in commands(tmp_path, names)] == [
        f"g++ {name}" for name in asked
    ]

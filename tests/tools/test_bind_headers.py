"""tools/bind_headers.py: the table of what became of headers, and its list of packages' headers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from generator.toml import read_toml
from tests.conftest import ROOT

SCRIPT, LIST = ROOT / "tools" / "bind_headers.py", ROOT / "tools" / "bind_headers.toml"
HEADERS = ROOT / "tests" / "generator" / "c"


def rows(*given: str | Path) -> tuple[int, list[dict[str, Any]]]:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--json", *map(str, given)],
        check=False,
        capture_output=True,
        text=True,
    )
    return done.returncode, json.loads(done.stdout)


def test_each_header_has_a_row() -> None:
    """What is bound of what there is, who decided the parameters, and what is left out."""
    code, (inputs, left) = rows(HEADERS / "inputs.h", HEADERS / "left.h")
    assert code == 0
    assert (inputs["functions"], inputs["total"], inputs["left"]) == (12, 12, [])
    assert inputs["decided"]["raw"] > 0 and sum(inputs["decided"].values()) == 23
    assert (left["functions"], left["total"], len(left["left"])) == (1, 8, 7)
    assert 0 < left["bind"] < 20 and left["build"] == 0


def test_a_listed_header_that_fails_says_why(tmp_path: Path) -> None:
    (tmp_path / "made.h").write_text("int made(int a);\n")
    (tmp_path / "bad.h").write_text("int bad(none a);\n")
    listed = tmp_path / "list.toml"
    listed.write_text('[bad]\nheader = "bad.h"\n[made]\nheader = "made.h"\n')
    code, (bad, made) = rows("--list", listed, "--packages", tmp_path)
    assert code == 1 and "bad.h:1: unknown type name 'none'" in bad["error"]
    assert (made["functions"], made["error"]) == (1, "")


def test_the_list_names_what_is_bound_from_packages() -> None:
    listed = read_toml(LIST, ValueError)
    assert len(listed) >= 30
    for entry in listed.values():
        assert entry.keys() <= {"package", "header", "include", "options"}
        assert entry["package"].partition(": ")[0] in ("pypi", "debian")

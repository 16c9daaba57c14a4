"""tools/exchange_matrix: every cell is right with the installed peers; the page lists all peers."""

from __future__ import annotations

import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT, unavailable

MATRIX = ROOT / "tools" / "exchange_matrix"
PEERS = sorted(
    path.stem for path in (MATRIX / "peers").glob("*.py") if "class Peer(" in path.read_text()
)
PEERS.remove("compiled")  # it is no peer, but a base of two of them
# The peers in requirements/test.txt.
PINNED = {"numpy", "ctypes", "cffi", "pybind11", "nanobind"}
if platform.machine() == "x86_64":
    PINNED.add("mpi4py")


def rows_of_the_page() -> list[str]:
    text = (ROOT / "docs" / "exchange.md").read_text()
    table = re.search(r"<!-- matrix of host -->(.*)<!-- end of the matrix of host -->", text, re.S)
    return re.findall(r"^\| (.*?) \|", table[1], re.M)[2:]


def run(folder: pathlib.Path, peer: str, tool: pathlib.Path = MATRIX) -> tuple[int, dict]:
    """The exit code, and the row of the peer."""
    done = subprocess.run(
        [sys.executable, tool, "--peer", peer, "--json", folder / "matrix.json"],
        env=os.environ | {"PYGPU_BACKEND": "host"},
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert not done.stderr, done.stderr
    (row,) = json.loads((folder / "matrix.json").read_text())["rows"]
    return done.returncode, row


def wrong(row: dict) -> dict[str, str]:
    return {name: cell["text"] for name, cell in row["cells"].items() if not cell["right"]}


@pytest.mark.parametrize("peer", PEERS)
def test_every_cell_is_right(tmp_path, peer):
    code, row = run(tmp_path, peer)
    assert (code, wrong(row)) == (0, {})
    assert any(one.startswith(row["peer"]) for one in rows_of_the_page()), "no row in the page"
    if row["absent"]:
        (unavailable if peer in PINNED else pytest.skip)(f"{peer}: {row['absent']}")
    assert len(row["cells"]) == 7


def test_the_page_has_a_row_for_each_peer():
    assert len(rows_of_the_page()) == len(PEERS)


@pytest.mark.parametrize(
    ("column", "right", "changed"),
    [
        # A C function gets only an address, which doesn't order anything.
        ("stream order", "(PyGPU.wait(a), cudaMemcpy(", "(None, cudaMemcpy("),
        ("zero-copy", 'into = "PyGPU.asarray(x)"', 'into = "PyGPU.to_gpu(x)"'),
        ("dtypes", '"float16", ', ""),
        ("refused", "takes_floats(a.view('i4'))", "takes_floats(a)"),
        ("in", 'into = "PyGPU.asarray(x)"', 'into = "PyGPU.asarray(x)[::-1]"'),
    ],
)
def test_what_is_wrong_is_told(tmp_path, column, right, changed):
    tool = tmp_path / "exchange_matrix"
    shutil.copytree(MATRIX, tool, ignore=shutil.ignore_patterns("__pycache__"))
    peer = tool / "peers" / "ctypes.py"
    source = peer.read_text()
    assert right in source
    peer.write_text(source.replace(right, changed))
    code, row = run(tmp_path, "ctypes", tool)
    assert code == 1 and column in wrong(row)

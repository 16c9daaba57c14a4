"""Unlisted releases: `update` alone makes a tree that is up to date and passes `abi`.

It writes no more than the headers changed.
"""

from __future__ import annotations

import difflib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from generator import cli
from generator.headers.fetch import FetchError, fetch_headers
from generator.releases import find_api
from tests.generator.headers import ROOT, missing
from tests.own_specs import copy_own_specs

# Releases before and between the listed ones. test_later_release.py has later ones.
UNLISTED = ["11.7.99", "12.3.101"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of all files that `update` reads and writes for the package's own APIs."""
    binaries = shutil.ignore_patterns("*.so", "__pycache__")
    for folder in ("docs", "generated", "python"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=binaries)
    copy_own_specs(tmp_path / "api_specs")
    assert cli.main(["--root", str(tmp_path), "regenerate"]) == 0  # the lists of all APIs
    return tmp_path


def printed(tree: Path) -> Mapping[str, list[str]]:
    """The lines of every generated file."""
    names = ("*.cpp", "*.hpp", "*.pyi")
    files = (path for name in names for path in tree.rglob(name))
    return {str(path.relative_to(tree)): path.read_text().splitlines() for path in files}


def changed_lines(
    before: Mapping[str, list[str]], after: Mapping[str, list[str]]
) -> dict[str, int]:
    """How many lines were added or removed in each changed file."""
    found = {}
    for path in before.keys() | after.keys():
        old, new = before.get(path, []), after.get(path, [])
        if old != new:
            diff = list(difflib.unified_diff(old, new, n=0))[2:]
            found[path] = sum(not line.startswith("@") for line in diff)
    return found


def said(changes: list[dict[str, str]]) -> int:
    """How many declarations a release changes; a struct counts with its fields."""
    return sum(1 + (one["after"] or one["before"]).count("@") for one in changes)


@pytest.mark.parametrize("version", UNLISTED)
def test_no_edit_is_needed(tree: Path, version: str, capsys: pytest.CaptureFixture[str]) -> None:
    settings = find_api(tree / "api_specs", "cuda_runtime")
    try:
        fetch_headers(settings.package(version), version)
    except FetchError as error:
        missing(f"the headers of CUDA {version} ({error})")
    specs = {path: path.read_bytes() for path in (tree / "api_specs").rglob("*") if path.is_file()}
    root, before = ["--root", str(tree)], printed(tree)
    command = ["update", "cuda_runtime", "--release", version, "--from-package", "--json"]
    assert cli.main([*root, *command]) == 0
    changed = said(json.loads(capsys.readouterr().out))
    lines = changed_lines(before, printed(tree))
    # 0.5 to 9 for these releases; 50 if a new name shifts all following indices.
    assert sum(lines.values()) <= 12 * changed, f"{lines} for {changed} declarations and fields"
    assert cli.main([*root, "check"]) == 0
    assert cli.main([*root, "abi", "cuda_runtime", "--release", version]) == 0, capsys.readouterr()
    assert cli.main([*root, "coverage", "cuda_runtime"]) == 0
    touched = {path.name for path, before in specs.items() if path.read_bytes() != before}
    assert touched == {"releases.toml", "api.json"}
    assert sorted(tree.rglob("*.new")) == sorted(tree.rglob("*.old")) == []


def test_the_same_release_again_changes_nothing(tree: Path) -> None:
    settings = find_api(tree / "api_specs", "cuda_runtime")
    version = settings.releases[-1]
    try:
        fetch_headers(settings.package(version), version)
    except FetchError as error:
        missing(f"the headers of CUDA {version} ({error})")
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    command = ["update", "cuda_runtime", "--release", version, "--from-package"]
    assert cli.main(["--root", str(tree), *command]) == 0
    assert {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()} == before

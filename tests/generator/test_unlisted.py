"""Releases that nobody listed: `update` alone makes a tree that is up to date and passes `abi`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from generator import cli
from generator.headers.fetch import FetchError, fetch_headers
from generator.releases import find_api
from tests.generator.headers import ROOT, missing

# Before, between and behind the listed ones, of every major.
UNLISTED = ["11.7.99", "12.1.105", "12.3.101", "12.5.82", "13.3.29", "13.4.92"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of all that `update` reads and writes."""
    binaries = shutil.ignore_patterns("*.so", "__pycache__")
    for folder in ("api_specs", "generated", "python"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=binaries)
    return tmp_path


@pytest.mark.parametrize("version", UNLISTED)
def test_no_edit_is_needed(tree: Path, version: str, capsys: pytest.CaptureFixture[str]) -> None:
    settings = find_api(tree / "api_specs", "cuda_runtime")
    try:
        fetch_headers(settings.package(version), version)
    except FetchError as error:
        missing(f"the headers of CUDA {version} ({error})")
    specs = {path: path.read_bytes() for path in (tree / "api_specs").rglob("*") if path.is_file()}
    root = ["--root", str(tree)]
    assert cli.main([*root, "update", "cuda_runtime", "--release", version, "--from-package"]) == 0
    assert cli.main([*root, "check"]) == 0
    assert cli.main([*root, "abi", "cuda_runtime", "--release", version]) == 0, capsys.readouterr()
    assert cli.main([*root, "coverage", "cuda_runtime"]) == 0
    touched = {path.name for path, before in specs.items() if path.read_bytes() != before}
    assert touched <= {"releases.toml", "api.json"}


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

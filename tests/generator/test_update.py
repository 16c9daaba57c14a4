"""`update` on a copy of the tree: everything that a release changes is written, or nothing."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from generator import cli, store
from generator import update as updating
from generator.headers import fetch
from generator.merge import release_of
from generator.model import CType, Enum, Enumerator, Field, Parameter, Release, Source, Struct
from generator.releases import Package, find_api
from tests.generator.headers import ROOT, parse_text
from tests.generator.test_files import little_room
from tests.own_specs import copy_own_specs

HERE = Source("made_up.h", 7)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of all files that `update` reads and writes for the package's own APIs."""
    binaries = shutil.ignore_patterns("*.so", "__pycache__", "*.py")
    for folder in ("docs", "generated", "python"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=binaries)
    copy_own_specs(tmp_path / "api_specs")
    return tmp_path


def content(tree: Path) -> dict[str, bytes]:
    return {str(one): one.read_bytes() for one in tree.rglob("*") if one.is_file()}


@cache
def newest() -> Release:
    api = store.load(ROOT / "api_specs" / "cuda_runtime" / "api.json")
    return replace(release_of(api, api.newest), version="99.0")


def add(tree: Path, monkeypatch: pytest.MonkeyPatch, release: Release, *options: str) -> int:
    """Run `update` as if the headers in the tree declared that release."""
    monkeypatch.setattr(updating, "parse_headers", lambda *arguments: release)
    (tree / "include").mkdir(exist_ok=True)
    command = ["update", "cuda_runtime", "--release", "99.0.1", "--headers", str(tree / "include")]
    return cli.main(["--root", str(tree), *command, *options])


def with_struct() -> Release:
    """A release with a new struct, one of whose fields no Python value fits."""
    odd = Struct("cudaOdd", "struct", 16, 16, (Field("x", CType("__int128"), 0),), HERE)
    return replace(newest(), structs={**newest().structs, "cudaOdd": odd})


def with_parameters(*names: str) -> Release:
    made = replace(newest().functions["cudaSetDevice"], name="cudaDo", symbol="cudaDo", source=HERE)
    made = replace(made, parameters=tuple(Parameter(name, CType("int")) for name in names))
    return replace(newest(), functions={**newest().functions, "cudaDo": made})


def with_default(text: str) -> Release:
    release = with_parameters("n")
    made = release.functions["cudaDo"]
    made = replace(made, parameters=(replace(made.parameters[0], default=text),))
    return replace(release, functions={**release.functions, "cudaDo": made})


def with_enumerators(*names: str) -> Release:
    members = tuple(Enumerator(name, value) for value, name in enumerate(names))
    made = Enum("cudaOdd", "unsigned int", members, HERE)
    return replace(newest(), enums={**newest().enums, "cudaOdd": made})


def test_what_cannot_be_planned_is_not_saved(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = content(tree)
    for release, said in (
        (with_struct(), "made_up.h:7: cudaOdd.x: __int128 can't be the type of a field"),
        (with_default("nothing"), "cudaDo (made_up.h:7): n: 'nothing' is neither a number nor"),
    ):
        assert add(tree, monkeypatch, release) == 2
        assert said in capsys.readouterr().err.splitlines()[-1]
        assert content(tree) == before


def test_what_has_no_room_is_not_saved(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = content(tree)
    for options in ((), ("--no-regenerate",)):
        with little_room():
            assert add(tree, monkeypatch, with_parameters("n"), *options) == 2
        assert capsys.readouterr().err.splitlines()[-1].endswith("File too large")
        assert content(tree) == before


def test_names_that_are_words_of_python(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They get an underscore, so that the stubs are valid Python and users can write the names."""
    odd = ("None", "lambda", "mro", "__init__")
    release = with_enumerators(*odd)
    functions = with_parameters("None", "lambda", "self").functions
    assert add(tree, monkeypatch, replace(release, functions=functions)) == 0
    text = (tree / "python" / "PyGPU" / "cuda" / "__init__.pyi").read_text()
    compile(text, "stub", "exec")
    for name in ("None_", "lambda_", "mro_", "__init__1"):
        assert f"    {name} = " in text
        assert f"\n{name}: cudaOdd" in text
    assert "def cudaDo(None_: _Int, lambda_: _Int, self: _Int) -> cudaError: ..." in text


def test_the_folder_of_the_headers_is_recorded(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(tree, monkeypatch, newest()) == 0
    assert find_api(tree / "api_specs", "cuda_runtime").folders == {"99.0.1": "include"}
    monkeypatch.setattr(fetch, "_pip", failing_pip)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tree))
    command = ["--root", str(tree), "abi", "cuda_runtime", "--release", "99.0"]
    assert cli.main([*command[:-2], "--release", "99.0"]) == 1
    told = capsys.readouterr().err
    assert "SKIPPED, no cuda_runtime_api.h in include. Get its headers, and run `python -m" in told
    assert cli.main([*command, "--allow-missing"]) == 0


def failing_pip(*arguments: str) -> Any:
    return fetch.subprocess.CompletedProcess(arguments, 1, "", "ERROR: no network\n")


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("13.3", "13.3.29"),
        ("13.3.29", "13.3.29"),
        ("13.9.1", "13.9.1"),  # reported when it is fetched
        ("13.5", "nvidia-gpu 13.5 may be any of 13.5.37, 13.5.20: say which"),
        ("13.4", "nvidia-gpu has no version 13.4; it has 13.5.37, 13.5.20, 13.3.29"),
        ("13", "nvidia-gpu 13 may be any of 13.5.37, 13.5.20, 13.3.29: say which"),
    ],
)
def test_the_begin_of_a_version(
    given: str, found: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    listed = "nvidia-gpu (13.5.37)\nAvailable versions: 13.5.37, 13.5.20, 13.3.29\n"
    done = fetch.subprocess.CompletedProcess((), 0, listed, "")
    monkeypatch.setattr(fetch, "_pip", lambda *arguments: done)
    try:
        assert fetch.full_version(Package("nvidia-gpu", "i"), given, tmp_path) == found
    except fetch.FetchError as error:
        assert str(error) == found  # noqa: PT017


def test_versions_that_cannot_be_had(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(fetch, "_pip", failing_pip)
    with pytest.raises(fetch.FetchError, match=r"^pip index versions nvidia-gpu: no network$"):
        fetch.full_version(Package("nvidia-gpu", "i"), "13.3", tmp_path)


def test_bit_fields_without_a_name_are_padding(
    tree: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = "struct gpuBits { unsigned a : 3; unsigned : 0; unsigned b : 2; unsigned : 5; };\n"
    (tmp_path / "gpu").mkdir()
    parsed = parse_text(tmp_path / "gpu", text).structs["gpuBits"]
    structs = {**newest().structs, "cudaBits": replace(parsed, name="cudaBits")}
    assert add(tree, monkeypatch, replace(newest(), structs=structs)) == 0
    stub = (tree / "python" / "PyGPU" / "cuda" / "__init__.pyi").read_text()
    assert "def __new__(cls, a: _Int = ..., b: _Int = ...) -> Self: ..." in stub
    store.load(tree / "api_specs" / "cuda_runtime" / "api.json")

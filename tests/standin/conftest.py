"""Builds stand-ins, and runs programs against them, each in an interpreter of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generator import store
from generator.merge import release_of
from generator.releases import read_releases, release_name
from tests.standin import apis
from tests.standin.library import build

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
LISTED = [
    (settings.name, version)
    for settings in read_releases(ROOT / "api_specs").values()
    if settings.name in apis.APIS
    for version in settings.releases
]
NEWEST = list({name: (name, version) for name, version in LISTED}.values())
OLDEST = list({name: (name, version) for name, version in reversed(LISTED)}.values())

Program = Callable[..., dict[str, Any]]


def marked(releases: list[tuple[str, str]]) -> list[Any]:
    """The releases as parameters.

    Those between an API's oldest and newest get the mark `between`.
    """
    ends = (*OLDEST, *NEWEST)
    between = [() if one in ends else (pytest.mark.between,) for one in releases]
    return [
        pytest.param(one, marks=marks, id="-".join(one))
        for one, marks in zip(releases, between, strict=True)
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests with `listed` run for every listed release, with `newest` for each API's newest one."""
    for argument, which in (("listed", LISTED), ("newest", NEWEST)):
        if argument in metafunc.fixturenames:
            ids = [f"{name}-{version}" for name, version in which]
            metafunc.parametrize(argument, which, ids=ids)


@pytest.fixture(scope="session")
def standin(once: Callable[..., Path]) -> Callable[[str, str], Path]:
    """The path of the stand-in for an API and a version."""

    def path(api: str, version: str) -> Path:
        def make(folder: Path) -> None:
            whole = store.load(ROOT / "api_specs" / api / "api.json")
            build(release_of(whole, release_name(version)), version, folder)

        return once(f"{api}-{version}", make) / f"{apis.file_name(api)}.{version}"

    return path


@pytest.fixture
def run(standin: Callable[[str, str], Path]) -> Program:
    """Run a program of this folder for (api, version) and return the JSON that it prints."""

    def program(
        name: str, which: tuple[str, str], *arguments: str, seconds: int = 300, **variables: str
    ) -> Any:
        api, version = which
        library = str(standin(api, version))
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYGPU_")}
        environment |= {
            apis.of(api).library.variable: library,
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        environment |= variables
        command = [str(HERE / name), api, release_name(version), library, *arguments]
        done = subprocess.run(
            [sys.executable, *command],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
        return json.loads(done.stdout)

    return program

"""The APIs of this folder, added to copies of the tree and built, once in a run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.apis import adding


def make(tree: Path, apis: Mapping[str, str], *modules: str) -> None:
    """Add APIs to a copy of the tree; every other source is unchanged."""
    before = adding.sources()
    adding.add(tree, apis, modules)
    assert adding.sources() == before


def run(tree: Path, file: Path, **environment: str) -> None:
    """Run the tests of a file where `import PyGPU` has the APIs that were added to the tree."""
    known = {name: "" for name in os.environ if name.startswith("PYGPU_")}
    paths = os.pathsep.join([str(tree / "python"), str(adding.ROOT)])
    adding.run(
        *(sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--noconftest"),
        *("-p", "no:cacheprovider", "-W", "error", str(file)),
        **(known | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"} | environment),
    )


@pytest.fixture(scope="session")
def added(once) -> Path:
    """A copy of the tree with the APIs that have modules of their own."""
    modules = [f"_{name}" for name in adding.APIS]
    return once("apis", lambda tree: make(tree, adding.APIS, *modules))


@pytest.fixture(scope="session")
def added_runtime(once) -> Path:
    """A copy of the tree with a further runtime that serves arrays, and its compiler."""
    return once("runtime", lambda tree: make(tree, adding.RUNTIME, "_core", "_ternc"))


@pytest.fixture
def check(added) -> Callable[..., None]:
    """`check(file, **variables)`: run the tests of a file where PyGPU has those APIs."""
    return lambda file, **environment: run(added, file, **environment)


@pytest.fixture
def check_runtime(added_runtime) -> Callable[..., None]:
    """`check_runtime(file, **variables)`: the same where PyGPU has the further runtime."""
    return lambda file, **environment: run(added_runtime, file, **environment)

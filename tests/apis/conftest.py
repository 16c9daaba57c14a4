"""The APIs of this folder, added to a copy of the tree and built, once in a run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.apis import adding


@pytest.fixture(scope="session")
def added(once) -> Path:
    """A copy of the tree with the APIs added; every other source is unchanged."""

    def make(tree: Path) -> None:
        before = adding.sources()
        adding.add(tree)
        assert adding.sources() == before

    return once("apis", make)


@pytest.fixture
def check(added) -> Callable[..., None]:
    """`check(file, **variables)`: run the tests of a file where `import PyGPU` has those APIs."""

    def run(file: Path, **environment: str) -> None:
        known = {name: "" for name in os.environ if name.startswith("PYGPU_")}
        paths = os.pathsep.join([str(added / "python"), str(adding.ROOT)])
        adding.run(
            *(sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--noconftest"),
            *("-p", "no:cacheprovider", "-W", "error", str(file)),
            **(known | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"} | environment),
        )

    return run

"""A further vendor's runtime serves arrays by adding one folder."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.apis import adding
from tests.conftest import unavailable

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def library(once) -> Path:
    """The vendor's library, which works on the host's memory."""
    compiler = os.environ.get("CC") or shutil.which("gcc") or unavailable("no C compiler")

    def make(folder: Path) -> None:
        adding.run(
            *(*str(compiler).split(), "-std=c11", "-O1", "-shared", "-fPIC", "-D_GNU_SOURCE"),
            *(f"-I{HERE / 'include'}", str(HERE / "tern.c"), "-o", str(folder / "libtern.so.1.4")),
        )

    return once("tern", make) / "libtern.so.1.4"


def test_arrays(check_runtime, library) -> None:
    check_runtime(HERE / "arrays.py", PYGPU_TERN_LIBRARY=str(library), PYGPU_BACKEND="tern")

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
def libraries(once) -> dict[str, str]:
    """The vendor's libraries, which work on the host's memory, by the variables that name them."""
    compiler = os.environ.get("CC") or shutil.which("gcc") or unavailable("no C compiler")

    def make(folder: Path) -> None:
        for name in adding.RUNTIME:
            place = adding.HERE / name
            adding.run(
                *(*str(compiler).split(), "-std=c11", "-O1", "-shared", "-fPIC", "-D_GNU_SOURCE"),
                *(f"-I{place / 'include'}", str(place / f"{name}.c")),
                *("-o", str(folder / f"lib{name}.so.1.4")),
            )

    folder = once("tern", make)
    files = {name: folder / f"lib{name}.so.1.4" for name in adding.RUNTIME}
    return {f"PYGPU_{name.upper()}_LIBRARY": str(file) for name, file in files.items()}


@pytest.mark.parametrize("file", ["arrays.py", "compiling.py"])
def test_calls(file, check_runtime, libraries, tmp_path) -> None:
    """compiling.py finds the vendor's headers in TERN_HOME."""
    header = tmp_path / "device" / "include" / "tern_device.h"
    header.parent.mkdir(parents=True)
    header.write_text("#define TERN 1\n")
    places = {"PYGPU_CACHE_DIR": str(tmp_path / "cache"), "TERN_HOME": str(tmp_path)}
    check_runtime(HERE / file, PYGPU_BACKEND="tern", **libraries, **places)

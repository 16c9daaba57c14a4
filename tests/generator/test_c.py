"""Headers of every shape that C has (tests/generator/c): each is bound, and all are called once."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from generator import cli
from generator.glue import built_glue
from tests.apis.adding import ROOT, run
from tests.generator.headers import missing

HERE = Path(__file__).parent / "c"
# What each header's functions are; the others are left out by name.
BOUND = {
    "callbacks": 7,
    "fields": 11,
    "handles": 8,
    "inputs": 12,
    "left": 1,
    "libc": 5,
    "macros": 6,
    "names": 8,
    "numerals": 9,
}
LEFT = "by_value counter log names struct vlog wide"


@pytest.mark.parametrize("name", sorted(BOUND))
def test_each_is_bound(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without an edit; a second run changes nothing."""
    folder = tmp_path / "project"
    assert cli.main(["bind", str(HERE / f"{name}.h"), "--folder", str(folder)]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"Wrote the Python package {name} of {BOUND[name]} function")
    assert "No status type was found" in told
    left = [line.split("(")[0] for line in told.splitlines() if line.startswith("Not bound: ")]
    known = LEFT.split() if name == "left" else []
    assert sorted(line.split(": ")[2] for line in left) == [f"left_{one}" for one in known]
    files = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert cli.main(["bind", str(HERE / f"{name}.h"), "--folder", str(folder)]) == 0
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == files


def build(folder: Path) -> None:
    """All headers as one package, by the project's own CMake file, and the library behind them."""
    if (compiler := shutil.which("gcc")) is None:
        missing("a C compiler")
    run(
        str(compiler),
        "-std=gnu11",
        "-shared",
        "-fPIC",
        str(HERE / "library.c"),
        "-o",
        f"{folder}/c.so",
    )
    project, tools = (
        folder / "every",
        f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    )
    assert cli.main(["bind", str(HERE / "every.h"), "--folder", str(project)]) == 0
    glue = [f"-DPYGPU_GLUE={path}" for path in list(built_glue(ROOT))[:1]]
    run(
        *("cmake", "-S", str(project), "-B", str(folder / "build"), "-G", "Ninja", *glue),
        *(f"-DPython_EXECUTABLE={sys.executable}", f"-DPyGPUGlue_DIR={ROOT / 'cmake'}"),
        *("-DPYGPU_PRECOMPILE=OFF", "-DPYGPU_WERROR=ON", "-DCMAKE_BUILD_TYPE=None"),
        *(
            "-DCMAKE_CXX_FLAGS=-O0",
            f"-DCMAKE_LIBRARY_OUTPUT_DIRECTORY={project / 'python' / 'every'}",
        ),
        PATH=tools,
    )
    run("cmake", "--build", str(folder / "build"), PATH=tools)


def test_all_are_called(once: Callable[[str, Callable[[Path], None]], Path]) -> None:
    """In one build: calls.py asks for the right values."""
    folder = once("c-shapes", build)
    paths = os.pathsep.join([str(folder / "every" / "python"), *filter(None, sys.path)])
    run(
        *(sys.executable, "-W", "error", str(HERE / "calls.py")),
        PYTHONPATH=paths,
        PYGPU_EVERY_LIBRARY=str(folder / "c.so"),
        PYGPU_BACKEND="host",
    )

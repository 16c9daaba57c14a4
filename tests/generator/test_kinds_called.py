"""Rules for what C can't say: each with a small library that is bound, built and called."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from generator import cli
from generator.glue import built_glue
from tests.apis.adding import ROOT, run
from tests.generator.headers import missing

HERE = Path(__file__).parent / "kinds"


def build(folder: Path) -> None:
    """The package by its own CMake file, with told.toml as its rules, and the library behind it."""
    if (compiler := shutil.which("gcc")) is None:
        missing("a C compiler")
    library = folder / "libtold.so"
    run(str(compiler), "-shared", "-fPIC", "-Wall", str(HERE / "told.c"), "-o", str(library))
    project = folder / "told"
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    bind = ["bind", str(HERE / "told.h"), "--folder", str(project)]
    assert cli.main(bind) == 0
    shutil.copy(HERE / "told.toml", project / "api_specs" / "told" / "rules.toml")
    with (project / "api_specs" / "told" / "api.toml").open("a") as manifest:
        manifest.write('\n[release]\notherwise = "1.0"\n')
    assert cli.main(bind) == 0
    glue = [f"-DPYGPU_GLUE={path}" for path in list(built_glue(ROOT))[:1]]
    run(
        *("cmake", "-S", str(project), "-B", str(folder / "build"), "-G", "Ninja", *glue),
        *(f"-DPython_EXECUTABLE={sys.executable}", f"-DPyGPUGlue_DIR={ROOT / 'cmake'}"),
        *("-DPYGPU_PRECOMPILE=OFF", "-DPYGPU_WERROR=ON", "-DCMAKE_BUILD_TYPE=None"),
        *(
            "-DCMAKE_CXX_FLAGS=-O0",
            f"-DCMAKE_LIBRARY_OUTPUT_DIRECTORY={project / 'python' / 'told'}",
        ),
        PATH=tools,
    )
    run("cmake", "--build", str(folder / "build"), PATH=tools)


def test_all_are_called(once: Callable[[str, Callable[[Path], None]], Path]) -> None:
    folder = once("told-kinds", build)
    paths = os.pathsep.join([str(folder / "told" / "python"), *filter(None, sys.path)])
    run(
        *(sys.executable, "-W", "error", str(HERE / "calls.py")),
        PYTHONPATH=paths,
        PYGPU_TOLD_LIBRARY=str(folder / "libtold.so"),
        PYGPU_BACKEND="host",
    )

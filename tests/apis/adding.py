"""Adding the APIs of this folder to a copy of the tree: parse, generate, build."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import PyGPU

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
# The APIs of this folder with the release that their headers are of: those with a module of their
# own, and a runtime that serves arrays with its compiler.
APIS = {"mykernels": "1.2.0", "zlib": "1.2.13"}
RUNTIME = {"tern": "1.4.0", "ternc": "3.1.0"}
# How modules of few files are built.
PLAIN = ("-DPYGPU_PRECOMPILE=OFF", "-DCMAKE_CXX_FLAGS=-O1")
# What the generator reads and CMake builds from. A new API changes none of it.
SOURCES = (
    *("CMakeLists.txt", "cmake", "generator", "pyproject.toml", "src", "templates", "third_party"),
)
# The files that list all APIs.
LISTS = {"python/PyGPU/__init__.pyi", "python/PyGPU/_apis/__init__.py"}


def add(tree: Path, apis: Mapping[str, str], modules: Sequence[str]) -> None:
    """Add APIs to `tree`, and build modules against the glue of the PyGPU that is installed."""
    shutil.copytree(ROOT / "api_specs", tree / "api_specs")
    for name in SOURCES:
        (tree / name).symlink_to(ROOT / name)
    (tree / "generated").mkdir()
    for number, (name, release) in enumerate(apis.items(), 1):
        folder = tree / "api_specs" / name
        folder.mkdir()
        for file in (HERE / name).glob("*.toml"):
            shutil.copy(file, folder)
        last = () if number == len(apis) else ("--no-regenerate",)
        run(
            *(sys.executable, "-m", "generator", "--root", str(tree)),
            *("update", name, "--release", release, "--headers", str(HERE / name / "include")),
            *last,
        )
    build(tree, modules)
    for module in (tree / "build/python/PyGPU").glob("*.so"):
        (tree / "python/PyGPU" / module.name).symlink_to(module)
    package = Path(PyGPU.__file__).parent
    given = {path.relative_to(tree) for path in (tree / "python").rglob("*") if path.is_file()}
    for folder, _, files in os.walk(package, followlinks=True):
        for path in (Path(folder, file) for file in files):
            target = Path("python", "PyGPU", path.relative_to(package))
            if target not in given and path.suffix != ".pyc":
                (tree / target).parent.mkdir(parents=True, exist_ok=True)
                (tree / target).symlink_to(path)


def build(tree: Path, modules: Sequence[str]) -> None:
    """Build only these modules, which are linked with the glue of the PyGPU that is tested."""
    glue = Path(PyGPU.__file__).parent / "libpygpu_glue.so"
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    run(
        *(
            "cmake",
            "-S",
            str(tree),
            "-B",
            str(tree / "build"),
            "-G",
            "Ninja",
            f"-DPYGPU_GLUE={glue}",
        ),
        *(f"-DPython_EXECUTABLE={sys.executable}", "-DPYGPU_WERROR=ON", "-DPYGPU_HOST=OFF"),
        # _core holds all arrays, whose code isn't what is tested.
        *(("-DCMAKE_CXX_FLAGS=-O0",) if "_core" in modules else PLAIN),
        "-DCMAKE_BUILD_TYPE=None",
        PATH=tools,
    )
    run("cmake", "--build", str(tree / "build"), "--target", *modules, PATH=tools)


def sources() -> str:
    """A digest of all files that a new API must leave unchanged."""
    digest = hashlib.sha256()
    for name in (*SOURCES, "python"):
        for path in sorted([ROOT / name, *(ROOT / name).rglob("*")]):
            if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".so":
                digest.update(str(path).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def run(*command: str, **environment: str) -> str:
    """Run a command and return its output; an AssertionError with the output where it fails."""
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout

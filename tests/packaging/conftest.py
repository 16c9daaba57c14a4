"""The working tree's wheels, each built once in a run."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

from tests.conftest import ROOT, required

GENERATOR = ROOT / "packages" / "pygpu-generator"


def build_wheel(project: pathlib.Path, folder: pathlib.Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--quiet"]
    subprocess.run([*command, "--wheel-dir", str(folder), str(project)], check=True, timeout=500)


@pytest.fixture(scope="session")
def wheel_path(once) -> pathlib.Path:
    """PyGPU's wheel. The build is quick, as it uses the installation's objects.

    One worker builds it for all, since two builds can't share the tree's build folder.
    """
    required("scikit_build_core")
    required("pybind11")
    required("hatch_fancy_pypi_readme")
    (path,) = once("wheel", lambda folder: build_wheel(ROOT, folder)).glob("*.whl")
    return path


@pytest.fixture(scope="session")
def library_wheels(once) -> dict[str, pathlib.Path]:
    """The wheels of the libraries' modules, by their extras."""
    required("scikit_build_core")
    packages = sorted(path.parent for path in ROOT.glob("packages/pygpu-*/CMakeLists.txt"))

    def build(folder: pathlib.Path) -> None:
        for package in packages:
            build_wheel(package, folder)

    made = once("library-wheels", build)
    return {path.name.split("-")[0].removeprefix("pygpu_"): path for path in made.glob("*.whl")}


@pytest.fixture(scope="session")
def generator_wheel(once) -> pathlib.Path:
    """The generator's wheel."""
    required("hatchling")
    made = once("generator-wheel", lambda folder: build_wheel(GENERATOR, folder))
    (path,) = made.glob("*.whl")
    return path

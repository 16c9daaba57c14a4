"""`python -m PyGPU new`: the project that it writes builds and passes its own test."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import PyGPU
from tests.conftest import ROOT
from tests.cplusplus.conftest import package

COMMAND = "import sys; from PyGPU.__main__ import main, run; sys.exit(run(main, 'new'))"
PIP = [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--quiet"]


def build_and_test(python, folder: pathlib.Path, *options: str) -> None:
    """Builds a new project offline with the packages of this Python, and runs its test.

    Its name is a word of C++, as a package's may be.
    """
    for name in ("pybind11", "scikit_build_core"):
        package(name)
    written = python(COMMAND, "new", "template", "--folder", str(folder / "project"))
    assert "pip install" in written.stdout and "pytest" in written.stdout
    site = folder / "site"
    own = [str(pathlib.Path(PyGPU.__file__).parents[1]), str(package("pybind11").parent)]
    tools = str(pathlib.Path(sys.executable).parent)
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(own))
    environment["PATH"] = os.pathsep.join([tools, os.environ["PATH"]])
    for command in (
        [*PIP, "--target", str(site), ".", *options],
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
    ):
        done = subprocess.run(
            command,
            env=environment,
            cwd=folder / "project",
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        environment["PYTHONPATH"] = os.pathsep.join([str(site), *own])
    assert "3 passed" in done.stdout


def test_a_project_for_the_host_builds_and_passes(python, tmp_path):
    build_and_test(python, tmp_path, "--config-settings=cmake.define.GPU=none")


def test_a_project_for_a_gpu_builds_and_passes(python, request, monkeypatch, tmp_path):
    """With a GPU its kernels run there. Without one, those of the host run."""
    if not shutil.which("hipcc"):
        monkeypatch.setenv("CUDACXX", request.getfixturevalue("nvcc"))
    build_and_test(python, tmp_path)


@pytest.mark.parametrize(
    "name", ["2fast", "my-kernels", "class", "a b", "../x", "é", "json", "PyGPU", "", "x_", "_x"]
)
def test_no_package_can_have_such_a_name(python, tmp_path, name):
    done = python(COMMAND, "new", name, "--folder", str(tmp_path / "x"), check=False)
    assert done.returncode == 2 and repr(name) in done.stderr
    assert not (tmp_path / "x").exists()


def test_nothing_is_overwritten(python, tmp_path):
    place = tmp_path / "mine"
    place.mkdir()
    (place / "notes").write_text("keep")
    done = python(COMMAND, "new", "mine", "--folder", str(place), check=False)
    assert done.returncode == 1 and "exists" in done.stderr and "Traceback" not in done.stderr
    assert [path.name for path in place.iterdir()] == ["notes"]
    (place / "notes").unlink()
    assert python(COMMAND, "new", "mine", "--folder", str(place)).returncode == 0
    assert (place / "python" / "mine" / "__init__.py").exists()
    texts = [path.read_text() for path in place.rglob("*") if path.is_file()]
    assert len(texts) == 9 and not any("@NAME@" in text for text in texts)


def test_the_template_is_installed():
    """The template is package data, which no import touches."""
    template = ROOT / "python" / "PyGPU" / "_new" / "template"
    installed = pathlib.Path(PyGPU.__file__).parent / "_new" / "template"
    assert sorted(str(path.relative_to(template)) for path in template.rglob("*.in")) == sorted(
        str(path.relative_to(installed)) for path in installed.rglob("*.in")
    )

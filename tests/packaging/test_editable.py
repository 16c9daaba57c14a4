"""An editable installation: Python files are in the tree, compiled files in another folder."""

from __future__ import annotations

import pathlib
import shutil

import PyGPU

ASK = pathlib.Path(__file__).with_name("editable.py")


def test_the_host_runtime_is_found_beside_the_compiled_module(python, tmp_path):
    package = pathlib.Path(PyGPU._core.__file__).parent
    sources = pathlib.Path(PyGPU.__file__).parent
    files, compiled = tmp_path / "files", tmp_path / "compiled"
    shutil.copytree(sources, files, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    compiled.mkdir()
    for library in package.glob("*.so"):
        shutil.copy(library, compiled)
    ran = python(ASK, str(files), str(compiled), PYGPU_BACKEND="host", PYGPU_HOST_DEVICES="3")
    assert ran.stdout.split() == ["host", "3"]

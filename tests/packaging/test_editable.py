"""An editable installation: Python files in the tree, what was compiled in another folder."""

from __future__ import annotations

import pathlib
import shutil

import PyGPU

ASK = """
import importlib.util, sys

files, compiled = sys.argv[1:]
spec = importlib.util.spec_from_file_location(
    "PyGPU", f"{files}/__init__.py", submodule_search_locations=[files, compiled]
)
sys.modules["PyGPU"] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
assert module.__file__.startswith(files) and module._core.__file__.startswith(compiled)
print(module.backend, module.checked.cudaGetDeviceCount())
"""


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

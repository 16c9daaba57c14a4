"""The stubs: mypy and pyright accept correct code and refuse wrong code, and stubtest agrees."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import PyGPU
from PyGPU._apis import APIS
from tests.conftest import required

HERE = pathlib.Path(__file__).parent
SAMPLES = HERE / "samples"
PAGE = HERE.parents[1] / "docs" / "calls.md"


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder with the tested package and the samples."""
    (tmp_path / "PyGPU").symlink_to(pathlib.Path(PyGPU.__file__).parent)
    for sample in SAMPLES.glob("*.py"):
        (tmp_path / sample.name).write_text(sample.read_text())
    (section,) = re.findall(r"^## Types and help$(.*)", PAGE.read_text(), re.M | re.S)
    (block,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    (tmp_path / "calls.py").write_text(block)
    return tmp_path


def run(folder: pathlib.Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a tool of this interpreter.

    There is no library, so the names of all releases are there.
    """
    environment = {name: value for name, value in os.environ.items() if name[:6] != "PYGPU_"}
    environment |= {one.library.variable: "/nowhere" for one in APIS.values()}
    environment |= {
        "MYPY_CACHE_DIR": str(folder / "cache"),
        "PYGPU_BACKEND": "cuda",
        "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1",
    }
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def mypy(folder: pathlib.Path, *files: str) -> dict[str, set[int]]:
    """The lines of each file that mypy refuses."""
    result = run(folder, "mypy", "--strict", "--no-error-summary", *files)
    assert result.returncode in (0, 1), result.stdout + result.stderr
    print(result.stdout)
    found: dict[str, set[int]] = {file: set() for file in files}
    for file, line in re.findall(r"^([^:\n]+):(\d+): error", result.stdout, re.MULTILINE):
        found.setdefault(file, set()).add(int(line))
    return found


def pyright(folder: pathlib.Path, *files: str) -> dict[str, set[int]]:
    """The lines of each file that pyright refuses."""
    required("pyright")
    settings = {"include": list(files), "typeCheckingMode": "strict", "extraPaths": ["."]}
    settings |= {"reportMissingModuleSource": False, "reportUnusedExpression": False}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    result = run(folder, "pyright", "--outputjson", "--pythonpath", sys.executable)
    found: dict[str, set[int]] = {file: set() for file in files}
    for one in json.loads(result.stdout)["generalDiagnostics"]:
        print(one["file"], one["range"]["start"]["line"] + 1, one["message"])
        if one["severity"] == "error":
            name = pathlib.Path(one["file"]).name
            found.setdefault(name, set()).add(one["range"]["start"]["line"] + 1)
    return found


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_right_is_accepted_and_wrong_refused(checker, folder):
    """mypy checks the stubs, which the samples import, for missing annotations, too."""
    wrong = (SAMPLES / "wrong.py").read_text().splitlines()
    marked = {number for number, line in enumerate(wrong, 1) if "  # " in line}
    assert len(marked) > 15
    assert checker(folder, "right.py", "objects.py", "names.py", "wrong.py", "calls.py") == {
        "right.py": set(),
        "objects.py": set(),
        "names.py": set(),
        "wrong.py": marked,
        "calls.py": set(),
    }


def test_the_module_is_as_the_stubs_say(folder):
    allowed = ["--allowlist", str(HERE / "allowlist.txt")]
    result = run(folder, "mypy.stubtest", "PyGPU", "--concise", *allowed)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_module_has_every_release_s_names_in_the_stubs(folder):
    """Otherwise names that only some releases have could be missing in the stubs unnoticed."""
    stub = (folder / "PyGPU" / "cuda" / "__init__.pyi").read_text()
    for name in ("cudaBindTexture", "cudaGetDriverEntryPointByVersion", "cudaDevSmResourceSplit"):
        assert f"def {name}(" in stub

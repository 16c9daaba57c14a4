"""What C++ asks Python for stands in one header; tools/check_layers.py checks that it exists."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
upcalls = importlib.import_module("layers.upcalls")


def problems(
    root: Path, row: str, source: str = "", module: str = "def current(): ..."
) -> list[str]:
    """The messages about a tree with one row in the list, one C++ source and one Python module."""
    for path, text in (
        (f"{upcalls.SOURCES}/{upcalls.LIST}", f"constexpr PackageName one{{{row}}};"),
        (f"{upcalls.SOURCES}/call/call.cpp", source),
        ("python/PyGPU/_backend.py", module),
    ):
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return list(upcalls.problems(root))


def test_all_that_cpp_asks_for_exists() -> None:
    assert (ROOT / upcalls.SOURCES / upcalls.LIST).is_file()
    assert list(upcalls.problems(ROOT)) == []


@pytest.mark.parametrize(
    ("row", "module", "why"),
    [
        ('"PyGPU._backend", "current"', "def current(): ...", None),
        ('"PyGPU._backend", "Current"', "class Current: ...", None),
        ('"PyGPU._backend", "chosen"', "def current(): ...", "PyGPU._backend has no chosen"),
        ('"PyGPU._choice", "current"', "", "there is no module PyGPU._choice"),
    ],
)
def test_a_row_names_what_exists(tmp_path: Path, row: str, module: str, why: str | None) -> None:
    found = problems(tmp_path, row, module=module)
    assert [one.rpartition(": ")[2] for one in found] == ([why] if why else [])


@pytest.mark.parametrize(
    "source",
    [
        'from_module("PyGPU._backend", "current")',
        'call_in_package(\n    "PyGPU._backend", "current", "()")',
        'PyImport_ImportModule("PyGPU")',
        'py::module_::import("PyGPU.gpuarray")',
        'from_module((std::string("PyGPU.") + api).c_str(), name)',
    ],
)
def test_no_other_file_imports_by_a_string(tmp_path: Path, source: str) -> None:
    (found,) = problems(tmp_path, '"PyGPU._backend", "current"', source)
    assert found.startswith(f"{upcalls.SOURCES}/call/call.cpp: ")


@pytest.mark.parametrize(
    "source",
    [
        'from_module("numpy", "dtype")',
        'call_in_package(package::current_backend, "()")',
        'make_type("PyGPU._core._Buffer", sizeof(Buffer))',
        'PyModule_New("PyGPU.gpuarray")',
        '"made by PyGPU.Module"',
    ],
)
def test_other_strings_are_free(tmp_path: Path, source: str) -> None:
    assert problems(tmp_path, '"PyGPU._backend", "current"', source) == []

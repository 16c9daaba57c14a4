"""Each linter of CI fails for a mistake of its kind, made in a copy of the tree."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.conftest import ROOT, unavailable

SCRIPTS = pathlib.Path(sys.prefix) / "bin"
DEMANGLE = "src/handwritten/host/ptx/demangle.cpp"
MOVED = """
#include <utility>
std::size_t moved(std::string text) {
    const std::string taken = std::move(text);
    return taken.size() + text.size();
}
"""
UNREAD = "static void unread() { int one; }\n"

# The gate, the tool that it needs, the file, what is added to it, and what is said of that.
MISTAKES = [
    ("lint-ruff", "ruff", "tools/tidy.py", "import sys\n", "E402"),
    (
        "lint-format",
        "ruff",
        "tools/tidy.py",
        "one = {  'one': 1}\n",
        "File would be reformatted",
    ),
    ("lint-mypy", "mypy", "generator/cli.py", "def one():\n    return 1\n", "no-untyped-def"),
    ("lint-clang", "clang-format", DEMANGLE, "int  one ;\n", "-Wclang-format-violations"),
    (
        "lint-layers",
        "python",
        DEMANGLE,
        '#include "python/gil.hpp"\n',
        "the host runtime stands apart",
    ),
    ("lint-tidy", "clang-tidy", DEMANGLE, MOVED, "bugprone-use-after-move"),
    ("lint-tidy", "clang-tidy", DEMANGLE, UNREAD, "clang-diagnostic-unused-variable"),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> pathlib.Path:
    """A copy of what the linters read."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=False, capture_output=True, text=True
    )
    if listed.returncode != 0:
        unavailable("this is no clone of the repository")
    copy = tmp_path_factory.mktemp("tree")
    for name in listed.stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    return copy


@contextlib.contextmanager
def added(path: pathlib.Path, mistake: str) -> Iterator[None]:
    """The file with the mistake at its end."""
    given = path.read_text(encoding="utf-8")
    path.write_text(given + mistake, encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(given, encoding="utf-8")


def run(tree: pathlib.Path, *command: str) -> subprocess.CompletedProcess[str]:
    """A command in the copy, with the tools of these tests."""
    return subprocess.run(
        command, cwd=tree, check=False, capture_output=True, text=True, env=environment()
    )


@pytest.mark.parametrize(
    ("gate", "tool", "file", "mistake", "said"), MISTAKES, ids=[f"{m[0]} {m[4]}" for m in MISTAKES]
)
def test_a_mistake_is_found(
    tree: pathlib.Path, gate: str, tool: str, file: str, mistake: str, said: str
) -> None:
    if not (SCRIPTS / tool).exists():
        unavailable(f"{tool} is not installed: pip install -r requirements/lint.txt")
    venv = SCRIPTS.parent
    installed = [f"--assume-old={venv}/stamps/{name}" for name in ("lint", "demo", "build")]
    with added(tree / file, mistake):
        done = run(
            tree, "make", f"VENV={venv}", "PYTHON=python3", f"TIDY={DEMANGLE}", *installed, gate
        )
    assert done.returncode != 0
    assert said in done.stdout + done.stderr


def test_a_warning_ends_the_build_of_ci(tree: pathlib.Path) -> None:
    """PYGPU_WERROR is what the Makefile gives in CI."""
    flags = ("-DSKBUILD=ON", "-DPYGPU_PRECOMPILE=OFF", f"-DPython_EXECUTABLE={sys.executable}")
    configured = run(
        tree,
        *["cmake", "-S", ".", "-B", "build/werror", "-G", "Ninja", "-DPYGPU_WERROR=ON"],
        *flags,
    )
    assert configured.returncode == 0, configured.stderr
    build = ("cmake", "--build", "build/werror", "--target")
    with added(tree / DEMANGLE, UNREAD):
        done = run(tree, *build, f"CMakeFiles/pygpu_ptx.dir/{DEMANGLE}.o")
    assert done.returncode != 0
    assert "[-Werror=unused-variable]" in done.stdout + done.stderr


def environment() -> dict[str, str]:
    """Without what a `make` around these tests, or a build for developers, has set."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "PYTHONPATH"}
    return own | {"PATH": f"{SCRIPTS}{os.pathsep}{own['PATH']}"}

#!/usr/bin/env python3
"""Runs PyCUDA's own tests on PyGPU: their imports are renamed, nothing else.

    python tools/pycuda_tests.py [--source FOLDER] [--to FOLDER] [pytest's options]

FOLDER is PyCUDA's source; without it pip downloads it. Tests that don't apply are listed in
pycuda_tests.toml, each with the reason; they are run, too, and may fail. The exit code is 1 if
another test fails, or if one of the list passes.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import tomlkit

HERE = Path(__file__).resolve().parent
# An import of PyCUDA, or the name of an imported module of it; not a C++ name or a file's.
NAME = re.compile(r"\bpycuda(?=\.[a-z_]|\s+import\b|\s*$|\s+as\b)", re.MULTILINE)

PLUGIN = '''
"""Expects the failures that the table explains."""
import pytest

REASONS = {reasons!r}


def pytest_collection_modifyitems(items):
    for item in items:
        name = item.name.split("[")[0]
        where = item.path.stem
        reason = REASONS.get(f"{{where}}::{{item.name}}") or REASONS.get(f"{{where}}::{{name}}")
        if reason:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
'''


def downloaded(folder: Path) -> Path:
    """PyCUDA's source, from the package index."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "pycuda"]
    subprocess.run([*command, "pycuda", "-d", str(folder)], check=True)
    (archive,) = folder.glob("pycuda-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return archive.with_suffix("").with_suffix("")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=Path)
    parser.add_argument("--to", type=Path)
    arguments, options = parser.parse_known_args()
    reasons = tomlkit.parse((HERE / "pycuda_tests.toml").read_text()).unwrap()
    with tempfile.TemporaryDirectory() as temporary:
        work = arguments.to or Path(temporary) / "tests"
        source = arguments.source or downloaded(Path(temporary))
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        for test in sorted((source / "test").glob("test_*.py")):
            text = NAME.sub("PyGPU", test.read_text())
            (work / test.name).write_text(text)
        (work / "conftest.py").write_text(PLUGIN.format(reasons=reasons))
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(work)]
        return subprocess.run([*command, *options, str(work)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

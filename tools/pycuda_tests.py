#!/usr/bin/env python3
"""Runs PyCUDA's own tests on PyGPU: their imports are renamed, nothing else.

    python tools/pycuda_tests.py [--source FOLDER] [--to FOLDER] [pytest's options]

FOLDER is PyCUDA's source; without it pip downloads it. Tests that don't apply are listed in
pycuda_tests.toml, each with the reason. They are run, too, but for those that take hours without a
card. The exit code is 1 if another test fails, or if one of the list passes. It needs pytools.
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

import PyGPU

TABLE = {table!r}


def pytest_collection_modifyitems(items):
    on_host = PyGPU.backend == "host"
    fails = TABLE["fails"]
    slow = TABLE["slow_on_host"] if on_host else {{}}
    for item in items:
        name = f"{{item.path.stem}}::{{item.originalname}}"
        if name in fails:
            item.add_marker(pytest.mark.xfail(reason=fails[name], strict=True))
        if name in slow:
            item.add_marker(pytest.mark.skip(reason=slow[name]))
'''


def downloaded(folder: Path) -> Path:
    """PyCUDA's source, from the package index."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "pycuda"]
    subprocess.run([*command, "pycuda", "-d", str(folder)], check=True)
    (archive,) = folder.glob("pycuda-*.tar.gz")
    with tarfile.open(archive) as packed:
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        packed.extractall(folder, **safe)
    return archive.with_suffix("").with_suffix("")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=Path)
    parser.add_argument("--to", type=Path)
    arguments, options = parser.parse_known_args()
    table = tomlkit.parse((HERE / "pycuda_tests.toml").read_text()).unwrap()
    with tempfile.TemporaryDirectory() as temporary:
        work = arguments.to or Path(temporary) / "tests"
        source = arguments.source or downloaded(Path(temporary))
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        for test in sorted((source / "test").glob("test_*.py")):
            text = NAME.sub("PyGPU", test.read_text())
            (work / test.name).write_text(text)
        (work / "conftest.py").write_text(PLUGIN.format(table=table))
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(work)]
        return subprocess.run([*command, *options, str(work)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

"""docs/cuda-core.md is as its program writes it, and what it names is there."""

from __future__ import annotations

import fnmatch
import importlib
import pathlib
import re
import subprocess
import sys

import pytest

import PyGPU

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "cuda-core.md").read_text()
TOOL = ROOT / "tools" / "cuda_core_names.py"


def test_the_page_is_as_its_program_writes_it():
    """A name that PyGPU gets or loses changes the page."""
    done = subprocess.run([sys.executable, TOOL, "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_each_pattern_has_a_name():
    sys.path.insert(0, str(TOOL.parent))
    tool = importlib.import_module(TOOL.stem)
    data, names = tool.parsed(), tool.NAMES.read_text().split("\n")
    for one in [*data["classes"], *data["whole"], *data["rows"]]:
        assert fnmatch.filter(names, one), one


@pytest.mark.parametrize("prefix", [r"PyGPU\.", r"(?=cuda?[A-Z])"])
def test_what_the_page_names_is_there(prefix):
    named = set(re.findall(rf"`{prefix}(\w+)[`(.]", PAGE))
    assert len(named) > 5
    assert not [one for one in named if not hasattr(PyGPU, one)]


def test_pygpus_classes_are_there():
    own = re.findall(r"^\| `[\w.]+` \| different \| `([A-Z]\w+)` \|$", PAGE, re.MULTILINE)
    assert not [one for one in own if not hasattr(PyGPU, one)]

"""The pages under docs/: their Python examples run; what they and the README name exists."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
PAGES = {page.name: page.read_text() for page in sorted((ROOT / "docs").glob("*.md"))}
EXAMPLES = [
    pytest.param(code, id=f"{name}-{number}")
    for name, text in PAGES.items()
    for number, code in enumerate(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S))
]


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_runs(python, code, tmp_path):
    python(code, PYGPU_BACKEND="host", XDG_CACHE_HOME=str(tmp_path))


def test_every_page_has_an_example_that_runs():
    """Code of another form would run nowhere."""
    for name, text in PAGES.items():
        blocks = re.findall(r"^```(\w*)$", text, re.M)
        assert blocks[::2], name
        assert set(blocks[::2]) <= {"python", "console", "toml"}, name
        for block in re.findall(r"^```toml\n(.*?)^```", text, re.M | re.S):
            tomllib.loads(block)
        assert not re.search(r"\n\n {4}\S", text), f"{name}: an indented block"


@pytest.mark.parametrize("page", [*PAGES, "README.md"])
def test_what_a_page_names_exists(page):
    text = PAGES.get(page) or (ROOT / page).read_text()
    for name in set(re.findall(r"`PyGPU\.([\w.]+)", text)):
        module, _, attribute = f"PyGPU.{name}".rpartition(".")
        owner = importlib.import_module(module)
        if not hasattr(owner, attribute):
            importlib.import_module(f"{module}.{attribute}")
    folders = "api_specs|benchmarks|docs|examples|generated|python|src|tests|tools"
    paths = set(re.findall(rf"(?:`(?:python )?|\]\()((?:{folders})/[\w./-]*)", text))
    assert paths
    for path in paths:
        assert (ROOT / path).exists(), path


def test_the_variables_of_the_host_runtime_are_its_own():
    settings = (ROOT / "src" / "handwritten" / "host" / "core" / "settings.cpp").read_text()
    read = set(re.findall(r'"(PYGPU_HOST_\w+)"', settings))
    rows = set(re.findall(r"^\| `(PYGPU_HOST_\w+)=", PAGES["host-runtime.md"], re.M))
    assert rows == read

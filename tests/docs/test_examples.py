"""The pages under docs/: their Python examples run, and what they and the README name exists."""

from __future__ import annotations

import functools
import importlib
import os
import re
import sys
from pathlib import Path

import pytest

from tests.cplusplus.conftest import by_pybind11, package

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# The headers that pages bind.
HEADERS = [path.read_text() for path in sorted((ROOT / "tests" / "packaging").glob("*/*.h"))]
PAGES = {page.relative_to(DOCS).as_posix(): page.read_text() for page in sorted(DOCS.rglob("*.md"))}
# A text block right after an example is the example's output.
EXAMPLE = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)
EXAMPLES = [
    pytest.param(name, code, printed, id=f"{name}-{number}")
    for name, text in PAGES.items()
    for number, (code, printed) in enumerate(EXAMPLE.findall(text))
]


def compile_page(name: str, folder: Path) -> None:
    """A page's C++ code becomes the module `mine`, which its Python code imports."""
    for code in re.findall(r"^```cpp\n(.*?)^```", PAGES[name], re.M | re.S):
        (folder / "mine.cpp").write_text(code)
        by_pybind11("g++", "c++17", package("pybind11"), folder / "mine.cpp", folder / "mine.so")


@pytest.mark.parametrize(("name", "code", "printed"), EXAMPLES)
def test_an_example_runs(python, once, name, code, printed, tmp_path):
    own = once(f"docs-{name.replace('/', '-')}", functools.partial(compile_page, name))
    path = os.pathsep.join([str(own), os.environ.get("PYTHONPATH", "")])
    done = python(code, PYGPU_BACKEND="host", XDG_CACHE_HOME=str(tmp_path), PYTHONPATH=path)
    assert done.stdout == printed or not printed


def test_every_page_has_an_example_that_runs():
    """Code blocks of any other form would never run."""
    for name, text in PAGES.items():
        blocks = re.findall(r"^```(\w*)$", text, re.M)
        is_list = name in ("cuda-core.md", "host-functions.md") or name.startswith("decisions/")
        assert "python" in blocks[::2] or is_list, name
        assert set(blocks[::2]) <= {"python", "text", "console", "toml", "c", "cpp"}, name
        compared = [printed for _, printed in EXAMPLE.findall(text) if printed]
        assert blocks.count("text") == len(compared), f"{name}: output of no example"
        for block in re.findall(r"^```toml\n(.*?)^```", text, re.M | re.S):
            tomllib.loads(block)
        for block in re.findall(r"^```c\n(.*?)^```", text, re.M | re.S):
            assert any(block in header for header in HEADERS), f"{name}: C of no header"
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
        assert not re.search(r"\n\n {4}\S", prose), f"{name}: an indented block"


@pytest.mark.parametrize("page", [*PAGES, "README.md", "CONTRIBUTING.md", "hostgpu/README.md"])
def test_what_a_page_names_exists(page):
    text = PAGES.get(page) or (ROOT / page).read_text()
    for name in set(re.findall(r"`PyGPU\.([\w.]+)", text)):
        module, _, attribute = f"PyGPU.{name}".rpartition(".")
        owner = importlib.import_module(module)
        if not hasattr(owner, attribute):
            importlib.import_module(f"{module}.{attribute}")
    folders = "api_specs|benchmarks|docs|examples|generated|generator|hostgpu|python|src"
    folders += "|templates|tests|tools"
    paths = set(re.findall(rf"(?:`(?:python )?|\]\((?:\.\./)*)((?:{folders})/[\w./-]*)", text))
    for path in paths:
        assert (ROOT / path).exists(), path


def test_the_variables_of_the_host_runtime_are_its_own():
    files = "base/settings.cpp", "compilers/vendor_library.cpp"
    texts = "".join((ROOT / "hostgpu" / file).read_text() for file in files)
    read = set(re.findall(r'"(PYGPU_HOST_\w+)"', texts))
    rows = set(re.findall(r"^\| `(PYGPU_HOST_\w+)=", PAGES["host-runtime.md"], re.M))
    assert rows == read

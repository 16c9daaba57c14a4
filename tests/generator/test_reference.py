"""The reference has each function once, with what a reader looks for."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from generator import cli
from generator.emit import make_plans


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference")
    assert cli.main(["reference", str(folder)]) == 0
    return folder


def test_every_function_stands_exactly_once(folder):
    for plan in make_plans(cli.ROOT / "api_specs").values():
        text = "".join(page.read_text() for page in (folder / plan.namespace).glob("*.md"))
        there = Counter(re.findall(r"^## (\w+)$", text, re.MULTILINE))
        bound = [one.name for group in plan.groups.values() for one in group]
        assert there == Counter([*bound, *(one.name for one in plan.helpers)])


def test_every_page_stands_in_a_toctree(folder):
    listed = set(re.findall(r"^(\w+/index)$", (folder / "index.md").read_text(), re.MULTILINE))
    assert {f"{page.parent.name}/index" for page in folder.glob("*/index.md")} == listed
    for index in folder.glob("*/index.md"):
        names = re.findall(r"^\w+$", index.read_text(), re.MULTILINE)
        assert sorted([*names, "index"]) == sorted(page.stem for page in index.parent.glob("*.md"))


def test_links_lead_to_labels(folder):
    text = "".join(page.read_text() for page in folder.rglob("*.md"))
    labels = re.findall(r"^\((.+)\)=$", text, re.MULTILINE)
    assert len(labels) == len({one.lower() for one in labels})  # Sphinx knows no case
    assert {*re.findall(r"\]\(#([^)]+)\)", text)} <= {*labels}


def test_code_fences_are_closed(folder):
    for page in folder.rglob("*.md"):
        assert page.read_text().count("```") % 2 == 0, page


def test_a_function_has_all_that_is_known_of_it(folder):
    page = (folder / "cuda" / "memory.md").read_text()
    entry = page[page.index("## cudaMemcpyAsync\n") :]
    entry = entry[: entry.index("\n## ")]
    for part in (
        "\nCopies memory between host and device, in the stream's order.\n",
        "\ndef cudaMemcpyAsync(",
        "\n- `dst`: memory that C writes",
        "\ncudaError_t cudaMemcpyAsync(void *dst, ",
        "\n- Releases: all of CUDA.\n",
        "[PyGPU.hip.hipMemcpyAsync]",
        "`cudaErrorInvalidValue`",
        "(https://docs.nvidia.com/cuda/cuda-runtime-api/)",
    ):
        assert part in entry, part
    assert "[PyGPU.cuda.cudaMemcpyAsync]" in (folder / "hip" / "memory.md").read_text()

"""The reference has each function and each type once, with everything that a reader looks for."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from generator import cli
from generator.emit import make_plans
from generator.merge import form_of
from generator.store import load

SPECS = cli.ROOT / "api_specs"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference")
    assert cli.main(["reference", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def plans():
    return make_plans(SPECS)


def test_every_function_stands_exactly_once(folder, plans):
    for plan in plans.values():
        pages = (folder / plan.namespace).glob("*.md")
        text = "".join(one.read_text() for one in pages if one.stem not in ("structs", "enums"))
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
    assert len(labels) == len({one.lower() for one in labels})  # Sphinx ignores case
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


def releases_of(text: str, listed: list[str]) -> set[str]:
    """The releases that a cell names; all of `listed` if the cell is empty."""
    if not text:
        return set(listed)
    found = set()
    for part in text.split(", "):
        first, last = part, part
        if part.startswith("up to "):
            first, last = listed[0], part.removeprefix("up to ")
        elif part.endswith(" and later"):
            first, last = part.removesuffix(" and later"), listed[-1]
        elif " to " in part:
            first, last = part.split(" to ")
        found |= set(listed[listed.index(first) : listed.index(last) + 1])
    return found


def types_on(page) -> dict[str, tuple[set[str], list[list[str]]]]:
    """For each type as C spells it, the text of its releases and the cells of its rows."""
    found = {}
    entries = re.split(r"^## (.+)$", page.read_text(), flags=re.MULTILINE)[1:]
    for name, text in zip(entries[::2], entries[1::2], strict=True):
        spelled, when = re.search(r"^(.+), in (?:all of )?(.+?)\.(?: Also|$)", text, re.M).groups()
        named = re.match(r"`\w+ (\w+)` of C$", spelled)
        rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `")]
        cells = [[one.strip().strip("`") for one in row] for row in rows]
        found[named[1] if named else name] = when, cells
    return found


def releases_said(when: str, label: str, listed: list[str]) -> list[str]:
    there = releases_of(when.removeprefix(label).strip(), listed)
    return [one for one in listed if one in there]


def fields(api, struct, release):
    """The fields with C's types, including the members of unnamed parts."""
    for one in struct.fields:
        if one.name:
            yield one.name, "{…}" if "." in one.type.base else str(one.type)
        elif "." in one.type.base:
            part = form_of(api.structs[one.type.base], release)
            yield from fields(api, part, release)


@pytest.mark.parametrize("name", ["cuda_runtime", "cuda_driver", "hip_runtime"])
def test_a_struct_has_the_fields_of_each_release(folder, plans, name):
    """The fields in api.json: those that the headers of the release declare."""
    api, plan = load(SPECS / name / "api.json"), plans[name]
    shown = types_on(folder / plan.namespace / "structs.md")
    assert {one.tag for one in plan.struct_types if "." not in one.tag} <= shown.keys()
    listed, checked = list(api.releases), 0
    for tag in shown.keys() & api.structs.keys():
        when, rows = shown[tag]
        there = releases_said(when, plan.manifest.label, listed)
        forms = {one: form_of(api.structs[tag], one) for one in listed}
        assert {one for one in listed if forms[one]} <= set(there), tag
        for release in there:
            said = sorted(
                (field, re.sub(r"\w+ {…}| : \d+$", lambda it: it[0][-3:] * ("{" in it[0]), type))
                for field, type, _, *limit in rows
                if release in releases_of("".join(limit), there)
            )
            if forms[release]:
                assert said == sorted(fields(api, forms[release], release)), (tag, release)
                checked += 1
            else:  # it had another name in C then
                others = (form_of(one, release) for one in api.structs.values())
                assert said in [sorted(fields(api, one, release)) for one in others if one], tag
    assert checked > 300


@pytest.mark.parametrize("name", ["cuda_runtime", "cuda_driver", "hip_runtime", "nvrtc", "hiprtc"])
def test_an_enumeration_has_the_values_of_each_release(folder, plans, name):
    api, plan = load(SPECS / name / "api.json"), plans[name]
    shown = types_on(folder / plan.namespace / "enums.md")
    assert shown.keys() == {one.name for one in plan.enums}
    listed = list(api.releases)
    for tag, (when, rows) in shown.items():
        there = releases_said(when, plan.manifest.label, listed)
        for release in listed:
            form = form_of(api.enums[tag], release)
            values = {one.name: one.value for one in form.enumerators} if form else {}
            said = {
                row[0]: int(row[1])
                for row in rows
                if release in there and release in releases_of("".join(row[2:]), there)
            }
            assert said == values, (tag, release)


def test_functions_and_types_lead_to_each_other(folder):
    memory = (folder / "cuda" / "memory.md").read_text()
    entry = memory[memory.index("## cudaMemcpy3D\n") :].partition("\n## ")[0]
    assert "[`cudaMemcpy3DParms`](#cuda.cudaMemcpy3DParms)" in entry
    structs = (folder / "cuda" / "structs.md").read_text()
    entry = structs[structs.index("## cudaMemcpy3DParms\n") :].partition("\n## ")[0]
    assert "[`cudaMemcpy3D`](#cuda.cudaMemcpy3D), " in entry.partition("\nUsed by ")[2]
    assert "| `extent` | `cudaExtent` | [`cudaExtent`](#cuda.cudaExtent) |" in entry
    enums = (folder / "cuda" / "enums.md").read_text()
    entry = enums[enums.index("## cudaMemcpyKind\n") :].partition("\n## ")[0]
    assert "Held by [`cudaMemcpy3DParms`](#cuda.cudaMemcpy3DParms)" in entry
    assert "[`cudaMemcpyAsync`](#cuda.cudaMemcpyAsync)" in entry

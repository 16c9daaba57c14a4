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


def is_of_types(page) -> bool:
    return re.match(r"(structs|enums)(_\d+)?$", page.stem) is not None


def whole(folder, name: str) -> str:
    """The text of a group, or of all structs, from its one page or its several."""
    pages = [one for one in folder.glob("*.md") if re.match(rf"{name}(_\d+)?$", one.stem)]
    return "".join(one.read_text() for one in pages)


def entry_of(text: str, name: str) -> str:
    return text[text.index(f"## {name}\n") :].partition("\n## ")[0]


def test_every_function_stands_exactly_once(folder, plans):
    for plan in plans.values():
        pages = (folder / plan.namespace).glob("*.md")
        text = "".join(one.read_text() for one in pages if not is_of_types(one))
        there = Counter(re.findall(r"^## (\w+)$", text, re.MULTILINE))
        bound = [one.name for group in plan.groups.values() for one in group]
        assert there == Counter([*bound, *(one.name for one in plan.helpers)])


def test_every_page_is_linked_from_its_index(folder):
    listed = set(re.findall(r"^(\w+/index)$", (folder / "index.md").read_text(), re.MULTILINE))
    assert {f"{page.parent.name}/index" for page in folder.glob("*/index.md")} == listed
    for index in folder.glob("*/index.md"):
        names = re.findall(r"\]\((\w+)\.md\)", index.read_text())
        assert sorted([*names, "index"]) == sorted(page.stem for page in index.parent.glob("*.md"))


def test_no_page_is_long(folder):
    """A page has at most 40 entries and about 700 lines, or one entry that is longer."""
    for page in folder.glob("*/*.md"):
        text = page.read_text()
        entries = len(re.findall(r"^## ", text, re.MULTILINE))
        assert entries <= 40, page
        assert text.count("\n") <= 720 or entries == 1 or page.stem == "names", page


def test_every_function_is_in_the_index_by_name(folder, plans):
    for plan in plans.values():
        names = (folder / plan.namespace / "names.md").read_text()
        listed = re.findall(r"\[`(\w+)`\]", names)
        assert sorted(listed) == sorted(one.name for group in plan.groups.values() for one in group)


@pytest.mark.parametrize(
    ("api", "group", "function", "place"),
    [
        ("cuda", "memory", "cudaFree", "group__CUDART__MEMORY.html#:~:text=cudaFree"),
        ("cuda", "memory_pools", "cudaMemPoolTrimTo", "group__CUDART__MEMORY__POOLS.html#:~:text="),
        ("cu", "mem", "cuMemAlloc", "group__CUDA__MEM.html#:~:text=cuMemAlloc"),
        ("cublas", "other", "cublasSgemm", "cublas/#:~:text=cublasSgemm"),
        ("nvml", "nv_link", "nvmlDeviceGetNvLinkState", "group__NvLink.html#:~:text="),
        ("hip", "memory", "hipMalloc", "HIP/en/latest/search.html?q=hipMalloc"),
        ("opencl", "other", "clCreateBuffer", "/man/html/clCreateBuffer.html"),
    ],
)
def test_a_function_links_to_its_place_in_the_manual(folder, api, group, function, place):
    entry = entry_of(whole(folder / api, group), function)
    assert place in entry.partition("in the vendor's manual](")[2]


def test_related_functions_and_examples(folder):
    gemm = entry_of(whole(folder / "cublas", "other"), "cublasSgemm")
    related = gemm[gemm.index("- Related: ") :].partition("\n")[0]
    for name in ("cublasDgemm", "cublasZgemm", "cublasSgemm_64", "cublasSgemmBatched"):
        assert f"[`{name}`](#cublas.{name})" in related
    create = entry_of(whole(folder / "cuda", "stream"), "cudaStreamCreate")
    assert "[`cudaStreamDestroy`]" in create and "[`cudaStreamCreateWithFlags`]" in create
    malloc = entry_of(whole(folder / "cuda", "memory"), "cudaMalloc")
    (used,) = re.findall(r"^- Used in .*", malloc, re.MULTILINE)
    programs = [folder / "cuda" / one for one in re.findall(r"\]\(([^)]+)\)", used)]
    assert programs and all("cudaMalloc(" in one.read_text() for one in programs)


def test_links_lead_to_labels(folder):
    text = "".join(page.read_text() for page in folder.rglob("*.md"))
    labels = re.findall(r"^\((.+)\)=$", text, re.MULTILINE)
    assert len(labels) == len({one.lower() for one in labels})  # Sphinx ignores case
    assert {*re.findall(r"\]\(#([^)]+)\)", text)} <= {*labels}


def test_code_fences_are_closed(folder):
    for page in folder.rglob("*.md"):
        assert page.read_text().count("```") % 2 == 0, page


def test_a_function_has_all_that_is_known_of_it(folder):
    entry = entry_of(whole(folder / "cuda", "memory"), "cudaMemcpyAsync")
    for part in (
        "\nCopies memory between host and device, in the stream's order. [",
        "\ndef cudaMemcpyAsync(",
        "\n- `dst`: memory that C writes",
        "\ncudaError_t cudaMemcpyAsync(void *dst, ",
        " [all of CUDA]{.releases}\n",
        "[PyGPU.hip.hipMemcpyAsync]",
        "`cudaErrorInvalidValue`",
        "](https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html#",
    ):
        assert part in entry, part
    assert "[PyGPU.cuda.cudaMemcpyAsync]" in whole(folder / "hip", "memory")


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


def types_in(text) -> dict[str, tuple[set[str], list[list[str]]]]:
    """For each type as C spells it, the text of its releases and the cells of its rows."""
    found = {}
    entries = re.split(r"^## (.+)$", text, flags=re.MULTILINE)[1:]
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
    shown = types_in(whole(folder / plan.namespace, "structs"))
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
    shown = types_in(whole(folder / plan.namespace, "enums"))
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
    entry = entry_of(whole(folder / "cuda", "memory"), "cudaMemcpy3D")
    assert "[`cudaMemcpy3DParms`](#cuda.cudaMemcpy3DParms)" in entry
    entry = entry_of(whole(folder / "cuda", "structs"), "cudaMemcpy3DParms")
    assert "[`cudaMemcpy3D`](#cuda.cudaMemcpy3D), " in entry.partition("\nUsed by ")[2]
    assert "| `extent` | `cudaExtent` | [`cudaExtent`](#cuda.cudaExtent) |" in entry
    entry = entry_of(whole(folder / "cuda", "enums"), "cudaMemcpyKind")
    assert "Held by [`cudaMemcpy3DParms`](#cuda.cudaMemcpy3DParms)" in entry
    assert "[`cudaMemcpyAsync`](#cuda.cudaMemcpyAsync)" in entry

"""Every function of every listed release, on a stand-in made from C's prototypes alone.

expected/*.toml says what has to arrive and to come back. A wrong entry must fail the tests, and so
must a wrong rule.
"""

from __future__ import annotations

from typing import Any

import pytest

from generator import store
from tests import reviewed
from tests.standin import apis
from tests.standin.conftest import LISTED, NEWEST, ROOT, Program, marked
from tests.standin.expected import parse, read


@pytest.mark.parametrize("release", marked(LISTED))
@pytest.mark.parametrize("per_thread", ["0", "1"], ids=["legacy", "per thread"])
def test_arguments_arrive_and_outputs_come_back(
    run: Program, release: tuple[str, str], per_thread: str
) -> None:
    found = run("drive.py", release, PYGPU_PER_THREAD_DEFAULT_STREAM=per_thread)
    assert found["wrong"] == {}
    assert len(found["right"]) > 280


HIP = [one for one in LISTED if one[0] == "hip_runtime"]


@pytest.mark.parametrize("release", HIP)
def test_what_a_release_of_hip_lacks_is_not_supported(
    run: Program, release: tuple[str, str]
) -> None:
    """By CUDA's names, even if a later HIP has them. Values exist for any release."""
    found = run("served.py", release)
    at = tuple(map(int, release[1].split(".")[:2]))
    since = {"cudaDeviceReset": (5, 2), "cudaDeviceSetLimit": (6, 1), "cudaGetFuncBySymbol": (6, 2)}
    assert {name: found[name] for name in since} == {
        name: 0 if at >= first else 801 for name, first in since.items()
    }
    assert (found["cudaHostAllocMapped"], found["cudaEventWaitDefault"]) == (2, 0)
    assert found["cudaMemLocationTypeHost"] == 2


@pytest.mark.parametrize(
    ("served", "right", "adapted"), [("cuda_runtime", 200, 11), ("cuda_driver", 150, 11)]
)
@pytest.mark.parametrize("release", marked(HIP))
def test_portable_names_reach_hip(
    run: Program, release: tuple[str, str], served: str, right: int, adapted: int
) -> None:
    """CUDA's names and signatures on HIP, through the same form or an adaptor."""
    found = run("portable.py", release, served)
    assert found["wrong"] == {}
    assert len(found["right"]) > right
    assert len(found["adapted"]) >= adapted
    assert set(found["older"]) <= {"cuGraphAddMemsetNode", "cuGraphExecMemsetNodeSetParams"}


def test_the_gil_is_given_away(run: Program, listed: tuple[str, str]) -> None:
    """Each function is tested on the last release that has its form."""
    found = run("gil.py", listed)
    assert found["failed"] == []
    newest = listed in NEWEST
    assert set(found["keeps"]) == (read(listed[0]).keeps if newest else set())
    if newest:
        assert len(found["gives"]) > 280


# A reversed or shortened entry, and the resulting message.
TURNED = {
    "inputs swapped": ("cudaMemcpyPeer", "dst@, srcDevice, src@, dstDevice, count", "arrived as"),
    "two pointers swapped": ("cudaMemcpy", "src@, dst@, count, kind", "arrived as"),
    "two handles swapped": ("cudaGraphNodeFindInClone", "clonedGraph, originalNode -> pNode", ""),
    "an output as an input": ("cudaGetDevice", "device", ""),
    "an input as an output": ("cudaSetDevice", "-> device", ""),
    "outputs swapped": ("cudaMemGetInfo", "-> total, free", "came back as"),
    "an output less": ("cudaMallocPitch", "width, height -> devPtr", "outputs and a status"),
    "an output more": ("cudaMalloc", "size -> devPtr, devPtr", "outputs and a status"),
    "another length": ("cudaGraphGetNodes", "graph, *, numNodes -> nodes[2]", ""),
    "one for an array": ("cudaGraphGetNodes", "graph, *, numNodes -> nodes", ""),
    "valid after a failure": ("cudaMalloc", "size -> devPtr!", "came back as None"),
    "another code": ("cudaGraphExecUpdate", "hGraphExec, hGraph -> resultInfo!700", "None"),
    "longer than C touches": (
        "cudaMemcpy",
        "dst@, src@, count, kind | dst: count + 1",
        "are taken",
    ),
    "shorter than C touches": (
        "cudaMemcpy2D",
        "dst@, dpitch, src@, spitch, width, height, kind | src: pitched(dpitch, width, height)",
        "src",
    ),
    "two device addresses swapped": (
        "cuMemcpyDtoD",
        "srcDevice@, dstDevice@, ByteCount",
        "arrived",
    ),
    "longer than values are": ("cuMemsetD16", "dstDevice@, us, N | dstDevice: N * 4", "are taken"),
    "memory for an enumerator": ("cudaMemcpy", "dst@, src@, count, kind@", ""),
}


# The same for older forms: a release with the form, the table's entry, and the message.
TURNED_OLDER = {
    "two arrays swapped": (
        "12.2",
        "cudaGraphGetEdges=graph, *, numEdges -> to[numEdges], from[numEdges], edgeData[numEdges]",
        "came back as",
    ),
    "an output that it lacks": (
        "11.8",
        'cudaGetDriverEntryPoint=symbol", flags -> driverStatus, funcPtr',
        "came back as",
    ),
    "two handles swapped": (
        "12.9",
        "cudaGraphKernelNodeCopyAttributes older=hSrc: hSrc, hDst: hDst",
        "arrived as",
    ),
    "fields swapped": (
        "11.8",
        "cudaGraphExecUpdate older=hErrorNode_out: resultInfo.errorFromNode, updateResult_out: ",
        "came back as",
    ),
    "another parameter": ("12.0", "cudaMemPrefetchAsync older=dstDevice: flags", "location"),
    "a driver's output that it lacks": (
        "11.8",
        'cuGetProcAddress=symbol", cudaVersion, flags -> symbolStatus, pfn',
        "came back",
    ),
    "a parameter forgotten": ("12.8", "cudaMemcpyBatchAsync older=sizes: sizes", "failIdx"),
}


def api_of(function: str) -> str:
    return "cuda_runtime" if function.startswith("cuda") else "cuda_driver"


@pytest.mark.parametrize("turned", TURNED)
def test_a_wrong_entry_is_caught(run: Program, turned: str) -> None:
    name, entry, said = TURNED[turned]
    (newest,) = (one for one in NEWEST if one[0] == api_of(name))
    found = run("drive.py", newest, f"{name}={entry}")
    assert said in found["wrong"][name]


@pytest.mark.parametrize("turned", TURNED_OLDER)
def test_a_wrong_entry_of_an_older_form_is_caught(run: Program, turned: str) -> None:
    release, entry, said = TURNED_OLDER[turned]
    version = next(
        one for one in LISTED if one[0] == api_of(entry) and one[1].startswith(f"{release}.")
    )
    (why,) = run("drive.py", version, entry)["wrong"].values()
    assert said in why


@pytest.mark.parametrize("api", apis.APIS)
def test_the_table_names_what_the_releases_have(api: str) -> None:
    model = store.load(ROOT / "api_specs" / api / "api.json")
    table = read(api)
    read_by_somebody = reviewed.functions(model)
    assert read_by_somebody <= set(table.functions)
    assert {name for name, forms in model.functions.items() if len(forms) > 1} >= set(table.older)
    for name in read_by_somebody:
        forms = model.functions[name]
        known: set[Any] = {one.name for one in forms[-1].node.parameters}
        entry = table.functions[name]
        assert {one.name for one in (*entry.inputs, *entry.keywords, *entry.outputs)} <= known, name


def test_entries() -> None:
    entry = parse("f", 'a, b@, c[n], n, d{}, e&, args*, t", *, k -> e, o"k!, l^[m], v(void *)!910')
    assert [one.kind for one in entry.inputs] == ["", "@", "[]", "", "{}", "", "*", '"']
    assert [one.name for one in entry.keywords] == ["k"]
    assert [one.kind for one in entry.outputs] == ["", '"', "^[]", "void"]
    assert entry.outputs[1].kept
    assert entry.outputs[3].code == 910
    assert parse("g", "-> return").returns == "value"
    with pytest.raises(ValueError, match="no entry"):
        parse("h", "a+b")

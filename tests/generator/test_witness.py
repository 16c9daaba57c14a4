"""`witness`: it agrees with the listed APIs, and it finds each sort of difference."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from generator import manifest, rules, store
from generator.cli import main
from generator.headers.fetch import FetchError
from generator.merge import merge
from generator.model import Api
from generator.releases import find_api, read_releases
from generator.witness import command, readers
from generator.witness.compare import Outcome, compare
from generator.witness.read import Explained, load
from generator.witness.statement import Account, Said, Statement
from tests.generator.headers import ROOT, missing, parse_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SPECS = ROOT / "api_specs"
# Libraries that no other package describes have no witness.
APIS = [
    api
    for api in read_releases(SPECS)
    if (SPECS / api / "witnesses.toml").exists() or not manifest.load(api, SPECS).extra
]


@cache
def heard(api: str) -> tuple[Api, tuple[Statement, ...], Mapping[str, str]]:
    """An API, what its witnesses say, and the witnesses whose headers are missing here."""
    try:
        file = load(api, SPECS)
        assert file is not None
        model = store.load(SPECS / api / "api.json")
        absent: dict[str, str] = {}
        given = command.statements(ROOT, find_api(SPECS, api), model, file.witnesses, absent)
        return model, tuple(given), absent
    except FetchError as error:
        missing(str(error))
        raise


def held(api: str, document: dict[str, Any] | None = None) -> Outcome:
    """The result with the API's own rules, or with other rules."""
    model, statements, _ = heard(api)
    known = rules.parse(api, document) if document else rules.load(api, SPECS)
    file = load(api, SPECS)
    assert file is not None
    return compare(model, known, statements, file.explained)


@pytest.mark.parametrize("api", APIS)
def test_each_difference_of_a_listed_api_has_its_reason(api: str) -> None:
    outcome, absent = held(api), heard(api)[2]
    assert outcome.conflicts == []
    assert [one for one in outcome.stale if one.witness not in absent] == []


@pytest.mark.parametrize("api", APIS)
def test_nearly_every_parameter_has_a_witness(api: str) -> None:
    """Even where ROCm's headers are missing."""
    places = held(api).places
    assert sum(not by for by in places.values()) <= len(places) * 0.1


@pytest.mark.parametrize("api", APIS)
def test_each_listed_release_has_a_witness_or_a_reason(api: str) -> None:
    file = load(api, SPECS)
    assert file is not None
    assert list(file.wrong(store.load(SPECS / api / "api.json").releases)) == []


# A reversed rule must be found. Each reversal is of another sort.
TURNED = [
    ("cuda_runtime", "function", "cudaGraphMemFreeNodeGetParams", "dptr_out", "address", {}),
    ("cuda_runtime", "function", "cudaThreadExchangeStreamCaptureMode", "mode", "out", {}),
    ("cuda_runtime", "function", "cudaMemcpyBatchAsync", "attrs", "out", {}),
    ("cuda_runtime", "family", "cudaMemcpy*", "dst", "out", {"as": "int"}),
    ("cuda_runtime", "family", "cudaGraphAdd*Node*", "pGraphNode", "readable", {}),
    (
        *("cuda_runtime", "function", "cudaMemPoolGetAttribute", "value", "typed_by"),
        {"by": "attr", "direction": "in"},
    ),
    ("cuda_driver", "family", "cuMemcpy*", "dstHost", "out", {"as": "int"}),
    ("cuda_driver", "function", "cuGraphGetNodes", "nodes", "inout", {}),
    ("cuda_driver", "function", "cuMemPoolImportPointer", "shareData", "out", {}),
    ("hip_runtime", "function", "hipMemPoolGetAccess", "flags", "inout", {}),
    ("hip_runtime", "function", "hipMemPoolImportPointer", "export_data", "out", {}),
    ("hip_runtime", "family", "hipMemcpyDtoH*", "src", "out", {"as": "int"}),
    ("nvrtc", "function", "nvrtcGetSupportedArchs", "supportedArchs", "out", {}),
    ("hiprtc", "function", "hiprtcCreateProgram", "prog", "inout", {}),
]


@pytest.mark.parametrize(
    ("api", "table", "name", "parameter", "kind", "options"), TURNED, ids=lambda value: str(value)
)
def test_a_rule_turned_around_is_found(
    api: str, table: str, name: str, parameter: str, kind: str, options: dict[str, str]
) -> None:
    document = tomllib.loads((SPECS / api / "rules.toml").read_text("utf-8"))
    turned = copy.deepcopy(document)
    turned[table].setdefault(name, {}).setdefault("parameter", {})[parameter] = {
        "kind": kind,
        **options,
    }
    outcome = held(api, turned)
    assert any(one.name.endswith(f".{parameter}") for one in (*outcome.conflicts, *outcome.stale))


# One function of each sort, as a header's second release has them.
HEADER = """\
typedef struct gpuStream_st *gpuStream_t;
int gpuCopy(void *dst, const void *src, unsigned long count, gpuStream_t stream);
int gpuCount(int *count);
int gpuName(const char *name);
"""
COPY = (
    Said("dst", "void *"),
    Said("src", "void const*"),
    Said("count", "size_t"),
    Said("stream", "struct gpuStream_st *"),
)
KNOWN = rules.parse(
    "gpu",
    {
        "reviewed": ["1.0", "2.0"],
        "function": {
            "gpuCopy": {"parameter": {"dst": {"kind": "writable", "length": "count"}}},
            "gpuCount": {"parameter": {"count": {"kind": "out"}}},
        },
    },
)
TRUTH: Mapping[str, Account] = {
    "gpuCopy": Account(COPY, "1.0"),
    "gpuCount": Account((Said("count", "int *", "out", "one"),), "2.0"),
    "gpuName": Account((Said("name", "const char*", "in", "text"),)),
}


@pytest.fixture
def gpu(tmp_path: Path) -> Api:
    first = parse_text(tmp_path, HEADER.replace("int gpuCount(int *count);", ""))
    second = replace(parse_text(tmp_path, HEADER), version="2.0")
    return merge(merge(None, first), second)


def told(api: Api, accounts: Mapping[str, Account], explained: Explained | None = None) -> Outcome:
    statement = Statement("peer", "2.0", accounts)
    return compare(api, KNOWN, [statement], [explained] if explained else [])


def test_the_truth_is_agreed_upon(gpu: Api) -> None:
    outcome = told(gpu, TRUTH)
    assert outcome.differences == []
    assert set(outcome.places.values()) == {frozenset({"peer"})}
    assert len(outcome.places) == 6


WRONG = {
    "absent": {"gpuName": None},
    "unknown": {"gpuOther": Account(())},
    "since": {"gpuCount": Account(None, "1.0")},
    "parameters": {"gpuCopy": Account(COPY[1:])},
    "order": {
        "gpuCopy": Account(
            (replace(COPY[0], name="src"), replace(COPY[1], name="dst"), *COPY[2:]), "1.0"
        )
    },
    "type": {"gpuCopy": Account((*COPY[:2], Said("count", "int"), COPY[3]))},
    "direction": {"gpuCount": Account((Said("count", "int *", "in"),))},
    "form": {"gpuName": Account((Said("name", "const char *", "in", "array"),))},
}


@pytest.mark.parametrize("tells", WRONG)
def test_each_sort_of_difference_is_found(gpu: Api, tells: str) -> None:
    said = {**TRUTH, **WRONG[tells]}
    outcome = told(gpu, {name: one for name, one in said.items() if one})
    assert {one.tells for one in outcome.conflicts} == {tells}
    (name,) = {one.name for one in outcome.conflicts if tells != "order"} or {"gpuCopy.src"}
    if "." in name:
        place = [at for at in outcome.places if at[0] == name.partition(".")[0]]
        assert any(not outcome.places[at] for at in place)
    reasoned = told(
        gpu,
        {name: one for name, one in said.items() if one},
        Explained("peer", tells, ("gpuCopy.dst", name), "so it is"),
    )
    assert reasoned.conflicts == []


def test_a_function_of_another_release_is_unknown(gpu: Api) -> None:
    outcome = compare(gpu, KNOWN, [Statement("peer", "1.0", TRUTH)], [])
    assert [(one.tells, one.name) for one in outcome.conflicts] == [("unknown", "gpuCount")]


def test_a_reason_for_no_difference_is_found(gpu: Api) -> None:
    outcome = told(gpu, TRUTH, Explained("peer", "type", ("gpuName.name",), "once"))
    assert [str(one) for one in outcome.stale] == ["peer: type of gpuName.name"]


def test_a_reason_for_another_difference_does_not_count(gpu: Api) -> None:
    explained = Explained("peer", "direction", ("gpuCount.count",), "no", here="in", there="out")
    outcome = told(gpu, {**TRUTH, **WRONG["direction"]}, explained)
    assert [one.name for one in outcome.conflicts] == ["gpuCount.count"]


def test_a_peer_returns_what_its_function_does_not_take(gpu: Api) -> None:
    """A peer tells Python's names and directions, but not C's types and order."""
    taken = Account((Said("destination", None, "in"), Said("src", None, "in")))
    statement = Statement(
        "peer", "2.0", {"gpuCopy": taken}, every=False, renamed={"dst": "destination"}
    )
    outcome = compare(gpu, KNOWN, [statement], [])
    assert [(one.name, one.there) for one in outcome.conflicts] == [
        ("gpuCopy.count", "out"),
        ("gpuCopy.stream", "out"),
    ]


CUPTI = """\
    CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020 = 1,
typedef struct cudaCopy_v12030_params_st {
    const struct cudaExtent *extent;
    void **parameters[];
} cudaCopy_v12030_params;
"""
PROFILER = """\
  union {
    struct {
      void** ptr;
      void* ptr__val;
      const char* name;
      char name__val;
    } hipMalloc;
  } args;
"""
CUDA = '''\
def cudaCopy(graph, size_t count = 0, kind not None : cudaKind):
    """ Copies.

    Parameters
    ----------
    graph : :py:obj:`~.cudaGraph_t`
        The graph
    count : int
        How many

    Returns
    -------
    cudaError_t
        A status
    count : int
        How many there are
    names : list[bytes]
        Their names
    """
'''
HIP = '''\
def hipCopy(kind, from_):
    r"""Copies

    Args:
        kind (:py:obj:`~.int`) -- *INOUT*:
            Kind
        from_ (:py:obj:`~.types.ListOfPointer`/:py:obj:`~.object`) -- *IN*:
            From

    .. rubric:: C signature

    .. code-block:: c

        hipError_t hipCopy(int * kind, void ** from, int * count)
    """
'''
READ = {
    "cupti": (
        CUPTI,
        {
            "cudaDeviceReset": Account(None, "3.2"),
            "cudaCopy": Account(
                (Said("extent", "const struct cudaExtent *"), Said("parameters", "void ***")),
                "12.3",
            ),
        },
    ),
    "hip_profiler": (
        PROFILER,
        {"hipMalloc": Account((Said("ptr", "void**"), Said("name", "const char*", form="text")))},
    ),
    "declarations": (
        "cdef gpuError gpuCopy(const void * src,int n) except? gpuBad nogil\n",
        {"gpuCopy": Account((Said("src", "const void *"), Said("n", "int")))},
    ),
    "cuda_functions": (
        CUDA,
        {
            "cudaCopy": Account(
                (
                    Said("graph", None, "in"),
                    Said("count", None, "in+out"),
                    Said("kind", None, "in"),
                    Said("names", None, "out", "array"),
                )
            )
        },
    ),
    "hip_functions": (
        HIP,
        {
            "hipCopy": Account(
                (
                    Said("kind", None, "in+out"),
                    Said("from", None, "in", "array"),
                    Said("count", None, "out"),
                )
            )
        },
    ),
}


@pytest.mark.parametrize("reads", readers.READERS)
def test_what_a_witness_ships_is_read(tmp_path: Path, reads: str) -> None:
    text, due = READ[reads]
    (tmp_path / "shipped").write_text(text)
    assert readers.READERS[reads]([tmp_path / "shipped"]) == due


# The command, on an API whose witness is among its headers.

RELEASES = """\
header = "gpu.h"
prefix = "gpu"
version = { macro = "GPU_VERSION", major = 100, minor = 10 }
releases = [
]
"""
WITNESSES = """\
[[witness]]
name = "peer"
reads = "declarations"
files = ["gpu.pxd"]
releases = ["1.0"]
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder, include = tmp_path / "api_specs" / "gpu", tmp_path / "include"
    folder.mkdir(parents=True)
    include.mkdir()
    (folder / "releases.toml").write_text(RELEASES)
    (folder / "rules.toml").write_text('reviewed = ["1.0"]\n')
    (folder / "witnesses.toml").write_text(WITNESSES)
    (include / "gpu.h").write_text("#define GPU_VERSION 100\nint gpuCount(int *count);\n")
    (include / "gpu.pxd").write_text("cdef int gpuCount(int * count) nogil\n")
    adding = ["update", "gpu", "--release", "1.0.0", "--headers", str(include)]
    assert main(["--root", str(tmp_path), *adding, "--no-regenerate"]) == 0
    return tmp_path


def witness(tree: Path, *options: str) -> int:
    return main(["--root", str(tree), "witness", *options])


def test_the_command_fails_for_a_difference(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert witness(tree) == 0
    (tree / "include" / "gpu.pxd").write_text("cdef int gpuCount(long * count) nogil\n")
    assert witness(tree) == 1
    captured = capsys.readouterr()
    assert "gpuCount.count" in captured.out
    assert "gpu: 1 differences have no reason" in captured.err
    assert witness(tree, "--json", "gpu") == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert found["witnessed"] == {"0": 1, "1": 0, "2": 0, "3": 0}
    assert [(one["tells"], one["there"]) for one in found["differences"]] == [("type", "long *")]


def test_the_command_fails_for_a_reason_too_many(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = '[[difference]]\nwitness = "peer"\ntells = "type"\nreason = "so"\nnames = ["gpuRun"]\n'
    (tree / "api_specs" / "gpu" / "witnesses.toml").write_text(WITNESSES + entry)
    assert witness(tree) == 1
    assert "explains what is no difference: peer: type of gpuRun" in capsys.readouterr().err


def test_the_command_fails_for_a_release_without_a_witness(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "include" / "gpu.h").write_text("#define GPU_VERSION 110\nint gpuCount(int *count);\n")
    adding = ["update", "gpu", "--release", "1.1.0", "--headers", str(tree / "include")]
    assert main(["--root", str(tree), *adding, "--no-regenerate"]) == 0
    assert witness(tree, "--allow-missing") == 1
    assert "witnesses.toml: no witness speaks of 1.1" in capsys.readouterr().err
    entry = '[[unwitnessed]]\nreleases = {}\nreason = "it has none"\n'
    file = tree / "api_specs" / "gpu" / "witnesses.toml"
    file.write_text(WITNESSES + entry.format(["1.1"]))
    assert witness(tree, "--allow-missing") == 0
    file.write_text(WITNESSES + entry.format(["1.0", "1.1"]))
    assert witness(tree, "--allow-missing") == 1
    assert "1.0 needs no reason for being unwitnessed" in capsys.readouterr().err


def test_headers_that_do_not_lie_here(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "include" / "gpu.h").unlink()
    assert witness(tree) == 1
    assert "gpu: peer of 1.0: no gpu.h in include (--allow-missing" in capsys.readouterr().err
    assert witness(tree, "--allow-missing") == 0


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("reads = 'gossip'", "reads: 'cupti' or "),
        ("files = ['gpu.h']", "peer: gpu.h name no function"),
        ("versions = { '1.0' = '1.0.0' }", "peer has either packages with versions, or releases"),
        (
            (
                "releases = []\nversions = { '1.0' = '1.0.0' }\n"
                "packages.2 = { name = 'peer', include = '.' }"
            ),
            "peer has no package for 1.0",
        ),
        ("colour = 'red'", "colour: unknown key"),
    ],
)
def test_a_wrong_file_is_refused(
    tree: Path, capsys: pytest.CaptureFixture[str], text: str, due: str
) -> None:
    key = text.partition(" ")[0]
    kept = [line for line in WITNESSES.splitlines() if not line.startswith(key)]
    (tree / "api_specs" / "gpu" / "witnesses.toml").write_text("\n".join([*kept, text]))
    assert witness(tree) == 2
    assert due in capsys.readouterr().err

"""What types and evidence decide, what they leave open, and the hard cases of the real APIs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generator import formula, rules, store
from generator.cpp.formula import formula as spell
from generator.decide import Decision, advice, decide, text_fields
from generator.merge import merge_all
from generator.model import (
    Alias,
    Api,
    Callback,
    CType,
    Function,
    Handle,
    Parameter,
    Source,
    Struct,
    Variant,
)
from generator.rules import Rules, RulesError
from generator.toml import tomllib
from tests import reviewed
from tests.generator.headers import in_cpp, parse_text

SPECS = Path(__file__).parents[2] / "api_specs"
APIS = ["cuda_runtime", "hip_runtime"]
HERE = Source("made_up.h", 7)


def parameter(declared: str, tag: str | None = None, *, returned: bool = False) -> Parameter:
    type, _, name = declared.rpartition(" ")
    return Parameter(name, CType.parse(type), tag=tag, returned=returned)


def function(name: str, *parameters: str | Parameter) -> Function:
    listed = tuple(parameter(one) if isinstance(one, str) else one for one in parameters)
    return Function(name, name, CType("Error_t"), listed, "", HERE)


def api(*functions: Function) -> Api:
    def once(node: Any) -> Any:
        return (Variant("1", "2", node),)

    forms: dict[str, tuple[Variant[Function], ...]] = {}
    for one in functions:
        forms[one.name] = (*forms.get(one.name, ()), Variant("1", "1", one))
    return Api(
        "made_up",
        ("1", "2"),
        forms,
        {"Properties": once(Struct("Properties", "struct", 4, 4, (), HERE))},
        {},
        {},
        {
            "device_ptr": once(Alias("device_ptr", CType("void", pointers=(False,)), HERE)),
            "number": once(Alias("number", CType("int"), HERE)),
            "own_t": once(Alias("own_t", CType("Properties", pointers=(False,)), HERE)),
        },
        {"stream_t": once(Handle("stream_t", "stream_st", HERE))},
        {"call_t": once(Callback("call_t", CType("void"), (parameter("void * data"),), HERE))},
    )


def read(document: dict[str, Any] | None = None) -> Rules:
    """Rules of an API with a single, reviewed release."""
    return replace(rules.parse("made_up", document or {}), reviewed=("1",))


@pytest.mark.parametrize(
    ("name", "declared", "beside", "rule"),
    [
        ("apiGetLog", "char * p", "apiGetLogSize", 'kind = "out_text", asked_by = "apiGetLogSize"'),
        ("apiGetKinds", "int * p", "apiGetNumKinds", 'asked_by = "apiGetNumKinds"'),
        ("apiGetKinds", "stream_t * p", "apiGetKindCount", 'asked_by = "apiGetKindCount"'),
        ("apiGetCode", "void * p", "apiGetCodeSize", 'asked_by = "apiGetCodeSize"'),
        ("apiGetKind", "int * p", "apiGetKindCount", None),  # one of several
        ("apiGetKind", "int * p", "apiGetKind", None),
    ],
)
def test_another_function_may_tell_the_size(
    name: str, declared: str, beside: str, rule: str | None
) -> None:
    """Then a single value is not a safe guess: C may write more than one."""
    model = api(function(name, declared), function(beside, "int * count"))
    found = decide(model, read())[name, 0][0]
    assert found.kind == ("out" if rule is None else "raw")
    if rule is not None:
        assert beside in found.reason
        proposed = [
            one for one in advice.advise(model, Rules("made_up"), "1") if one.function == name
        ]
        assert rule in proposed[0].rule


@pytest.mark.parametrize(
    ("name", "declared", "kind"),
    [
        ("apiThingDestroy", "stream_t * p", "ended"),
        ("apiDestroyThing", "stream_t * p", "ended"),
        ("apiFreedom", "stream_t * p", "out"),
        ("apiDestroyThing", "int * p", "out"),
    ],
)
def test_what_ends_a_handle_may_clear_it(name: str, declared: str, kind: str) -> None:
    model = api(function(name, declared))
    (proposed,) = advice.advise(model, Rules("made_up"), "1")
    assert proposed.rule == f'kind = "{kind}"'


def first(made: Function, document: dict[str, Any] | None = None) -> Decision:
    return decide(api(made), read(document))[made.name, 0][0]


@pytest.mark.parametrize(
    ("declared", "kind"),
    [
        ("int p", "value"),
        ("stream_t p", "value"),
        ("Properties p", "value"),
        ("own_t p", "value"),
        ("const char * p", "text"),
        ("const Properties * p", "struct"),
        ("void * p", "raw"),
        ("const void * p", "raw"),
        ("device_ptr p", "raw"),
        ("char * p", "raw"),
        ("call_t p", "raw"),
        ("int * p", "raw"),
        ("stream_t * p", "raw"),
        ("void ** p", "raw"),
        ("const int * p", "raw"),
    ],
)
def test_what_a_type_alone_decides(declared: str, kind: str) -> None:
    found = first(function("apiThing", declared))
    assert (found.kind, found.by) == (kind, "raw" if kind == "raw" else "type")
    assert found.reason or found.by == "type"


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        # One concern is never enough: not the type alone, nor the name alone. A tag speaks for all.
        (function("apiThing", parameter("Properties * p", "out"), "int * q"), "out"),
        (function("apiGetThing", "Properties * p", "int * q"), "raw"),
        (function("apiThing", "int * p"), "raw"),
        # Two concerns suffice if one of them is in words.
        (function("apiGetThing", "int * p"), "out"),
        (function("apiThing", parameter("int * p", "out")), "out"),
        (function("apiThing", parameter("number * p", returned=True)), "out"),
        (function("apiThing", "stream_t * p_out"), "out"),
        (function("apiGetThing", "Properties * p"), "out"),
        (function("apiGetThing", "device_ptr * p"), "out"),
        (function("apiMalloc", "void ** p"), "out"),
        # "Create" makes handles. A struct beside a handle may be what the handle is made of.
        (function("apiCreateThing", "Properties * p", "stream_t * q"), "raw"),
        # A text has no size. One that belongs to nobody, or to a char buffer, too, may be its.
        (function("apiThing", "const char * text", "int flags"), "text"),
        (function("apiThing", "const char * p", "char * to", "int packedSize"), "raw"),
        (function("apiThing", "const char * p", "char * to", "int size"), "raw"),
        (function("apiThing", "const char * version", "int thingSize"), "text"),
        (function("apiThing", "const char * p", "const void * data", "int dataSize"), "text"),
        (function("apiThing", "const char * p", "void * data", "size_t size"), "text"),
        # The votes disagree.
        (function("apiGetThing", parameter("int * p", "in")), "raw"),
        (function("apiSetThing", parameter("int * p", "out")), "raw"),
        (function("apiAddThing", "stream_t * p_out"), "raw"),
        # [in,out] is believed where a value can go in; of a handle it says nothing.
        (function("apiThing", parameter("int * p", "inout")), "inout"),
        (function("apiGetThing", parameter("int * p", "inout")), "inout"),
        (function("apiThing", parameter("stream_t * p", "inout")), "raw"),
        (function("apiGetThing", parameter("stream_t * p", "inout")), "out"),
        # Tags never decide about memory and values.
        (function("apiGetThing", parameter("void * p", "out", returned=True)), "raw"),
        (function("apiGetThing", parameter("int p", "out")), "value"),
        # With a count, a pointer to one value becomes an array.
        (function("apiGetThings", "int * p", "size_t * numThings"), "raw"),
        (function("apiGetThings", "int * p", "int len"), "raw"),
        (function("apiThings", "const Properties * p", "size_t numThings"), "raw"),
        (function("apiThings", "const stream_t * things", "size_t numThings"), "array"),
        (function("apiThings", "const stream_t * things", "size_t numThings", "int n"), "array"),
        (function("apiThings", "const stream_t * things", "size_t * numThings"), "raw"),
        # Only a name tells what a count counts: neither `n` nor another thing's number does.
        (function("apiThings", "const stream_t * p", "size_t numThings"), "raw"),
        (
            function(
                "apiThings", "const stream_t * event_wait_list", "int num_events_in_wait_list"
            ),
            "array",
        ),
        (function("apiPack", "const void * src", "size_t srcSize", "int level"), "readable"),
        (function("apiPack", "const void * source", "size_t srcSize"), "raw"),
        (function("apiThings", "const stream_t * wait_list", "int num_events_in_list"), "raw"),
        (function("apiThings", "const int * p", "int n"), "raw"),
        (function("apiThings", "const int * p", "int len"), "raw"),
        (function("apiThings", "const int * x", "const int * y", "int count"), "raw"),
        # A pointer that may be the first of many values is not one value, whatever suggests it.
        (function("apiGetThings", parameter("int * things", "out", returned=True)), "raw"),
        (function("apiGetSizes", "size_t * shardSizes_out", "int device"), "raw"),
        (
            function("apiGetThing", Parameter("p", CType.parse("int *"), tag="out", several=True)),
            "raw",
        ),
        (function("apiGetThing", "number * numThings"), "out"),
        (function("apiGetThing", "int * flags"), "out"),
        (function("apiGetThing", "size_t * bytes"), "out"),
        (function("apiGetThing", "Properties * properties"), "out"),
        (function("apiGetThing", "stream_t * address"), "out"),
        # "Get" refers to the words before it.
        (function("apiWaitThingGetEvent", "stream_t * p"), "out"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_what_evidence_decides(made: Function, kind: str) -> None:
    assert first(made).kind == kind


@pytest.mark.parametrize(
    ("name", "other", "kind"),
    [
        ("apiGetThing", "apiGetThingSize", "raw"),
        ("apiGetThing", "apiGetNumThings", "raw"),
        ("apiGetThings", "apiGetThingCount", "raw"),
        ("apiGetThing", "apiGetThingCount", "out"),  # the device, and the number of devices
    ],
)
def test_another_function_gives_the_size(name: str, other: str, kind: str) -> None:
    decided = decide(api(function(name, "int * p"), function(other, "int * q")), read())
    assert decided[name, 0][0].kind == kind


@pytest.mark.parametrize(
    "told", ["one location per region", "an array of sizes", "list of them", "one for each"]
)
def test_documentation_tells_of_several(told: str, tmp_path: Path) -> None:
    text = f"/** \\param p [out] - Returned {told}\n\\param q [out] - Returned */\n"
    parsed = parse_text(tmp_path, text + "int gpuGet(int *p, int *q);\n")
    assert [one.several for one in parsed.functions["gpuGet"].parameters] == [True, False]


def test_another_release_votes_too() -> None:
    old = function("apiThing", parameter("Properties * p"))
    new = function("apiThing", parameter("Properties * p", "out"), "int flags")
    decided = decide(api(old, new), read())
    assert [decided["apiThing", place][0].kind for place in (0, 1)] == ["out", "out"]
    wrong = function("apiThing", parameter("Properties * p", "in"), "int flags")
    decided = decide(api(new, wrong), read())
    assert [decided["apiThing", place][0].by for place in (0, 1)] == ["raw", "raw"]


def test_what_follows_from_a_rule() -> None:
    made = function(
        "apiThing", "int * a", "int * b", "size_t * n", "call_t call", "void * data", "int * c"
    )
    document = {
        "function": {
            "apiThing": {
                "parameter": {
                    "a": {"kind": "out_array", "count": "n"},
                    "b": {"kind": "out_array", "count": "n"},
                    "call": {"kind": "callback", "user_data": "data", "lives": "once"},
                }
            }
        }
    }
    found = decide(api(made), read(document))["apiThing", 0]
    assert [one.kind for one in found] == [
        *("out_array", "out_array", "count", "callback", "user_data", "raw"),
    ]
    assert found[2].options == {"of": ("a", "b"), "unit": "elements", "direction": "inout"}
    assert [one.is_output for one in found[:3]] == [True, True, False]


@pytest.mark.parametrize(
    "rule",
    [
        {"kind": "array", "count": "n"},
        {"kind": "readable", "length": "pitched(n, width, 2)"},
        {"kind": "callback", "user_data": "n", "lives": "once"},
    ],
)
def test_a_rule_that_names_an_unknown_parameter(rule: dict[str, str]) -> None:
    made = function("apiThing", "int * p", "size_t width")
    with pytest.raises(RulesError, match=r"function\.apiThing\.parameter\.p.*made_up\.h:7.* n"):
        first(made, {"function": {"apiThing": {"parameter": {"p": rule}}}})


# ---- the real APIs ----

Decided = Mapping[str, Mapping[str, Decision]]


@pytest.fixture(scope="module")
def decided() -> dict[str, Decided]:
    """The newest form of every function, by API, function and parameter."""
    found: dict[str, Decided] = {}
    for name in APIS:
        model = store.load(SPECS / name / "api.json")
        decisions = decide(model, rules.load(name))
        found[name] = {
            function: {
                parameter.name: one
                for parameter, one in zip(
                    forms[-1].node.parameters, decisions[function, len(forms) - 1], strict=True
                )
            }
            for function, forms in model.functions.items()
        }
    return found


# (function and parameter, kind, options), as read in the vendors' manuals.
HARD: list[tuple[str, str, dict[str, object]]] = [
    ("cudaMemcpy.dst", "writable", {"length": "count"}),
    ("cudaMemcpyAsync.src", "readable", {"length": "count"}),
    ("cudaMemcpy2DAsync.dst", "writable", {"length": "pitched(dpitch, width, height)"}),
    ("cudaMemcpy2DToArray.src", "readable", {"length": "pitched(spitch, width, height)"}),
    ("cudaMemcpy2DToArray.dst", "value", {}),
    ("cudaMemcpyFromSymbol.symbol", "function", {}),
    ("cudaMemset2D.devPtr", "writable", {"length": "pitched(pitch, width, height)"}),
    (
        "cudaMemcpyBatchAsync.srcs",
        "array",
        {"count": "count", "of": "readable", "sizes": "sizes"},
    ),
    ("cudaMemPoolGetAccess.location", "struct", {}),
    ("cudaGraphMemFreeNodeGetParams.dptr_out", "out", {"as": "void *"}),
    ("cudaMemPoolExportToShareableHandle.shareableHandle", "typed_by", {"direction": "out"}),
    (
        "cudaMemPoolImportFromShareableHandle.shareableHandle",
        "typed_by",
        {"direction": "in", "table": "imported_handle"},
    ),
    ("cudaMemRangeGetAttribute.data", "typed_by", {"size": "dataSize", "direction": "out"}),
    ("cudaLaunchKernel.args", "arguments", {}),
    ("cudaLaunchHostFunc.fn", "callback", {"user_data": "userData", "lives": "graph"}),
    ("cudaUserObjectCreate.destroy", "callback", {"user_data": "ptr", "lives": "once"}),
    ("cudaUserObjectCreate.ptr", "user_data", {"callback": "destroy"}),
    (
        "cudaDeviceRegisterAsyncNotification.callbackFunc",
        "callback",
        {
            "user_data": "userData",
            "lives": "registered",
            "until": "cudaDeviceUnregisterAsyncNotification",
        },
    ),
    ("cudaDeviceGetPCIBusId.pciBusId", "out_text", {"capacity": "len"}),
    ("cudaDeviceGetPCIBusId.len", "count", {"of": ("pciBusId",), "unit": "bytes"}),
    (
        "cudaGraphGetEdges.numEdges",
        "count",
        {"of": ("from", "to", "edgeData"), "direction": "inout"},
    ),
    (
        "cudaStreamGetCaptureInfo.numDependencies_out",
        "count",
        {"of": ("dependencies_out", "edgeData_out"), "direction": "out"},
    ),
    (
        "cudaDeviceGetP2PAtomicCapabilities.count",
        "count",
        {"of": ("capabilities", "operations"), "direction": "in"},
    ),
    ("cudaGraphExecUpdate.resultInfo", "out", {"valid_on": ("cudaErrorGraphExecUpdateFailure",)}),
    ("cudaGraphAddMemAllocNode.nodeParams", "inout", {}),
    ("cudaThreadExchangeStreamCaptureMode.mode", "inout", {}),
    ("hipMemcpyHtoD.src", "readable", {"length": "sizeBytes"}),
    ("hipMemcpyToArray.src", "readable", {"length": "count"}),
    ("hipMemcpy2DToArrayAsync_spt.src", "readable", {"length": "pitched(spitch, width, height)"}),
    ("hipMemsetD16Async.dest", "writable", {"length": "count * 2"}),
    ("hipMemsetD32Async.dst", "writable", {"length": "count * 4"}),
    ("hipStreamWriteValue64.ptr", "writable", {"length": 8}),
    ("hipTexRefGetBorderColor.pBorderColor", "out_array", {"length": 4}),
    ("hipExtStreamGetCUMask.cuMask", "out_array", {"count": "cuMaskSize"}),
    ("hipMemPoolGetAttribute.value", "typed_by", {"by": "attr", "direction": "out"}),
    ("hipMemPoolImportFromShareableHandle.shared_handle", "typed_by", {"direction": "in"}),
    ("hipStreamGetCaptureInfo_v2.graph_out", "out", {}),
    ("hipGraphInstantiate.pLogBuffer", "out_text", {"capacity": "bufferSize", "valid_on": "any"}),
    ("hipTexRefSetFlags.texRef", "struct", {"identity": True}),
    ("hipExternalMemoryGetMappedBuffer.extMem", "value", {}),
    ("hipModuleLaunchKernel.extra", "arguments", {"packed": 3}),
]


@pytest.mark.parametrize(("where", "kind", "options"), HARD, ids=[one[0] for one in HARD])
def test_hard_cases(
    decided: dict[str, Decided], where: str, kind: str, options: dict[str, object]
) -> None:
    function, _, parameter = where.partition(".")
    found = decided["hip_runtime" if where.startswith("hip") else "cuda_runtime"]
    decision = found[function][parameter]
    assert decision.kind == kind
    assert options.items() <= decision.options.items()


@pytest.mark.parametrize("name", APIS)
def test_nothing_is_undecided(decided: dict[str, Decided], name: str) -> None:
    """The exceptions are parameters that a rule leaves as an address, with its reason."""
    model, said = store.load(SPECS / name / "api.json"), rules.load(name)
    known = reviewed.functions(model)
    left = {
        (function, parameter.name)
        for function, forms in model.functions.items()
        for parameter in forms[-1].node.parameters
        if (rule := said.parameter(forms[-1].node, parameter)) and rule.kind == "raw"
    }
    assert [
        f"{function}.{parameter}: {one.reason}"
        for function, parameters in decided[name].items()
        for parameter, one in parameters.items()
        if one.by == "raw" and function in known and (function, parameter) not in left
    ] == []


def test_both_vendors_decide_alike(decided: dict[str, Decided]) -> None:
    """HIP's functions are CUDA's under other names: a decision for one holds for the other."""
    other = {
        "hipMemPoolImportFromShareableHandle",  # takes a pointer to the descriptor
        "hipGetDriverEntryPoint",  # has no older form that lacks an output
        *("hipLibraryLoadData", "hipLibraryLoadFromFile"),  # have pointers to options
    }
    compared = 0
    known = reviewed.functions(store.load(SPECS / "hip_runtime" / "api.json"))
    for name, mine in decided["hip_runtime"].items():
        if name not in known:
            continue
        theirs = decided["cuda_runtime"].get("cuda" + name.removeprefix("hip"), {})
        if len(mine) == len(theirs) and name not in other:
            compared += 1
            for here, there in zip(mine.values(), theirs.values(), strict=True):
                assert here.kind == there.kind, name
                assert here.options.keys() == there.options.keys(), name
    assert compared > 200


def test_the_gil_is_kept_only_where_nothing_can_wait() -> None:
    keeping = {}
    for name in APIS:
        gil, declared = rules.load(name).gil, store.load(SPECS / name / "api.json").functions
        keeping[name] = {function for function in declared if gil(function) == "keep"}
    cuda = {"GetDevice", "GetLastError", "PeekAtLastError", "GetErrorName", "GetErrorString"}
    cuda |= {"CreateChannelDesc"}
    hip = {"ExtGetLastError", "DrvGetErrorName", "DrvGetErrorString", "ApiName"}
    assert keeping["cuda_runtime"] == {f"cuda{name}" for name in cuda}
    assert keeping["hip_runtime"] == {f"hip{name}" for name in cuda | hip}


@pytest.mark.parametrize("name", APIS)
def test_deciding_is_quick_and_always_the_same(name: str) -> None:
    model = store.load(SPECS / name / "api.json")
    known = rules.load(name)
    begin = time.perf_counter()
    found = decide(model, known)
    assert time.perf_counter() - begin < 1
    assert found == decide(model, known)


@pytest.mark.parametrize(
    ("text", "cpp", "names"),
    [
        ("8", "8", set()),
        ("count", "count", {"count"}),
        ("n * 4 + 2", "saturated_sum(saturated_product(n, 4), 2)", {"n"}),
        ("pitched(p, w, h)", "pitched(p, w, h)", {"p", "w", "h"}),
        ("box(p.pitch, 1, 0, 0, 0, e.w, 2, 3)", "box(p.pitch, 1, 0, 0, 0, e.w, 2, 3)", {"p", "e"}),
        ("(a + b) // 8", "quotient(saturated_sum(a, b), 8)", {"a", "b"}),
        ("a - 1", "saturated_difference(a, 1)", {"a"}),
        ("a or b", "(a ? a : b)", {"a", "b"}),
        ("a if not b == 2 and c else d", "((!(b == 2) && c) ? a : d)", {"a", "b", "c", "d"}),
    ],
)
def test_lengths(text: str, cpp: str, names: set[str]) -> None:
    assert spell(text) == cpp
    assert formula.parameters(text) == names


@pytest.mark.parametrize(
    "text",
    ["", "a -", "a % b", "a < b", "a[0]", "f(a)", "f().b", "pitched(a, b)", "1.5", "'a'"],
)
def test_what_is_no_length(text: str) -> None:
    with pytest.raises(formula.FormulaError):
        formula.fields(text)


def test_only_of_fields_the_size_of_an_element_is_asked() -> None:
    assert formula.fields("element(a.b) * 2") == {"a.b"}
    assert spell("element(a.b)") == "it.element(a.b)"
    with pytest.raises(formula.FormulaError):
        formula.parameters("element(a)")


def test_advice_is_the_rule_of_a_peer(tmp_path: Path) -> None:
    """The rule is the peer's newest form that has the parameter.

    It never names what isn't there.
    """
    declared = "int {0}Sum(const int *values, int numThings, int count, int *at);\n"
    older, newer = declared, declared.replace(", int *at", "")
    other = "int {0}All(const int *them, int numAll, int count, int size);\n"
    peer = merge_all(
        replace(parse_text(tmp_path, in_cpp((text + other).format("gpuOther"))), version=version)
        for version, text in (("1.0", older), ("2.0", newer))
    )
    document = {
        "gpuOtherSum": {
            "values": {"kind": "array", "count": "numThings"},
            "at": {"kind": "out", "valid_on": "any", "initial": -1},
        },
        "gpuOtherAll": {"them": {"kind": "array", "count": "size"}},
    }
    known = rules.parse(
        "gpu", {"function": {name: {"parameter": one} for name, one in document.items()}}
    )
    renamed = other.replace("int size", "int length")
    ours = merge_all([parse_text(tmp_path, in_cpp((older + renamed).format("gpu")))])
    peers = [advice.Peer(peer, known, "gpuOther", "gpu")]
    told = {
        f"{one.function}.{one.parameter}": one.rule
        for one in advice.advise(ours, Rules("gpu"), ours.newest, peers)
    }
    assert told == {
        "gpuSum.values": 'kind = "array", count = "numThings"',
        "gpuSum.at": 'kind = "out", valid_on = "any", initial = -1',
        "gpuAll.them": 'kind = "array", count = "numAll"',
    }


def test_a_struct_that_ends_in_any_length_is_memory(tmp_path: Path) -> None:
    """Its size says nothing of what C reads or writes there."""
    release = parse_text(
        tmp_path,
        "struct gpuList { int count; int items[]; };\n"
        "int gpuSum(const struct gpuList *list);\nint gpuGetList(struct gpuList *list);\n",
    )
    decided = decide(merge_all([release]), Rules("gpu", reviewed=(release.version,)))
    for (name, _), (made,) in decided.items():
        assert (made.kind, made.reason) == (
            "raw",
            "its struct ends in an array of any length",
        ), name


def test_a_number_beside_a_size_may_be_the_first_of_many(tmp_path: Path) -> None:
    """As in curandGenerateUniform: one value's room would be written beyond."""
    release = parse_text(
        tmp_path,
        "typedef struct gpuMaker_st *gpuMaker;\n"
        "int gpuGetUniform(gpuMaker maker, float *output, unsigned long num);\n"
        "int gpuGetNormal(gpuMaker maker, float *outputPtr, unsigned long size);\n",
    )
    advised = advice.advise(merge_all([release]), Rules("gpu"), release.version)
    assert {one.parameter: one.rule.partition(",")[0] for one in advised} == {
        "output": 'kind = "raw"',
        "outputPtr": 'kind = "raw"',
    }


def test_advice_for_a_header_in_snake_case(tmp_path: Path) -> None:
    """Buffers with the size behind them, structs that C fills, and names inside of structs."""
    release = parse_text(
        tmp_path,
        "typedef struct { char name[64]; unsigned char key[16]; char mark[1]; } gpu_info;\n"
        "int gpu_describe(int store, gpu_info *info);\n"
        "int gpu_change(int store, gpu_info *info);\n"
        "int gpu_name(int store, char *name, unsigned long capacity);\n"
        "int gpu_note(int store, char *note, int kind);\n",
    )
    api, known = merge_all([release]), Rules("gpu")
    rules = {one.function: one.rule for one in advice.advise(api, known, release.version)}
    assert rules.pop("gpu_note").startswith('kind = "raw"')
    assert rules == {
        "gpu_describe": 'kind = "out"',
        "gpu_change": 'kind = "struct"',
        "gpu_name": 'kind = "out_text", capacity = "capacity"',
    }
    (table,) = text_fields.tables(api, known)
    assert tomllib.loads(table) == {"struct": {"gpu_info": {"field": {"name": {"kind": "text"}}}}}

"""Calls that the generator adapts to older forms, and outputs that older forms lack."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from generator import manifest, rules, store
from generator.cpp.adaptors import adaptor_parameters, inexpressible, older_argument
from generator.emit import SPECS
from generator.errors import GeneratorError
from generator.merge import merge, release_of
from generator.model import Api
from generator.plan.api import plan
from generator.plan.shapes import Valid

API = store.load(SPECS / "cuda_runtime" / "api.json")
# Like CUDA 12.4, CUDA 12.3 has the newest form under a separate name.
EARLIER = merge(API, replace(release_of(API, "12.4"), version="12.3"))


@pytest.mark.parametrize(("api", "first"), [(API, 1204), (EARLIER, 1203)])
def test_they_come_from_the_first_release_that_needs_no_adaptor(api: Api, first: int) -> None:
    groups = plan(api, rules.load("cuda_runtime"), manifest.load("cuda_runtime", SPECS)).groups
    results = {one.name: one.results for group in groups.values() for one in group}
    for name in ("cudaGraphGetEdges", "cudaGraphNodeGetDependencies", "cudaStreamGetCaptureInfo"):
        assert results[name][-1].valid == Valid(since=first)
    assert results["cudaGraphGetEdges_v2"][-1].valid is None  # has no other form


PLAN = plan(API, rules.load("cuda_runtime"), manifest.load("cuda_runtime", SPECS))


@pytest.mark.parametrize(
    ("name", "refused", "arguments"),
    [
        # A missing input, a missing output, an additional output, a missing const, another type.
        ("cudaGraphRemoveDependencies", "edgeData", "graph, from, to, numDependencies"),
        ("cudaGraphGetEdges", "", "graph, from, to, numEdges"),
        ("cudaMemcpy3DBatchAsync", "", "numOps, opList, &failIdx, flags, stream"),
        (
            "cudaMemcpyBatchAsync",
            "",
            (
                "const_cast<void **>(dsts), const_cast<void **>(srcs), const_cast<size_t *>(sizes),"
                " count, attrs, attrsIdxs, numAttrs, &failIdx, stream"
            ),
        ),
        ("cudaMemPrefetchAsync", "!dstDevice || flags", "devPtr, count, *dstDevice, stream"),
    ],
)
def test_calls_of_older_forms_are_composed(name: str, refused: str, arguments: str) -> None:
    adaptor = next(one for one in PLAN.adaptors if one.name == f"{name}_until_12_9")
    assert inexpressible(adaptor) == refused
    assert ", ".join(map(older_argument, adaptor.arguments)) == arguments


def test_a_parameter_that_is_left_alone_has_no_name() -> None:
    adaptor = next(one for one in PLAN.adaptors if one.name == "cudaGraphGetEdges_until_12_9")
    assert "cudaGraphEdgeData *, size_t *numEdges" in adaptor_parameters(adaptor)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("cudaGraphExecUpdate", "hErrorNode_out of an older form .*: the newest form has no value"),
        ("cudaMemAdvise", None),
    ],
)
def test_what_cant_be_composed_is_refused(name: str, reason: str | None) -> None:
    known = rules.load("cuda_runtime")
    bare = replace(known.functions[name], handwritten=False, parameters=MappingProxyType({}))
    known = replace(known, functions={**known.functions, name: bare})
    made = manifest.load("cuda_runtime", SPECS)
    if reason is None:
        assert f"{name}_until_12_9" in {one.name for one in plan(API, known, made).adaptors}
    else:
        with pytest.raises(GeneratorError, match=f"function.{name}.adapt: {reason}"):
            plan(API, known, made)

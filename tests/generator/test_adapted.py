"""Outputs that a function's older form lacks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator import manifest, rules, store
from generator.emit import SPECS
from generator.merge import merge, release_of
from generator.model import Api
from generator.plan.api import plan
from generator.plan.shapes import Valid

API = store.load(SPECS / "cuda_runtime" / "api.json")
# CUDA 12.3 has the newest form under a name of its own, as 12.4 has.
EARLIER = merge(API, replace(release_of(API, "12.4"), version="12.3"))


@pytest.mark.parametrize(("api", "first"), [(API, 1204), (EARLIER, 1203)])
def test_they_come_from_the_first_release_that_needs_no_adaptor(api: Api, first: int) -> None:
    groups = plan(api, rules.load("cuda_runtime"), manifest.load("cuda_runtime", SPECS)).groups
    results = {one.name: one.results for group in groups.values() for one in group}
    for name in ("cudaGraphGetEdges", "cudaGraphNodeGetDependencies", "cudaStreamGetCaptureInfo"):
        assert results[name][-1].valid == Valid(since=first)
    assert results["cudaGraphGetEdges_v2"][-1].valid is None  # has no other form

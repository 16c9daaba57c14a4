"""A listed release keeps what it had before the later releases were listed and read.

The models are cut to fewer releases and planned again. Nothing is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from generator import emit, manifest, rules, store
from generator.model import Api
from generator.plan import portable
from generator.plan.api import plan
from generator.plan.binding import BindingPlan
from generator.plan.span import number
from generator.releases import version_key
from generator.review import until_reviewed
from generator.rules import FunctionRule
from tests.generator.seen import differences, seen, seen_by_portable

CUDA, HIP = "cuda_runtime", "hip_runtime"
# Rules name what these releases added, so no model can end before them.
FIRST = {CUDA: "13.2", HIP: "6.2"}
LISTED = {name: store.load(emit.SPECS / name / "api.json").releases for name in FIRST}
EARLIER = [
    (name, release)
    for name, first in FIRST.items()
    for release in LISTED[name][:-1]
    if version_key(release) >= version_key(first)
]


def planned(name: str, newest: str) -> tuple[Api, BindingPlan]:
    """An API whose newest listed and reviewed release is the given one."""
    api, known = store.load(emit.SPECS / name / "api.json"), rules.load(name)
    limit = version_key(newest)
    reviewed = tuple(one for one in known.reviewed if version_key(one) <= limit)
    api = until_reviewed(api, reviewed)
    assert api.newest == newest
    functions = {one: _adapted_until(rule, limit) for one, rule in known.functions.items()}
    known = replace(known, reviewed=reviewed, functions=functions)
    return api, plan(api, known, manifest.load(name, emit.SPECS))


def _adapted_until(rule: FunctionRule, limit: tuple[int, ...]) -> FunctionRule:
    adapt = tuple(at for at in rule.adapt if version_key(at) < limit)
    return replace(rule, adapt=adapt, handwritten=rule.handwritten and bool(adapt))


@pytest.fixture(scope="module")
def today() -> Mapping[str, BindingPlan]:
    return {name: planned(name, releases[-1])[1] for name, releases in LISTED.items()}


@pytest.mark.parametrize(("name", "release"), EARLIER)
def test_listed_releases_stay_as_they_were(
    today: Mapping[str, BindingPlan], name: str, release: str
) -> None:
    """Signatures, symbols, values, layouts; functions with a new form by now are left out."""
    whole = store.load(emit.SPECS / name / "api.json")
    api, before = planned(name, release)
    changed = {
        one for one, forms in api.functions.items() if len(whole.functions[one]) > len(forms)
    }
    for at in api.releases:
        found = differences(seen(before, at), seen(today[name], at))
        assert {key for key in found if key[1] not in changed} == set(), at
    for one in changed:
        assert whole.functions[one][-1].until == whole.newest, one


@pytest.mark.parametrize(("name", "release"), EARLIER)
def test_portable_names_stay_as_they_were(
    today: Mapping[str, BindingPlan], name: str, release: str
) -> None:
    """On each listed release of HIP. Eight names once needed HIP 7, and failed on HIP 6."""
    _, one = planned(name, release)
    before = {**today, name: one}
    exceptions = portable.load(emit.SPECS, HIP, "cuda_runtime")
    was, now = (portable.names(all_[CUDA], all_[HIP], exceptions) for all_ in (before, today))
    for at in before[HIP].releases:
        old = seen_by_portable(was, before[CUDA], before[HIP], at)
        new = seen_by_portable(now, today[CUDA], today[HIP], at)
        assert differences(old, new) == {}, at
        assert len(old) > 400, at


def test_a_later_spelling_has_a_span(today: Mapping[str, BindingPlan]) -> None:
    """HIP 6.4 added names that HIP 6.2 spells differently, or lacks."""
    names = portable.names(today[CUDA], today[HIP], portable.load(emit.SPECS, HIP, "cuda_runtime"))

    def spelled(cuda: str, release: str) -> str:
        at = number(release)
        return next(one.hip for one in names if one.cuda == cuda and one.since <= at <= one.until)

    for cuda, before, after, since in (
        ("cudaHostAllocDefault", "hipHostMallocDefault", "hipHostAllocDefault", "6.4"),
        ("cudaEventWaitDefault", "cudaEventWaitDefault", "hipEventWaitDefault", "6.4"),
        ("cudaMemLocationTypeHost", "cudaMemLocationTypeHost", "hipMemLocationTypeHost", "7.1"),
    ):
        for release in LISTED[HIP]:
            later = version_key(release) >= version_key(since)
            assert spelled(cuda, release) == (after if later else before), (cuda, release)

"""How much of the listed releases is unreachable, or a bare address because a rule is missing."""

from __future__ import annotations

import pytest

from generator import manifest, rules, store
from generator.coverage import cover
from generator.plan.api import plan
from generator.releases import read_releases
from tests import reviewed
from tests.generator.headers import ROOT

SPECS = ROOT / "api_specs"
APIS = list(read_releases(SPECS))


# CUPTI's functions that count events always fail since CUDA 13.
LEFT_OUT = {"cupti": 52}


@pytest.mark.parametrize("name", APIS)
def test_little_is_raw_or_excluded(name: str) -> None:
    """At most ten of each, over all reviewed releases of an API; or the reason is known."""
    read, rows = reviewed.functions(store.load(SPECS / name / "api.json")), cover(SPECS, name)
    excluded = {one for row in rows for one in row.excluded if one in read}
    assert len(excluded) <= LEFT_OUT.get(name, 10)
    raw = {one for row in rows for one in row.raw if one.partition(".")[0] in read}
    assert len(raw) <= 10


@pytest.mark.parametrize("name", APIS)
def test_every_decision_has_a_shape(name: str) -> None:
    """A decided parameter whose shape no code binds would become an address: there is none."""
    model = store.load(SPECS / name / "api.json")
    said = rules.load(name)
    own = manifest.load(name, SPECS)
    planned = plan(model, said, own, {one: manifest.load(one, SPECS) for one in own.depends})
    known = reviewed.functions(model)
    left_raw = {
        f"{function}.{parameter.name}"
        for function, forms in model.functions.items()
        for parameter in forms[-1].node.parameters
        if (rule := said.parameter(forms[-1].node, parameter)) and rule.kind == "raw"
    }
    raw = {
        f"{one.name}.{parameter}"
        for group in planned.groups.values()
        for one in group
        if one.name in known
        for parameter in one.raw
    }
    assert raw == left_raw
    assert len(raw) <= 10

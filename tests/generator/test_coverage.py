"""How much of the listed releases is out of reach, or a bare address for want of a rule."""

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


def test_little_is_raw_or_excluded() -> None:
    """Ten of each at most, over all releases of all APIs that somebody has read."""
    read = {name: reviewed.functions(store.load(SPECS / name / "api.json")) for name in APIS}
    rows = [row for name in APIS for row in cover(SPECS, name)]
    assert len({name for row in rows for name in row.excluded if name in read[row.api]}) <= 10
    raw = {name for row in rows for name in row.raw if name.partition(".")[0] in read[row.api]}
    assert len(raw) <= 10


@pytest.mark.parametrize("name", APIS)
def test_every_decision_has_a_shape(name: str) -> None:
    """A decided parameter that no code knows how to bind becomes an address: none may."""
    model = store.load(SPECS / name / "api.json")
    said = rules.load(name)
    planned = plan(model, said, manifest.load(name, SPECS))
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

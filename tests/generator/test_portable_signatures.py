"""A library's portable names take and give the same on both vendors' libraries."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from generator import manifest, rules, store
from generator.plan import portable
from generator.plan.api import plan
from generator.plan.binding import BindingPlan, Wrapper
from generator.releases import read_releases
from generator.specs import folder
from tests.generator.headers import ROOT

SPECS = ROOT / "api_specs"


def pairs() -> Iterator[tuple[str, str]]:
    """(another vendor's library, the library that serves its names)"""
    for name in read_releases(SPECS):
        own = manifest.load(name, SPECS)
        if own.extra:
            yield from ((other, name) for other in own.stands_for)


def planned(name: str) -> BindingPlan:
    own = manifest.load(name, SPECS)
    depends = {one: manifest.load(one, SPECS) for one in own.depends}
    return plan(store.load(folder(SPECS, name) / "api.json"), rules.load(name), own, depends)


def functions(api: BindingPlan) -> dict[str, Wrapper]:
    return {one.name: one for group in api.groups.values() for one in group}


@pytest.mark.parametrize(("theirs", "mine"), list(pairs()))
def test_both_take_and_give_the_same(theirs: str, mine: str) -> None:
    """Also those that portable.toml names itself, with which nothing else is compared."""
    cuda, hip = planned(theirs), planned(mine)
    exceptions = portable.load(SPECS, mine, theirs)
    named = portable.names(cuda, hip, exceptions)
    of_cuda, of_hip = functions(cuda), functions(hip)
    both = [(of_cuda[one.cuda], of_hip[one.hip]) for one in named if one.hip in of_hip]
    assert len(both) + len(exceptions.formulas) > 10
    for one, other in both:
        assert signature(one) == signature(other), one.name
        takes = zip(one.inputs, other.inputs, strict=True)
        kinds = {
            (at.shape.kind, of.shape.kind) for at, of in takes if at.shape.kind != of.shape.kind
        }
        assert kinds <= NARROWER, one.name


# cuFFT's plans are numbers, hipFFT's are handles; and hipFFT may write into what it reads.
NARROWER = {("readable", "writable"), ("value", "destroyed")}


def signature(one: Wrapper) -> tuple[bool, int, int]:
    """Whether it gives a status, and how many values it takes and gives."""
    return one.returns_status, len(one.inputs), len(one.results)

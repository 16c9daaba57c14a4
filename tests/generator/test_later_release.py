"""A later release changes nothing for earlier releases, and binds nothing that nobody has read.

Tested with real headers of unlisted releases, and with an invented header that turns every C shape
around.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from generator import manifest, rules, store
from generator.decide import advice, decide, declared, report
from generator.headers.fetch import FetchError, fetch_headers
from generator.merge import merge, release_of
from generator.model import Api
from generator.parse import Conventions, HeaderSet, ParseRequest, parse_release
from generator.plan import portable
from generator.plan.api import plan
from generator.plan.binding import BindingPlan, Wrapper
from generator.plan.span import number
from generator.releases import find_api, release_name
from generator.rules import Rules
from generator.toml import tomllib
from generator.update import parse_headers
from tests.generator.headers import ROOT, missing
from tests.generator.manifests import INVENTED
from tests.generator.seen import differences, seen, seen_by_portable

SPECS = ROOT / "api_specs"
CUDA, HIP = "cuda_runtime", "hip_runtime"
UNLISTED = ("11.7.99", "12.3.101")
SHAPES = Path(__file__).parent / "shapes"


def include_of(version: str) -> Path:
    """The headers of an unlisted release."""
    try:
        return fetch_headers(find_api(SPECS, CUDA).package(version), version)
    except FetchError as error:
        missing(f"the headers of CUDA {version} ({error})")
        raise


@pytest.fixture(scope="module")
def listed() -> Mapping[str, tuple[Api, Rules, BindingPlan]]:
    """The checked-in models, by API."""
    found = {}
    for name in (CUDA, HIP):
        api, known = store.load(SPECS / name / "api.json"), rules.load(name)
        found[name] = (api, known, plan(api, known, manifest.load(name, SPECS)))
    return found


def with_release(api: Api, version: str) -> Api:
    """The model with one more release."""
    release = parse_headers(SPECS, find_api(SPECS, CUDA), version, include_of(version))
    return merge(api, release)


@pytest.mark.parametrize("version", UNLISTED)
def test_listed_releases_stay_as_they_are(
    listed: Mapping[str, tuple[Api, Rules, BindingPlan]], version: str
) -> None:
    """Signatures, symbols, values, layouts and portable names stay, in each listed release."""
    api, known, before = listed[CUDA]
    after = plan(with_release(api, version), known, manifest.load(CUDA, SPECS))
    for release in api.releases:
        assert differences(seen(before, release), seen(after, release)) == {}, release
    hip, exceptions = listed[HIP][2], portable.load(SPECS, HIP, CUDA)
    was, now = (portable.names(one, hip, exceptions) for one in (before, after))
    for at in hip.releases:
        old, new = (
            seen_by_portable(names, one, hip, at) for names, one in ((was, before), (now, after))
        )
        assert differences(old, new) == {}, at


# ---- an invented header ----

DOCUMENT: dict[str, object] = {
    "reviewed": ["1.0"],
    "type": {"cudaPlace *": {"kind": "struct"}, "cudaNewUnion *": {"kind": "struct"}},
    "parameter": {"func": {"type": "const void *", "kind": "function"}},
    "function": {
        "cudaCall": {
            "parameter": {"call": {"kind": "callback", "user_data": "data", "lives": "once"}}
        },
        "cudaGetPlace": {"parameter": {"place": {"kind": "out"}}},
        "cudaGetValue": {
            "parameter": {"value": {"kind": "typed_by", "by": "kind", "direction": "out"}}
        },
    },
    "typed": {"cudaKind": {"value": {"cudaKindInt": "int", "cudaKindLong": "long"}}},
    "struct": {
        "cudaHolder": {"field": {"values": {"kind": "array", "count": "count"}}},
        "cudaCopy": {"length": {"start": {"bytes": "n", "when": "kind == cudaKindLong"}}},
    },
}


@pytest.fixture(scope="module")
def invented() -> tuple[Api, Api]:
    """The invented runtime before and after an unreviewed release."""

    def parsed(version: str, header: str) -> Iterator[Api]:
        headers = HeaderSet(SHAPES, header)
        yield parse_release(
            ParseRequest(CUDA, version, headers, Conventions("cuda", "CUDA_"), "CUDA_PER_THREAD")
        )

    (first,), (second,) = parsed("1.0", "before.h"), parsed("2.0", "after.h")
    before = merge(None, first)
    return before, merge(before, second)


def wrappers(made: BindingPlan) -> dict[str, Wrapper]:
    return {one.name: one for group in made.groups.values() for one in group}


def test_nothing_of_a_read_release_takes_a_later_meaning(invented: tuple[Api, Api]) -> None:
    known = rules.parse(CUDA, DOCUMENT)
    before, after = (plan(one, known, INVENTED) for one in invented)
    assert differences(seen(before, "1.0"), seen(after, "1.0")) == {}


def test_what_has_another_form_is_not_served_in_the_later_release(
    invented: tuple[Api, Api],
) -> None:
    """C would read registers that nobody filled, or write more than the memory has room for."""
    made = plan(invented[1], rules.parse(CUDA, DOCUMENT), INVENTED)
    refused = {
        entry.name
        for entry in made.entries
        for one in entry.others
        if one.since <= number("2.0") <= one.until and one.serves() == (None, None, None)
    }
    assert refused == {
        *("cudaGetId", "cudaTakeId", "cudaTakePlace", "cudaGetPlace", "cudaCall"),
        *("cudaSwapped", "cudaOtherPlace"),
    }


def test_new_functions_are_bound_raw(invented: tuple[Api, Api]) -> None:
    """Only the status is returned. Every pointer that C may write through is a raw address."""
    before, after = invented
    model, known = after, rules.parse(CUDA, DOCUMENT)
    made = wrappers(plan(model, known, INVENTED))
    new = model.functions.keys() - before.functions.keys()
    assert len(new) > 20
    for name in new:
        assert (made[name].results, str(made[name].result)) == ((), "cudaError_t"), name
        inputs = {one.name: one.shape.kind for one in made[name].inputs}
        for one in model.functions[name][-1].node.parameters:
            if one.type.is_pointer and not one.type.points_to_const:
                assert inputs[one.name] == "address", (name, one.name)
    unread = {
        f"{name}.{parameter.name}"
        for (name, index), decided in decide(model, known).items()
        for parameter, one in zip(
            model.functions[name][index].node.parameters, decided, strict=True
        )
        if one.by == "unreviewed"
    }
    assert {"cudaGetLocation.location_out", "cudaNewMalloc.devPtr", "cudaNewArgs.func"} <= unread


def test_a_rule_that_names_the_function_is_a_review(invented: tuple[Api, Api]) -> None:
    named = {"cudaGetNumArchs": {"parameter": {"numArchs": {"kind": "out"}}}}
    document = DOCUMENT | {"function": {**DOCUMENT["function"], **named}}  # type: ignore[dict-item]
    made = wrappers(plan(invented[1], rules.parse(CUDA, document), INVENTED))
    assert given(made["cudaGetNumArchs"]) == ["int"]
    assert given(made["cudaGetArchs"]) == []


def given(wrapper: Wrapper) -> list[str]:
    return [str(one.shape.value) for one in wrapper.results]


# ---- what `update` says ----


def paste(api: Api, known: Rules, release: str) -> dict[str, object]:
    """The advice for a release, read as TOML."""
    texts = [*advice.tables(advice.advise(api, known, release))]
    texts += declared.tables(api, known, release)
    return tomllib.loads("\n".join(texts))


def merged(document: Mapping[str, object], more: Mapping[str, object]) -> dict[str, object]:
    """Two rule documents whose tables have different names."""
    found = dict(document)
    for sort, tables in more.items():
        held = found.get(sort, {})
        assert isinstance(held, dict)
        assert isinstance(tables, dict)
        assert not held.keys() & tables.keys()
        found[sort] = held | tables
    return found


def test_advice_can_be_pasted_and_is_said_once(invented: tuple[Api, Api]) -> None:
    _, api = invented
    pasted = paste(api, rules.parse(CUDA, DOCUMENT), "2.0")
    known = rules.parse(CUDA, merged(DOCUMENT, pasted))
    made = plan(api, known, INVENTED)
    (thing,) = (one for one in made.handles if one.name == "cudaNewThing_t")
    assert thing.owned
    assert thing.owned.create == "cudaNewThingCreate"
    assert list(advice.advise(api, known, "2.0")) == []
    assert given(wrappers(made)["cudaGetLocation"]) == []  # nothing tells the number of elements
    assert given(wrappers(made)["cudaGetNumArchs"]) == ["int"]
    # A later release of the same header adds nothing.
    later = merge(api, replace(release_of(api, "2.0"), version="3.0"))
    assert paste(later, rules.parse(CUDA, DOCUMENT), "3.0") == {}


@pytest.mark.parametrize("version", UNLISTED)
def test_advice_on_real_releases_can_be_pasted(
    listed: Mapping[str, tuple[Api, Rules, BindingPlan]], version: str
) -> None:
    api, known, _ = listed[CUDA]
    later, release = with_release(api, version), release_name(version)
    document = tomllib.loads((SPECS / CUDA / "rules.toml").read_text())
    read = rules.parse(CUDA, merged(document, paste(later, known, release)))
    plan(later, read, manifest.load(CUDA, SPECS))
    assert list(advice.advise(later, read, release)) == []


def test_update_tells_of_new_functions_changed_forms_and_defaults(
    invented: tuple[Api, Api],
) -> None:
    _, api = invented
    known = rules.parse(CUDA, DOCUMENT)
    told = {
        text.partition("(")[0].split()[-1]: text for text in report.functions(api, known, "2.0")
    }
    created = told["cudaNewThingCreate"].splitlines()
    assert created[0] == "cudaNewThingCreate(thing, stream, scale=2) -> cudaError_t"
    assert created[1].startswith("    cudaNewThing_t *thing: raw: nobody has read this release")
    assert created[2] == "    cudaStream_t stream: value, by its type"
    assert "Python keeps that of 1.0" in told["cudaGetPlace"]
    assert list(report.defaults(api, "2.0")) == [
        "cudaWait.stream: the default is 2 here; Python keeps 0",
        "cudaWait.flags: the default is 50 here; Python keeps 5",
    ]


def test_update_tells_of_new_types(invented: tuple[Api, Api]) -> None:
    told = "\n".join(declared.tables(invented[1], rules.parse(CUDA, DOCUMENT), "2.0"))
    for line in (
        '[handle.cudaNewThing_t]\ncreate = "cudaNewThingCreate"\ndestroy = "cudaNewThingDestroy"',
        '[type."cudaNewAddress_t"]\nkind = "value"',
        "# cudaNewId: unsigned int, as which it is bound",
        "# cudaNewCall_t: a callback, void (*)(int, void *): a Python callable can stand in",
        'field.items = { kind = "array", count = "numItems" }',
    ):
        assert line in told

"""Merging releases: ranges, forms, and that the order of merging doesn't matter."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from generator.merge import covers, merge, merge_all, release_of
from generator.model import Enum, Enumerator, Release, Source
from tests.generator.models import RELEASES, VERSIONS, empty, function


@given(RELEASES, st.permutations(range(len(VERSIONS))))
def test_the_order_of_merging_does_not_matter(
    releases: tuple[Release, ...], order: list[int]
) -> None:
    # repr, since comparisons of nodes ignore sources and votes.
    assert repr(merge_all(releases[i] for i in order)) == repr(merge_all(releases))


@given(RELEASES)
def test_merging_a_release_again_changes_nothing(releases: tuple[Release, ...]) -> None:
    api = merge_all(releases)
    for release in releases:
        assert merge(api, release) == api
        assert repr(merge(api, release_of(api, release.version))) == repr(api)


@given(RELEASES)
def test_a_release_is_found_again(releases: tuple[Release, ...]) -> None:
    api = merge_all(releases)
    assert api.releases == VERSIONS  # 1.10 comes after 1.2
    for release in releases:
        found = release_of(api, release.version)
        assert (found.structs, found.enums, found.macros) == (
            release.structs,
            release.enums,
            release.macros,
        )
        for name, variants in api.functions.items():
            number = sum(covers(variant, release.version) for variant in variants)
            assert number == (name in release.functions)


def ranges(*releases: Release) -> list[tuple[str, str]]:
    return [(v.since, v.until) for v in merge_all(releases).functions["gpuRun"]]


def test_equal_forms_are_stored_once() -> None:
    releases = [empty(v, functions={"gpuRun": function()}) for v in VERSIONS]
    assert ranges(*releases) == [("1.0", "2.0")]


def test_a_release_in_the_middle_splits_a_range() -> None:
    old, new = (empty(v, functions={"gpuRun": function()}) for v in ("1.0", "2.0"))
    assert ranges(old, new) == [("1.0", "2.0")]
    assert ranges(old, new, empty("1.2")) == [("1.0", "1.0"), ("2.0", "2.0")]
    renamed = empty("1.2", functions={"gpuRun": function(name="count")})
    assert ranges(old, new, renamed) == [("1.0", "1.0"), ("1.2", "1.2"), ("2.0", "2.0")]


def test_the_symbols_count_as_a_form_and_the_votes_do_not() -> None:
    old = empty("1.0", functions={"gpuRun": function(line=5, tag="in")})
    same = function(line=7, tag="out", errors=("gpuSuccess",), deprecated=True)
    (variant,) = merge_all([old, empty("2.0", functions={"gpuRun": same})]).functions["gpuRun"]
    assert variant.node.parameters[0].tag == "in"  # this decided before 2.0 was added
    assert variant.node.errors == ("gpuSuccess",)
    assert variant.node.deprecated
    assert variant.node.source == Source("gpu.h", 5)
    other = empty("2.0", functions={"gpuRun": function(per_thread="gpuRun_ptsz")})
    assert len(ranges(old, other)) == 2


def test_the_newest_release_says_what_is_deprecated() -> None:
    def enum(*enumerators: Enumerator) -> dict[str, object]:
        return {"gpuE": Enum("gpuE", "int", enumerators, Source("gpu.h", 1))}

    old = empty("1.0", enums=enum(Enumerator("a", 1)))
    new = empty("2.0", enums=enum(Enumerator("a", 1, True), Enumerator("b", 2)))
    first, second = merge_all([new, old]).enums["gpuE"]
    assert first.node.enumerators[0].deprecated
    assert second.node.enumerators[0].deprecated

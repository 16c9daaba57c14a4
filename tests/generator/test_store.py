"""api.json: a round trip changes nothing, and adding a release changes little."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from generator.merge import merge_all
from generator.model import Enum, Enumerator, Release, Source
from generator.store import StoreError, dumps, load, loads
from tests.generator.headers import ROOT
from tests.generator.models import RELEASES, VERSIONS, empty, function


@given(RELEASES)
def test_a_round_trip_is_the_identity(releases: tuple[Release, ...]) -> None:
    api = merge_all(releases)
    text = dumps(api)
    assert repr(loads(text)) == repr(api)
    assert dumps(loads(text)) == text


@pytest.mark.parametrize("name", ["cuda_runtime", "hip_runtime"])
def test_the_checked_in_models_are_as_they_are_written(name: str) -> None:
    path = ROOT / "api_specs" / name / "api.json"
    assert dumps(load(path)) == path.read_text()


def test_a_release_that_adds_nothing_changes_only_the_list() -> None:
    releases = [empty(v, functions={"gpuRun": function(line=int(v[0]))}) for v in VERSIONS]
    before = dumps(merge_all(releases[:3])).splitlines()
    after = dumps(merge_all(releases)).splitlines()
    assert [line for line in after if line not in before] == ['    "1.0", "1.2", "1.10", "2.0"']


def test_enumerators_stand_once_with_their_ranges() -> None:
    def release(version: str, *names: str) -> Release:
        enumerators = tuple(Enumerator(name, value) for value, name in enumerate(names))
        return empty(version, enums={"gpuE": Enum("gpuE", "int", enumerators, Source("g.h", 1))})

    text = dumps(merge_all([release("1.0", "a"), release("1.2", "a", "b")]))
    assert json.loads(text)["enums"]["gpuE"]["enumerators"] == [
        {"name": "a", "value": 0},
        {"name": "b", "value": 1, "since": "1.2"},
    ]


@pytest.mark.parametrize("text", ["", "{}", '{"format": 99}', '{"format": 1, "releases": []}'])
def test_what_is_no_model_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "api.json").write_text(text)
    with pytest.raises(StoreError, match=r"api\.json: not a model"):
        load(tmp_path / "api.json")


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="No such file"):
        load(tmp_path / "api.json")

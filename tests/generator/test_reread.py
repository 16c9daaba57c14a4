"""`update` of a listed release changes nothing, and says whatever it changes.

Headers that lie on this machine are read in each run. `make reread` fetches those of all releases.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from generator import cli, manifest, store
from generator.headers.fetch import installed_headers
from generator.headers.find import find_headers, with_depends
from generator.merge import merge, release_of
from generator.model import Parameter, Source
from generator.plan import host
from generator.releases import ApiReleases, ReleasesError, find_api, read_releases
from generator.update import update
from tests.generator.headers import ROOT

SPECS = ROOT / "api_specs"
LISTED = [(one, at) for one in read_releases(SPECS).values() for at in one.releases]


def headers(settings: ApiReleases, version: str) -> Path:
    """The include folder of a release; skips if it would have to be fetched."""
    if os.environ.get("PYGPU_FETCH"):
        try:
            return find_headers(ROOT, settings, version)
        except ReleasesError as error:
            pytest.skip(str(error))
    folder = settings.folders.get(version)
    if folder and (ROOT / folder / settings.header).is_file():
        return ROOT / folder
    package = settings.find_package(version)
    # What an API depends on may be installed in the same folder, and would count as its own there.
    alone = not manifest.load(settings.name, SPECS).depends
    found = installed_headers(package, version) if package and alone else None
    if found is None or not (found / settings.header).is_file():
        pytest.skip(
            f"the headers of {settings.name} {version} aren't here; `make reread` gets them"
        )
    return found


@pytest.mark.parametrize(
    ("settings", "version"), [pytest.param(*one, id=f"{one[0].name}-{one[1]}") for one in LISTED]
)
def test_reading_a_listed_release_again_changes_nothing(
    settings: ApiReleases, version: str
) -> None:
    """A default, a group or a vote that the model gave to releases without it was lost then."""
    include = headers(settings, version)
    packaged = version not in settings.folders
    done = update(ROOT, with_depends(ROOT, settings), version, include, packaged=packaged)
    assert (done.base, done.changes, done.noted) == (done.release, [], ())
    for path, text in done.files.items():
        assert path.read_text(encoding="utf-8") == text, path


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    shutil.copytree(SPECS, tmp_path / "api_specs")
    return tmp_path


def test_what_reading_again_changes_is_told(
    specs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A default that the model has wrong, and the place of a function."""
    settings = find_api(SPECS, "cuda_runtime")
    include = headers(settings, "13.0.96")
    path = specs / "api_specs" / "cuda_runtime" / "api.json"
    api = store.load(path)
    right = release_of(api, "13.0")
    functions = dict(right.functions)
    new = next(name for name, forms in api.functions.items() if forms[0].since == "13.0")
    functions[new] = replace(functions[new], source=Source("elsewhere.h", 1))
    create = functions["cudaGraphCreate"]
    wrong: Parameter = replace(create.parameters[1], default="0")
    functions["cudaGraphCreate"] = replace(create, parameters=(create.parameters[0], wrong))
    path.write_text(store.dumps(merge(api, replace(right, functions=functions))))
    command = ["update", "cuda_runtime", "--release", "13.0.96", "--headers", str(include)]
    assert cli.main(["--root", str(specs), *command, "--no-regenerate"]) == 0
    told = capsys.readouterr().out
    assert "cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags = 0)" in told
    assert "cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags)" in told
    assert f"(sources, documentation, releases):\n{new}\n" in told
    assert store.load(path) == api


def test_defaults_and_names_of_parameters_make_no_function_newer() -> None:
    """The host runtime has a function from the first release on that could be called so.

    `cudaGraphCreate` got a default with 13.2, and is in every release.
    """
    implemented = host.Implemented.load(SPECS, ["cu", "cuda", "hip"])
    for name, function in (
        ("cuda_runtime", "cudaGraphCreate"),
        ("hip_runtime", "hipLaunchHostFunc"),
    ):
        api = store.load(SPECS / name / "api.json")
        assert len(api.functions[function]) > 1
        known = manifest.load(name, SPECS)
        made = host.plan(api, known, find_api(SPECS, name).version, implemented)
        assert {one.since for one in made.exports if one.name == function} == {0}

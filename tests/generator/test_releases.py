"""Each API's releases.toml: it is read, and a release is added without changing other lines."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from generator.model import Macro, Source
from generator.releases import (
    Package,
    ReleasesError,
    find_api,
    read_releases,
    release_added,
    release_name,
)
from tests.generator.headers import ROOT


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    for name in ("cuda_runtime", "hip_runtime"):
        (tmp_path / name).mkdir()
        shutil.copy(ROOT / "api_specs" / name / "releases.toml", tmp_path / name)
    return tmp_path


def test_packages_are_named_by_major(specs: Path) -> None:
    cuda = find_api(specs, "cuda_runtime")
    assert cuda.package("12.9.79").name == "nvidia-cuda-runtime-cu12"
    assert cuda.package("13.0.96") == Package("nvidia-cuda-runtime", "nvidia/cu13/include")
    with pytest.raises(ReleasesError, match="--headers"):
        cuda.package("99.0.1")
    with pytest.raises(ReleasesError, match="no API 'driver'"):
        find_api(specs, "driver")


def test_a_package_may_be_that_of_some_releases_of_a_major(specs: Path) -> None:
    """As cuRAND's: 10.3 and 10.4 come in packages with different names."""
    (specs / "gpu").mkdir()
    (specs / "gpu" / "releases.toml").write_text(
        'header = "gpu.h"\nprefix = "gpu"\nreleases = []\n[packages]\n'
        '10 = { name = "old", include = "a" }\n"10.4" = { name = "new", include = "b" }\n'
    )
    gpu = find_api(specs, "gpu")
    assert [gpu.package(one).name for one in ("10.3.9", "10.4", "10.4.5.25", "10.40")] == [
        *("old", "new", "new", "old"),
    ]


def macro(value: int) -> Macro:
    return Macro("", value, Source("gpu.h", 1))


def test_the_headers_must_be_of_the_release(specs: Path) -> None:
    cuda, hip = find_api(specs, "cuda_runtime"), find_api(specs, "hip_runtime")
    cuda.check_version("12.9.79", {"CUDART_VERSION": macro(12090)})
    hip.check_version("6.2.41134", {"HIP_VERSION": macro(60241134)})
    for macros in ({"CUDART_VERSION": macro(12080)}, {}):
        with pytest.raises(ReleasesError, match=r"aren't of release 12\.9\.79"):
            cuda.check_version("12.9.79", macros)


def test_headers_need_not_tell_their_release(specs: Path) -> None:
    (specs / "gpu").mkdir()
    (specs / "gpu" / "releases.toml").write_text(
        'header = "gpu.h"\nprefix = "gpu"\nreleases = [\n]\n'
    )
    find_api(specs, "gpu").check_version("1.0.0", {})


def test_a_release_is_added_in_its_place(specs: Path) -> None:
    path = specs / "cuda_runtime" / "releases.toml"
    before = path.read_text().splitlines()
    path.write_text(release_added(path, "11.4.1"))
    path.write_text(release_added(path, "99.0.1"))
    assert release_added(path, "99.0.1") == path.read_text()
    after = path.read_text().splitlines()
    assert [line for line in after if line not in before] == ['    "11.4.1",', '    "99.0.1",']
    assert len(after) == len(before) + 2
    releases = find_api(specs, "cuda_runtime").releases
    assert (releases[0], releases[-1]) == ("11.4.1", "99.0.1")
    assert find_api(specs, "hip_runtime").releases[-1] != "99.0.1"


def test_a_list_on_one_line_takes_the_first_release(tmp_path: Path) -> None:
    path = tmp_path / "releases.toml"
    path.write_text('header = "gpu.h"\nreleases = []\n')
    assert release_added(path, "1.0.0") == 'header = "gpu.h"\nreleases = [\n    "1.0.0",\n]\n'
    path.write_text('header = "gpu.h"\nreleases = ["1.0.0"]\n')
    with pytest.raises(ReleasesError, match=r"between a line `releases = \[` and a line `\]`"):
        release_added(path, "1.1.0")


def test_a_patch_takes_the_place_of_its_release(specs: Path) -> None:
    path = specs / "hip_runtime" / "releases.toml"
    path.write_text(release_added(path, "99.1.5", "there"))
    path.write_text(release_added(path, "99.1.7"))
    assert "99.1.5" not in path.read_text()
    assert [v for v in find_api(specs, "hip_runtime").releases if v[:2] == "99"] == ["99.1.7"]


def test_where_the_headers_came_from_is_recorded(specs: Path) -> None:
    before = find_api(specs, "hip_runtime").folders
    for api, folder in (("hip_runtime", 'inc"lude'), ("cuda_runtime", "/opt/größer")):
        path = specs / api / "releases.toml"
        path.write_text(release_added(path, "99.1.5", folder))
        assert find_api(specs, api).folders["99.1.5"] == folder
        assert release_added(path, "99.1.5", folder) == path.read_text()
        path.write_text(release_added(path, "99.1.5", "other"))
        path.write_text(release_added(path, "99.1.5"))
    assert find_api(specs, "hip_runtime").folders == before
    assert not find_api(specs, "cuda_runtime").folders


@pytest.mark.parametrize("version", ["13", "13.x", "v13.0", ""])
def test_a_wrong_release_is_said(version: str) -> None:
    with pytest.raises(ReleasesError, match="isn't a release"):
        release_name(version)


@pytest.mark.parametrize("text", ["[gpu", "[gpu]", "gpu = 1"])
def test_a_wrong_file_is_said(text: str, tmp_path: Path) -> None:
    (tmp_path / "gpu").mkdir()
    (tmp_path / "gpu" / "releases.toml").write_text(text)
    with pytest.raises(ReleasesError, match=r"/gpu/releases\.toml: "):
        read_releases(tmp_path)

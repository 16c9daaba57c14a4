"""The source distribution holds every file of the repository, and nothing else."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tarfile

import pytest

from tests.conftest import ROOT, required, unavailable

# Added by the build backend.
ADDED = {"PKG-INFO"}


def build_sdist(folder: pathlib.Path) -> None:
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(folder)]
    subprocess.run([*command, str(ROOT)], check=True, timeout=100, capture_output=True)


@pytest.fixture(scope="module")
def names(once):
    for module in ("build", "scikit_build_core", "pybind11", "hatch_fancy_pypi_readme"):
        required(module)
    (path,) = once("sdist", build_sdist).glob("*.tar.gz")
    with tarfile.open(path) as archive:
        files = [member.name for member in archive if not member.isdir()]
    return {name.split("/", 1)[1] for name in files}


def test_the_sdist_holds_the_repository(names):
    """Objects of earlier builds in the tree stay out of it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=False, capture_output=True, text=True
    )
    if listed.returncode != 0:
        unavailable("this is no clone of the repository")
    tracked = {name for name in listed.stdout.split("\0") if (ROOT / name).is_file()}
    assert names - tracked == ADDED
    assert tracked <= names


def test_the_sdist_holds_no_file_of_a_vendor(names):
    """Vendors own their headers. Only our own data, read from the headers, is included."""
    assert not [name for name in names if name.endswith((".o", ".so", ".a", ".whl", ".cubin"))]
    vendors = {"cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "driver_types.h", "nvrtc.h"}
    vendors |= {"hip_runtime_api.h", "hiprtc.h"}
    assert not {name.split("/")[-1] for name in names} & vendors

"""Where libraries are looked for: every place gives its candidates, each file once."""

from __future__ import annotations

import os
import pathlib
import struct
import sys

import pytest

from PyGPU._search import Surroundings, ldcache
from PyGPU._search.candidates import FAMILIES, major_of
from PyGPU._search.places import gather


def machine(tmp_path: pathlib.Path, **more: object) -> Surroundings:
    facts = {"environ": {}, "sys_path": [str(tmp_path / "site")], "loaded": [], **more}
    return Surroundings(root=str(tmp_path / "root"), **facts)


def origins(api: str, around: Surroundings) -> dict[str, str]:
    return {os.path.basename(c.path): c.origin for c in gather(api, around)}


def test_nothing_anywhere(tmp_path):
    assert gather("cuda", machine(tmp_path)) == []
    assert gather("hip", machine(tmp_path)) == []


@pytest.mark.parametrize(
    ("folder", "name", "origin"),
    [
        ("cu13", "libcudart.so.13", "pip package nvidia-cuda-runtime"),
        ("cuda_runtime", "libcudart.so.12", "pip package nvidia-cuda-runtime-cu12"),
        ("cuda_runtime", "libcudart.so.11.0", "pip package nvidia-cuda-runtime-cu11"),
    ],
)
def test_wheels_of_nvidia(tmp_path, make_library, folder, name, origin):
    make_library(f"site/nvidia/{folder}/lib/{name}")
    assert origins("cuda", machine(tmp_path)) == {name: origin}


def test_nvidia_spread_over_two_folders(tmp_path, make_library):
    """`nvidia` is a namespace package: a user's folder and the environment's may have parts."""
    make_library("site/nvidia/cu13/lib/libcudart.so.13")
    make_library("user/nvidia/cuda_runtime/lib/libcudart.so.12")
    around = machine(tmp_path, sys_path=[str(tmp_path / "site"), str(tmp_path / "user")])
    assert [c.major for c in gather("cuda", around)] == [13, 12]


def test_wheels_of_amd(tmp_path, make_library):
    make_library("site/torch/lib/libamdhip64.so", "libamdhip64.so.6")
    make_library("site/_rocm_sdk_core/lib/libamdhip64.so.7")
    assert origins("hip", machine(tmp_path)) == {
        "libamdhip64.so": "pip package torch",
        "libamdhip64.so.7": "pip package rocm-sdk-core",
    }
    assert {c.major for c in gather("hip", machine(tmp_path))} == {6, 7}


def test_already_loaded_with_a_hash_in_its_name(tmp_path, make_library):
    path = make_library("torch/libcudart-d0da41ae.so.11.0")
    other = make_library("x/libcudart_static_user.so")
    (found,) = gather("cuda", machine(tmp_path, loaded=["", other, path]))
    assert (found.path, found.origin, found.major) == (path, "already loaded", 11)


def test_already_loaded_and_deleted_since(tmp_path):
    (found,) = gather("cuda", machine(tmp_path, loaded=["/gone/libcudart.so.12"]))
    assert (found.major, found.problem) == (12, "")


@pytest.mark.parametrize(
    "path",
    [
        "usr/local/cuda-13.0/lib64/libcudart.so.13",
        "usr/local/cuda/targets/sbsa-linux/lib/libcudart.so.13",
        "opt/cuda/lib64/libcudart.so.13",
    ],
)
def test_usual_folders_of_cuda(tmp_path, make_library, path):
    made = make_library(f"root/{path}")
    (found,) = gather("cuda", machine(tmp_path))
    assert (found.path, found.origin) == (made, "usual folder")


@pytest.mark.parametrize("path", ["opt/rocm/lib", "opt/rocm-6.2.0/lib", "opt/rocm/core-10.0/lib"])
def test_usual_folders_of_rocm(tmp_path, make_library, path):
    made = make_library(f"root/{path}/libamdhip64.so.6")
    (found,) = gather("hip", machine(tmp_path))
    assert (found.path, found.origin) == (made, "usual folder")


@pytest.mark.parametrize(
    ("api", "variable", "path"),
    [
        ("cuda", "CUDA_HOME", "lib64/libcudart.so.13"),
        ("cuda", "CUDA_PATH", "targets/x86_64-linux/lib/libcudart.so.13"),
        ("hip", "ROCM_PATH", "lib/libamdhip64.so.6"),
        ("hip", "ROCM_HOME", "lib/libamdhip64.so.6"),
        ("cuda", "LD_LIBRARY_PATH", "libcudart.so.13"),
    ],
)
def test_variables_with_folders(tmp_path, make_library, api, variable, path):
    made = make_library(f"home/{path}")
    (found,) = gather(api, machine(tmp_path, environ={variable: str(tmp_path / "home")}))
    assert (found.path, found.origin) == (made, variable)


def test_a_conda_environment(tmp_path, make_library):
    make_library("conda/lib/libcudart.so.12")
    prefix = str(tmp_path / "conda")
    assert gather("cuda", machine(tmp_path, prefix=prefix)) == []
    (tmp_path / "conda" / "conda-meta").mkdir()
    assert origins("cuda", machine(tmp_path, prefix=prefix)) == {
        "libcudart.so.12": "conda environment"
    }


def test_one_file_with_three_names_is_one_candidate(tmp_path, make_library):
    real = make_library("root/usr/lib64/libcudart.so.13.0.96", "libcudart.so.13")
    folder = pathlib.Path(real).parent
    (folder / "libcudart.so.13").symlink_to("libcudart.so.13.0.96")
    (folder / "libcudart.so").symlink_to("libcudart.so.13")
    cuda = tmp_path / "root/usr/local/cuda/lib64"
    cuda.mkdir(parents=True)
    (cuda / "libcudart.so.13").symlink_to(real)
    (found,) = gather("cuda", machine(tmp_path))
    assert found.path == str(folder / "libcudart.so.13")
    assert found.origin == "system loader"


def test_what_is_not_the_runtime(tmp_path, make_library):
    for name in ("libcudart_static.a", "libcudartfoo.so", "libcudadevrt.a", "libcuda.so.1"):
        make_library(f"root/usr/lib64/{name}")
    assert gather("cuda", machine(tmp_path)) == []


def test_the_order_of_places(tmp_path, make_library):
    loaded = make_library("torch/libcudart.so.13")
    make_library("site/nvidia/cu13/lib/libcudart.so.13")
    make_library("root/usr/lib64/libcudart.so.13")
    make_library("home/lib64/libcudart.so.13")
    make_library("root/usr/local/cuda/lib64/libcudart.so.13")
    named = make_library("named/libcudart.so.13")
    environ = {"CUDA_HOME": str(tmp_path / "home"), "PYGPU_CUDA_LIBRARY": named}
    found = gather("cuda", machine(tmp_path, environ=environ, loaded=[loaded]))
    assert [c.origin for c in found] == [
        "PYGPU_CUDA_LIBRARY",
        "already loaded",
        "pip package nvidia-cuda-runtime",
        "system loader",
        "CUDA_HOME",
        "usual folder",
    ]


@pytest.mark.parametrize("old_table", [b"", b"ld.so-1.7.0\0" + bytes(20)])
def test_the_loaders_cache(tmp_path, make_library, old_table):
    """The cache file is read as glibc writes it; offsets count from its own header."""
    made = make_library("root/strange/place/libcudart.so.12")
    names = [(b"libcudart.so.12", b"/strange/place/libcudart.so.12"), (b"libz.so.1", b"/lib/z")]
    start = 48 + 24 * len(names)
    entries, strings = b"", b""
    for key, value in names:
        at = start + len(strings)
        entries += struct.pack("=iIIIQ", 0x303, at, at + len(key) + 1, 0, 0)
        strings += key + b"\0" + value + b"\0"
    head = b"glibc-ld.so.cache1.1" + struct.pack("=II20x", len(names), len(strings))
    cache = tmp_path / "root/etc/ld.so.cache"
    cache.parent.mkdir()
    cache.write_bytes(old_table + head + entries + strings)
    (found,) = gather("cuda", machine(tmp_path))
    assert (found.path, found.origin) == (made, "system loader")
    cache.write_bytes((old_table + head + entries + strings)[:60])
    assert gather("cuda", machine(tmp_path)) == []


def test_the_real_cache_is_understood():
    if not os.path.exists("/etc/ld.so.cache"):
        pytest.skip("no /etc/ld.so.cache here")
    assert any(os.path.basename(path) == "libc.so.6" for path in ldcache.cached("libc.so"))


@pytest.mark.parametrize(
    ("name", "major"),
    [
        ("libcudart.so.13", 13),
        ("libcudart.so.11.0", 11),
        ("libcudart-d0da41ae.so.11.0", 11),
        ("libamdhip64.so.5.2.21153", 5),
        ("libcudart.so", None),
        ("", None),
    ],
)
def test_majors(name, major):
    assert major_of(name) == major


def test_the_known_majors_are_those_of_the_listed_releases():
    toml = pytest.importorskip("tomllib" if sys.version_info >= (3, 11) else "tomli")
    listing = pathlib.Path(__file__).parents[2] / "api_specs" / "releases.toml"
    apis = toml.loads(listing.read_text(encoding="utf-8"))
    for api, family in FAMILIES.items():
        listed = {int(release.split(".")[0]) for release in apis[f"{api}_runtime"]["releases"]}
        assert family.majors == tuple(sorted(listed))

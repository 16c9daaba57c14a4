"""Where libraries are looked for: every place gives its candidates, and each file counts once."""

from __future__ import annotations

import os
import pathlib
import struct
import sys

import pytest

from PyGPU import _core
from PyGPU._apis import APIS
from PyGPU._libraries import Surroundings, ldcache, surroundings
from PyGPU._libraries.candidates import major_of
from PyGPU._libraries.places import gather
from tests.conftest import required
from tests.own_interpreter import own_interpreter


def machine(tmp_path: pathlib.Path, **more: object) -> Surroundings:
    facts = {"environ": {}, "sys_path": [str(tmp_path / "site")], "loaded": [], **more}
    facts.setdefault("folders", [str(tmp_path / "root/usr/lib64")])
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
    """`nvidia` is a namespace package: the user's folder and the environment's may have parts."""
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


@pytest.mark.parametrize(
    ("mark", "origin"),
    [("conda-meta", "conda environment"), ("pyvenv.cfg", "virtual environment")],
)
def test_the_environment_of_this_python(tmp_path, make_library, mark, origin):
    make_library("environment/lib/libcudart.so.12")
    prefix = str(tmp_path / "environment")
    assert gather("cuda", machine(tmp_path, prefix=prefix)) == []
    (tmp_path / "environment" / mark).mkdir()
    assert origins("cuda", machine(tmp_path, prefix=prefix)) == {"libcudart.so.12": origin}


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
    """The cache file is in glibc's format, in which offsets count from the cache's own header."""
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


UNTRUSTED = "is not trusted, since it is found through the current directory"


@pytest.mark.parametrize("path", ["nvidia/cu13/lib", "torch/lib", "sub/nvidia/cu13/lib", "lib"])
@pytest.mark.parametrize(
    "facts",
    [
        {"sys_path": [""]},
        {"sys_path": ["."]},
        {"sys_path": ["sub"]},
        {"sys_path": ["HERE"]},  # of `python -m`, or of a notebook
        {"sys_path": ["HERE/sub"], "environ": {"PYTHONPATH": "/elsewhere:sub"}},
        {"sys_path": ["/proc/self/cwd"]},
        {"environ": {"LD_LIBRARY_PATH": "/elsewhere:"}},  # the last entry is empty
        {"environ": {"LD_LIBRARY_PATH": "/elsewhere;lib"}},
        {"environ": {"CUDA_HOME": "."}},
        {"folders": [".", "lib"]},
    ],
)
def test_the_current_directory_gives_nothing(tmp_path, make_library, monkeypatch, facts, path):
    """Whoever may write there could run code in every process that starts there."""
    make_library(f"here/{path}/libcudart.so.13")
    make_library("here/libcudart.so.12")
    good = make_library("site/nvidia/cuda_runtime/lib/libcudart.so.12")
    monkeypatch.chdir(tmp_path / "here")
    paths = [one.replace("HERE", str(tmp_path / "here")) for one in facts.get("sys_path", [])]
    facts = facts | {"sys_path": [*paths, str(tmp_path / "site")]}
    found = gather("cuda", machine(tmp_path, **facts))
    assert [c.path for c in found if not c.problem] == [good]
    for candidate in found:
        said = f"{UNTRUSTED}; PYGPU_CUDA_LIBRARY can name it"
        assert candidate.problem == ("" if candidate.path == good else said)


def test_what_the_current_directory_would_give_is_listed(tmp_path, make_library, monkeypatch):
    make_library("here/nvidia/cu13/lib/libcudart.so.13")
    monkeypatch.chdir(tmp_path / "here")
    (found,) = gather("cuda", machine(tmp_path, sys_path=[""]))
    assert (found.path, found.origin) == (
        "nvidia/cu13/lib/libcudart.so.13",
        "pip package nvidia-cuda-runtime",
    )


def test_a_trusted_folder_stays_so_in_the_current_directory(tmp_path, make_library, monkeypatch):
    """A file that is found in two ways, and the folder from which PyGPU itself was imported."""
    made = make_library("site/nvidia/cu13/lib/libcudart.so.13")
    monkeypatch.chdir(tmp_path / "site")
    site = str(tmp_path / "site")
    (found,) = gather("cuda", machine(tmp_path, sys_path=["", site], package=site))
    assert (found.path, found.problem) == (made, "")
    monkeypatch.chdir(tmp_path / "site" / "nvidia")
    environ = {"LD_LIBRARY_PATH": "cu13/lib"}
    (found,) = gather("cuda", machine(tmp_path, sys_path=[site], environ=environ))
    assert (found.path, found.problem) == (made, "")


def test_the_users_own_path_may_be_relative(tmp_path, make_library, monkeypatch):
    make_library("here/own.so", "libcudart.so.13")
    monkeypatch.chdir(tmp_path / "here")
    (found,) = gather("cuda", machine(tmp_path, environ={"PYGPU_CUDA_LIBRARY": "./own.so"}))
    assert (found.path, found.problem, found.major) == ("./own.so", "", 13)


def test_a_current_directory_that_is_gone(tmp_path, make_library, monkeypatch):
    made = make_library("site/nvidia/cu13/lib/libcudart.so.13")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    around = machine(
        tmp_path,
        sys_path=["", ".", "lib", str(tmp_path / "site")],
        environ={"PYGPU_CUDA_LIBRARY": "./own.so", "LD_LIBRARY_PATH": ":", "CUDA_HOME": "~nobody"},
    )
    assert [c.path for c in gather("cuda", around)] == ["./own.so", made]


def test_entries_that_are_no_folders(tmp_path, make_library):
    """Entries of sys.path and the variables that are files, archives, or impossible names."""
    made = make_library("site/nvidia/cu13/lib/libcudart.so.13")
    (tmp_path / "lib.zip").write_bytes(b"PK")
    odd = ["/nowhere", str(tmp_path / "lib.zip"), made, "/tmp/a\0b", "/tmp/\ud800", "/dev/null"]
    environ = {"LD_LIBRARY_PATH": ":".join(odd), "CUDA_HOME": "/tmp/a\0b", "CUDA_PATH": made}
    around = machine(tmp_path, sys_path=[*odd, str(tmp_path / "site")], environ=environ)
    assert [c.path for c in gather("cuda", around)] == [made]


def test_odd_files_in_a_folder_of_libraries(tmp_path, make_library):
    """Each is listed with its fault, and none hides the next file."""
    good = make_library("site/nvidia/cu13/lib/libcudart.so.13")
    folder = pathlib.Path(good).parent
    os.mkfifo(folder / "libcudart.so.11.0")
    (folder / "libcudart.so.12").mkdir()
    (folder / "libcudart.so").symlink_to("libcudart.so")
    (folder / "libcudart.so.14").symlink_to("/dev/zero")
    found = {os.path.basename(c.path): c.problem for c in gather("cuda", machine(tmp_path))}
    assert found == {
        "libcudart.so.13": "",
        "libcudart.so.11.0": "is a named pipe, not a shared object",
        "libcudart.so.12": "is a folder, not a shared object",
        "libcudart.so": "cannot be read: Too many levels of symbolic links",
        "libcudart.so.14": "is a device, not a shared object",
    }


def test_what_python_knows_of_this_process(tmp_path, monkeypatch):
    """Entries of sys.path that aren't text are skipped, as imports skip them."""
    monkeypatch.setattr(sys, "path", [*sys.path, tmp_path, None, b"/tmp", str(tmp_path)])
    around = surroundings()
    assert all(isinstance(entry, str) for entry in around.sys_path)
    assert str(tmp_path) in around.sys_path
    assert os.path.isdir(os.path.join(around.package, "PyGPU"))
    assert any(os.path.exists(os.path.join(folder, "libc.so.6")) for folder in around.folders)


@own_interpreter(LD_LIBRARY_PATH=":lib;/elsewhere")
def test_the_loaders_folders_are_those_of_the_process():
    """As when it started: with relative and empty entries, which mean the current directory."""
    os.environ["LD_LIBRARY_PATH"] = "/later"
    found = _core.search_folders()
    begin = found.index(".")  # the interpreter may put its own folders first
    assert found[begin : begin + 3] == [".", "lib", "/elsewhere"]
    assert "/later" not in _core.search_folders()


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
    toml = required("tomllib" if sys.version_info >= (3, 11) else "tomli")
    for folder in (pathlib.Path(__file__).parents[2] / "api_specs").glob("*/"):
        if not (folder / "api.toml").exists():
            continue
        api, listed = (
            toml.loads((folder / name).read_text(encoding="utf-8"))
            for name in ("api.toml", "releases.toml")
        )
        majors = {int(release.split(".")[0]) for release in listed["releases"]}
        assert APIS[api["namespace"]].majors == tuple(sorted(majors))

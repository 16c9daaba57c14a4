"""Headers: which ones are found, of which release, and that every changed header is noticed."""

from __future__ import annotations

import os
import pathlib
import re
import time

import pytest

from PyGPU import compiler
from PyGPU._kernels import headers, includes
from PyGPU.compiler import CompileError

USER = '#include "outer.h"\n__global__ void kernel(int *out) { *out = VALUE; }'


def write(path: pathlib.Path, text: str = "") -> pathlib.Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_headers_by_name(build):
    given = {"outer.h": b'#include "deep/inner.h"', "deep/inner.h": "#define VALUE 3"}
    made = build(USER, headers=given)
    assert not made.cached and build(USER, headers=given).cached
    assert not build(USER, headers=given | {"deep/inner.h": "#define VALUE 4"}).cached


@pytest.mark.parametrize(
    "told",
    [
        lambda folder: {"include_dirs": [folder]},
        lambda folder: {"include_dirs": (str(folder),)},
        lambda folder: {"options": [f"-I{folder}"]},
        lambda folder: {"options": ["-I", str(folder)]},
        lambda folder: {"options": f"--include-path={folder}"},
        lambda folder: {"name": str(folder / "kernel.cu")},
    ],
)
def test_a_changed_file_is_compiled_anew(build, tmp_path, told):
    """This covers a file that another file includes, and a new file that is found first."""
    outer = write(tmp_path / "own" / "outer.h", '#include "sub/inner.h"\n')
    inner = write(tmp_path / "own" / "sub" / "inner.h", "#define VALUE 3\n")
    given = told(tmp_path / "own")
    first = build(USER, **given)
    assert build(USER, **given).cached
    inner.write_text("#define VALUE 4\n")
    second = build(USER, **given)
    assert not second.cached and second != first
    outer.write_text('#include "sub/inner.h"\n#undef VALUE\n#define VALUE 5\n')
    assert not build(USER, **given).cached
    outer.unlink()
    with pytest.raises(CompileError, match=r"outer\.h"):
        build(USER, **given)


def test_a_file_that_comes_to_lie_before(build, tmp_path):
    write(tmp_path / "second" / "outer.h", "#define VALUE 3\n")
    (tmp_path / "first").mkdir()
    given = {"include_dirs": [tmp_path / "first", tmp_path / "second"]}
    first = build(USER, **given)
    assert build(USER, **given).cached
    write(tmp_path / "first" / "outer.h", "#define VALUE 4\n")
    second = build(USER, **given)
    assert not second.cached and second != first


def test_a_file_that_an_option_includes(build, tmp_path):
    header = write(tmp_path / "value.h", "#define VALUE 3\n")
    source = "__global__ void kernel(int *out) { *out = VALUE; }"
    given = {"options": [f"--pre-include={header}"]}
    build(source, **given)
    assert build(source, **given).cached
    header.write_text("#define VALUE 4\n")
    assert not build(source, **given).cached


@pytest.mark.parametrize(
    "source",
    [
        '#define FILE "value.h"\n#include FILE\n__global__ void kernel() {}',
        '#include "clock.h"\n__global__ void kernel() {}',
        "__constant__ char text[] = __DATE__;",
    ],
)
def test_what_nobody_can_know_is_not_cached(build, cache, source):
    given = {"value.h": "", "clock.h": "#define NOW __TIME__"}
    for _ in range(2):
        assert not build(source, headers=given).cached
    assert not cache.exists()


FORMS = [
    b'#include "a.h"',
    b"  #  include <a.h>",
    b"#include/**/<a.h>",
    b"# /* x */ include /* y */ <a.h>",
    b"%:include <a.h>",
    b"#inc\\\nlude <a.h>",
    b"#inc\\ \r\nlude <a.h>",
    b"#include_next <a.h>",
    b"int x; /* */ #include <a.h>",
    b"#if __has_include(<a.h>)",
    b'#if defined(X) && __has_include ( "a.h" )',
]


@pytest.mark.parametrize("text", FORMS)
def test_forms_of_includes(text, tmp_path):
    write(tmp_path / "a.h")
    assert includes.has_any(text, {})
    found = includes.reached(text, "", {}, [str(tmp_path)])
    assert found.known and found.files == 1


def test_files_that_include_each_other(tmp_path):
    write(tmp_path / "a.h", '#include "b.h"\n#include "a.h"')
    write(tmp_path / "b.h", "#include <a.h>\n#include <nowhere.h>")
    found = includes.reached(b'#include "a.h"', str(tmp_path), {}, [str(tmp_path)])
    assert found.known and found.files == 2


@pytest.mark.parametrize(
    "text",
    [
        b"#" + b"/**/" * 5000 + b"x",
        b"#include" + b"/* */ " * 5000 + b"\n",
        b"#/*" + b"*" * 50000,
    ],
)
def test_comments_take_no_time(text):
    """A pattern that matches a row of comments in many ways would try all of them."""
    before = time.process_time()
    includes.has_any(text, {})
    assert time.process_time() - before < 2


def test_files_that_name_each_other_by_ever_longer_paths(tmp_path):
    """The number of such paths doubles with each step."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    write(tmp_path / "x.h", '#include "a/../x.h"\n#include "b/../x.h"\n')
    found = includes.reached(b'#include "x.h"', str(tmp_path), {}, [])
    assert found.known and found.files == 1


@pytest.fixture
def planted(tmp_path) -> dict[str, str]:
    """Headers that a compiler would read without an end."""
    os.mkfifo(tmp_path / "fifo.h")
    (tmp_path / "link.h").symlink_to("fifo.h")
    write(tmp_path / "outer.h", '#include "fifo.h"')
    with open(tmp_path / "huge.h", "wb") as file:
        os.truncate(file.fileno(), 1 << 42)
    return {name: str(tmp_path / f"{name}.h") for name in ("fifo", "link", "outer", "huge")} | {
        "device": "/dev/zero"
    }


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("name", ["fifo", "link", "outer", "huge", "device"])
def test_a_header_that_never_ends_is_refused(build, planted, name, cached):
    """A FIFO nobody writes to, a device: neither PyGPU nor the compiler may open it."""
    path = planted[name]
    kernel = "\n__global__ void kernel() {}"
    for source, options in (
        (f'#include "{path}"' + kernel, ""),
        (f"#include <{path}>" + kernel, ""),
        (f"#include <{os.path.basename(path)}>" + kernel, ["-I", os.path.dirname(path)]),
        (kernel, f"--pre-include={path}"),
    ):
        with pytest.raises(ValueError, match=r"compiler\.compile: .*as a header: it (is|has)"):
            build(source, options, cache=cached)


def test_a_folder_is_no_header(build, tmp_path):
    """The search goes on behind it, as the compiler's does."""
    (tmp_path / "first" / "outer.h").mkdir(parents=True)
    write(tmp_path / "second" / "outer.h", "#define VALUE 3\n")
    given = {"include_dirs": [tmp_path / "first", tmp_path / "second"]}
    assert build(USER, **given).kind == "cubin"
    with pytest.raises(CompileError, match=r"outer\.h"):
        build(USER, include_dirs=[tmp_path / "first"])


def test_a_release_of_the_vendors_headers_is_another_entry(tmp_path):
    version = write(tmp_path / "cuda_runtime_api.h", "#define CUDART_VERSION 13000\n")
    before = includes.reached(b"#include <x.h>", "", {}, [], [str(tmp_path)])
    os.utime(version, (1, 1))
    assert includes.reached(b"#include <x.h>", "", {}, [], [str(tmp_path)]) != before


def test_cudas_own_headers_are_found(build, cuda_headers):
    source = "#include <cuda_fp16.h>\n__global__ void kernel(__half *out) { *out = 2.0; }"
    assert build(source).names["kernel"] == "_Z6kernelP6__half"
    assert build(source).cached


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("#include <curand_missing.h>", "pip install nvidia-curand"),
        ("#include <cuda/nothing>", "pip install nvidia-cuda-cccl"),
        ("#include <crt/nothing.h>", r"pip install nvidia-cuda-(crt|nvcc-cu\d\d)"),
        ("#include <cuda_nothing.h>", "pip install nvidia-cuda-runtime"),
        ("#include <complex>", r"<cuda/std/complex> is in CCCL: pip install nvidia-cuda-c"),
        ("#include <vector>", "vector is for host code, and a kernel can't use it: remove"),
        ("#include <unistd.h>", r"unistd\.h is for host code"),
        (
            '#include "own/thing.h"',
            r"the folder of own/thing\.h in include_dirs=\[folder\], or",
        ),
    ],
)
def test_a_missing_header_says_what_has_it(build, source, said):
    with pytest.raises(CompileError, match=said):
        build(source)


@pytest.mark.parametrize(
    ("name", "major", "wheel"),
    [
        ("cuda_fp16.h", 13, "nvidia-cuda-runtime"),
        ("cuda_fp16.h", 12, "nvidia-cuda-runtime-cu12"),
        ("cooperative_groups/reduce.h", 12, "nvidia-cuda-runtime-cu12"),
        ("vector_types.h", 11, "nvidia-cuda-runtime-cu11"),
        ("crt/host_defines.h", 12, "nvidia-cuda-nvcc-cu12"),
        ("crt/host_defines.h", 13, "nvidia-cuda-crt"),
        ("cub/cub.cuh", 12, "nvidia-cuda-cccl-cu12"),
        ("nv/target", 13, "nvidia-cuda-cccl"),
        ("curand_kernel.h", 13, "nvidia-curand"),
        ("cstdint", 12, "nvidia-cuda-cccl-cu12"),
    ],
)
def test_the_wheel_of_a_header(name, major, wheel):
    said = headers.advice(name, "nvrtc", major)
    assert re.search(rf"pip install {wheel}(,|$)", said), said


def toolkit(home: pathlib.Path, release: int, *files: str) -> str:
    write(home / "include" / "cuda_runtime_api.h", f"#define CUDART_VERSION  {release}\n")
    for name in files:
        write(home / "include" / name)
    return str(home / "include")


def found(tmp_path, library: pathlib.Path, major: int, **environ: str) -> list[str]:
    path = [str(tmp_path / "site"), "", "relative"]
    folders = str(tmp_path / "env"), str(tmp_path / "root")
    return headers.folders("nvrtc", str(library), major, environ, path, *folders)


def test_headers_are_of_the_compilers_major(tmp_path):
    old = toolkit(tmp_path / "old", 12080, "crt/host_defines.h")
    new = toolkit(tmp_path / "new", 13000, "crt/host_defines.h")
    usual = toolkit(tmp_path / "root" / "usr" / "local" / "cuda-12.4", 12040, "cuda/std/cstdint")
    nowhere = tmp_path / "lib" / "libnvrtc.so"
    both = {"CUDA_PATH": str(tmp_path / "old"), "CUDA_HOME": str(tmp_path / "new")}
    assert found(tmp_path, nowhere, 13, **both) == [new]
    assert found(tmp_path, nowhere, 12, **both) == [old, usual]
    assert found(tmp_path, nowhere, 11, **both) == []


def test_those_beside_the_library_come_first(tmp_path):
    own = toolkit(tmp_path / "own", 12080)
    toolkit(tmp_path / "other", 12090)
    environ = {"CUDA_HOME": str(tmp_path / "other")}
    assert found(tmp_path, tmp_path / "own" / "lib64" / "libnvrtc.so.12", 12, **environ) == [own]
    target = tmp_path / "own" / "targets" / "x86_64-linux"
    crossed = toolkit(target, 12080)
    assert found(tmp_path, target / "lib" / "libnvrtc.so.12", 12, **environ) == [crossed]


def test_wheels_of_twelve_are_many_and_of_thirteen_one(tmp_path):
    site = tmp_path / "site" / "nvidia"
    twelve = [
        toolkit(site / "cuda_runtime", 12080),
        str(write(site / "cuda_nvcc" / "include" / "crt" / "host_defines.h").parents[1]),
        str(write(site / "cuda_cccl" / "include" / "cuda" / "std" / "cstdint").parents[2]),
    ]
    thirteen = toolkit(site / "cu13", 13000, "crt/host_defines.h")
    cccl = write(site / "cu13" / "include" / "cccl" / "cuda" / "std" / "cstdint").parents[2]
    library = site / "cuda_nvrtc" / "lib" / "libnvrtc.so.12"
    assert found(tmp_path, library, 12) == twelve
    assert found(tmp_path, site / "cu13" / "lib" / "libnvrtc.so.13", 13) == [thirteen, str(cccl)]


def test_a_conda_environment(tmp_path):
    (tmp_path / "env" / "conda-meta").mkdir(parents=True)
    there = toolkit(tmp_path / "env" / "targets" / "x86_64-linux", 12080)
    assert found(tmp_path, tmp_path / "lib" / "libnvrtc.so.12", 12) == [there]


def test_rocms_headers(tmp_path):
    version = write(tmp_path / "rocm" / "include" / "hip" / "hip_version.h")
    folder = str(version.parents[1])
    library = str(tmp_path / "rocm" / "lib" / "libhiprtc.so.6")
    root = str(tmp_path / "root")
    assert headers.folders("hiprtc", library, 6, {}, [], "", root) == [folder]
    environ = {"ROCM_PATH": str(tmp_path / "rocm")}
    assert headers.folders("hiprtc", "", 6, environ, [], "", root) == [folder]


def test_a_source_without_includes_looks_for_none(nvrtc, monkeypatch):
    monkeypatch.setattr(headers, "folders", lambda *_: pytest.fail("looked for headers"))
    compiler.compile("__global__ void kernel() {}", arch="sm_90")

"""Headers of C's library in device code: what nvcc takes, the run-time compilers take, too."""

from __future__ import annotations

import math
import os
import pathlib
import subprocess

import numpy as np
import pytest

import PyGPU
from PyGPU import compiler
from PyGPU._kernels import headers
from PyGPU._kernels.headers import OWN
from tests.conftest import required
from tests.own_interpreter import own_interpreter

HERE = pathlib.Path(__file__).parent
ARRAYS = HERE.parent / "arrays"
SOURCE = (HERE / "all_headers.cu").read_text()
FLOAT, DOUBLE = np.finfo(np.float32), np.finfo(np.float64)
# What the kernel of all_headers.cu writes, in its order.
VALUES = [
    2**32 - 1, 2**16 - 1, 2.0**64, 255, -(2.0**63), 1, 3, 9, -1, 64, 8, -(2**31),
    32767 - 128 + 127, 2.0**40, FLOAT.max, FLOAT.eps, DOUBLE.tiny, 15 + 24 + 2, math.pi, math.inf,
    1, 2.5 + 1024 - 1 + 4, 3 + 1, 4 + 2, 2,
]  # fmt: skip
OWN_HEADERS = sorted(
    os.path.relpath(path, OWN) for path in pathlib.Path(OWN).rglob("*") if path.is_file()
)


@pytest.mark.parametrize("options", [(), ("-DWITH_STD",)])
@pytest.mark.parametrize("compile", [PyGPU.SourceModule, compiler.compile])
@own_interpreter("on_host")
def test_the_values_are_those_of_c(compile, options, tmp_path):
    """Also in SourceModule's extern "C" { }, which takes no templates, and with cached code."""
    for _ in range(2):
        made = compile(SOURCE, options=[*options], cache_dir=tmp_path)
        module = made if isinstance(made, PyGPU.Module) else PyGPU.Module(made)
        found = PyGPU.zeros(len(VALUES))
        module["fill"](found, grid=1, block=1)
        np.testing.assert_array_equal(found.get(), VALUES)


@pytest.mark.parametrize("options", [(), ("-DWITH_STD",)])
def test_nvcc_takes_the_same_source(nvcc, options, tmp_path):
    """So a program for PyCUDA, which calls nvcc, needs no change."""
    command = [nvcc, "-ptx", "-o", str(tmp_path / "made.ptx"), *options, HERE / "all_headers.cu"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr


@pytest.mark.parametrize("header", [one for one in OWN_HEADERS if one != "implied.h"])
@pytest.mark.parametrize("form", ["{0}{0}", 'extern "C" {{\n{0}}}\n'])
def test_each_header_stands_alone(build, header, form):
    """Twice, and inside of extern "C". The vendor's headers come after it without a warning."""
    names = ("cuda/std/cstdint", "cuda/std/cfloat", "cuda/std/ctime", "cuda_fp16.h")
    vendors = "".join(f"#include <{name}>\n" for name in names)
    build(form.format(f"#include <{header}>\n") + vendors + "__global__ void kernel() {}")


IMPLIED = [
    "uint a", "ushort a", "ulong a", "u_char a", "size_t a", "int32_t a", "ssize_t a", "time_t a",
    "float a = INFINITY", "float a = NAN", "double a = M_PI", "int a = INT_MAX", "int a = CHAR_BIT",
    "size_t a = offsetof(int2, y)", "int a = EXIT_SUCCESS", "double a = std::sin(2.0)",
    "float a = std::abs(-2.0f)", "std::size_t a", "bool a = std::isnan(1.0f)",
]  # fmt: skip


def kernels(lines: list[str]) -> str:
    return "\n".join(f"__global__ void k{at}() {{ {one}; }}" for at, one in enumerate(lines))


def test_names_that_nvcc_knows_without_an_include(build, nvcc, tmp_path):
    """A source that declares such a name itself, as it must for NVRTC alone, still compiles."""
    (tmp_path / "source.cu").write_text(kernels(IMPLIED))
    command = [nvcc, "-ptx", "-o", str(tmp_path / "made.ptx"), str(tmp_path / "source.cu")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    for one in IMPLIED:
        build(kernels([one]), "-w")
    own = "typedef unsigned long long ulong;\nstruct uint { int x; };\n"
    build(own + kernels(["uint a"]), "-w")
    with pytest.raises(PyGPU.CompileError, match='identifier "missing" is undefined') as raised:
        build(kernels(["uint a", "missing = 3"]))
    # Only what is wrong: `uint` was named as undefined, too.
    assert [one.line for one in raised.value.diagnostics if one.severity == "error"] == [2]
    with pytest.raises(PyGPU.CompileError) as raised:
        build(own + kernels(["uint a", "missing = 3"]))
    assert [one.line for one in raised.value.diagnostics if one.severity == "error"] == [4]


def test_headers_of_the_host_s_functions(build):
    """nvcc takes cuda.h in a kernel's source; NVRTC alone refuses its declarations."""
    source = "#include <cuda.h>\n__global__ void kernel(int *a) { *a = CUDA_VERSION + INT_MAX; }\n"
    build(source, "-w")
    with pytest.raises(PyGPU.CompileError, match='identifier "missing" is undefined') as raised:
        build(source + kernels(["missing = 3"]))
    (error,) = (one for one in raised.value.diagnostics if one.severity == "error")
    assert error.line == 3


def test_the_users_headers_come_first(build, tmp_path):
    text = "typedef short uint32_t;"
    (tmp_path / "stdint.h").write_text(text)
    source = '#include <stdint.h>\nstatic_assert(sizeof(uint32_t) == SIZE, "");'
    build(source, "-DSIZE=4")
    build(source, "-DSIZE=2", include_dirs=[tmp_path])
    build(source, "-DSIZE=2", headers={"stdint.h": text})


@pytest.mark.parametrize("options", [(), ("-DWITH_STD",)])
@pytest.mark.parametrize("source", [HERE / "all_headers.cu", ARRAYS / "device_headers.cu"], ids=str)
def test_clang_takes_them_as_hiprtc_does(source, options):
    """hipRTC is clang with declarations of its own; hiprtc_declares.hpp has those that count."""
    clang = required("clang.cindex")
    arguments = [
        "-x", "hip", "--offload-arch=gfx90a", "--cuda-device-only", "-nogpuinc", "-nogpulib",
        "-nostdinc", "-std=c++17", "-D__HIPCC_RTC__", "-include", str(HERE / "hiprtc_declares.hpp"),
        "-I", OWN, *options,
    ]  # fmt: skip
    parsed = clang.Index.create().parse(str(source), arguments)
    assert not [str(one) for one in parsed.diagnostics if one.severity >= one.Error]


STANDARD = """
#include <array>
#include <functional>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
extern "C" __global__ void fill(double *out) {
    std::array<int, 3> three = {1, 2, 3};
    auto pair = std::make_pair(4, 5.5);
    out[0] = std::numeric_limits<float>::max();
    out[1] = std::is_same<std::remove_const_t<const int>, int>::value;
    out[2] = three[2] + std::get<1>(pair) + std::get<0>(std::make_tuple(7, 8));
    out[3] = std::plus<int>()(2, 3);
}
"""


@own_interpreter("on_host")
def test_headers_of_the_standard_library_are_those_of_cccl(cuda_headers):
    found = PyGPU.zeros(4)
    PyGPU.SourceModule(STANDARD)["fill"](found, grid=1, block=1)
    np.testing.assert_array_equal(found.get(), [FLOAT.max, 1, 3 + 5.5 + 7, 5])


def test_without_cccl_its_wheel_is_named(nvrtc, monkeypatch):
    monkeypatch.setattr(headers, "folders", lambda *_: [])
    with pytest.raises(PyGPU.CompileError, match=r"pip install nvidia-cuda-cccl"):
        compiler.compile("#include <limits>", arch="sm_90", cache=False)


def test_they_are_in_the_package():
    """Files without an ending are easily left out of a wheel."""
    assert {"cstdint", "stdint.h", "sys/types.h", "implied.h"} <= set(OWN_HEADERS)
    assert headers.OWN.startswith(os.path.dirname(PyGPU.__file__))

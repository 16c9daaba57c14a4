"""Options of nvcc's that no run-time compiler knows, and what to do about other errors."""

from __future__ import annotations

import shlex

import pytest

from PyGPU import CompileError
from PyGPU._kernels import advice, nvcc_options

KERNEL = "__global__ void kernel(int *out) { *out = VALUE; }"


@pytest.mark.parametrize(
    "options",
    [
        *("-O3", "-O0", "-O 3", "--optimize=2", "--optimize 2", "-Xcompiler -Wall,-fPIC"),
        *("--compiler-options=-fopenmp", "--compiler-options -fopenmp", "-ccbin /usr/bin/g++-12"),
        *("--compiler-bindir=g++", "-Xlinker -rpath", "-lcudadevrt", "-l cudadevrt", "-L/usr/lib"),
        *("--library-path /usr/lib", "-m64", "-m 64", "--machine=64", "-x cu", "-cudart static"),
        *("-v", "-g", "-keep", "--keep-dir /tmp", "-t 4", "--threads=4", "-O", "-Wno-x"),
        *("--expt-relaxed-constexpr", "-expt-extended-lambda", "--extended-lambda", "-res-usage"),
        *("--default-stream per-thread", "-allow-unsupported-compiler", "-c", "-shared"),
    ],
)  # fmt: skip
def test_what_changes_no_device_code_is_dropped(build, options):
    """PyCUDA hands options to nvcc, so programs name its. The code and its cache entry stay."""
    made = build(KERNEL, "-DVALUE=1")
    again = build(KERNEL, f"{options} -DVALUE=1 {options}")
    assert again.cached and again == made
    assert nvcc_options.without(shlex.split(f"-DX {options} -DY"), is_clang=False) == ["-DX", "-DY"]


@pytest.mark.parametrize(
    "options",
    ["-DVALUE=1", "-D VALUE=1", "-I/folder", "-lineinfo", "-G", "-Xptxas -v", "-maxrregcount=32",
     "--use_fast_math", "-std=c++14", "-rdc=true", "-w", "-diag-suppress=177", "-ftz=true",
     "-dlto", "-include x.h", "-time x", "-default-device"],
)  # fmt: skip
def test_what_nvrtc_knows_stays(options):
    given = shlex.split(options)
    assert nvcc_options.without(given, is_clang=False) == given


def test_hiprtc_is_clang_which_knows_more():
    given = ["-O3", "-g", "-L/x", "-ffast-math", "-Xcompiler", "-Wall", "-v", "-DX=1"]
    kept = ["-O3", "-g", "-L/x", "-ffast-math", "-v", "-DX=1"]
    assert nvcc_options.without(given, is_clang=True) == kept


@pytest.mark.parametrize(
    ("options", "arch"),
    [
        ("-gencode arch=compute_80,code=sm_80", "sm_80"),
        ("--generate-code=arch=compute_80,code=compute_80", "compute_80"),
        ("-gencode=arch=compute_80,code=[sm_80,compute_80]", "sm_80"),
        ("-gencode arch=compute_80", "compute_80"),
        ("-arch=compute_80 -code=sm_80", "sm_80"),
        ("-arch compute_80", "compute_80"),
    ],
)
def test_nvccs_forms_of_an_architecture(nvrtc, options, arch):
    from PyGPU import compiler

    assert compiler.compile(KERNEL, "-DVALUE=1 " + options).arch == arch


def test_several_architectures_are_refused(nvrtc):
    from PyGPU import compiler

    with pytest.raises(ValueError, match="several architectures: sm_80, sm_90"):
        compiler.compile(KERNEL, "-gencode arch=compute_80,code=sm_80 -gencode code=sm_90")


TEXTURES = "CUDA 12 removed texture and surface references. Let the kernel take a cudaTextureObject"


@pytest.mark.parametrize(
    ("source", "options", "said"),
    [
        ("texture<float, 2> from;", "", TEXTURES),
        ("surface<void, 2> to;", "", TEXTURES),
        (KERNEL, "-ptx -DVALUE=1", "NVRTC compiles, not nvcc: give target='ptx' instead of -ptx"),
        (
            KERNEL,
            "-nonsense",
            "NVRTC compiles, not nvcc, and has no option -nonsense: leave it out",
        ),
        (
            "__global__ void k(int *x) { *x = __shfl(*x, 0); }",
            "",
            r"__shfl_sync\(0xffffffff, value",
        ),
        ("__global__ void k(int *x) { *x = __any(*x); }", "", "end with _sync"),
    ],
)
def test_the_error_says_what_to_do(build, source, options, said):
    with pytest.raises(CompileError, match=said):
        build(source, options)


@pytest.mark.parametrize(
    "source",
    ["template <class T> __global__ void k(T *x) {}",
     "__device__ int f(int x) { return x; } __device__ int f(float x) { return 1; }"],
)  # fmt: skip
def test_extern_c_is_explained(build, source):
    """SourceModule's default; nvcc's message says nothing about where the linkage comes from."""
    with pytest.raises(CompileError, match="give no_extern_c=True"):
        build(source, no_extern_c=False)


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("a.hip:1:1: error: no template named 'texture'", TEXTURES),
        ("clang: error: unknown argument: '-nonsense'", "has no option -nonsense: leave it out"),
        (
            "a.hip:1:10: fatal error: 'x/y.h' file not found",
            "hipRTC has no header x/y.h: pass",
        ),
        ("a.hip:1:10: error: expected ';'", ""),
    ],
)
def test_clangs_words(log, said):
    found = advice.hint(log, "hiprtc", 6)
    assert said in found and bool(said) == bool(found)

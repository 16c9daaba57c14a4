"""PYGPU_HOST_CHECK=1: faults of kernels are told with their place, and sound kernels are silent."""

from __future__ import annotations

import re

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.host.ptx import test_corpus
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_host", PYGPU_HOST_CHECK="1", PYGPU_HOST_MEMORY="1GiB")

RACE, UNWRITTEN = "race in shared memory", "read of shared memory that nobody has written"
DIVERGED, STUCK = "barrier in diverged code", "threads wait for others that never come"
HEAD = 'extern "C" __global__ void k(int *out) {\n__shared__ int tile[64]; int t = threadIdx.x;\n'
# A title, what is said of it, the faulty body with a mark where the fault is, and its sound twin.
FAULTS = [
    (
        RACE,
        r"read of 4 bytes, byte \d+ of .*tile \(shared, 256 bytes\)",
        "tile[t] = t;\nout[t] = tile[63 - t]; // fault",
        "tile[t] = t;\n__syncthreads(); out[t] = tile[63 - t];",
    ),
    (
        RACE,
        "write of 4 bytes",
        "tile[0] = t; // fault\n__syncthreads(); out[t] = tile[0];",
        "tile[0] = 7;\n__syncthreads(); out[t] = tile[0];",
    ),
    (
        RACE,
        "read of 4 bytes",
        "if (t < 32) { tile[t] = t;\nout[t] = ((volatile int *)out)[0] + tile[31 - t]; } // fault",
        "if (t < 32) { tile[t] = t;\n__syncwarp(); out[t] = out[0] + tile[31 - t]; }",
    ),
    (
        UNWRITTEN,
        "read of 4 bytes",
        "if (t < 32) tile[t] = t;\n__syncthreads(); out[t] = tile[t]; // fault",
        "if (t < 64) tile[t] = t;\n__syncthreads(); out[t] = tile[t];",
    ),
    (
        RACE,
        "atomic on 4 bytes",
        "tile[t] = 0;\natomicAdd(&tile[t / 2], 1); // fault\n__syncthreads(); out[t] = tile[t];",
        (
            "tile[t] = 0;\n__syncthreads(); atomicAdd(&tile[t / 2], 1);\n"
            "__syncthreads(); out[t] = tile[t];"
        ),
    ),
]


@pytest.fixture(autouse=True)
def compilable(nvrtc):
    """The test is skipped where there is no NVRTC."""


def kernel_of(source: str, name: str = "k"):
    code = PyGPU.compiler.compile(source, ["-lineinfo"], "compute_80", cache=False)
    return PyGPU.Module(code)[name]


def told_of(source: str, threads: int = 64) -> tuple[list[str], int]:
    """What the checker says of a kernel, and the launch's code."""
    kernel, out = kernel_of(source), PyGPU.to_gpu(np.zeros(64, np.int32))
    with host.reports() as told:
        kernel(out, grid=1, block=threads)
        code = int(PyGPU.cudaDeviceSynchronize())
    if code:
        PyGPU.cudaDeviceReset()
    return list(told), code


@pytest.mark.parametrize(("title", "said", "faulty", "sound"), FAULTS)
def test_faults_are_told_with_kernel_line_and_thread(title, said, faulty, sound):
    source = HEAD + faulty + "\n}"
    told, code = told_of(source)
    assert code == 0, "the kernel goes on"
    found = [one for one in told if title in one]
    assert found, told
    line = 1 + source[: source.index("// fault")].count("\n")
    assert any(re.search(rf":{line}, line \d+ of its PTX", one) for one in found), found
    assert any(re.search(said, one) for one in found), found
    assert re.search(r"\n  kernel +k\n", found[0])
    assert re.search(r"\n  by +block \(0, 0, 0\), thread \(\d+, 0, 0\)\n", found[0])
    if title == RACE:
        assert re.search(
            r"\n  against +(write|read|atomic) (of|on) 4 bytes by thread \(\d+", found[0]
        )
    assert told_of(HEAD + sound + "\n}") == ([], 0)


def test_a_launch_tells_each_fault_once():
    told, _ = told_of(HEAD + "tile[t] = t; out[t] = tile[63 - t]; }")
    races = [one for one in told if RACE in one]
    assert 1 <= len(races) <= 2, "write then read, read then write"
    assert all(re.search(r"\n  times +\d+", one) for one in races), told


def test_local_memory_that_was_not_written():
    text = """.version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 p) {{
    .local .align 4 .b8 own[16]; .reg .u32 %r<3>;
    {}
    ld.local.u32 %r1, [own+4];
    ret;
}}"""
    out = PyGPU.to_gpu(np.zeros(1, np.int32))
    for before, count in (("st.local.u32 [own], 1;", 1), ("st.local.u32 [own+4], 1;", 0)):
        with host.reports() as told:
            PyGPU.Module(text.format(before).encode())["k"](out, grid=1, block=32)
            assert PyGPU.cudaDeviceSynchronize() == 0
        assert len(told) == count, told
    source = text.format("st.local.u32 [own], 1;")
    with host.reports() as told:
        PyGPU.Module(source.encode())["k"](out, grid=1, block=32)
        PyGPU.cudaDeviceSynchronize()
    assert "read of local memory that was not written" in told[0]
    assert re.search(r"\n  at +line 7 of its PTX\n", told[0]), "without .loc there is no file"


def test_accesses_out_of_bounds_name_the_array():
    for body, said in (
        ("out[64 + t] = t;", "0 bytes behind the end of an allocation of 256 bytes"),
        ("if (t == 3) out[-1] = t;", "4 bytes before an allocation of 256 bytes"),
        ("volatile int *s = tile; out[t] = s[64 + t];", r"behind the end of .*tile"),
        ("volatile int *s = tile; s[t - 2] = t;", "8 bytes before the begin of shared memory"),
    ):
        told, code = told_of(HEAD + body + "\n}")
        assert code == 700, told
        assert any("access out of bounds" in one and re.search(said, one) for one in told), told
    assert told_of("__device__ int table[8];\n" + HEAD + "out[t] = table[t & 7]; }") == ([], 0)


def test_names_that_look_like_mangled_types_are_left_alone():
    source = """extern "C" { __device__ int x[4];
__global__ void f(int *out) { x[out[0] + 4] = 1; } }"""
    kernel, out = kernel_of(source, "f"), PyGPU.to_gpu(np.zeros(64, np.int32))
    with host.reports() as told:
        kernel(out, grid=1, block=1)
        assert PyGPU.cudaDeviceSynchronize() == 700
    PyGPU.cudaDeviceReset()
    assert re.search(r"\n  kernel +f\n.* behind the end of x \(global, 16 bytes\)", told[0])


def test_barriers_that_threads_never_reach():
    text = """.version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 p) {{
    .reg .u32 %r<3>; .reg .pred %p;
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p, %r1, 16;
    {}
    ret;
}}"""
    out = PyGPU.to_gpu(np.zeros(1, np.int32))
    for body, title, code in (
        ("@%p bar.sync 1, 64;", STUCK, 702),
        ("@%p bra low;\nbar.sync 0;\nret;\nlow:\nbar.sync 0;", DIVERGED, 0),
        ("@%p bra low;\nbarrier.sync 0;\nret;\nlow:\nbarrier.sync 0;", None, 0),
        ("@%p bra low;\nbar.sync 0;\nlow:", None, 0),
        ("bar.sync 0;", None, 0),
    ):
        with host.reports() as told:
            PyGPU.Module(text.format(body).encode())["k"](out, grid=1, block=32)
            assert PyGPU.cudaDeviceSynchronize() == code, body
        found = [one for one in told if "check:" in one]
        assert len(found) == (title is not None), (body, told)
        if title:
            assert title in found[0]
            assert re.search(r"thread \(\d+, 0, 0\)", found[0])
            assert re.search(r"line \d+ of its PTX", found[0])
        if code:
            PyGPU.cudaDeviceReset()
            out = PyGPU.to_gpu(np.zeros(1, np.int32))


@pytest.mark.parametrize("arch", ["compute_80", "compute_80 -G"])
@pytest.mark.parametrize(
    "run", [getattr(test_corpus, name) for name in dir(test_corpus) if name.startswith("test_")]
)
def test_the_corpus_is_silent(run, arch):
    with host.reports() as told:
        run(arch)
    assert not told

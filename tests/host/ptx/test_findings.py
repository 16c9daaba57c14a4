"""What compute-sanitizer finds on a card, PYGPU_HOST_CHECK=1 finds here: one row for each kind."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.host.ptx.test_check import kernel_of
from tests.own_interpreter import own_interpreter

ON = own_interpreter("on_host", PYGPU_HOST_CHECK="1", PYGPU_HOST_MEMORY="1GiB")
GPU = PyGPU.checked


@pytest.fixture(autouse=True)
def compilable(nvrtc):
    """The test is skipped where there is no NVRTC."""


@dataclass
class Kind:
    """A kernel's body with the mark `// fault` at the fault, and the same without the fault."""

    title: str
    said: str  # what a row of the report says
    faulty: str
    sound: str
    code: int = 0  # of the faulty launch
    threads: int = 32


OUT_OF_BOUNDS, MISALIGNED = "access out of bounds", "misaligned access"
FREED, UNNAMED = "use of memory after it was freed", "mask without the thread that names it"
NO_SOURCE, DIVERGED = "shuffle from a lane that takes no part", "barrier in diverged code"
OWN = "volatile int own[4]; for (int i = 0; i < 4; ++i) own[i] = i;\n"
PIECE = "volatile int *p = (int *)malloc(64); if (!p) return; p[t & 15] = t;\n"

# `t` is the thread, `zero` is 0, which no compiler knows, and `bytes` is `out`.
KINDS = {
    # memcheck: memory access errors
    "a local array, one beyond": Kind(
        OUT_OF_BOUNDS,
        r"read of 4 bytes, 0 bytes behind the end of local arrays of k \(local, 16 bytes\)",
        OWN + "out[t] = own[zero + 4]; // fault",
        OWN + "out[t] = own[zero + 3];",
    ),
    "a local array, three before": Kind(
        OUT_OF_BOUNDS,
        r"write of 4 bytes, 12 bytes before local arrays of k \(local, 16 bytes\)",
        OWN + "own[zero - 3] = 1; // fault\nout[t] = own[0];",
        OWN + "own[zero] = 1;\nout[t] = own[0];",
    ),
    "a local array of a caller": Kind(
        OUT_OF_BOUNDS,
        r"0 bytes behind the end of local arrays of k",
        OWN + "out[t] = deeper((int *)own, zero + 4, 3);",
        OWN + "out[t] = deeper((int *)own, zero + 3, 3);",
    ),
    "a local array of another thread": Kind(
        "access to another thread's local memory",
        r"local memory of thread \(31, 0, 0\)",
        "__shared__ volatile int *from; " + OWN + "if (t == 31) from = own;\n__syncwarp();\n"
        "out[t] = *from; // fault",
        "__shared__ volatile int *from; " + OWN + "if (t == 31) from = own;\n__syncwarp();\n"
        "out[t] = t == 31 ? *from : 0;",
    ),
    "a shared array, into the next": Kind(
        OUT_OF_BOUNDS,
        r"0 bytes behind the end of .*first \(shared, 128 bytes\)",
        "__shared__ volatile int first[32], second[32]; first[t] = second[t] = t;\n"
        "__syncwarp(); out[t] = first[zero + 32] + second[t]; // fault",
        "__shared__ volatile int first[32], second[32]; first[t] = second[t] = t;\n"
        "__syncwarp(); out[t] = first[zero + 31] + second[t];",
    ),
    "a shared array, smaller than another kernel's": Kind(
        OUT_OF_BOUNDS,
        r"\d+ bytes behind the end of .*tile \(shared, 128 bytes\)",
        "__shared__ volatile int tile[32]; tile[t] = t;\n__syncwarp(); out[t] = tile[zero + 99];"
        " // fault",
        "__shared__ volatile int tile[32]; tile[t] = t;\n__syncwarp(); out[t] = tile[31 - t];",
    ),
    "a null pointer": Kind(
        "access by a null pointer",
        r"write of 4 bytes, a null pointer plus 16 bytes",
        "((volatile int *)(size_t)zero)[4] = t; // fault",
        "((volatile int *)(size_t)zero + (out - (int *)0))[4] = t;",
        700,
    ),
    "misaligned device memory": Kind(
        MISALIGNED,
        r"write of 4 bytes, byte 2 of an allocation of 256 bytes",
        "*(volatile int *)(bytes + 2) = t; // fault",
        "*(volatile int *)(bytes + 4) = t;",
        716,
    ),
    "misaligned shared memory": Kind(
        MISALIGNED,
        r"read of 8 bytes, byte 4 of .*tile \(shared, 256 bytes\)",
        "__shared__ int tile[64]; tile[2 * t] = tile[2 * t + 1] = t; __syncwarp();\n"
        "out[t] = *(volatile long long *)(tile + 2 * zero + 1); // fault",
        "__shared__ int tile[64]; tile[2 * t] = tile[2 * t + 1] = t; __syncwarp();\n"
        "out[t] = *(volatile long long *)(tile + 2 * zero + 2);",
        716,
    ),
    "misaligned local memory": Kind(
        MISALIGNED,
        r"read of 4 bytes, byte 1 of local arrays of k",
        OWN + "out[t] = *(volatile int *)((char *)own + zero + 1); // fault",
        OWN + "out[t] = *(volatile int *)((char *)own + zero + 4);",
        716,
    ),
    # memcheck: the device heap
    "memory that a kernel has freed": Kind(
        FREED,
        r"\n  freed at +k, .*\.cu:\d+, line \d+ of its PTX, by free\n",
        PIECE + "free((int *)p);\nout[t] = p[1]; // fault",
        PIECE + "out[t] = p[t & 15];\nfree((int *)p);",
        700,
    ),
    "memory that is freed twice": Kind(
        "memory is freed twice",
        r"\n  freed at +k, .*\.cu:\d+, line \d+ of its PTX, by free(\n|$)",
        PIECE + "free((int *)p);\nfree((int *)p); // fault",
        PIECE + "free((int *)p);\nfree((int *)0);",
        719,
    ),
    "free of what malloc hasn't returned": Kind(
        "free() of an address that malloc() didn't return",
        r"free\(\) of byte 4 of an allocation of 256 bytes",
        PIECE + "free(t ? (int *)p : out + 1); // fault",
        PIECE + "free((int *)p);",
        700,
    ),
    "free of a pointer into what malloc has returned": Kind(
        "free() of an address that malloc() didn't return",
        r"free\(\) of byte 8 of an allocation of 64 bytes",
        PIECE + "free((int *)p + 2); // fault",
        PIECE + "free((int *)p);",
    ),
    # synccheck: invalid arguments
    **{
        f"{call}, a mask without the own lane": Kind(
            UNNAMED,
            r"lane [0-3], mask 0xf0\n",
            f"if (t < 8) out[t] = ({call.replace('MASK', '0xf0')}, 1); // fault",
            f"if (t < 8) out[t] = ({call.replace('MASK', '0xff')}, 1);",
            715 if "match" in call else 0,  # as on a card
        )
        for call in (
            "__syncwarp(MASK)",
            "__shfl_sync(MASK, t, 5)",
            "__ballot_sync(MASK, zero)",
            "__any_sync(MASK, zero)",
            "__match_any_sync(MASK, zero)",
            "__reduce_add_sync(MASK, zero)",
        )
    },
    # CUDA C++ Programming Guide, "Warp Shuffle Functions"
    "a shuffle from a lane that has exited": Kind(
        NO_SOURCE,
        r"lane 8 reads lane 16, mask 0xffffffff\n(.*\n)*  why +it has exited",
        "if (t >= 16) return;\nout[t] = __shfl_down_sync(~0u, t, 8); // fault",
        "int v = __shfl_down_sync(~0u, t, 8);\nif (t >= 16) return; out[t] = v;",
    ),
    "a shuffle from a lane that the block hasn't got": Kind(
        NO_SOURCE,
        "why +the block has no such thread",
        "out[t] = __shfl_xor_sync(~0u, t, 16); // fault",
        "out[t] = __shfl_xor_sync(0xffff, t, 8);",
        threads=16,
    ),
    "a shuffle from a lane that the mask doesn't name": Kind(
        NO_SOURCE,
        "lane 0 reads lane 20, mask 0xffff\n(.*\n)*  why +the mask doesn't name it",
        "if (t < 16) out[t] = __shfl_sync(0xffff, t, 20); // fault",
        # Usual in sums: a lane reads beyond the mask's end, and drops what it gets.
        "if (t < 16) out[t] = __shfl_down_sync(0xffff, t, 8);",
    ),
    # synccheck: divergent threads in a block
    "a barrier that warps come to at two places": Kind(
        DIVERGED,
        r"why +all threads of a block have to come to the same __syncthreads",
        "if (t < 32) { out[t] = 1;\n__syncthreads(); // fault\nout[t] = 2; }\n"
        "else { out[t] = 3; __syncthreads(); out[t] = 4; }",
        "out[t] = t < 32 ? 1 : 3; __syncthreads(); out[t] = t < 32 ? 2 : 4;",
        threads=64,
    ),
    "a barrier in a loop that ends earlier for some threads": Kind(
        DIVERGED,
        "why +that thread was here before, but has exited instead of coming again",
        # As in NVIDIA's compute-sanitizer-samples, Synccheck/divergent_threads.cu.
        "for (int i = t; i < 56; i += 32) { out[i] = t;\n__syncthreads(); // fault\n}",
        "for (int i = t; i < 64; i += 32) { out[i] = t;\n__syncthreads();\n}\n"
        # Threads that return before they ever come to a barrier aren't waited for.
        "if (t > 8) return; __syncthreads(); out[t] = t;",
    ),
}
HEAD = """__device__ __noinline__ int deeper(volatile int *from, int at, int depth) {
    volatile int own[2]; own[depth & 1] = depth;
    return depth ? deeper(from, at, depth - 1) + own[depth & 1] : from[at];
}
extern "C" __global__ void other(int *out) {
    __shared__ volatile int large[1024]; large[threadIdx.x] = 1; out[0] = large[threadIdx.x];
}
extern "C" __global__ void k(int *out, int zero) {
int t = threadIdx.x; char *bytes = (char *)out; (void)bytes;
"""


def reported(source: str, threads: int = 32) -> tuple[list[str], int]:
    """The checker's reports about a kernel, and the code of the launch."""
    kernel, out = kernel_of(source), GPU.cudaMalloc(256)
    GPU.cudaMemset(out, 0, 256)
    with host.reports() as reports:
        kernel(np.uint64(int(out)), np.int32(0), grid=1, block=threads)
        code = int(PyGPU.cudaDeviceSynchronize())
    if code:
        PyGPU.cudaDeviceReset()
    else:
        GPU.cudaFree(out)
    return [one for one in reports if "check:" in one], code


@ON
@pytest.mark.parametrize("name", KINDS)
def test_a_kind_is_reported_with_its_line_and_a_sound_kernel_is_not(name):
    """Each kind is reported once, with its place; the kernel without the fault runs silently."""
    kind = KINDS[name]
    source = HEAD + kind.faulty + "\n}"
    reports, code = reported(source, kind.threads)
    assert code == kind.code
    assert len(reports) == 1, reports
    assert f"check: {kind.title}\n" in reports[0], reports
    assert re.search(kind.said, reports[0]), reports
    assert re.search(r"\n  by +block \(0, 0, 0\), thread \(\d+, 0, 0\)\n", reports[0])
    if "// fault" in source:
        line = 1 + source[: source.index("// fault")].count("\n")
        assert re.search(rf"\n  at .*:{line}, line \d+ of its PTX", reports[0]), reports
    assert reported(HEAD + kind.sound + "\n}", kind.threads) == ([], 0)


@ON
def test_a_line_of_an_unrolled_loop_is_reported_once():
    """Sixteen copies of one line make one report, which counts them all."""
    body = """__shared__ int tile[1024];
#pragma unroll
for (int i = 0; i < 16; ++i) tile[t * 16 + i] = i;
int sum = 0;
#pragma unroll
for (int i = 0; i < 16; ++i) sum += tile[(31 - t) * 16 + i]; // fault
out[t] = sum;"""
    source = HEAD + body + "\n}"
    (report,), code = reported(source)
    assert code == 0
    assert "race in shared memory" in report
    assert re.search(r"\n  times +512$", report), "32 threads, 16 copies"
    line = 1 + source[: source.index("// fault")].count("\n")
    assert f":{line}, line" in report


@ON
def test_an_inlined_function_is_reported_with_its_caller():
    """A fault in a function that two lines call is two reports, each with the caller's line."""
    helper = "__device__ __forceinline__ int other_s(int *tile, int t) { return tile[31 - t]; }\n"
    body = "__shared__ int tile[32]; tile[t] = t;\nint one = other_s(tile, t);\nout[t] = one;\n"
    body += "tile[t] = one; out[t] += other_s(tile, t);"
    reports, _ = reported(helper + HEAD + body + "\n}")
    races = [one for one in reports if re.search(r"\n  at .*\.cu:1, inlined at .*\.cu:\d+, ", one)]
    callers = {re.search(r"inlined at .*?\.cu:(\d+), ", one)[1] for one in races}
    assert len(callers) == 2, reports


LOCAL = """.version 8.0
.target sm_80
.address_size 64
.file 1 "own.cu"
.visible .entry k(.param .u64 p, .param .u32 zero) {{
    .local .align 4 .b8 low[16];
    .local .align 4 .b8 high[16];
    .reg .u64 %rd<3>; .reg .u32 %r<3>;
    .loc 1 7 3
    {}
    ret;
}}"""


@ON
@pytest.mark.parametrize(
    ("statements", "said"),
    [
        ("st.local.u32 [low+16], 1;", r"0 bytes behind the end of low \(local, 16 bytes\)"),
        ("st.local.u32 [low-4], 1;", r"4 bytes before low \(local, 16 bytes\)"),
        ("st.local.u32 [high+16], 1;", r"0 bytes behind the end of high \(local, 16 bytes\)"),
        ("mov.u64 %rd1, low;\ncvta.local.u64 %rd1, %rd1;\nst.u32 [%rd1+20], 1;", "behind the end"),
        ("st.local.u32 [low+12], 1;", None),
        ("st.local.u32 [high], 1;", None),
        ("alloca.u64 %rd1, 32;\nst.local.u32 [%rd1+28], 1;", None),
    ],
)
def test_variables_of_ptx_have_bounds_of_their_own(statements, said):
    """An overrun from one variable in local memory into the next is found, too."""
    out = GPU.cudaMalloc(256)
    with host.reports() as reports:
        PyGPU.Module(LOCAL.format(statements).encode())["k"](
            np.uint64(int(out)), np.int32(0), grid=1, block=32
        )
        assert PyGPU.cudaDeviceSynchronize() == 0
    if said is None:
        assert reports == []
        return
    (report,) = reports
    assert re.search(said, report), report
    assert re.search(r"\n  at +own\.cu:7, line \d+ of its PTX", report)


@ON
@pytest.mark.parametrize("call", ["cudaFree", "cudaFreeAsync", "cudaFreeHost"])
def test_memory_that_the_program_has_freed(call):
    """A kernel that gets freed memory is reported with the Python line that freed it."""
    make = {"cudaFree": "cudaMalloc", "cudaFreeHost": "cudaMallocHost"}.get(call)
    stream = PyGPU.cudaStreamLegacy
    pointer = getattr(GPU, make)(256) if make else GPU.cudaMallocAsync(256, stream)
    address = int(pointer)
    getattr(GPU, call)(pointer, *(() if make else (stream,)))
    with host.reports() as reports:
        kernel_of('extern "C" __global__ void k(int *out) { out[threadIdx.x] = 1; }')(
            np.uint64(address), grid=1, block=32
        )
        assert PyGPU.cudaDeviceSynchronize() == 700
    assert FREED in reports[0]
    assert re.search(
        rf"byte 0 of 256 bytes of .*, made by {make or 'cudaMallocAsync'} ", reports[0]
    )
    freed = rf"\n  freed at +{re.escape(__file__)}:\d+ in test_memory_that_.*, by {call}\n"
    assert re.search(freed, reports[0]), reports


@ON
def test_what_the_checker_doesn_t_follow_is_reported_where_it_fails():
    """An instruction without a check of its own reports its fault once, too."""
    text = """.version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 p, .param .u32 zero) {
    .shared .align 16 .b8 tile[512]; .reg .u32 %r<6>;
    mov.u32 %r1, tile;
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1+4096];
    ret;
}"""
    out = GPU.cudaMalloc(256)
    with host.reports() as reports:
        PyGPU.Module(text.encode())["k"](np.uint64(int(out)), np.int32(0), grid=1, block=32)
        assert PyGPU.cudaDeviceSynchronize() == 700
    matches = [one for one in reports if "check:" in one]
    assert len(matches) == 1, reports
    assert OUT_OF_BOUNDS in matches[0]
    assert "behind the end of tile (shared, 512 bytes)" in matches[0]


LEAKY = HEAD + PIECE + "out[t] = p[t & 15];\nif (t < 30) free((int *)p); }"


@pytest.mark.parametrize("checks", ["0", "1"])
def test_leaks_of_a_kernel_s_malloc_are_listed(on_host, checks):
    """Leaks of the kernels' heap are one line for each place, when leaks are asked for."""
    done = on_host(leak, PYGPU_HOST_LEAKS="1", PYGPU_HOST_CHECK=checks)
    assert "2 pieces of memory, 128 bytes, were not freed" in done.stderr
    assert re.search(
        r"128 bytes of the kernels' heap, in 2 pieces, device 0, made by malloc at k, "
        r".*\.cu:\d+, line \d+ of its PTX",
        done.stderr,
    ), done.stderr


def leak():
    reports, code = reported(LEAKY)
    assert (reports, code) == ([], 0)
    assert "128 bytes of the kernels' heap" in host.leaks()


# What a card answered: function, depth, cudaLimitStackSize (None: the default, 1024), and code.
RECURSIONS = [
    ("plain", 30, None, 0),
    ("plain", 200, None, 700),
    ("plain", 30, 256, 700),
    ("plain", 200, 8192, 0),
    ("plain", 4000, 8192, 700),
    ("wide", 4, None, 0),
    ("wide", 12, None, 700),
    ("wide", 40, 8192, 0),
    ("wide", 400, 8192, 700),
    ("wide", 400, 65536, 0),
    # No card has so much memory. It is an error, too.
    ("wide", 10**9, 1 << 40, 700),
]
DEEP = """
__device__ __noinline__ int plain(int n, volatile int *out) {
    if (n <= 0) return out[0];
    int r = plain(n - 1, out); out[1] = r; return r + n;
}
__device__ __noinline__ int wide(int n, volatile int *out) {
    volatile int own[32]; own[n & 31] = n;
    if (n <= 0) return own[out[0] & 31];
    int r = wide(n - 1, out); return r + own[n & 31];
}
extern "C" __global__ void k(int *out, int n, int w) { out[2] = w ? wide(n, out) : plain(n, out); }
"""


@pytest.mark.parametrize("checks", ["0", "1"])
def test_recursion_ends_at_the_stack_s_limit(on_host, checks):
    """The limit holds as on a card: too deep a recursion is an error, and a larger limit helps."""
    on_host(recurse, PYGPU_HOST_CHECK=checks, PYGPU_HOST_MEMORY="1GiB")


def recurse():
    for function, depth, limit, expected in RECURSIONS:
        if limit:
            GPU.cudaDeviceSetLimit(PyGPU.cudaLimitStackSize, limit)
        kernel, out = kernel_of(DEEP), GPU.cudaMalloc(256)
        GPU.cudaMemset(out, 0, 256)
        with host.reports() as reports:
            kernel(
                np.uint64(int(out)), np.int32(depth), np.int32(function == "wide"), grid=1, block=1
            )
            code = int(PyGPU.cudaDeviceSynchronize())
        assert code == expected, (function, depth, limit, reports)
        if code:
            assert "the stack has no room (cudaLimitStackSize)" in reports[-1]
            assert "block (0, 0, 0), thread (0, 0, 0)" in reports[-1]
        PyGPU.cudaDeviceReset()


RACE = """extern "C" __global__ void k(int *out, int far) {
    __shared__ int tile[64]; int t = threadIdx.x; tile[t] = t;
    if (!far) __syncthreads();
    out[t] = tile[63 - t];
}"""


@own_interpreter("on_host", PYGPU_HOST_CHECK="error")
def test_a_report_is_an_error_where_that_is_asked_for():
    """With PYGPU_HOST_CHECK=error the next call that waits fails, and so does every later one."""
    kernel, out = kernel_of(RACE), PyGPU.zeros(64, "int32")
    with host.reports() as reports:
        kernel(out, np.int32(0), grid=1, block=64)
        assert PyGPU.cudaDeviceSynchronize() == 0
        assert reports == []
        kernel(out, np.int32(1), grid=1, block=64)
        with pytest.raises(PyGPU.GPUError) as raised:
            out.get()
        assert int(raised.value.error) == 719
        assert PyGPU.cudaMalloc(64)[1] == 719
    assert any("race in shared memory" in one for one in reports)
    assert "PYGPU_HOST_CHECK=error" in reports[-1]
    PyGPU.cudaDeviceReset()
    assert PyGPU.cudaDeviceSynchronize() == 0


@own_interpreter("on_host", PYGPU_HOST_CHECK="1")
def test_a_report_is_no_error_otherwise():
    """With PYGPU_HOST_CHECK=1 a race doesn't change the launch's status."""
    out = PyGPU.zeros(64, "int32")
    with host.reports() as reports:
        kernel_of(RACE)(out, np.int32(1), grid=1, block=64)
        assert PyGPU.cudaDeviceSynchronize() == 0
    assert reports


def allocated():
    assert ctypes.c_void_p(int(GPU.cudaMalloc(64))).value


def test_another_value_is_ignored_with_a_line(on_host):
    """A value that isn't known turns nothing on, and is reported."""
    done = on_host(allocated, PYGPU_HOST_CHECK="yes")
    assert 'PYGPU_HOST_CHECK: "yes" is ignored, for it is not 0, 1 or error' in done.stderr

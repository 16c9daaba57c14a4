"""Faulty kernels end with a card's code. The code stays until the device is reset."""

from __future__ import annotations

import ctypes
import re
import signal

import numpy as np
import pytest

import PyGPU
from PyGPU import cu, host
from tests.host.device_code import compiled
from tests.own_interpreter import own_interpreter

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
ARRIVE, WAIT = "barrier.cluster.arrive;", "barrier.cluster.wait;"
FATAL = [
    ("ld.global.u32 %r1, [%rd1];", 16, 700, r"4 bytes at 0x10, which aren't"),
    ("st.global.u32 [%rd1], 1;", 0xDEAD_BEEF_0000, 700, "4 bytes at 0xdeadbeef0000"),
    ("st.global.u32 [%rd1+16384], 1;", None, 700, "aren't in memory that is allocated"),
    ("atom.global.add.u32 %r1, [%rd1+-4], 1;", None, 700, "aren't in memory"),
    ("ld.global.u32 %r1, [%rd1+2];", None, 716, "no multiple of their size"),
    ("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+8];", None, 716, "16 bytes"),
    ("ld.shared.u32 %r1, [room+128];", None, 700, "shared 0x80"),
    ("ld.local.u32 %r1, [%rd1];", 1 << 40, 700, "local 0x"),
    ("trap;", None, 719, "trap"),
    ("call nowhere;", None, 719, "nowhere"),
    ("add.s32 %r1, %r2, -%r1;", None, 719, "a register can't be negated"),
    (
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1}, {%r1,%r1}, {%r1}, {%f1};",
        None,
        719,
        r"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 can't be run on the CPU",
    ),
    ("suq.num_mipmap_levels.b32 %r1, [%rd1];", None, 719, "can't be run on the CPU"),
    (
        "tcgen05.fence::before_thread_sync;",
        None,
        719,
        "tcgen05.fence::before_thread_sync can't be run on",
    ),
    (
        "setp.eq.u32 %p1, %r2, 0;\n@%p1 exit;\nmovmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;",
        None,
        715,
        "needs all 32 lanes of the warp",
    ),
    ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];", None, 716, "16 bytes at shared 0x1"),
    (
        f"wmma.store.d.sync.aligned.row.m16n16k16.f32 [%rd1], {{{', '.join(['%f1'] * 8)}}}, 1024;",
        None,
        700,
        "16 bytes at 0x",
    ),
    ("bar.sync 16;", None, 715, "16 barriers"),
    # An H100 ends with the same code.
    ("and.b32 %r1, %r2, 1;\nbar.sync %r1;", None, 715, "thread .1, .*different barriers"),
    ("and.b32 %r1, %r2, 1;\nbarrier.sync %r1, 64;", None, 715, "different barriers"),
    ("and.b32 %r1, %r2, 1;\nbarrier.arrive %r1, 64;", None, 715, "different barriers"),
    ("mad.lo.u32 %r1, %r2, 32, 32;\nbarrier.sync 1, %r1;", None, 715, "numbers of threads"),
    (f"{ARRIVE}\n{ARRIVE} {WAIT}", None, 715, "again, without having waited"),
    (WAIT, None, 715, "without having arrived"),
    (f"{ARRIVE} {WAIT}\n{WAIT} // again", None, 715, "without having arrived"),
    (f"setp.eq.u32 %p1, %r2, 0; @%p1 bar.sync 0; {ARRIVE}\n{WAIT}", None, 702, "deadlock"),
    ("call (%r1), %rd1, (%r1), proto;", 12345, 715, "not a function's"),
    ("setp.eq.u32 %p1, %r2, 0;\n@%p1 bar.sync 1, 96;", None, 702, "deadlock"),
    ("setp.eq.u32 %p1, %r2, 0;\n@%p1 bar.warp.sync 3;\n@!%p1 bar.sync 0;", None, 702, "deadlock"),
    ("again: bra again;", None, 702, "PYGPU_HOST_TIMEOUT"),
    ("call tree, (60);", None, 702, "PYGPU_HOST_TIMEOUT"),
    ("call deep, (%r2);", None, 700, "nested too deeply"),
    ("call (5), one;", None, 719, "a result of a call isn't a place"),
    (".reg .b128 %q; cvt.u32.u64 %q, %rd1;", None, 719, "cvt.u32.u64 can't be run"),
    (".reg .b16 %h; setp.ne.f16 %p1|%p2, %h, %h;", None, 719, "it takes one predicate"),
    ("stackrestore.u64 %rd1;", 2**64 - 1, 719, "never there"),
    ("stackrestore.u64 %rd1;", 0, 719, "never there"),
]


@pytest.mark.parametrize(("body", "pointer", "code", "said"), FATAL)
@own_interpreter("on_host", PYGPU_HOST_TIMEOUT="1", PYGPU_HOST_MEMORY="1GiB")
def test_a_fault_is_told_and_stays(body, pointer, code, said):
    text = f"""{HEAD}
.func deep(.reg .u32 %n) {{ .reg .u32 %m; add.u32 %m, %n, 1; call deep, (%m); ret; }}
.func tree(.reg .u32 %n) {{
    .reg .u32 %m; .reg .pred %p;
    setp.eq.u32 %p, %n, 0; @%p ret; sub.u32 %m, %n, 1; call tree, (%m); call tree, (%m); ret;
}}
.func (.reg .u32 %m) one() {{ mov.u32 %m, 1; ret; }}
.visible .entry k(.param .u64 p) {{
    .reg .u32 %r<4>; .reg .u64 %rd<4>; .reg .f32 %f<8>; .reg .pred %p<3>;
    .shared .align 4 .b8 room[64];
    proto: .callprototype (.reg .u32 _) _ (.reg .u32 _);
    ld.param.u64 %rd1, [p];
    mov.u32 %r2, %tid.x;
    {body}
    ret;
}}"""
    line = 1 + text[: text.index(body.rsplit("\n", 1)[-1])].count("\n")
    array = PyGPU.to_gpu(np.zeros(4096, np.int32))
    kernel = PyGPU.Module(text.encode())["k"]
    with host.reports() as reports:
        arguments = np.uint64(int(array.gpudata) if pointer is None else pointer)
        kernel(arguments, grid=2, block=64)
        assert PyGPU.cudaDeviceSynchronize() == code
    assert len(reports) == 1
    assert re.search(said, reports[0]), reports
    assert "every call returns" in reports[0]
    if code != 702 and "nested" not in said:
        assert f"k, line {line} of its PTX, block (" in reports[0]
    assert PyGPU.cudaMalloc(4)[-1] == code
    assert PyGPU.cudaDeviceSynchronize() == code
    assert PyGPU.cudaDeviceReset() == 0
    assert PyGPU.cudaDeviceSynchronize() == 0


@pytest.mark.parametrize("asked", ["cudaDeviceSynchronize", "cudaStreamQuery", "cudaEventQuery"])
@own_interpreter("on_host")
def test_no_success_is_told_of_a_kernel_that_fails_at_that_moment(asked):
    text = HEAD + ".visible .entry k() { .reg .u64 %a; mov.u64 %a, 8; st.global.u32 [%a], 1; ret; }"
    for _ in range(300):
        kernel = PyGPU.Module(text.encode())["k"]
        stream = PyGPU.checked.cudaStreamCreate()
        event = PyGPU.checked.cudaEventCreate()
        of = {"cudaStreamQuery": [stream], "cudaEventQuery": [event]}.get(asked, [])
        ask = getattr(PyGPU, asked)
        kernel(grid=1, block=1, stream=stream)
        answer = PyGPU.cudaEventRecord(event, stream) or 600
        while answer == 600:  # not ready
            answer = ask(*of)
        assert answer == 700
        assert PyGPU.cudaDeviceReset() == 0


@own_interpreter("on_host")
def test_calls_of_a_signal_handler_do_not_hide_a_fault():
    text = f"""{HEAD}.visible .entry k() {{
    .reg .u64 %a; .reg .u32 %n; .reg .pred %p;
    mov.u32 %n, 0;
    again: add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 20000000; @%p bra again;
    mov.u64 %a, 8; st.global.u32 [%a], 1; ret;
}}"""
    handled = []
    signal.signal(signal.SIGALRM, lambda *_: handled.append(PyGPU.cudaGetDevice()))
    stream = PyGPU.checked.cudaStreamCreate()
    kernel = PyGPU.Module(text.encode())["k"]
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    kernel(grid=1, block=1, stream=stream)
    assert PyGPU.cudaStreamSynchronize(stream) == 700
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert handled


@own_interpreter("on_host")
def test_what_a_kernel_asks_for_is_checked_when_it_is_launched():
    cu.checked.cuInit(0)
    cu.checked.cuCtxSetCurrent(cu.checked.cuDevicePrimaryCtxRetain(0))
    text = HEAD + ".visible .entry k() .maxntid 64, 1, 1 { .shared .b8 room[49152]; ret; }"
    text += "\n.visible .entry three() .reqntid 3, 2 { ret; }"
    text += "\n.visible .entry wide() .maxntid 65536, 65552 { ret; }"
    module = cu.checked.cuModuleLoadData(text.encode())
    k, three, wide = (
        cu.checked.cuModuleGetFunction(module, name) for name in ("k", "three", "wide")
    )

    def launch(kernel, *block, shared=0):
        return int(cu.cuLaunchKernel(kernel, 1, 1, 1, *block, shared, None, None, None))

    assert launch(k, 64, 1, 1) == 0
    assert launch(k, 65, 1, 1) == 1
    assert launch(three, 3, 2, 1) == 0
    assert launch(three, 2, 3, 1) == 1
    assert launch(wide, 1024, 1, 1) == 0
    get = cu.checked.cuFuncGetAttribute
    assert get(cu.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k) == 64
    assert get(cu.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, k) == 49152
    assert get(cu.CU_FUNC_ATTRIBUTE_PTX_VERSION, k) == 80
    blocks = cu.checked.cuOccupancyMaxActiveBlocksPerMultiprocessor
    assert [blocks(k, *one) for one in ((64, 0), (65, 0), (64, 1 << 20))] == [1, 0, 0]
    hip_blocks = PyGPU.hip.checked.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor
    assert [hip_blocks(int(k), *one) for one in ((64, 0), (65, 0), (64, 1 << 20))] == [1, 0, 0]
    # More than 48 KiB are only for kernels that ask for them.
    large = HEAD + ".extern .shared .b8 room[];\n.visible .entry k() { .reg .u32 %r; "
    large += "ld.shared.u32 %r, [room+65532]; ret; }"
    k = cu.checked.cuModuleGetFunction(cu.checked.cuModuleLoadData(large.encode()), "k")
    assert get(cu.CU_FUNC_ATTRIBUTE_NUM_REGS, k) == 1
    assert launch(k, 1, 1, 1, shared=65536) == 1
    dynamic = cu.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    assert int(cu.cuFuncSetAttribute(k, dynamic, 1 << 20)) == 1
    cu.checked.cuFuncSetAttribute(k, dynamic, 65536)
    assert get(dynamic, k) == 65536
    assert launch(k, 1, 1, 1, shared=65536) == 0
    cu.checked.cuCtxSynchronize()


@pytest.mark.parametrize("face", ["cu", "hip"])
@own_interpreter("on_host")
def test_the_greatest_block_that_fits_is_found(face):
    """It depends on the kernel's threads, a limit, and the shared memory for whole warps."""
    cu.checked.cuInit(0)
    cu.checked.cuCtxSetCurrent(cu.checked.cuDevicePrimaryCtxRetain(0))
    text = HEAD + ".visible .entry k() .maxntid 200 { ret; }"
    kernel = cu.checked.cuModuleGetFunction(cu.checked.cuModuleLoadData(text.encode()), "k")
    most = cu.checked.cuDeviceGetAttribute(
        cu.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0
    )
    everywhere = cu.checked.cuDeviceGetAttribute(cu.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0)

    def best(shared, limit):
        if face == "hip":
            return PyGPU.hip.hipModuleOccupancyMaxPotentialBlockSize(int(kernel), shared, limit)
        return cu.cuOccupancyMaxPotentialBlockSize(kernel, None, shared, limit)

    assert best(0, 0) == (everywhere, 200, 0)
    assert best(0, 100) == (everywhere, 100, 0)
    assert best(most, 0) == (everywhere, 200, 0)
    assert best(most + 1, 0) == (0, 0, 0)
    assert best(0, -1)[-1] == 1
    if face == "cu":
        by_threads = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)(lambda n: n * most // 100)
        result = cu.cuOccupancyMaxPotentialBlockSize(kernel, by_threads, 0, 0)
        assert result == (everywhere, 96, 0)


@own_interpreter("on_host")
def test_text_that_is_no_ptx_is_refused_with_its_line():
    cu.checked.cuInit(0)
    cu.checked.cuCtxSetCurrent(cu.checked.cuDevicePrimaryCtxRetain(0))
    for body, said in (
        ("add.s32 %r1, %r2", "is expected"),
        ("bra nowhere_at_all; .branchtargets", "ends too early"),
        ("ts: .branchtargets missing;", "the label missing isn't there"),
        (".reg .b77 %x;", "b77"),
        ("mov.u32 %r1, 0f3F80;", "number"),
        ("@7 ret;", "predicate"),
        (".shared .b8 x[4294967296][4294967296];", "too large"),
        ("mov.u32 %r1, 1/(2-2);", "divides by zero"),
        ("mov.u32 %r1, (1+2;", "is expected"),
        ("mov.u32 %r1, " + "(" * 100 + "1" + ")" * 100 + ";", "nested too deeply"),
        (".reg .u32 %r<2>;", "%r is defined twice"),
        (".reg .u32 %x, %x;", "%x is defined twice"),
        (".reg .v2 .u32 %x, %x;", "%x is defined twice"),
        (".local .b32 x; .shared .b32 x;", "x is defined twice"),
        ("x: ret; x: ret;", "x is defined twice"),
        ("ts: .branchtargets a; ts: .branchtargets a; a: ret;", "ts is defined twice"),
    ):
        text = f"{HEAD}.entry k() {{\n.reg .u32 %r<3>;\n{body}\n}}"
        with pytest.raises(PyGPU.GPUError, match=rf"218.*line [4-9]: .*{said}"):
            PyGPU.Module(text.encode())


def entry(parameters: str, version: str = "8.0", target: str = "sm_80") -> str:
    return f".version {version}\n.target {target}\n.visible .entry k({parameters}) {{ ret; }}"


def limited(threads: str) -> str:
    return f"{HEAD}.entry k() .maxntid {threads} {{ ret; }}"


def shared(module: int, function: int, kernel: int) -> str:
    """Shared memory of these sizes. A second kernel has as much in a place of its own."""
    room = ".shared .b8 {}[{}];\n".format
    text = HEAD + (room("a", module) if module else "")
    text += f".func f() {{ {room('b', function) if function else ''} ret; }}\n"
    inner = room("c", kernel) if kernel else ""
    return text + f".entry one() {{ {inner} ret; }}\n.entry two() {{ {inner} ret; }}"


@own_interpreter("on_host")
def test_declarations_beyond_a_limit_are_refused():
    """PTX ISA, "Kernel Function Parameters"."""
    p = ".param .align 4 .b8 p[{}]".format
    table = [
        (entry(p(4352)), entry(p(4353)), "more than 4352 bytes"),
        (entry(p(32764), "8.1", "sm_70"), entry(p(32765), "8.1"), "more than 32764 bytes"),
        (entry(".param .u32 a, " + p(4348)), entry(".param .u64 a, " + p(4348)), "more than 4352"),
        (entry(""), entry(p(1 << 32)), "more than 4352 bytes"),
        (entry("", "8.8"), entry("", "eight"), "version"),
        (entry("", target="sm_90a"), entry("", target="sm_99999999999"), "target"),
        (entry("", target="sm_80, debug"), entry("", target="sm_"), "target"),
        (limited("64, 2"), limited("4294967297"), "too large"),
        (shared(0, 0, 232448), shared(0, 0, 232449), "232448 bytes of a block"),
        (shared(232384, 64, 0), shared(232384, 64, 1), "232448 bytes of a block"),
        (shared(64, 0, 232384), shared(64, 0, 232385), "232448 bytes of a block"),
        (entry(""), shared(1 << 32, 0, 0), "232448 bytes of a block"),
    ]
    for fits, exceeds, said in table:
        PyGPU.Module(fits.encode())
        with pytest.raises(PyGPU.GPUError, match=rf"218.*line \d+: .*{said}"):
            PyGPU.Module(exceeds.encode())


@own_interpreter("on_host")
def test_a_function_has_a_limit_of_constants():
    adds = "".join(f"add.u32 %r, %r, {number};\n" for number in range(1 << 17))
    kernel = PyGPU.Module(f"{HEAD}.entry k() {{ .reg .u32 %r; {adds} ret; }}".encode())["k"]
    kernel(grid=1, block=1)
    assert PyGPU.cudaDeviceSynchronize() == 0
    adds += f"add.u32 %r, %r, {1 << 17};\n"
    kernel = PyGPU.Module(f"{HEAD}.entry k() {{ .reg .u32 %r; {adds} ret; }}".encode())["k"]
    with host.reports() as reports:
        kernel(grid=1, block=1)
        assert PyGPU.cudaDeviceSynchronize() == 719
    assert "too many constants" in reports[0]


PRINTS = r"""
extern "C" int printf(const char *, ...);
extern "C" __global__ void speak(int n) {
    if (threadIdx.x < n)
        printf("%d %5.2f|%-4s|%c %llx %% %u %*d\n", (int)threadIdx.x, 1.5, "ab", 'z', 1ull << 40,
               7u, 4, 9);
}
"""


def speak():
    PyGPU.SourceModule(PRINTS, cache_dir=False, no_extern_c=True)["speak"](
        np.int32(3), grid=2, block=4
    )
    PyGPU.cudaDeviceSynchronize()


def test_printf_writes_to_stdout_in_order(on_host, nvrtc):
    said = on_host(speak).stdout.splitlines()
    assert said == [f"{i}  1.50|ab  |z 10000000000 % 7    9" for i in range(3)] * 2


EDGES = r"""
extern "C" int printf(const char *, ...);
extern "C" __global__ void speak(const char *end) {
    printf("|%*d|%.*f|%-*.*f|", -4, 7, -1, 0.5, 6, 1, 2.25);
    printf("%hhd|%hu|%hhx|%hd|", 300, 65537, 0x1ff, 40000);
    printf("%s|%.3s|%.*s|%5.1s|\n", (const char *)0, end - 3, 2, end - 2, end - 1);
}
"""


def speak_at_edges():
    """Prints text of three characters that ends where the memory ends."""
    size = 1 << 21
    memory = PyGPU.to_gpu(np.frombuffer(b"a" * (size - 3) + b"xyz", np.uint8))
    module = PyGPU.SourceModule(EDGES, cache_dir=False, no_extern_c=True)
    module["speak"](np.uint64(int(memory.gpudata) + size), grid=1, block=1)
    assert PyGPU.cudaDeviceSynchronize() == 0


WIDE = r"""
extern "C" int printf(const char *, ...);
extern "C" __global__ void speak() {
    printf("%999999999d|%-*d|", 7, 999999999, 7);
    printf("%.999999999f|%.*d|\n", 0.5, 999999999, 7);
}
"""


def speak_widely():
    PyGPU.SourceModule(WIDE, cache_dir=False, no_extern_c=True)["speak"](grid=1, block=1)
    assert PyGPU.cudaDeviceSynchronize() == 0


def test_widths_of_printf_have_a_bound(on_host, nvrtc):
    """A thousand million of blanks would take memory and many seconds."""
    said = on_host(speak_widely).stdout.split("|")
    assert [len(one) for one in said[:3]] == [65536, 65536, 65538]
    assert [one.strip(" ") for one in said[:2]] == ["7", "7"]
    assert said[3] == "7".zfill(65536)


def test_printf_takes_what_c_takes(on_host, nvrtc):
    said = on_host(speak_at_edges).stdout
    assert said == "|7   |0.500000|2.2   |44|1|ff|-25536|(null)|xyz|yz|    z|\n"


ASSERTS = r"""
extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t);
extern "C" __global__ void check(int *values) {
    if (values[threadIdx.x] != 5) __assertfail("values == 5", "file.cu", 12, "check", 1);
}
"""


@own_interpreter("on_host")
def test_an_assertion_names_its_place_and_thread():
    module = PyGPU.Module(compiled(ASSERTS, "compute_80"))
    values = PyGPU.to_gpu(np.array([5, 5, 4, 5], np.int32))
    with host.reports() as reports:
        module["check"](values, grid=1, block=4)
        assert PyGPU.cudaDeviceSynchronize() == 710
    assert "thread (2, 0, 0): file.cu:12: check: assertion `values == 5` failed" in reports[0]


GRID = r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void sums(int *values, int rounds) {
    cg::grid_group grid = cg::this_grid();
    int n = gridDim.x * blockDim.x, i = grid.thread_rank();
    for (int round = 0; round < rounds; ++round) {
        int next = values[(i + 1) % n] + round;
        grid.sync();
        values[i] = next;
        grid.sync();
    }
}
"""


@own_interpreter("on_host")
def test_all_blocks_of_a_cooperative_launch_run_at_once(nvrtc):
    code = PyGPU.compiler.compile(GRID, arch="compute_80", cache=False)
    cu.checked.cuInit(0)
    cu.checked.cuCtxSetCurrent(cu.checked.cuDevicePrimaryCtxRetain(0))
    module = cu.checked.cuModuleLoadData(code)
    kernel = cu.checked.cuModuleGetFunction(module, "sums")
    values = np.arange(12 * 40, dtype=np.int32)
    array = PyGPU.to_gpu(values)
    arguments = ((int(array.gpudata), 5), (ctypes.c_void_p, ctypes.c_int))
    cu.checked.cuLaunchCooperativeKernel(kernel, 12, 1, 1, 40, 1, 1, 0, None, arguments)
    for turn in range(5):
        values = np.roll(values, -1) + turn
    assert np.array_equal(array.get(), values)


@own_interpreter("on_host")
def test_clusters_are_as_the_kernel_requires():
    """A launch may not ask for another size, and the grid is a multiple of it."""
    text = "{}.entry k() .explicitcluster .reqnctapercluster {}, 1, 1 {{ ret; }}".format
    alone = PyGPU.Module(text(HEAD, 1).encode())["k"]
    for asked in ({}, {"cluster": 1}, {"cluster": (1, 1, 1), "cooperative": True}):
        alone(grid=4, block=32, **asked)
    pairs = PyGPU.Module(text(HEAD, 2).encode())["k"]
    for asked in ({}, {"cluster": 2}):
        pairs(grid=4, block=32, **asked)
    assert PyGPU.cudaDeviceSynchronize() == 0
    assert [pairs.attribute(f"REQUIRED_CLUSTER_{one}") for one in ("WIDTH", "DEPTH")] == [2, 1]
    with pytest.raises(PyGPU.GPUError, match=r"\b1\b"):
        pairs(grid=3, block=32)
    for asked in ({"cluster": 2}, {"cluster": (1, 1, 2)}, {"cluster": (1, 2), "cooperative": True}):
        with pytest.raises(PyGPU.GPUError, match=r"\b1\b"):
            alone(grid=4, block=32, **asked)
    library = PyGPU.cuda.checked.cudaLibraryLoadData(text(HEAD, 1).encode(), [], [], 0, [], [], 0)
    kernel = PyGPU.cuda.checked.cudaLibraryGetKernel(library, "k")
    for size, status in ((1, 0), (2, 1)):
        cluster = {"id": PyGPU.cuda.cudaLaunchAttributeClusterDimension}
        cluster["val"] = {"clusterDim": (1, size, 1)}
        config = {"gridDim": 4, "blockDim": 32, "attrs": [cluster]}
        assert PyGPU.cuda.cudaLaunchKernelExC(config, kernel, None) == status

"""PYGPU_HOST_CHECK=1: faulty kernels are reported with their place, correct ones are not."""

from __future__ import annotations

import ctypes
import re

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.host.ptx import test_corpus, test_mbarriers
from tests.host.ptx.test_corpus import folder  # noqa: F401
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_host", PYGPU_HOST_CHECK="1", PYGPU_HOST_MEMORY="1GiB")

RACE, UNWRITTEN = "race in shared memory", "read of shared memory that nobody has written"
DIVERGED, STUCK = "barrier in diverged code", "threads wait for others that never come"
HEAD = 'extern "C" __global__ void k(int *out) {\n__shared__ int tile[64]; int t = threadIdx.x;\n'
# A title, the report, the faulty body with a mark at the fault, and a correct body.
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
    """The checker's report about a kernel, and the code of the launch."""
    kernel, out = kernel_of(source), PyGPU.to_gpu(np.zeros(64, np.int32))
    with host.reports() as reports:
        kernel(out, grid=1, block=threads)
        code = int(PyGPU.cudaDeviceSynchronize())
    if code:
        PyGPU.cudaDeviceReset()
    return list(reports), code


@pytest.mark.parametrize(("title", "said", "faulty", "sound"), FAULTS)
def test_faults_are_told_with_kernel_line_and_thread(title, said, faulty, sound):
    source = HEAD + faulty + "\n}"
    reported, code = told_of(source)
    assert code == 0, "the kernel goes on"
    matches = [one for one in reported if title in one]
    assert matches, reported
    line = 1 + source[: source.index("// fault")].count("\n")
    assert any(re.search(rf":{line}, line \d+ of its PTX", one) for one in matches), matches
    assert any(re.search(said, one) for one in matches), matches
    assert re.search(r"\n  kernel +k\n", matches[0])
    assert re.search(r"\n  by +block \(0, 0, 0\), thread \(\d+, 0, 0\)\n", matches[0])
    if title == RACE:
        assert re.search(
            r"\n  against +(write|read|atomic) (of|on) 4 bytes by thread \(\d+", matches[0]
        )
    assert told_of(HEAD + sound + "\n}") == ([], 0)


# Asynchronous copies into tile[t], and then the thread's own element, or one of another thread.
GO = 'asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");\n'
END = 'asm volatile("cp.async.commit_group;" ::: "memory");\n'
ALL = 'asm volatile("cp.async.wait_all;" ::: "memory");\n'
BUT = 'asm volatile("cp.async.wait_group {};" ::: "memory");\n'.format
OWN, OTHER = "out[t] = tile[t];", "out[t] = tile[63 - t];"
COPIES = {
    # A report: who does what; none where the kernel is right.
    GO + OWN: ("read of 4 bytes", r"\d+"),
    GO + "tile[t] = 5;": ("write of 4 bytes", r"\d+"),
    GO + ALL + OWN: None,
    GO + END + BUT(0) + OWN: None,
    GO + BUT(0) + OWN: ("read of 4 bytes", r"\d+"),
    GO + END + BUT(1) + OWN: ("read of 4 bytes", r"\d+"),
    GO + END + "to += 256;" + GO + END + BUT(1) + OWN: None,
    GO + END + END + BUT(1) + OWN: None,
    GO + ALL + "__syncthreads();" + OTHER: None,
    GO + "__syncthreads();" + ALL + OTHER: ("read of 4 bytes", r"\d+"),
    # Groups belong to threads, not to warps.
    f"if (t & 1) {{ {GO} }} else tile[t] = t;\n" + OWN: ("read of 4 bytes", r"\d*[13579]"),
    f"if (t & 1) {{ {GO} {ALL} }} else tile[t] = t;\n" + OWN: None,
    GO + f"if (t & 1) {{ {ALL} }}\n" + OWN: ("read of 4 bytes", r"\d*[02468]"),
    f"if (t & 1) {{ {END} }} {GO} {END} if (t & 1) {{ {END} }}" + BUT(1) + OWN: (
        "read of 4 bytes",
        r"\d*[02468]",
    ),
}


@pytest.mark.parametrize("body", COPIES)
def test_asynchronous_copies_are_over_once_their_thread_has_waited(body):
    start = "unsigned to = (unsigned)__cvta_generic_to_shared(tile + t); int *from = out + t;\n"
    reported, code = told_of(HEAD.replace("tile[64]", "tile[128]") + start + body + "\n}")
    assert code == 0
    if COPIES[body] is None:
        assert reported == []
        return
    what, thread = COPIES[body]
    assert len(reported) == 1, reported
    assert re.search(rf"\n  access +{what}, byte", reported[0]), reported
    assert re.search(rf"\n  by +block \(0, 0, 0\), thread \({thread}, 0, 0\)\n", reported[0]), (
        reported
    )
    assert re.search(r"\n  against +asynchronous write of 4 bytes by thread", reported[0])
    assert "the thread that copies hasn't waited for it" in reported[0]


def test_copies_that_arrive_at_an_mbarrier_are_over_in_its_next_phase():
    kernel, values = (
        kernel_of(test_mbarriers.KERNELS, "copies"),
        PyGPU.to_gpu(np.arange(128, dtype=np.int32)),
    )
    for by_itself in (0, 1):
        with host.reports() as reports:
            kernel(
                values,
                PyGPU.to_gpu(np.zeros(128, np.int32)),
                np.int32(by_itself),
                grid=1,
                block=128,
            )
            assert PyGPU.cudaDeviceSynchronize() == 0
        assert reports == []


def test_the_barrier_of_a_cluster_orders_what_comes_before_an_arrival():
    arrive, wait = (
        f'asm volatile("barrier.cluster.{one};" ::: "memory");' for one in ("arrive", "wait")
    )
    for between, then, count in (("", wait, 0), ("", "", 1), ("tile[t] = t;", wait, 1)):
        late = (
            f"if (t < 32) {{ {then} }} else {{ for (int i = 0; i < 3; ++i) __syncwarp(); {then} }}"
        )
        body = f"tile[t] = 1; {arrive} {between} {late} out[t] = tile[63 - t];"
        reported, code = told_of(HEAD + body + "\n}")
        assert code == 0
        assert len([one for one in reported if RACE in one]) >= count
        assert count or reported == [], reported


def test_a_launch_tells_each_fault_once():
    reported, _ = told_of(HEAD + "tile[t] = t; out[t] = tile[63 - t]; }")
    races = [one for one in reported if RACE in one]
    assert 1 <= len(races) <= 2, "write then read, read then write"
    assert all(re.search(r"\n  times +\d+", one) for one in races), reported


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
        with host.reports() as reports:
            PyGPU.Module(text.format(before).encode())["k"](out, grid=1, block=32)
            assert PyGPU.cudaDeviceSynchronize() == 0
        assert len(reports) == count, reports
    source = text.format("st.local.u32 [own], 1;")
    with host.reports() as reports:
        PyGPU.Module(source.encode())["k"](out, grid=1, block=32)
        PyGPU.cudaDeviceSynchronize()
    assert "read of local memory that was not written" in reports[0]
    assert re.search(r"\n  at +line 7 of its PTX\n", reports[0]), "without .loc there is no file"


COPY = """extern "C" __global__ void copy(const int *in, int *out) {
int t = threadIdx.x;
out[t] = in[t]; // fault
}"""
BYTES = 256
FRESH = 0xCB  # the pattern of fresh memory; a program may write the same byte
GPU = PyGPU.checked


def malloc(call="cudaMalloc"):
    return getattr(GPU, call)(BYTES)


def copied(to, source, size=BYTES, kind=PyGPU.cudaMemcpyDefault):
    GPU.cudaMemcpy(to, source, size, kind)
    return to


def of_the_host():
    return np.full(BYTES, FRESH, np.uint8)


def written_by_a_kernel():
    pointer = malloc()
    kernel_of('extern "C" __global__ void k(int *out) { out[threadIdx.x] = 0xCBCBCBCB; }')(
        np.uint64(int(pointer)), grid=1, block=64
    )
    return pointer


def written_by_a_function():
    def fill(grid, block, to):
        ctypes.memset(to, FRESH, BYTES)

    pointer = malloc()
    with host.kernel("k", fill, parameters=[ctypes.c_uint64]):
        kernel_of('extern "C" __global__ void k(int *out) {}')(
            np.uint64(int(pointer)), grid=1, block=1
        )
        GPU.cudaDeviceSynchronize()
    return pointer


def written_by_the_process():
    pointer = malloc()
    ctypes.memset(int(pointer), 1, BYTES)
    return pointer


def written_in_rows():
    pointer = malloc()
    GPU.cudaMemset2D(pointer, 32, FRESH, 4, 8)  # the first four bytes of every 32
    return pointer


def again_of_a_pool():
    for _ in range(600):  # more than the quarantine of freed memory can hold
        pointer = GPU.cudaMallocAsync(BYTES, PyGPU.cudaStreamLegacy)
        GPU.cudaMemsetAsync(pointer, 1, BYTES, PyGPU.cudaStreamLegacy)
        GPU.cudaFreeAsync(pointer, PyGPU.cudaStreamLegacy)
    return GPU.cudaMallocAsync(BYTES, PyGPU.cudaStreamLegacy)


# How the kernel gets its memory, and the first byte of it that nobody has written.
UNWRITTEN_FROM = {
    "nothing": (malloc, 0),
    "a pool": (lambda: GPU.cudaMallocAsync(BYTES, PyGPU.cudaStreamLegacy), 0),
    "freed and allocated again": (again_of_a_pool, 0),
    "half of it": (lambda: copied(malloc(), of_the_host(), BYTES // 2), BYTES // 2),
    "rows": (written_in_rows, 4),
    "unwritten memory of the device": (lambda: copied(malloc(), malloc()), 0),
    "written memory of the device": (lambda: copied(malloc(), written_by_a_kernel()), None),
    "the host": (lambda: copied(malloc(), of_the_host()), None),
    "a kernel": (written_by_a_kernel, None),
    "a registered function": (written_by_a_function, None),
    "the process itself": (written_by_the_process, None),
    "managed memory": (lambda: GPU.cudaMallocManaged(BYTES, 1), None),
    "pinned memory": (lambda: GPU.cudaMallocHost(BYTES), None),
}


@pytest.mark.parametrize("how", UNWRITTEN_FROM)
def test_reads_of_device_memory_that_nobody_has_written(how):
    make, first = UNWRITTEN_FROM[how]
    arguments, out = make(), PyGPU.to_gpu(np.zeros(64, np.int32))
    kernel = kernel_of(COPY, "copy")
    with host.reports() as reports:
        kernel(np.uint64(int(arguments)), out, grid=1, block=64)
        assert PyGPU.cudaDeviceSynchronize() == 0, "the kernel goes on"
    if first is None:
        assert reports == []
        return
    (said,) = reports
    assert "read of device memory that nobody has written" in said
    assert f"read of 4 bytes, byte {first} of an allocation of {BYTES} bytes" in said
    assert re.search(r"\n  kernel +copy\n", said)
    assert re.search(rf"\n  by +block \(0, 0, 0\), thread \({first // 4}, 0, 0\)\n", said)
    assert re.search(r":3, line \d+ of its PTX", said)


def test_padding_that_is_copied_with_its_structure_is_no_fault():
    source = """struct __align__(16) Padded { float x, y, z; };
extern "C" __global__ void k(Padded *all, Padded *out) {
Padded *mine = all + threadIdx.x;
mine->x = mine->y = mine->z = threadIdx.x;
__syncthreads();
out[threadIdx.x] = all[63 - threadIdx.x];
}"""
    kernel = kernel_of(source)
    arguments, out = GPU.cudaMalloc(64 * 16), GPU.cudaMalloc(64 * 16)
    with host.reports() as reports:
        kernel(np.uint64(int(arguments)), np.uint64(int(out)), grid=1, block=64)
        assert PyGPU.cudaDeviceSynchronize() == 0
    assert reports == []


def test_sums_into_device_memory_that_was_not_set():
    source = """extern "C" __global__ void k(int *out) {
atomicAdd(out + threadIdx.x % 4, 1); // fault
}"""
    kernel, out = kernel_of(source), GPU.cudaMalloc(16)
    for set_before in (False, True):
        if set_before:
            GPU.cudaFree(out)
            out = GPU.cudaMalloc(16)
            GPU.cudaMemset(out, 0, 16)
        with host.reports() as reports:
            kernel(np.uint64(int(out)), grid=1, block=64)
            assert PyGPU.cudaDeviceSynchronize() == 0
        assert len(reports) == (not set_before)
        assert all("atomic on 4 bytes" in one and re.search(r"times +4", one) for one in reports)


def test_accesses_out_of_bounds_name_the_array():
    for body, said in (
        ("out[64 + t] = t;", "0 bytes behind the end of an allocation of 256 bytes"),
        ("if (t == 3) out[-1] = t;", "4 bytes before an allocation of 256 bytes"),
        ("volatile int *s = tile; out[t] = s[64 + t];", r"behind the end of .*tile"),
        ("volatile int *s = tile; s[t - 2] = t;", "8 bytes before the start of shared memory"),
    ):
        reported, code = told_of(HEAD + body + "\n}")
        assert code == 700, reported
        assert any("access out of bounds" in one and re.search(said, one) for one in reported), (
            reported
        )
    assert told_of("__device__ int table[8];\n" + HEAD + "out[t] = table[t & 7]; }") == ([], 0)


def test_names_that_look_like_mangled_types_are_left_alone():
    source = """extern "C" { __device__ int x[4];
__global__ void f(int *out) { x[out[0] + 4] = 1; } }"""
    kernel, out = kernel_of(source, "f"), PyGPU.to_gpu(np.zeros(64, np.int32))
    with host.reports() as reports:
        kernel(out, grid=1, block=1)
        assert PyGPU.cudaDeviceSynchronize() == 700
    PyGPU.cudaDeviceReset()
    assert re.search(r"\n  kernel +f\n.* behind the end of x \(global, 16 bytes\)", reports[0])


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
        with host.reports() as reports:
            PyGPU.Module(text.format(body).encode())["k"](out, grid=1, block=32)
            assert PyGPU.cudaDeviceSynchronize() == code, body
        matches = [one for one in reports if "check:" in one]
        assert len(matches) == (title is not None), (body, reports)
        if title:
            assert title in matches[0]
            assert re.search(r"thread \(\d+, 0, 0\)", matches[0])
            assert re.search(r"line \d+ of its PTX", matches[0])
        if code:
            PyGPU.cudaDeviceReset()
            out = PyGPU.to_gpu(np.zeros(1, np.int32))


@pytest.mark.parametrize("variant", ["nvrtc compute_80", "nvrtc compute_80 -G"], scope="session")
@pytest.mark.parametrize(
    "run", [getattr(test_corpus, name) for name in dir(test_corpus) if name.startswith("test_")]
)
def test_the_corpus_is_silent(run, variant, folder):  # noqa: F811
    with host.reports() as reports:
        run(variant, folder)
    assert not reports

"""Barriers in shared memory: phases, counts, asynchronous copies, and waits that never end."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.host.device_code import compiled
from tests.own_interpreter import own_interpreter

KERNELS = r"""
using u64 = unsigned long long;
__device__ unsigned at(u64 *bar) { return (unsigned)__cvta_generic_to_shared(bar); }
__device__ void init(u64 *bar, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(bar)), "r"(count) : "memory");
}
__device__ u64 arrive(u64 *bar) {
    u64 state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(bar)) : "memory");
    return state;
}
__device__ bool done(u64 *bar, u64 state) {
    int is;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; "
                 "selp.s32 %0, 1, 0, p; }"
                 : "=r"(is) : "r"(at(bar)), "l"(state) : "memory");
    return is;
}
__device__ bool done_by_parity(u64 *bar, int parity) {
    int is;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; "
                 "selp.s32 %0, 1, 0, p; }"
                 : "=r"(is) : "r"(at(bar)), "r"(parity) : "memory");
    return is;
}
// Each thread's value goes to its mirror image, twice as large in each of five phases.
extern "C" __global__ void phases(const int *in, int *out) {
    extern __shared__ int room[];
    __shared__ u64 bar;
    const int i = threadIdx.x, n = blockDim.x;
    if (i == 0) init(&bar, n);
    __syncthreads();
    int value = in[blockIdx.x * n + i];
    for (int phase = 0; phase < 5; ++phase) {
        room[phase * n + i] = 2 * value;
        const u64 state = arrive(&bar);
        while (!done(&bar, state)) {}
        value = room[phase * n + n - 1 - i];
    }
    out[blockIdx.x * n + i] = value;
}
// Asynchronous copies, which arrive by themselves (noinc), or with the thread.
extern "C" __global__ void copies(const int *in, int *out, int by_itself) {
    __shared__ u64 bar;
    __shared__ int room[128];
    const int i = threadIdx.x;
    if (i == 0) init(&bar, 128);
    __syncthreads();
    const unsigned to = (unsigned)__cvta_generic_to_shared(room + i);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + i) : "memory");
    if (by_itself) {
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at(&bar)) : "memory");
    } else {
        asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at(&bar)) : "memory");
        arrive(&bar);
    }
    while (!done_by_parity(&bar, 0)) {}
    out[i] = room[127 - i];
}
// Of 64 expected threads 32 leave for good; the rest go through two more phases alone.
extern "C" __global__ void dropping(int *out) {
    __shared__ u64 bar;
    const int i = threadIdx.x;
    if (i == 0) init(&bar, 64);
    __syncthreads();
    if (i % 2) {
        asm volatile("{ .reg .b64 s; mbarrier.arrive_drop.shared.b64 s, [%0]; }"
                     ::"r"(at(&bar)) : "memory");
        return;
    }
    for (int phase = 0; phase < 3; ++phase) {
        const u64 state = arrive(&bar);
        while (!done(&bar, state)) {}
    }
    u64 state;
    unsigned pending;
    __syncwarp(0x55555555);
    if (i) return;
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 3;"
                 : "=l"(state) : "r"(at(&bar)));
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
    out[0] = pending;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at(&bar)));
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
    out[1] = pending;
}
// The first warp looks at a barrier that nobody arrives at, between two steps of its work.
extern "C" __global__ void working(int *out, int steps) {
    __shared__ u64 bar, other;
    const int i = threadIdx.x;
    if (i == 0) {
        init(&bar, blockDim.x);
        init(&other, 1);
    }
    __syncthreads();
    float value = i;
    if (i < 32)
        for (int step = 0; step < steps && !done_by_parity(&other, 0); ++step)
            value = value * 1.0001f + 1;
    const u64 state = arrive(&bar);
    while (!done(&bar, state)) {}
    out[i] = value > 0;
}
// The first block waits at a barrier, or for the second one, which works for long.
extern "C" __global__ void outside(volatile int *out, int steps) {
    __shared__ u64 bar;
    const int i = threadIdx.x;
    if (i == 0) init(&bar, blockDim.x + 1);
    __syncthreads();
    if (blockIdx.x == 0) {
        const u64 state = arrive(&bar);
        while (!out[0] && !done(&bar, state)) {}
    } else {
        float value = i;
        for (int step = 0; step < steps; ++step) value = value * 1.0001f + 1;
        out[i + 1] = value > 0;
        __syncthreads();
        if (i == 0) out[0] = 1;
    }
}
extern "C" __global__ void faulty(int expected, int times) {
    __shared__ u64 bar;
    if (threadIdx.x == 0) init(&bar, expected);
    __syncthreads();
    u64 state = 0;
    for (int i = 0; i < times; ++i) state = arrive(&bar);
    while (!done(&bar, state)) {}
}
"""


@pytest.fixture
def compilable(nvrtc):
    """The test is skipped where there is no NVRTC."""


@own_interpreter("on_devices")
def test_threads_meet_at_each_phase(compilable):
    module = PyGPU.Module(compiled(KERNELS, "compute_80"))
    for threads in (32, 100, 256):
        values = np.arange(3 * threads, dtype=np.int32).reshape(3, threads)
        arguments, out = PyGPU.to_gpu(values), PyGPU.to_gpu(np.zeros_like(values))
        module["phases"](arguments, out, grid=3, block=threads, shared=5 * 4 * threads)
        assert np.array_equal(out.get(), 32 * values[:, ::-1]), threads


@own_interpreter("on_devices")
def test_asynchronous_copies_arrive(compilable):
    module = PyGPU.Module(compiled(KERNELS, "compute_80"))
    values = np.arange(128, dtype=np.int32) * 3
    for by_itself in (0, 1):
        arguments, out = PyGPU.to_gpu(values), PyGPU.to_gpu(np.zeros_like(values))
        module["copies"](arguments, out, np.int32(by_itself), grid=1, block=128)
        assert np.array_equal(out.get(), values[::-1])


@own_interpreter("on_devices")
def test_threads_that_drop_out_are_not_waited_for(compilable):
    module = PyGPU.Module(compiled(KERNELS, "compute_80"))
    out = PyGPU.to_gpu(np.zeros(2, np.int32))
    module["dropping"](out, grid=1, block=64)
    assert out.get().tolist() == [32, 29]


@pytest.mark.parametrize(
    ("name", "steps", "grid"), [("working", 200_000, 1), ("outside", 6_000_000, 2)]
)
@own_interpreter("on_devices")
def test_who_polls_and_works_is_not_taken_for_a_deadlock(compilable, name, steps, grid):
    """Between two polls the thread changes its own state, or also waits for another block."""
    out = PyGPU.to_gpu(np.zeros(65, np.int32))
    PyGPU.Module(compiled(KERNELS, "compute_80"))[name](out, np.int32(steps), grid=grid, block=64)
    assert out.get()[1:64].all()


@pytest.mark.parametrize(
    ("expected", "times", "code", "said"),
    [(65, 1, 702, "phase of an mbarrier"), (0, 1, 715, "1 to 1048575")],
)
@own_interpreter("on_host")
def test_what_goes_wrong_is_told(compilable, expected, times, code, said):
    module = PyGPU.Module(compiled(KERNELS, "compute_80"))
    with host.reports() as reports:
        module["faulty"](np.int32(expected), np.int32(times), grid=2, block=64)
        assert PyGPU.cudaDeviceSynchronize() == code
    assert said in reports[0]
    assert PyGPU.cudaDeviceReset() == 0


BYTES = """.version 8.0\n.target sm_90\n.address_size 64
.visible .entry k() {{
    .reg .b64 %s; .shared .align 8 .b64 bar;
    mbarrier.init.shared.b64 [bar], 1;
    {}
    ret;
}}"""


@own_interpreter("on_host")
def test_bytes_of_transactions_stay_in_their_range():
    """PTX ISA, "mbarrier object": the count of transactions goes from -(2^20 - 1) to 2^20 - 1."""
    expect, complete = (
        f"mbarrier.{name}.relaxed.cta.shared::cta.b64 [bar], "
        for name in ("expect_tx", "complete_tx")
    )
    arrive = "mbarrier.arrive.expect_tx.shared.b64 %s, [bar], "
    for body, code in (
        (f"{expect}1048575;", 0),
        (f"{complete}1048575; {expect}1048575;", 0),
        (f"{expect}2097152;", 715),  # 0, as the object's 21 bits wrap
        (f"{expect}1048575; {expect}1;", 715),
        (f"{complete}2097152;", 715),
        (f"{arrive}2097152;", 715),
    ):
        with host.reports() as reports:
            PyGPU.Module(BYTES.format(body).encode())["k"](grid=1, block=1)
            assert PyGPU.cudaDeviceSynchronize() == code, body
        if code:
            assert "at most 1048575 bytes" in reports[0]
            assert PyGPU.cudaDeviceReset() == 0


@own_interpreter("on_devices")
def test_a_barrier_that_all_have_left_can_be_invalidated():
    body = """mbarrier.arrive_drop.shared.b64 %s, [bar];
    mbarrier.inval.shared.b64 [bar]; mbarrier.init.shared.b64 [bar], 1;"""
    PyGPU.Module(BYTES.format(body).encode())["k"](grid=1, block=1)
    assert PyGPU.cudaDeviceSynchronize() == 0

"""Green contexts, launches in steps, and the log of failures; each in an interpreter of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from PyGPU import cu
from tests.own_interpreter import own_interpreter

SCALE = b"""
.version 7.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 values, .param .f32 by)
{
    .reg .b32 %r;
    .reg .f32 %f<3>;
    .reg .b64 %at, %offset;
    ld.param.u64 %at, [values];
    ld.param.f32 %f1, [by];
    mov.u32 %r, %tid.x;
    mul.wide.u32 %offset, %r, 4;
    add.u64 %at, %at, %offset;
    ld.global.f32 %f2, [%at];
    mul.f32 %f2, %f2, %f1;
    st.global.f32 [%at], %f2;
    ret;
}
"""
START = np.arange(32, dtype=np.float32)


def ok(result: Any) -> Any:
    """The value of a call that must succeed."""
    *values, error = result if isinstance(result, tuple) else (result,)
    assert not error, error
    return values[0] if len(values) == 1 else values


def loaded() -> tuple[Any, int]:
    """The kernel, and memory that holds START."""
    ok(cu.cuInit(0))
    ok(cu.cuCtxSetCurrent(ok(cu.cuDevicePrimaryCtxRetain(0))))
    kernel = ok(cu.cuModuleGetFunction(ok(cu.cuModuleLoadData(SCALE)), "scale"))
    memory = ok(cu.cuMemAlloc(START.nbytes))
    ok(cu.cuMemcpyHtoD(memory, START, START.nbytes))
    return kernel, memory


def factor(memory: int) -> list[float]:
    """By what START was multiplied."""
    back = np.zeros_like(START)
    ok(cu.cuMemcpyDtoH(back, memory, back.nbytes))
    return sorted(set((back[1:] / START[1:]).tolist()))


@own_interpreter("on_host")
def test_a_function_keeps_its_block_and_its_arguments():
    kernel, memory = loaded()
    ok(cu.cuFuncSetBlockShape(kernel, 32, 1, 1))
    ok(cu.cuParamSetSize(kernel, 12))
    ok(cu.cuParamSetv(kernel, 0, np.array([memory], np.uint64), 8))
    ok(cu.cuParamSetf(kernel, 8, 3.0))
    ok(cu.cuLaunch(kernel))
    assert factor(memory) == [3]
    ok(cu.cuParamSetf(kernel, 8, 2.0))
    ok(cu.cuLaunchGrid(kernel, 1, 1))
    assert factor(memory) == [6]


@own_interpreter("on_host")
def test_kernels_run_in_a_green_context():
    kernel, memory = loaded()
    whole = ok(cu.cuDeviceGetDevResource(0, 1))
    groups = ok(cu.cuDevSmResourceSplitByCount(whole, 0, 1, nbGroups=1))[0]
    green = ok(cu.cuGreenCtxCreate(ok(cu.cuDevResourceGenerateDesc([groups[0]], 1)), 0, 1))
    stream = ok(cu.cuGreenCtxStreamCreate(green, 1, 0))
    assert ok(cu.cuStreamGetDevResource(stream, 1)).sm.smCount == 1
    arguments = [np.uint64(memory), np.float32(5)]
    ok(cu.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, arguments, None))
    ok(cu.cuStreamSynchronize(stream))
    assert factor(memory) == [5]
    event = ok(cu.cuEventCreate(0))
    ok(cu.cuGreenCtxRecordEvent(green, event))
    ok(cu.cuEventSynchronize(event))
    ok(cu.cuGreenCtxDestroy(green))
    assert int(cu.cuStreamQuery(stream)) == 709


@own_interpreter("on_host")
def test_failures_are_logged_and_the_oldest_make_place():
    ok(cu.cuInit(0))
    first = ok(cu.cuLogsCurrent(0))
    assert int(cu.cuDeviceGet(99)[-1]) == 101
    after, text = ok(cu.cuLogsDumpToMemory(first, 0))
    assert (after, text.count("\n")) == (first + 1, 1)
    assert "cuDeviceGet returned 101" in text
    for _ in range(2000):
        cu.cuDeviceGet(99)
    _, text = ok(cu.cuLogsDumpToMemory(first, 0, size=1000))
    assert "older messages are left out" in text
    assert 500 < len(text) < 1000
    assert len(ok(cu.cuLogsDumpToMemory(None, 0))[1]) <= 25600
    assert int(cu.cuLogsDumpToMemory(first, 0, size=20)[-1]) == 1

"""Lanes that reach one .sync instruction from different function calls exchange their values."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from tests.host.device_code import compiled
from tests.own_interpreter import own_interpreter

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
LANES = np.arange(32)
# The function's operation on x, and the result from the values of all lanes.
OPERATIONS = {
    "shfl.sync.idx.b32 %r|%p, %x, %other, 31, -1;": lambda x: x[::-1],
    "setp.gt.u32 %p, %x, 20;\nvote.sync.ballot.b32 %r, %p, -1;": lambda x: (
        0 * x + sum(1 << int(i) for i in LANES if x[i] > 20)
    ),
    "setp.gt.u32 %p, %x, 70;\nvote.sync.any.pred %p, %p, -1;\nselp.u32 %r, 1, 0, %p;": lambda x: (
        0 * x
    ),
    "match.any.sync.b32 %r, %half, -1;": lambda x: np.array(
        [sum(1 << int(i) for i in LANES if x[i] // 8 == one) for one in x // 8]
    ),
    "redux.sync.max.u32 %r, %x, -1;": lambda x: 0 * x + x.max(),
    "elect.sync %r|%p, -1;\nselp.u32 %r, 1, 0, %p;": lambda x: (LANES == 0) * 1,
    "activemask.b32 %r;\nbar.warp.sync -1;\nmov.u32 %r, %x;": lambda x: x,
}


def kernel(operation: str) -> bytes:
    return f"""{HEAD}
.func (.reg .u32 %r) f(.reg .u32 %x) {{
    .reg .u32 %other, %half; .reg .pred %p;
    mov.u32 %other, %laneid; sub.u32 %other, 31, %other; shr.u32 %half, %x, 3;
    {operation}
    ret;
}}
.visible .entry k(.param .u64 p, .param .u32 n) {{
    .reg .u32 %l, %r, %n, %w; .reg .u64 %o, %a; .reg .pred %p, %q;
    ld.param.u64 %o, [p]; ld.param.u32 %n, [n]; mov.u32 %l, %tid.x;
    setp.lt.u32 %p, %l, %n;
    and.b32 %w, %l, 1; setp.eq.u32 %q, %w, 1;
    @%p bra low;
    shl.b32 %w, %l, 1; call (%r), f, (%w); mul.lo.u32 %r, %r, 3; bra.uni end;
low: @%q bra odd;
    call (%r), f, (%l); bra.uni end;
odd: call (%r), f, (%l);
end: mad.wide.u32 %a, %l, 4, %o; st.global.u32 [%a], %r;
    ret;
}}""".encode()


@pytest.mark.parametrize("operation", OPERATIONS)
@own_interpreter("on_host", PYGPU_HOST_TIMEOUT="5")
def test_values_cross_from_one_call_to_another(operation):
    with np.errstate(all="ignore"):
        for n in (16, 5, 0, 32):
            array = PyGPU.to_gpu(np.zeros(32, np.uint32))
            PyGPU.Module(kernel(operation))["k"](array, np.uint32(n), grid=1, block=32)
            arguments = np.where(n > LANES, LANES, 2 * LANES)
            result = OPERATIONS[operation](arguments).astype(np.uint32)
            assert (
                array.get().tolist()
                == np.where(n > LANES, result, 3 * result).astype(np.uint32).tolist()
            )


RECURSIVE = r"""
extern "C" __device__ __noinline__ int f(int n, int x) {
    if (n) return f(n - 1, x + 1) + 1;
    return __shfl_xor_sync(~0u, x, 1);
}
extern "C" __global__ void k(int *o) {
    int lane = threadIdx.x;
    o[lane] = f(lane % 3, 100 * lane);
}
"""


@own_interpreter("on_host", PYGPU_HOST_TIMEOUT="5")
def test_values_cross_between_depths_of_a_recursion(nvrtc):
    array = PyGPU.to_gpu(np.zeros(32, np.int32))
    PyGPU.Module(compiled(RECURSIVE, "compute_80"))["k"](array, grid=1, block=32)
    other = LANES ^ 1
    assert array.get().tolist() == (100 * other + other % 3 + LANES % 3).tolist()

"""Eight threads launch kernels on the host runtime: of a shared module, and of their own modules.

`make sanitize` runs these tests again, with TSan in the host runtime.
"""

from __future__ import annotations

import numpy as np

import PyGPU
from tests.own_interpreter import own_interpreter
from tests.threads.at_once import THREADS, at_once

pytestmark = own_interpreter("run_on_host")

BLOCKS, BLOCK = 6, 96
# Each block reverses its values in shared memory, and counts its threads.
TURNS = """.version 8.0
.target sm_80
.address_size 64
.global .u32 launches;
.visible .entry turns(.param .u64 values, .param .u64 count, .param .u32 by) {
    .reg .u32 %i, %n, %v, %at, %old; .reg .u64 %p, %o; .shared .align 4 .b8 room[384];
    mov.u32 %i, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %n, %n, 96, %i;
    ld.param.u64 %p, [values]; mad.wide.u32 %p, %n, 4, %p;
    ld.global.u32 %v, [%p]; ld.param.u32 %n, [by]; mul.lo.u32 %v, %v, %n;
    shl.b32 %at, %i, 2; mov.u32 %n, room; add.u32 %at, %at, %n; st.shared.u32 [%at], %v;
    bar.sync 0;
    mov.u32 %v, 95; sub.u32 %v, %v, %i; shl.b32 %v, %v, 2; add.u32 %v, %v, %n;
    ld.shared.u32 %v, [%v]; st.global.u32 [%p], %v;
    ld.param.u64 %o, [count]; atom.global.add.u32 %old, [%o], 1;
    mov.u64 %o, launches; atom.global.add.u32 %old, [%o], 1;
    ret; }"""


def launch(kernel: PyGPU.Kernel, by: int, stream: PyGPU.Stream) -> None:
    """Launches once, and checks the result."""
    given = np.arange(BLOCKS * BLOCK, dtype=np.uint32)
    values, count = PyGPU.to_gpu(given), PyGPU.to_gpu(np.zeros(1, np.uint32))
    kernel(values, count, np.uint32(by), grid=BLOCKS, block=BLOCK, stream=stream)
    stream.synchronize()
    expected = by * given.reshape(BLOCKS, BLOCK)[:, ::-1].ravel()
    assert np.array_equal(values.get(), expected)
    assert count.get()[0] == BLOCKS * BLOCK


def test_kernels_of_one_module_and_of_their_own():
    shared, turns = PyGPU.Module(TURNS.encode()), 20

    def work(number):
        stream = PyGPU.Stream(non_blocking=number % 2)
        for turn in range(turns):
            launch(shared["turns"], number + turn, stream)
            launch(PyGPU.Module(TURNS.encode())["turns"], number * turn, stream)

    at_once(work)
    pointer, size = shared.get_global("launches")
    launches = np.zeros(1, np.uint32)
    PyGPU.checked.cudaMemcpy(launches.ctypes.data, int(pointer), size, PyGPU.cudaMemcpyDeviceToHost)
    assert launches[0] == THREADS * turns * BLOCKS * BLOCK

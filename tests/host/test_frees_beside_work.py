"""Memory is freed or unmapped while other threads use it: all calls succeed or are refused."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from PyGPU import cu, cuda
from tests.own_interpreter import own_interpreter

GRAIN = 2 << 20
HERE = (1, 0)
gpu, runtime = cu.checked, cuda.checked

EXPORTS = """
import sys
from PyGPU import cuda
memory = cuda.checked.cudaMalloc(1 << 16)
sys.stdout.buffer.write(bytes(cuda.checked.cudaIpcGetMemHandle(memory)))
sys.stdout.flush()
sys.stdin.read()
"""


class Users:
    """Threads that submit small work on a piece of memory, which comes and goes."""

    def __init__(self, threads=3):
        self.place, self.calls, self.codes, self.ends = 0, [0] * threads, set(), False
        self.context = gpu.cuCtxGetCurrent()
        self.threads = [threading.Thread(target=self.work, args=(at,)) for at in range(threads)]

    def __enter__(self):
        for one in self.threads:
            one.start()
        return self

    def __exit__(self, *_):
        self.ends = True
        for one in self.threads:
            one.join()

    def work(self, number):
        gpu.cuCtxSetCurrent(self.context)
        stream, data = gpu.cuStreamCreate(1), np.zeros(4096, dtype=np.uint8)
        while not self.ends:
            self.calls[number] += 1
            if not (place := self.place):
                os.sched_yield()
                continue
            self.codes |= {
                int(cu.cuMemsetD8Async(place, 5, 4096, stream)),
                int(cu.cuMemcpyHtoD(place, data, 4096)),
                int(cu.cuMemcpyDtoH(data, place, 4096)),
                int(cu.cuMemcpyDtoDAsync(place, place + 8192, 4096, stream)),
            }

    def use(self, place):
        """Return once each thread has used the memory, or is about to."""
        self.place = int(place)
        for number, before in enumerate(list(self.calls)):
            while self.calls[number] == before:
                os.sched_yield()


def begin():
    gpu.cuInit(0)
    gpu.cuCtxSetCurrent(gpu.cuDevicePrimaryCtxRetain(0))


@own_interpreter("on_host")
def test_mappings_end_beside_small_work():
    begin()
    place = gpu.cuMemAddressReserve(GRAIN, 0, 0, 0)
    handle = gpu.cuMemCreate(GRAIN, {"type": 1, "location": HERE}, 0)
    with Users() as users:
        for turn in range(25):
            gpu.cuMemMap(place, GRAIN, 0, handle, 0)
            gpu.cuMemSetAccess(place, GRAIN, [(HERE, 3)], 1)
            users.use(place)
            if turn % 2:
                gpu.cuMemSetAccess(place, GRAIN, [(HERE, 0)], 1)
            gpu.cuMemUnmap(place, GRAIN)
    assert users.codes == {0, 1}


@own_interpreter("on_host")
def test_two_threads_unmap_the_same_pieces():
    begin()
    place, context = gpu.cuMemAddressReserve(8 * GRAIN, 0, 0, 0), gpu.cuCtxGetCurrent()
    handle = gpu.cuMemCreate(GRAIN, {"type": 1, "location": HERE}, 0)

    def unmap(barrier):
        gpu.cuCtxSetCurrent(context)
        barrier.wait()
        assert cu.cuMemUnmap(place, 8 * GRAIN) in (0, 1)

    for _ in range(20):
        for number in range(8):
            gpu.cuMemMap(place + number * GRAIN, GRAIN, 0, handle, 0)
        barrier = threading.Barrier(2)
        threads = [threading.Thread(target=unmap, args=(barrier,)) for _ in range(2)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert cu.cuMemAddressFree(place, 8 * GRAIN) == 0


@pytest.mark.parametrize("kind", ["cudaFree", "managed", "cudaFreeHost", "pool", "ipc"])
@own_interpreter("on_host")
def test_frees_beside_small_work(kind):
    begin()
    stream, pool = runtime.cudaStreamCreate(), runtime.cudaDeviceGetDefaultMemPool(0)

    def end_in_order(memory):
        runtime.cudaFreeAsync(memory, stream)
        runtime.cudaStreamSynchronize(stream)
        runtime.cudaMemPoolTrimTo(pool, 0)

    other = None
    if kind == "ipc":
        command = [sys.executable, "-W", "ignore", "-c", EXPORTS]
        other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        shared = cuda.cudaIpcMemHandle_t(other.stdout.read(64))
    begins, ends = {
        "cudaFree": (lambda: runtime.cudaMalloc(1 << 16), runtime.cudaFree),
        "managed": (lambda: runtime.cudaMallocManaged(1 << 16, 1), runtime.cudaFree),
        "cudaFreeHost": (lambda: runtime.cudaHostAlloc(1 << 16, 0), runtime.cudaFreeHost),
        "pool": (lambda: runtime.cudaMallocAsync(1 << 16, stream), end_in_order),
        "ipc": (lambda: runtime.cudaIpcOpenMemHandle(shared, 1), runtime.cudaIpcCloseMemHandle),
    }[kind]
    with Users() as users:
        for _ in range(25):
            memory = begins()
            users.use(memory)
            ends(memory)
    assert users.codes <= {0, 1} and 0 in users.codes
    if other:
        other.communicate()

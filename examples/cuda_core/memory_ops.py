"""Memory of three kinds: cuda.core's example of memory resources, with PyGPU's objects.

    python examples/cuda_core/memory_ops.py

A kernel works on device memory of a pool, on page-locked memory, and on managed memory.
"""

from __future__ import annotations

import sys

import numpy as np

import PyGPU

SIZE, BLOCK = 1024, 256
SOURCE = """
extern "C" __global__ void operate(float *device, float *pinned, float *managed) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    device[at] = 2 * device[at];
    pinned[at] += 3;
    managed[at] = device[at] + pinned[at];
}
"""


def main() -> None:
    device = PyGPU.Device()
    stream, kernel = device.create_stream(), PyGPU.SourceModule(SOURCE, no_extern_c=True)["operate"]
    start = np.arange(SIZE, dtype=np.float32)

    pool = PyGPU.MemoryPool(device, release_threshold=1 << 20)
    array = PyGPU.empty(SIZE, np.float32, allocator=pool)
    pinned = PyGPU.pagelocked_zeros(SIZE, np.float32)
    memory = PyGPU.ManagedMemory(4 * SIZE)
    managed = memory.host_array(SIZE, np.float32)

    array.set(start)
    device.synchronize()
    address = pinned.__array_interface__["data"][0]  # the same on the host and on the device
    shared = memory.array(SIZE, np.float32)
    kernel(array, address, shared, grid=SIZE // BLOCK, block=BLOCK, stream=stream)
    stream.synchronize()  # before the host reads what the kernel wrote
    expected = 2 * start + 3
    if not (managed == expected).all() or not (pinned == 3).all():
        sys.exit("the results differ from numpy's")
    print(f"{pool.used_mem_current} bytes of a pool, {memory.size} bytes of managed memory")
    print(f"{SIZE} elements on {device.name}: as numpy's")


if __name__ == "__main__":
    main()

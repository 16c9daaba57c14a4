"""Double buffering: while the device works on one block of data, the CPU makes the next.

    python examples/double_buffering.py [BLOCKS]

Two buffers take turns. An event says when the device has read a buffer, so that the CPU may fill it
again. The data may be longer than what the device's memory holds. Under PYGPU_BACKEND=host the
kernel's PTX runs on the CPU.
"""

from __future__ import annotations

import sys

import numpy as np

import PyGPU

SIZE, THREADS = 1 << 14, 256
SOURCE = """
__global__ void add_to(float *sums, const float *block) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    sums[at] += block[at];
}
"""


class Buffer:
    """A block's memory on both sides, and the event after which it is free."""

    def __init__(self) -> None:
        self.values = PyGPU.pagelocked_empty(SIZE, np.float32)
        self.on_device = PyGPU.empty(SIZE, np.float32)
        self.free = PyGPU.Event()


def make_block(number: int, out: np.ndarray) -> None:
    """What stands for reading a file or an instrument."""
    out[:] = np.random.default_rng(number).integers(0, 100, SIZE)


def main() -> None:
    blocks = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    add_to = PyGPU.SourceModule(SOURCE)["add_to"]
    sums = PyGPU.zeros(SIZE, np.float32)
    stream = PyGPU.Stream()
    buffers = Buffer(), Buffer()
    beside = 0
    for number in range(blocks):
        buffer = buffers[number % 2]
        buffer.free.synchronize()  # the block before the last one is done
        make_block(number, buffer.values)
        beside += not stream.query()  # the device was still busy with the last block
        buffer.on_device.set_async(buffer.values, stream)
        add_to(sums, buffer.on_device, grid=SIZE // THREADS, block=THREADS, stream=stream)
        buffer.free.record(stream)
    found = sums.get()

    wanted, block = np.zeros(SIZE, np.float32), np.empty(SIZE, np.float32)
    for number in range(blocks):
        make_block(number, block)
        wanted += block
    if not np.array_equal(found, wanted):
        sys.exit("the sums differ from numpy's")
    name = PyGPU.checked.cudaGetDeviceProperties(0).name
    print(f"the sums of {blocks} blocks on {name}: as numpy's")
    print(f"{beside} blocks were ready before the device had finished the one before")


if __name__ == "__main__":
    main()

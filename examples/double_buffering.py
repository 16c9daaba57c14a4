"""Double buffering: while the device works on one block of data, the CPU makes the next.

    python examples/double_buffering.py [BLOCKS]

Two buffers take turns. An event says when the device has read a buffer: then the CPU may fill the
buffer again. The data may be larger than the device's memory. Under PYGPU_BACKEND=host the kernel's
PTX runs on the CPU.
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
    """Memory for a block on the CPU and on the device, and the event after which both are free."""

    def __init__(self) -> None:
        self.values = PyGPU.pagelocked_empty(SIZE, np.float32)
        self.on_device = PyGPU.empty(SIZE, np.float32)
        self.free = PyGPU.Event()


def make_block(number: int, out: np.ndarray) -> None:
    """Fill a block; a real program would read a file or an instrument here."""
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
        buffer.free.synchronize()  # the device is done with this buffer's last block
        make_block(number, buffer.values)
        beside += not stream.query()  # the device was still busy with the previous block
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

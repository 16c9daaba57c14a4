"""Copies and kernels at the same time: work in pieces, on one stream and on several, measured.

    python examples/streams_overlap.py [ELEMENTS]

A card can copy to the device, compute and copy back at the same time, if the pieces are on several
streams and the CPU's memory is page-locked. The ratio says how many times faster this is. Under
PYGPU_BACKEND=host streams are threads of the CPU, and the kernel runs on the same CPU: there the
ratio says nothing about a card.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import PyGPU

PIECES, STREAMS, BLOCK = 16, 4, 256
SOURCE = """
__global__ void work(float *values, int rounds) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    float value = values[at];
    for (int round = 0; round < rounds; ++round) value = 0.5f * value + 1.0f;
    values[at] = value;
}
"""


def seconds(kernel, rounds: int, values: np.ndarray, result: np.ndarray, streams: list) -> float:
    """The time for all pieces, distributed over the streams in turn; the best of three."""
    memory = [PyGPU.empty(values.shape[1], np.float32) for _ in values]
    best = float("inf")
    for _ in range(3):
        PyGPU.checked.cudaDeviceSynchronize()
        begin = time.perf_counter()
        for piece, on_device in enumerate(memory):
            stream = streams[piece % len(streams)]
            on_device.set_async(values[piece], stream)
            kernel[on_device.size // BLOCK, BLOCK, stream](on_device, np.int32(rounds))
            on_device.get_async(stream, ary=result[piece])
        for stream in streams:
            stream.synchronize()
        best = min(best, time.perf_counter() - begin)
    return best


def main() -> None:
    on_a_card = PyGPU.backend != "host"
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << (25 if on_a_card else 18)
    size = max(1, count // PIECES // BLOCK) * BLOCK
    rounds = 1000 if on_a_card else 2

    kernel = PyGPU.SourceModule(SOURCE)["work"]
    values = PyGPU.pagelocked_empty((PIECES, size), np.float32)
    values[:] = np.random.default_rng(1).random(values.shape, np.float32)
    wanted = values.copy()
    for _ in range(min(rounds, 40)):  # after 40 rounds each value stays at 2
        wanted = np.float32(0.5) * wanted + np.float32(1)

    name = PyGPU.checked.cudaGetDeviceProperties(0).name
    print(f"{PIECES} pieces of {size:,} elements on {name}")
    took = {}
    for used in (1, STREAMS):
        result = PyGPU.pagelocked_zeros(values.shape, np.float32)
        streams = [PyGPU.Stream(non_blocking=True) for _ in range(used)]
        took[used] = seconds(kernel, rounds, values, result, streams)
        if not np.allclose(result, wanted):
            sys.exit(f"{used} streams: the array differs from numpy's")
        print(f"{used} stream{'s' * (used > 1)}: {took[used] * 1e3:.2f} ms, as numpy's")
    print(f"ratio: {took[1] / took[STREAMS]:.2f}")


if __name__ == "__main__":
    main()

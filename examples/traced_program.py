"""Trace a program: every call with its arguments, its time and its line, and where the time went.

    python examples/traced_program.py [FILE]

FILE gets the calls; its suffix is the format: .txt, .jsonl, or .json for ui.perfetto.dev. Without
one they are only summarised. `PYGPU_TRACE=calls.json python program.py` does the same for any
program. Needs no compiler, and no GPU.
"""

from __future__ import annotations

import sys

import numpy as np

import PyGPU
from PyGPU import checked as gpu


def step(array: PyGPU.GPUArray, pointer: int) -> None:
    """Some work: an upload, a copy within the device, a wait."""
    array.set(np.ones(array.shape, array.dtype))
    gpu.cudaMemcpy(pointer, array.gpudata, array.nbytes, PyGPU.cudaMemcpyDeviceToDevice)
    gpu.cudaDeviceSynchronize()


def main(path: str | None) -> None:
    """Trace three steps, and show what they came to."""
    array = PyGPU.zeros(1 << 20, np.float32)
    pointer = gpu.cudaMalloc(array.nbytes)
    with PyGPU.trace(path) as trace:
        for _ in range(3):
            step(array, pointer)
    gpu.cudaFree(pointer)
    print(trace.summary())

    copies = [call for call in trace.calls if call.name == "cudaMemcpy" and not call.own]
    counts = [call.arguments["count"] for call in copies]
    if counts != [array.nbytes] * 3:
        raise SystemExit(f"the trace has other copies than the program made: {counts}")
    place = f"{PyGPU.Device().name}, from line {copies[0].line}"
    print(f"\n{len(copies)} copies of {counts[0]:,} bytes on {place}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)

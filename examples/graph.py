"""A CUDA graph: a stream's work is captured once, then launched often by one call.

    python examples/graph.py

The graph has many small kernels. The program measures two things: the kernels launched one by one,
and the graph. On a GPU the graph is faster. On the host runtime the kernels take most of the time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

import PyGPU
from PyGPU import checked as gpu

SIZE, KERNELS, TIMES = 1024, 20, 10
SOURCE = """
__global__ void add_one(float *values) {
    values[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}
"""


def measured(
    how: str, launch: Callable[[], object], values: PyGPU.GPUArray, stream: PyGPU.Stream
) -> float:
    """Microseconds to launch all kernels once; ends the program if the result is wrong."""
    launch()  # the first launch is slower
    stream.synchronize()  # PyGPU doesn't see what a graph does to its arrays
    values.fill(0)
    PyGPU.wait(values)
    begin = time.perf_counter()
    for _ in range(TIMES):
        launch()
    stream.synchronize()
    took = (time.perf_counter() - begin) / TIMES * 1e6
    if not (values.get() == KERNELS * TIMES).all():
        sys.exit(f"{how}: the elements aren't {KERNELS * TIMES}")
    print(f"{how}: {took:.1f} us for {KERNELS} kernels, every element right")
    return took


def main() -> None:
    print(f"device: {gpu.cudaGetDeviceProperties(0).name}")
    add_one = PyGPU.SourceModule(SOURCE)["add_one"]
    values, stream = PyGPU.zeros(SIZE, np.float32), PyGPU.Stream()

    def one_by_one() -> None:
        for _ in range(KERNELS):
            add_one(values, grid=SIZE // 256, block=256, stream=stream)

    single = measured("one by one", one_by_one, values, stream)
    gpu.cudaStreamBeginCapture(stream, PyGPU.cudaStreamCaptureModeThreadLocal)
    one_by_one()  # nothing runs: the stream records the launches
    graph = gpu.cudaStreamEndCapture(stream)
    executable = gpu.cudaGraphInstantiate(graph, 0)
    by_graph = measured("by graph", lambda: gpu.cudaGraphLaunch(executable, stream), values, stream)
    print(f"ratio: {single / by_graph:.2f}")
    gpu.cudaGraphExecDestroy(executable)
    gpu.cudaGraphDestroy(graph)


if __name__ == "__main__":
    main()

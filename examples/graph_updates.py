"""A graph in a loop: each round has other arguments, set in place, and is launched by one call.

    python examples/graph_updates.py

Ten kernels add to an array; the first one adds another number in each round. The program measures
two things: the kernels launched one by one, and a graph with that one node updated.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

import PyGPU
from PyGPU import checked as gpu

SIZE, KERNELS, ROUNDS = 1024, 10, 20
SOURCE = """
__global__ void add(float *values, float by) {
    values[blockIdx.x * blockDim.x + threadIdx.x] += by;
}
"""


def measured(
    how: str, run: Callable[[int], object], values: PyGPU.GPUArray, stream: PyGPU.Stream
) -> float:
    """Microseconds of a round; ends the program if the result is wrong."""
    run(0)  # the first one is slower
    stream.synchronize()
    values.fill(0)
    PyGPU.wait(values)
    begin = time.perf_counter()
    for number in range(ROUNDS):
        run(number)
    stream.synchronize()  # PyGPU's arrays don't know of a graph's work
    took = (time.perf_counter() - begin) / ROUNDS * 1e6
    wanted = sum(number + KERNELS - 1 for number in range(ROUNDS))
    if not (values.get() == wanted).all():
        sys.exit(f"{how}: the elements aren't {wanted}")
    print(f"{how}: {took:.1f} us a round of {KERNELS} kernels, every element right")
    return took


def main() -> None:
    print(f"device: {gpu.cudaGetDeviceProperties(0).name}")
    add = PyGPU.SourceModule(SOURCE)["add"]
    values, stream = PyGPU.zeros(SIZE, np.float32), PyGPU.Stream()
    grid, block = SIZE // 256, 256

    def one_by_one(number: int) -> None:
        add(values, number, grid=grid, block=block, stream=stream)
        for _ in range(KERNELS - 1):
            add(values, 1, grid=grid, block=block, stream=stream)

    graph = PyGPU.Graph()
    first = last = graph.kernel(add, values, 0, grid=grid, block=block, name="the changing one")
    for _ in range(KERNELS - 1):
        last = graph.kernel(add, values, 1, grid=grid, block=block, after=last)

    def by_graph(number: int) -> None:
        first.update(values, number)
        graph.launch(stream)

    single = measured("one by one", one_by_one, values, stream)
    updated = measured("by graph", by_graph, values, stream)
    print(f"ratio: {single / updated:.2f}")
    edges = [f"{before.name} -> {after.name}" for before, after in graph.edges()]
    print(f"{len(edges)} edges, the first: {edges[0]}")


if __name__ == "__main__":
    main()

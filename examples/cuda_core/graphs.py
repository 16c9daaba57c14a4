"""A chain of kernels as a graph: cuda.core's example of graphs, with PyGPU's objects.

    python examples/cuda_core/graphs.py

(a + b) * c - a is recorded once and launched by one call; then the graph gets other arguments.
"""

from __future__ import annotations

import sys

import numpy as np

import PyGPU

SIZE, BLOCK = 100_000, 256
GRID = -(-SIZE // BLOCK)
SOURCE = "".join(
    f"""
extern "C" __global__ void {name}(const float *a, const float *b, float *out, int size) {{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < size) out[at] = a[at] {sign} b[at];
}}
"""
    for name, sign in (("add", "+"), ("multiply", "*"), ("subtract", "-"))
)


def main() -> None:
    module, stream = PyGPU.Module(PyGPU.Program(SOURCE).compile()), PyGPU.Stream(non_blocking=True)
    random = np.random.default_rng(2)
    a, b, c, other = (PyGPU.to_gpu(random.random(SIZE, np.float32)) for _ in range(4))
    first, second, result = (PyGPU.empty_like(a) for _ in range(3))
    PyGPU.Device().synchronize()  # the stream doesn't wait for the copies

    graph, shape = PyGPU.Graph(), {"grid": GRID, "block": BLOCK}
    one = graph.kernel(module["add"], a, b, first, SIZE, **shape)
    two = graph.kernel(module["multiply"], first, c, second, SIZE, after=one, **shape)
    graph.kernel(module["subtract"], second, a, result, SIZE, after=two, name="last", **shape)
    graph.upload(stream)

    for used in (c, other):
        two.update(first, used, second, SIZE)
        graph.launch(stream)
        stream.synchronize()
        expected = (a.get() + b.get()) * used.get() - a.get()
        if not np.allclose(result.get(), expected, atol=1e-6):
            sys.exit("the results differ from numpy's")
    print(" -> ".join([one.name, *(after.name for _, after in graph.edges())]))
    print(f"{SIZE:,} elements, twice, on {PyGPU.Device().name}: as numpy's")


if __name__ == "__main__":
    main()

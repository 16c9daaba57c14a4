"""Two vectors added: cuda.core's first example, with PyGPU's objects.

    python examples/cuda_core/vector_add.py

cuda.core's Program, ObjectCode, LaunchConfig and launch() are a Program, a Module and a call here.
"""

from __future__ import annotations

import sys

import numpy as np

import PyGPU

SIZE, BLOCK = 50_000, 256
SOURCE = """
template <typename T>
__global__ void vector_add(const T *a, const T *b, T *sum, size_t size) {
    const size_t step = gridDim.x * blockDim.x;
    for (size_t at = blockIdx.x * blockDim.x + threadIdx.x; at < size; at += step)
        sum[at] = a[at] + b[at];
}
"""


def main() -> None:
    device = PyGPU.Device()
    stream = device.create_stream()
    program = PyGPU.Program(SOURCE, "-std=c++17")
    code = program.compile(name_expressions=["vector_add<float>"])
    add = PyGPU.Module(code)["vector_add<float>"]
    random = np.random.default_rng(1)
    a, b = (random.random(SIZE, np.float32) for _ in range(2))
    with stream:
        x, y = PyGPU.to_gpu(a), PyGPU.to_gpu(b)
        result = PyGPU.empty_like(x)
        add(x, y, result, SIZE, grid=-(-SIZE // BLOCK), block=BLOCK)
    if not (result.get() == a + b).all():
        sys.exit("the sums differ from numpy's")
    print(f"{SIZE:,} sums on {device.name}: as numpy's")


if __name__ == "__main__":
    main()

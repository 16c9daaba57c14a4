"""Blocks in clusters: cuda.core's example of thread block clusters, with PyGPU's objects.

    python examples/cuda_core/thread_block_cluster.py

Each block asks how many blocks its cluster has. It needs compute capability 9.0 or later.
"""

from __future__ import annotations

import sys

import numpy as np

import PyGPU

GRID, BLOCK, CLUSTER = 8, 32, 4
SOURCE = """
extern "C" __global__ void shape(unsigned *out) {
    unsigned size, rank;
    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) out[blockIdx.x] = 100 * size + rank;
}
"""


def main() -> None:
    device = PyGPU.Device()
    if device.compute_capability < (9, 0):
        sys.exit(f"{device.name} has compute capability {device.arch}: clusters need 9.0")
    code = PyGPU.Program(SOURCE).compile("ptx", arch="compute_90")
    kernel = PyGPU.Module(code)["shape"]
    most = kernel.occupancy.max_potential_cluster_size(BLOCK)
    out = PyGPU.zeros(GRID, np.uint32)
    kernel(out, grid=GRID, block=BLOCK, cluster=CLUSTER)
    expected = 100 * CLUSTER + np.arange(GRID) % CLUSTER
    if out.get().tolist() != expected.tolist():
        sys.exit("the blocks are in other clusters")
    print(f"at most {most} blocks in a cluster")
    print(f"{GRID} blocks in clusters of {CLUSTER} on {device.name}: as expected")


if __name__ == "__main__":
    main()

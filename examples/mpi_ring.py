"""An MPI ring: each rank passes arrays on to the next, and sums all of them on its device.

    mpiexec -n 4 python examples/mpi_ring.py [--device-memory]

MPI can read the host runtime's memory like any other memory. It can read a card's memory only if it
was built for that: then pass --device-memory. Without this option the messages are page-locked
memory of the CPU. Without mpi4py the program says so, and ends.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys

import numpy as np

import PyGPU

COUNT, BLOCK = 1 << 12, 256
SOURCE = """
__global__ void add_to(double *sums, const double *values) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    sums[at] += values[at];
}
"""


def main() -> None:
    if not importlib.util.find_spec("mpi4py"):
        print("there is no mpi4py here: pip install mpi4py mpich")
        return
    world = importlib.import_module("mpi4py.MPI").COMM_WORLD
    rank, size = world.Get_rank(), world.Get_size()
    PyGPU.checked.cudaSetDevice(rank % PyGPU.checked.cudaGetDeviceCount())
    add_to = PyGPU.SourceModule(SOURCE)["add_to"]
    direct = PyGPU.backend == "host" or "--device-memory" in sys.argv

    mine = np.arange(COUNT) + 1000.0 * rank
    values, got = PyGPU.to_gpu(mine), PyGPU.empty(COUNT)
    out, back = PyGPU.pagelocked_empty(COUNT), PyGPU.pagelocked_empty(COUNT)
    sums = PyGPU.to_gpu(mine)
    to, source = (rank + 1) % size, (rank - 1) % size
    for _ in range(size - 1):
        if direct:
            PyGPU.wait(values)
            world.Sendrecv(values, to, recvbuf=got, source=source)
        else:
            values.get(out)
            world.Sendrecv(out, to, recvbuf=back, source=source)
            got.set(back)
        add_to(sums, got, grid=COUNT // BLOCK, block=BLOCK)
        PyGPU.wait(sums)  # before the next message takes the memory
        values, got = got, values

    if not np.array_equal(sums.get(), size * np.arange(COUNT) + 500.0 * size * (size - 1)):
        sys.exit(f"rank {rank}: the sums differ from numpy's")
    told = world.gather(f"device {PyGPU.checked.cudaGetDevice()}")
    if rank == 0:
        memory = "the device's" if direct else "the CPU's page-locked"
        print(f"{size} ranks on {', '.join(told)}; messages from {memory} memory: as numpy's")


if __name__ == "__main__":
    main()

"""One of two MPI ranks: sends, receives, reduces and broadcasts arrays."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

import PyGPU

world = MPI.COMM_WORLD
rank = world.Get_rank()
own = PyGPU.to_gpu(np.full(1000, rank + 1.0))

if rank == 0:
    world.Send(own, dest=1)
    world.Send(own[::1][10:20], dest=1)
else:
    got, part = PyGPU.zeros(1000), PyGPU.zeros(10)
    world.Recv(got, source=0)
    world.Recv(part, source=0)
    assert (got.get() == 1).all() and (part.get() == 1).all()

total = PyGPU.zeros(1000)
world.Allreduce(own, total)
assert (total.get() == 3).all()

copied = world.bcast(own if rank == 0 else None)  # pickled
assert isinstance(copied, PyGPU.GPUArray) and (copied.get() == 1).all()
print("done", flush=True)

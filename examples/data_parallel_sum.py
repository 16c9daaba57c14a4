"""A sum over all devices by NCCL, as data-parallel training sums its gradients.

    python examples/data_parallel_sum.py

Each device has a gradient of its own samples; afterwards all have the sum of all. With AMD's GPUs
(PYGPU_BACKEND=hip) the same names call RCCL. Needs PyGPU[nvidia] and NCCL, or PyGPU[nvidia,amd] and
RCCL.
"""

import sys

import numpy as np

import PyGPU

gpu = PyGPU.checked
SIZE = 1 << 16

count = gpu.cudaGetDeviceCount()
communicators = gpu.ncclCommInitAll(count, list(range(count)))
gradients, streams, due = [], [], np.zeros(SIZE, np.float32)
for device in range(count):
    part = np.random.default_rng(device).integers(-9, 9, SIZE).astype(np.float32)
    due += part
    with PyGPU.device(device):
        gradients.append(PyGPU.to_gpu(part))
        streams.append(PyGPU.Stream())

# The calls of one thread for several devices make a group: it starts them together.
gpu.ncclGroupStart()
for gradient, communicator, stream in zip(gradients, communicators, streams, strict=True):
    gpu.ncclAllReduce(
        gradient, gradient, SIZE, PyGPU.ncclFloat, PyGPU.ncclSum, communicator, stream
    )
gpu.ncclGroupEnd()

for gradient, stream in zip(gradients, streams, strict=True):
    stream.synchronize()
    if not np.array_equal(gradient.get(), due):
        sys.exit("the sum differs from numpy's")
for communicator in communicators:
    gpu.ncclCommDestroy(communicator)
name = gpu.cudaGetDeviceProperties(0).name
print(f"{SIZE:,} numbers summed over {count} x {name}: as numpy's")

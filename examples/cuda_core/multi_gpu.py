"""Work on all devices at once: cuda.core's example of several GPUs, with PyGPU's objects.

    python examples/cuda_core/multi_gpu.py

Each device has a stream and a kernel of its own, and waits for no other.
"""

from __future__ import annotations

import sys

import numpy as np

import PyGPU

SIZE, BLOCK = 50_000, 256
SOURCE = """
extern "C" __global__ void fill(float *out, float value, int size) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < size) out[at] = value;
}
"""


def main() -> None:
    arrays = []
    for device in PyGPU.Device.all():
        with device, device.create_stream(non_blocking=True):
            kernel = PyGPU.SourceModule(SOURCE, no_extern_c=True)["fill"]
            array = PyGPU.empty(SIZE, np.float32)
            kernel(array, 1 + device.device_id, SIZE, grid=-(-SIZE // BLOCK), block=BLOCK)
        arrays.append(array)
    for device, array in zip(PyGPU.Device.all(), arrays, strict=True):
        device.synchronize()
        if array.device != device.device_id or not (array.get() == 1 + device.device_id).all():
            sys.exit(f"the elements of device {device.device_id} are wrong")
        print(f"{SIZE:,} elements on device {device.device_id}, {device.name}: right")


if __name__ == "__main__":
    main()

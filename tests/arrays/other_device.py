"""Memory of device 1 is used by its address while device 0 is current; needs two devices."""

import ctypes

import numpy as np

import PyGPU

with PyGPU.device(1):
    there = PyGPU.to_gpu(np.arange(6.0))
    plain = PyGPU.checked.cudaMalloc(48)


class Has:
    def __init__(self, address: int) -> None:
        self.ptr = address


for given in (there.ptr, ctypes.c_void_p(there.ptr), Has(there.ptr), plain, there.ptr + 8):
    for again in (
        PyGPU.GPUArray(5, "f8", gpudata=given),
        PyGPU.empty(5, "f8", allocator=lambda size, given=given: given),
    ):
        assert again.device == 1, given
        again[...] = np.arange(5.0)
        assert again.get().tolist() == again.copy().get().tolist() == [0, 1, 2, 3, 4]
        here = PyGPU.to_gpu(again.get())
        assert here.device == 0
        again[...] = here
assert PyGPU.checked.cudaGetDevice() == 0

# Memory that the host also has belongs to the current device.
pinned = PyGPU.pagelocked_zeros(6)
for number in (0, 1):
    with PyGPU.device(number):
        seen = PyGPU.GPUArray(6, "f8", gpudata=pinned.ctypes.data)
        assert seen.device == number
        assert not seen.get().any()
assert not PyGPU.cudaGetLastError()
PyGPU.checked.cudaFree(plain)

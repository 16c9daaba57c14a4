"""Several threads import PyGPU at the same moment: all must see the same objects."""

from __future__ import annotations

import sys
import threading

sys.setswitchinterval(1e-6)
count = 16
begin, found, failed = threading.Barrier(count), [], []


def use():
    begin.wait()
    try:
        import PyGPU
        from PyGPU import checked

        names = (
            "cudaMalloc",
            "cudaMemcpyKind",
            "cudaStream_t",
            "cudaError_t",
            "GPUArray",
            "cudaDeviceProp",
            "cudaMemcpyHostToDevice",
            "DeviceArray_float32",
            "host",
        )
        objects = [getattr(PyGPU, name) for name in names] + [checked, PyGPU.checked]
        assert not hasattr(PyGPU, "cudaMemCpy")
        found.append((*map(id, objects), PyGPU.cudaGetDeviceCount()))
    except BaseException as error:
        failed.append(repr(error))


threads = [threading.Thread(target=use, daemon=True) for _ in range(count)]
for one in threads:
    one.start()
for one in threads:
    one.join(60)
assert (len(found), len(set(found)), failed) == (count, 1, [])

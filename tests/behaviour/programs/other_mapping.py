"""The other process of test_virtual_memory.py: maps memory by its descriptor, prints it as JSON."""

from __future__ import annotations

import json
import sys

import numpy as np

from PyGPU import cu

gpu = cu.checked
HERE = (cu.CU_MEM_LOCATION_TYPE_DEVICE, 0)


def main(descriptor: int, size: int) -> None:
    """Read the first floats, and add one to each."""
    gpu.cuInit(0)
    gpu.cuCtxSetCurrent(gpu.cuDevicePrimaryCtxRetain(0))
    kind = cu.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
    handle = gpu.cuMemImportFromShareableHandle(descriptor, kind)
    place = gpu.cuMemAddressReserve(size, 0, 0, 0)
    gpu.cuMemMap(place, size, 0, handle, 0)
    both = cu.CUmemAccessDesc(HERE, cu.CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
    gpu.cuMemSetAccess(place, size, [both], 1)
    values = np.zeros(256, dtype=np.float32)
    gpu.cuMemcpyDtoH(values, place, values.nbytes)
    changed = values + 1
    gpu.cuMemcpyHtoD(place, changed, changed.nbytes)
    gpu.cuCtxSynchronize()
    gpu.cuMemUnmap(place, size)
    gpu.cuMemAddressFree(place, size)
    gpu.cuMemRelease(handle)
    print(json.dumps(values.tolist()))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

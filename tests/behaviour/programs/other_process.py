"""The other process of test_processes.py: opens memory by a handle, prints its content as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
from memory import read

import PyGPU
from PyGPU import cuda

gpu = PyGPU.checked


def open_handles(memory: str, event: str, count: int) -> dict[str, Any]:
    """Read memory of the first process after its event, and write to it."""
    opened = gpu.cudaIpcOpenEventHandle(bytes.fromhex(event))
    gpu.cudaStreamWaitEvent(0, opened, 0)
    flags = cuda.cudaIpcMemLazyEnablePeerAccess
    pointer = gpu.cudaIpcOpenMemHandle(bytes.fromhex(memory), flags)
    values = read(pointer, count)
    changed = np.array(values, dtype=np.float32) + 1
    gpu.cudaMemcpy(pointer, changed, changed.nbytes, cuda.cudaMemcpyHostToDevice)
    state = cuda.cudaEventQuery(opened)
    gpu.cudaIpcCloseMemHandle(pointer)
    gpu.cudaEventDestroy(opened)
    return {"read": values, "event": int(state)}


def import_pool(pool: int, pointer: str, count: int) -> dict[str, Any]:
    """Read memory from the first process's pool."""
    kind = cuda.cudaMemHandleTypePosixFileDescriptor
    opened = gpu.cudaMemPoolImportFromShareableHandle(pool, kind, 0)
    both = cuda.cudaMemAccessFlagsProtReadWrite
    here = (cuda.cudaMemLocationTypeDevice, 0)
    gpu.cudaMemPoolSetAccess(opened, [cuda.cudaMemAccessDesc(here, both)], 1)
    address = gpu.cudaMemPoolImportPointer(opened, bytes.fromhex(pointer))
    values = read(address, count)
    gpu.cudaFree(address)
    return {"read": values}


if __name__ == "__main__":
    task = {"open": open_handles, "import": import_pool}[sys.argv[1]]
    print(json.dumps(task(**json.loads(sys.argv[2]))))

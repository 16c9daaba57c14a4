"""What type checkers must refuse: each line that ends with a comment, and no other line."""

from __future__ import annotations

import PyGPU
from PyGPU import checked

device, err = PyGPU.cudaGetDevice()
stream, event = PyGPU.cudaStream_t(), PyGPU.cudaEvent_t()
copy = PyGPU.cudaMemcpy3DParms()

PyGPU.cudaSetDevice("0")  # text for a number
PyGPU.cudaSetDevice(device)  # None after a failure
PyGPU.cudaSetDevice()  # nothing for a parameter
PyGPU.cudaSetDevice(device=0, more=1)  # a parameter too many
PyGPU.cudaSetDevice(err)  # an error for a number
PyGPU.cudaFree(err)  # an error for memory
PyGPU.cudaStreamQuery(err)  # an error for a handle
PyGPU.cudaMalloc(1.5)  # a float for a size
PyGPU.cudaMemcpy("text", 0, 1, 1)  # text for memory
PyGPU.cudaStreamSynchronize(event)  # an event for a stream
PyGPU.cudaEventRecord(stream, event)  # the wrong order
PyGPU.cudaMemcpy3D(stream)  # no struct
PyGPU.cudaLaunchHostFunc(stream, 1.5)  # no callable
value, err, more = PyGPU.cudaMalloc(1)  # more results than there are
(err,) = PyGPU.cudaSetDevice(0)  # an error is no tuple
checked.cudaSetDevice(0).name  # the raising form gives no error  # noqa: B018
copy.kind = "host"  # text for an enumerator
copy.extent = 3  # a number for a struct
copy.nothing = 1  # no field
PyGPU.cudaConditionalNodeParams(phGraph_out=[])  # a sequence for what C lends
PyGPU.cudaExtent(widht=1)  # no keyword
PyGPU.cudaNothing  # no name  # noqa: B018
PyGPU.cudaGraphAddEmptyNode(PyGPU.cudaGraph_t(), [event], 1)  # an event among nodes
PyGPU.zeros(4).get().gpudata  # the copy is numpy's  # noqa: B018


@PyGPU.host.kernel("scale")
def scale(grid: tuple[int, int, int], block: tuple[int, int, int], x: int) -> float:
    return float(x + grid[0] + block[0])


scale((1, 1, 1), (1, 1, 1), "x")  # text for a number: the function is typed as written
PyGPU.host.kernel("scale", 1.5)  # neither a function nor an address

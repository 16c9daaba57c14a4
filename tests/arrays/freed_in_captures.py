"""What test_free.py runs: `python freed_in_captures.py LIBRARY NAME`, behind captures.cpp."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import PyGPU

gpu = PyGPU.checked
stream = PyGPU.Stream(non_blocking=True)


def begin():
    gpu.cudaStreamBeginCapture(stream, PyGPU.cudaStreamCaptureModeGlobal)


def end():
    return gpu.cudaStreamEndCapture(stream)  # raises where the capture was broken


def what_a_graph_uses_stays_for_it():
    array = PyGPU.zeros(1000)
    out = PyGPU.pagelocked_zeros(1000)
    begin()
    array.get_async(stream, out)
    array.free()
    graph = end()
    array.free()
    with pytest.raises(ValueError, match="freed"):
        array.get()
    PyGPU.trim_memory()
    others = [PyGPU.ones(1000) for _ in range(4)]
    gpu.cudaDeviceSynchronize()
    out[...] = 7
    gpu.cudaGraphLaunch(int(graph), stream)  # strict mode would report a use of freed memory
    stream.synchronize()
    assert not out.any()
    gpu.cudaGraphDestroy(graph)
    del others
    PyGPU.to_gpu(np.zeros(1))
    PyGPU.trim_memory()
    assert PyGPU.memory_info().used == 0


def free_breaks_no_capture():
    """Of memory of the captured stream, of one that used it, of an address that was read."""
    arrays = [PyGPU.zeros(1 << 18, stream=stream) for _ in range(3)]
    arrays += [PyGPU.zeros(1 << 18), PyGPU.zeros(1000)]
    arrays[3].fill(1, stream)
    assert arrays[2].ptr
    stream.synchronize()
    memory, managed = PyGPU.HostMemory(100), PyGPU.HostMemory(100, managed=True)
    begin()
    for array in arrays:
        array.free()
    memory.free()
    managed.free()
    with PyGPU.empty(10) as array:
        pass
    assert array.freed
    assert int(end())
    PyGPU.trim_memory()
    assert PyGPU.memory_info().used == 0


globals()[sys.argv[2]]()

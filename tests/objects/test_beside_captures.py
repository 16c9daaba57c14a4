"""What objects do without being asked breaks no capture of others."""

from __future__ import annotations

import gc

import numpy as np

import PyGPU
from tests.objects.kernels import COUNT, kernel
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
gpu = PyGPU.checked


class Captured:
    """A blocking stream that captures in the global mode; at the end the capture must be whole."""

    def __enter__(self) -> None:
        self._stream = PyGPU.Stream()
        gpu.cudaStreamBeginCapture(self._stream, PyGPU.cudaStreamCaptureModeGlobal)

    def __exit__(self, *_: object) -> None:
        gpu.cudaGraphDestroy(gpu.cudaStreamEndCapture(self._stream))


def test_a_graph_whose_stream_has_ended_is_dropped():
    """Nothing tells whether its launches are done, so the next graph waits for the device."""
    array, stream = PyGPU.wait(PyGPU.zeros(COUNT, np.float32)), PyGPU.Stream(non_blocking=True)
    graph = PyGPU.Graph()
    graph.kernel(kernel("add"), array, 3, grid=1, block=COUNT)
    graph.launch(stream)
    gpu.cudaStreamDestroy(stream)
    del graph
    gc.collect()
    with Captured():
        PyGPU.Graph()
    assert np.unique(array.get()).tolist() == [3]


def launched() -> PyGPU.Graph:
    graph, array = PyGPU.Graph(), PyGPU.zeros(COUNT, np.float32)
    graph.kernel(kernel("add"), array, 3, grid=1, block=COUNT)
    graph.launch()
    PyGPU.checked.cudaDeviceSynchronize()
    return graph


def test_objects_end():
    ended = [
        launched(),
        PyGPU.Event().record(),
        PyGPU.Graph(),
        PyGPU.ManagedMemory(64),
        PyGPU.MemoryPool(),
        PyGPU.MemoryPool().allocate(64),
        PyGPU.VirtualMemory(64, 64),
        PyGPU.zeros(64),
    ]
    with Captured():
        del ended
        gc.collect()

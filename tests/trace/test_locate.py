"""PYGPU_LOCATE: an asynchronous fault names the call that caused it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import PyGPU
from PyGPU import cu
from tests.own_interpreter import own_interpreter
from tests.trace.faults import FAULTY, SOURCE, module

on_host = own_interpreter("on_host", PYGPU_LOCATE="1")
WAYS = ("kernel", "on a stream", "cuLaunchKernel", "cudaLaunchKernel", "among others")


def launch(way: str, faulty: str, array) -> None:
    """Launch a kernel that fails."""
    code = module()
    stream = PyGPU.Stream() if way == "on a stream" else None
    if way in ("kernel", "on a stream"):
        kernel = code[faulty]
        kernel(array, grid=1, block=1, stream=stream)
    elif way == "among others":
        good, bad = code["add_one"], code[faulty]
        for at in range(10):
            (bad if at == 6 else good)(array, grid=1, block=1)
    elif way == "cuLaunchKernel":
        function = cu.checked.cuModuleGetFunction(
            cu.checked.cuModuleLoadData(SOURCE.encode()), faulty
        )
        cu.checked.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, [array], None)
    else:
        library = PyGPU.checked.cudaLibraryLoadData(SOURCE.encode(), None, None, 0, None, None, 0)
        function = PyGPU.checked.cudaLibraryGetKernel(library, faulty)
        PyGPU.checked.cudaLaunchKernel(function, 1, 1, [array], 0, 0)


@pytest.mark.parametrize(("way", "faulty"), list(itertools.product(WAYS, FAULTY)))
@on_host
def test_a_planted_fault_is_located(way, faulty):
    """Twenty faults: each error names the kernel, the line and the stream of the launch."""
    array = PyGPU.zeros(64, np.int32)
    with pytest.raises(PyGPU.GPUError) as caught:
        launch(way, faulty, array)
    text = str(caught.value)
    lines = [entry.lineno + 1 for entry in caught.traceback if str(entry.path) == __file__]
    named = way if way.startswith("cu") else faulty  # C's launch has the kernel's address
    assert named in text and f"{__file__}:{lines[-1]} in launch, on stream 0" in text
    later = PyGPU.cudaDeviceSynchronize()
    assert int(later) == int(caught.value.error)  # it stays, as on a card
    with pytest.raises(PyGPU.GPUError, match=f"caused by .*{named}"):
        PyGPU.check(later)


@on_host
def test_captures_are_left_alone():
    """A stream that captures can't be waited for."""
    array = PyGPU.zeros(64, np.int32)
    add, stream = module()["add_one"], PyGPU.Stream()
    PyGPU.checked.cudaStreamBeginCapture(stream, PyGPU.cudaStreamCaptureModeGlobal)
    add(array, grid=1, block=64, stream=stream)
    graph = PyGPU.checked.cudaStreamEndCapture(stream)
    PyGPU.checked.cudaGraphLaunch(PyGPU.checked.cudaGraphInstantiate(graph, 0), stream)
    assert (array.get() == 1).all()

"""Launches captured from a stream: the graph keeps their memory and their module."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import PyGPU
from PyGPU import compiler
from tests.kernels.device_code import SOURCE
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_host_or_gpus")


@pytest.fixture(params=["host", "GPUs"])
def on_host_or_gpus(request, nvrtc):
    """The host runtime and, where there are GPUs, the GPUs."""
    return request.getfixturevalue("on_host" if request.param == "host" else "on_gpus")


def test_a_graph_runs_captured_launches():
    """The memory and the module live as long as the graph."""
    module = PyGPU.Module(compiler.compile(SOURCE, cache=False))
    stream, array = PyGPU.Stream(), PyGPU.zeros(1000, np.float64)
    fill = module["fill"]
    fill(array, 1, 1000, grid=1, block=1, stream=stream)
    stream.synchronize()
    checked = PyGPU.checked
    checked.cudaStreamBeginCapture(stream, PyGPU.cudaStreamCaptureMode.cudaStreamCaptureModeRelaxed)
    fill(array, 5, 1000, grid=1, block=1, stream=stream)
    graph = checked.cudaStreamEndCapture(stream)
    executable = checked.cudaGraphInstantiate(graph, 0)
    stream.synchronize()
    assert (array.get() == 1).all()
    del module, fill
    gc.collect()
    checked.cudaGraphLaunch(executable, stream)
    stream.synchronize()
    assert (array.get() == 5).all()
    checked.cudaGraphExecDestroy(executable)
    checked.cudaGraphDestroy(graph)


def test_unload_is_put_off_until_the_graph_is_gone():
    """Otherwise a graph would run code that is gone."""
    module = PyGPU.Module(compiler.compile(SOURCE, cache=False))
    stream, array = PyGPU.Stream(), PyGPU.zeros(1000, np.float64)
    fill, handle = module["fill"], module.handle
    stream.synchronize()
    checked = PyGPU.checked
    checked.cudaStreamBeginCapture(stream, PyGPU.cudaStreamCaptureMode.cudaStreamCaptureModeRelaxed)
    fill(array, 5, 1000, grid=1, block=1, stream=stream)
    graph = checked.cudaStreamEndCapture(stream)
    executable = checked.cudaGraphInstantiate(graph, 0)
    checked.cudaGraphDestroy(graph)
    module.unload()
    with pytest.raises(ValueError, match=r"fill\(\): the module was unloaded"):
        fill(array, 5, 1000, grid=1, block=1, stream=stream)
    checked.cudaGraphLaunch(executable, stream)
    stream.synchronize()
    assert (array.get() == 5).all()
    # The module is still loaded.
    assert int(PyGPU.cuModuleGetFunction(handle, "nothing")[-1]) == 500
    checked.cudaGraphExecDestroy(executable)
    PyGPU.to_gpu(np.ones(4)).get()


def test_a_kernel_is_looked_up_during_a_capture():
    """This holds in the strictest mode, in which cudaFree(0) would end the capture."""
    module = PyGPU.Module(compiler.compile(SOURCE, cache=False))
    stream, array = PyGPU.Stream(), PyGPU.zeros(1000, np.float64)
    stream.synchronize()
    checked = PyGPU.checked
    checked.cudaStreamBeginCapture(stream, PyGPU.cudaStreamCaptureMode.cudaStreamCaptureModeGlobal)
    module["fill"](array, 5, 1000, grid=1, block=1, stream=stream)
    assert module.get_global("table")[1] == 32
    graph = checked.cudaStreamEndCapture(stream)
    executable = checked.cudaGraphInstantiate(graph, 0)
    checked.cudaGraphLaunch(executable, stream)
    stream.synchronize()
    assert (array.get() == 5).all()
    checked.cudaGraphExecDestroy(executable)
    checked.cudaGraphDestroy(graph)

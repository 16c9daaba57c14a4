"""Nodes of the driver API's graphs on the host runtime: what they do after a change."""

from __future__ import annotations

import ctypes

import pytest

from PyGPU import cu
from tests.driver.codes import code
from tests.driver.test_host_attributes import PTX
from tests.driver.test_host_memory import begin, gpu, read
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_host")


def launched(executable):
    gpu.cuGraphLaunch(executable, None)
    gpu.cuCtxSynchronize()


def kernel_node(function, pointer, value):
    arguments = ((pointer, value), (ctypes.c_void_p, ctypes.c_uint32))
    sizes = dict.fromkeys(
        ("gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ"), 1
    )
    return cu.CUDA_KERNEL_NODE_PARAMS(func=function, kernelParams=arguments, **sizes)


@pytest.mark.parametrize("of_executable", [False, True])
def test_a_kernel_node_runs_what_was_set_last(of_executable):
    """A changed node counts for later executables.

    A change in an executable counts for it alone.
    """
    begin()
    function = gpu.cuModuleGetFunction(gpu.cuModuleLoadData(PTX), "k")
    pointer, graph = gpu.cuMemAlloc(4), gpu.cuGraphCreate(0)
    node = gpu.cuGraphAddKernelNode(graph, None, 0, kernel_node(function, pointer, 5))
    executable = gpu.cuGraphInstantiate(graph, 0)
    later = kernel_node(function, pointer, 6)
    if of_executable:
        gpu.cuGraphExecKernelNodeSetParams(executable, node, later)
    else:
        gpu.cuGraphKernelNodeSetParams(node, later)
    launched(executable)
    assert read(pointer, 4) == bytes([6 if of_executable else 5, 0, 0, 0])
    launched(gpu.cuGraphInstantiate(graph, 0))
    assert read(pointer, 4) == bytes([5 if of_executable else 6, 0, 0, 0])
    later.gridDimX = 0
    assert code(cu.cuGraphKernelNodeSetParams(node, later)) == 1
    assert code(cu.cuGraphExecKernelNodeSetParams(executable, node, later)) == 1


@pytest.mark.parametrize("of_executable", [False, True])
def test_a_copy_node_copies_what_was_set_last(of_executable):
    context = begin()
    pointer, graph = gpu.cuMemAlloc(12), gpu.cuGraphCreate(0)
    gpu.cuMemsetD32(pointer, 5, 1)
    gpu.cuMemsetD32(pointer + 4, 6, 1)

    def copy(source):
        ends = {"srcMemoryType": 2, "srcDevice": source, "dstMemoryType": 2}
        return {**ends, "dstDevice": pointer + 8, "WidthInBytes": 4, "Height": 1, "Depth": 1}

    node = gpu.cuGraphAddMemcpyNode(graph, None, 0, copy(pointer), context)
    executable = gpu.cuGraphInstantiate(graph, 0)
    if of_executable:
        gpu.cuGraphExecMemcpyNodeSetParams(executable, node, copy(pointer + 4), context)
    else:
        gpu.cuGraphMemcpyNodeSetParams(node, copy(pointer + 4))
    launched(executable)
    assert read(pointer + 8, 1) == bytes([6 if of_executable else 5])
    launched(gpu.cuGraphInstantiate(graph, 0))
    assert read(pointer + 8, 1) == bytes([5 if of_executable else 6])
    assert code(cu.cuGraphMemcpyNodeSetParams(node, copy(pointer + 11))) == 1

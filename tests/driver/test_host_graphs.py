"""Nodes of the driver API's graphs on the host runtime: what they do after a change."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from PyGPU import cu, hip
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


@pytest.mark.parametrize("values", [[np.uint64(0)], [np.uint8(1), np.uint8(1)]])
def test_a_kernel_nodes_arguments_are_those_of_the_kernel(values):
    """C copies as many as the kernel has, as for a launch: it would read behind the others."""
    begin()
    function = gpu.cuModuleGetFunction(gpu.cuModuleLoadData(PTX), "k")
    wrong, graph = kernel_node(function, 0, 5), gpu.cuGraphCreate(0)
    wrong.kernelParams = values
    node = gpu.cuGraphAddKernelNode(graph, None, 0, kernel_node(function, gpu.cuMemAlloc(4), 5))
    executable = gpu.cuGraphInstantiate(graph, 0)
    generic = cu.CUgraphNodeParams(type=0)
    generic.kernel = {
        name: getattr(wrong, name) for name in ("func", "gridDimX", "gridDimY", "gridDimZ")
    }
    generic.kernel.kernelParams = values
    said = "holds 1 values, the kernel takes 2" if len(values) == 1 else r"\[0\]' has 1 bytes"
    for call in (
        lambda: cu.cuGraphAddKernelNode(graph, None, 0, wrong),
        lambda: cu.cuGraphKernelNodeSetParams(node, wrong),
        lambda: cu.cuGraphExecKernelNodeSetParams(executable, node, wrong),
        lambda: cu.cuGraphAddNode(graph, None, None, 0, generic),
        lambda: hip.hipModuleLaunchKernel(int(function), *[1] * 6, 0, None, values, None),
    ):
        with pytest.raises(ValueError, match=rf"kernelParams.*{said}"):
            call()

"""Kernels where C takes a function's handle: in structs, launches and questions."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import PyGPU
from PyGPU import cu, cuda
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("python", PYGPU_BACKEND="host")

SOURCE = "__global__ void fill(float *out, float value) { out[threadIdx.x] = value; }"


def loaded() -> PyGPU.Kernel:
    return PyGPU.Module(PyGPU.compiler.compile(SOURCE, arch="compute_75"))["fill"]


def test_a_node_of_the_driver_runs_it() -> None:
    kernel = loaded()
    array = PyGPU.zeros(4, np.float32)
    shape = {f"{what}Dim{axis}": 1 for what in ("grid", "block") for axis in "XYZ"} | {
        "blockDimX": 4
    }
    values = [array, np.float32(3)]
    parameters = cu.CUDA_KERNEL_NODE_PARAMS(func=kernel, kernelParams=values, **shape)
    checked = cu.checked
    graph = checked.cuGraphCreate(0)
    checked.cuGraphAddKernelNode(graph, None, 0, parameters)
    executable = checked.cuGraphInstantiate(graph, 0)
    checked.cuGraphLaunch(executable, 0)
    checked.cuStreamSynchronize(0)
    assert array.get().tolist() == [3] * 4


def test_a_struct_keeps_it() -> None:
    """`cudaKernelNodeParams(func=kernel)` was a TypeError."""
    for struct in (cuda.cudaKernelNodeParams, cuda.cudaLaunchParams, cu.CUDA_KERNEL_NODE_PARAMS):
        kernel = loaded()
        before = sys.getrefcount(kernel)
        parameters = struct(func=kernel)
        assert int(parameters.func) == kernel.handle
        assert sys.getrefcount(kernel) == before + 1
        parameters.func = None
        assert sys.getrefcount(kernel) == before


def test_every_struct_of_the_driver_takes_it():
    kernel = loaded()
    for struct in (cu.CUDA_KERNEL_NODE_PARAMS, cu.CUDA_LAUNCH_PARAMS_st):
        field = "func" if "func" in dir(struct) else "function"
        assert int(getattr(struct(**{field: kernel}), field)) == kernel.handle
    assert int(PyGPU.hip.hipKernelNodeParams(func=kernel).func) == kernel.handle


def test_functions_take_it():
    kernel = loaded()
    array = PyGPU.zeros(4, np.float32)
    arguments = [array, np.float32(2)]
    PyGPU.checked.cuLaunchKernel(kernel, 1, 1, 1, 4, 1, 1, 0, 0, arguments, None)
    PyGPU.checked.cudaLaunchKernel(kernel, 1, 4, arguments, 0, 0)
    PyGPU.checked.cudaDeviceSynchronize()
    assert array.get().tolist() == [2] * 4
    wanted = cu.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
    assert cu.checked.cuFuncGetAttribute(wanted, kernel) == kernel.max_threads_per_block
    assert int(kernel) == kernel.handle


def test_it_is_no_other_handle_and_no_memory():
    kernel = loaded()
    for call, arguments in (
        (PyGPU.cuda.cudaStreamSynchronize, (kernel,)),
        (PyGPU.cuda.cudaGraphDestroy, (kernel,)),
        (PyGPU.cu.cuModuleUnload, (kernel,)),
        (PyGPU.cuda.cudaFree, (kernel,)),
        (PyGPU.gpuarray.GPUArray, (4, np.float32, None, None, kernel)),
    ):
        with pytest.raises(TypeError):
            call(*arguments)


def test_it_can_not_be_given_once_its_code_is_unloaded():
    kernel = loaded()
    kernel.code.unload()
    for use in (int, lambda one: cuda.cudaKernelNodeParams(func=one)):
        with pytest.raises(ValueError, match=r"^fill\(\): the module was unloaded"):
            use(kernel)

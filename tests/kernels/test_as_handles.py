"""Kernels where C takes a function's handle: in structs, launches and questions."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import PyGPU
from PyGPU import cu, cuda
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("python", PYGPU_BACKEND="host")

SOURCE = "__global__ void fill(float *out, float value) { out[threadIdx.x] = value; }"


def loaded() -> PyGPU.Kernel:
    return PyGPU.Module(PyGPU.compiler.compile(SOURCE, arch="compute_75"))["fill"]


def test_a_node_s_struct_takes_a_kernel_and_keeps_it():
    """`cudaKernelNodeParams(func=kernel)` was a TypeError."""
    kernel = loaded()
    array = PyGPU.zeros(4, np.float32)
    values = [array, np.float32(3)]
    given = {"gridDim": (1, 1, 1), "blockDim": (4, 1, 1), "kernelParams": values}
    parameters = cuda.cudaKernelNodeParams(func=kernel, **given)
    assert parameters.func == kernel.handle
    alive = weakref.ref(kernel.code) if hasattr(kernel.code, "__weakref__") else None
    del kernel
    gc.collect()
    assert alive is None or alive() is not None
    checked = PyGPU.checked
    graph = checked.cudaGraphCreate(0)
    checked.cudaGraphAddKernelNode(graph, None, 0, parameters)
    executable = checked.cudaGraphInstantiate(graph, 0)
    checked.cudaGraphLaunch(executable, 0)
    checked.cudaStreamSynchronize(0)
    assert array.get().tolist() == [3] * 4


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

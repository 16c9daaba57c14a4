"""Kernels where C takes a function's handle: in structs, launches and questions."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import PyGPU
from PyGPU import cu, cuda
from tests.host.device_code import compiled
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("python", PYGPU_BACKEND="host")

SOURCE = "__global__ void fill(float *out, float value) { out[threadIdx.x] = value; }"


def loaded() -> PyGPU.Kernel:
    return PyGPU.Module(PyGPU.compiler.compile(SOURCE, arch="compute_75"))["fill"]


def other_handle(kernel: PyGPU.Kernel) -> int:
    """The library's kernel, of which the driver's function is the form in one context."""
    found = cu.checked.cuLibraryGetKernel(kernel.code.library, cu.checked.cuFuncGetName(kernel))
    assert int(found) != kernel.handle
    assert int(cu.checked.cuKernelGetFunction(found)) == kernel.handle
    return int(found)


def test_a_node_of_the_runtime_runs_it() -> None:
    """It needs the library's kernel: a card refuses a CUfunction with 400, the host runtime too."""
    kernel = loaded()
    array = PyGPU.zeros(4, np.float32)
    values = [array, np.float32(3)]
    launch = {"gridDim": 1, "blockDim": 4, "kernelParams": values}
    checked = cuda.checked
    graph = checked.cudaGraphCreate(0)
    parameters = cuda.cudaKernelNodeParams(func=kernel, **launch)
    node = checked.cudaGraphAddKernelNode(graph, None, 0, parameters)
    executable = checked.cudaGraphInstantiate(graph, 0)
    checked.cudaGraphLaunch(executable, 0)
    checked.cudaStreamSynchronize(0)
    assert array.get().tolist() == [3] * 4
    whole = cuda.cudaGraphNodeParams(type=cuda.cudaGraphNodeTypeKernel)
    for field in ("func", "kern", "cuFunc"):  # CUDA deduces which of them it is
        whole.kernel = cuda.cudaKernelNodeParamsV2(**{field: kernel}, **launch)
        assert cuda.cudaGraphAddNode(graph, None, None, 0, whole)[-1] == 0
    parameters = cuda.cudaKernelNodeParams(func=kernel.handle, **launch)
    assert cuda.cudaGraphAddKernelNode(graph, None, 0, parameters) == (None, 400)
    assert cuda.cudaGraphKernelNodeSetParams(node, parameters) == 400
    assert cuda.cudaGraphExecKernelNodeSetParams(executable, node, parameters) == 400


@own_interpreter("python", PYGPU_BACKEND="host", PYGPU_HOST_DEVICES="2")
def test_a_module_of_one_of_several_devices_is_no_library() -> None:
    """A driver that loads eagerly would load it on each device."""
    kernel = loaded()
    assert kernel.code.library is None
    parameters = cuda.cudaKernelNodeParams(func=kernel, gridDim=1, blockDim=1)
    assert int(parameters.func) == kernel.handle
    with pytest.raises(TypeError, match="a CUkernel, an address"):
        cu.cuKernelGetName(kernel)
    kernel.code.unload()


def test_it_is_a_kernel_of_all_contexts_too() -> None:
    kernel = loaded()
    assert "fill" in cu.checked.cuKernelGetName(kernel)
    for kind in (cu.CUkernel, cuda.cudaKernel_t):
        assert int(kind(kernel)) == other_handle(kernel)
    parameters = cu.CUDA_KERNEL_NODE_PARAMS(kern=kernel)
    assert (int(parameters.func), int(parameters.kern)) == (0, other_handle(kernel))
    assert int(cuda.cudaKernelNodeParamsV2(cuFunc=kernel).cuFunc) == kernel.handle


def test_its_library_ends_with_its_module() -> None:
    kernel = loaded()
    library = kernel.code.library
    assert cu.cuLibraryGetKernelCount(library) == (1, 0)
    assert cu.cuModuleUnload(kernel.code.handle) == cu.CUDA_ERROR_NOT_PERMITTED
    kernel.code.unload()
    assert cu.cuLibraryGetKernelCount(library) == (None, 400)


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


@pytest.mark.parametrize("field", ["func", "kern"])
def test_a_node_takes_as_many_arguments_as_the_kernel(field: str) -> None:
    """C would read behind them. A second function of the driver knows a CUkernel's parameters."""
    kernel = loaded()
    handle = kernel.handle if field == "func" else other_handle(kernel)
    parameters = {field: handle, "kernelParams": [PyGPU.zeros(4, np.float32)]}
    graph = cu.checked.cuGraphCreate(0)
    with pytest.raises(ValueError, match=r"kernelParams' holds 1 values, the kernel takes 2"):
        cu.cuGraphAddKernelNode(graph, None, 0, parameters)
    with pytest.raises(ValueError, match=r"kernelParams' holds 1 values, the kernel takes 2"):
        cu.cuLaunchKernel(handle, *[1] * 6, 0, None, parameters["kernelParams"], None)


def test_a_struct_keeps_it() -> None:
    """`cudaKernelNodeParams(func=kernel)` was a TypeError."""
    for struct in (cuda.cudaKernelNodeParams, cuda.cudaLaunchParams, cu.CUDA_KERNEL_NODE_PARAMS):
        kernel = loaded()
        before = sys.getrefcount(kernel)
        parameters = struct(func=kernel)
        of_the_driver = struct is cu.CUDA_KERNEL_NODE_PARAMS
        assert int(parameters.func) == (kernel.handle if of_the_driver else other_handle(kernel))
        assert sys.getrefcount(kernel) == before + 1
        parameters.func = None
        assert sys.getrefcount(kernel) == before


def test_every_struct_of_the_driver_takes_it():
    kernel = loaded()
    for struct in (cu.CUDA_KERNEL_NODE_PARAMS, cu.CUDA_LAUNCH_PARAMS_st):
        field = "func" if "func" in dir(struct) else "function"
        assert int(getattr(struct(**{field: kernel}), field)) == kernel.handle


@own_interpreter("python", PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY=PyGPU._backend.HOST_RUNTIME)
def test_structs_of_hip_take_its_function():
    kernel = PyGPU.Module(compiled(SOURCE))["fill"]
    assert kernel.code.library is None
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
    for use in (int, cu.CUkernel, lambda one: cuda.cudaKernelNodeParams(func=one)):
        with pytest.raises(ValueError, match=r"^fill\(\): the module was unloaded"):
            use(kernel)

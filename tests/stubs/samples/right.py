"""What type checkers must accept, with the types that they must infer."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
from typing_extensions import assert_type

import PyGPU
import PyGPU.checked as raising
from PyGPU import (
    GPUError,
    cudaDeviceProp,
    cudaError,
    cudaError_t,
    cudaEvent_t,
    cudaGetDevice,
    cudaGraph_t,
    cudaGraphAddEmptyNode,
    cudaGraphEdgeData,
    cudaGraphGetEdges,
    cudaGraphNode_t,
    cudaLaunchHostFunc,
    cudaLaunchKernel,
    cudaMalloc,
    cudaMallocAsync,
    cudaMemcpy,
    cudaMemcpy3DParms,
    cudaMemcpyHostToDevice,
    cudaMemcpyKind,
    cudaPitchedPtr,
    cudaStream_t,
    cudaStreamPerThread,
    cudaStreamSynchronize,
    dim3,
)


class Foreign:
    """A stream of another library."""

    def __cuda_stream__(self) -> tuple[int, int]:
        return (0, 2)


def results() -> None:
    device, err = cudaGetDevice()
    assert_type(device, "int | None")
    assert_type(err, cudaError)
    assert_type(err.name, str)
    if err or device is None:
        raise GPUError(err)
    assert_type(PyGPU.cudaSetDevice(device), cudaError)
    assert cudaError_t(2) is PyGPU.cudaErrorMemoryAllocation
    assert_type(raising.cudaGetDevice(), int)
    assert_type(PyGPU.checked.cudaMemGetInfo(), "tuple[int, int]")
    assert_type(PyGPU.cuda.checked.cudaSetDevice(0), None)
    assert_type(PyGPU.hip.checked.hipGetDevice(), int)
    assert_type(raising.cudaStreamQuery(None), bool)
    assert_type(PyGPU.cudaGetErrorName(err), str)
    assert_type(PyGPU.hip.hipGetDevice(), "tuple[int | None, PyGPU.hip.hipError]")


def memory(path: Path) -> None:
    sent = np.arange(1000, dtype=np.float32)
    pointer, _ = cudaMalloc(sent.nbytes)
    cudaMemcpy(pointer, sent, sent.nbytes, cudaMemcpyHostToDevice)
    cudaMemcpy(dst=sent, src=pointer, count=4, kind=cudaMemcpyKind.cudaMemcpyDeviceToHost)
    cudaMemcpy(bytearray(4), ctypes.c_int(3), 4, 0)
    cudaMemcpy(ctypes.pointer(ctypes.c_int(3)), (ctypes.c_int * 3)(), np.int64(4), 0)
    PyGPU.cuda.cudaLibraryLoadFromFile(path, None, None, 0, None, None, 0)


def handles(graph: cudaGraph_t) -> None:
    stream = cudaStream_t(flags=1, priority=0)
    assert int(stream) + hash(stream)
    assert stream == cudaStream_t(int(stream))
    for one in (stream, None, 2, Foreign(), cudaStreamPerThread):
        cudaStreamSynchronize(one)
    cudaMallocAsync(3, stream)
    assert_type(raising.cudaEventCreate(), cudaEvent_t)
    cudaGraphAddEmptyNode(graph, [cudaGraphNode_t(4096), 8192], 2)
    cudaGraphAddEmptyNode(graph, None, 0)
    from_, _to, edges, _ = cudaGraphGetEdges(graph, numEdges=3)
    assert_type(from_, "list[cudaGraphNode_t] | None")
    assert_type(edges, "list[cudaGraphEdgeData] | None")


def structs() -> None:
    copy = cudaMemcpy3DParms(srcPtr=(1, 2, 3, 4), extent={"width": 1}, kind=cudaMemcpyHostToDevice)
    assert_type(copy.srcPtr, cudaPitchedPtr)
    assert_type(copy.kind, cudaMemcpyKind)
    assert_type(copy.srcPtr.pitch, int)
    copy.srcPtr = (1, 2, 3, 4)
    copy.srcPtr.ptr = np.zeros(3)
    PyGPU.cudaMemcpy3D(copy)
    PyGPU.cudaMemcpy3D({"kind": 0})
    view = cudaMemcpy3DParms.from_address(copy.address, owner=copy)
    assert len(bytes(memoryview(view))) == cudaMemcpy3DParms.sizeof
    properties = raising.cudaGetDeviceProperties(0)
    assert_type(properties, cudaDeviceProp)
    assert_type(properties.name, str)
    assert_type(properties.maxGridSize[0], int)
    assert_type(properties.maxGridSize[1:], "list[int]")
    assert cudaGraphEdgeData(type=1).type
    assert_type(PyGPU.make_cudaExtent(1, 2, 3).depth, int)


def decided_by_an_enumerator(pool: PyGPU.cudaMemPool_t, which: PyGPU.cudaMemPoolAttr) -> None:
    threshold, err = PyGPU.cudaMemPoolGetAttribute(pool, PyGPU.cudaMemPoolAttrReleaseThreshold)
    assert_type(threshold, "int | None")
    kind = raising.cudaMemPoolGetAttribute(pool, PyGPU.cudaMemPoolAttr.cudaMemPoolAttrLocationType)
    assert_type(kind, PyGPU.cudaMemLocationType)
    window, err = PyGPU.cudaStreamGetAttribute(None, PyGPU.cudaLaunchAttributeAccessPolicyWindow)
    assert_type(window, "PyGPU.cudaAccessPolicyWindow | None")
    value = raising.cudaMemPoolGetAttribute(pool, which)
    assert isinstance(value, int | bytes), err


def arrays() -> None:
    array = PyGPU.DeviceArray_float32(np.zeros(8, np.float32))
    assert_type(array.allocate(), cudaError)
    assert_type(array.device_data(), PyGPU.pointer_wrapper_float32)
    cudaMemcpy(array.device_data(), array, array.nbytes(), 0)
    assert_type(PyGPU.memory_info().free, int)
    with PyGPU.register(np.zeros(3)) as registered:
        assert_type(registered.active, bool)


def launches(kernel: PyGPU.cudaKernel_t) -> None:
    arguments = [ctypes.c_int(1), np.float32(2), cudaStream_t(2)]
    cudaLaunchKernel(kernel, (1, 1, 1), 256, arguments, 0, None)
    cudaLaunchKernel(kernel, dim3(1), 256, ((1, 2.0), (ctypes.c_int, ctypes.c_float)), 0, 0)

    def done(data: list[int]) -> None:
        data.append(1)

    cudaLaunchHostFunc(None, done, [1])
    PyGPU.cuda.address("cudaMemcpy")


class TorchStream:
    """As torch.cuda.Stream is typed."""

    @property
    def cuda_stream(self) -> int:
        return 0


def streams_and_arrays(node: PyGPU.cudaGraphNodeParams) -> None:
    PyGPU.cudaStreamQuery(TorchStream())
    assert_type(node.conditional.phGraph_out[0], PyGPU.cudaGraph_t)
    assert_type(int(node.alloc.accessDescs[0].location.id), int)
    config = PyGPU.cudaLaunchConfig_t(attrs=[], stream=TorchStream())
    config.attrs = [{"id": 1}]
    PyGPU.cudaLaunchAttribute.from_address(config.attrs, config)
    PyGPU.cudaTextureDesc(normalizedCoords=True)

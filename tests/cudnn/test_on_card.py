"""A graph of one operation, planned and executed on a GPU."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from PyGPU import cuda

SHAPE = (4, 16, 16)


class Graphs:
    """Makes descriptors with attributes, and destroys them at the end."""

    def __init__(self, cudnn):
        self.cudnn, self.made = cudnn, []

    def make(self, kind: str) -> int:
        create = self.cudnn.checked.cudnnBackendCreateDescriptor
        self.made.append(create(getattr(self.cudnn, f"CUDNN_BACKEND_{kind}_DESCRIPTOR")))
        return self.made[-1]

    def put(self, descriptor: int, name: str, kind: str, elements: list, dtype: str) -> None:
        attribute = getattr(self.cudnn, f"CUDNN_ATTR_{name}")
        type = getattr(self.cudnn, f"CUDNN_TYPE_{kind}")
        array = np.array([int(one) for one in elements], dtype)
        self.cudnn.checked.cudnnBackendSetAttribute(descriptor, attribute, type, len(array), array)

    def get(self, descriptor: int, name: str, kind: str, array: np.ndarray) -> int:
        attribute = getattr(self.cudnn, f"CUDNN_ATTR_{name}")
        type = getattr(self.cudnn, f"CUDNN_TYPE_{kind}")
        get = self.cudnn.checked.cudnnBackendGetAttribute
        return get(descriptor, attribute, type, len(array), array)

    def tensor(self, number: int) -> int:
        one = self.make("TENSOR")
        self.put(one, "TENSOR_UNIQUE_ID", "INT64", [number], "i8")
        self.put(one, "TENSOR_DATA_TYPE", "DATA_TYPE", [self.cudnn.CUDNN_DATA_FLOAT], "i4")
        self.put(one, "TENSOR_BYTE_ALIGNMENT", "INT64", [16], "i8")
        self.put(one, "TENSOR_DIMENSIONS", "INT64", [*SHAPE], "i8")
        self.put(one, "TENSOR_STRIDES", "INT64", [SHAPE[1] * SHAPE[2], SHAPE[2], 1], "i8")
        self.cudnn.checked.cudnnBackendFinalize(one)
        return one


@pytest.fixture
def graphs(cudnn, on_card):
    made = Graphs(cudnn)
    yield made
    for one in reversed(made.made):
        cudnn.checked.cudnnBackendDestroyDescriptor(one)


def test_a_sum_of_tensors(cudnn, graphs):
    """From tensors over an operation, a graph and a heuristic to a plan."""
    handle = cudnn.cudnnHandle_t()
    stream = cuda.cudaStream_t(flags=0)
    cudnn.checked.cudnnSetStream(handle, stream)
    finalize, put, link = cudnn.checked.cudnnBackendFinalize, graphs.put, "BACKEND_DESCRIPTOR"
    left, right, total = (graphs.tensor(number) for number in (1, 2, 3))

    adding = graphs.make("POINTWISE")
    put(adding, "POINTWISE_MODE", "POINTWISE_MODE", [cudnn.CUDNN_POINTWISE_ADD], "i4")
    put(adding, "POINTWISE_MATH_PREC", "DATA_TYPE", [cudnn.CUDNN_DATA_FLOAT], "i4")
    finalize(adding)
    operation = graphs.make("OPERATION_POINTWISE")
    put(operation, "OPERATION_POINTWISE_PW_DESCRIPTOR", link, [adding], "u8")
    put(operation, "OPERATION_POINTWISE_XDESC", link, [left], "u8")
    put(operation, "OPERATION_POINTWISE_BDESC", link, [right], "u8")
    put(operation, "OPERATION_POINTWISE_YDESC", link, [total], "u8")
    finalize(operation)
    graph = graphs.make("OPERATIONGRAPH")
    put(graph, "OPERATIONGRAPH_HANDLE", "HANDLE", [handle], "u8")
    put(graph, "OPERATIONGRAPH_OPS", link, [operation], "u8")
    finalize(graph)

    heuristic = graphs.make("ENGINEHEUR")
    put(heuristic, "ENGINEHEUR_OPERATION_GRAPH", link, [graph], "u8")
    put(heuristic, "ENGINEHEUR_MODE", "HEUR_MODE", [cudnn.CUDNN_HEUR_MODE_A], "i4")
    finalize(heuristic)
    configurations = np.array([graphs.make("ENGINECFG")], "u8")
    assert graphs.get(heuristic, "ENGINEHEUR_RESULTS", link, configurations) >= 1
    plan = graphs.make("EXECUTION_PLAN")
    put(plan, "EXECUTION_PLAN_HANDLE", "HANDLE", [handle], "u8")
    put(plan, "EXECUTION_PLAN_ENGINE_CONFIG", link, [configurations[0]], "u8")
    finalize(plan)
    size = np.zeros(1, "i8")
    assert graphs.get(plan, "EXECUTION_PLAN_WORKSPACE_SIZE", "INT64", size) == 1

    rng = np.random.default_rng(7)
    given = [rng.random(SHAPE, "f4") for _ in range(2)]
    arrays = [*map(PyGPU.to_gpu, given), PyGPU.zeros(SHAPE, "float32")]
    space = PyGPU.zeros(max(int(size[0]), 1), "uint8")
    cuda.checked.cudaDeviceSynchronize()
    pack = graphs.make("VARIANT_PACK")
    put(pack, "VARIANT_PACK_UNIQUE_IDS", "INT64", [1, 2, 3], "i8")
    put(pack, "VARIANT_PACK_DATA_POINTERS", "VOID_PTR", [one.ptr for one in arrays], "u8")
    put(pack, "VARIANT_PACK_WORKSPACE", "VOID_PTR", [space.ptr], "u8")
    finalize(pack)
    cudnn.checked.cudnnBackendExecute(handle, plan, pack)
    cuda.checked.cudaStreamSynchronize(stream)
    assert np.allclose(arrays[2].get(), given[0] + given[1])

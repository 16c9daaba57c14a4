"""Conditional nodes of graphs on the host runtime, for CUDA's runtime and its driver API."""

from __future__ import annotations

import ctypes
import functools

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.host.device_code import compiled
from tests.host.test_graphs import GLOBAL, RELAXED, Face, gpu
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_host")

IF, WHILE, SWITCH = range(3)
ASSIGN_DEFAULT = 1
CONDITIONAL, NOT_SUPPORTED = 13, 6

# What nvcc emits for cudaGraphSetConditional is a call of a function that no module defines.
CODE = r"""
extern "C" __device__ __cudart_builtin__ void CUDARTAPI
cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
extern "C" __global__ void set(cudaGraphConditionalHandle handle, unsigned int value) {
    cudaGraphSetConditional(handle, value);
}
extern "C" __global__ void count(int *where) { ++*where; }
extern "C" __global__ void down(cudaGraphConditionalHandle handle, int *left) {
    cudaGraphSetConditional(handle, --*left > 0);
}
"""


class Conditions(Face):
    """A face with kernels that set conditions, and counters that bodies count up."""

    def __init__(self, api: str) -> None:
        super().__init__(api)
        self.kernels = PyGPU.Module(compiled(CODE, "compute_80"))
        self.counters = PyGPU.to_gpu(np.zeros(8, np.int32))
        PyGPU.wait(self.counters)

    def graph(self) -> int:
        return int(self("GraphCreate", 0))

    def handle(self, graph, value=0, flags=0) -> int:
        context = (self("CtxGetCurrent"),) if self.api == "cu" else ()
        return int(self("GraphConditionalHandleCreate", graph, *context, value, flags))

    def try_node(self, graph, handle, type, size, after=()):
        condition = {"handle": handle, "type": type, "size": size}
        if self.api == "cu":
            condition["ctx"] = self("CtxGetCurrent")
        how = {"type": CONDITIONAL, "conditional": condition}
        return self.call("GraphAddNode", graph, list(after) or None, None, len(after), how)

    def node(self, graph, handle, type=IF, size=1, after=()):
        status, node, parameters = self.try_node(graph, handle, type, size, after)
        assert status == 0
        bodies = [int(one) for one in parameters.conditional.phGraph_out]
        assert len(bodies) == size and len({*bodies, 0}) == size + 1
        return int(node), bodies

    def add(self, graph, name, *arguments, after=()):
        """Add a node of one thread."""
        values = [one if hasattr(one, "_type_") else ctypes.c_uint64(int(one)) for one in arguments]
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(one) for one in values))
        how = {"func": int(self.kernels.get_function(name).handle), "kernelParams": pointers}
        how |= {f"{what}Dim{axis}": 1 for what in ("grid", "block") for axis in "XYZ"}
        nodes = list(after) or None
        return int(PyGPU.cu.checked.cuGraphAddKernelNode(graph, nodes, len(after), how))

    def count(self, graph, which, after=()):
        return self.add(graph, "count", self.counters.ptr + 4 * which, after=after)

    def set(self, graph, handle, value):
        return self.add(graph, "set", handle, ctypes.c_uint(value))

    def run(self, graph, times=1) -> list[int]:
        """What the counters have after launches."""
        self.counters.fill(0)
        PyGPU.wait(self.counters)
        executable, stream = self.instantiate(graph), self.stream()
        for _ in range(times):
            self.launch(executable, stream)
        return self.counted()

    def counted(self):
        counted = self.counters.get().tolist()
        while counted and not counted[-1]:
            counted.pop()
        return counted


@pytest.fixture(params=["cuda", "cu"])
def api(request) -> str:
    return request.param


@pytest.mark.parametrize(
    ("type", "size", "value", "expected"),
    [
        (IF, 1, 0, []),
        (IF, 1, 5, [1]),
        (IF, 2, 0, [0, 1]),
        (IF, 2, 1, [1]),
        (SWITCH, 3, 0, [1]),
        (SWITCH, 3, 2, [0, 0, 1]),
        (SWITCH, 3, 3, []),
        (SWITCH, 1, 2**32 - 1, []),
    ],
)
def test_the_condition_chooses_the_body(api, type, size, value, expected):
    """A kernel before the node sets it; or it has a first value, in each launch anew."""
    face = Conditions(api)
    graph = face.graph()
    handle = face.handle(graph)
    before = face.set(graph, handle, value)
    node, bodies = face.node(graph, handle, type, size, [before])
    for index, body in enumerate(bodies):
        face.count(body, index)
    assert face.types(graph) == [0, CONDITIONAL] and face.before(node) == [before]
    assert face.run(graph, 2) == [2 * one for one in expected]
    other = face.graph()
    handle = face.handle(other, value, ASSIGN_DEFAULT)
    for index, body in enumerate(face.node(other, handle, type, size)[1]):
        face.count(body, index, [face.set(body, handle, 1 - min(value, 1))])
    assert face.run(other, 2) == [2 * one for one in expected]


def test_a_loop_runs_until_its_body_ends_it(api):
    """A kernel in the body sets the condition anew. What depends on the node runs afterwards."""
    face = Conditions(api)
    graph, left = face.graph(), PyGPU.to_gpu(np.int32([7]))
    handle = face.handle(graph, 1, ASSIGN_DEFAULT)
    node, (body,) = face.node(graph, handle, WHILE)
    face.add(body, "down", handle, left.ptr, after=[face.count(body, 0)])
    face.count(graph, 1, [node])
    PyGPU.wait(left)
    assert face.run(graph) == [7, 1]
    assert face.run(graph) == [1, 1]  # -1 is left


def test_conditional_nodes_lie_in_bodies_of_others(api):
    """Conditions get their first values when the outermost graph starts.

    A handle is that of the graph with the node, or of one around it.
    """
    face = Conditions(api)
    graph, left = face.graph(), PyGPU.to_gpu(np.int32([3]))
    handle = face.handle(graph, 1, ASSIGN_DEFAULT)
    _, (body,) = face.node(graph, handle, WHILE)
    first = face.count(body, 0)
    for which, owner in ((1, graph), (2, body)):
        inner = face.handle(owner, 1, ASSIGN_DEFAULT)
        _, (deeper,) = face.node(body, inner, IF, 1, [first])
        face.set(deeper, inner, 0)
        face.count(deeper, which)
    face.add(body, "down", handle, left.ptr, after=[first])
    PyGPU.wait(left)
    assert face.run(graph) == [3, 1, 1]


def test_a_body_is_filled_by_a_capture(api):
    """The node itself is put into a graph under capture, as cuda.core does."""
    face, stream, other = Conditions(api), Face(api).stream(), Face(api).stream()
    face.begin(stream, GLOBAL)
    graph = int(face("StreamGetCaptureInfo", stream)[2])
    handle = face.handle(graph)
    face.kernels["set"](np.uint64(handle), np.uint32(1), grid=1, block=1, stream=stream)
    before = [int(one) for one in face("StreamGetCaptureInfo", stream)[3]]
    node, (body,) = face.node(graph, handle, IF, 1, before)
    face("StreamUpdateCaptureDependencies", stream, [node], None, 1, 1)
    face("StreamBeginCaptureToGraph", other, body, None, None, 0, RELAXED)
    assert face.code("GraphDestroyNode", node) == 1
    for _ in range(2):
        face.kernels["count"](np.uint64(face.counters.ptr), grid=1, block=1, stream=other)
    assert face.end(other) == body
    face.kernels["count"](np.uint64(face.counters.ptr + 4), grid=1, block=1, stream=stream)
    assert face.end(stream) == graph
    assert face.run(graph) == [2, 1]


def test_a_function_of_the_host_stands_for_a_kernel_in_a_body(api):
    face, calls = Conditions(api), []
    registered = host.kernel("count", lambda grid, block, where: calls.append(grid))
    graph = face.graph()
    _, (body,) = face.node(graph, face.handle(graph, 1, ASSIGN_DEFAULT))
    face.count(body, 0)
    assert face.run(graph, 2) == [] and len(calls) == 2
    registered.remove()


def test_an_executable_outlives_the_handles(api):
    """Bodies and handles end with the node and the graph, but launches go on."""
    face = Conditions(api)
    graph = face.graph()
    handle = face.handle(graph)
    before = face.set(graph, handle, 1)
    node, (body,) = face.node(graph, handle, IF, 1, [before])
    face.count(body, 0)
    assert face.code("GraphDestroy", body) == 1
    executable, stream = face.instantiate(graph), face.stream()
    face("GraphDestroyNode", node)
    assert face.code("GraphGetNodes", body) == 1 and face.types(graph) == [0]
    face("GraphDestroy", graph)
    face.launch(executable, stream)
    assert face.counted() == [1]


def test_an_update_takes_bodies_of_the_same_shape(api):
    """First values change with it; the kind of condition and the number of bodies may not."""
    face = Conditions(api)

    def new_graph(value, counters=(0,), type=IF, size=1):
        graph = face.graph()
        node, bodies = face.node(graph, face.handle(graph, value, ASSIGN_DEFAULT), type, size)
        for which in counters:
            face.count(bodies[0], which)
        return graph, node

    executable, stream = face.instantiate(new_graph(0)[0]), face.stream()
    update = functools.partial(face.call, "GraphExecUpdate", executable)
    for other in (new_graph(1, type=WHILE), new_graph(1, size=2)):
        status, info = update(other[0])
        assert (status, int(info.result), int(info.errorNode)) == (910, NOT_SUPPORTED, other[1])
    assert update(new_graph(1, (0, 1))[0])[0] == 910
    face.launch(executable, stream)
    assert face.counted() == []
    assert update(new_graph(1, (3,))[0])[0] == 0
    face.launch(executable, stream)
    assert face.counted() == [0, 0, 0, 1]


def test_freed_memory_in_a_body_is_found_by_the_launch(api):
    face, memory = Conditions(api), int(gpu.cudaMalloc(64))
    graph = face.graph()
    _, (body,) = face.node(graph, face.handle(graph))
    Face.add_set(face, body, [], memory, 1, 16)
    executable, stream = face.instantiate(graph), face.stream()
    gpu.cudaFree(memory)
    with host.reports() as reports:
        assert face.code("GraphLaunch", executable, stream) == 1
    assert "memory that the graph uses was freed" in reports[0]


def test_a_kernel_that_sets_what_is_no_condition_faults():
    face = Conditions("cuda")
    graph = face.graph()
    face.set(graph, 64, 1)
    executable, stream = face.instantiate(graph), face.stream()
    with host.reports() as reports:
        face("GraphLaunch", executable, stream)
        assert face.code("StreamSynchronize", stream) == 700
    assert "the handle is not a condition" in reports[0]


def test_a_switch_has_no_endless_number_of_bodies():
    face = Conditions("cuda")
    graph = face.graph()
    handle = face.handle(graph)
    assert face.try_node(graph, handle, SWITCH, 0xFFFFFFFF)[0] == 2
    assert len(face.node(graph, handle, SWITCH, 1000)[1]) == 1000


@own_interpreter("on_host", PYGPU_HOST_TIMEOUT="1")
def test_a_loop_that_does_not_end_is_ended():
    """PYGPU_HOST_TIMEOUT counts for a loop of short kernels, too."""
    face = Conditions("cuda")
    graph = face.graph()
    _, (body,) = face.node(graph, face.handle(graph, 1, ASSIGN_DEFAULT), WHILE)
    face.count(body, 0)
    executable, stream = face.instantiate(graph), face.stream()
    face("GraphLaunch", executable, stream)
    with host.reports() as reports:
        assert face.code("StreamSynchronize", stream) == 702
    assert "a loop of a graph runs for more than 1 s" in "".join(reports)

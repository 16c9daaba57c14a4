"""What captures and graphs run on the host runtime, for all three APIs.

Codes of single calls are rows of tests/behaviour.
"""

from __future__ import annotations

import ctypes
import gc
import threading
import weakref

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from PyGPU._host import library
from tests.host.device_code import compiled
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_host")

GLOBAL, OF_THREAD, RELAXED = range(3)
KERNEL, COPY, SET, HOST, GRAPH, EMPTY = range(6)
TO_DEVICE, TO_HOST = 1, 2
SIZE = 256

WRONG_THREAD = 908

gpu = PyGPU.cuda.checked


class Face:
    """An API whose names are used without the prefix.

    Memory, streams and events are the same for all.
    """

    def __init__(self, api: str) -> None:
        self.api = api
        self.prefix = api
        self.module = getattr(PyGPU, api)
        if api == "cu":
            self("Init", 0)
            self("CtxSetCurrent", self("DevicePrimaryCtxRetain", 0))

    def call(self, name: str, *arguments):
        """The status, and then the call's values."""
        result = getattr(self.module, self.prefix + name)(*arguments)
        if not isinstance(result, tuple):
            return (int(result),)
        return int(result[-1]), *result[:-1]

    def code(self, name: str, *arguments) -> int:
        return self.call(name, *arguments)[0]

    def __call__(self, name: str, *arguments):
        status, *values = self.call(name, *arguments)
        assert status == 0, (name, status)
        return values[0] if len(values) == 1 else values or None

    # Functions that the APIs name differently.
    def stream(self, non_blocking=True) -> int:
        return int(gpu.cudaStreamCreateWithFlags(int(non_blocking)))

    def event(self) -> int:
        return int(gpu.cudaEventCreateWithFlags(2))

    def begin(self, stream, mode=RELAXED) -> None:
        self("StreamBeginCapture", stream, mode)

    def end(self, stream) -> int:
        return int(self("StreamEndCapture", stream))

    def set(self, to, value, size, stream) -> int:
        if self.api == "cu":
            return self.code("MemsetD8Async", to, value, size, stream)
        return self.code("MemsetAsync", to, value, size, stream)

    def copy(self, to, source, size, kind, stream) -> int:
        if self.api == "cu":
            return self.code("MemcpyAsync", int(to), int(source), size, stream)
        return self.code("MemcpyAsync", to, source, size, kind, stream)

    def allocate(self, size) -> int:
        return self.code("MemAlloc" if self.api == "cu" else "Malloc", size)

    def synchronize(self) -> int:
        return self.code("CtxSynchronize" if self.api == "cu" else "DeviceSynchronize")

    def instantiate(self, graph) -> int:
        if self.api == "hip":
            return int(self("GraphInstantiateWithFlags", graph, 0))
        return int(self("GraphInstantiate", graph, 0))

    def launch(self, executable, stream) -> None:
        self("GraphLaunch", executable, stream)
        gpu.cudaStreamSynchronize(stream)

    def nodes(self, graph) -> list[int]:
        return [int(one) for one in self._list("GraphGetNodes", graph)]

    def roots(self, graph) -> list[int]:
        return [int(one) for one in self._list("GraphGetRootNodes", graph)]

    def before(self, node) -> list[int]:
        return [int(one) for one in self._list("GraphNodeGetDependencies", node)]

    def edges(self, graph) -> set[tuple[int, int]]:
        begin, end = self("GraphGetEdges", graph)[:2]
        return {(int(one), int(other)) for one, other in zip(begin, end, strict=True)}

    def types(self, graph) -> list[int]:
        return [int(self("GraphNodeGetType", one)) for one in self.nodes(graph)]

    def add_set(self, graph, after, to, value, count) -> int:
        """Sets words."""
        how = {"dst": to, "pitch": 0, "value": value, "elementSize": 4, "width": count, "height": 1}
        context = (None,) if self.api == "cu" else ()
        return int(self("GraphAddMemsetNode", graph, after or None, len(after), how, *context))

    def add_copy(self, graph, after, to, source, size) -> int:
        if self.api != "cu":
            arguments = graph, after, len(after), to, source, size, 3
            return int(self("GraphAddMemcpyNode1D", *arguments))
        device = int(PyGPU.cu.CU_MEMORYTYPE_DEVICE)
        how = {"srcMemoryType": device, "srcDevice": source, "dstMemoryType": device}
        how |= {"dstDevice": to, "WidthInBytes": size, "Height": 1, "Depth": 1}
        return int(self("GraphAddMemcpyNode", graph, after, len(after), how, None))

    def depend(self, graph, first, second) -> None:
        edges = () if self.api == "hip" else (None,)
        self("GraphAddDependencies", graph, [first], [second], *edges, 1)

    def _list(self, name, of):
        status, value, *_ = self.call(name, of)
        assert status == 0, (name, status)
        return value


@pytest.fixture(params=["cuda", "cu", "hip"])
def api(request) -> str:
    return request.param


class Memory:
    """Device memory, and page-locked memory for looking at it."""

    def __init__(self, value=0):
        self.device = int(gpu.cudaMalloc(SIZE))
        self.host = int(gpu.cudaMallocHost(SIZE))
        self.seen = np.ctypeslib.as_array((ctypes.c_ubyte * SIZE).from_address(self.host))
        gpu.cudaMemset(self.device, value, SIZE)
        self.seen[:] = value

    def all(self, value) -> bool:
        """The bytes of the device memory."""
        gpu.cudaMemcpy(self.host, self.device, SIZE, TO_HOST)
        return bool((self.seen == value).all())


def test_work_of_a_capture_runs_with_every_launch(api):
    face, memory, called = Face(api), Memory(), []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(called.append)
    stream = face.stream()
    face.begin(stream)
    assert face("StreamIsCapturing", stream) == 1
    assert not face.set(memory.device, 7, SIZE, stream)
    assert not face.copy(memory.host, memory.device, SIZE, TO_HOST, stream)
    face("LaunchHostFunc", stream, function, 5)
    graph = face.end(stream)
    assert face("StreamIsCapturing", stream) == 0
    gpu.cudaStreamSynchronize(stream)
    assert memory.seen[0] == 0 and memory.all(0) and not called
    first, second, third = face.nodes(graph)
    assert face.types(graph) == [SET, COPY, HOST]
    assert face.edges(graph) == {(first, second), (second, third)}
    executable = face.instantiate(graph)
    for times in (1, 2):
        memory.seen[:] = 0
        gpu.cudaMemset(memory.device, 0, SIZE)
        face.launch(executable, stream)
        assert (memory.seen == 7).all() and called == [5] * times
    face("GraphExecDestroy", executable)
    face("GraphDestroy", graph)


def test_streams_fork_and_join_by_events(api):
    face, memory, other = Face(api), Memory(), Memory()
    origin, side, fork, join = face.stream(), face.stream(), face.event(), face.event()
    face.begin(origin)
    face.set(memory.device, 1, SIZE, origin)
    face("EventRecord", fork, origin)
    face("StreamWaitEvent", side, fork, 0)
    assert face("StreamIsCapturing", side) == 1
    face.set(other.device, 2, SIZE, side)
    face.set(memory.device, 3, SIZE, origin)
    face("EventRecord", join, side)
    face("StreamWaitEvent", origin, join, 0)
    face.copy(other.device, memory.device, SIZE // 2, 3, origin)
    graph = face.end(origin)
    assert face("StreamIsCapturing", side) == 0
    first, left, right, last = face.nodes(graph)
    assert face.edges(graph) == {(first, left), (first, right), (left, last), (right, last)}
    assert face.roots(graph) == [first] and set(face.before(last)) == {left, right}
    face.launch(face.instantiate(graph), origin)
    assert memory.all(3) and not other.all(2)
    assert (other.seen[: SIZE // 2] == 3).all() and (other.seen[SIZE // 2 :] == 2).all()


def in_thread(function, *arguments):
    results = []
    thread = threading.Thread(target=lambda: results.append(function(*arguments)))
    thread.start(), thread.join()
    return results[0]


def test_a_capture_stays_with_its_thread_when_that_is_gone():
    """A later thread isn't taken for it, even if its state lies at the same address."""
    face, stream = Face("cuda"), Face("cuda").stream()
    for _ in range(5):
        in_thread(face.begin, stream, OF_THREAD)
        assert in_thread(face.allocate, 64) == 0
        assert in_thread(face.code, "StreamEndCapture", stream) == WRONG_THREAD
        gpu.cudaStreamDestroy(stream)
        stream = face.stream()


def test_building_graphs_is_no_capture_to_other_calls(api):
    """The device may be waited for meanwhile; here the callback about freed memory does so."""
    face, codes = Face(api), []
    gone = int(gpu.cudaMalloc(SIZE))
    gpu.cudaFree(gone)
    listener = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(lambda _: codes.append(face.synchronize()))
    with host.reports():
        library.set_listener(ctypes.cast(listener, ctypes.c_void_p))
        with pytest.raises(AssertionError):
            face.add_copy(int(face("GraphCreate", 0)), [], gone, gone, SIZE)
    assert codes == [0]


def test_an_executable_outlives_its_graph(api):
    face, memory, stream = Face(api), Memory(), Face(api).stream()
    face.begin(stream)
    face.set(memory.device, 9, SIZE, stream)
    graph = face.end(stream)
    (node,) = face.nodes(graph)
    executable = face.instantiate(graph)
    face("GraphDestroy", graph)
    with host.reports() as reports:
        assert face.code("GraphDestroy", graph) == (401 if api == "hip" else 1)
        assert face.code("GraphNodeGetType", node) == 1
        assert face.code("GraphGetNodes", graph) == 1
    assert "not a graph, or one that was destroyed" in reports[0]
    with host.pause(stream):
        face("GraphLaunch", executable, stream)
        face("GraphExecDestroy", executable)
    gpu.cudaStreamSynchronize(stream)
    assert memory.all(9)
    with host.reports() as reports:
        assert face.code("GraphLaunch", executable, stream) == 1
        assert face.code("GraphExecDestroy", executable) == 1
    assert "no executable graph" in reports[0]


def test_memory_that_was_freed_is_found_by_the_launch(api):
    face, memory, stream = Face(api), Memory(), Face(api).stream()
    face.begin(stream)
    face.set(memory.device, 9, SIZE, stream)
    executable = face.instantiate(face.end(stream))
    gpu.cudaFree(memory.device)
    with host.reports() as reports:
        assert face.code("GraphLaunch", executable, stream) == 1
    assert "memory that the graph uses was freed" in reports[0]


def test_launches_of_an_executable_follow_each_other(api):
    """This also holds on two streams. A launch keeps its place in the stream's order."""
    face, memory, first, second = Face(api), Memory(), Face(api).stream(), Face(api).stream()
    face.begin(first)
    face.set(memory.device, 9, SIZE, first)
    executable = face.instantiate(face.end(first))
    with host.pause(first):
        face("GraphLaunch", executable, first)
        face.set(memory.device, 4, SIZE, first)
        face("GraphLaunch", executable, second)
        assert face.code("StreamQuery", second) == 600
    gpu.cudaStreamSynchronize(first), gpu.cudaStreamSynchronize(second)
    face.launch(executable, second)
    assert memory.all(9)


def test_a_launch_that_is_captured_is_a_node_of_hip(api):
    """CUDA refuses it, and the capture is over."""
    face, memory, stream = Face(api), Memory(), Face(api).stream()
    face.begin(stream)
    face.set(memory.device, 9, SIZE, stream)
    inner = face.instantiate(face.end(stream))
    face.begin(stream)
    face.set(memory.device, 1, SIZE, stream)
    if api != "hip":
        assert face.code("GraphLaunch", inner, stream) == 900
        assert face.code("StreamEndCapture", stream) == 901
        return
    face("GraphLaunch", inner, stream)
    graph = face.end(stream)
    assert face.types(graph) == [SET, GRAPH]
    face("GraphExecDestroy", inner)
    face.launch(face.instantiate(graph), stream)
    assert memory.all(9)


def test_pageable_memory_is_read_and_written_at_the_launch(api):
    face, memory, stream = Face(api), Memory(), Face(api).stream()
    source, back = np.full(SIZE, 3, np.uint8), np.zeros(SIZE, np.uint8)
    face.begin(stream)
    face.copy(memory.device, source.ctypes.data, SIZE, TO_DEVICE, stream)
    face.copy(back.ctypes.data, memory.device, SIZE, TO_HOST, stream)
    executable = face.instantiate(face.end(stream))
    source[:] = 5
    face.launch(executable, stream)
    assert (back == 5).all()


def test_a_user_object_goes_with_the_last_who_keeps_it(api):
    """HIP ignores releases of what the caller hasn't, or what is gone."""
    face, gone, wrong = Face(api), [], 0 if api == "hip" else 1
    destroy = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(gone.append)
    graph = int(face("GraphCreate", 0))
    kept = int(face("UserObjectCreate", 3, destroy, 1, 1))
    face("GraphRetainUserObject", graph, kept, 1, 1)
    assert face.code("UserObjectRelease", kept, 1) == wrong  # it was moved into the graph
    executable = face.instantiate(graph)
    face("GraphDestroy", graph)
    assert not gone
    face("GraphExecDestroy", executable)
    assert gone == [3]
    assert face.code("UserObjectRetain", kept, 1) == wrong
    other = int(face("UserObjectCreate", 4, destroy, 2, 1))
    face("UserObjectRelease", other, 2)
    assert gone == [3, 4]


def test_a_graph_is_built_node_by_node(api):
    face, memory, other, stream = Face(api), Memory(), Memory(), Face(api).stream()
    called = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(called.append)
    graph, child = int(face("GraphCreate", 0)), int(face("GraphCreate", 0))
    fill = face.add_set(graph, [], memory.device, 0x01020304, SIZE // 4)
    face.add_set(child, [], other.device, 0x05050505, SIZE // 4)
    inner = int(face("GraphAddChildGraphNode", graph, None, 0, child))
    face("GraphDestroy", child)  # the node has a copy of the child graph
    call = int(face("GraphAddHostNode", graph, None, 0, (function, 5)))
    join = int(face("GraphAddEmptyNode", graph, [fill, inner], 2))
    copy = face.add_copy(graph, [join], other.device, memory.device, SIZE // 2)
    face.depend(graph, copy, call)
    assert face.types(graph) == [SET, GRAPH, HOST, EMPTY, COPY]
    expected = {(fill, join), (inner, join), (join, copy), (copy, call)}
    assert face.edges(graph) == expected
    clone = int(face("GraphClone", graph))
    face("GraphDestroyNode", join)
    assert face.edges(graph) == {(copy, call)} and len(face.edges(clone)) == 4
    face("GraphDestroy", graph)
    face.launch(face.instantiate(clone), stream)
    assert called == [5] and not other.all(5)
    assert (other.seen[: SIZE // 2 : 4] == 4).all() and (other.seen[SIZE // 2 :] == 5).all()


def in_a_small_thread(body):
    """Run it in a thread with 256 KiB of stack; what it returns."""
    results, before = [], threading.stack_size(256 << 10)
    thread = threading.Thread(target=lambda: results.append(body()))
    thread.start()
    thread.join()
    threading.stack_size(before)
    return results[0]


def test_graphs_that_are_nested_too_deeply_are_refused(api):
    """Planning, running and destroying them takes a thread's stack, which may be small."""

    def body():
        face, memory = Face(api), Memory()
        stream = face.stream()
        graph = int(face("GraphCreate", 0))
        face.add_set(graph, [], memory.device, 0x07070707, SIZE // 4)
        for _ in range(99):
            inner, graph = graph, int(face("GraphCreate", 0))
            face("GraphAddChildGraphNode", graph, None, 0, inner)
            face("GraphDestroy", inner)
        executable = face.instantiate(graph)
        face.launch(executable, stream)
        assert memory.all(7)
        assert face.code("GraphExecUpdate", executable, face("GraphClone", graph)) == 0
        outer = int(face("GraphCreate", 0))
        assert face.code("GraphAddChildGraphNode", outer, None, 0, graph) == 1
        face.begin(stream)
        # HIP makes it a child graph, CUDA none at all.
        assert face.code("GraphLaunch", executable, stream) == (1 if api == "hip" else 900)
        assert face.code("StreamEndCapture", stream) != 0
        face("GraphDestroy", graph)
        face("GraphExecDestroy", executable)
        return True

    assert in_a_small_thread(body)


def test_an_executable_takes_a_graph_of_the_same_shape(api):
    face, memory, stream = Face(api), Memory(), Face(api).stream()

    def new_graph(value, kinds=1):
        graph = int(face("GraphCreate", 0))
        node = face.add_set(graph, [], memory.device, value, SIZE // 4)
        for _ in range(kinds - 1):
            face("GraphAddEmptyNode", graph, [node], 1)
        return graph

    executable = face.instantiate(new_graph(0x01010101))
    assert face.code("GraphExecUpdate", executable, new_graph(0x02020202)) == 0
    assert face.code("GraphExecUpdate", executable, new_graph(0x03030303, 2)) == 910
    face.launch(executable, stream)
    assert memory.all(2)


def test_a_node_does_something_else_from_now_on(api):
    """The change counts for the named executable, or for the graph and executables made later."""
    face, memory, stream = Face(api), Memory(), Face(api).stream()
    graph = int(face("GraphCreate", 0))
    node = face.add_set(graph, [], memory.device, 0x01010101, SIZE // 4)
    join = int(face("GraphAddEmptyNode", graph, None, 0))
    first, second = face.instantiate(graph), face.instantiate(graph)
    how = {"dst": memory.device, "pitch": 0, "value": 0x02020202}
    how |= {"elementSize": 4, "width": SIZE // 4, "height": 1}
    context = (None,) if api == "cu" else ()
    face("GraphExecMemsetNodeSetParams", first, node, how, *context)
    face("GraphMemsetNodeSetParams", node, how | {"value": 0x03030303})
    assert face.code("GraphMemsetNodeSetParams", join, how) == 1
    for executable, value in ((first, 2), (second, 1), (face.instantiate(graph), 3)):
        face.launch(executable, stream)
        assert memory.all(value)


def test_nodes_of_an_updated_executable_are_named_as_before(api):
    """The nodes of the original graph name them, not those of the graph it was updated from."""
    face, memory, stream = Face(api), Memory(), Face(api).stream()
    graphs = [int(face("GraphCreate", 0)) for _ in range(2)]
    nodes = [face.add_set(one, [], memory.device, 0x01010101, SIZE // 4) for one in graphs]
    executable = face.instantiate(graphs[0])
    assert face.code("GraphExecUpdate", executable, graphs[1]) == 0
    how = {"dst": memory.device, "pitch": 0, "value": 0x02020202}
    how |= {"elementSize": 4, "width": SIZE // 4, "height": 1}
    context = (None,) if api == "cu" else ()
    assert face.code("GraphExecMemsetNodeSetParams", executable, nodes[1], how, *context) == 1
    face("GraphExecMemsetNodeSetParams", executable, nodes[0], how, *context)
    face.launch(executable, stream)
    assert memory.all(2)


def test_a_capture_goes_on_in_a_graph_that_is_there(api):
    face, memory, stream = Face(api), Memory(), Face(api).stream()
    graph = int(face("GraphCreate", 0))
    first = face.add_set(graph, [], memory.device, 0x01010101, SIZE // 4)
    face("StreamBeginCaptureToGraph", stream, graph, [first], None, 1, RELAXED)
    assert face.code("GraphDestroy", graph) == 1
    face.set(memory.device, 2, SIZE // 2, stream)
    assert face.end(stream) == graph
    assert len(face.edges(graph)) == 1 and face.roots(graph) == [first]
    face.launch(face.instantiate(graph), stream)
    assert not memory.all(2) and memory.seen[0] == 2 and memory.seen[-1] == 1


def test_leaks_tell_of_graphs_that_may_keep_memory():
    array, stream = PyGPU.zeros(1000), PyGPU.Stream(True)
    gpu.cudaStreamBeginCapture(stream, RELAXED)
    array.get_async(stream, PyGPU.pagelocked_zeros(1000))
    graph = gpu.cudaStreamEndCapture(stream)
    executable = gpu.cudaGraphInstantiate(graph, 0)
    del array
    reported = host.leaks()
    assert reported.endswith("may keep some of it: graphs 1, executable graphs 1"), reported
    gpu.cudaGraphDestroy(graph)
    assert "graphs 0, executable graphs 1" in host.leaks()
    gpu.cudaGraphExecDestroy(executable)
    assert not host.leaks()


SCALE = r"""
extern "C" __global__ void scale(float *values, float by, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] *= by;
}
"""


@pytest.mark.parametrize("how", ["PTX", "a function"])
def test_a_kernels_arguments_are_those_of_the_capture(how):
    """This holds for every launch, also after the module's Python object is gone."""
    values, stream = PyGPU.to_gpu(np.ones(100, np.float32)), PyGPU.Stream()
    module = PyGPU.Module(compiled(SCALE, "compute_80"))
    by, calls = np.float32([3]), []
    if how == "a function":

        def scale(grid, block, pointer, by, count):
            calls.append(grid)
            memory = (ctypes.c_float * count).from_address(pointer)
            np.ctypeslib.as_array(memory)[:] *= by

        registered = host.kernel("scale", scale)
    stream.synchronize()
    gpu.cudaStreamBeginCapture(stream, GLOBAL)
    module["scale"](values, by[0], np.int32(100), grid=1, block=128, stream=stream)
    graph = gpu.cudaStreamEndCapture(stream)
    assert Face("cuda").types(graph) == [KERNEL]
    by[:] = 5
    del module
    gc.collect()
    executable = gpu.cudaGraphInstantiate(graph, 0)
    for _ in range(3):
        gpu.cudaGraphLaunch(executable, stream)
    stream.synchronize()
    assert (values.get() == 27).all()
    assert len(calls) == (3 if how == "a function" else 0)
    if how == "a function":
        registered.remove()


@pytest.mark.parametrize("of", ["cuda", "cu"])
def test_a_captured_callable_lives_as_long_as_the_graph(of):
    """This also holds for a node that was added by hand, and for new parameters of a node."""

    class Called:
        def __call__(self, data):
            calls.append(data)

    face, calls = Face(of), []
    stream = face.stream()
    captured, added, changed = every = Called(), Called(), Called()
    gone = [weakref.ref(one) for one in every]
    face.begin(stream)
    face("LaunchHostFunc", stream, captured, 1)
    graph = face.end(stream)
    face("GraphAddHostNode", graph, None, 0, (added, 2))
    node = face("GraphAddHostNode", graph, None, 0, (print, None))
    face("GraphHostNodeSetParams", node, (changed, 3))
    executable = face.instantiate(graph)
    face("GraphDestroy", graph)
    del captured, added, changed, every
    gc.collect()
    for _ in range(2):
        face.launch(executable, stream)
    assert sorted(calls) == [1, 1, 2, 2, 3, 3] and all(one() for one in gone)
    face("GraphExecDestroy", executable)
    face("StreamQuery", stream)  # the next call frees what a graph released
    gc.collect()
    assert not any(one() for one in gone)


@pytest.mark.parametrize("of", ["cuda", "cu"])
def test_a_kernel_is_a_node(of):
    """A library's kernel or a module's function. Its arguments are copied."""
    face, values = Face(of), PyGPU.to_gpu(np.ones(100, np.float32))
    code = compiled(SCALE, "compute_80")
    module = PyGPU.Module(code)
    arguments = [ctypes.c_void_p(values.ptr), ctypes.c_float(3), ctypes.c_int(100)]
    pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(one) for one in arguments))
    graph = int(face("GraphCreate", 0))
    if of == "cu":
        function = face("ModuleGetFunction", int(module.handle), "scale")
        how = {"func": function, "gridDimX": 1, "gridDimY": 1, "gridDimZ": 1}
        how |= {"blockDimX": 128, "blockDimY": 1, "blockDimZ": 1}
    else:
        library = gpu.cudaLibraryLoadData(code, [], [], 0, [], [], 0)
        kernel = gpu.cudaLibraryGetKernel(library, "scale")
        how = {"func": int(kernel), "gridDim": (1, 1, 1), "blockDim": (128, 1, 1)}
    how |= {"kernelParams": pointers}
    node = face("GraphAddKernelNode", graph, None, 0, how)
    assert face.types(graph) == [KERNEL]
    arguments[1].value = 5
    executable, stream = face.instantiate(graph), face.stream()
    PyGPU.wait(values)
    for _ in range(2):
        face.launch(executable, stream)
    assert (values.get() == 9).all()
    face("GraphExecKernelNodeSetParams", executable, node, how)
    face.launch(executable, stream)
    assert (values.get() == 45).all()


def test_a_capture_into_a_given_graph_ends_without_a_result():
    """As NVIDIA's sample graphConditionalNodes does; else the result must have a place."""
    address = PyGPU.cuda.address("cudaStreamEndCapture")
    end = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(address)
    stream, graph, memory = gpu.cudaStreamCreate(), gpu.cudaGraphCreate(0), gpu.cudaMalloc(64)
    gpu.cudaStreamBeginCaptureToGraph(stream, graph, None, None, 0, RELAXED)
    gpu.cudaMemsetAsync(memory, 1, 64, stream)
    assert end(int(stream), None) == 0
    assert len(gpu.cudaGraphGetNodes(graph)) == 1
    gpu.cudaStreamBeginCapture(stream, RELAXED)
    assert end(int(stream), None) == 1
    gpu.cudaGraphDestroy(gpu.cudaStreamEndCapture(stream))
    gpu.cudaGraphDestroy(graph)
    gpu.cudaFree(memory)
    gpu.cudaStreamDestroy(stream)

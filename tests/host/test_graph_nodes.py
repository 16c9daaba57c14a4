"""What graphs' nodes of events, memory, symbols and child graphs do on the host runtime.

Codes of single calls are rows of tests/behaviour.
"""

from __future__ import annotations

import ctypes
import re
import threading
from contextlib import contextmanager

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.host.device_code import PTX as AS_PTX
from tests.host.device_code import Program, fat_binary, wrapper_of
from tests.host.test_graphs import HOST, SIZE, Face, Memory
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_host")

gpu = PyGPU.checked
MINE = {"poolProps": {"allocType": 1, "location": (1, 0)}, "bytesize": SIZE}
PTX = b"""
    .version 7.0
    .target sm_52
    .address_size 64
    .visible .global .align 4 .u32 counter = 7;
    .visible .entry add(.param .u64 to, .param .u32 value) {
        .reg .b64 %rd<3>; .reg .b32 %r<4>;
        ld.param.u64 %rd1, [to];
        ld.param.u32 %r1, [value];
        ld.global.u32 %r2, [%rd1];
        add.u32 %r3, %r2, %r1;
        st.global.u32 [%rd1], %r3;
        ret;
    }
"""


@pytest.fixture(params=["cuda", "cu", "hip"])
def api(request) -> str:
    return request.param


def allocation(face, graph, after=()):
    """A node that allocates, and the address."""
    node, made = face("GraphAddMemAllocNode", graph, list(after) or None, len(after), MINE)
    return node, int(made.dptr)


def test_a_graph_has_memory_of_its_own(api):
    """It has the same address in every launch, and its bytes are counted until they are freed."""
    face, memory, stream = Face(api), Memory(), Face(api).stream()
    graph = face("GraphCreate", 0)
    first, address = allocation(face, graph)
    filled = face.add_set(graph, [first], address, 0x09090909, SIZE // 4)
    copied = face.add_copy(graph, [filled], memory.device, address, SIZE)
    face("GraphAddMemFreeNode", graph, [copied], 1, address)
    executable = face.instantiate(graph)
    for _ in range(3):
        gpu.cudaMemset(memory.device, 0, SIZE)
        face.launch(executable, stream)
        assert memory.all(9)
    assert face("DeviceGetGraphMemAttribute", 0, 0) == 0
    assert face("DeviceGetGraphMemAttribute", 0, 1) == SIZE
    assert face.code("GraphNodeGetType", 0) == 1
    face("GraphExecDestroy", executable)
    face("GraphDestroy", graph)
    gpu.cudaFree(memory.device)
    gpu.cudaFreeHost(memory.host)
    assert not host.leaks()


def test_memory_outlives_its_graph_until_it_is_freed(api):
    face, stream = Face(api), Face(api).stream()
    graph = face("GraphCreate", 0)
    _, address = allocation(face, graph)
    executable = face.instantiate(graph)
    face.launch(executable, stream)
    face("GraphExecDestroy", executable)
    face("GraphDestroy", graph)
    assert face("DeviceGetGraphMemAttribute", 0, 0) == SIZE
    assert str(SIZE) in str(host.leaks())
    gpu.cudaMemset(address, 3, SIZE)
    gpu.cudaFree(address)
    assert face("DeviceGetGraphMemAttribute", 0, 0) == 0 and not host.leaks()
    assert int(PyGPU.cudaMemset(address, 3, SIZE)) == 1


def test_a_launch_that_fails_takes_nothing(api):
    """The second allocation can't be had again, so that the first one isn't, either."""
    face, stream = Face(api), Face(api).stream()
    graph = face("GraphCreate", 0)
    first, address = allocation(face, graph)
    second, other = allocation(face, graph, [first])
    executable = face.instantiate(graph)
    face.launch(executable, stream)
    gpu.cudaFree(address)
    for _ in range(2):
        assert face.code("GraphLaunch", executable, stream) == 1
    assert int(PyGPU.cudaFree(address)) == 1
    gpu.cudaFree(other)
    face.launch(executable, stream)
    gpu.cudaFree(other)
    gpu.cudaFree(address)
    assert face("DeviceGetGraphMemAttribute", 0, 0) == 0


@own_interpreter("on_host", PYGPU_HOST_MEMORY="1MiB")
def test_graphs_share_a_small_device():
    """Their memory counts while they run, not while they are built."""
    whole, face = {**MINE, "bytesize": 1 << 19}, Face("cuda")
    ready, stream = [], face.stream()
    for _ in range(3):
        graph = face("GraphCreate", 0)
        node, made = face("GraphAddMemAllocNode", graph, None, 0, whole)
        ready.append((face.instantiate(graph), int(made.dptr)))
    assert gpu.cudaMemGetInfo()[0] == 1 << 20
    for executable, _ in ready[:2]:
        face.launch(executable, stream)
    assert face.code("GraphLaunch", ready[2][0], stream) == 2
    gpu.cudaFree(ready[0][1])
    face.launch(ready[2][0], stream)


def test_captured_allocations(api):
    face, memory, stream = Face(api), Memory(), Face(api).stream()
    allocate, free = (
        ("MemAllocAsync", "MemFreeAsync") if api == "cu" else ("MallocAsync", "FreeAsync")
    )
    face.begin(stream)
    address = face(allocate, SIZE, stream)
    assert not face.set(address, 4, SIZE, stream)
    assert not face.copy(memory.device, address, SIZE, 3, stream)
    face(free, address, stream)
    graph = face.end(stream)
    assert face.types(graph) == [10, 2, 1, 11]
    executable = face.instantiate(graph)
    for _ in range(2):
        gpu.cudaMemset(memory.device, 0, SIZE)
        face.launch(executable, stream)
        assert memory.all(4)


def test_an_event_is_recorded_where_its_node_stands(api):
    """A thread that waits for it continues before the graph ends, at each launch."""
    face, stream, event = Face(api), Face(api).stream(), Face(api).event()
    gate, called = threading.Event(), []

    def wait(_):
        called.append(gate.wait(20))

    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(wait)
    graph = face("GraphCreate", 0)
    recorded = face("GraphAddEventRecordNode", graph, None, 0, event)
    face("GraphAddHostNode", graph, [recorded], 1, (function, None))
    executable = face.instantiate(graph)
    for times in (1, 2):
        gate.clear()
        face("GraphLaunch", executable, stream)
        face("EventSynchronize", event)
        assert face.code("EventQuery", event) == 0 and len(called) == times - 1
        gate.set()
        gpu.cudaStreamSynchronize(stream)
    assert called == [True, True]


def test_another_stream_waits_for_a_node_that_records(api):
    face, event, memory = Face(api), Face(api).event(), Memory()
    stream, other = face.stream(), face.stream()
    gate = threading.Event()
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: gate.wait(20))
    graph = face("GraphCreate", 0)
    held = face("GraphAddHostNode", graph, None, 0, (function, None))
    filled = face.add_set(graph, [held], memory.device, 0x05050505, SIZE // 4)
    face("GraphAddEventRecordNode", graph, [filled], 1, event)
    face("GraphLaunch", face.instantiate(graph), stream)
    face("StreamWaitEvent", other, event, 0)
    assert not face.copy(memory.host, memory.device, SIZE, 2, other)
    assert face.code("EventQuery", event) == 600 and face.code("StreamQuery", other) == 600
    gate.set()
    gpu.cudaStreamSynchronize(other)
    assert (memory.seen == 5).all()


def test_a_node_waits_for_what_was_recorded_before_the_launch(api):
    """And not for what is recorded after it, or else it would wait for itself."""
    face, event, memory = Face(api), Face(api).event(), Memory()
    stream, other, gate = face.stream(), face.stream(), threading.Event()
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: gate.wait(20))
    graph = face("GraphCreate", 0)
    waited = face("GraphAddEventWaitNode", graph, None, 0, event)
    face.add_copy(graph, [waited], memory.device + SIZE // 2, memory.device, SIZE // 2)
    executable = face.instantiate(graph)
    face("LaunchHostFunc", other, function, None)
    assert not face.set(memory.device, 6, SIZE // 2, other)
    face("EventRecord", event, other)
    face("GraphLaunch", executable, stream)
    face("EventRecord", event, stream)
    assert face.code("StreamQuery", stream) == 600
    gate.set()
    gpu.cudaStreamSynchronize(stream)
    assert memory.all(6)


def test_a_child_graph_is_changed_in_both_forms(api):
    face, memory, stream = Face(api), Memory(), Face(api).stream()
    child, graph = face("GraphCreate", 0), face("GraphCreate", 0)
    face.add_set(child, [], memory.device, 0x01010101, SIZE // 4)
    node = face("GraphAddChildGraphNode", graph, None, 0, child)
    (inner,) = face.nodes(face("GraphChildGraphNodeGetGraph", node))
    executable = face.instantiate(graph)
    context = (None,) if api == "cu" else ()
    words = {
        "dst": memory.device,
        "pitch": 0,
        "value": 0x02020202,
        "elementSize": 4,
        "width": SIZE // 4,
    }
    words["height"] = 1
    face("GraphExecMemsetNodeSetParams", executable, inner, words, *context)
    face.launch(executable, stream)
    assert memory.all(2)
    other = face("GraphCreate", 0)
    face.add_set(other, [], memory.device, 0x03030303, SIZE // 4)
    face("GraphExecChildGraphNodeSetParams", executable, node, other)
    face.launch(executable, stream)
    assert memory.all(3)
    face("GraphExecMemsetNodeSetParams", executable, inner, words, *context)
    face.launch(executable, stream)
    assert memory.all(2), "the node is still known by its handle"
    face.launch(face.instantiate(graph), stream)
    assert memory.all(1), "the graph itself is as it was"


def test_a_clone_goes_its_own_way(api):
    face, memory, stream = Face(api), Memory(), Face(api).stream()
    graph = face("GraphCreate", 0)
    node = face.add_set(graph, [], memory.device, 0x01010101, SIZE // 4)
    clone = face("GraphClone", graph)
    twin = int(face("GraphNodeFindInClone", node, clone))
    assert [twin] == face.nodes(clone)
    words = {
        "dst": memory.device,
        "pitch": 0,
        "value": 0x02020202,
        "elementSize": 4,
        "width": SIZE // 4,
    }
    face("GraphMemsetNodeSetParams", twin, {**words, "height": 1})
    assert face("GraphMemsetNodeGetParams", node).value == 0x01010101
    assert face("GraphMemsetNodeGetParams", twin).value == 0x02020202
    face.launch(face.instantiate(graph), stream)
    assert memory.all(1)
    face.launch(face.instantiate(clone), stream)
    assert memory.all(2)


def kernel_node(face, function, graph, address, value):
    how = {"func": function, "kernelParams": [ctypes.c_uint64(address), ctypes.c_uint32(value)]}
    if face.api == "cu":
        how |= {f"{what}Dim{axis}": 1 for what in ("grid", "block") for axis in "XYZ"}
    else:
        how |= {"gridDim": (1, 1, 1), "blockDim": (1, 1, 1)}
    return face("GraphAddKernelNode", graph, None, 0, how)


def kernel(face):
    if face.api == "cuda":
        return face("LibraryGetKernel", face("LibraryLoadData", PTX, [], [], 0, [], [], 0), "add")
    return face("ModuleGetFunction", face("ModuleLoadData", PTX), "add")


def test_what_a_kernel_is_called_with_can_be_read_and_set_again(api):
    face, memory, stream = Face(api), Memory(), Face(api).stream()
    graph, function = face("GraphCreate", 0), kernel(face)
    node = kernel_node(face, function, graph, memory.device, 40)
    asked = face("GraphKernelNodeGetParams", node)
    values = (ctypes.c_void_p * 2).from_address(int(asked.kernelParams))
    assert ctypes.c_uint64.from_address(values[0]).value == memory.device
    assert ctypes.c_uint32.from_address(values[1]).value == 40
    assert int(asked.func) == int(function)
    ctypes.c_uint32.from_address(values[1]).value = 2
    face("GraphKernelNodeSetParams", node, asked)
    face("GraphKernelNodeSetAttribute", node, 2, 1)
    executable = face.instantiate(graph)
    face.launch(executable, stream)
    face.launch(executable, stream)
    face.copy(memory.host, memory.device, SIZE, 2, stream)
    gpu.cudaStreamSynchronize(stream)
    assert memory.seen[:4].view(np.uint32)[0] == 4


# A small part of Graphviz's language: what is written is told from what isn't.
STATEMENT = re.compile(
    r'digraph dot \{|subgraph \w+ \{|\}|label="\w+" graph\[style="\w+"\];'
    r'|"\w+"\[style="\w+" shape="\w+" label="((?:[^"\\]|\\.)*)"\];'
    r'|"\w+" -> "\w+"(\[style="\w+"\])?;'
)


def test_a_graph_is_drawn(api, tmp_path):
    face, memory = Face(api), Memory()
    child, graph, event = face("GraphCreate", 0), face("GraphCreate", 0), face.event()
    kernel_node(face, kernel(face), child, memory.device, 3)
    first = face("GraphAddEventRecordNode", graph, None, 0, event)
    last = face.add_copy(graph, [first], memory.device, memory.device + 64, 64)
    face("GraphAddChildGraphNode", graph, [last], 1, child)
    texts = []
    for flags in (0, 1):
        path = tmp_path / f"{flags}.dot"
        face("GraphDebugDotPrint", graph, str(path), flags)
        texts.append(path.read_text(encoding="utf-8"))
    for text in texts:
        assert all(STATEMENT.fullmatch(line) for line in text.splitlines()), text
        assert text.count("{") - text.count("\\{") == text.count("}") - text.count("\\}")
        assert text.count(" -> ") == 3 and text.count("subgraph") == 2
        assert {"EVENT_RECORD", "MEMCPY", "GRAPH", "KERNEL"} <= set(re.findall(r"[A-Z_]{4,}", text))
        assert "DtoD" in text and "add" in text
    brief, whole = texts
    assert hex(event) not in brief and hex(event) in whole
    assert hex(memory.device + 64) not in brief and hex(memory.device + 64) in whole


@contextmanager
def registered(prefix, image, **symbols):
    """A program with these variables, by the addresses of the host's, while the block runs."""
    one, binary = Program(), ctypes.create_string_buffer(fat_binary((AS_PTX, image)))
    wrapper = wrapper_of(binary)
    handle = one.call(f"__{prefix}RegisterFatBinary", wrapper, result=ctypes.c_void_p)
    image = ctypes.c_void_p(handle)
    for name, address in symbols.items():
        names = (ctypes.c_void_p(address), name.encode(), name.encode())
        one.call(f"__{prefix}RegisterVar", image, *names, 0, ctypes.c_size_t(4), 0, 0, result=None)
    yield
    one.call(f"__{prefix}UnregisterFatBinary", image, result=None)


def test_copies_to_and_from_variables_of_a_program():
    """hipMemcpyToSymbol, nodes that copy so, and the addresses: for both runtimes."""
    for prefix in ("cuda", "hip"):
        face, stream = Face(prefix), Face(prefix).stream()
        shadow = ctypes.c_uint32()
        symbol = ctypes.addressof(shadow)
        with registered(prefix, PTX, counter=symbol):
            assert face("GetSymbolSize", symbol) == 4
            address = int(face("GetSymbolAddress", symbol))
            one, back = np.array([41], np.uint32), np.zeros(1, np.uint32)
            face("MemcpyFromSymbol", back, symbol, 4, 0, 2)
            assert back[0] == 7
            face("MemcpyToSymbol", symbol, one, 4, 0, 1)
            gpu.cudaMemcpy(back, address, 4, 2)
            assert back[0] == 41
            assert face.code("MemcpyToSymbol", symbol, one, 4, 1, 1) == 1
            graph = face("GraphCreate", 0)
            written = face("GraphAddMemcpyNodeToSymbol", graph, None, 0, symbol, one, 4, 0, 1)
            read = face("GraphAddMemcpyNodeFromSymbol", graph, [written], 1, back, symbol, 4, 0, 2)
            executable = face.instantiate(graph)
            one[0], back[0] = 43, 0
            face.launch(executable, stream)
            assert back[0] == 43
            other = np.array([44], np.uint32)
            face(
                "GraphExecMemcpyNodeSetParamsToSymbol", executable, written, symbol, other, 4, 0, 1
            )
            face.launch(executable, stream)
            assert back[0] == 44
            face("GraphMemcpyNodeSetParamsFromSymbol", read, other, symbol, 2, 0, 2)
            assert face("GraphMemcpyNodeGetParams", read).extent.width == 2


def test_host_nodes_are_still_told_apart(api):
    face = Face(api)
    graph = face("GraphCreate", 0)
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)
    node = face("GraphAddHostNode", graph, None, 0, (function, 5))
    assert face("GraphNodeGetType", node) == HOST
    assert face.code("GraphMemsetNodeGetParams", node) == 1
    assert face.code("GraphKernelNodeGetAttribute", node, 2) == 1

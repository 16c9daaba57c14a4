"""PyGPU.Graph: recorded and made node by node, launched, changed, drawn, closed."""

from __future__ import annotations

import gc
import sys
import weakref

import numpy as np
import pytest

import PyGPU
from tests.objects.kernels import COUNT, kernel
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
gpu = PyGPU.checked
ONE = {"grid": 1, "block": COUNT}


def zeros() -> PyGPU.GPUArray:
    return PyGPU.wait(PyGPU.zeros(COUNT, np.float32))


def run(graph: PyGPU.Graph, array: PyGPU.GPUArray) -> list[float]:
    """The distinct elements of an array after one launch."""
    stream = PyGPU.Stream()
    graph.launch(stream)
    stream.synchronize()
    return np.unique(array.get()).tolist()


def chain(array: PyGPU.GPUArray) -> tuple[PyGPU.Graph, list[PyGPU.GraphNode]]:
    """(array = 0, + 3) * 2"""
    graph = PyGPU.Graph()
    first = graph.memset(array, 0)
    second = graph.kernel(kernel("add"), array, 3, after=first, **ONE)
    third = graph.kernel(kernel("scale"), array, 2, after=[second], **ONE)
    return graph, [first, second, third]


def test_what_a_block_queues_is_recorded():
    array, stream = zeros(), PyGPU.Stream()
    kernel("add")(array, 0, **ONE)  # loaded
    with stream.capture() as graph:
        kernel("add")(array, 1, **ONE)  # the block's stream is the current one
        kernel("scale")(array, 5, stream=stream, **ONE)
        with pytest.raises(ValueError, match="its capture hasn't ended"):
            graph.launch(stream)
    stream.synchronize()
    assert not array.get().any()
    assert [run(graph, array), run(graph, array)] == [[5], [30]]
    assert [node.kind for node in graph.nodes()] == ["kernel"] * 2
    ((before, after),) = graph.edges()
    assert before.succ == {after}
    assert after.pred == {before}


def failing(array: PyGPU.GPUArray) -> None:
    kernel("add")(array, 1, **ONE)
    raise ZeroDivisionError


def test_an_exception_in_a_block_ends_the_capture():
    stream, array = PyGPU.Stream(), zeros()
    with pytest.raises(ZeroDivisionError), stream.capture() as graph:
        failing(array)
    assert graph.is_closed
    with pytest.raises(PyGPU.GPUError), stream.capture() as graph:
        stream.synchronize()
    assert graph.is_closed
    assert not PyGPU.cudaGetLastError()
    with stream.capture() as graph:
        kernel("add")(array, 1, **ONE)
    assert run(graph, array) == [1]


def test_a_call_that_breaks_the_capture_is_told_at_the_end():
    stream = PyGPU.Stream()
    with pytest.raises(PyGPU.GPUError, match="cudaStreamEndCapture"), stream.capture() as graph:
        assert PyGPU.cudaStreamSynchronize(stream)
    assert graph.is_closed
    assert not PyGPU.cudaGetLastError()
    stream.synchronize()


def test_a_capture_into_a_graph():
    array, stream = zeros(), PyGPU.Stream()
    graph, nodes = chain(array)
    with stream.capture(into=graph, after=nodes[-1]) as same:
        kernel("add")(array, 4, **ONE)
    assert same is graph
    assert run(graph, array) == [10]
    assert len(graph.nodes()) == 4
    with pytest.raises(ZeroDivisionError), stream.capture(into=graph):
        failing(array)
    assert len(graph.nodes()) == 4
    assert run(graph, array) == [10]


def test_nodes_made_one_by_one():
    array, back, called = zeros(), np.zeros(COUNT, np.float32), []
    graph, nodes = chain(array)
    said = graph.callback(lambda: called.append(len(called)), after=nodes[-1])
    copied = graph.memcpy(back, array, after=nodes[-1], name="back")
    end = graph.join(said, copied)
    assert end.pred == {said, copied}
    assert [run(graph, array), run(graph, array)] == [[6], [6]]
    assert called == [0, 1]
    assert back.tolist() == [6] * COUNT
    assert copied.name == "back"
    assert nodes[1].name == "add"
    assert (end.kind, end.type) == ("empty", PyGPU.cudaGraphNodeTypeEmpty)
    assert set(graph.nodes()) == {*nodes, said, copied, end}


def test_a_child_graph():
    array = zeros()
    child, _ = chain(array)
    graph = PyGPU.Graph()
    node = graph.embed(child, name="inner")
    graph.kernel(kernel("add"), array, 1, after=node, **ONE)
    child.close()
    assert run(graph, array) == [7]
    assert node.kind == "graph"


def test_events():
    stream, other, array = PyGPU.Stream(True), PyGPU.Stream(True), zeros()
    event = PyGPU.Event()
    graph = PyGPU.Graph()
    first = graph.kernel(kernel("add"), array, 1, **ONE)
    graph.record(event, after=first)
    graph.launch(stream)
    waiting = PyGPU.Graph()
    waiting.kernel(kernel("scale"), array, 8, after=waiting.wait(event), **ONE)
    waiting.launch(other)
    other.synchronize()
    stream.synchronize()
    assert array.get()[0] == 8


def test_a_node_is_updated():
    array, other = zeros(), zeros()
    graph, (first, second, third) = chain(array)
    assert run(graph, array) == [6]
    executable = graph.executable
    second.update(array, 4)
    assert run(graph, array) == [8]
    third.update(grid=1, block=COUNT // 2)
    assert run(graph, array) == [4, 8]
    assert graph.executable is executable
    for node in (first, second, third):
        node.update(other, 1)
    third.update(block=COUNT)
    array.fill(9)
    assert run(graph, other) == [2]
    assert array.get().tolist() == [9] * COUNT
    called: list[int] = []
    node = graph.callback(lambda: called.append(1))
    graph.launch()
    node.update(lambda: called.append(2))
    assert run(graph, other) == [2]
    assert called == [1, 2]


def test_an_update_that_cannot_be():
    array = zeros()
    graph, (_, second, _) = chain(array)
    with pytest.raises(TypeError, match="takes 2 arguments"):
        second.update(array)
    stream = PyGPU.Stream()
    with stream.capture() as captured:
        kernel("add")(array, 1, **ONE)
    with pytest.raises(ValueError, match="'add' wasn't made by a Graph's method"):
        captured.nodes()[0].update(array, 2)
    assert run(graph, array) == [6]


def test_a_whole_graph_is_updated():
    array, other = zeros(), zeros()
    graph, _ = chain(array)
    assert run(graph, array) == [6]
    executable = graph.executable
    source, nodes = chain(other)
    nodes[1].update(other, 7)
    graph.update(source)
    source.close()
    assert run(graph, other) == [14]
    assert graph.executable is executable


def test_a_refused_update_names_the_node():
    array = zeros()
    graph = PyGPU.Graph()
    graph.kernel(kernel("add"), array, 1, **ONE)
    assert run(graph, array) == [1]
    other = PyGPU.Graph()
    other.callback(int, name="the callback")
    with pytest.raises(PyGPU.GPUError, match=r"node 'the callback' can't be updated: node type"):
        graph.update(other)
    other.empty()
    with pytest.raises(PyGPU.GPUError, match=r"can't be updated: (topology|node type) changed"):
        graph.update(other)
    assert run(graph, array) == [2]


def test_a_changed_graph_is_made_anew():
    array = zeros()
    graph, nodes = chain(array)
    assert run(graph, array) == [6]
    graph.kernel(kernel("add"), array, 1, after=nodes[-1], **ONE)
    assert run(graph, array) == [7]
    nodes[-1].destroy()
    assert len(graph.nodes()) == 3
    assert len(graph.edges()) == 1


def test_a_clone():
    array = zeros()
    graph, nodes = chain(array)
    nodes[0].name = "start"
    clone = graph.clone()
    nodes[1].update(array, 100)
    graph.close()
    assert sorted(node.name for node in clone.nodes()) == ["add", "scale", "start"]
    (add,) = (node for node in clone.nodes() if node.name == "add")
    assert run(clone, array) == [6]
    add.update(array, 1)
    assert run(clone, array) == [2]


def test_conditional_bodies():
    array = zeros()
    graph = PyGPU.Graph()
    first = graph.memset(array, 0)
    for default in (0, 1):
        node = graph.if_then(graph.create_condition(default), after=first)
        node.then.kernel(kernel("add"), array, 1 + default, **ONE)
    assert run(graph, array) == [2]
    assert node.condition.graph is graph
    with pytest.raises(IndexError):
        _ = node.else_
    assert graph.dot().count("subgraph") == 2


def test_what_it_uses_lives_as_long():
    array = zeros()
    graph, nodes = chain(array)
    fn = Caller()
    called, gone = fn.calls, weakref.ref(fn)
    node = graph.callback(fn)
    del fn
    nodes[1].update(array, 5)
    alias = array.view()
    del array, nodes
    gc.collect()
    assert run(graph, alias) == [10]
    assert called == [1]
    node.update(print)
    graph.launch()
    gpu.cudaDeviceSynchronize()
    graph.close()
    del graph, node
    PyGPU.Graph().close()
    gc.collect()
    PyGPU.to_gpu(np.zeros(1)).get()  # what callbacks leave behind is freed by a later call
    assert gone() is None


class Caller:
    """A function that can be referred to weakly."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def __call__(self) -> None:
        self.calls.append(1)


def used() -> int:
    """The bytes in use once all that has ended has let go of its own."""
    gc.collect()
    for _ in range(2):  # the first records events after the launches
        PyGPU.Graph().close()
        gpu.cudaDeviceSynchronize()
    PyGPU.Graph().close()
    gc.collect()
    PyGPU.to_gpu(np.zeros(1)).get()
    PyGPU.trim_memory()
    return PyGPU.memory_info().used


def graph_of_its_own_array(by: int) -> tuple[PyGPU.Graph, int]:
    """A graph that adds to an array that nothing else keeps; and the array's address."""
    array, stream = zeros(), PyGPU.Stream()
    with stream.capture() as graph:
        kernel("add")(array, by, **ONE)
    graph.kernel(kernel("add"), array, by, after=graph.nodes(), **ONE)
    return graph, int(array.ptr)


def elements(address: int) -> list[float]:
    there = np.empty(COUNT, np.float32)
    gpu.cudaMemcpy(there, address, there.nbytes, 2)
    return np.unique(there).tolist()


def test_memory_of_a_graph_lives_until_its_launches_are_done():
    graph, _ = graph_of_its_own_array(1)
    before, stream = used(), PyGPU.Stream()
    with PyGPU.host.pause(stream):
        graph.launch(stream)
        graph.close()
        assert PyGPU.memory_info().used == before, "freed while a launch may use it"
    del graph
    assert used() < before


@pytest.mark.parametrize("way", ["handle", "executable", "clone", "embed", "updated"])
def test_what_others_make_of_a_graph_keeps_its_memory(way):
    graph, address = graph_of_its_own_array(1)
    before, stream = used(), PyGPU.Stream()
    graph.launch(stream)  # now it has an executable form that keeps nothing itself
    expected, raw = [4.0], gpu.cudaStreamCreateWithFlags(1)
    if way == "handle":
        executable = gpu.cudaGraphInstantiate(graph, 0)
    elif way == "executable":
        executable = graph.executable._own_()
    elif way == "updated":
        other, address = graph_of_its_own_array(3)
        graph.update(other)
        del other
        expected, executable = [6.0], graph.executable
    else:
        outer = PyGPU.Graph()
        outer = graph.clone() if way == "clone" else outer
        if way == "embed":
            outer.embed(graph)
        graph.close()
        executable = gpu.cudaGraphInstantiate(outer, 0)
        outer.close()
    stream.synchronize()
    kept = graph if way == "updated" else None
    del graph
    if way != "updated":
        assert used() == before, "what others launch needs it"
    gpu.cudaGraphLaunch(executable, raw)
    gpu.cudaStreamSynchronize(raw)
    assert elements(address) == expected
    if way not in ("executable", "updated"):
        gpu.cudaGraphExecDestroy(executable)
    del executable, kept
    assert used() < before


def test_updates_let_go_of_former_arguments():
    graph = PyGPU.Graph()
    node = graph.kernel(kernel("add"), zeros(), 1, **ONE)
    before = used()
    for _ in range(20):
        node.update(zeros(), 1)
        graph.launch()
    assert used() <= before


def test_an_update_from_a_graph_that_is_closed_now():
    stream = PyGPU.Stream()
    graph, _ = graph_of_its_own_array(1)
    other, address = graph_of_its_own_array(3)
    graph.launch(stream)
    graph.update(other)
    other.close()
    gpu.cudaGraphLaunch(graph.executable, stream)
    stream.synchronize()
    assert elements(address) == [6.0]


def test_a_handle_that_is_asked_for_during_a_capture():
    graph, _ = graph_of_its_own_array(1)
    array, stream = zeros(), PyGPU.Stream()
    with stream.capture(into=graph):
        kernel("add")(array, 1, **ONE)
        assert graph.handle
    address = int(array.ptr)
    executable = gpu.cudaGraphInstantiate(graph, 0)
    before = used()
    del array, graph
    assert used() == before
    gpu.cudaGraphLaunch(executable, stream)
    stream.synchronize()
    assert elements(address) == [1.0]
    gpu.cudaGraphExecDestroy(executable)


def test_c_takes_graphs_and_nodes():
    array = zeros()
    graph, nodes = chain(array)
    assert [int(one) for one in gpu.cudaGraphGetNodes(graph)] == [int(one) for one in graph.nodes()]
    assert gpu.cudaGraphNodeGetType(nodes[0]) == nodes[0].type
    extra = gpu.cudaGraphAddEmptyNode(graph, nodes, len(nodes))
    assert {int(one) for one in gpu.cudaGraphNodeGetDependencies(extra)[0]} == set(map(int, nodes))
    for wrong in (graph, nodes[0]):
        with pytest.raises(TypeError):
            PyGPU.cudaMemset(wrong, 0, 4)
        with pytest.raises(TypeError):
            PyGPU.cudaStreamQuery(wrong)
    with pytest.raises(TypeError):
        PyGPU.cudaGraphNodeGetType(graph)


def test_text():
    array = zeros()
    graph, nodes = chain(array)
    nodes[0].name = 'a "name"'
    text = graph.dot()
    assert text.startswith("digraph {")
    assert text.count(" -> ") == 2
    assert r"a \"name\"" in text
    outer = PyGPU.Graph()
    outer.embed(graph, name="inner")
    assert "inner: child" in outer.dot()


def test_wrong_arguments():
    graph, stream = PyGPU.Graph(), PyGPU.Stream()
    for wrong in (
        lambda: stream.capture("fast"),
        lambda: stream.capture(after=graph.empty()),
    ):
        with pytest.raises(ValueError, match=r"capture\(\)"):
            wrong()
    for wrong in (
        lambda: stream.capture(into=1),
        lambda: graph.empty(after=1),
        lambda: graph.empty(after=[1]),
        lambda: graph.embed(1),
        lambda: graph.update(1),
        lambda: graph.callback(1),
        lambda: graph.kernel(kernel("add"), stream=stream, **ONE),
        lambda: graph.if_then(1),
    ):
        with pytest.raises(TypeError):
            wrong()
    node = graph.empty()
    with pytest.raises(TypeError, match="must be a str"):
        node.name = 1
    graph.close()
    graph.close()
    assert "closed" in repr(graph)
    with pytest.raises(ValueError, match="closed"):
        graph.launch(stream)


def test_a_graph_of_no_bytes():
    graph = PyGPU.Graph()
    node = graph.memcpy(PyGPU.empty(0), np.empty(0))
    assert graph.nodes() == [node]
    graph.launch()
    gpu.cudaDeviceSynchronize()


def test_a_picture_is_drawn_by_graphviz(tmp_path, monkeypatch):
    """Also in a notebook; without Graphviz the notebook shows the repr."""
    graph = PyGPU.Graph()
    graph.join(graph.empty(name='a "name"'), name="end")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert graph._repr_svg_() is None
    with pytest.raises(FileNotFoundError, match="Graphviz"):
        graph.dot(tmp_path / "graph.svg")
    program = tmp_path / "dot"
    program.write_text(f"#!{sys.executable}\nimport sys\nprint(sys.argv[1], sys.stdin.read())\n")
    program.chmod(0o755)
    drawn = graph._repr_svg_()
    assert drawn.startswith("-Tsvg digraph")
    assert r"a \"name\"" in drawn
    graph.close()
    assert graph._repr_svg_() is None

"""Python callables in host nodes: their arguments, and that a graph keeps what it may call."""

from __future__ import annotations

import copy
import ctypes
import gc
import os
import pathlib
import pickle
import re
import sys

import pytest

import PyGPU
from PyGPU import cuda, hip
from tests.calls.kept import Kept, kept, seen
from tests.own_interpreter import IN_CHILD, own_interpreter

pytestmark = own_interpreter("run")

STAND_IN = pathlib.Path(__file__).with_name("graphs.cpp")

gpu = PyGPU.checked

if IN_CHILD:
    c = ctypes.CDLL(os.environ["PYGPU_CUDA_LIBRARY"])
    c.launch.argtypes = c.launch_at_exit.argtypes = [ctypes.c_void_p]
    c.launch_when_told.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]


def launch(graph):
    seen.clear()
    c.launch(int(graph))
    return list(seen)


def settle():  # the next call frees what a graph released
    cuda.cudaStreamQuery(0)
    gc.collect()


def refuses(error, text, function, *arguments, **named):
    with pytest.raises(error, match=re.escape(text) if text else None):
        function(*arguments, **named)


FORMS = {
    "keywords": lambda fn, data: cuda.cudaHostNodeParams(fn=fn, userData=data),
    "positions": lambda fn, data: cuda.cudaHostNodeParams(fn, data),
    "dict": lambda fn, data: {"fn": fn, "userData": data},
    "dict in another order": lambda fn, data: {"userData": data, "fn": fn},
    "tuple": lambda fn, data: (fn, data),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_graph_keeps_what_it_calls(form):
    """It lives on without Python references; clones and executables keep it, too."""
    graph = cuda.cudaGraph_t()
    (fn, fn_gone), (data, data_gone) = kept(), kept()
    gpu.cudaGraphAddHostNode(graph, None, 0, FORMS[form](fn, data))
    del fn
    settle()
    assert launch(graph) == launch(graph) == [(data,)]
    del data
    seen.clear()
    clone, ready = gpu.cudaGraphClone(graph), gpu.cudaGraphInstantiate(graph, 0)
    del graph
    settle()
    assert fn_gone() and data_gone()
    gpu.cudaGraphLaunch(ready, 0)
    assert len(seen) == 1
    seen.clear()
    gpu.cudaGraphExecDestroy(ready)
    settle()
    assert fn_gone() and data_gone() and len(launch(clone)) == 1
    seen.clear()
    gpu.cudaGraphDestroy(clone)
    settle()
    assert not fn_gone() and not data_gone()


def test_a_struct_keeps_and_gives_back_what_was_set():
    """Reading a field of the struct gives back the object that was set."""
    (fn, fn_gone), (data, data_gone) = kept(), kept()
    params = cuda.cudaHostNodeParams()
    assert params.fn == 0 and params.userData == 0
    params.userData = data
    assert params.userData is data and params.fn == 0
    params.fn = fn
    assert params.fn is fn and params.userData is data
    other = copy.copy(params)
    assert other == params and other.fn is fn
    params.userData = [data]
    assert params.fn is fn and params.userData == [data] and other != params
    assert "fn=<" in repr(params) and "userData=[" in repr(params)
    refuses(TypeError, "cudaHostNodeParams.fn is an address", pickle.dumps, params)
    params.fn = None
    assert params.fn == 0 and params.userData == [data]
    params.userData = None
    assert params.userData == 0 and other.fn is fn
    del params, fn, data
    gc.collect()
    assert fn_gone() and data_gone()
    other.fn = None
    del other
    gc.collect()
    assert not fn_gone() and not data_gone()


def test_a_node_gives_its_callable_back():
    """The struct then keeps the callable, and another graph may take it."""
    graph = cuda.cudaGraph_t()
    (fn, gone), data = kept(), object()
    node = gpu.cudaGraphAddHostNode(graph, None, 0, (fn, data))
    params = gpu.cudaGraphHostNodeGetParams(node)
    assert params.fn is fn and params.userData is data
    del fn, graph
    settle()
    other = cuda.cudaGraph_t()
    gpu.cudaGraphAddHostNode(other, None, 0, params)
    del params
    settle()
    assert launch(other) == [(data,)]
    del other
    settle()
    assert not gone()


def test_a_node_of_any_kind():
    graph = cuda.cudaGraph_t()
    (fn, gone), host = kept(), cuda.cudaGraphNodeTypeHost
    node, given = gpu.cudaGraphAddNode(graph, None, None, 0, {"type": host, "host": (fn, 5)})
    assert given.host.fn is fn and given.host.userData == 5
    params = cuda.cudaGraphNodeParams(type=host)
    params.host.fn = fn
    params.host.userData = 6
    gpu.cudaGraphAddNode(graph, None, None, 0, params)
    gpu.cudaGraphNodeSetParams(node, {"type": host, "host": {"fn": fn, "userData": 7}})
    del fn, params, given
    settle()
    assert launch(graph) == [(7,), (6,)]
    del graph
    settle()
    assert not gone()


def test_a_struct_in_memory_of_the_callers_own():
    """C gets that memory unchanged. The graph keeps what was written there through a view."""
    graph = cuda.cudaGraph_t()
    memory = (ctypes.c_void_p * 2)()

    def params_there():
        return cuda.cudaHostNodeParams.from_address(ctypes.addressof(memory), memory)

    (fn, gone), (second, second_gone) = kept(), kept()

    params = params_there()
    params.fn, params.userData = fn, 1
    node = gpu.cudaGraphAddHostNode(graph, None, 0, params)
    del fn, params
    settle()
    assert launch(graph) == [(1,)]
    params = params_there()
    params.fn, params.userData = second, 2
    gpu.cudaGraphHostNodeSetParams(node, params)
    del params, second
    settle()
    assert launch(graph) == [(2,)]
    del graph
    settle()
    assert not gone() and not second_gone()


def test_a_struct_that_holds_nothing_asks_no_graph():
    """Nothing is kept for C functions in the caller's own memory, nor for bytes left there."""
    graph = cuda.cudaGraph_t()
    memory = (ctypes.c_void_p * 2)()
    params = cuda.cudaHostNodeParams.from_address(ctypes.addressof(memory), memory)
    fn, gone = kept()
    params.fn, params.userData = fn, 1
    del params, fn
    gc.collect()
    assert not gone()
    params = cuda.cudaHostNodeParams.from_address(ctypes.addressof(memory), memory)
    gpu.cudaGraphAddHostNode(graph, None, 0, params)
    assert launch(graph) == []


def test_new_parameters_are_kept_by_the_nodes_graph():
    """The graph of the node keeps them.

    If the library can't tell the graph, they are never released.
    """
    graph = cuda.cudaGraph_t()
    first, (second, gone), (third, third_gone) = Kept(), kept(), kept()
    node = gpu.cudaGraphAddHostNode(graph, None, 0, (first, 1))
    gpu.cudaGraphHostNodeSetParams(node, (second, 2))
    del second
    assert launch(graph) == [(2,)]
    c.know_graph(0)
    gpu.cudaGraphHostNodeSetParams(node, (third, 3))
    del third
    assert launch(graph) == [(3,)]
    del graph
    settle()
    assert not gone() and third_gone()


def test_new_parameters_of_an_executable_are_kept_for_ever():
    """Earlier launches may still call the earlier callables.

    Setting the same two again keeps them once.
    """
    graph = cuda.cudaGraph_t()
    node = gpu.cudaGraphAddHostNode(graph, None, 0, (print, None))
    ready = gpu.cudaGraphInstantiate(graph, 0)
    fn, gone = kept()
    for _ in range(3):
        gpu.cudaGraphExecHostNodeSetParams(ready, node, {"fn": fn})
    assert sum(type(one).__name__ == "_Bound" for one in gc.get_objects()) == 2
    del fn
    gpu.cudaGraphLaunch(ready, 0)
    assert seen == [(None,)]
    gpu.cudaGraphExecDestroy(ready)
    settle()
    assert gone()


def test_a_graph_that_cannot_keep_it_has_it_kept_for_ever():
    graph = cuda.cudaGraph_t()
    c.refuse_to_retain(1)
    fn, gone = kept()
    gpu.cudaGraphAddHostNode(graph, None, 0, (fn, 1))
    del fn
    settle()
    assert launch(graph) == [(1,)] and gone()


def test_a_refused_node_lets_go():
    graph = cuda.cudaGraph_t()
    node = gpu.cudaGraphAddHostNode(graph, None, 0, (print, None))
    c.refuse(1)
    (fn, gone), host = kept(), cuda.cudaGraphNodeTypeHost
    assert int(cuda.cudaGraphAddHostNode(graph, None, 0, (fn, 1))[-1]) == 1
    assert int(cuda.cudaGraphHostNodeSetParams(node, (fn, 2))) == 1
    params = {"type": host, "host": (fn, 3)}
    assert int(cuda.cudaGraphAddNode(graph, None, None, 0, params)[-1]) == 1
    del fn, params
    settle()
    assert not gone()


def test_no_callable_leaks():
    fn, gone = kept()

    def add_ten_nodes():
        graph = cuda.cudaGraph_t()
        for at in range(10):
            params = cuda.cudaHostNodeParams(fn, [at])
            node = gpu.cudaGraphAddHostNode(graph, None, 0, params)
            gpu.cudaGraphHostNodeSetParams(node, gpu.cudaGraphHostNodeGetParams(node))
        assert launch(graph) == [([at],) for at in range(10)]

    def bound():
        settle()
        return sum(type(one).__name__ == "_Bound" for one in gc.get_objects())

    add_ten_nodes()
    before = sys.getrefcount(fn), bound()
    for _ in range(50):
        add_ten_nodes()
    seen.clear()
    assert (sys.getrefcount(fn), bound()) == (before[0], 0), (before, bound())
    fn = None
    assert not gone()


def test_the_collector_sees_through_a_struct():
    fn, gone = kept()
    params = cuda.cudaHostNodeParams(fn)
    params.userData = params
    assert "userData=cudaHostNodeParams(...)" in repr(params)
    fn.params = params
    del fn, params
    gc.collect()
    assert not gone()


def test_a_struct_whose_cycle_is_being_broken():
    """Fields that the collector has already cleared read as if they had never been set."""
    params = cuda.cudaHostNodeParams(userData=[1])  # a callable is not set yet
    slot = ctypes.pythonapi.PyType_GetSlot
    slot.restype, slot.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_int)

    def clear():
        (bound,) = (one for one in gc.get_objects() if type(one).__name__ == "_Bound")
        tp_clear = slot(type(bound), 51)
        ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object)(tp_clear)(bound)

    clear()
    assert (params.fn, params.userData) == (0, 0)
    copy.copy(params), repr(params)
    params.fn = None
    params.fn = 0x1234
    assert (params.fn, params.userData) == (0x1234, 0)
    params.fn = params.userData = None
    params.userData = [2]
    clear()
    params.fn = print
    assert (params.fn, params.userData) == (print, [2])
    params.fn = None
    params.userData = [3]
    clear()
    params.userData = [4]
    assert (params.fn, params.userData) == (0, [4])


def test_c_functions_get_a_pointer_as_in_c():
    graph = cuda.cudaGraph_t()
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    function = prototype(seen.append)
    address = ctypes.cast(function, ctypes.c_void_p).value
    room = ctypes.c_int(5)
    params = cuda.cudaHostNodeParams(address, 0x4321)
    assert (params.fn, params.userData) == (address, 0x4321)
    gpu.cudaGraphAddHostNode(graph, None, 0, params)
    params.userData = room
    assert params.userData == ctypes.addressof(room)
    gpu.cudaGraphAddHostNode(graph, None, 0, params)
    gpu.cudaGraphAddHostNode(graph, None, 0, {"fn": function, "userData": None})
    assert launch(graph) == [0x4321, ctypes.addressof(room), None]
    # C functions and callables may replace each other: the former address becomes the callable's
    # argument.
    params = cuda.cudaHostNodeParams(address, 0x4321)
    params.fn = seen.append
    assert params.userData == 0x4321
    params.fn = address
    assert (params.fn, params.userData) == (address, 0x4321)


def test_what_is_refused_changes_nothing():
    graph = cuda.cudaGraph_t()
    params, data = cuda.cudaHostNodeParams(print, "text"), {}
    for wrong in ("name", 1.5, [print], object()):
        refuses(
            TypeError,
            "cudaHostNodeParams.fn must be a callable, an address (int), a ctypes function or None",
            setattr,
            params,
            "fn",
            wrong,
        )
        refuses(
            TypeError,
            "cudaGraphAddHostNode(): parameter 'pNodeParams': field 'fn' must",
            cuda.cudaGraphAddHostNode,
            graph,
            None,
            0,
            {"fn": wrong},
        )
    refuses(OverflowError, "cudaHostNodeParams.fn = -1", setattr, params, "fn", -1)
    refuses(
        TypeError,
        "cudaHostNodeParams.fn: a C function gets an address as its user data, not str",
        setattr,
        params,
        "fn",
        0x1234,
    )
    assert params.fn is print and params.userData == "text"
    for one in (-1, 1 << 70, 1.5, data, "text", b"bytes", bytearray(3), memoryview(b"")):
        params.userData = one
        assert params.fn is print and params.userData is one
    params = cuda.cudaHostNodeParams(0x1234, 0x5678)
    refuses(
        TypeError,
        "cudaHostNodeParams.userData must be an address",
        setattr,
        params,
        "userData",
        data,
    )
    refuses(AttributeError, "", delattr, params, "fn")
    assert (params.fn, params.userData) == (0x1234, 0x5678)

    class Raising:
        @property
        def __cuda_array_interface__(self):
            raise KeyError("mine")

    refuses(KeyError, "mine", setattr, cuda.cudaHostNodeParams(), "userData", Raising())


def test_a_token_that_nobody_knows_is_not_heard():
    """A struct's bytes may outlive the objects that they refer to."""
    graph = cuda.cudaGraph_t()
    params = cuda.cudaHostNodeParams(Kept(), 1)
    raw = bytes(params)
    del params
    gc.collect()
    params = cuda.cudaHostNodeParams.from_bytes(raw)
    assert isinstance(params.fn, int) and params.fn and params.userData
    gpu.cudaGraphAddHostNode(graph, None, 0, params)
    assert launch(graph) == []
    params.fn = seen.append
    assert params.userData is None


def test_an_exception_goes_to_the_unraisable_hook():
    graph = cuda.cudaGraph_t()

    def fails(data):
        raise KeyError(data)

    sys.unraisablehook = lambda one: seen.append((one.exc_type, one.exc_value.args, one.object))
    gpu.cudaGraphAddHostNode(graph, None, 0, (fails, 1))
    assert launch(graph) == [(KeyError, (1,), fails)]
    assert launch(graph) == [(KeyError, (1,), fails)]


def test_hips_host_nodes():
    graph, (fn, gone) = hip.hipGraph_t(), kept()
    node, err = hip.hipGraphAddHostNode(graph, None, 0, {"userData": 1, "fn": fn})
    params, err = hip.hipGraphHostNodeGetParams(node)
    assert params.fn is fn and params.userData == 1
    host = hip.hipGraphNodeTypeHost
    given = hip.hipGraphNodeParams(type=host, host=(fn, 2))
    node, given, err = hip.hipGraphAddNode(graph, None, 0, given)
    assert not err and given.host.fn is fn
    del params, given
    assert launch(graph) == [(1,), (2,)]
    assert not hip.hipGraphHostNodeSetParams(node, (fn, 3))
    del fn
    settle()
    assert launch(graph) == [(1,), (3,)]
    del graph
    hip.hipGetLastError()
    gc.collect()
    assert gone()  # HIP can't tell the graph of a node


@own_interpreter("run", PYGPU_BACKEND="hip")
def test_a_node_of_any_kind_by_the_portable_name_on_hip():
    """An adaptor serves it, and tells which argument is the graph that keeps the callable."""
    assert PyGPU.backend == "hip"
    host = PyGPU.cudaGraphNodeTypeHost
    graph, (fn, gone), (data, data_gone) = PyGPU.cudaGraph_t(), kept(), kept()
    params = {"type": host, "host": (fn, data)}
    node, given = gpu.cudaGraphAddNode(graph, None, None, 0, params)
    assert given.host.fn is fn and given.host.userData is data
    del fn, data, params, given
    settle()
    launch(graph)
    ((called_with,),) = seen
    assert called_with is data_gone() and gone()
    del called_with
    seen.clear()
    refused, refused_gone = kept()
    c.refuse(1)
    params = {"type": host, "host": (refused, 3)}
    assert int(PyGPU.cudaGraphAddNode(graph, None, None, 0, params)[-1]) == 1
    assert int(PyGPU.cudaGraphAddNode(graph, None, [{}], 0, params)[-1]) == 801
    del refused, params
    del graph
    PyGPU.cudaGetLastError()
    gc.collect()
    assert not gone() and not data_gone() and not refused_gone()


@own_interpreter("run", prints="leaving\n")
def test_the_end_of_the_interpreter():
    """Graphs launch while the interpreter ends, and after it has ended."""
    graph = cuda.cudaGraph_t()
    told, done = os.pipe(), os.pipe()
    gpu.cudaGraphAddHostNode(graph, None, 0, (print, "never"))
    ready = gpu.cudaGraphInstantiate(graph, 0)
    c.launch_at_exit(int(ready))
    c.launch_when_told(int(ready), told[0], done[1])

    class Last:
        def __del__(self, write=os.write, read=os.read, told=told[1], done=done[0]):
            write(told, b"x")
            read(done, 1)

    sys.last = Last()  # freed late, while the interpreter is finalising
    sys.params = cuda.cudaHostNodeParams(print, sys.last)
    print("leaving", flush=True)

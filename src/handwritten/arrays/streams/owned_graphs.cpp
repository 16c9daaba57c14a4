// _own_captured(stream), _take_owned(graph) and _keep_by_graph(graph, kept); graphs are addresses.
#include "arrays/streams/owned_graphs.hpp"

#include "arrays/base/runtime.hpp"
#include "runtime/api.hpp"
#include "types/callbacks/capture.hpp"

namespace pygpu::arrays {
namespace {

// The address of the graph that a stream is capturing into, which is owned from now on; 0 if there is none.
PyObject *own_captured(PyObject *, PyObject *address) {
    Runtime *const runtime = arrays::runtime();
    void *const stream = runtime ? PyLong_AsVoidPtr(address) : nullptr;
    if (!runtime || PyErr_Occurred()) return nullptr;
    void *const graph = captured_graph(runtime->api, stream, runtime->api.per_thread);
    if (graph) own_graph(graph);
    return PyLong_FromVoidPtr(graph);
}

PyObject *take_by_address(PyObject *, PyObject *address) {
    void *const graph = PyLong_AsVoidPtr(address);
    return PyErr_Occurred() ? nullptr : take_owned(graph);
}

PyObject *keep_by_address(PyObject *, PyObject *args) {
    PyObject *address = nullptr, *kept = nullptr;
    Runtime *const runtime = arrays::runtime();
    if (!runtime || !PyArg_ParseTuple(args, "OO!", &address, &PyList_Type, &kept)) return nullptr;
    void *const graph = PyLong_AsVoidPtr(address);
    if (PyErr_Occurred()) return nullptr;
    keep_all_by_graph(runtime->api, graph, kept);
    Py_RETURN_NONE;
}

PyMethodDef graph_functions[] = {{"_own_captured", own_captured, METH_O, nullptr},
                                 {"_take_owned", take_by_address, METH_O, nullptr},
                                 {"_keep_by_graph", keep_by_address, METH_VARARGS, nullptr},
                                 {nullptr, nullptr, 0, nullptr}};

} // namespace

bool add_owned_graphs(PyObject *module) { return !PyModule_AddFunctions(module, graph_functions); }

} // namespace pygpu::arrays

// Launching a graph by the driver, without Python code in between.
#include "arrays/streams/graph_base.hpp"

#include "arrays/base/driver.hpp"
#include "arrays/streams/device_of.hpp"
#include "arrays/streams/stream.hpp"
#include "python/exit.hpp"
#include "python/gil.hpp"
#include "python/heap_type.hpp"
#include "python/keywords.hpp"
#include "python/later.hpp"
#include "python/reference.hpp"
#include "trace/on.hpp"
#include "types/handles/handle_class.hpp"

#include <cstddef>
#include <structmember.h>

namespace pygpu::arrays {
namespace {

struct Object {
    PyObject_HEAD
    PyObject *executable; // its handle; null or None before there is one
    PyObject *last;       // the stream of the last launch, if nothing was added since then
};

Object &object_of(PyObject *self) { return *reinterpret_cast<Object *>(self); }

// Whether it is launched. If not, the runtime's call says why, or does it: it knows all kinds of streams, and
// makes a context for a thread that has none.
bool launch_by_driver(const Object &graph, PyObject *on) {
    using Launch = int(void *executable, Stream stream);
    const Runtime *const runtime = loaded_runtime;
    if (!runtime || !graph.executable || on != graph.last || !stream_object(on)) return false;
    static Launch *const call = // a process has one runtime for its arrays
        driver_function<Launch>(*runtime, runtime->driver_calls.launch_graph);
    const StreamObject &stream = *stream_object(on);
    void *executable = nullptr;
    if (!call || stream.ended() || is_default_stream(stream.stream) || trace::is_on() || in_child() ||
        waits_may_never_end() || !HandleClass::unwrap(graph.executable, executable) || !executable)
        return false;
    const Stream queue = stream.stream; // another thread may end the object meanwhile,
    const Reference kept = Reference::borrow(graph.executable); // and change the graph
    const GilReleased released(true);
    return call(executable, queue) == success;
}

PyObject *launch(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    const Arguments arguments("Graph.launch()", {"stream"}, args, count, keywords, 0);
    if (!arguments) return nullptr;
    PyObject *on = arguments[0] ? arguments[0] : Py_None;
    if (has_postponed()) do_postponed();
    if (launch_by_driver(object_of(self), on)) Py_RETURN_NONE;
    static PyObject *const by_runtime = PyUnicode_InternFromString("_launch_by_runtime");
    return by_runtime ? PyObject_CallMethodOneArg(self, by_runtime, on) : nullptr;
}

int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(object_of(self).executable);
    Py_VISIT(object_of(self).last);
    return 0;
}

int clear(PyObject *self) {
    Py_CLEAR(object_of(self).executable);
    Py_CLEAR(object_of(self).last);
    return 0;
}

void destroy(PyObject *self) {
    PyObject_GC_UnTrack(self);
    clear(self);
    free_object(self);
}

PyMethodDef methods[] = {
    {"launch", with_keywords(launch), METH_FASTCALL | METH_KEYWORDS,
     "launch($self, stream=None)\n--\n\nQueue all its work on a stream, by default on the current one. Raises GPUError."},
    {nullptr, nullptr, 0, nullptr}};

PyMemberDef members[] = {{"_executable", T_OBJECT, offsetof(Object, executable), 0, nullptr},
                         {"_last", T_OBJECT, offsetof(Object, last), 0, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

} // namespace

PyTypeObject *graph_base() {
    static PyTypeObject *type = nullptr; // guarded by the GIL
    if (type) return type;
    const TypeTable table{.destroy = destroy,
                          .traverse = traverse,
                          .clear = clear,
                          .methods = methods,
                          .members = members,
                          .doc = "The part of PyGPU.Graph that is written in C++: its launches."};
    return type = make_type("PyGPU._core.arrays.GraphBase", sizeof(Object),
                            Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, table);
}

} // namespace pygpu::arrays

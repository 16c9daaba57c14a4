// _queue_call(stream, function) and _finish_calls(), for Stream.call().
#include "arrays/streams/queued_calls.hpp"

#include "arrays/base/scope.hpp"
#include "arrays/streams/argument.hpp"
#include "python/gil.hpp"
#include "python/later.hpp"
#include "runtime/generation.hpp"
#include "types/callbacks/call_queue.hpp"
#include "types/callbacks/capture.hpp"

namespace pygpu::arrays {
namespace {

PyObject *queue_call_on(PyObject *, PyObject *args) {
    constexpr const char *call = "Stream.call()";
    PyObject *on = nullptr, *function = nullptr;
    StreamArgument stream;
    Runtime *const runtime = arrays::runtime();
    if (!runtime || !PyArg_ParseTuple(args, "OO", &on, &function) || !load_stream(on, call, stream) ||
        !start_call_queue())
        return nullptr;
    if (has_postponed()) do_postponed();
    void *const graph = captured_graph(runtime->api, stream.stream, runtime->api.per_thread);
    const Token token = pygpu::remember(function, Py_None, nullptr, !graph);
    if (!token) return nullptr;
    int status = success;
    {
        GilReleased released(true); // this call waits if the stream's queue is full
        Scope scope(*runtime);
        status = scope.status();
        if (!status)
            status = scope(
                runtime->launch_host_function(stream.stream, queue_call, reinterpret_cast<void *>(token)));
    }
    if (status) {
        forget(token);
        return raise_status(*runtime, status, "%s", call);
    }
    if (graph) keep_by_graph(runtime->api, graph, token);
    Py_RETURN_NONE;
}

PyObject *finish_calls(PyObject *, PyObject *) {
    if (in_child()) Py_RETURN_NONE; // the parent has the thread
    GilReleased released(true);
    wait_for_queued_calls();
    Py_RETURN_NONE;
}

PyMethodDef call_functions[] = {{"_queue_call", queue_call_on, METH_VARARGS, nullptr},
                                {"_finish_calls", finish_calls, METH_NOARGS, nullptr},
                                {nullptr, nullptr, 0, nullptr}};

} // namespace

bool add_queued_calls(PyObject *module) { return !PyModule_AddFunctions(module, call_functions); }

} // namespace pygpu::arrays

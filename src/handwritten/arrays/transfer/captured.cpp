// Tying what a captured copy needs to its graph.
#include "arrays/transfer/captured.hpp"

#include "runtime/api.hpp"
#include "types/callbacks/capture.hpp"

#include <utility>

namespace pygpu::arrays {
namespace {

void end(PyObject *capsule) { delete static_cast<Captured *>(PyCapsule_GetPointer(capsule, nullptr)); }

} // namespace

void keep_by_graph(const Runtime &runtime, Stream stream, Captured &&captured) {
    auto *owned = new Captured(std::move(captured)); // for ever, unless the capsule ends it
    Reference capsule(PyCapsule_New(owned, nullptr, end));
    if (!capsule) {
        PyErr_Clear();
        return;
    }
    const Token token = remember(capsule.get(), Py_None, nullptr, false);
    if (void *graph = captured_graph(runtime.api, stream, runtime.api.per_thread))
        pygpu::keep_by_graph(runtime.api, graph, token);
}

} // namespace pygpu::arrays

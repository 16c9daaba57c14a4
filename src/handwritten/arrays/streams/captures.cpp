// Asking for captures, and tying things to their graphs.
#include "arrays/streams/captures.hpp"

#include "callbacks/capture.hpp"
#include "loader/api.hpp"

#include <utility>

namespace pygpu::arrays {
namespace {

void end(PyObject *capsule) { delete static_cast<Captured *>(PyCapsule_GetPointer(capsule, nullptr)); }

} // namespace

int ask_capturing(const Runtime &runtime, Scope &scope, Stream stream, bool &capturing) {
    capturing = false;
    if (!stream && !runtime.api.per_thread) return success; // the legacy stream can't be
    return scope(runtime.stream_capturing(stream, &capturing));
}

int refuse_capture(const Runtime &runtime, Scope &scope, Stream stream) {
    bool capturing = false;
    const int status = scope(runtime.stream_capturing(stream, &capturing));
    return !status && capturing ? capture_unsupported : status;
}

void keep_by_graph(const Runtime &runtime, Stream stream, Captured &&captured) {
    auto *kept = new Captured(std::move(captured)); // for ever, unless the capsule ends it
    Reference capsule(PyCapsule_New(kept, nullptr, end));
    if (!capsule) {
        PyErr_Clear();
        return;
    }
    const Token token = remember(capsule.get(), Py_None, nullptr, false);
    if (void *graph = captured_graph(runtime.api, stream, runtime.api.per_thread))
        pygpu::keep_by_graph(runtime.api, graph, token);
}

} // namespace pygpu::arrays

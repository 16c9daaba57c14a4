// Ordering a memory's stream, and naming it.
#include "arrays/types/cuda_array_interface.hpp"

#include "arrays/streams/captures.hpp"
#include "python/gil.hpp"
#include "runtime/api.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

namespace pygpu::arrays {
namespace {

// The number that the protocol has for a stream; Py_None where it has none.
Reference number_of(const Runtime &runtime, Stream stream) {
    if (stream) return Reference(PyLong_FromVoidPtr(stream));
    if (std::strcmp(runtime.name, "cuda")) return Reference(Py_NewRef(Py_None));
    return Reference(PyLong_FromLong(runtime.api.per_thread ? 2 : 1));
}

// Makes the memory's stream come after all that was queued, and waits for it where it has no number.
Reference ordered_stream(const char *call, Buffer &buffer) {
    const Runtime &runtime = buffer.runtime;
    Scope scope(runtime, buffer.device);
    int status = buffer.ended() && !in_child() ? context_is_destroyed : scope.status();
    if (!status) status = buffer.begin_export(scope);
    Reference number = number_of(runtime, buffer.home());
    if (!status && number.get() == Py_None) {
        GilReleased released(true);
        status = refuse_capture(runtime, scope, buffer.home());
        if (!status) status = scope(runtime.stream_synchronize(buffer.home()));
    }
    return status ? Reference(raise_status(runtime, status, "%s", call)) : std::move(number);
}

} // namespace

PyObject *cuda_array_interface(const char *call, const Retained<Buffer> &buffer, void *data,
                               const Described &array) {
    if (!buffer->check(call)) return nullptr;
    const Buffer::Using using_it(*buffer);
    // Without elements there is nothing to come after.
    Reference stream = data ? ordered_stream(call, *buffer) : number_of(buffer->runtime, buffer->home());
    if (!stream) return nullptr;
    if (data) buffer->let_escape(); // after that, since it may wait, too
    const auto address = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(data));
    Reference interface(Py_BuildValue(
        "{s:O,s:O,s:(KO),s:O,s:O,s:i}", "shape", array.shape, "typestr", array.typestr, "data", address,
        Py_False, "strides", array.strides ? array.strides : Py_None, "stream", stream.get(), "version", 3));
    if (!interface) return nullptr;
    if (array.fields && PyDict_SetItemString(interface.get(), "descr", array.fields)) return nullptr;
    return interface.release();
}

} // namespace pygpu::arrays

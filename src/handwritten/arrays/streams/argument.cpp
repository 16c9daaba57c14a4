// Reading a stream from what users pass.
#include "arrays/streams/argument.hpp"

#include "arrays/streams/stream.hpp"
#include "binding/argument_errors.hpp"
#include "convert/memory.hpp"
#include "convert/scalars.hpp"
#include "python/reference.hpp"
#include "types/handles/foreign_stream.hpp"
#include "types/handles/handle_class.hpp"

#include <cstdint>

namespace pygpu::arrays {
namespace {

// An open `with PyGPU.Stream():` of this thread.
struct WithBlock {
    PyObject *owner; // retained: a PyGPU.Stream
    int device_before;
    WithBlock *outer;

    StreamArgument stream() const {
        const StreamObject &object = *stream_object(owner);
        return {object.stream, owner, object.device, true};
    }
};

// Every copy and import reads it. By default, code in a shared object calls the dynamic linker for the
// address of a thread-local variable. glibc reserves some hundred bytes of each thread's block for objects
// that are loaded later, as this one is. Variables there have an address at a constant distance ("ELF
// Handling For Thread-Local Storage", initial exec).
#ifdef __GLIBC__
[[gnu::tls_model("initial-exec")]]
#endif
thread_local WithBlock *innermost = nullptr;

bool refuse(PyObject *object, const char *call) {
    PyErr_Format(PyExc_TypeError,
                 "%s: parameter 'stream' must be a stream (PyGPU's, an address, an object with "
                 "__cuda_stream__) or None, not %.80s",
                 call, type_description(object));
    return false;
}

bool load_handle(void *handle, StreamArgument &stream) {
    const Runtime *runtime = arrays::runtime();
    if (runtime) stream = {handle, nullptr, device_of(*runtime, handle), false};
    return runtime;
}

bool load_address(PyObject *object, const char *call, StreamArgument &stream) {
    if (!is_integer(object)) return refuse(object, call);
    Reference index(PyNumber_Index(object));
    if (!index) return false;
    const unsigned long long address = PyLong_AsUnsignedLongLong(index.get());
    if (PyErr_Occurred()) {
        PyErr_Clear();
        PyErr_Format(PyExc_OverflowError, "%s: parameter 'stream' = %R is out of range", call, index.get());
        return false;
    }
    // 1 and 2 are the legacy and the thread's default stream. No other stream has an address in the first
    // page.
    if (address > 2 && address < 4096) {
        PyErr_Format(PyExc_ValueError, "%s: parameter 'stream': no stream lives at address %R", call,
                     index.get());
        return false;
    }
    return load_handle(reinterpret_cast<void *>(static_cast<std::uintptr_t>(address)), stream);
}

} // namespace

StreamArgument current_stream() {
    return innermost ? innermost->stream() : StreamArgument{nullptr, nullptr, any_device, true};
}

StreamArgument stream_on(const StreamArgument &requested, int device) {
    if (requested.is_of(device)) return requested;
    for (const WithBlock *block = innermost; block; block = block->outer) {
        if (block->stream().is_of(device)) return block->stream();
    }
    return {nullptr, nullptr, any_device, requested.current};
}

void enter_stream(PyObject *owner, int device) {
    innermost = new WithBlock{Py_NewRef(owner), device, innermost};
}

bool leave_stream(PyObject *owner, int &device) {
    if (!innermost || innermost->owner != owner) return false;
    WithBlock *left = innermost;
    innermost = left->outer;
    device = left->device_before;
    Py_DECREF(owner);
    delete left;
    return true;
}

bool load_stream(PyObject *object, const char *call, StreamArgument &stream) {
    if (!object || object == Py_None) {
        stream = current_stream();
        return true;
    }
    if (PyLong_CheckExact(object)) return load_address(object, call, stream);
    if (const StreamObject *own = stream_object(object)) {
        stream = {own->stream, object, own->device, false};
        if (!own->ended()) return true;
        raise_status(*own->runtime, own->runtime->codes.invalid_handle,
                     own->destroyed ? "%s: the stream was destroyed"
                                    : "%s: the stream ended with a fork or a reset",
                     call);
        return false;
    }
    void *handle = nullptr;
    if (const HandleClass *kind = HandleClass::unwrap(object, handle)) {
        if (!kind->is_stream()) return refuse(object, call);
        if (is_destroyed(object)) {
            if (const Runtime *runtime = arrays::runtime())
                raise_status(*runtime, runtime->codes.invalid_handle, "%s: the stream was destroyed", call);
            return false;
        }
        if (!load_handle(handle, stream)) return false;
        stream.owner = object;
        return true;
    }
    Reference address;
    switch (foreign_stream(object, address)) {
    case ForeignStream::address:
        if (!load_address(address.get(), call, stream)) return false;
        stream.owner = object;
        return true;
    case ForeignStream::malformed:
        PyErr_Format(PyExc_TypeError, "%s: parameter 'stream': its __cuda_stream__ must give (0, address)",
                     call);
        return false;
    case ForeignStream::failed:
        return false;
    case ForeignStream::none:
        break;
    }
    if (!is_number(object) || pointer_provider_of(object)) return refuse(object, call);
    return load_address(object, call, stream);
}

} // namespace pygpu::arrays

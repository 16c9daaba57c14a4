// Asking an object for the address of its stream.
#include "types/handles/foreign_stream.hpp"

#include "convert/memory.hpp"
#include "python/attribute.hpp"

#include <cstring>
#include <utility>

namespace pygpu {
namespace {

bool is_called_stream(PyObject *object) {
    PyObject *bases = Py_TYPE(object)->tp_mro;
    for (Py_ssize_t at = 0; bases && at < PyTuple_GET_SIZE(bases); ++at) {
        if (std::strstr(reinterpret_cast<PyTypeObject *>(PyTuple_GET_ITEM(bases, at))->tp_name, "Stream"))
            return true;
    }
    return false;
}

// `value` is an int, a ctypes pointer (numba), or an object whose int() is the address (numba on NVIDIA's
// bindings).
ForeignStream taken(Reference value, Reference &address) {
    if (value && is_c_pointer(value.get())) {
        void *pointer = nullptr;
        if (!load_c_pointer(value.get(), pointer)) return ForeignStream::failed;
        address = Reference(PyLong_FromVoidPtr(pointer));
    } else if (value) { // without an int(), it is refused later, as an address
        address = has_int(value.get()) ? Reference(PyNumber_Long(value.get())) : std::move(value);
    }
    return address ? ForeignStream::address : ForeignStream::failed;
}

// The protocol has only version 0 so far. The address of another version could mean anything.
bool is_known_version(PyObject *version) { return PyLong_Check(version) && !PyObject_IsTrue(version); }

} // namespace

ForeignStream foreign_stream(PyObject *object, Reference &address) {
    if (Reference protocol = optional_attribute(object, "__cuda_stream__")) {
        // numba and early users made it a property; the protocol says a method.
        const Reference pair(PyCallable_Check(protocol.get()) ? PyObject_CallNoArgs(protocol.get())
                                                              : protocol.release());
        if (!pair) return ForeignStream::failed;
        if (!PyTuple_Check(pair.get()) || PyTuple_GET_SIZE(pair.get()) != 2 ||
            !is_known_version(PyTuple_GET_ITEM(pair.get(), 0)))
            return ForeignStream::malformed;
        address = Reference::borrow(PyTuple_GET_ITEM(pair.get(), 1));
        return ForeignStream::address;
    }
    if (PyErr_Occurred()) return ForeignStream::failed;
    for (const char *name : {"cuda_stream", "ptr", "handle"}) {
        if (*name != 'c' && !is_called_stream(object)) break;
        Reference value = optional_attribute(object, name);
        if (value || PyErr_Occurred()) return taken(std::move(value), address);
    }
    return ForeignStream::none;
}

} // namespace pygpu

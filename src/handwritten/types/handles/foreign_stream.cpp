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

// What an object's __cuda_stream__ gives. Empty without an exception if it has none. The protocol says a
// method, which is called without making it an object first; numba and early users made it a property.
Reference asked_by_protocol(PyObject *object) {
    static PyObject *const name = PyUnicode_InternFromString("__cuda_stream__");
    PyObject *method = name ? _PyType_Lookup(Py_TYPE(object), name) : nullptr;
    if (method && PyType_HasFeature(Py_TYPE(method), Py_TPFLAGS_METHOD_DESCRIPTOR)) {
        const Reference kept = Reference::borrow(method);
        return Reference(PyObject_Vectorcall(method, &object, 1, nullptr));
    }
    Reference attribute = name ? optional_attribute(object, name) : Reference();
    if (!attribute || !PyCallable_Check(attribute.get())) return attribute;
    return Reference(PyObject_CallNoArgs(attribute.get()));
}

} // namespace

ForeignStream foreign_stream(PyObject *object, Reference &address) {
    if (const Reference pair = asked_by_protocol(object)) {
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

// Asking a user's allocator for memory.
#include "arrays/memory/allocator.hpp"

#include "arrays/streams/event.hpp"
#include "arrays/streams/stream.hpp"
#include "convert/memory.hpp"
#include "errors/error_type.hpp"
#include "handles/handle_class.hpp"
#include "interpreter/boolean.hpp"
#include "interpreter/reference.hpp"

namespace pygpu::arrays {
namespace {

PyObject *chosen = nullptr; // for the life of the process; guarded by the GIL

bool has(PyObject *object, const char *name) { return PyObject_HasAttrString(object, name); }

// A stream and an event have an address, too, but no memory is there.
bool has_memory(PyObject *object) {
    void *handle = nullptr;
    return has_int(object) && !HandleClass::unwrap(object, handle) && !stream_object(object) &&
           !event_object(object);
}

} // namespace

PyObject *default_allocator() { return chosen; }

bool check_allocator(PyObject *allocator, const char *call) {
    const bool resource = has(allocator, "allocate") && has(allocator, "deallocate");
    if (PyCallable_Check(allocator) || has(allocator, "malloc") || resource) return true;
    PyErr_Format(
        PyExc_TypeError,
        "%s: parameter 'allocator' must be callable with a size, or have malloc(), or allocate() and "
        "deallocate(), not %.80s",
        call, type_told(allocator));
    return false;
}

bool set_default_allocator(PyObject *allocator) {
    if (allocator == Py_None) allocator = nullptr;
    if (allocator && !check_allocator(allocator, "set_allocator()")) return false;
    Py_XINCREF(allocator);
    Py_XSETREF(chosen, allocator);
    return true;
}

bool address_of(PyObject *object, const char *call, const char *what, void *&pointer) {
    Reference number;
    if (PyLong_CheckExact(object)) {
        number = Reference::borrow(object);
    } else if (has(object, "ptr")) { // CuPy's and RMM's memory; their int() may be missing
        number = Reference(PyObject_GetAttrString(object, "ptr"));
    } else if (is_c_pointer(object)) {
        return load_c_pointer(object, pointer);
    } else if (has_memory(object)) {
        number = Reference(PyNumber_Long(object));
    }
    if (!number || !PyLong_Check(number.get()) || is_bool(number.get())) {
        if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_TypeError,
                         "%s: %s must be an address (int), or an object with int() or ptr, not %.80s", call,
                         what, type_told(object));
        return false;
    }
    pointer = reinterpret_cast<void *>(PyLong_AsUnsignedLongLong(number.get()));
    if (!PyErr_Occurred()) return true;
    PyErr_Format(PyExc_OverflowError, "%s: %s: %S is no address", call, what, number.get());
    return false;
}

Held<Buffer> allocate_with(const Runtime &runtime, const char *call, PyObject *allocator, std::size_t size,
                           const StreamArgument &stream) {
    Reference held = Reference::borrow(allocator); // it may be replaced meanwhile
    const auto bytes = static_cast<Py_ssize_t>(size);
    const bool resource = !PyCallable_Check(allocator) && !has(allocator, "malloc");
    Reference given(PyCallable_Check(allocator)
                        ? PyObject_CallFunction(allocator, "n", bytes)
                        : PyObject_CallMethod(allocator, resource ? "allocate" : "malloc", "n", bytes));
    void *pointer = nullptr;
    if (!given || !address_of(given.get(), call, "what the allocator gave", pointer)) return {};
    if (!pointer) {
        PyErr_Format(PyExc_MemoryError, "%s: the allocator gave address 0 for %zu bytes", call, size);
        return {};
    }
    int device = 0;
    {
        Scope scope(runtime);
        device = scope.device();
    }
    return Held<Buffer>(new Buffer(runtime, resource ? Buffer::Kind::resource : Buffer::Kind::foreign,
                                   pointer, size, device, stream_on(stream, device),
                                   resource ? std::move(held) : std::move(given)));
}

} // namespace pygpu::arrays

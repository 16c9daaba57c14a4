// Asking a user's allocator for memory.
#include "arrays/memory/allocator.hpp"

#include "arrays/streams/event.hpp"
#include "arrays/streams/stream.hpp"
#include "binding/argument_errors.hpp"
#include "binding/function_record.hpp"
#include "python/attribute.hpp"
#include "python/boolean.hpp"
#include "python/gil.hpp"
#include "python/reference.hpp"
#include "types/handles/handle_class.hpp"

namespace pygpu::arrays {
namespace {

PyObject *chosen = nullptr; // never released at exit; guarded by the GIL

bool has(PyObject *object, const char *name) { return PyObject_HasAttrString(object, name); }

// Streams and events have an address, too, but it is not an address of memory.
bool has_memory(PyObject *object) {
    void *handle = nullptr;
    return has_int(object) && !HandleClass::unwrap(object, handle) && !stream_object(object) &&
           !event_object(object);
}

bool load_address(PyObject *object, const char *call, const char *what, void *&pointer) {
    Reference number;
    if (PyLong_CheckExact(object)) {
        number = Reference::borrow(object);
    } else if (is_c_pointer(object)) {
        return load_c_pointer(object, pointer);
    } else if (Reference given =
                   optional_attribute(object, "ptr")) { // CuPy's and RMM's memory: int() may be missing
        if (is_c_pointer(given.get())) return load_c_pointer(given.get(), pointer);
        if (is_number(given.get())) number = Reference(PyNumber_Index(given.get()));
    } else if (!PyErr_Occurred() && has_memory(object)) {
        number = Reference(PyNumber_Long(object));
    }
    if (!number || !PyLong_Check(number.get()) || is_bool(number.get())) {
        if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_TypeError,
                         "%s: %s must be an address (int), or an object with int() or ptr, not %.80s", call,
                         what, type_description(object));
        return false;
    }
    pointer = reinterpret_cast<void *>(PyLong_AsUnsignedLongLong(number.get()));
    if (!PyErr_Occurred()) return true;
    PyErr_Format(PyExc_OverflowError, "%s: %s: %S is no address", call, what, number.get());
    return false;
}

// The size of an object's memory, if it has one: PyGPU's own objects, buffers, and arrays of other libraries.
std::size_t size_behind(const Runtime &runtime, PyObject *object, void *pointer) {
    const FunctionRecord no_call{.api = runtime.api, .name = "", .doc = ""};
    const FieldPath nobody{};
    if (PyLong_CheckExact(object)) return Memory::unknown;
    const bool has_size = pointer_provider_of(object) || PyObject_CheckBuffer(object) ||
                          has(object, "__cuda_array_interface__");
    Memory memory;
    if (!has_size || is_c_pointer(object)) return Memory::unknown;
    if (memory.load(object, ArgumentContext::outside(no_call, nobody), Access::address))
        return memory.pointer() == pointer ? memory.size() : Memory::unknown;
    PyErr_Clear();
    return Memory::unknown;
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
        call, type_description(allocator));
    return false;
}

bool set_default_allocator(PyObject *allocator) {
    if (allocator == Py_None) allocator = nullptr;
    if (allocator && !check_allocator(allocator, "set_allocator()")) return false;
    Py_XINCREF(allocator);
    Py_XSETREF(chosen, allocator);
    return true;
}

int owner_of(const Runtime &runtime, const void *pointer) {
    GilReleased released(true); // the first call makes the runtime start
    Scope scope(runtime);
    int owner = any_device;
    const bool known = pointer && !scope.status() && !scope.expect([&] {
        return runtime.ask_owner(pointer, &owner);
    }); // older releases fail for ordinary memory
    if (known && owner != any_device) return owner;
    return scope.device() < 0 ? 0 : scope.device();
}

bool load_foreign(const Runtime &runtime, PyObject *object, const char *call, const char *what,
                  Foreign &foreign) {
    if (!load_address(object, call, what, foreign.pointer)) return false;
    foreign.size = size_behind(runtime, object, foreign.pointer);
    if (PyErr_Occurred()) return false;
    foreign.device = owner_of(runtime, foreign.pointer);
    return true;
}

Retained<Buffer> allocate_with(const Runtime &runtime, const char *call, PyObject *allocator,
                               std::size_t size, const StreamArgument &stream) {
    Reference owner = Reference::borrow(allocator); // set_allocator() may replace it meanwhile
    const auto bytes = static_cast<Py_ssize_t>(size);
    const bool resource = !PyCallable_Check(allocator) && !has(allocator, "malloc");
    Reference given(PyCallable_Check(allocator)
                        ? PyObject_CallFunction(allocator, "n", bytes)
                        : PyObject_CallMethod(allocator, resource ? "allocate" : "malloc", "n", bytes));
    Foreign memory;
    if (!given || !load_foreign(runtime, given.get(), call, "what the allocator gave", memory)) return {};
    if (!memory.pointer) {
        PyErr_Format(PyExc_MemoryError, "%s: the allocator gave address 0 for %zu bytes", call, size);
        return {};
    }
    if (memory.size < size) {
        PyErr_Format(PyExc_ValueError, "%s: the allocator gave %zu bytes for %zu", call, memory.size, size);
        return {};
    }
    return Buffer::make(runtime, resource ? Buffer::Kind::resource : Buffer::Kind::foreign, memory.pointer,
                        size, memory.device, stream_on(stream, memory.device),
                        resource ? std::move(owner) : std::move(given));
}

} // namespace pygpu::arrays

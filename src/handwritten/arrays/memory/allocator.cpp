// Asking a user's allocator for memory.
#include "arrays/memory/allocator.hpp"

#include "arrays/memory/known_memory.hpp"
#include "arrays/streams/event.hpp"
#include "arrays/streams/stream.hpp"
#include "binding/argument_errors.hpp"
#include "binding/function_record.hpp"
#include "python/attribute.hpp"
#include "python/boolean.hpp"
#include "python/gil.hpp"
#include "python/reference.hpp"
#include "types/handles/handle_class.hpp"

#include <utility>

namespace pygpu::arrays {
namespace {

PyObject *chosen = nullptr;       // never released at exit; guarded by the GIL
thread_local bool asking = false; // whether the chosen allocator runs on this thread

bool has(PyObject *object, const char *name) { return PyObject_HasAttrString(object, name); }

// Handles, streams and events have an address, too, but it is not an address of memory.
bool has_memory(PyObject *object) {
    void *handle = nullptr;
    return has_int(object) && !load_any_handle(object, handle) && !stream_object(object) &&
           !event_object(object);
}

// Whether an object owns no memory: a mere number, or a pointer of PyGPU's to memory of others. A number of a
// class derived from int may own some.
bool is_bare(PyObject *object) {
    if (PyLong_CheckExact(object)) return true;
    if (pointer_provider_of(object)) return !owns_memory(object);
    const Reference name(is_number(object) ? PyUnicode_InternFromString("numpy") : nullptr);
    const Reference numpy(name ? PyImport_GetModule(name.get()) : nullptr);
    const Reference integer(numpy ? PyObject_GetAttrString(numpy.get(), "integer") : nullptr);
    const bool bare = integer && PyObject_IsInstance(object, integer.get()) > 0;
    PyErr_Clear();
    return bare;
}

// Memory of PyGPU's. False for any other object, or with an exception set.
bool load_known(PyObject *object, const char *call, const char *what, Foreign &foreign) {
    char *begin = nullptr;
    Buffer *buffer = known_memory(object, begin);
    if (!buffer) return false;
    if (const int status = buffer->state()) {
        raise_status(buffer->runtime, status, "%s: %s", call, what);
        return false;
    }
    foreign.pointer = begin;
    foreign.size = buffer->size - static_cast<std::size_t>(begin - static_cast<char *>(buffer->pointer));
    foreign.device = buffer->device;
    foreign.below = retained(*buffer);
    return true;
}

bool load_address(PyObject *object, const char *call, const char *what, Foreign &foreign) {
    Reference number;
    if (PyLong_CheckExact(object)) {
        number = Reference::borrow(object);
    } else if (is_c_pointer(object)) {
        return load_c_pointer(object, foreign.pointer);
    } else if (load_known(object, call, what, foreign)) {
        return true;
    } else if (PyErr_Occurred()) {
        return false;
    } else if (Reference attribute =
                   optional_attribute(object, "ptr")) { // CuPy's and RMM's memory: int() may be missing
        if (is_c_pointer(attribute.get())) return load_c_pointer(attribute.get(), foreign.pointer);
        if (load_known(attribute.get(), call, what, foreign)) return true;
        if (!PyErr_Occurred() && is_number(attribute.get()))
            number = Reference(PyNumber_Index(attribute.get()));
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
    foreign.pointer = reinterpret_cast<void *>(PyLong_AsUnsignedLongLong(number.get()));
    if (!PyErr_Occurred()) return true;
    PyErr_Format(PyExc_OverflowError, "%s: %s: %S is no address", call, what, number.get());
    return false;
}

// The size of an object's memory, if it has one: PyGPU's own objects, buffers, and arrays of other libraries.
std::size_t size_behind(const Runtime &runtime, PyObject *object, void *pointer) {
    const FunctionRecord no_call{.api = runtime.api, .name = "", .texts = no_texts};
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

PyObject *default_allocator() { return asking ? nullptr : chosen; }

bool check_allocator(PyObject *allocator, const char *call) {
    // What is asked first costs least: an attribute that is missing costs an AttributeError.
    if (PyCallable_Check(allocator) || has(allocator, "malloc") ||
        (has(allocator, "allocate") && has(allocator, "deallocate")))
        return true;
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
    if (!load_address(object, call, what, foreign)) return false;
    if (!is_bare(object)) foreign.owner = Reference::borrow(object);
    if (foreign.below) return true;
    foreign.size = size_behind(runtime, object, foreign.pointer);
    if (PyErr_Occurred()) return false;
    foreign.device = owner_of(runtime, foreign.pointer);
    return true;
}

Retained<Buffer> make_foreign(const Runtime &runtime, Buffer::Kind kind, Foreign &&foreign, void *begin,
                              std::size_t size, const StreamArgument &home) {
    Retained<Buffer> buffer =
        Buffer::make(runtime, kind, begin, size, foreign.device, home, std::move(foreign.owner));
    if (buffer && foreign.below) buffer->lie_in(*foreign.below);
    return buffer;
}

bool load_pool(PyObject *allocator, UserPool &pool) {
    static PyObject *const name = PyUnicode_InternFromString("_c_pool_");
    if (!name || !_PyType_Lookup(Py_TYPE(allocator), name)) return false; // spares most an AttributeError
    const Reference described(PyObject_GetAttr(allocator, name));
    if (described.get() == Py_None) PyErr_SetString(PyExc_ValueError, "the memory pool is closed");
    Py_ssize_t address = 0;
    if (PyErr_Occurred() || !PyArg_Parse(described.get(), "(ni)", &address, &pool.device)) return false;
    pool.pool = reinterpret_cast<Pool>(address);
    return true;
}

Retained<Buffer> allocate_with(const Runtime &runtime, const char *call, PyObject *allocator,
                               std::size_t size, const StreamArgument &stream) {
    Reference owner = Reference::borrow(allocator); // set_allocator() may replace it meanwhile
    const auto bytes = static_cast<Py_ssize_t>(size);
    const bool resource = !PyCallable_Check(allocator) && !has(allocator, "malloc");
    const bool before = std::exchange(asking, asking || allocator == chosen);
    Reference returned(PyCallable_Check(allocator)
                           ? PyObject_CallFunction(allocator, "n", bytes)
                           : PyObject_CallMethod(allocator, resource ? "allocate" : "malloc", "n", bytes));
    asking = before;
    Foreign memory;
    if (!returned || !load_foreign(runtime, returned.get(), call, "what the allocator gave", memory))
        return {};
    if (!memory.pointer) {
        PyErr_Format(PyExc_MemoryError, "%s: the allocator gave address 0 for %zu bytes", call, size);
        return {};
    }
    if (memory.size < size) {
        PyErr_Format(PyExc_ValueError, "%s: the allocator gave %zu bytes for %zu", call, memory.size, size);
        return {};
    }
    if (resource) memory.owner = std::move(owner);
    void *begin = memory.pointer;
    const StreamArgument home = stream_on(stream, memory.device);
    return make_foreign(runtime, resource ? Buffer::Kind::resource : Buffer::Kind::foreign, std::move(memory),
                        begin, size, home);
}

} // namespace pygpu::arrays

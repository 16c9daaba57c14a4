// The Python type of device memory.
#include "arrays/memory/device_memory.hpp"

#include "arrays/memory/allocate.hpp"
#include "arrays/memory/allocator.hpp"

#include "convert/pointer_provider.hpp"
#include "convert/sizes.hpp"
#include "python/c_pointer.hpp"
#include "python/gil.hpp"
#include "python/heap_type.hpp"
#include "python/keywords.hpp"
#include "python/trashcan.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <structmember.h>

namespace pygpu::arrays {
namespace {

struct Object {
    PyObject_HEAD
    Retained<Buffer> buffer;
    char *begin; // in the buffer
    PyObject *weak_references;
};

Object &object_of(PyObject *self) { return *reinterpret_cast<Object *>(self); }
Buffer &buffer_of(PyObject *self) { return *object_of(self).buffer; }

std::size_t size_of(PyObject *self) {
    const Buffer &buffer = buffer_of(self);
    const auto before = object_of(self).begin - static_cast<char *>(buffer.pointer);
    // The memory of an empty array may begin at any address.
    return before < 0 ? 0 : buffer.size - std::min(buffer.size, static_cast<std::size_t>(before));
}

PyTypeObject *type = nullptr;

PyObject *construct(PyTypeObject *, PyObject *args, PyObject *kwargs) {
    const Arguments arguments("DeviceMemory()", {"size", "stream", "allocator"}, args, kwargs);
    Py_ssize_t size = 0;
    if (!arguments || !load_size(arguments[0], "DeviceMemory()", "size", size)) return nullptr;
    Runtime *runtime = arrays::runtime();
    StreamArgument on;
    if (!runtime || !load_stream(arguments[1], "DeviceMemory()", on)) return nullptr;
    PyObject *allocator = arguments.unless_none(2);
    if (allocator && !check_allocator(allocator, "DeviceMemory()")) return nullptr;
    Retained<Buffer> buffer =
        allocate(*runtime, "DeviceMemory()", static_cast<std::size_t>(size), on, allocator);
    return buffer ? make_device_memory(buffer) : nullptr;
}

// Hands out the address. From now on code that PyGPU can't see may use the memory.
PyObject *number(PyObject *self) {
    return buffer_of(self).let_out("DeviceMemory") ? PyLong_FromVoidPtr(object_of(self).begin) : nullptr;
}

ProvidedPointer provide(PyObject *self) {
    if (!buffer_of(self).let_out("DeviceMemory")) return {};
    return {object_of(self).begin, size_of(self), buffer_of(self).readonly};
}

bool owns(PyObject *self) { return buffer_of(self).frees(); }

PyObject *repr(PyObject *self) {
    const Buffer &buffer = buffer_of(self);
    if (buffer.was_freed())
        return PyUnicode_FromFormat("<DeviceMemory freed, %zu bytes on device %d>", size_of(self),
                                    buffer.device);
    if (!buffer.pointer) return PyUnicode_FromFormat("<DeviceMemory null, 0 bytes>");
    return PyUnicode_FromFormat("<DeviceMemory %p, %zu bytes on device %d>", object_of(self).begin,
                                size_of(self), buffer.device);
}

PyObject *record_stream(PyObject *self, PyObject *stream) {
    if (!record_stream(buffer_of(self), "DeviceMemory.record_stream()", stream)) return nullptr;
    Py_RETURN_NONE;
}

PyObject *free_call(PyObject *self, PyObject *) {
    constexpr const char *call = "DeviceMemory.free()";
    Buffer &buffer = buffer_of(self);
    if (object_of(self).begin != buffer.pointer)
        return PyErr_Format(PyExc_ValueError,
                            "%s: it begins inside of an allocation: free the array that this is a view of",
                            call);
    return free_memory(buffer, call);
}

PyObject *enter(PyObject *self, PyObject *) {
    return buffer_of(self).check("with DeviceMemory") ? Py_NewRef(self) : nullptr;
}

PyObject *leave(PyObject *self, PyObject *) { return free_call(self, nullptr); }

int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    if (object_of(self).buffer) Py_VISIT(buffer_of(self).object()); // null while the object is being made
    return 0;
}

void destroy(PyObject *self) {
    PyObject_GC_UnTrack(self);
    PyTypeObject *kind = Py_TYPE(self);
    Py_TRASHCAN_BEGIN(self, destroy);
    if (object_of(self).weak_references) PyObject_ClearWeakRefs(self);
    object_of(self).~Object();
    kind->tp_free(self);
    Py_DECREF(kind);
    Py_TRASHCAN_END;
}

PyObject *get_freed(PyObject *self, void *) { return PyBool_FromLong(buffer_of(self).was_freed()); }
PyObject *get_size(PyObject *self, void *) { return PyLong_FromSize_t(size_of(self)); }
PyObject *get_device(PyObject *self, void *) { return PyLong_FromLong(buffer_of(self).device); }
PyObject *get_owner(PyObject *self, void *) {
    PyObject *owner = buffer_of(self).owner();
    return Py_NewRef(owner ? owner : Py_None);
}

PyMethodDef methods[] = {
    {"free", free_call, METH_NOARGS,
     "free($self)\n--\n\nFrees the memory now, in stream order: work that is under way ends first. Arrays on it "
     "can't be used afterwards, and raise ValueError. A second call does nothing. Raises "
     "ValueError for memory that PyGPU doesn't own."},
    {"close", free_call, METH_NOARGS, "close($self)\n--\n\nfree()."},
    {"__enter__", enter, METH_NOARGS, nullptr},
    {"__exit__", leave, METH_VARARGS, nullptr},
    {"record_stream", record_stream, METH_O,
     "record_stream($self, stream)\n--\n\nSays that a stream uses the memory: freeing the memory waits for the work that is "
     "queued there by then. From now on it waits for recorded streams only, even if the "
     "address is known elsewhere."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"_as_parameter_", memory_as_parameter, nullptr, "the address for ctypes: a pointer to anything",
     nullptr},
    {"size", get_size, nullptr, "bytes from its address on", nullptr},
    {"device", get_device, nullptr, "the number of its device", nullptr},
    {"freed", get_freed, nullptr, "whether free() gave it back", nullptr},
    {"keeper", get_owner, nullptr, "the object of a user's allocator that owns the memory, or None", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Object, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

} // namespace

PyTypeObject *device_memory_type() {
    if (type) return type;
    PyType_Slot slots[] = {
        {Py_tp_new, reinterpret_cast<void *>(construct)},
        {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
        {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
        {Py_tp_repr, reinterpret_cast<void *>(repr)},
        {Py_nb_int, reinterpret_cast<void *>(number)},
        {Py_nb_index, reinterpret_cast<void *>(number)},
        {Py_tp_methods, methods},
        {Py_tp_getset, properties},
        {Py_tp_members, members},
        {Py_tp_doc,
         const_cast<char *>(
             "DeviceMemory(size, stream=None, allocator=None)\n--\n\n"
             "Memory of the current device, from PyGPU's pool or from `allocator`; int() is its address. It is freed in stream order: by free(), at the "
             "end of a with-block, or when the last array on it goes. Raises "
             "GPUError, which is a MemoryError, if there is too little memory.")},
        {0, nullptr}};
    type = make_type("PyGPU.DeviceMemory", sizeof(Object), Py_TPFLAGS_HAVE_GC, slots);
    if (type) add_pointer_provider(destroy, provide, owns);
    return type;
}

PyObject *make_device_memory(const Retained<Buffer> &buffer) {
    return make_device_memory(buffer, static_cast<char *>(buffer->pointer));
}

PyObject *make_device_memory(const Retained<Buffer> &buffer, char *begin) {
    PyTypeObject *kind = device_memory_type();
    PyObject *self = kind ? kind->tp_alloc(kind, 0) : nullptr;
    if (!self) return nullptr;
    new (&object_of(self).buffer) Retained<Buffer>(buffer);
    object_of(self).begin = begin;
    return self;
}

Buffer *device_memory_buffer(PyObject *object, char *&begin) {
    if (!type || Py_TYPE(object) != type) return nullptr;
    begin = object_of(object).begin;
    return object_of(object).buffer.get();
}

} // namespace pygpu::arrays

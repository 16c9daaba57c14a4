// HostAllocator_<dtype>, DeviceAllocator_<dtype>, PagelockedAllocator_<dtype>: each object holds one piece of
// memory.
#include "arrays/memory/allocate.hpp"
#include "arrays/memory/device_memory.hpp"
#include "arrays/types/per_dtype/classes.hpp"
#include "arrays/types/per_dtype/host_block.hpp"
#include "arrays/types/per_dtype/pointer_wrapper.hpp"
#include "arrays/types/per_dtype/take_memory.hpp"
#include "common/checked_int.hpp"
#include "convert/sizes.hpp"
#include "python/keywords.hpp"

#include <string>

namespace pygpu::arrays {
namespace {

enum class Location : unsigned char { host, device, page_locked };

struct Object {
    PyObject_HEAD
    const DType *dtype;
    Location location;
    bool allocated;
    int status;
    Py_ssize_t count;
    void *pointer;
    Reference block;         // the host's memory
    Retained<Buffer> buffer; // device memory, or page-locked memory
};

Object &object_of(PyObject *self) { return *reinterpret_cast<Object *>(self); }

PyObject *construct(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    if (PyTuple_GET_SIZE(args) || (kwargs && PyDict_GET_SIZE(kwargs)))
        return PyErr_Format(PyExc_TypeError, "%s() takes no arguments: allocate(n) does", name_of(type));
    PyObject *self = type->tp_alloc(type, 0);
    if (!self) return nullptr;
    Object &object = object_of(self);
    object.location = host_allocators().has(type)     ? Location::host
                      : device_allocators().has(type) ? Location::device
                                                      : Location::page_locked;
    Family &family = object.location == Location::host     ? host_allocators()
                     : object.location == Location::device ? device_allocators()
                                                           : pagelocked_allocators();
    object.dtype = &family.dtype_of(type);
    return self;
}

// Whether there is memory. There is none after a free() of an array on it, after a reset of the device, nor
// in a forked child.
bool allocated(const Object &object) {
    const bool gone =
        object.buffer && (object.buffer->was_freed() || (object.pointer && object.buffer->ended()));
    return object.allocated && !gone;
}

// Releases the memory. It is freed when no pointer_wrapper to it is left.
void release(Object &object) {
    object.allocated = false;
    object.count = 0;
    object.pointer = nullptr;
    object.block = {};
    object.buffer = {};
}

int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    if (object_of(self).buffer) Py_VISIT(object_of(self).buffer->object());
    return 0;
}

void destroy(PyObject *self) {
    PyObject_GC_UnTrack(self);
    PyTypeObject *type = Py_TYPE(self);
    release(object_of(self));
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject *keep_status(Object &object, int status) {
    Runtime *runtime = arrays::runtime();
    if (!runtime) return nullptr;
    object.status = status;
    return status_object(*runtime, status);
}

bool load_count(PyObject *self, PyObject *given, Py_ssize_t &count) {
    const std::string call = std::string(name_of(self)) + ".allocate()";
    if (!load_int(given, call.c_str(), "n", count)) return false;
    const auto item = static_cast<Py_ssize_t>(object_of(self).dtype->size);
    if (count >= 0 && (CheckedInt(count) * item).fits()) return true;
    PyErr_Format(PyExc_ValueError, "%s.allocate(): parameter 'n' = %zd is out of range", name_of(self),
                 count);
    return false;
}

int take(Object &object, const Runtime &runtime, Py_ssize_t count) {
    const std::size_t size = static_cast<std::size_t>(count) * object.dtype->size;
    void *pointer = nullptr;
    Reference block;
    Retained<Buffer> made;
    int status = success;
    if (object.location == Location::host) {
        block = make_host_block(size, pointer);
        if (!block) status = runtime.codes.out_of_memory;
        PyErr_Clear();
    } else {
        status = object.location == Location::device
                     ? take_memory(runtime, size, made)
                     : try_allocate_host(runtime, size, Buffer::Kind::pinned, made);
        if (!status) pointer = made->pointer;
    }
    if (status) return status;
    // Another thread may have been quicker. Its memory ends last, since that may run any code.
    object.allocated = true;
    object.count = count;
    object.pointer = pointer;
    std::swap(object.buffer, made);
    std::swap(object.block, block);
    return success;
}

PyObject *allocate(PyObject *self, PyObject *given) {
    Object &object = object_of(self);
    Py_ssize_t count = 0;
    if (!load_count(self, given, count)) return nullptr;
    Runtime *runtime = arrays::runtime();
    if (!runtime) return nullptr;
    release(object);
    return keep_status(object, take(object, *runtime, count));
}

PyObject *deallocate(PyObject *self, PyObject *) {
    release(object_of(self));
    return keep_status(object_of(self), success);
}

PyObject *last_status(PyObject *self, PyObject *) {
    return keep_status(object_of(self), object_of(self).status);
}

PyObject *pointer(PyObject *self, PyObject *) {
    const Object &object = object_of(self);
    if (object.block)
        return make_host_pointer(*object.dtype, object.pointer, object.count, false, object.block.get());
    return make_buffer_pointer(*object.dtype, object.pointer, object.count, object.buffer);
}

PyObject *is_allocated(PyObject *self, PyObject *) { return PyBool_FromLong(allocated(object_of(self))); }

PyObject *size(PyObject *self, PyObject *) { return PyLong_FromSsize_t(object_of(self).count); }

PyObject *nbytes(PyObject *self, PyObject *) {
    return PyLong_FromSize_t(static_cast<std::size_t>(object_of(self).count) * object_of(self).dtype->size);
}

PyObject *repr(PyObject *self) {
    const Object &object = object_of(self);
    if (!allocated(object)) return PyUnicode_FromFormat("<%s, not allocated>", name_of(self));
    return PyUnicode_FromFormat("<%s, %zd items at %p>", name_of(self), object.count, object.pointer);
}

// Calling the object makes it an allocator of arrays: each call returns new memory.
PyObject *call(PyObject *self, PyObject *args, PyObject *kwargs) {
    const Arguments given(name_of(self), {"nbytes"}, args, kwargs);
    Py_ssize_t bytes = 0;
    if (!given || !load_size(given[0], name_of(self), "nbytes", bytes)) return nullptr;
    Runtime *runtime = arrays::runtime();
    Retained<Buffer> made;
    if (!runtime) return nullptr;
    const int status = take_memory(*runtime, static_cast<std::size_t>(bytes), made);
    if (status) return raise_allocation(*runtime, status, name_of(self), static_cast<std::size_t>(bytes));
    return make_device_memory(made);
}

PyMethodDef methods[] = {
    {"allocate", allocate, METH_O,
     "allocate($self, n, /)\n--\n\nReleases its memory and allocates memory for n items: of the host, page-locked, or of "
     "the current device, as the class says. Returns the error."},
    {"deallocate", deallocate, METH_NOARGS,
     "deallocate($self)\n--\n\nReleases the memory. It is freed when no pointer to it is left. Returns the error, "
     "which is success."},
    {"ptr", pointer, METH_NOARGS,
     "ptr($self)\n--\n\nA pointer_wrapper of the same dtype, null before allocate(). It keeps the memory alive. For host memory is_safe() is true."},
    {"last_status", last_status, METH_NOARGS,
     "last_status($self)\n--\n\nThe error of the last allocate() or deallocate(); success before any."},
    {"allocated", is_allocated, METH_NOARGS,
     "allocated($self)\n--\n\nWhether there is memory. There is none after a free() of an array on it, after a reset of the "
     "device, nor in a forked child."},
    {"size", size, METH_NOARGS, "size($self)\n--\n\nThe number of items."},
    {"nbytes", nbytes, METH_NOARGS, "nbytes($self)\n--\n\nThe size in bytes."},
    {nullptr, nullptr, 0, nullptr}};

constexpr const char *doc =
    "()\n--\n\nOne piece of memory, taken by allocate(n) and released by deallocate(). Calls "
    "return the error and keep "
    "it for last_status(); wrong arguments raise TypeError or ValueError.";

constexpr const char *device_doc =
    "()\n--\n\nOne piece of a device's memory, taken by allocate(n) and released by deallocate(). Calls return the "
    "error "
    "and keep it for last_status(); wrong arguments raise TypeError or ValueError. Called with a number of "
    "bytes it gives DeviceMemory, and so serves as the allocator of arrays.";

PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(construct)},
                       {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
                       {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
                       {Py_tp_repr, reinterpret_cast<void *>(repr)},
                       {Py_tp_methods, methods},
                       {Py_tp_doc, const_cast<char *>(doc)},
                       {0, nullptr}};

PyType_Slot device_slots[] = {
    {Py_tp_new, reinterpret_cast<void *>(construct)},     {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverse)}, {Py_tp_repr, reinterpret_cast<void *>(repr)},
    {Py_tp_call, reinterpret_cast<void *>(call)},         {Py_tp_methods, methods},
    {Py_tp_doc, const_cast<char *>(device_doc)},          {0, nullptr}};

} // namespace

Family &host_allocators() {
    static Family &family = *new Family("HostAllocator", sizeof(Object), Py_TPFLAGS_HAVE_GC, slots);
    return family;
}

Family &device_allocators() {
    static Family &family = *new Family("DeviceAllocator", sizeof(Object), Py_TPFLAGS_HAVE_GC, device_slots);
    return family;
}

Family &pagelocked_allocators() {
    static Family &family = *new Family("PagelockedAllocator", sizeof(Object), Py_TPFLAGS_HAVE_GC, slots);
    return family;
}

} // namespace pygpu::arrays

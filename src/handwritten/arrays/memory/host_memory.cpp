// The Python type of page-locked and managed memory: a writable buffer of bytes.
#include "arrays/memory/host_memory.hpp"

#include "arrays/memory/allocate.hpp"
#include "convert/pointer_provider.hpp"
#include "convert/sizes.hpp"
#include "python/c_pointer.hpp"
#include "python/heap_type.hpp"
#include "python/keywords.hpp"

#include <new>

namespace pygpu::arrays {
namespace {

struct Object {
    PyObject_HEAD
    Retained<Buffer> buffer;
};

Object &object_of(PyObject *self) { return *reinterpret_cast<Object *>(self); }

Buffer &buffer_of(PyObject *self) { return *object_of(self).buffer; }

PyTypeObject *type = nullptr;

PyObject *construct(PyTypeObject *, PyObject *args, PyObject *kwargs) {
    const Arguments arguments("HostMemory()", {"size", "managed"}, args, kwargs);
    Py_ssize_t size = 0;
    bool managed = false;
    if (!arguments || !load_size(arguments[0], "HostMemory()", "size", size) ||
        !load_flag(arguments[1], false, managed))
        return nullptr;
    Runtime *runtime = arrays::runtime();
    if (!runtime) return nullptr;
    Retained<Buffer> buffer = allocate_host(*runtime, "HostMemory()", static_cast<std::size_t>(size),
                                            managed ? Buffer::Kind::managed : Buffer::Kind::pinned);
    return buffer ? make_host_memory(buffer) : nullptr;
}

int get_buffer(PyObject *self, Py_buffer *view, int flags) {
    Buffer &buffer = buffer_of(self);
    return buffer.lend_view("HostMemory", view, self, buffer.pointer, static_cast<Py_ssize_t>(buffer.size),
                            flags);
}

void release_buffer(PyObject *, Py_buffer *view) { Buffer::take_view_back(view); }

PyObject *free_call(PyObject *self, PyObject *) { return free_memory(buffer_of(self), "HostMemory.free()"); }

PyObject *enter(PyObject *self, PyObject *) {
    return buffer_of(self).check("with HostMemory") ? Py_NewRef(self) : nullptr;
}

PyObject *leave(PyObject *self, PyObject *) { return free_call(self, nullptr); }

int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    if (object_of(self).buffer) Py_VISIT(buffer_of(self).object()); // null while the object is being made
    return 0;
}

void destroy(PyObject *self) {
    PyObject_GC_UnTrack(self);
    destroy_plain<Object>(self);
}

bool owns(PyObject *self) { return buffer_of(self).frees(); }

PyObject *number(PyObject *self) {
    Buffer &buffer = buffer_of(self);
    return buffer.let_out("HostMemory") ? PyLong_FromVoidPtr(buffer.pointer) : nullptr;
}
PyObject *get_size(PyObject *self, void *) { return PyLong_FromSize_t(buffer_of(self).size); }
PyObject *get_managed(PyObject *self, void *) {
    return PyBool_FromLong(buffer_of(self).kind == Buffer::Kind::managed);
}

PyObject *repr(PyObject *self) {
    const Buffer &buffer = buffer_of(self);
    if (buffer.was_freed()) return PyUnicode_FromFormat("<HostMemory freed, %zu bytes>", buffer.size);
    return PyUnicode_FromFormat("<HostMemory %p, %zu bytes, %s>", buffer.pointer, buffer.size,
                                buffer.kind == Buffer::Kind::managed ? "managed" : "page-locked");
}

PyObject *get_freed(PyObject *self, void *) { return PyBool_FromLong(buffer_of(self).was_freed()); }

PyMethodDef methods[] = {
    {"free", free_call, METH_NOARGS,
     "free($self)\n--\n\nFrees the memory now. A second call does nothing. Raises BufferError while numpy arrays "
     "or other views use it."},
    {"close", free_call, METH_NOARGS, "close($self)\n--\n\nfree()."},
    {"__enter__", enter, METH_NOARGS, nullptr},
    {"__exit__", leave, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"_as_parameter_", memory_as_parameter, nullptr, "the address for ctypes: a pointer to anything",
     nullptr},
    {"size", get_size, nullptr, "bytes", nullptr},
    {"freed", get_freed, nullptr, "whether free() gave it back", nullptr},
    {"managed", get_managed, nullptr, "whether it is managed memory, which host and devices share", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

} // namespace

PyTypeObject *host_memory_type() {
    if (type) return type;
    PyType_Slot slots[] = {
        {Py_tp_new, reinterpret_cast<void *>(construct)},
        {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
        {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
        {Py_tp_repr, reinterpret_cast<void *>(repr)},
        {Py_nb_int, reinterpret_cast<void *>(number)},
        {Py_bf_getbuffer, reinterpret_cast<void *>(get_buffer)},
        {Py_bf_releasebuffer, reinterpret_cast<void *>(release_buffer)},
        {Py_tp_methods, methods},
        {Py_tp_getset, properties},
        {Py_tp_doc, const_cast<char *>("HostMemory(size, managed=False)\n--\n\n"
                                       "Page-locked memory of the host, or managed memory: a writable buffer "
                                       "of bytes. It is freed by free(), or with its last user. Raises "
                                       "GPUError if the runtime refuses.")},
        {0, nullptr}};
    type = make_type("PyGPU.HostMemory", sizeof(Object), Py_TPFLAGS_HAVE_GC, slots);
    if (type) add_pointer_provider(destroy, nullptr, owns);
    return type;
}

Buffer *host_memory_buffer(PyObject *object, char *&begin) {
    if (!type || Py_TYPE(object) != type) return nullptr;
    begin = static_cast<char *>(buffer_of(object).pointer);
    return &buffer_of(object);
}

PyObject *make_host_memory(const Retained<Buffer> &buffer) {
    PyTypeObject *kind = host_memory_type();
    PyObject *self = kind ? kind->tp_alloc(kind, 0) : nullptr;
    if (self) new (&reinterpret_cast<Object *>(self)->buffer) Retained<Buffer>(buffer);
    return self;
}

} // namespace pygpu::arrays

// A buffer of bytes on huge pages, which are given back at its end.
#include "arrays/memory/result_memory.hpp"

#include "arrays/memory/huge_pages.hpp"
#include "python/gil.hpp"
#include "python/heap_type.hpp"

namespace pygpu::arrays {
namespace {

struct Object {
    PyObject_HEAD
    void *memory;
    std::size_t capacity, size;
};

Object &object_of(PyObject *self) { return *reinterpret_cast<Object *>(self); }

PyTypeObject *type = nullptr;

int get_buffer(PyObject *self, Py_buffer *view, int flags) {
    const Object &object = object_of(self);
    return PyBuffer_FillInfo(view, self, object.memory, static_cast<Py_ssize_t>(object.size), 0, flags);
}

void destroy(PyObject *self) {
    const Object &object = object_of(self);
    if (object.memory) {
        GilReleased released(true);
        give_huge_pages(object.memory, object.capacity);
    }
    free_object(self);
}

} // namespace

PyTypeObject *result_memory_type() {
    if (type) return type;
    const TypeTable table{.destroy = destroy,
                          .lend = get_buffer,
                          .doc = "Memory of the host that a result of get() lies in; freed with it."};
    return type = make_type("PyGPU._core.arrays.ResultMemory", sizeof(Object),
                            Py_TPFLAGS_DISALLOW_INSTANTIATION, table);
}

PyObject *make_result_memory(std::size_t size) {
    PyTypeObject *kind = result_memory_type();
    std::size_t capacity = 0;
    if (!kind) return nullptr;
    if (!in_huge_pages(size, capacity)) return PyErr_NoMemory();
    PyObject *self = kind->tp_alloc(kind, 0);
    if (!self) return nullptr;
    Object &object = object_of(self);
    object.size = size;
    object.capacity = capacity;
    object.memory = take_huge_pages(capacity).memory;
    if (object.memory) return self;
    Py_DECREF(self);
    return PyErr_NoMemory();
}

} // namespace pygpu::arrays

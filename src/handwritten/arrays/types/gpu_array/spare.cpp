// Reusing array objects with few axes.
#include "arrays/types/gpu_array/spare.hpp"

#include <cstddef>
#include <cstring>
#include <iterator>

namespace pygpu::arrays {
namespace {

// Spare objects of the public class, by their number of axes. Guarded by the GIL.
struct Spares {
    PyObject *objects[32];
    std::size_t count = 0;
};
Spares spares_by_axes[5];

// Null for a user's class, whose objects may be larger, and for many axes.
Spares *spares_of(PyTypeObject *type, Py_ssize_t axes) {
    if (type != public_type_or_null() || axes >= std::ssize(spares_by_axes)) return nullptr;
    return &spares_by_axes[axes];
}

} // namespace

PyObject *new_array_object(PyTypeObject *type, int axes) {
    Spares *spares = spares_of(type, axes);
    if (!spares || !spares->count) return type->tp_alloc(type, axes);
    auto *spare = reinterpret_cast<PyVarObject *>(spares->objects[--spares->count]);
    auto *self = reinterpret_cast<PyObject *>(PyObject_InitVar(spare, type, axes));
    constexpr std::size_t fields = sizeof(PyVarObject), end = offsetof(Array, dimensions);
    std::memset(reinterpret_cast<char *>(self) + fields, 0, end - fields);
    PyObject_GC_Track(self);
    return self;
}

void end_array_object(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Spares *spares = spares_of(type, Py_SIZE(self));
    // Finalised objects can't be reused: the GC flag stays set.
    if (spares && spares->count < std::size(spares->objects) && !PyObject_GC_IsFinalized(self))
        spares->objects[spares->count++] = self;
    else
        type->tp_free(self);
    Py_DECREF(type);
}

} // namespace pygpu::arrays

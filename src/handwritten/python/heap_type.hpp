// Making Python types on the C API.
#pragma once

#include <Python.h>

#include <cstddef>

namespace pygpu {

// An immutable heap type; null with an exception set. `item` is the number of bytes that each item adds to an
// object of variable size.
PyTypeObject *make_type(const char *name, std::size_t size, unsigned long flags, PyType_Slot *slots,
                        std::size_t item = 0);

// Destroys the C++ members of an object, then frees the object. If the garbage collector tracks it, untrack
// it before.
template <class Object> void destroy_plain(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    reinterpret_cast<Object *>(self)->~Object();
    type->tp_free(self);
    Py_DECREF(type);
}

} // namespace pygpu

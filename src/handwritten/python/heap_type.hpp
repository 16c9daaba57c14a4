// Making Python types on the C API.
#pragma once

#include <Python.h>

#include <cstddef>

namespace pygpu {

// A heap type that nobody changes; null with an exception set. `item` is what an object has more for each of
// its items.
PyTypeObject *make_type(const char *name, std::size_t size, unsigned long flags, PyType_Slot *slots,
                        std::size_t item = 0);

// Ends the C++ members of an object, then the object. A type of the garbage collector untracks it first.
template <class Object> void destroy_plain(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    reinterpret_cast<Object *>(self)->~Object();
    type->tp_free(self);
    Py_DECREF(type);
}

} // namespace pygpu

// Making Python types on the C API.
#pragma once

#include <Python.h>

namespace pygpu::arrays {

// A heap type in module PyGPU; null with an exception set.
PyTypeObject *make_type(const char *name, std::size_t size, unsigned long flags, PyType_Slot *slots);

// The destructor of types whose objects hold C++ members and are not tracked by the garbage collector.
template <class Object> void destroy_plain(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    reinterpret_cast<Object *>(self)->~Object();
    type->tp_free(self);
    Py_DECREF(type);
}

} // namespace pygpu::arrays

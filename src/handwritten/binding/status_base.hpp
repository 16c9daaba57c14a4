// The base of all classes of statuses, whatever extension module they are made by.
#pragma once

#include <Python.h>

namespace pygpu {

// The layout of a status of any module. `kind` is for the module that made it.
struct StatusObject {
    PyObject_HEAD
    void *kind;
    int code;
};

// PyGPU._core makes the class and leaves it in a capsule; false with an exception set.
bool share_status_base(PyObject *core);
// The class, borrowed: of the capsule in other extension modules; null with an exception set.
PyTypeObject *status_base();
// Whether an object is a status.
bool is_status_object(PyObject *object);

} // namespace pygpu

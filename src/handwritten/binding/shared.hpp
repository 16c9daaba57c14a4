// What all extension modules have in common though each has its own copy of this code: the base of the
// classes of statuses, and the counts of what has ended.
#pragma once

#include <Python.h>

namespace pygpu {

// The layout of a status of any module. `kind` is for the module that made it.
struct StatusObject {
    PyObject_HEAD
    void *kind;
    int code;
};

// PyGPU._core makes it and leaves it in a capsule; all others take it from there before they do anything
// else. False with an exception set.
bool share(PyObject *core);
bool take_shared();

PyTypeObject *status_base(); // borrowed
// Whether an object is a status.
bool is_status_object(PyObject *object);

} // namespace pygpu

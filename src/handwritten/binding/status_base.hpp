// The base class of all status classes, of every extension module.
#pragma once

#include <Python.h>

namespace pygpu {

// The layout of a status of any module. `kind` is for the module that made it.
struct StatusObject {
    PyObject_HEAD
    void *kind;
    int code;
    int detail; // the second code, where C's status is a struct of two; else 0
};

// Made by PyGPU._core, and taken from there by all other modules (module/shared.hpp); borrowed.
extern PyTypeObject *status_base;

PyTypeObject *make_status_base(); // null with an exception set

inline bool is_status_object(PyObject *object) {
    return status_base && Py_TYPE(object)->tp_base == status_base;
}

} // namespace pygpu

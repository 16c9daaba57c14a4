// Distinguishing bools from numbers: bools have __index__ or __float__, too.
#pragma once

#include <Python.h>

#include <cstring>

namespace pygpu {

// Python's bool or numpy's, without importing numpy.
inline bool is_bool(PyObject *object) {
    if (PyBool_Check(object)) return true;
    const char *name = Py_TYPE(object)->tp_name;
    return !std::strcmp(name, "numpy.bool") || !std::strcmp(name, "numpy.bool_");
}

} // namespace pygpu

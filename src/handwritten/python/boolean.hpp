// Telling bools from numbers: both have __index__ or __float__.
#pragma once

#include <Python.h>

#include <cstring>

namespace pygpu {

// True and False, and numpy's, which is not imported for it.
inline bool is_bool(PyObject *object) {
    if (PyBool_Check(object)) return true;
    const char *name = Py_TYPE(object)->tp_name;
    return !std::strcmp(name, "numpy.bool") || !std::strcmp(name, "numpy.bool_");
}

} // namespace pygpu

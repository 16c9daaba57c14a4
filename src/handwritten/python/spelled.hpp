// A Python str as a name in C, if it can be one.
#pragma once

#include <Python.h>

#include <cstring>

namespace pygpu {

// The text of a str. Null, without an exception, if the str has a NUL or a lone surrogate: no name in C has
// these, and the part before the NUL must not be taken for a name.
inline const char *spelled(PyObject *name) {
    Py_ssize_t length = 0;
    const char *text = PyUnicode_AsUTF8AndSize(name, &length);
    if (!text) PyErr_Clear();
    return text && std::strlen(text) == static_cast<std::size_t>(length) ? text : nullptr;
}

} // namespace pygpu

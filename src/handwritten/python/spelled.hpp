// A Python string as a name in C, where it can be one.
#pragma once

#include <Python.h>

#include <cstring>

namespace pygpu {

// The text of a str; null, without an exception, for one that holds a NUL or a lone surrogate: C has no such
// name, and its first part must not be taken for one.
inline const char *spelled(PyObject *name) {
    Py_ssize_t length = 0;
    const char *text = PyUnicode_AsUTF8AndSize(name, &length);
    if (!text) PyErr_Clear();
    return text && std::strlen(text) == static_cast<std::size_t>(length) ? text : nullptr;
}

} // namespace pygpu

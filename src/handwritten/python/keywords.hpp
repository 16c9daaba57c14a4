// Functions of the C API that take keywords: their arguments by place, and their rows.
#pragma once

#include <Python.h>

namespace pygpu::arrays {

// Puts the arguments of a fast call (borrowed; null where none was given) in the places of their names. False
// with TypeError set for too many, an unknown name, one that is given twice, or a first one that is missing.
bool place_arguments(const char *call, const char *const *names, int count, PyObject *const *args,
                     Py_ssize_t given, PyObject *keywords, PyObject **values);

template <int count>
bool place_arguments(const char *call, const char *const (&names)[count], PyObject *const *args,
                     Py_ssize_t given, PyObject *keywords, PyObject *(&values)[count]) {
    return place_arguments(call, names, count, args, given, keywords, values);
}

// What a PyMethodDef holds, of a function of either form.
template <class... Arguments> PyCFunction with_keywords(PyObject *(*function)(Arguments...)) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

} // namespace pygpu::arrays

// Attributes that an object may have or not.
#pragma once

#include "python/reference.hpp"

namespace pygpu {

// Empty with no exception set where the object has no such attribute, and with one where asking failed
// otherwise.
inline Reference optional_attribute(PyObject *object, PyObject *name) {
    Reference value(PyObject_GetAttr(object, name));
    if (!value && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
    return value;
}

inline Reference optional_attribute(PyObject *object, const char *name) {
    const Reference text(PyUnicode_InternFromString(name));
    return text ? optional_attribute(object, text.get()) : Reference();
}

} // namespace pygpu

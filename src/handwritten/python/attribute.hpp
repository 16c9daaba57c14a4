// Attributes that an object may have or not.
#pragma once

#include "python/reference.hpp"

namespace pygpu {

// The attribute of an object. Empty without an exception if the object has no such attribute; empty with an
// exception if reading it failed in another way.
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

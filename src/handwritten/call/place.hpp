// The place of an argument, for messages: which function, which parameter.
#pragma once

#include <Python.h>

#include <cstddef>

namespace pygpu {

struct Row;

struct Place {
    const Row &row;
    std::size_t index;
    PyObject *self; // the module that the call came through decides the names shown

    const char *function() const;
    const char *parameter() const;
};

// Each sets the exception and returns false, so that a converter can end with it.
bool type_error(const Place &place, const char *expected, PyObject *got);
bool overflow_error(const Place &place, PyObject *got, const char *least, const char *most);
bool value_error(const Place &place, const char *format, ...);

} // namespace pygpu

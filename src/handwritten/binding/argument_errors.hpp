// Exceptions for arguments that are refused: always the function, the parameter or field, and what was
// expected.
#pragma once

#include "binding/argument_context.hpp"

#include <Python.h>

namespace pygpu {

// Each sets the exception and returns false, so that a converter can end with it.
bool type_error(const ArgumentContext &context, const char *expected, PyObject *got);
bool overflow_error(const ArgumentContext &context, PyObject *got, const char *least, const char *most);
bool value_error(const ArgumentContext &context, const char *format, ...);

// What messages call the type of an argument that is refused. Of an error they tell the order of results,
// too: it comes of a pair that was taken apart the wrong way round.
const char *type_description(PyObject *object);

} // namespace pygpu

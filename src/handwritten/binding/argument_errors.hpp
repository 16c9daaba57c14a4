// Exceptions for refused arguments. Messages always name the function, the parameter or field, and what was
// expected.
#pragma once

#include "binding/argument_context.hpp"

#include <Python.h>

namespace pygpu {

// Each sets the exception and returns false, so that a converter can end with it.
bool type_error(const ArgumentContext &context, const char *expected, PyObject *got);
bool overflow_error(const ArgumentContext &context, PyObject *got, const char *least, const char *most);
bool value_error(const ArgumentContext &context, const char *format, ...);

// Puts the context before the text of the exception that is set, which another module has raised, if its
// class takes a text alone. Returns false.
bool name_argument(const ArgumentContext &context);

// The type of a refused argument, as messages name it. For a status they also state the order of results,
// because the user has probably unpacked a pair in the wrong order.
const char *type_description(PyObject *object);

} // namespace pygpu

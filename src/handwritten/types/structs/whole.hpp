// Values that stand for a whole struct without naming its fields: buffers, and objects of other modules.
#pragma once

#include "binding/argument_context.hpp"
#include "types/structs/target.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

// Raises TypeError for a value that can't be such a struct. Always false.
bool wrong_kind(const StructClass &kind, PyObject *value, const ArgumentContext &context);

bool fill_from_buffer(const Target &target, PyObject *value, const ArgumentContext &context);

// For a struct with a class of another module: that class makes an object from the value.
bool fill_from_home(const Target &target, PyObject *value, const ArgumentContext &context);

// numpy's arrays of one axis, say. As many bytes as a struct of this size has are its memory.
bool is_array_of_integers(PyObject *value, std::size_t size);

} // namespace pygpu

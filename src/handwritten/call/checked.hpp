// The raising form: what becomes of a status.
#pragma once

#include "binding/function_record.hpp"

#include <Python.h>

namespace pygpu {

struct Flavor;

// Raises GPUError for a failed call; takes both references; always returns nullptr.
PyObject *raise_status(const Flavor &flavor, const Row &row, PyObject *error, PyObject *values);

// The answer of a "ready" function: True, False, or GPUError.
PyObject *ready_or_raise(const Flavor &flavor, const Row &row, int status);

} // namespace pygpu

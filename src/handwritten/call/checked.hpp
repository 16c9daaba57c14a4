// The raising form: what becomes of a status.
#pragma once

#include "binding/function_record.hpp"

#include <Python.h>

namespace pygpu {

struct BindingMode;

// Raises GPUError for a failed call; takes both references; always returns nullptr.
PyObject *raise_status(const BindingMode &mode, const FunctionRecord &record, PyObject *error,
                       PyObject *values);

// The answer of a "ready" function: True, False, or GPUError.
PyObject *ready_or_raise(const BindingMode &mode, const FunctionRecord &record, int status);

} // namespace pygpu

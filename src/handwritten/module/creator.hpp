// The functions behind the constructors of handles: those of C, in the raising form, under the class's name.
#pragma once

#include <Python.h>

namespace pygpu {

class HandleClass;

// Calls the function that makes handles of this class, its arguments by position. `portable` says that the
// portable name of the class was called: messages and statuses are then CUDA's, and the host runtime may
// serve.
PyObject *create_handle(const HandleClass &kind, bool portable, PyObject *arguments);

} // namespace pygpu

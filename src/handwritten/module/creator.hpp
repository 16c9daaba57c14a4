// The functions behind the constructors of handle classes: C's functions in the raising form, under the name
// of the class.
#pragma once

#include <Python.h>

namespace pygpu {

class HandleClass;

// Calls the function that makes handles of this class, with positional arguments. `portable` says that the
// portable name of the class was called. Then messages and statuses are CUDA's, and the host runtime may
// stand in.
PyObject *create_handle(const HandleClass &kind, bool portable, PyObject *arguments);

} // namespace pygpu

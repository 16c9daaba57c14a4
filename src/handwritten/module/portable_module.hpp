// The modules behind the portable names: CUDA's names on another vendor's runtime, and on the host runtime.
#pragma once

#include "module/api_module.hpp"

namespace pygpu {

// CUDA's class for the portable name of a handle class. For a class of CUDA it is the class itself. Null if
// CUDA has none.
const HandleClass *cuda_counterpart(const HandleClass &kind);

// A new reference to the module behind the portable names of a backend. The host runtime has CUDA's names.
// `core` is PyGPU._core.
PyObject *portable(PyObject *core, const char *backend, bool raising);

} // namespace pygpu

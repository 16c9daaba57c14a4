// The modules behind the portable names: CUDA's on HIP, and CUDA's where the host runtime stands in.
#pragma once

#include "module/api_module.hpp"

namespace pygpu {

// CUDA's class that a handle's portable name stands for; its own for CUDA, null where CUDA has none.
const HandleClass *cuda_counterpart(const HandleClass &kind);

// A new reference to the module behind the portable names of a backend; the host runtime speaks CUDA. `core`
// is PyGPU._core.
PyObject *portable(PyObject *core, const char *backend, bool raising);

} // namespace pygpu

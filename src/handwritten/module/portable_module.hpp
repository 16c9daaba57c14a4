// The modules behind the portable names: CUDA's on HIP, and CUDA's where the host runtime stands in.
#pragma once

#include "module/api_module.hpp"

#include <pybind11/pybind11.h>

#include <string>

namespace pygpu {

// CUDA's class that a handle's portable name stands for; its own for CUDA, null where CUDA has none.
const HandleClass *cuda_counterpart(const HandleClass &kind);

// The module behind the portable names of a backend; the host runtime speaks CUDA. `core` is PyGPU._core.
pybind11::object portable(const pybind11::object &core, const std::string &backend, bool raising);

} // namespace pygpu

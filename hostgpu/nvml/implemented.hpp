// The implemented functions of NVML, declared from the generator's table.
#pragma once

#include "nvml/enumerators.hpp"

namespace pygpu::host::nvml {

using namespace pygpu::nvml;

#define IMPLEMENTED(symbol, function, result, parameters, arguments) result function parameters;
#define UNSUPPORTED(...)
#include "nvml/host_library.inc"
#undef IMPLEMENTED
#undef UNSUPPORTED

} // namespace pygpu::host::nvml

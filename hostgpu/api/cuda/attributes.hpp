// CUDA's device attributes, which both of its APIs number alike.
#pragma once

#include "base/status.hpp"

namespace pygpu::host::cuda {

Status device_attribute(int *value, int attribute, int device);

} // namespace pygpu::host::cuda

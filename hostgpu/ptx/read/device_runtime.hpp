// Functions of CUDA's device runtime library (libcudadevrt) that code may call without defining them, as PTX:
// those of cooperative groups, which synchronise the grid of a cooperative launch, and those around launches
// of kernels by kernels.
#pragma once

#include <string>
#include <string_view>

namespace pygpu::host::ptx {

// Whether it is one of them.
bool is_in_device_runtime(std::string_view name);

// The definitions of those that a module declares and doesn't define; they come after the module's text.
std::string device_runtime_for(std::string_view module);

} // namespace pygpu::host::ptx

// A function's parameters by their names.
#pragma once

#include "binding/function_record.hpp"

#include <string>
#include <string_view>

namespace pygpu {

// "cudaMemset(devPtr, value, count)".
std::string signature(const FunctionRecord &record);

// Empty where there is no such parameter.
std::string_view parameter_name(const FunctionRecord &record, std::size_t index);

inline constexpr std::size_t no_parameter = static_cast<std::size_t>(-1);

// The index of the parameter with this name, or no_parameter.
std::size_t parameter_index(const FunctionRecord &record, std::string_view name);

} // namespace pygpu

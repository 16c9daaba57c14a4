// A function's docstring, composed of what its record says.
#pragma once

#include "binding/function_record.hpp"

#include <string>
#include <string_view>

namespace pygpu {

// The signature that inspect reads, then what the function does, takes and gives. `raising`: of the form that
// raises a status.
std::string docstring(const FunctionRecord &record, bool raising);

// The phrase of an API that a record's texts name.
std::string_view phrase_named(const Api &api, std::string_view name);

} // namespace pygpu

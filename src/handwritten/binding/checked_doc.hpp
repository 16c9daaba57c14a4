// The docstring of a function's raising form.
#pragma once

#include "binding/function_record.hpp"

#include <string>

namespace pygpu {

// The plain form's docstring, but with what the raising form returns and raises instead of "Returns (value,
// error).".
std::string checked_doc(const FunctionRecord &record);

} // namespace pygpu

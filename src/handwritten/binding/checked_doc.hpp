// The docstring of a function's raising form.
#pragma once

#include "binding/function_record.hpp"

#include <string>

namespace pygpu {

// That of the plain form, "Returns (value, error).", with what this one returns and raises in its place.
std::string checked_doc(const FunctionRecord &record);

} // namespace pygpu

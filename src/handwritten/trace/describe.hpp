// What the reader of a trace has to know of a function, as texts that each end with a NUL: its API, its name,
// "own" for a call that PyGPU makes for itself, its parameters and then its results. Each of these has a
// name and a type, and an empty text ends them.
#pragma once

#include "trace/own_call.hpp"

#include <string>

namespace pygpu {
struct FunctionRecord;
}

namespace pygpu::trace {

std::string described(const FunctionRecord &function);
std::string described(const OwnCall &call);

} // namespace pygpu::trace

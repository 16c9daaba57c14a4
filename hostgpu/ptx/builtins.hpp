// Functions that every program may call without defining them: vprintf, __assertfail, malloc, free.
#pragma once

#include "ptx/code.hpp"

namespace pygpu::host::ptx {

// Null for what is none of them.
Handler builtin_named(std::string_view name);
bool builtin_takes(std::string_view name, std::size_t parameters, std::size_t results);

} // namespace pygpu::host::ptx

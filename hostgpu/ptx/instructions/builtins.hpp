// Handlers of calls of builtin functions.
#pragma once

#include "ptx/read/builtins.hpp"
#include "ptx/read/code.hpp"

namespace pygpu::host::ptx {

Handler handler_of(const Builtin &builtin);

} // namespace pygpu::host::ptx

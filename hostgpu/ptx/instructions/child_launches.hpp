// Handlers of calls by which kernels queue work on their device.
#pragma once

#include "ptx/read/builtins.hpp"
#include "ptx/read/code.hpp"

namespace pygpu::host::ptx {

Handler child_handler_of(Builtin::BuiltinKind kind);

} // namespace pygpu::host::ptx

// The APIs that PyGPU._core holds.
#pragma once

#include "module/vendor.hpp"

#include <span>

namespace pygpu {

// Generated. First comes the API whose own names are the portable ones.
extern const std::span<Vendor *const> core_vendors;

} // namespace pygpu

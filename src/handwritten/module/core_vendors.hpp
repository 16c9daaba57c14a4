// The APIs that PyGPU._core holds.
#pragma once

#include "module/vendor.hpp"

#include <span>

namespace pygpu {

extern const std::span<Vendor *const> core_vendors; // generated

} // namespace pygpu

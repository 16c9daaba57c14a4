// Faults that break the devices.
#pragma once

#include "base/status.hpp"

#include <string>

namespace pygpu::host {

// Reports the reason. Every later call returns the code, or an earlier fault's, until the device is reset.
void break_devices(Status code, const std::string &why) noexcept;

} // namespace pygpu::host

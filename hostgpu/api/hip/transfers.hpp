// HIP's own checks of copies.
#pragma once

#include "api/copies_3d.hpp"

namespace pygpu::host::hip {

// A copy that may not use the device's compute units counts as a copy between devices.
int plain(int kind);
Copy3D with_plain_kind(Copy3D copy);

// What HIP checks of a three-dimensional copy before anything else.
Status check_3d(const Copy3D &copy);

} // namespace pygpu::host::hip

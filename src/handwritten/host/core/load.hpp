// Device code in memory of the caller's, of which only the address is known.
#pragma once

#include "host/code/code.hpp"

namespace pygpu::host {

// The image at an address, or the fat binary of a program that is named there.
ReadCode load_code(const void *image, Code &code);

} // namespace pygpu::host

// Device code in the caller's memory, where only its address is known.
#pragma once

#include "code/code.hpp"

namespace pygpu::host {

// Reads the image at an address, or the fat binary that a program's wrapper at this address points to.
ReadCode load_code(const void *image, Code &code);

} // namespace pygpu::host

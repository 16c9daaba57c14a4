// Names and texts of statuses where no library gives them.
#pragma once

#include "binding/status_type.hpp"

#include <cstddef>

namespace pygpu {

// What the name and text functions return while no library is there.
const char *error_name(const StatusType &errors, int code);
const char *error_text(const StatusType &errors, int code);

// "cudaErrorInvalidValue" -> "invalid value": the text shown without a library.
void describe(const char *name, char *text, std::size_t size);

} // namespace pygpu

// The Python classes of statuses (`cudaError`, `hipError`): what their objects do.
#pragma once

#include "binding/status_type.hpp"

namespace pygpu {

// Makes the class of these statuses, with an attribute and a member for each name. False with an exception
// set.
bool create_class(StatusType &errors);

} // namespace pygpu

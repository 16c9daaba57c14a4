// From the layout of a struct in one release to its layout in another.
#pragma once

#include "binding/argument_context.hpp"
#include "types/structs/target.hpp"

#include <cstddef>

namespace pygpu {

// Copies field by field between two layouts of a kind; ValueError for a value that `to` has no field for.
bool convert_layout(const Target &to, std::size_t layout, const std::byte *from,
                    const ArgumentContext &context);

} // namespace pygpu

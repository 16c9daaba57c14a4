// What help() says about a struct and its fields.
#pragma once

#include "types/structs/layout.hpp"

#include <cstddef>
#include <string>

namespace pygpu {

class StructClass;

// The constructor's signature, then each field: C's declaration, what Python sees, the releases.
std::string struct_doc(const StructClass &kind);

// One field of a layout.
std::string field_doc(const StructClass &kind, std::size_t layout, const Field &field);

} // namespace pygpu

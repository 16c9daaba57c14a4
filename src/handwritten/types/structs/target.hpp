// A struct that is being written.
#pragma once

#include "types/structs/object.hpp"

#include <cstddef>

namespace pygpu {

// Where its bytes are written, and the owners of what its pointers point to.
struct Target {
    StructClass &kind;
    std::size_t layout;
    std::byte *data;
    PointerOwners owners;

    const Layout &shape() const { return kind.layout(layout); }
};

// Sets every field to zero, or to the default that a rule gives it.
void reset(const Target &target);
// The same without the zeros.
void apply_defaults(const Target &target);

// How many fields have a position.
std::size_t positions(const Layout &shape);

} // namespace pygpu

// Where a piece of memory was made. It is kept in strict mode, and where leaks are listed.
#pragma once

#include "memory/side_table.hpp"

#include <string>
#include <vector>

namespace pygpu::host {

struct Origin {
    std::vector<void *> trace; // the stack's return addresses
    std::string place;         // the same in the locator's words (Python file and line)
};

// What the locator says, and, if `by_host`, the stack.
Origin origin_here(bool by_host);

// " at file.py:12 in f", or the stack, a line for each frame; empty for null.
std::string text_of(const std::shared_ptr<const Origin> &origin);

SideTable<Origin> &origins();

} // namespace pygpu::host

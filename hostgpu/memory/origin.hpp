// Where a piece of memory was made: by which function, and in strict mode from where.
#pragma once

#include <string>
#include <vector>

namespace pygpu::host {

struct Origin {
    const char *call = nullptr;  // the exported function, null where none ran
    std::vector<void *> trace{}; // the stack's return addresses
    std::string place{};         // the same in the locator's words (Python file and line)
};

// The running call. If `kept`, also what the locator says, and, if `by_host`, the stack.
Origin origin_here(bool kept, bool by_host);

// "made by cudaMalloc at file.py:12 in f", or with the stack, a line for each frame.
std::string text_of(const Origin &origin);

} // namespace pygpu::host

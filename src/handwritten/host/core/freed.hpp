// Which memory was freed lately, and in strict mode its story: so that a second free, or a copy, is
// distinguished from a pointer that was never known.
#pragma once

#include <cstddef>
#include <string>

namespace pygpu::host {

struct Allocation;

// Memory was freed by the call that runs.
void note_freed(const Allocation &memory) noexcept;

// The system has the piece that begins there again: what lies there from now on is somebody else's.
void drop_freed(const void *base) noexcept;

// Whether an address lies in memory freed lately.
bool lately_freed(const void *address);

// What it was, who made it and who freed it; empty where that isn't known.
std::string story_of_freed(const void *address);

} // namespace pygpu::host

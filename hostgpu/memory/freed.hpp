// Memory that was freed lately, with its record where origins are kept. It distinguishes the use of freed
// memory from the use of a pointer that was never known.
#pragma once

#include <cstddef>
#include <string>

namespace pygpu::host {

// What freed memory was, who made it and who freed it; empty where that isn't known.
struct FreedRecord {
    const char *base = nullptr;
    std::string piece, by, at; // "64 bytes of …, made by …", the call, and where that was

    std::string text() const;
};

// Notes that memory was freed.
void note_freed(const void *base, std::size_t size, FreedRecord record) noexcept;

// Forgets the freed piece that starts there. It went back to the system, so the address may be anybody's now.
void drop_freed(const void *base) noexcept;

// Whether an address lies in memory freed lately.
bool lately_freed(const void *address);

// The record of freed memory that the address lies in.
FreedRecord record_of_freed(const void *address);

} // namespace pygpu::host

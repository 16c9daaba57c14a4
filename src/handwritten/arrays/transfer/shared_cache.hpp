// Moving bytes from a processor's own cache into the one that all of them share.
#pragma once

#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pygpu::arrays {

// For what was just written and the bus reads next: it is slow to take lines that one processor alone has
// changed. A hint: processors that don't know the instruction do nothing.
#if defined(__x86_64__)
[[gnu::target("cldemote")]] inline void demote(const char *memory, std::size_t bytes) {
    constexpr std::size_t line = 64;
    for (std::size_t at = 0; at < bytes; at += line) _cldemote(const_cast<char *>(memory + at));
}
#else
inline void demote(const char *, std::size_t) {}
#endif

} // namespace pygpu::arrays

// The streaming stores of x86.
#include "arrays/transfer/streaming_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pygpu::arrays {

#if defined(__x86_64__)
namespace {

// Whole lines of the cache, which a store that streams must fill to be fast; what is before and behind goes
// by memcpy().
[[gnu::target("avx2")]] void stream_by_avx2(char *to, const char *from, std::size_t bytes) {
    constexpr std::size_t line = 64, half = line / 2;
    const std::size_t before = std::min(bytes, -reinterpret_cast<std::uintptr_t>(to) % line);
    std::memcpy(to, from, before);
    std::size_t at = before;
    for (; at + line <= bytes; at += line) {
        const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from + at));
        const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from + at + half));
        _mm256_stream_si256(reinterpret_cast<__m256i *>(to + at), first);
        _mm256_stream_si256(reinterpret_cast<__m256i *>(to + at + half), second);
    }
    std::memcpy(to + at, from + at, bytes - at);
    _mm_sfence(); // streamed stores may come after later ones, by which another thread is told
}

} // namespace
#endif

void copy_past_caches(char *to, const char *from, std::size_t bytes) {
#if defined(__x86_64__)
    static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
    if (has_avx2) return stream_by_avx2(to, from, bytes);
#endif
    std::memcpy(to, from, bytes);
}

} // namespace pygpu::arrays

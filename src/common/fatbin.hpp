// The header of a fat binary: images of several kinds and architectures follow it. NVIDIA doesn't describe
// them. The fields are known from programs that read them, such as
// github.com/n-eiling/cuda-fatbin-decompression.
#pragma once

#include "common/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pygpu {

struct FatbinHeader {
    std::uint32_t magic;
    std::uint16_t version, size;
    std::uint64_t bytes; // of all that follows
};
static_assert(sizeof(FatbinHeader) == 16);

inline constexpr std::uint32_t fatbin_magic = 0xba55ed50;

// What follows the header at the start of `image`; false where it isn't wholly there, and for other images.
inline bool fatbin_body(std::string_view image, std::string_view &body) {
    FatbinHeader header{};
    return read_at(image, 0, header) && header.magic == fatbin_magic &&
           part_of(image, header.size, header.bytes, body);
}

} // namespace pygpu

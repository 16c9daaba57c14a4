// Unpacking the images that nvcc compresses: by LZ4, or by Zstandard, which is CUDA 13's default.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pygpu::host {

enum class Packing { none, lz4, zstd };
enum class Unpacked { whole, damaged, no_library };

// `whole` gets what `packed` was made from: that has `size` bytes, or the image is damaged. Zstandard is done
// by the system's libzstd; without one it is no_library.
Unpacked unpack(std::string_view packed, Packing packing, std::uint64_t size, std::string &whole);

} // namespace pygpu::host
